//! Adds functions of the C library that are written in C (the folder `support`),
//! so that every engine sees their accesses without a model of its own.
//!
//! The support files are compiled for the program's own target when the program
//! needs one of their functions, linked as weak definitions (the program's own
//! ones win), and what is not used is dropped again.

use std::path::Path;

use inkwell::context::Context;
use inkwell::module::Module;

use crate::clang::Clang;
use crate::error::Error;
use crate::llvm::{View, attribute_kind};
use crate::module::{self, Diagnostics, FunctionState};

struct SupportFile {
    name: &'static str,
    text: &'static str,
    functions: &'static [&'static str],
}

const FILES: &[SupportFile] = &[
    SupportFile {
        name: "string.c",
        text: include_str!("../support/string.c"),
        functions: &[
            "memcpy",
            "memmove",
            "memset",
            "memcmp",
            "memchr",
            "strlen",
            "strnlen",
            "strcpy",
            "stpcpy",
            "strncpy",
            "strcat",
            "strncat",
            "strcmp",
            "strncmp",
            "strcasecmp",
            "strncasecmp",
            "strchr",
            "strrchr",
            "strstr",
            "strspn",
            "strcspn",
            "strdup",
            "strndup",
        ],
    },
    SupportFile {
        name: "stdlib.c",
        text: include_str!("../support/stdlib.c"),
        functions: &[
            "abs",
            "labs",
            "llabs",
            "strtol",
            "strtoll",
            "strtoul",
            "strtoull",
            "__isoc23_strtol",
            "__isoc23_strtoll",
            "__isoc23_strtoul",
            "__isoc23_strtoull",
            "atoi",
            "atol",
            "atoll",
            "qsort",
            "bsearch",
            "rand",
            "srand",
            "rand_r",
            "random",
            "srandom",
        ],
    },
    SupportFile {
        name: "threads.c",
        text: include_str!("../support/threads.c"),
        functions: &[
            "__errno_location",
            "pthread_once",
            "call_once",
            "pthread_key_create",
            "pthread_key_delete",
            "pthread_setspecific",
            "pthread_getspecific",
            "tss_create",
            "tss_delete",
            "tss_set",
            "tss_get",
        ],
    },
    SupportFile {
        name: "ctype.c",
        text: include_str!("../support/ctype.c"),
        functions: &[
            "isupper",
            "islower",
            "isdigit",
            "isalpha",
            "isspace",
            "isblank",
            "isprint",
            "isgraph",
            "iscntrl",
            "isalnum",
            "isxdigit",
            "ispunct",
            "toupper",
            "tolower",
            "__ctype_b_loc",
            "__ctype_toupper_loc",
            "__ctype_tolower_loc",
        ],
    },
];

/// Functions that lowering calls in place of an LLVM intrinsic or a `byval` copy,
/// so they are needed without being declared.
const IMPLICIT: &[&str] = &["memcpy", "memmove", "memset"];

/// Compiles and links the support functions that `program` calls but does not
/// define. Without a compiler (only bitcode was given) they stay declarations.
pub(crate) fn link<'ctx>(
    context: &'ctx Context,
    diagnostics: &Diagnostics,
    program: &Module<'ctx>,
    clang: Option<&Clang<'_>>,
    scratch: &Path,
) -> Result<(), Error> {
    let Some(clang) = clang else { return Ok(()) };
    let implicit = implicit_needs(program);
    for file in FILES {
        let missing: Vec<&str> = file
            .functions
            .iter()
            .copied()
            .filter(|name| match module::function_state(program, name) {
                FunctionState::Declared => true,
                FunctionState::Absent => implicit.contains(name),
                FunctionState::Defined => false,
            })
            .collect();
        if missing.is_empty() {
            continue;
        }
        let shown = Path::new("<heddle>").join(file.name);
        let folder = scratch.join("<heddle>");
        std::fs::create_dir_all(&folder).map_err(Error::Temporary)?;
        std::fs::write(folder.join(file.name), file.text).map_err(Error::Temporary)?;
        let triple = program.get_triple();
        let target = triple.as_str().to_string_lossy();
        let bitcode = clang.compile_support(&shown, &target)?;
        let support = module::read(context, diagnostics, &bitcode, &shown)?;
        module::keep_only(&support, &missing)?;
        module::link(diagnostics, program, support, &shown)?;
    }
    Ok(())
}

/// Which of [`IMPLICIT`] the lowering will call.
fn implicit_needs(program: &Module<'_>) -> Vec<&'static str> {
    let functions = View::new(program).functions();
    let byval = attribute_kind("byval");
    let calls = |wanted: &str| {
        functions.iter().any(|function| {
            let name = function.name();
            name.strip_prefix("llvm.").is_some_and(|name| name.starts_with(wanted))
                || (wanted == "memcpy" && function.has_param_attribute(byval))
        })
    };
    IMPLICIT.iter().copied().filter(|name| calls(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::FILES;

    /// The lists above name exactly what the C files define.
    #[test]
    fn lists_match_the_files() {
        for file in FILES {
            let mut defined: Vec<&str> = file
                .text
                .lines()
                .filter(|line| line.starts_with("LIBRARY "))
                .filter_map(|line| line.split('(').next()?.rsplit([' ', '*']).next())
                .collect();
            let mut listed = file.functions.to_vec();
            defined.sort_unstable();
            listed.sort_unstable();
            assert_eq!(defined, listed, "{}", file.name);
        }
    }
}
