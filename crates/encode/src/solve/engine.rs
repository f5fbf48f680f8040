//! From a program to a verdict: unfolds, encodes and solves with growing bounds.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use heddle_ir::{FuncId, Program};
use heddle_machine::Instructions;
use heddle_memory::{Model, ModelVisitor};
use heddle_sat::Cadical;
use heddle_sat::proof::Record;
use heddle_semantics::{Bounds, MemoryModel, Stopped, VACUOUS, Verdict, ViolationKind};

use crate::bounded::Bounded;
use crate::encodings::{Formula, Stakes, Stores};
use crate::solve::method::Method;
use crate::solve::session::{Clear, Outcome, Pass};
use crate::symbolic::Symbolic;
use crate::unfold::constrained::Constraints;
use crate::unfold::objects::Objects;
use crate::unfold::{Limits, UnfoldError, Unfolder};
use crate::watch::{Stop, Watch};

/// Called after each pass.
pub type Progress = Box<dyn Fn(&Stats) + Send + Sync>;

#[derive(Default)]
pub struct Options {
    /// `None`: grow until nothing is cut.
    pub unwind: Option<u32>,
    pub method: Method,
    /// The bound of the method: rounds, writes, … `None`: grow until every interleaving is
    /// covered.
    pub bound: Option<u32>,
    /// Where nothing but the method's bound keeps the verdict from being `safe`, this one is
    /// asked whether it can cover every interleaving, for as long as all took so far.
    pub complete_with: Option<Method>,
    /// A bound that is not grown beyond.
    pub most: Option<u32>,
    /// Take unknown integers to be sign-extended from this many bits.
    pub bits: Option<u32>,
    pub interrupt: Arc<AtomicBool>,
    /// How many values of a cell are listed, if not as many as is best: fewer are there to be
    /// compared with.
    pub listed: Option<usize>,
    /// In bytes of resident memory.
    pub memory_limit: Option<u64>,
    /// Kinds of violations that do not count.
    pub ignored: Vec<ViolationKind>,
    /// Only runs that keep these. For sequential consistency, and with deadlocks.
    pub constraints: Option<Constraints>,
    pub progress: Option<Progress>,
    /// Where to write what shows that the verdict is right, anew for each number of turns of
    /// loops. For [`Method::Order`].
    pub proof: Option<Proof>,
}

/// Begins a proof for so many turns of loops.
pub type Proof = Box<dyn Fn(u32) -> io::Result<Box<dyn Write>> + Send + Sync>;

/// The effort of the passes so far, and the size of the last one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    pub passes: u64,
    pub unwind: u32,
    pub method: Method,
    /// Of the method.
    pub bound: u32,
    pub threads: u64,
    pub points: u64,
    pub events: u64,
    pub variables: u64,
    pub clauses: u64,
    pub conflicts: u64,
    pub encode_seconds: f64,
    pub solve_seconds: f64,
    pub seconds: f64,
    /// The last bounds that were decided.
    pub covered: Option<Bounds>,
    /// Of [`Method::Order`].
    pub order: Option<OrderStats>,
    /// Of [`Method::Steps`] with [`Reduction::Insensitive`](crate::Reduction).
    pub stakes: Option<Stakes>,
}

/// What there was to order in the last pass, and what a theory did about it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OrderStats {
    /// Points of threads and arrivals of stores.
    pub nodes: u64,
    /// Pairs of a read and a write that it may take.
    pub candidates: u64,
    /// Pairs of writes that are ordered one way or the other, and orders with conditions.
    pub orders: u64,
    pub conflicts: u64,
    pub propagations: u64,
}

pub struct Report {
    pub verdict: Verdict,
    /// Who ended the search, if it did not end by itself; the verdict is unknown then.
    pub stopped: Option<Stopped>,
    pub stats: Stats,
    /// Why bounds were not grown any more, if something kept them from it.
    pub gave_up: Option<String>,
    /// For [`Options::proof`]: whether all of it is there.
    pub proof: Option<io::Result<()>>,
    /// For [`Options::constraints`]: what the events that they speak of are.
    pub instructions: Instructions,
}

pub(super) struct Engine<'p, 'o, M> {
    pub(super) program: &'p Program,
    pub(super) entry: FuncId,
    pub(super) model: M,
    pub(super) options: &'o Options,
    pub(super) stats: Stats,
    pub(super) watch: Watch,
    stopped: Option<Stopped>,
    gave_up: Option<String>,
    proof: Option<io::Result<()>>,
    instructions: Instructions,
}

pub fn check(program: &Program, entry: FuncId, model: Model, options: &Options) -> Report {
    model.with(Checker { program, entry, options })
}

struct Checker<'p, 'o> {
    program: &'p Program,
    entry: FuncId,
    options: &'o Options,
}

impl ModelVisitor for Checker<'_, '_> {
    type Output = Report;

    fn visit<M: MemoryModel>(self, model: M) -> Report {
        let Checker { program, entry, options } = self;
        let started = Instant::now();
        let mut engine = Engine::new((program, entry), model, options);
        let verdict = engine.deepen();
        engine.stats.seconds = started.elapsed().as_secs_f64();
        let Engine { stats, stopped, gave_up, proof, instructions, .. } = engine;
        Report { verdict, stopped, stats, gave_up, proof, instructions }
    }
}

const FIRST_UNWIND: u32 = 1;

/// What comes after a pass.
pub(super) enum Next {
    Verdict(Verdict),
    /// A larger bound of the method, on the same unfolding.
    Bound(u32),
    /// More turns of loops.
    Unwind,
}

/// A bounded program, unfolded.
pub(super) type Unfolded = (Bounded, Symbolic, Objects);

impl<'p, 'o, M: MemoryModel> Engine<'p, 'o, M> {
    pub(super) fn new(
        (program, entry): (&'p Program, FuncId),
        model: M,
        options: &'o Options,
    ) -> Engine<'p, 'o, M> {
        Engine {
            program,
            entry,
            model,
            options,
            stats: Stats { method: options.method, ..Stats::default() },
            watch: Watch::new(options.interrupt.clone(), options.memory_limit),
            stopped: None,
            gave_up: None,
            proof: None,
            instructions: Instructions::default(),
        }
    }

    fn counts(&self, kind: ViolationKind) -> bool {
        !self.options.ignored.contains(&kind)
    }

    /// One bound at a time grows, so that none runs away from the others.
    fn deepen(&mut self) -> Verdict {
        let mut unwind = self.options.unwind.unwrap_or(FIRST_UNWIND);
        let mut bound = self.options.bound.unwrap_or(self.options.method.first_bound());
        loop {
            let unfolded = match self.unfold(unwind) {
                Ok(unfolded) => unfolded,
                Err(UnfoldError::Stopped(why)) => return self.stop(why),
                Err(error) => return self.give_up(error.to_string()),
            };
            match self.grow(unwind, &mut bound, unfolded) {
                Some(verdict) => return verdict,
                None => unwind += 1,
            }
        }
    }

    pub(super) fn unfold(&mut self, unwind: u32) -> Result<Unfolded, UnfoldError> {
        let limits = Limits {
            unwind,
            weak: self.model.buffers(),
            everything: self.model.reorders_publication(),
            bits: self.options.bits,
            overflow: self.counts(ViolationKind::SignedOverflow),
        };
        self.stats.unwind = unwind;
        let unfolder = Unfolder::new(self.program, self.entry, limits, self.watch.clone())
            .under(self.options.constraints.clone())
            .listing(self.options.listed);
        let begun = Instant::now();
        let unfolded = unfolder.unfold();
        self.stats.encode_seconds += begun.elapsed().as_secs_f64();
        unfolded
    }

    /// Looks at one unfolding with growing bounds of the method. `None`: loops are to be
    /// followed further.
    fn grow(&mut self, unwind: u32, bound: &mut u32, unfolded: Unfolded) -> Option<Verdict> {
        let (bounded, symbolic, objects) = unfolded;
        self.instructions = bounded.instructions.clone();
        let ignored = self.options.ignored.clone();
        let counts = |kind: ViolationKind| !ignored.contains(&kind);
        let watch = self.watch.clone();
        let method = self.options.method;
        let formula = Formula::new(&bounded, &objects, symbolic, self.model.clone(), &watch);
        let about = (self.program, self.entry);
        let (solver, record) = match self.solver(unwind) {
            Ok(both) => both,
            Err(error) => return Some(self.no_proof(error)),
        };
        let begun = formula.and_then(|formula| Pass::by(solver, about, formula, method, &counts));
        let mut pass = match begun {
            Ok(pass) => pass,
            Err(why) => return Some(self.stop(why)),
        };
        loop {
            let within = (*bound).min(pass.encoding.enough(&pass.formula)).max(1);
            self.note(&bounded, within);
            let outcome = pass.ask(within, &mut self.stats);
            if let Some(progress) = &self.options.progress {
                progress(&self.stats);
            }
            let clear = match outcome {
                Outcome::Unsafe(failure) => return Some(Verdict::Unsafe(failure)),
                Outcome::Stopped(why) => return Some(self.stop(why)),
                Outcome::Wrong(what) => return Some(Verdict::Unknown(what)),
                Outcome::Clear(clear) => clear,
            };
            let mixed = pass.formula.stores.iter().any(Stores::are_mixed);
            if let Some(verdict) = self.complete(unwind, &clear) {
                return Some(verdict);
            }
            match self.after(&bounded, (unwind, within), clear, mixed) {
                Next::Verdict(verdict) => {
                    self.proof = record.map(|record| record.borrow_mut().finish());
                    return Some(verdict);
                }
                Next::Bound(next) => *bound = next,
                Next::Unwind => return None,
            }
        }
    }

    /// A solver, which may write down what it does.
    fn solver(&self, unwind: u32) -> io::Result<(Cadical, Option<Rc<RefCell<Record>>>)> {
        let Some(begin) = &self.options.proof else { return Ok((Cadical::new(), None)) };
        let record = Rc::new(RefCell::new(Record::new(begin(unwind)?)));
        Ok((Cadical::recording(Rc::clone(&record)), Some(record)))
    }

    fn no_proof(&mut self, error: io::Error) -> Verdict {
        self.proof = Some(Err(error));
        Verdict::Unknown("no certificate can be written".to_string())
    }

    pub(super) fn after(
        &mut self,
        bounded: &Bounded,
        (unwind, bound): (u32, u32),
        clear: Clear,
        mixed_widths: bool,
    ) -> Next {
        let Clear { cut, far, unsupported, vacuous, all } = clear;
        if let Some(what) = unsupported {
            return Next::Verdict(Verdict::Unknown(what));
        }
        let method = self.options.method;
        let mut bounds = Bounds {
            unwind: if cut { Some(unwind) } else { far },
            bits: self.options.bits.filter(|_| bounded.narrowed),
            reuse: bounded.reuse,
            mixed_widths,
            ..bounded.assumed.clone()
        };
        if !all {
            method.limit(&mut bounds, bound);
        }
        if vacuous && bounds.unwind.is_none() && all {
            let reason = bounded.ends.vacuous(self.program);
            return Next::Verdict(Verdict::Unknown(reason.unwrap_or(VACUOUS.to_string())));
        }
        if bounds.is_empty() {
            return Next::Verdict(Verdict::Safe);
        }
        let grow_unwind = cut && self.options.unwind.is_none();
        let most = self.options.most.unwrap_or(u32::MAX);
        let grow_bound = !all && self.options.bound.is_none() && bound < most;
        if !grow_unwind && !grow_bound {
            return Next::Verdict(Verdict::Bounded(bounds));
        }
        self.stats.covered = Some(bounds);
        match grow_bound && (!grow_unwind || method.is_behind(bound, unwind)) {
            true => Next::Bound(method.next_bound(bound).min(most)),
            false => Next::Unwind,
        }
    }

    /// Somebody ended the search.
    fn stop(&mut self, why: Stop) -> Verdict {
        self.stopped = Some(match why {
            Stop::Interrupted | Stop::Time => Stopped::Interrupted,
            Stop::Memory => Stopped::MemoryLimit,
        });
        Verdict::Unknown(why.to_string())
    }

    /// The last bounds can't be decided; those before them count.
    fn give_up(&mut self, why: String) -> Verdict {
        let covered = self.stats.covered.clone();
        self.gave_up = covered.as_ref().map(|_| why.clone());
        covered.map_or(Verdict::Unknown(why), Verdict::Bounded)
    }

    pub(super) fn note(&mut self, bounded: &Bounded, bound: u32) {
        self.stats.passes += 1;
        self.stats.bound = bound;
        self.stats.threads = bounded.threads.len() as u64;
        self.stats.points = bounded.threads.iter().map(|t| u64::from(t.points)).sum();
        self.stats.events = bounded.threads.iter().map(|t| t.events.len() as u64).sum();
    }
}
