//! Instances: runs of one bounded program that are preempted only at some of its points.
//!
//! Nguyen, Schrammel, Fischer, La Torre and Parlato, "Parallel Bug-Finding in Concurrent
//! Programs via Reduced Interleaving Instances" (ASE 2017; `docs/papers.md`). An instance
//! is a restriction of one formula, by assumptions: the unfolding, the formula and what the
//! solver has learned stay from instance to instance.
//!
//! A thread may always be left where it may have to wait, at its start and at its end, as
//! section II.A of the paper demands (V.A forgets it). A preemption needs somebody who moves
//! afterwards, so the thread that fails may stand anywhere. Under TSO and PSO a restriction
//! may also say which stores reach memory at once.

use std::ops::Range;
use std::time::{Duration, Instant};

use heddle_ir::{FuncId, Op, Program};
use heddle_memory::{Model, ModelVisitor};
use heddle_sat::Term;
use heddle_semantics::{Bounds, Failure, MemoryModel, ViolationKind};
use rustc_hash::FxHashMap;

use crate::bounded::{Bounded, Site, ThreadCode};
use crate::encodings::{Formula, Question, Run, Stores, Switches};
use crate::solve::engine::{Options, Stats};
use crate::solve::method::Method;
use crate::solve::session::{Outcome, Pass};
use crate::unfold::{Limits, UnfoldError, Unfolder};
use crate::watch::{Stop, Watch};

const METHOD: Method = Method::Lazy;

/// What is the same in all instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed {
    pub unwind: u32,
    pub rounds: u32,
}

/// Which runs an instance has. Threads beyond the end of a list are not restricted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Restriction {
    /// Thread, points before which it is not preempted, unless it may wait there.
    pub closed: Vec<Vec<Range<u32>>>,
    /// Thread, points before some of which it is preempted, though it does not wait there.
    pub forced: Vec<Vec<Range<u32>>>,
    /// Thread, stores that reach memory at once.
    pub prompt: Vec<Vec<Range<u32>>>,
}

/// Points or stores of threads, as pairs of where they begin and end.
pub type Spans = [Vec<(u32, u32)>];

impl Restriction {
    pub fn from_spans(closed: &Spans, forced: &Spans, prompt: &Spans) -> Restriction {
        let ranges = |spans: &Vec<(u32, u32)>| spans.iter().map(|&(from, to)| from..to).collect();
        let [closed, forced, prompt] =
            [closed, forced, prompt].map(|threads| threads.iter().map(ranges).collect());
        Restriction { closed, forced, prompt }
    }
}

/// What is known of a thread of the bounded program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadPlaces {
    pub name: String,
    pub points: Vec<PointPlace>,
    /// Stores that may wait, by the points at which they are made.
    pub stores: Vec<u32>,
}

/// Where a point comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointPlace {
    pub function: String,
    pub file: String,
    pub line: u32,
    /// The thread may have to wait there, so it can always be left there.
    pub waits: bool,
    /// How many operations on locks and the like the thread has come past.
    pub region: u32,
}

/// What an instance has shown.
#[derive(Debug)]
pub enum Answer {
    Unsafe(Box<Failure>),
    /// No violation in it. `unsupported` is something without a model that a run came to;
    /// `complete`: some run has an end, or nothing could keep it from that.
    Clear {
        bounds: Bounds,
        unsupported: Option<String>,
        complete: bool,
    },
    /// Time or memory did not suffice.
    Undecided(Stop),
    /// An internal error.
    Wrong(String),
}

/// A bounded program whose instances can be asked about, one after another.
pub trait Instances {
    fn threads(&self) -> &[ThreadPlaces];
    fn ask(&mut self, restriction: &Restriction, time: Option<Duration>) -> Answer;
    fn stats(&self) -> &Stats;
}

/// Unfolds and encodes a program, and hands it to whoever asks about instances.
pub fn with_instances<W, R>(
    program: &Program,
    entry: FuncId,
    model: Model,
    (options, fixed): (&Options, Fixed),
    work: W,
) -> Result<R, UnfoldError>
where
    W: FnOnce(&mut dyn Instances) -> R,
{
    model.with(Opener { program, entry, options, fixed, work })
}

/// What is known of the threads of a program whose loops are cut there.
pub fn thread_places(
    program: &Program,
    entry: FuncId,
    model: Model,
    (options, unwind): (&Options, u32),
) -> Result<Vec<ThreadPlaces>, UnfoldError> {
    model.with(Looker { program, entry, options, unwind })
}

struct Looker<'a> {
    program: &'a Program,
    entry: FuncId,
    options: &'a Options,
    unwind: u32,
}

impl ModelVisitor for Looker<'_> {
    type Output = Result<Vec<ThreadPlaces>, UnfoldError>;

    fn visit<M: MemoryModel>(self, model: M) -> Self::Output {
        let Looker { program, entry, options, unwind } = self;
        let limits = limits(&model, options, unwind);
        let watch = Watch::new(options.interrupt.clone(), options.memory_limit);
        let unfolder = Unfolder::new(program, entry, limits, watch.clone());
        let (bounded, symbolic, objects) = unfolder.unfold()?;
        let formula = Formula::new(&bounded, &objects, symbolic, model, &watch)
            .map_err(UnfoldError::Stopped)?;
        Ok(places(program, &bounded, &formula.stores))
    }
}

fn limits<M: MemoryModel>(model: &M, options: &Options, unwind: u32) -> Limits {
    Limits {
        unwind,
        weak: model.buffers(),
        everything: model.reorders_publication(),
        bits: options.bits,
        overflow: !options.ignored.contains(&ViolationKind::SignedOverflow),
    }
}

struct Opener<'a, W> {
    program: &'a Program,
    entry: FuncId,
    options: &'a Options,
    fixed: Fixed,
    work: W,
}

impl<W, R> ModelVisitor for Opener<'_, W>
where
    W: FnOnce(&mut dyn Instances) -> R,
{
    type Output = Result<R, UnfoldError>;

    fn visit<M: MemoryModel>(self, model: M) -> Self::Output {
        let Opener { program, entry, options, fixed, work } = self;
        let counts = |kind: ViolationKind| !options.ignored.contains(&kind);
        let limits = limits(&model, options, fixed.unwind);
        let watch = Watch::new(options.interrupt.clone(), options.memory_limit);
        let begun = Instant::now();
        let unfolder = Unfolder::new(program, entry, limits, watch.clone());
        let (bounded, symbolic, objects) = unfolder.unfold()?;
        let stopped = UnfoldError::Stopped;
        let mut pass = Formula::new(&bounded, &objects, symbolic, model, &watch)
            .and_then(|formula| Pass::new((program, entry), formula, METHOD, &counts))
            .map_err(stopped)?;
        let bound = fixed.rounds.min(pass.encoding.enough(&pass.formula)).max(1);
        let (run, question) = pass.extend(bound).map_err(stopped)?;
        let switches = pass.encoding.switches(&mut pass.formula);
        let switches = switches.expect("turns tell who is preempted");
        let size = pass.session.statistics();
        let stats = Stats {
            unwind: fixed.unwind,
            method: METHOD,
            bound,
            threads: bounded.threads.len() as u64,
            points: bounded.threads.iter().map(|thread| u64::from(thread.points)).sum(),
            events: bounded.threads.iter().map(|thread| thread.events.len() as u64).sum(),
            variables: size.variables as u64,
            clauses: size.clauses,
            encode_seconds: begun.elapsed().as_secs_f64(),
            ..Stats::default()
        };
        let mut instances = Restricted {
            threads: places(program, &bounded, &pass.formula.stores),
            all: bound >= pass.encoding.enough(&pass.formula),
            bounded: &bounded,
            options,
            pass,
            run,
            question,
            switches,
            literals: FxHashMap::default(),
            seen: Seen::default(),
            stats,
        };
        Ok(work(&mut instances))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Closed,
    Forced,
    Prompt,
}

/// What some instance has shown, which need not be asked again.
#[derive(Default)]
struct Seen {
    cut: bool,
    far: bool,
    complete: bool,
}

struct Restricted<'a, M: MemoryModel> {
    threads: Vec<ThreadPlaces>,
    /// The rounds cover every interleaving.
    all: bool,
    bounded: &'a Bounded,
    options: &'a Options,
    pass: Pass<'a, M>,
    run: Run,
    question: Question,
    switches: Switches,
    /// What was assumed before, by truths that imply it.
    literals: FxHashMap<(Kind, usize, Range<u32>), Term>,
    seen: Seen,
    stats: Stats,
}

impl<M: MemoryModel> Instances for Restricted<'_, M> {
    fn threads(&self) -> &[ThreadPlaces] {
        &self.threads
    }

    fn ask(&mut self, restriction: &Restriction, time: Option<Duration>) -> Answer {
        let begun = Instant::now();
        self.pass.watch.until(time.map(|time| begun + time));
        self.stats.passes += 1;
        let answer = match self.restrict(restriction) {
            Ok(()) => self.decide().unwrap_or_else(Answer::Undecided),
            Err(stop) => Answer::Undecided(stop),
        };
        self.run.within.clear();
        self.pass.watch.until(None);
        self.stats.solve_seconds += begun.elapsed().as_secs_f64();
        answer
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }
}

impl<M: MemoryModel> Restricted<'_, M> {
    /// Assumes the restriction in what is asked next.
    fn restrict(&mut self, restriction: &Restriction) -> Result<(), Stop> {
        let Restriction { closed, forced, prompt } = restriction;
        let kinds = [(Kind::Closed, closed), (Kind::Forced, forced), (Kind::Prompt, prompt)];
        for (kind, threads) in kinds {
            for (thread, ranges) in threads.iter().enumerate().take(self.threads.len()) {
                for range in ranges {
                    let literal = self.literal(kind, thread, range.clone());
                    self.run.within.push(literal);
                }
            }
        }
        self.pass.hand_over()
    }

    fn literal(&mut self, kind: Kind, thread: usize, range: Range<u32>) -> Term {
        let key = (kind, thread, range.clone());
        if let Some(&literal) = self.literals.get(&key) {
            return literal;
        }
        let literal = self.pass.formula.truth();
        let waits = |at: usize| kind != Kind::Prompt && self.threads[thread].points[at].waits;
        let places = match kind {
            Kind::Closed | Kind::Forced => self.switches.preempted[thread].len(),
            Kind::Prompt => self.switches.delayed[thread].len(),
        };
        let within = (range.start as usize)..(range.end as usize).min(places);
        let those: Vec<usize> = within.filter(|&at| !waits(at)).collect();
        let formula = &mut self.pass.formula;
        match kind {
            Kind::Closed => {
                let from = self.in_one_go(thread, &range);
                those.iter().for_each(|&at| self.close(literal, thread, (at, at >= from)));
            }
            Kind::Forced => {
                let some: Vec<Term> =
                    those.iter().map(|&at| self.switches.preempted[thread][at]).collect();
                formula.imply_any(literal, &some);
            }
            Kind::Prompt => {
                for at in those {
                    let prompt = formula.not(self.switches.delayed[thread][at]);
                    formula.imply(literal, prompt);
                }
            }
        }
        self.literals.insert(key, literal);
        literal
    }

    /// The thread is not preempted at this point: if it stands there at the end of a turn, nobody
    /// moves before its next turn, in which the same holds again. That is one clause for a turn,
    /// from which a solver sees at once what can't be; of "who is the next to move" it sees
    /// nothing before it has chosen who moves. If `never`, it does not even stand there.
    fn close(&mut self, literal: Term, thread: usize, (at, never): (usize, bool)) {
        let formula = &mut self.pass.formula;
        let turns = self.switches.stands[thread][at].iter().zip(&self.switches.idle[thread]);
        for (stands, &idle) in turns {
            let Some((before, passed)) = *stands else { continue };
            let not_yet = formula.not(before);
            match never {
                true => formula.imply_any(literal, &[not_yet, passed]),
                false => formula.imply_any(literal, &[not_yet, passed, idle]),
            }
        }
    }

    /// The point in a closed range from which on the thread goes to the end of the range (or to
    /// where it may wait) in one turn, without loss.
    ///
    /// If nobody moves between two turns of a thread, they are one, unless stores reach memory
    /// between them: so only where none waits. And if nobody moves afterwards, the thread can
    /// just as well go on, since whatever is asked of a run remains true when it does (what has
    /// failed or ended has nothing to do at later points). What keeps it from going on is a wait,
    /// which is never closed; a choice of the environment that must satisfy something; or a value
    /// that does not fit into the bits that are looked at.
    fn in_one_go(&self, thread: usize, range: &Range<u32>) -> usize {
        if self.pass.formula.model.buffers() || self.bounded.narrowed {
            return range.end as usize;
        }
        let required = self.bounded.threads[thread].requires.iter().map(|it| it.point);
        let last = required.filter(|point| range.contains(point)).max();
        last.map_or(range.start, |point| point + 1) as usize
    }

    fn decide(&mut self) -> Result<Answer, Stop> {
        let Restricted { pass, run, question, seen, .. } = self;
        if pass.exists(run, question.violation)? {
            return Ok(match pass.replay(run) {
                Outcome::Unsafe(failure) => Answer::Unsafe(failure),
                Outcome::Wrong(what) => Answer::Wrong(what),
                Outcome::Clear(_) | Outcome::Stopped(_) => unreachable!("a model was replayed"),
            });
        }
        seen.cut = seen.cut || pass.exists(run, question.cut)?;
        seen.far = seen.far || pass.exists(run, question.far)?;
        let mut unsupported = None;
        for (reached, what, span) in &question.unsupported {
            if unsupported.is_none() && pass.exists(run, *reached)? {
                let place = pass.program.position(*span).unwrap_or_default();
                unsupported = Some(format!("unsupported: {what} at {place}"));
            }
        }
        seen.complete = seen.complete
            || match question.complete {
                Some(complete) => pass.exists(run, complete)?,
                None => true,
            };
        let complete = seen.complete;
        Ok(Answer::Clear { bounds: self.bounds(), unsupported, complete })
    }

    /// What keeps this from being all runs, apart from the restriction.
    fn bounds(&self) -> Bounds {
        let far = self.seen.far.then_some(self.question.far_turns);
        let mut bounds = Bounds {
            unwind: if self.seen.cut { Some(self.stats.unwind) } else { far },
            bits: self.options.bits.filter(|_| self.bounded.narrowed),
            reuse: self.bounded.reuse,
            mixed_widths: self.pass.formula.stores.iter().any(Stores::are_mixed),
            ..self.bounded.assumed.clone()
        };
        if !self.all {
            METHOD.limit(&mut bounds, self.stats.bound);
        }
        bounds
    }
}

pub(crate) fn places(program: &Program, bounded: &Bounded, stores: &[Stores]) -> Vec<ThreadPlaces> {
    let all = bounded.threads.iter().zip(stores);
    let places = all.map(|(thread, stores)| ThreadPlaces {
        name: program.function(thread.entry).display_name().to_string(),
        points: points(program, thread),
        stores: stores.all.iter().map(|store| store.point).collect(),
    });
    places.collect()
}

fn points(program: &Program, thread: &ThreadCode) -> Vec<PointPlace> {
    let mut points = vec![PointPlace::default(); thread.points as usize];
    for wait in &thread.waits {
        points[wait.point as usize].waits = true;
    }
    let mut sites: Vec<Option<Site>> = vec![None; points.len()];
    for event in &thread.events {
        sites[event.point as usize].get_or_insert(event.site);
    }
    let mut region = 0;
    let mut last = PointPlace::default();
    for (point, site) in points.iter_mut().zip(sites) {
        if let Some(site) = site {
            let function = program.function(FuncId(site.function));
            last.function = function.display_name().to_string();
            let block = function.blocks.get(site.block as usize);
            let inst = block.and_then(|block| block.insts.get(site.pc as usize));
            if let Some(inst) = inst {
                region += u32::from(matches!(inst.op, Op::Call { .. }));
                let file = program.files.get(inst.span.file as usize);
                last.file = file.map_or(String::new(), |file| file.path.clone());
                last.line = inst.span.line;
            }
        }
        let waits = point.waits;
        *point = PointPlace { waits, region, ..last.clone() };
    }
    points
}
