//! Which functions of the library a program gets that cancels threads, or whose threads end
//! from within with something to be done on the way (`support/runtime/cancel.c`, `jump.c`).

use inkwell::module::Module;

use crate::llvm::{Opcode, View};
use crate::module::{SymbolState, symbol_state};
use crate::needs::{LEAVE, PASSES, UNCAUGHT};

/// Cancellation points, and what else means something different where threads are cancelled.
const POINTS: &[&str] = &[
    "pthread_testcancel",
    "pthread_setcancelstate",
    "pthread_setcanceltype",
    "pthread_self",
    "pthread_join",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "sem_wait",
    "sem_timedwait",
    "sem_clockwait",
    "sleep",
    "usleep",
    "nanosleep",
    "clock_nanosleep",
    "read",
    "write",
    "poll",
    "open",
    "close",
];

/// Functions that may be cancellation points (XSH 2.9.5.2), as far as they are modelled.
const POSSIBLE: &[&str] = &[
    "printf",
    "fprintf",
    "vprintf",
    "vfprintf",
    "dprintf",
    "vdprintf",
    "__printf_chk",
    "__fprintf_chk",
    "__vprintf_chk",
    "__vfprintf_chk",
    "puts",
    "fputs",
    "putchar",
    "putc",
    "fputc",
    "fwrite",
    "fflush",
    "perror",
    "fopen",
    "fopen64",
    "fdopen",
    "tmpfile",
    "fclose",
    "fgetc",
    "getc",
    "getchar",
    "fgets",
    "fread",
    "getline",
    "getdelim",
    "ungetc",
    "scanf",
    "fscanf",
    "__isoc99_scanf",
    "__isoc99_fscanf",
    "__isoc23_scanf",
    "__isoc23_fscanf",
    "fseek",
    "fseeko",
    "ftell",
    "ftello",
    "rewind",
    "lseek",
    "unlink",
    "remove",
    "fsync",
    "fcntl",
    "access",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_timedrdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_timedwrlock",
];

/// The last thing that a thread does where it matters who has ended.
pub(crate) const NOTE_END: &str = "__heddle_note_end";

/// What is called before one of them.
pub(crate) const MAY_CANCEL: &str = "__heddle_may_cancel";

/// May a function of this name be a cancellation point?
pub(crate) fn is_possible(name: &str) -> bool {
    POSSIBLE.contains(&name)
}

/// Cancellation points that support files call.
const IN_SUPPORT: &[&str] =
    &["pthread_join", "pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait"];

/// What is there in any program that cancels threads.
pub(crate) const NEEDED: &[&str] = &[
    NOTE_END,
    "__heddle_wait_in_call",
    MAY_CANCEL,
    "__heddle_c_pthread_join",
    "__heddle_c_pthread_cond_wait",
    "__heddle_c_pthread_cond_timedwait",
    "__heddle_c_pthread_cond_clockwait",
];

/// What a program needs in which the end of a thread calls functions.
pub(crate) const LEAVING: &[&str] = &[LEAVE, LEAVE_WITH_NUMBER, PASSES, UNCAUGHT];
const LEAVE_WITH_NUMBER: &str = "__heddle_leave_with_number";

fn named(name: &str) -> String {
    format!("__heddle_c_{name}")
}

/// Does the program cancel threads?
pub(crate) fn is_there(program: &Module<'_>) -> bool {
    symbol_state(program, "pthread_cancel") == SymbolState::Declared
        || symbol_state(program, MAY_CANCEL) == SymbolState::Defined
}

/// Gives cancellation points that the program declares their names, and functions to what
/// clang has instructions for.
pub(crate) fn give_names(program: &Module<'_>, cancels: bool) {
    for (name, other) in [
        ("llvm.eh.sjlj.setjmp", "__heddle_builtin_setjmp"),
        ("llvm.eh.sjlj.longjmp", "__heddle_builtin_longjmp"),
    ] {
        if let Some(function) = program.get_function(name)
            && program.get_function(other).is_none()
        {
            let new = program.add_function(other, function.get_type(), None);
            function.replace_all_uses_with(new);
        }
    }
    if cancels {
        rename(program, POINTS);
    }
}

/// The same for what a support file calls.
pub(crate) fn give_names_in_support(support: &Module<'_>, file: &str) {
    match file {
        "runtime/cancel.c" | "runtime/ends.c" => {}
        "runtime/files.c" => {
            if let Some(wait) = support.get_function("sem_wait") {
                wait.as_global_value().set_name("__heddle_wait_in_call");
            }
        }
        "runtime/cxxthread.c" | "runtime/cxxlock.c" => rename(support, IN_SUPPORT),
        _ => {}
    }
}

fn rename(module: &Module<'_>, names: &[&str]) {
    for name in names {
        if symbol_state(module, name) == SymbolState::Declared
            && let Some(function) = module.get_function(name)
        {
            match module.get_function(&named(name)) {
                Some(other) => function.replace_all_uses_with(other),
                None => function.as_global_value().set_name(&named(name)),
            }
        }
    }
}

/// Can the end of a thread from within come by functions that are to be called then?
pub(crate) fn ends_call_functions(program: &Module<'_>) -> bool {
    let ends = ["pthread_exit", "thrd_exit", "pthread_cancel"];
    let is_declared = |name: &&str| symbol_state(program, name) == SymbolState::Declared;
    let is_pushed = symbol_state(program, "__pthread_register_cancel") != SymbolState::Absent;
    ends.iter().any(is_declared) && (is_pushed || has_landing_pads(program))
}

fn has_landing_pads(program: &Module<'_>) -> bool {
    let functions = View::new(program).functions().into_iter();
    let blocks = functions.flat_map(|function| function.blocks());
    let mut insts = blocks.flat_map(|block| block.instructions());
    insts.any(|inst| inst.opcode() == Opcode::LLVMLandingPad)
}

/// Has threads end by unwinding, if that is there.
pub(crate) fn end_by_unwinding(program: &Module<'_>) {
    for (name, other) in [("pthread_exit", LEAVE), ("thrd_exit", LEAVE_WITH_NUMBER)] {
        if symbol_state(program, name) == SymbolState::Declared
            && symbol_state(program, other) == SymbolState::Defined
            && let (Some(old), Some(new)) =
                (program.get_function(name), program.get_function(other))
        {
            old.replace_all_uses_with(new);
        }
    }
}
