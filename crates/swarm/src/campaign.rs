//! A swarm at work: hands instances to a runner, keeps the journal, splits what is not
//! decided, and knows when everything is.
//!
//! Nguyen et al. (ASE 2017; `docs/papers.md`), section II.B and the recursion of section
//! VIII. Deviations:
//! 1. If nobody says how to tile, the whole is asked about first, as a tree. When that turns
//!    out to be hard, half of the workers go on with the tree, which proves, and half with
//!    selections, which find; the size of tiles is found by the first instances' times.
//! 2. Bounds grow when everything within them is decided.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use heddle_semantics::Bounds;
use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::journal::{Done, Journal, JournalError, Outcome, Record};
use crate::plan::{Plan, Sample, Source, parse};
use crate::runner::{Event, RunError, Runner};
use crate::selection::TooMany;
use crate::sizing::Sizing;
use crate::tally::{Conclusion, Shares, Tally};
use crate::task::{Answer, Reply, Task, Why};
use crate::threads::{Depth, Restriction, Thread};
use crate::tree::{Side, Split, split};

/// How long to wait for news.
const POLL: Duration = Duration::from_millis(50);
/// A task on which so many workers have died is given up.
const LIVES: u32 = 3;
/// So many tasks in a row on which all workers die: it is not the tasks.
const ALL_DIE: u32 = 4;
/// How many times longer what can't be split may take.
const MOST_EFFORT: u32 = 64;

#[derive(Debug, thiserror::Error)]
pub enum SwarmError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    TooMany(#[from] TooMany),
    #[error("{0}")]
    Describe(String),
    #[error("the journal speaks of {0}, which is none of its instances")]
    Stray(String),
}

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// `None`: find out.
    pub sample: Option<Sample>,
    /// For selections that are not asked for.
    pub seed: u64,
    pub first: Depth,
    /// For an instance.
    pub seconds: f64,
    /// What is not decided is split.
    pub split: bool,
    /// Violations do not end the search.
    pub keep_going: bool,
}

/// What the swarm knows of programs.
pub struct Hooks<'a> {
    /// The threads of the bounded program.
    pub describe: &'a mut dyn FnMut(Depth) -> Result<Vec<Thread>, String>,
    /// What comes after everything within these bounds.
    pub deepen: &'a dyn Fn(&Bounds, Depth) -> Option<Depth>,
    pub show: &'a mut dyn FnMut(&Tally),
    pub stop: &'a AtomicBool,
}

struct Node {
    id: String,
    plan: usize,
    restriction: Restriction,
    /// Workers that died on it.
    lost: u32,
    /// How many times longer than others it may take.
    effort: u32,
}

/// What an instance took.
#[derive(Clone, Copy, Default)]
struct Cost {
    seconds: f64,
    processor: Option<f64>,
    bytes: u64,
}

/// A plan, and what its instances have shown.
struct Part {
    source: Source,
    shares: Shares,
    /// Nodes that are begun or wait.
    open: u64,
    /// Roots all of whose nodes are decided.
    decided: u64,
    /// Of roots that were split: nodes without an answer, and whether one was given up.
    below: FxHashMap<u64, (u64, bool)>,
}

impl Part {
    fn new(source: Source) -> Part {
        let (shares, below) = (Shares::default(), FxHashMap::default());
        Part { source, shares, open: 0, decided: 0, below }
    }

    /// Which roots are decided now.
    fn count(&mut self, number: u64, is_root: bool, outcome: &Outcome) {
        let (mut open, mut given_up) = match is_root {
            true => (1, false),
            false => self.below.get(&number).copied().unwrap_or((1, false)),
        };
        open -= 1;
        match outcome {
            Outcome::Undecided { split: Some(_), .. } => open += 2,
            Outcome::Undecided { split: None, .. } | Outcome::Wrong(_) => given_up = true,
            Outcome::Unsafe(_) | Outcome::Clear { .. } => {}
        }
        if open > 0 {
            self.below.insert(number, (open, given_up));
        } else {
            self.below.remove(&number);
            self.decided += u64::from(!given_up);
        }
    }
}

pub struct Campaign<'a> {
    journal: &'a mut Journal,
    runner: &'a mut dyn Runner,
    options: &'a Options,
    hooks: Hooks<'a>,
    parts: Vec<Part>,
    threads: FxHashMap<Depth, Rc<Vec<Thread>>>,
    /// The part that has to be decided, and the one that helps to find.
    main: usize,
    helper: Option<usize>,
    sizing: Sizing,
    frontier: Vec<Node>,
    again: VecDeque<Node>,
    running: FxHashMap<String, Node>,
    roots_turn: bool,
    died: u32,
    tally: Tally,
    found: Option<(String, Value)>,
    wrong: Option<String>,
    covered: Option<Bounds>,
}

/// Runs a swarm to its end, from what the journal has already.
pub fn run<'a>(
    (journal, records): (&'a mut Journal, Vec<Record>),
    runner: &'a mut dyn Runner,
    options: &'a Options,
    hooks: Hooks<'a>,
) -> Result<Conclusion, SwarmError> {
    let mut campaign = Campaign {
        journal,
        runner,
        options,
        hooks,
        parts: Vec::new(),
        threads: FxHashMap::default(),
        main: 0,
        helper: None,
        sizing: Sizing::default(),
        frontier: Vec::new(),
        again: VecDeque::new(),
        running: FxHashMap::default(),
        roots_turn: false,
        died: 0,
        tally: Tally::default(),
        found: None,
        wrong: None,
        covered: None,
    };
    let result = campaign.resume(records).and_then(|()| campaign.work());
    campaign.runner.stop();
    result?;
    Ok(campaign.conclude())
}

impl Campaign<'_> {
    fn work(&mut self) -> Result<(), SwarmError> {
        if self.parts.is_empty() {
            self.begin(self.options.first)?;
        }
        loop {
            let found = self.found.is_some() && !self.options.keep_going;
            if found || self.wrong.is_some() || self.hooks.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            if self.is_over()? {
                return Ok(());
            }
            self.dispatch()?;
            for event in self.runner.poll(POLL)? {
                self.hear(event);
            }
            self.journal.commit()?;
            self.tally.running = self.running.len() as u64;
            self.tally.waiting = (self.frontier.len() + self.again.len()) as u64;
            (self.hooks.show)(&self.tally);
        }
    }

    /// What the journal says has been done.
    fn resume(&mut self, records: Vec<Record>) -> Result<(), SwarmError> {
        for record in records {
            match record {
                Record::Plan(plan) => self.add_part(plan)?,
                Record::Jobs(_) => {}
                Record::Done(done) => {
                    let stray = || SwarmError::Stray(done.id.clone());
                    let (plan, number, way) = parse(&done.id).ok_or_else(stray)?;
                    let part = self.parts.get_mut(plan).ok_or_else(stray)?;
                    let node = match way {
                        "" if part.source.answered.contains(number) => return Err(stray()),
                        "" => {
                            part.open += 1;
                            let restriction = part.source.root(number);
                            Node { id: done.id.clone(), plan, restriction, lost: 0, effort: 1 }
                        }
                        _ => {
                            let known = self.frontier.iter().rposition(|it| it.id == done.id);
                            self.frontier.remove(known.ok_or_else(stray)?)
                        }
                    };
                    self.settle(&node, &done);
                }
            }
        }
        Ok(())
    }

    fn begin(&mut self, depth: Depth) -> Result<(), SwarmError> {
        self.add_and_note(Plan { depth, sample: self.options.sample.clone() })
    }

    fn add_and_note(&mut self, plan: Plan) -> Result<(), SwarmError> {
        self.add_part(plan.clone())?;
        self.journal.add(&Record::Plan(plan));
        Ok(self.journal.commit()?)
    }

    fn add_part(&mut self, plan: Plan) -> Result<(), SwarmError> {
        let threads = self.threads(plan.depth)?;
        let helps = plan.sample.is_some() && self.options.sample.is_none();
        let part = Part::new(Source::new(plan, threads)?);
        let of = (!helps).then(|| part.source.count());
        self.parts.push(part);
        let at = self.parts.len() - 1;
        match helps {
            true => self.helper = Some(at),
            false => {
                self.note_covered();
                (self.main, self.helper, self.sizing) = (at, None, Sizing::default());
            }
        }
        if let Some(of) = of {
            self.tally.begin(self.parts[at].source.plan.depth, of);
        }
        Ok(())
    }

    /// A part that is followed by a deeper one was decided.
    fn note_covered(&mut self) {
        if self.parts.len() > 1 {
            self.covered = Some(self.bounds(self.main));
        }
    }

    fn threads(&mut self, depth: Depth) -> Result<Rc<Vec<Thread>>, SwarmError> {
        if let Some(known) = self.threads.get(&depth) {
            return Ok(Rc::clone(known));
        }
        let threads = (self.hooks.describe)(depth).map_err(SwarmError::Describe)?;
        let threads = Rc::new(threads);
        self.threads.insert(depth, Rc::clone(&threads));
        Ok(threads)
    }

    /// What the answers of a part leave out, and its selections.
    fn bounds(&self, at: usize) -> Bounds {
        let Part { source, shares, .. } = &self.parts[at];
        let mut bounds = shares.bounds.clone();
        if let (Some(selections), Some(sample)) = (source.selections(), &source.plan.sample) {
            if selections.limits_preemptions() {
                bounds.switches = Some(sample.tiles);
            }
            if selections.limits_stores() {
                bounds.delays = sample.stores.map(|(_, select)| select);
            }
        }
        bounds
    }

    /// Is there nothing left to ask? If all is decided, bounds grow.
    fn is_over(&mut self) -> Result<bool, SwarmError> {
        let part = &self.parts[self.main];
        if part.open > 0 || part.source.has_more() {
            self.help()?;
            return Ok(false);
        }
        let shares = &part.shares;
        let decided = shares.undecided == 0 && part.source.asks_for_all();
        if !decided || shares.unsupported.is_some() || self.found.is_some() {
            return Ok(true);
        }
        let depth = part.source.plan.depth;
        let next = (self.hooks.deepen)(&self.bounds(self.main), depth);
        let Some(next) = next else { return Ok(true) };
        // What a helper still does is about bounds that are through.
        let helper = self.helper;
        self.again.retain(|node| Some(node.plan) != helper);
        self.begin(next)?;
        Ok(false)
    }

    /// Beside a tree that takes long, selections may be quicker to find something.
    fn help(&mut self) -> Result<(), SwarmError> {
        let Part { source, shares, .. } = &self.parts[self.main];
        if self.options.sample.is_some() || shares.splits == 0 {
            return Ok(());
        }
        let threads = Rc::clone(&source.threads);
        let times = self.helper.map(|at| &self.parts[at].shares.first);
        let size = match (self.helper, times) {
            (Some(helper), Some(times)) => {
                let size = self.parts[helper].source.plan.sample.as_ref().map_or(1, |it| it.size);
                self.sizing.next(size, times, self.options.seconds)
            }
            _ => self.sizing.first(&threads),
        };
        let Some(size) = size else { return Ok(()) };
        let depth = source.plan.depth;
        let sample = Sample {
            tiling: "windows".to_string(),
            size,
            tiles: depth.rounds.max(2),
            stores: None,
            seed: self.options.seed,
            most: None,
        };
        self.add_and_note(Plan { depth, sample: Some(sample) })
    }

    fn dispatch(&mut self) -> Result<(), SwarmError> {
        while self.runner.room() > 0 {
            let Some(node) = self.next_node() else { return Ok(()) };
            let task = Task {
                id: node.id.clone(),
                depth: self.parts[node.plan].source.plan.depth,
                restriction: node.restriction.clone(),
                seconds: self.options.seconds * f64::from(node.effort),
            };
            self.running.insert(node.id.clone(), node);
            self.runner.submit(task)?;
        }
        Ok(())
    }

    /// New roots and what was split, by turns.
    fn next_node(&mut self) -> Option<Node> {
        if let Some(node) = self.again.pop_front() {
            return Some(node);
        }
        self.roots_turn = !self.roots_turn;
        match self.roots_turn {
            true => self.next_root().or_else(|| self.frontier.pop()),
            false => self.frontier.pop().or_else(|| self.next_root()),
        }
    }

    fn next_root(&mut self) -> Option<Node> {
        for at in [Some(self.main), self.helper].into_iter().flatten() {
            let part = &mut self.parts[at];
            if let Some(number) = part.source.begin() {
                part.open += 1;
                let id = part.source.name(at, number);
                let restriction = part.source.root(number);
                return Some(Node { id, plan: at, restriction, lost: 0, effort: 1 });
            }
        }
        None
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Jobs(jobs) => self.journal.add(&Record::Jobs(jobs)),
            Event::Reply(reply) => {
                self.died = 0;
                if let Some(node) = self.running.remove(&reply.id) {
                    self.take(node, reply);
                }
            }
            Event::Late { id, seconds } => {
                if let Some(node) = self.running.remove(&id) {
                    self.undecided(node, Why::Time, Cost { seconds, ..Cost::default() });
                }
            }
            Event::Lost { id, seconds } => {
                let Some(mut node) = self.running.remove(&id) else { return };
                node.lost += 1;
                self.tally.lost += 1;
                if node.lost < LIVES {
                    return self.again.push_back(node);
                }
                self.died += 1;
                if self.died == ALL_DIE {
                    let why = "workers die before they answer, whatever they are asked";
                    self.wrong = Some(why.to_string());
                }
                self.undecided(node, Why::Died, Cost { seconds, ..Cost::default() });
            }
        }
    }

    fn take(&mut self, node: Node, reply: Reply) {
        let Reply { answer, seconds, processor, bytes, first, .. } = reply;
        let cost = Cost { seconds, processor, bytes };
        let outcome = match answer {
            Answer::Unsafe(trace) => Outcome::Unsafe(trace),
            Answer::Clear { bounds, unsupported, complete } => {
                Outcome::Clear { bounds: *bounds, unsupported, complete }
            }
            Answer::Wrong(what) => Outcome::Wrong(what),
            // A worker that was full already is followed by an empty one.
            Answer::Undecided(Why::Memory) if !first => return self.again.push_back(node),
            Answer::Undecided(why) => return self.undecided(node, why, cost),
        };
        self.done(&node, outcome, cost);
    }

    /// Splits a node, or gives it more time if that can't be.
    fn undecided(&mut self, mut node: Node, why: Why, cost: Cost) {
        let helps = Some(node.plan) == self.helper || node.plan != self.main;
        let may_split = self.options.split && !helps;
        let threads = Rc::clone(&self.parts[node.plan].source.threads);
        let at = if may_split { split(&threads, &node.restriction) } else { None };
        if at.is_none() && may_split && why == Why::Time && node.effort < MOST_EFFORT {
            node.effort *= 4;
            return self.again.push_back(node);
        }
        let split = at.map(|Split { thread, span }| (thread, span));
        self.done(&node, Outcome::Undecided { why, split }, cost);
    }

    fn done(&mut self, node: &Node, outcome: Outcome, cost: Cost) {
        let Cost { seconds, processor, bytes } = cost;
        let (id, lost) = (node.id.clone(), node.lost);
        let done = Done { id, seconds, processor, bytes, lost, outcome };
        self.settle(node, &done);
        self.journal.add(&Record::Done(done));
    }

    /// What an answer changes, now or when a journal is read.
    fn settle(&mut self, node: &Node, done: &Done) {
        let part = &mut self.parts[node.plan];
        part.open -= 1;
        if let Some((_, number, way)) = parse(&done.id) {
            if way.is_empty() {
                part.source.answered.insert(number);
            }
            part.count(number, way.is_empty(), &done.outcome);
        }
        part.shares.note(done);
        self.tally.note(done, node.plan == self.main);
        match &done.outcome {
            Outcome::Unsafe(trace) if self.found.is_none() => {
                self.found = Some((done.id.clone(), trace.clone()));
            }
            Outcome::Wrong(what) => self.wrong = Some(what.clone()),
            Outcome::Undecided { split: Some((thread, span)), .. } => {
                part.open += 2;
                let split = Split { thread: *thread, span: *span };
                for side in [Side::Forced, Side::Closed] {
                    self.frontier.push(Node {
                        id: format!("{}{}", done.id, side.letter()),
                        plan: node.plan,
                        restriction: split.child(&node.restriction, side),
                        lost: 0,
                        effort: 1,
                    });
                }
            }
            _ => {}
        }
    }

    fn conclude(self) -> Conclusion {
        let bounds = self.bounds(self.main);
        let Part { source, shares, open, decided, .. } = &self.parts[self.main];
        let through = *open == 0 && !source.has_more() && source.asks_for_all();
        Conclusion {
            decided: through && shares.undecided == 0,
            found: self.found,
            wrong: self.wrong,
            bounds,
            unsupported: shares.unsupported.clone(),
            complete: shares.complete,
            covered: self.covered,
            plan: source.plan.clone(),
            answered: *decided,
            count: source.count(),
            undecided: shares.undecided,
            tally: self.tally,
        }
    }
}
