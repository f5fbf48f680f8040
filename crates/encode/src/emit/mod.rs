//! Sequential C: the bounded program and a shared memory abstraction, for any verifier.
//!
//! Inverso et al. (CAV 2014), Tomasco (thesis, chapters 2 to 6) and Nguyen et al. (ASE 2017),
//! see `docs/papers.md`. Each thread is a function: its points, in order, with the accesses
//! of each (`threads`) and the terms that they need (`terms`). What an access does is the
//! abstraction's, a file of C each (`c/lazy.c`, `c/lal_reps.c`, `c/mu.c`, `c/imu.c`), and how
//! to choose, assume and fail is the verifier's (`c/cbmc.h`, …).
//!
//! Deviations:
//! 1. What is printed is the unfolding, not the source: loops and calls are gone, values are
//!    temporaries. Lines of the source are in comments.
//! 2. Only what goes wrong in one thread is asked for: no deadlocks.
//! 3. `mu` is the explicit schema; creation and the like take positions like other writes.
//! 4. `lazy` lets a store that waits reach memory at the start of a turn only, so under TSO
//!    and PSO it may need more rounds than the formula does (`encodings/arrivals.rs`).
//! 5. A violation of an eager sequentialisation counts if its guesses were right, so it is
//!    told in the end.

mod terms;
mod threads;

use std::fmt::Write;

use heddle_ir::{FuncId, Program};
use heddle_memory::{Model, ModelVisitor};
use heddle_semantics::{MemoryModel, ViolationKind};

use crate::emit::threads::Printer;
use crate::encodings::Formula;
use crate::solve::instances::{Restriction, ThreadPlaces, places};
use crate::unfold::{Limits, UnfoldError, Unfolder};
use crate::watch::Watch;

/// How interleavings become nondeterminism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequentialization {
    Lazy,
    LalReps,
    Mu,
    Imu,
}

/// Who reads the C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Cbmc,
    Esbmc,
    Klee,
    /// The functions of the competition on software verification.
    Svcomp,
    /// A native program.
    Gcc,
}

#[derive(Clone, Debug)]
pub struct Emission {
    pub sequentialization: Sequentialization,
    pub backend: Backend,
    pub model: Model,
    pub unwind: u32,
    /// Rounds, or writes.
    pub bound: u32,
    pub ignored: Vec<ViolationKind>,
}

#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    #[error(transparent)]
    Unfold(#[from] UnfoldError),
    #[error("{0}")]
    Unfit(String),
}

/// C, and what keeps it from having all runs within the bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    pub text: String,
    pub left_out: Vec<String>,
}

/// The C of a program for each of the restrictions that `choose` makes of its threads.
pub fn emit(
    program: &Program,
    entry: FuncId,
    emission: &Emission,
    choose: &mut dyn FnMut(&[ThreadPlaces]) -> Vec<Restriction>,
    each: &mut dyn FnMut(usize, Emitted),
) -> Result<(), EmitError> {
    emission.model.with(Emitter { program, entry, emission, choose, each })
}

struct Emitter<'a> {
    program: &'a Program,
    entry: FuncId,
    emission: &'a Emission,
    choose: &'a mut dyn FnMut(&[ThreadPlaces]) -> Vec<Restriction>,
    each: &'a mut dyn FnMut(usize, Emitted),
}

impl ModelVisitor for Emitter<'_> {
    type Output = Result<(), EmitError>;

    fn visit<M: MemoryModel>(self, model: M) -> Self::Output {
        let Emitter { program, entry, emission, choose, each } = self;
        emission.check(model.buffers())?;
        let overflow = ViolationKind::SignedOverflow;
        let limits = Limits {
            unwind: emission.unwind,
            weak: model.buffers(),
            everything: model.reorders_publication(),
            bits: None,
            overflow: !emission.ignored.contains(&overflow),
        };
        let watch = Watch::default();
        let unfolder = Unfolder::new(program, entry, limits, watch.clone());
        let (bounded, symbolic, objects) = unfolder.unfold()?;
        let formula = Formula::new(&bounded, &objects, symbolic, model, &watch)
            .map_err(UnfoldError::Stopped)?;
        let threads = places(program, &bounded, &formula.stores);
        let mut printer = Printer::new(program, formula, emission);
        printer.threads()?;
        let code = printer.finish();
        for (number, restriction) in choose(&threads).into_iter().enumerate() {
            emission.fits(&restriction)?;
            let text = page(program, emission, &threads, &restriction, &code);
            each(number, Emitted { text, left_out: code.left_out.clone() });
        }
        Ok(())
    }
}

/// The parts of the C that depend on the program.
pub(crate) struct Code {
    pub cells: Vec<(String, u32)>,
    pub globals: String,
    pub functions: String,
    pub left_out: Vec<String>,
}

impl Emission {
    fn check(&self, weak: bool) -> Result<(), EmitError> {
        match self.sequentialization {
            Sequentialization::LalReps | Sequentialization::Mu if weak => {
                let text = "for sequential consistency only; `lazy` and `imu` know the others";
                Err(EmitError::Unfit(format!("`{}` as C is {text}", self.sequentialization.name())))
            }
            _ => Ok(()),
        }
    }

    /// Can the C say this of a run?
    fn fits(&self, restriction: &Restriction) -> Result<(), EmitError> {
        let Restriction { closed, forced, prompt } = restriction;
        let all = |ranges: &[Vec<_>]| ranges.iter().all(Vec::is_empty);
        let lazy = self.sequentialization == Sequentialization::Lazy;
        if all(forced) && all(prompt) && (lazy || all(closed)) {
            return Ok(());
        }
        let text = "an instance as C can only say where the turns of `lazy` end";
        Err(EmitError::Unfit(text.to_string()))
    }
}

impl Sequentialization {
    pub const ALL: &[Sequentialization] = &[
        Sequentialization::Lazy,
        Sequentialization::LalReps,
        Sequentialization::Mu,
        Sequentialization::Imu,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Sequentialization::Lazy => "lazy",
            Sequentialization::LalReps => "lal-reps",
            Sequentialization::Mu => "mu",
            Sequentialization::Imu => "imu",
        }
    }

    /// What its bound counts.
    pub fn unit(self) -> &'static str {
        match self {
            Sequentialization::Lazy | Sequentialization::LalReps => "ROUNDS",
            Sequentialization::Mu | Sequentialization::Imu => "WRITES",
        }
    }

    /// The shared memory abstraction, around the functions of the threads.
    fn text(self) -> (&'static str, &'static str) {
        const EAGER: &str = include_str!("c/eager.c");
        let whole = match self {
            Sequentialization::Lazy => return split(include_str!("c/lazy.c")),
            Sequentialization::LalReps => include_str!("c/lal_reps.c"),
            Sequentialization::Mu => include_str!("c/mu.c"),
            Sequentialization::Imu => include_str!("c/imu.c"),
        };
        (whole, EAGER)
    }
}

/// What comes before the threads, and the driver.
fn split(text: &'static str) -> (&'static str, &'static str) {
    let driver = text.find("/* A thread moves").unwrap_or(text.len());
    text.split_at(driver)
}

impl Backend {
    pub const ALL: &[Backend] =
        &[Backend::Cbmc, Backend::Esbmc, Backend::Klee, Backend::Svcomp, Backend::Gcc];

    pub fn name(self) -> &'static str {
        match self {
            Backend::Cbmc => "cbmc",
            Backend::Esbmc => "esbmc",
            Backend::Klee => "klee",
            Backend::Svcomp => "svcomp",
            Backend::Gcc => "gcc",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Backend::Cbmc => include_str!("c/cbmc.h"),
            Backend::Esbmc => include_str!("c/esbmc.h"),
            Backend::Klee => include_str!("c/klee.h"),
            Backend::Svcomp => include_str!("c/svcomp.h"),
            Backend::Gcc => include_str!("c/gcc.h"),
        }
    }
}

fn page(
    program: &Program,
    emission: &Emission,
    threads: &[ThreadPlaces],
    restriction: &Restriction,
    code: &Code,
) -> String {
    let Emission { sequentialization, unwind, bound, .. } = *emission;
    let mut out = String::new();
    let source = program.files.first().map_or("a program", |file| &file.path);
    let (name, unit) = (sequentialization.name(), sequentialization.unit().to_lowercase());
    let model = emission.model;
    let _ = writeln!(out, "/* {source} as sequential C: {name}, {unit} {bound}, loops");
    let _ = writeln!(out, "   unwound {unwind} times, memory model {model}. A violation of");
    let _ =
        writeln!(out, "   this is one of the program. Its deadlocks, data races and leaks are not");
    let _ = writeln!(out, "   looked for. */");
    for what in &code.left_out {
        let _ = writeln!(out, "/* Left out: runs that come to {}. */", comment(what));
    }
    out.push_str(emission.backend.text());
    out.push('\n');
    out.push_str(include_str!("c/words.h"));
    out.push_str(include_str!("c/choose.h"));
    out.push('\n');
    let most = threads.iter().map(|thread| thread.points.len()).max().unwrap_or(0);
    let _ = writeln!(out, "enum {{");
    let _ = writeln!(out, "    THREADS = {},", threads.len());
    let _ = writeln!(out, "    POINTS = {},", most.max(1));
    let _ = writeln!(out, "    CELLS = {},", code.cells.len().max(1));
    let _ = writeln!(out, "    {} = {bound},", sequentialization.unit());
    let _ = writeln!(out, "}};\n");
    cells(&mut out, &code.cells);
    if sequentialization == Sequentialization::Lazy {
        let counts = threads.iter().map(|thread| thread.points.len().to_string());
        let counts: Vec<String> = counts.collect();
        let _ =
            writeln!(out, "static const unsigned points[THREADS] = {{ {} }};\n", counts.join(", "));
        open(&mut out, threads, restriction);
    }
    let (abstraction, driver) = sequentialization.text();
    let driver_first = sequentialization != Sequentialization::Lazy;
    out.push_str(abstraction);
    if driver_first {
        let (macros, simulate) = split_at(driver, "static UNUSED void simulate");
        out.push_str(macros);
        out.push_str(&code.globals);
        out.push_str(&code.functions);
        out.push_str(simulate);
    } else {
        out.push_str(&code.globals);
        out.push_str(&code.functions);
        out.push_str(driver);
    }
    out.push('\n');
    out.push_str(include_str!("c/main.c"));
    out
}

fn split_at<'a>(text: &'a str, what: &str) -> (&'a str, &'a str) {
    text.split_at(text.find(what).unwrap_or(text.len()))
}

fn cells(out: &mut String, cells: &[(String, u32)]) {
    let _ = writeln!(out, "/* Shared cells:");
    for (at, (name, width)) in cells.iter().enumerate() {
        let _ = writeln!(out, "   {at}: {} ({width} bits)", comment(name));
    }
    let _ = writeln!(out, "*/");
    let widths = cells.iter().map(|(_, width)| width.to_string());
    let widths: Vec<String> = widths.collect();
    let list = if widths.is_empty() { "1".to_string() } else { widths.join(", ") };
    let _ = writeln!(out, "static UNUSED const unsigned widths[CELLS] = {{ {list} }};\n");
}

/// Figure 4: where threads may be preempted.
fn open(out: &mut String, threads: &[ThreadPlaces], restriction: &Restriction) {
    if restriction.closed.iter().all(Vec::is_empty) {
        let _ = writeln!(out, "#define OPEN(thread, at) 1\n");
        return;
    }
    let _ = writeln!(out, "/* Points before which a thread may be left. */");
    let _ = writeln!(out, "static const _Bool open[THREADS][POINTS] = {{");
    for (number, thread) in threads.iter().enumerate() {
        let closed = restriction.closed.get(number);
        let is_closed =
            |at: u32| closed.is_some_and(|ranges| ranges.iter().any(|range| range.contains(&at)));
        let all = thread.points.iter().enumerate();
        let bits = all.map(|(at, point)| match !is_closed(at as u32) || point.waits {
            true => "1",
            false => "0",
        });
        let bits: Vec<&str> = bits.collect();
        let _ = writeln!(
            out,
            "    {{ {} }},",
            if bits.is_empty() { "1".into() } else { bits.join(", ") }
        );
    }
    let _ = writeln!(out, "}};\n#define OPEN(thread, at) open[thread][at]\n");
}

/// Text of the program in a comment.
pub(crate) fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").replace(['\n', '\r'], " ")
}
