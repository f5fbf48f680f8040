//! Programs to measure, and how to run them.

pub mod cbmc;
pub mod counting;
pub mod formula;
pub mod plot;
pub mod slices;
pub mod stakes;

use std::path::{Path, PathBuf};

use heddle_explore::{Algorithm, Options, Report, check};
use heddle_ir::Program;
use heddle_memory::Model;

/// A program with the macro that sets its size.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    pub name: &'static str,
    pub file: &'static str,
    pub size: u32,
}

/// The programs every engine is measured on.
pub const SUBJECTS: &[Subject] = &[
    Subject { name: "indexer(14)", file: "indexer.c", size: 14 },
    Subject { name: "indexer(15)", file: "indexer.c", size: 15 },
    Subject { name: "fibonacci(4)", file: "fibonacci.c", size: 4 },
    Subject { name: "fibonacci(5)", file: "fibonacci.c", size: 5 },
    Subject { name: "fibonacci(6)", file: "fibonacci.c", size: 6 },
    Subject { name: "last-zero(8)", file: "last_zero.c", size: 8 },
    Subject { name: "last-zero(12)", file: "last_zero.c", size: 12 },
    Subject { name: "mutex-counter(4)", file: "mutex_counter.c", size: 4 },
    Subject { name: "treiber(3)", file: "treiber.c", size: 3 },
];

/// The Fibonacci pair behind a prefix of `size` visible steps in each thread.
pub const PREFIXES: &[Subject] = &[
    Subject { name: "prefix(10)", file: "prefix.c", size: 10 },
    Subject { name: "prefix(100)", file: "prefix.c", size: 100 },
    Subject { name: "prefix(1000)", file: "prefix.c", size: 1000 },
];

/// The programs that memory models are compared on.
pub const WEAK: &[Subject] = &[
    Subject { name: "store-buffering(1)", file: "store_buffering.c", size: 1 },
    Subject { name: "store-buffering(2)", file: "store_buffering.c", size: 2 },
    Subject { name: "store-buffering(3)", file: "store_buffering.c", size: 3 },
    Subject { name: "peterson(1)", file: "peterson.c", size: 1 },
    Subject { name: "peterson(2)", file: "peterson.c", size: 2 },
    Subject { name: "fibonacci(3)", file: "fibonacci.c", size: 3 },
    Subject { name: "fibonacci(4)", file: "fibonacci.c", size: 4 },
    Subject { name: "seqlock(3)", file: "seqlock.c", size: 3 },
    Subject { name: "deque(3)", file: "deque.c", size: 3 },
];

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Subject {
    /// Compiles the program, with its fences if it has any.
    ///
    /// # Panics
    /// When it does not compile: a bench can't go on without its subject.
    pub fn compile(self) -> Program {
        compile(self.file, vec![format!("-DN={}", self.size), "-DFENCES".to_string()])
    }
}

fn compile(file: &str, flags: Vec<String>) -> Program {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let options =
        heddle_frontend::Options { inputs: vec![folder.join(file)], flags, ..Default::default() };
    heddle_frontend::compile(&options).expect("a bench program compiles")
}

/// One search of the whole program under SC.
///
/// # Panics
/// When the program has no `main`.
pub fn explore(program: &Program, algorithm: Algorithm) -> Report {
    explore_under(program, Model::Sc, algorithm)
}

/// One search of the whole program.
///
/// # Panics
/// When the program has no `main`.
pub fn explore_under(program: &Program, model: Model, algorithm: Algorithm) -> Report {
    let entry = program.find_function("main").expect("main");
    // All loops are shorter, so that one pass is all there is.
    let options = Options { algorithm, unwind: Some(2000), ..Options::default() };
    check(program, entry, model, &options).expect("the program fits into memory")
}
