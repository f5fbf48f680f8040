//! What calls of modelled library functions do to memory and control, as far as
//! dependence goes. A function that is not known here may do anything to what its
//! arguments point to, and its call matters to every property.

use heddle_ir::{FuncId, Function, Program};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing that a program notices; its result is a constant.
    Nothing,
    /// Shows its arguments to people; its result is made of them.
    Output,
    /// Its result is made of its arguments.
    Pure,
    /// Its result is a new block of as many bytes as the product of these arguments.
    Allocate {
        bytes: usize,
        times: Option<usize>,
    },
    Reallocate,
    /// A new block is put where the first argument says.
    AllocateInto,
    Free,
    Create {
        entry: usize,
        data: usize,
    },
    Join {
        result: usize,
    },
    ExitThread,
    /// A failed assertion, or one that may fail.
    Assert,
    /// Ends the thread or the process, or this run.
    Stop,
    Input,
    /// Begins or ends an atomic section.
    Atomic,
    /// An operation on the objects that its pointer arguments point to, each of at
    /// most as many bytes.
    Sync {
        bytes: u32,
    },
    Anything,
}

impl Effect {
    /// Can a program run differently because of the call, other than by its result?
    pub fn matters(self) -> bool {
        !matches!(self, Effect::Nothing | Effect::Output | Effect::Pure)
    }
}

/// Is the function one of the library's, whatever its body says?
pub fn is_library(function: &Function) -> bool {
    function.is_declaration() || matches!(&*function.name, "reach_error" | "__VERIFIER_error")
}

/// The effect of calling a library function; `None` for one with a body.
pub fn effect(program: &Program, callee: FuncId) -> Option<Effect> {
    let function = program.function(callee);
    is_library(function).then(|| effect_of(&function.name))
}

fn effect_of(name: &str) -> Effect {
    match name {
        "malloc" => Effect::Allocate { bytes: 0, times: None },
        "calloc" => Effect::Allocate { bytes: 0, times: Some(1) },
        "aligned_alloc" | "memalign" => Effect::Allocate { bytes: 1, times: None },
        "realloc" | "reallocarray" => Effect::Reallocate,
        "posix_memalign" => Effect::AllocateInto,
        "free" => Effect::Free,
        "pthread_create" => Effect::Create { entry: 2, data: 3 },
        "thrd_create" => Effect::Create { entry: 1, data: 2 },
        "pthread_join" | "thrd_join" => Effect::Join { result: 1 },
        "pthread_exit" | "thrd_exit" | "__heddle_exit_thread" => Effect::ExitThread,
        "__assert_fail" | "__assert" | "reach_error" | "__VERIFIER_error" | "__VERIFIER_assert"
        | "abort" => Effect::Assert,
        "exit"
        | "_exit"
        | "_Exit"
        | "quick_exit"
        | "__VERIFIER_assume"
        | "_ZSt9terminatev"
        | "__cxa_pure_virtual"
        | "__cxa_deleted_virtual"
        | "__heddle_throw"
        | "__heddle_unsupported" => Effect::Stop,
        "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end" => Effect::Atomic,
        "__heddle_put"
        | "__heddle_put_literal"
        | "__heddle_put_number"
        | "__heddle_put_error"
        | "__heddle_put_end" => Effect::Output,
        "sleep"
        | "usleep"
        | "nanosleep"
        | "thrd_sleep"
        | "__heddle_flush"
        | "__heddle_buffering"
        | "pthread_yield"
        | "sched_yield"
        | "thrd_yield"
        | "__heddle_keep"
        | "__heddle_short_arguments"
        | "__heddle_no_signals"
        | "__heddle_own_files"
        | "__heddle_short_lines"
        | "__heddle_sure_memory"
        | "pthread_setname_np"
        | "getenv"
        | "secure_getenv" => Effect::Nothing,
        "pthread_self"
        | "pthread_equal"
        | "thrd_current"
        | "thrd_equal"
        | "__heddle_stack_save"
        | "__heddle_stack_restore"
        | "__heddle_number_length"
        | "__heddle_number_double"
        | "__heddle_number_single"
        | "__heddle_number_char" => Effect::Pure,
        _ => effect_by_prefix(name),
    }
}

fn effect_by_prefix(name: &str) -> Effect {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    if starts(&["_Znw", "_Zna"]) {
        Effect::Allocate { bytes: 0, times: None }
    } else if starts(&["_Zdl", "_Zda"]) {
        Effect::Free
    } else if starts(&["__VERIFIER_nondet"]) {
        Effect::Input
    } else if starts(&["pthread_spin_", "__heddle_once_"]) {
        Effect::Sync { bytes: 4 }
    } else if starts(&["pthread_mutex_", "mtx_"]) {
        Effect::Sync { bytes: 40 }
    } else if starts(&["sem_", "pthread_barrier_"]) {
        Effect::Sync { bytes: 32 }
    } else if starts(&["pthread_", "cnd_", "thrd_", "__heddle_timed_wait", "__heddle_no_more"]) {
        Effect::Sync { bytes: 64 }
    } else {
        Effect::Anything
    }
}
