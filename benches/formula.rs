//! Programs whose formulas are measured, with fixed bounds.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use heddle_encode::{Method, Options, Report, Schema, check};
use heddle_ir::Program;
use heddle_memory::Model;
use heddle_semantics::ViolationKind;

/// A program with macros and bounds.
#[derive(Clone, Copy, Debug)]
pub struct Formula {
    pub name: &'static str,
    pub(crate) file: &'static str,
    pub(crate) flags: &'static [&'static str],
    pub unwind: u32,
    pub rounds: u32,
    /// To one location.
    pub writes: u32,
    /// The models under which an assertion fails within the bounds.
    pub fails: &'static [Model],
}

const NONE: &[Model] = &[];
const WEAK: &[Model] = &[Model::Tso, Model::Pso];
const ALL: &[Model] = Model::ALL;

const fn formula(
    name: &'static str,
    file: &'static str,
    flags: &'static [&'static str],
    (unwind, rounds, writes): (u32, u32, u32),
    fails: &'static [Model],
) -> Formula {
    Formula { name, file, flags, unwind, rounds, writes, fails }
}

/// The bounds are those of Tables 4.1, 4.2 and 6.2 of the thesis in `docs/papers.md`;
/// SafeStack needs four rounds under SC.
pub const FORMULAS: &[Formula] = &[
    formula("dekker", "dekker.c", &["-DN=1"], (1, 2, 3), WEAK),
    formula("dekker fenced", "dekker.c", &["-DN=1", "-DFENCES"], (1, 2, 3), NONE),
    formula("lamport", "lamport.c", &["-DN=1"], (1, 2, 3), WEAK),
    formula("lamport fenced", "lamport.c", &["-DN=1", "-DFENCES"], (1, 2, 3), NONE),
    formula("peterson", "peterson.c", &["-DN=1"], (1, 2, 3), WEAK),
    formula("peterson fenced", "peterson.c", &["-DN=1", "-DFENCES"], (1, 2, 3), NONE),
    formula("szymanski", "szymanski.c", &["-DN=1"], (1, 2, 4), WEAK),
    formula("szymanski fenced", "szymanski.c", &["-DN=1", "-DFENCES"], (1, 2, 4), NONE),
    formula("parker", "parker.c", &[], (1, 2, 5), WEAK),
    formula("parker fenced", "parker.c", &["-DFENCES"], (1, 2, 5), NONE),
    formula("stack", "stack.c", &["-DN=2"], (2, 2, 4), NONE),
    formula("stack unlocked", "stack.c", &["-DN=2", "-DUNLOCKED"], (2, 2, 4), ALL),
    formula("fib_longer unsafe", "fib_longer.c", &["-DN=6", "-DLESS"], (6, 6, 7), ALL),
    formula("fib_longer safe", "fib_longer.c", &["-DN=6"], (6, 6, 7), NONE),
    formula("safestack", "safestack.c", &[], (3, 4, 4), ALL),
    formula("safestack 3", "safestack.c", &[], (3, 3, 4), WEAK),
];

/// The program on which growth with the bound is measured.
pub const PAIR: Formula = formula("fib(3)", "fib_longer.c", &["-DN=3"], (3, 2, 2), NONE);

/// The two kinds of programs of the thesis's Table 5.1: many writes between looks, and few.
pub const MANY_WRITES: Formula = formula("many writes", "many_writes.c", &[], (8, 3, 17), NONE);
pub const FEW_WRITES: Formula = formula("few writes", "few_writes.c", &[], (6, 3, 2), NONE);

/// Writes to all of memory together, and clusters of them.
const ALL_WRITES: u32 = 24;
const CLUSTERS: u32 = 12;
/// Steps of all threads together.
const DEPTH: u32 = 60;

impl Formula {
    /// The bound of an encoding.
    #[must_use]
    pub fn bound(self, method: Method) -> u32 {
        match method {
            Method::Lazy | Method::LalReps => self.rounds,
            Method::Imu => self.writes,
            Method::Order(_) => 1,
            Method::Steps(_) => DEPTH,
            Method::Mu(Schema::Coarse) => CLUSTERS,
            Method::Mu(_) => ALL_WRITES,
        }
    }

    /// # Panics
    /// When the program does not compile.
    pub fn compile(self) -> Program {
        crate::compile(self.file, self.flags.iter().map(ToString::to_string).collect())
    }

    /// One pass with a bound of an encoding, for assertions and memory.
    ///
    /// # Panics
    /// When the program has no `main`.
    pub fn check(
        self,
        program: &Program,
        (method, bound): (Method, u32),
        model: Model,
        limit: Duration,
    ) -> Report {
        let options = Options { bound: Some(bound), ..Options::default() };
        self.check_with(program, Options { method, ..options }, model, limit)
    }

    /// One solver for all bounds of an encoding up to this one.
    ///
    /// # Panics
    /// When the program has no `main`.
    pub fn deepen(
        self,
        program: &Program,
        (method, most): (Method, u32),
        model: Model,
        limit: Duration,
    ) -> Report {
        let options = Options { most: Some(most), ..Options::default() };
        self.check_with(program, Options { method, ..options }, model, limit)
    }

    fn check_with(
        self,
        program: &Program,
        options: Options,
        model: Model,
        limit: Duration,
    ) -> Report {
        let entry = program.find_function("main").expect("main");
        let interrupt = Arc::new(AtomicBool::new(false));
        let options = Options {
            unwind: Some(self.unwind),
            ignored: vec![
                ViolationKind::Deadlock,
                ViolationKind::DataRace,
                ViolationKind::Leak,
                ViolationKind::SignedOverflow,
            ],
            interrupt: interrupt.clone(),
            ..options
        };
        let (done, over) = std::sync::mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                if over.recv_timeout(limit) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                    interrupt.store(true, Ordering::Relaxed);
                }
            });
            let report = check(program, entry, model, &options);
            drop(done);
            report
        })
    }
}
