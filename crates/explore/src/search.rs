//! What all algorithms share: the machine, the current execution, the counters,
//! and what to do at the end of an execution.

use std::sync::atomic::Ordering;
use std::time::Instant;

use heddle_ir::{FuncId, Span};
use heddle_machine::{End, Machine, Pending, Status};
use heddle_semantics::{
    Choice, Event, Failure, Gate, MemoryModel, Race, Schedule, ThreadId, Violation, ViolationKind,
    find_race, find_races, traps_end,
};
use rustc_hash::FxHashSet;

use crate::inputs::Inputs;
use crate::supposition::Wrong;
use crate::trace::Trace;
use crate::{OnRace, Options, Stats};

/// Why a search ended before it was through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// A violation was found and the search was asked to stop at the first.
    Violation,
    /// From outside: time or the user.
    Interrupted,
    MemoryLimit,
    /// A supposition was wrong: start again without it.
    Wrong(Wrong),
    /// States that waited on disk could not be read again.
    Unreadable,
    /// The way to a state was not found again.
    Lost,
    /// The constraints keep a run from going on.
    Held,
    /// Constraints speak of events behind a waiting loop, or in it.
    LostCount,
    /// As many executions as were allowed.
    Budget,
    /// A complete execution without a violation was found.
    Accepted,
    /// As many runs at random as were wanted, or enough of them without news.
    Sampled,
}

/// What was found, for searches that go on after a violation.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Kind and position of each violation.
    pub violations: FxHashSet<(heddle_semantics::ViolationKind, heddle_ir::Span)>,
    /// Digests of the states in which executions ended.
    pub final_states: FxHashSet<u64>,
}

impl Findings {
    /// The bit of a digest that says that all threads have come to their ends.
    const ENDED: u64 = 1 << 63;

    pub fn all_ended(digest: u64) -> bool {
        digest & Findings::ENDED != 0
    }
}

pub struct Search<'p, 'o, M: MemoryModel> {
    pub machine: Machine<'p, M>,
    pub trace: Trace,
    pub choices: Vec<Choice>,
    pub stats: Stats,
    pub failure: Option<Failure>,
    pub findings: Findings,
    pub inputs: Inputs,
    pub sampled_inputs: bool,
    /// Runs with more preemptions than this were not looked at.
    pub cut_switches: Option<u32>,
    /// A violation that did not count, after which the program would have gone on.
    pub ignored: Option<Violation>,
    /// A complete execution without a violation.
    pub accepted: Option<Schedule>,
    pub options: &'o Options,
    /// Steps of the execution with which the process ends.
    violated: Vec<usize>,
    /// Pairs of places whose races were told.
    told_races: FxHashSet<(Span, Span)>,
    /// Another search tells how far it has come.
    helps: bool,
    started: Instant,
    since_check: u32,
}

impl<'p, 'o, M: MemoryModel> Search<'p, 'o, M> {
    pub fn new(machine: Machine<'p, M>, options: &'o Options) -> Self {
        let program = machine.program();
        Search {
            machine,
            trace: Trace::default(),
            choices: Vec::new(),
            stats: Stats::default(),
            failure: None,
            findings: Findings::default(),
            inputs: Inputs::of(program),
            sampled_inputs: false,
            cut_switches: None,
            ignored: None,
            accepted: None,
            options,
            violated: Vec::new(),
            told_races: FxHashSet::default(),
            helps: false,
            started: Instant::now(),
            since_check: 0,
        }
    }

    /// Another search of the same program, from its start.
    pub fn another(&self, entry: FuncId) -> Search<'p, 'o, M> {
        let (program, model) = (self.machine.program(), self.machine.model().clone());
        let config = self.machine.config().clone();
        let machine = Machine::new(program, entry, config, model).expect("it was made before");
        Search { helps: true, ..Search::new(machine, self.options) }
    }

    /// Takes over what another search of the same program has found.
    pub fn take_over(&mut self, other: &mut Search<'p, 'o, M>) {
        self.machine.take_notes(&other.machine);
        self.stats.executions += other.stats.executions;
        self.stats.blocked += other.stats.blocked;
        self.stats.cut += other.stats.cut;
        self.stats.transitions += other.stats.transitions;
        self.failure = self.failure.take().or_else(|| other.failure.take());
        self.findings.violations.extend(other.findings.violations.drain());
        self.findings.final_states.extend(other.findings.final_states.drain());
        self.sampled_inputs |= other.sampled_inputs;
        self.cut_switches = self.cut_switches.max(other.cut_switches);
        self.ignored = self.ignored.take().or_else(|| other.ignored.take());
    }

    pub fn threads(&self) -> impl Iterator<Item = ThreadId> + use<M> {
        (0..self.machine.thread_count() as u32).map(ThreadId)
    }

    /// Violations in what ran before the first step.
    pub fn begin(&mut self) -> Result<(), Halt> {
        self.collect_violations()?;
        self.check_limits()
    }

    /// The thread that waits for an input, and the values to try. Inputs touch
    /// nothing that others see, so they are read as soon as they can be.
    pub fn pending_input(&mut self) -> Option<(ThreadId, Vec<u64>)> {
        // Whoever is in an atomic section is not to be disturbed by another one's input.
        let inside = self.machine.section();
        let (thread, (values, complete)) = inside
            .into_iter()
            .chain(self.threads())
            .find_map(|t| Some((t, self.inputs.values(&self.machine, t)?)))?;
        self.sampled_inputs |= !complete;
        Some((thread, values))
    }

    /// Executes one step.
    pub fn step(&mut self, choice: Choice) -> Result<(), Halt> {
        self.machine.step(choice);
        self.choices.push(choice);
        self.keep_event();
        self.stats.transitions += 1;
        self.stats.max_depth = self.stats.max_depth.max(self.choices.len() as u64);
        if self.machine.has_violations() {
            self.collect_violations()?;
        }
        self.since_check += 1;
        if self.since_check >= 1024 {
            self.check_limits()?;
        }
        Ok(())
    }

    /// Puts the event of the last step into the trace. A part of an atomic section that
    /// comes after an input belongs to the event with which the section began: that one
    /// touches what any part does, as far as it is known, and stays so when the input is
    /// taken back, since another value may lead there, too.
    fn keep_event(&mut self) {
        let mut event = self.machine.last_event().clone();
        let threads = self.machine.thread_count();
        if event.continues {
            let goes_on = |index: &u32| self.trace.event(*index).continues;
            let parts = (0..self.trace.len() as u32).rev().take_while(goes_on).count();
            let mut inputs: Vec<Event> = Vec::with_capacity(parts);
            for _ in 0..parts {
                inputs.push(self.take_last_event());
            }
            let mut whole = self.take_last_event();
            debug_assert_eq!(whole.thread, event.thread, "somebody came between");
            whole.take_over(&mut event);
            self.trace.push(whole, threads);
            inputs.into_iter().rev().for_each(|input| self.trace.push(input, threads));
        }
        self.trace.push(event, threads);
    }

    fn take_last_event(&mut self) -> Event {
        let event = self.trace.event(self.trace.len() as u32 - 1).clone();
        self.trace.pop();
        event
    }

    /// Takes the last step back.
    pub fn undo(&mut self) {
        self.machine.undo();
        self.trace.pop();
        self.choices.pop();
        self.forget_violations();
    }

    /// Of steps that are not part of the execution any more.
    pub fn forget_violations(&mut self) {
        let steps = self.choices.len();
        while self.violated.last().is_some_and(|&at| at >= steps) {
            self.violated.pop();
        }
    }

    /// Takes the last `count` steps back.
    pub fn take_back(&mut self, count: usize) {
        for _ in 0..count {
            self.undo();
        }
    }

    /// Executes steps that are part of another execution, or were part of this
    /// one: they are not counted and what goes wrong in them is not reported. Stops
    /// at one that has to wait; tells how many it executed.
    pub fn repeat(&mut self, choices: &[Choice]) -> usize {
        let mut count = 0;
        for &choice in choices {
            if !self.machine.enabled(choice.thread()) {
                break;
            }
            count += 1;
            self.machine.step(choice);
            self.choices.push(choice);
            self.keep_event();
        }
        self.machine.take_violations();
        count
    }

    /// Does anything speak against the way in which the machine runs?
    pub fn check_supposed(&self) -> Result<(), Halt> {
        if self.machine.smuggled() {
            return Err(Halt::Wrong(Wrong::Smuggled));
        }
        if !self.machine.crowded().is_empty() {
            return Err(Halt::Wrong(Wrong::Crowded(self.machine.crowded().clone())));
        }
        self.machine.undecided().map_or(Ok(()), |bits| Err(Halt::Wrong(Wrong::Undecided(bits))))
    }

    pub fn check_limits(&mut self) -> Result<(), Halt> {
        self.since_check = 0;
        self.check_supposed()?;
        if self.options.interrupt.load(Ordering::Relaxed) {
            return Err(Halt::Interrupted);
        }
        if let Some(limit) = self.options.memory_limit
            && resident_bytes().is_some_and(|bytes| bytes > limit)
        {
            return Err(Halt::MemoryLimit);
        }
        if let Some(progress) = self.options.progress.as_ref().filter(|_| !self.helps) {
            let mut stats = self.stats.clone();
            stats.seconds = self.started.elapsed().as_secs_f64();
            progress(&stats);
        }
        Ok(())
    }

    pub fn collect_violations(&mut self) -> Result<(), Halt> {
        for violation in self.machine.take_violations() {
            self.report(violation)?;
        }
        Ok(())
    }

    pub fn report(&mut self, violation: Violation) -> Result<(), Halt> {
        if violation.kind.ends_process(traps_end(self.machine.program())) {
            self.violated.extend(self.choices.len().checked_sub(1));
        }
        if self.options.ignored.contains(&violation.kind) {
            let over = violation.kind == ViolationKind::Deadlock
                || violation.kind.ends_process(traps_end(self.machine.program()));
            if !over {
                self.ignored.get_or_insert(violation);
            }
            return Ok(());
        }
        self.findings.violations.insert((violation.kind, violation.span));
        if self.failure.is_none() {
            let schedule = self.machine.schedule(self.choices.clone());
            self.failure = Some(Failure { violation, schedule });
        }
        if self.options.keep_going { Ok(()) } else { Err(Halt::Violation) }
    }

    /// Was what the guide supposes true so far?
    pub fn check_guide(&self) -> Result<(), Halt> {
        if self.machine.surprised() {
            return Err(Halt::Wrong(Wrong::Surprised));
        }
        if !self.machine.first_reads().is_empty() {
            return Err(Halt::Wrong(Wrong::FirstReads(self.machine.first_reads().clone())));
        }
        if let Some((function, header)) = self.machine.strayed() {
            return Err(Halt::Wrong(Wrong::Strayed(function, header)));
        }
        if self.machine.sighted() {
            return Err(Halt::Wrong(Wrong::Sighted));
        }
        let common: FxHashSet<u64> = self.machine.common().collect();
        if !common.is_empty() {
            return Err(Halt::Wrong(Wrong::Common(common)));
        }
        match self.machine.noisy() {
            noisy if noisy.is_empty() => Ok(()),
            noisy => Err(Halt::Wrong(Wrong::Noisy(noisy.clone()))),
        }
    }

    /// No thread is enabled: counts the execution and looks for a deadlock.
    pub fn finish(&mut self) -> Result<(), Halt> {
        let events = match self.options.races {
            true => (0..self.trace.len() as u32).map(|at| self.trace.event(at).clone()).collect(),
            false => Vec::new(),
        };
        self.finish_with(events)
    }

    /// The same for a run whose events are not in the trace; they are needed for races only.
    pub fn finish_with(&mut self, events: Vec<Event>) -> Result<(), Halt> {
        self.check_supposed()?;
        self.check_guide()?;
        if self.machine.lost_count() {
            return Err(Halt::LostCount);
        }
        if self.machine.held().is_some() {
            return Err(Halt::Held);
        }
        let end = self.machine.end();
        let ended = end == End::Complete;
        match end {
            End::Complete => self.stats.executions += 1,
            End::Blocked => self.stats.blocked += 1,
            End::Cut => self.stats.cut += 1,
            End::Deadlock(violation) => {
                self.stats.executions += 1;
                self.report(*violation)?;
            }
        }
        if self.options.races {
            self.look_for_races(&events)?;
        }
        if self.options.leaks
            && ended
            && let Some(leak) = self.machine.leak()
        {
            self.report(leak)?;
        }
        if ended && self.options.accept {
            self.accepted = Some(self.machine.schedule(self.choices.clone()));
            return Err(Halt::Accepted);
        }
        let Stats { executions, blocked, cut, .. } = self.stats;
        if self.options.max_executions.is_some_and(|most| executions + blocked + cut >= most) {
            return Err(Halt::Budget);
        }
        self.keep_final_state();
        Ok(())
    }

    /// The execution goes no further, although it could.
    pub fn cut_off(&mut self, events: Vec<Event>) -> Result<(), Halt> {
        self.check_supposed()?;
        self.stats.cut += 1;
        if self.options.races { self.look_for_races(&events) } else { Ok(()) }
    }

    /// Notes the state at the end of an execution, for searches that go on.
    pub fn keep_final_state(&mut self) {
        // Where a waiting loop gave up, the state depends on when it looked.
        let waits = |t| *self.machine.status(t) == Status::Halted(heddle_machine::Halt::Wait);
        if self.options.keep_going && !self.threads().any(waits) {
            let ended = |t| matches!(self.machine.status(t), Status::Finished | Status::Unborn);
            let mark = if self.threads().all(ended) { Findings::ENDED } else { 0 };
            let digest = self.machine.final_state() & !Findings::ENDED;
            self.findings.final_states.insert(digest | mark);
        }
    }

    /// Tells of the races of an execution at places that were not seen to race before.
    fn tell_races(&mut self, events: &[Event], on_race: &OnRace) {
        for race in find_races(events) {
            if self.told_races.contains(&race.spans) {
                continue;
            }
            if let Some(choices) = self.way_to(&race) {
                self.told_races.insert(race.spans);
                let violation = race.violation(self.machine.program(), events);
                on_race(Failure { violation, schedule: self.machine.schedule(choices) });
            }
        }
    }

    /// The steps that lead to a race. None if something went wrong on all ways there: then the
    /// process has ended before.
    fn way_to(&self, race: &Race) -> Option<Vec<Choice>> {
        let (first, second) = (race.first as u32, race.second as u32);
        let wrong = || self.violated.iter().filter(|&&at| at < race.second);
        if wrong().next().is_none() {
            return Some(self.choices[..=race.second].to_vec());
        }
        // Of runs at random the order of events is not kept; others will show it.
        if self.trace.len() <= race.second {
            return None;
        }
        let needed = |at: u32| {
            at == first
                || at == second
                || self.trace.before(at, first)
                || self.trace.before(at, second)
        };
        if wrong().any(|&at| needed(at as u32)) {
            return None;
        }
        Some((0..=second).filter(|&at| needed(at)).map(|at| self.choices[at as usize]).collect())
    }

    /// Races of the finished execution. The schedule ends with the second access.
    fn look_for_races(&mut self, events: &[Event]) -> Result<(), Halt> {
        if let Some(on_race) = &self.options.on_race {
            self.tell_races(events, on_race);
            return Ok(());
        }
        let first = match self.violated.is_empty() {
            true => find_race(events).map(|race| (self.choices[..=race.second].to_vec(), race)),
            false => {
                let races = find_races(events).into_iter();
                races.into_iter().find_map(|race| Some((self.way_to(&race)?, race)))
            }
        };
        let Some((choices, race)) = first else { return Ok(()) };
        let violation = race.violation(self.machine.program(), events);
        let all = std::mem::replace(&mut self.choices, choices);
        let result = self.report(violation);
        self.choices = all;
        result
    }

    /// Threads that wait at a gate which is not open.
    pub fn blocked(&self) -> Vec<(ThreadId, u64, Gate)> {
        self.threads()
            .filter_map(|thread| match self.machine.status(thread) {
                Status::Waiting(Pending::Gate { addr, gate }) => {
                    let waits = !self.machine.enabled(thread);
                    waits.then_some((thread, *addr, *gate))
                }
                _ => None,
            })
            .collect()
    }
}

/// Memory this process has in use, where the system tells.
pub fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// The most memory this process ever had in use.
pub fn peak_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}
