//! From a program to a verdict: unfolds, encodes and solves with growing bounds.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use heddle_ir::{FuncId, Program};
use heddle_memory::{Model, ModelVisitor};
use heddle_sat::{Answer, Cadical, Session};
use heddle_semantics::{
    Bounds, Instructions, MemoryModel, Stopped, VACUOUS, Verdict, ViolationKind,
};

use crate::bounded::Bounded;
use crate::encodings::lazy::{Constraint, Encoding, Lazy};
use crate::solve::decode::decode;
use crate::symbolic::Symbolic;
use crate::unfold::constrained::{Constraints, UNUSABLE};
use crate::unfold::objects::Objects;
use crate::unfold::{Limits, UnfoldError, Unfolder};
use crate::watch::{Stop, Watch};

/// Called after each pass.
pub type Progress = Box<dyn Fn(&Stats) + Send + Sync>;

#[derive(Default)]
pub struct Options {
    /// `None`: grow until nothing is cut.
    pub unwind: Option<u32>,
    /// `None`: grow until every interleaving is covered.
    pub rounds: Option<u32>,
    /// Rounds that are not grown beyond.
    pub most_rounds: Option<u32>,
    /// Take unknown integers to be sign-extended from this many bits.
    pub bits: Option<u32>,
    pub interrupt: Arc<AtomicBool>,
    /// In bytes of resident memory.
    pub memory_limit: Option<u64>,
    /// Kinds of violations that do not count.
    pub ignored: Vec<ViolationKind>,
    /// Only runs that keep these. For sequential consistency, and with deadlocks.
    pub constraints: Option<Constraints>,
    pub progress: Option<Progress>,
}

/// The effort of the passes so far, and the size of the last one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    pub passes: u64,
    pub unwind: u32,
    pub rounds: u32,
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
}

pub struct Report {
    pub verdict: Verdict,
    /// Who ended the search, if it did not end by itself; the verdict is unknown then.
    pub stopped: Option<Stopped>,
    pub stats: Stats,
    /// Why bounds were not grown any more, if something kept them from it.
    pub gave_up: Option<String>,
    /// For [`Options::constraints`]: what the events that they speak of are.
    pub instructions: Instructions,
}

/// What one pass with fixed bounds has shown.
enum Outcome {
    Unsafe(Box<heddle_semantics::Failure>),
    /// No violation; was a loop cut at the bound, or after more turns, and what was
    /// reached that has no model?
    Clear {
        cut: bool,
        far: Option<u32>,
        mixed: bool,
        unsupported: Option<String>,
        vacuous: bool,
    },
    Stopped(Stop),
    Wrong(String),
}

struct Engine<'p, 'o, M> {
    program: &'p Program,
    entry: FuncId,
    model: M,
    options: &'o Options,
    stats: Stats,
    watch: Watch,
    stopped: Option<Stopped>,
    gave_up: Option<String>,
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
        let watch = Watch::new(options.interrupt.clone(), options.memory_limit);
        let stats = Stats::default();
        let mut engine = Engine {
            program,
            entry,
            model,
            options,
            stats,
            watch,
            stopped: None,
            gave_up: None,
            instructions: Instructions::default(),
        };
        let verdict = engine.deepen();
        engine.stats.seconds = started.elapsed().as_secs_f64();
        let Engine { stats, stopped, gave_up, instructions, .. } = engine;
        Report { verdict, stopped, stats, gave_up, instructions }
    }
}

const FIRST_UNWIND: u32 = 1;
const FIRST_ROUNDS: u32 = 2;
const MANY_ROUNDS: u32 = 6;

impl<M: MemoryModel> Engine<'_, '_, M> {
    fn counts(&self, kind: ViolationKind) -> bool {
        !self.options.ignored.contains(&kind)
    }

    fn deepen(&mut self) -> Verdict {
        let mut unwind = self.options.unwind.unwrap_or(FIRST_UNWIND);
        let mut rounds = self.options.rounds.unwrap_or(FIRST_ROUNDS);
        loop {
            (self.stats.unwind, self.stats.rounds) = (unwind, rounds);
            let limits = Limits {
                unwind,
                weak: self.model.buffers(),
                everything: self.model.reorders_publication(),
                bits: self.options.bits,
                overflow: self.counts(ViolationKind::SignedOverflow),
            };
            let watch = self.watch.clone();
            let unfolder = Unfolder::new(self.program, self.entry, limits, watch)
                .under(self.options.constraints.clone());
            let begun = Instant::now();
            let unfolded = unfolder.unfold();
            self.stats.encode_seconds += begun.elapsed().as_secs_f64();
            let (bounded, mut symbolic, objects) = match unfolded {
                Ok(unfolded) => unfolded,
                Err(UnfoldError::Stopped(why)) => return self.stop(why),
                Err(error) => return self.give_up(error.to_string()),
            };
            self.instructions = bounded.instructions.clone();
            let needed = self.rounds_needed(&bounded);
            let within = self.options.rounds.unwrap_or(rounds).min(needed);
            self.note(&bounded, unwind, within);
            let outcome = self.pass(&bounded, &mut symbolic, &objects, within);
            if let Some(progress) = &self.options.progress {
                progress(&self.stats);
            }
            let (cut, far, mixed, unsupported, vacuous) = match outcome {
                Outcome::Unsafe(failure) => return Verdict::Unsafe(failure),
                Outcome::Stopped(why) => return self.stop(why),
                Outcome::Wrong(what) => return Verdict::Unknown(what),
                Outcome::Clear { cut, far, mixed, unsupported, vacuous } => {
                    (cut, far, mixed, unsupported, vacuous)
                }
            };
            if let Some(what) = unsupported {
                return Verdict::Unknown(what);
            }
            let all_rounds = within >= needed;
            let bounds = Bounds {
                unwind: if cut { Some(unwind) } else { far },
                rounds: (!all_rounds).then_some(within),
                bits: self.options.bits.filter(|_| bounded.narrowed),
                reuse: bounded.reuse,
                mixed_widths: mixed,
                ..bounded.assumed.clone()
            };
            if vacuous && bounds.unwind.is_none() && bounds.rounds.is_none() {
                let reason = bounded.ends.vacuous(self.program);
                return Verdict::Unknown(reason.unwrap_or_else(|| VACUOUS.to_string()));
            }
            if bounds.is_empty() {
                return Verdict::Safe;
            }
            let grow_unwind = cut && self.options.unwind.is_none();
            let most = self.options.most_rounds.unwrap_or(u32::MAX);
            let grow_rounds = !all_rounds && self.options.rounds.is_none() && rounds < most;
            if !grow_unwind && !grow_rounds {
                return Verdict::Bounded(bounds);
            }
            self.stats.covered = Some(bounds);
            // One bound at a time, so that neither runs away from the other.
            if grow_rounds && (!grow_unwind || rounds <= unwind) {
                // Most violations need few rounds; to cover all, large steps do.
                rounds = if rounds < MANY_ROUNDS { rounds + 1 } else { rounds * 2 };
            } else {
                unwind += 1;
            }
        }
    }

    /// Somebody ended the search.
    fn stop(&mut self, why: Stop) -> Verdict {
        self.stopped = Some(match why {
            Stop::Interrupted => Stopped::Interrupted,
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

    /// Rounds after which every interleaving of the bounded program is covered.
    fn rounds_needed(&self, bounded: &Bounded) -> u32 {
        let points = |thread: &crate::bounded::ThreadCode| thread.points;
        let all: u32 = bounded.threads.iter().map(points).sum();
        let most = bounded.threads.iter().map(points).max().unwrap_or(0);
        // Stores that wait may each need a turn of their own to reach memory.
        let stores: u32 = match self.model.buffers() {
            true => bounded.threads.iter().map(|thread| thread.events.len() as u32).sum(),
            false => 0,
        };
        (2 * (all - most) + 1).min(all).max(1) + stores
    }

    fn note(&mut self, bounded: &Bounded, unwind: u32, rounds: u32) {
        self.stats.passes += 1;
        self.stats.unwind = unwind;
        self.stats.rounds = rounds;
        self.stats.threads = bounded.threads.len() as u64;
        self.stats.points = bounded.threads.iter().map(|t| u64::from(t.points)).sum();
        self.stats.events = bounded.threads.iter().map(|t| t.events.len() as u64).sum();
    }

    fn pass(
        &mut self,
        bounded: &Bounded,
        symbolic: &mut Symbolic,
        objects: &Objects,
        rounds: u32,
    ) -> Outcome {
        let begun = Instant::now();
        let ignored = self.options.ignored.clone();
        let counts = |kind: ViolationKind| !ignored.contains(&kind);
        let model = self.model.clone();
        let (model, counts, watch) = (&model, &counts, &self.watch);
        let mut lazy = Lazy { bounded, objects, symbolic, model, rounds, counts, watch };
        let encoding = match lazy.encode() {
            Ok(encoding) => encoding,
            Err(stop) => return Outcome::Stopped(stop),
        };
        let mut session = Session::new(Cadical::new());
        for constraint in &encoding.constraints {
            if let Err(stop) = self.watch.ask() {
                return Outcome::Stopped(stop);
            }
            match constraint {
                Constraint::Any(any) => session.assert_any(&symbolic.terms, any),
                Constraint::Equal { when, a, b } => {
                    session.assert_equal_if(&symbolic.terms, *when, *a, *b);
                }
            }
        }
        self.stats.encode_seconds += begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        let outcome = self.solve(bounded, symbolic, &encoding, &mut session);
        self.stats.solve_seconds += begun.elapsed().as_secs_f64();
        let size = session.statistics();
        self.stats.variables = size.variables as u64;
        self.stats.clauses = size.clauses;
        self.stats.conflicts += heddle_sat::Solver::statistics(session.solver()).conflicts;
        outcome
    }

    fn solve(
        &self,
        bounded: &Bounded,
        symbolic: &Symbolic,
        encoding: &Encoding,
        session: &mut Session<Cadical>,
    ) -> Outcome {
        let mut watch = || self.watch.ask().is_err();
        let terms = &symbolic.terms;
        let stopped =
            |this: &Self| Outcome::Stopped(this.watch.ask().err().unwrap_or(Stop::Interrupted));
        match session.solve(terms, &[encoding.violation], &mut watch) {
            Answer::Unknown => return stopped(self),
            Answer::Unsat => {}
            Answer::Sat => {
                let mut value = |term| session.value(terms, term);
                let counts = |kind| self.counts(kind);
                let found = decode(
                    self.program,
                    self.entry,
                    self.model.clone(),
                    bounded,
                    &encoding.plan,
                    &mut value,
                    &counts,
                );
                return match found {
                    Ok(failure) => Outcome::Unsafe(Box::new(failure)),
                    Err(error) => Outcome::Wrong(format!(
                        "internal error: a violation of the formula does not replay ({error})"
                    )),
                };
            }
        }
        if terms.as_constant(encoding.held) != Some(0) {
            match session.solve(terms, &[encoding.held], &mut watch) {
                Answer::Unknown => return stopped(self),
                Answer::Unsat => {}
                Answer::Sat => {
                    return Outcome::Wrong(format!("{UNUSABLE} keep a run from going on"));
                }
            }
        }
        let mixed = encoding.mixed;
        let mut cuts = [false; 2];
        for (is_cut, term) in cuts.iter_mut().zip([encoding.cut, encoding.far]) {
            *is_cut = match session.solve(terms, &[term], &mut watch) {
                Answer::Unknown => return stopped(self),
                answer => answer == Answer::Sat,
            };
        }
        let [cut, far] = cuts;
        let far = far.then_some(encoding.far_turns);
        for (reached, what, span) in &encoding.unsupported {
            match session.solve(terms, &[*reached], &mut watch) {
                Answer::Unknown => return stopped(self),
                Answer::Unsat => {}
                Answer::Sat => {
                    let place = self.program.position(*span);
                    let place = place.map_or(String::new(), |place| format!(" at {place}"));
                    let unsupported = Some(format!("unsupported: {what}{place}"));
                    let vacuous = false;
                    return Outcome::Clear { cut, far, mixed, unsupported, vacuous };
                }
            }
        }
        // Bounds may keep every run from its end; then they are what is to be told.
        let mut vacuous = false;
        if let Some(complete) = encoding.complete.filter(|_| !cut && far.is_none()) {
            vacuous = match session.solve(terms, &[complete], &mut watch) {
                Answer::Unknown => return stopped(self),
                answer => answer == Answer::Unsat,
            };
        }
        Outcome::Clear { cut, far, mixed, unsupported: None, vacuous }
    }
}
