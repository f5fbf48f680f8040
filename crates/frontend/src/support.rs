//! Adds functions of the C and C++ libraries that are written in C (the folder
//! `support`), so that every engine sees their accesses without a model of its own.
//!
//! Those in the folder `runtime` keep state of their own, which is not shown to people.
//!
//! The support files are compiled for the program's own target when the program
//! needs one of their functions, linked as weak definitions (the program's own
//! ones win), and what is not used is dropped again.

use std::path::Path;

use inkwell::context::Context;
use inkwell::module::Module;

use crate::cancellation;
use crate::clang::Clang;
use crate::error::Error;
use crate::llvm::{Opcode, Value, ValueKind, View};
use crate::module::{self, Diagnostics, SymbolState};
use crate::needs::{self, BAD_ALLOC};

struct SupportFile {
    name: &'static str,
    /// What its functions belong to, for people.
    group: &'static str,
    text: &'static str,
    offers: Offers,
}

/// Compiler flags with which waits for condition variables may end without a
/// signal.
pub const SPURIOUS_WAKEUPS: &[&str] =
    &["-Dpthread_cond_wait=__heddle_spurious_wait", "-Dcnd_wait=__heddle_spurious_cnd_wait"];

/// Waits, and what they are when they may end without a signal.
pub(crate) const SPURIOUS_WAITS: &[(&str, &str)] = &[
    ("pthread_cond_wait", "__heddle_spurious_wait"),
    ("__heddle_c_pthread_cond_wait", "__heddle_c_spurious_wait"),
    ("cnd_wait", "__heddle_spurious_cnd_wait"),
];

/// What a file defines for programs.
enum Offers {
    /// What its text marks with `LIBRARY` (functions) and `DATA` (variables).
    Marked,
    /// The same, and in place of what a header defines inline.
    Replacing,
    /// What it defines of what has mangled names that start so.
    Prefixes(&'static [&'static str]),
}

macro_rules! file {
    ($name:literal, $group:literal, $offers:expr) => {
        SupportFile {
            name: $name,
            group: $group,
            text: include_str!(concat!("../support/", $name)),
            offers: $offers,
        }
    };
}

/// A file may use what those after it offer.
const FILES: &[SupportFile] = &[
    file!("runtime/start.c", "start", Offers::Marked),
    file!("basic_string.cpp", "C++ string", Offers::Prefixes(STRINGS)),
    file!("messages.c", "err.h, error.h, syslog.h", Offers::Marked),
    file!("runtime/syncstream.c", "C++ iostream", Offers::Replacing),
    file!("runtime/iostream.c", "C++ iostream", Offers::Marked),
    file!("runtime/cxxthread.c", "C++ threads", Offers::Marked),
    file!("runtime/cancel.c", "pthread.h", Offers::Marked),
    file!("runtime/ends.c", "pthread.h", Offers::Marked),
    file!("runtime/jump.c", "setjmp.h, pthread.h", Offers::Marked),
    file!("cxx/system_error.c", "C++ exceptions", Offers::Prefixes(CODES)),
    file!("cxx/stdexcept.c", "C++ exceptions", Offers::Prefixes(EXCEPTIONS)),
    file!("runtime/cxxthrow.c", "C++ exceptions", Offers::Replacing),
    file!("cxx/rtti.c", "C++ types at run time", Offers::Marked),
    file!("cxx/fundamental.c", "C++ types at run time", Offers::Marked),
    file!("runtime/streams.c", "stdio.h", Offers::Marked),
    file!("stdio.c", "stdio.h", Offers::Marked),
    file!("runtime/files.c", "unistd.h, fcntl.h, poll.h", Offers::Marked),
    file!("runtime/getopt.c", "getopt.h", Offers::Marked),
    file!("runtime/mappings.c", "sys/mman.h", Offers::Marked),
    file!("format.c", "stdio.h", Offers::Marked),
    file!("containers.c", "C++ containers", Offers::Marked),
    file!("runtime/cxxabi.c", "C++ local statics", Offers::Marked),
    file!("runtime/cxxlock.c", "C++ mutex", Offers::Replacing),
    file!("runtime/futex.c", "futex", Offers::Marked),
    file!("libatomic.c", "atomics", Offers::Marked),
    file!("atomic16.c", "atomics of 16 bytes", Offers::Marked),
    file!("wide.c", "integers of 128 bits", Offers::Marked),
    file!("verifier.c", "SV-COMP", Offers::Marked),
    file!("runtime/calendar.c", "time.h", Offers::Marked),
    file!("runtime/clock.c", "clocks and sleep", Offers::Marked),
    file!("floating.c", "math.h", Offers::Marked),
    file!("runtime/random.c", "random numbers", Offers::Marked),
    file!("runtime/signals.c", "signal.h", Offers::Marked),
    file!("scan.c", "stdio.h", Offers::Marked),
    file!("decimal.c", "stdlib.h", Offers::Marked),
    file!("errors.c", "string.h", Offers::Marked),
    file!("runtime/strtok.c", "string.h", Offers::Marked),
    file!("string.c", "string.h", Offers::Marked),
    file!("system.c", "unistd.h, sched.h", Offers::Marked),
    file!("stdlib.c", "stdlib.h", Offers::Marked),
    file!("runtime/threads.c", "pthread.h, threads.h, exit", Offers::Marked),
    file!("ctype.c", "ctype.h", Offers::Marked),
];

/// Members of `std::string` and `std::allocator<char>`.
const STRINGS: &[&str] = &[
    "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
    "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
    "_ZNSaIcE",
    "_ZNKSaIcE",
];

/// Exceptions of the library, and what throws them.
const EXCEPTIONS: &[&str] = &[
    "_ZTISt",
    "_ZTVSt",
    "_ZNSt",
    "_ZNKSt",
    "_ZSt",
    "__cxa_throw_bad_array_new_length",
    "__cxa_bad_cast",
    "__cxa_bad_typeid",
    BAD_ALLOC,
];

/// Error codes, and exceptions that carry them.
const CODES: &[&str] = &[
    "_ZTISt12",
    "_ZTVSt12",
    "_ZTINSt3_V214error_category",
    "_ZNSt3_V2",
    "_ZNKSt3_V214error_category",
    "_ZNKSt10error_code",
    "_ZSt15future_category",
    "_ZSt20__throw_system_error",
    "_ZSt20__throw_future_error",
    "_ZNSt12",
    "_ZNKSt12",
];

/// What is offered by prefixes, for people.
fn shown(prefixes: &'static [&'static str]) -> &'static [&'static str] {
    match prefixes {
        STRINGS => &["std::string: all members", "std::allocator<char>: all members"],
        CODES => &["std::system_error, std::future_error, std::error_category: all members"],
        _ => &["exceptions of <exception>, <stdexcept>, <new>, <typeinfo>: all members"],
    }
}

/// Variables of `stdio.c`.
const STREAMS: &[&str] = &["stdin", "stdout", "stderr"];

/// What the support files offer, by name: group, file and names.
pub fn library() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    let offered = |file: &SupportFile| match file.offers {
        Offers::Marked | Offers::Replacing => marked(file.text).collect(),
        Offers::Prefixes(prefixes) => shown(prefixes).to_vec(),
    };
    FILES.iter().map(|file| (file.group, file.name, offered(file))).collect()
}

/// Compiles and links the support functions that `program` calls but does not
/// define, and those that are asked for if the program has others. Without a compiler (only bitcode was
/// given) they stay declarations.
pub(crate) fn link<'ctx>(
    context: &'ctx Context,
    diagnostics: &Diagnostics,
    program: &Module<'ctx>,
    clang: Option<&Clang<'_>>,
    scratch: &Path,
    asked: &[(&str, &str)],
) -> Result<(), Error> {
    let Some(clang) = clang else { return Ok(()) };
    let cancels = cancellation::is_there(program);
    cancellation::give_names(program, cancels);
    let unwinds = cancellation::ends_call_functions(program);
    for file in FILES {
        let mut implicit: Vec<&str> = needs::needs(program);
        implicit.extend(cancels.then_some(cancellation::NEEDED).into_iter().flatten());
        implicit.extend(unwinds.then_some(cancellation::LEAVING).into_iter().flatten());
        let is_there = |name: &str| module::symbol_state(program, name) != SymbolState::Absent;
        implicit.extend(asked.iter().filter(|pair| is_there(pair.0)).map(|pair| pair.1));
        let missing = missing(program, file, &implicit);
        if missing.is_empty() {
            continue;
        }
        let shown = Path::new("<heddle>").join(file.name);
        let path = scratch.join(&shown);
        let folder = path.parent().unwrap_or(scratch);
        std::fs::create_dir_all(folder).map_err(Error::Temporary)?;
        std::fs::write(&path, file.text).map_err(Error::Temporary)?;
        let triple = program.get_triple();
        let target = triple.as_str().to_string_lossy();
        let bitcode = clang.compile_support(&shown, &target)?;
        let support = module::read(context, diagnostics, &bitcode, &shown)?;
        let wanted: Vec<&str> = missing.iter().map(String::as_str).collect();
        module::keep_only(&support, &wanted)?;
        module::specialise(&support)?;
        if cancels {
            cancellation::give_names_in_support(&support, file.name);
        }
        module::link(diagnostics, program, support, &shown)?;
    }
    cancellation::end_by_unwinding(program);
    settle_streams(program);
    Ok(())
}

/// Programs may give `stdout` another value. Where none does, reading it is no
/// communication.
fn settle_streams(program: &Module<'_>) {
    for global in View::new(program).globals() {
        let name = global.name();
        let reads = |user: Value<'_>| {
            user.kind() == ValueKind::LLVMInstructionValueKind && user.opcode() == Opcode::LLVMLoad
        };
        if STREAMS.contains(&&*name)
            && global.is_weak_definition()
            && global.users().into_iter().all(reads)
            && let Some(variable) = program.get_global(&name)
        {
            variable.set_constant(true);
        }
    }
}

/// What `file` offers and `program` needs.
fn missing(program: &Module<'_>, file: &SupportFile, implicit: &[&str]) -> Vec<String> {
    let is_missing = |name: &str| match module::symbol_state(program, name) {
        SymbolState::Declared => true,
        SymbolState::Absent => implicit.contains(&name),
        SymbolState::Inline => matches!(file.offers, Offers::Replacing),
        SymbolState::Defined => false,
    };
    match file.offers {
        Offers::Marked | Offers::Replacing => {
            marked(file.text).filter(|name| is_missing(name)).map(str::to_owned).collect()
        }
        Offers::Prefixes(prefixes) => {
            let view = View::new(program);
            let symbols = view.functions().into_iter().chain(view.globals());
            let declared = symbols.filter(|symbol| symbol.is_declaration()).map(Value::name);
            let names = declared.chain(implicit.iter().map(|&name| name.to_owned()));
            let fits = |name: &String| prefixes.iter().any(|prefix| name.starts_with(prefix));
            names.filter(fits).collect()
        }
    }
}

/// The names that a C file marks: what stands before the first bracket or the end of
/// the declaration, unless it is given another name for the linker.
fn marked(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.match_indices("\nLIBRARY").chain(text.match_indices("\nDATA"));
    starts.filter_map(|(at, _)| {
        let declaration = text[at..].split([';', '{']).next()?;
        if let Some((_, label)) = declaration.split_once("__asm__(\"") {
            return label.split('"').next();
        }
        let head = declaration.split(['(', '=']).next()?;
        head.trim().rsplit([' ', '*', '\n']).next()
    })
}

#[cfg(test)]
mod tests {
    use super::{FILES, Offers, marked};

    #[test]
    fn marks_are_read() {
        let text = "\n#define LIBRARY x\nLIBRARY int *f(int a) {\nLIBRARY int\ng(\n    int a) {\n\
                    LIBRARY void h(int) __asm__(\"i\");\nDATA const char c = 0;\nDATA T *p;\n";
        assert_eq!(marked(text).collect::<Vec<_>>(), ["f", "g", "i", "c", "p"]);
    }

    #[test]
    fn every_marked_file_offers_something() {
        for file in FILES {
            if let Offers::Marked | Offers::Replacing = file.offers {
                assert_ne!(marked(file.text).count(), 0, "{}", file.name);
            }
        }
    }
}
