//! From a model of the formula to a schedule of the interpreter.
//!
//! The model says in which order the threads pass their points. The interpreter is
//! driven in that order and stops at the first violation; its schedule is the
//! evidence. What the interpreter takes for a visible step and what the unfolding
//! took for a shared access need not be the same: accesses that only the
//! interpreter takes for visible commute with everything, and are made when the
//! thread comes to them.

use std::sync::Arc;

use heddle_ir::{FuncId, Op, Program};
use heddle_machine::{Config, End, Halt, Machine, Pending, Status};
use heddle_sat::Term;
use heddle_semantics::{Choice, Failure, MemoryModel, ThreadId, ThreadPath, ViolationKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bounded::{Action, Bounded, Note, Site};
use crate::encodings::{Run, Stores};

/// Why a model does not lead to a violation in the interpreter. A bug of Heddle's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("the program cannot be started: {0}")]
    Setup(String),
    #[error("thread {thread} of the model cannot take its step {step}")]
    Stuck { thread: u32, step: usize },
    #[error("thread {0} of the model does not exist")]
    NoThread(u32),
    #[error("the run of the model ends without a violation")]
    NoViolation,
}

/// Steps of a thread beyond what the model says.
const MOST_REPEATED: usize = 64;

/// The model's values.
pub type Values<'a> = &'a mut dyn FnMut(Term) -> u64;

/// What happens in the order of the model.
enum Item {
    /// The thread has done what this note says.
    Reach(u32, usize),
    /// The store of this note is in memory.
    Flush(u32, usize),
}

/// What a model says about one thread.
#[derive(Clone, Default)]
struct Script {
    /// Notes of the run, as indices.
    notes: Vec<usize>,
    /// The next note, as an index of `notes`.
    cursor: usize,
    /// Of what is asked for where it makes an object, so much is answered.
    answered: usize,
    machine: Option<ThreadId>,
    /// Numbers of stores in the machine by their notes, and how many of its stores
    /// and of the notes have been compared.
    numbers: FxHashMap<usize, u32>,
    stores: u32,
    compared: usize,
}

/// For each object, what its cells hold that nobody has written to: offset, bytes and value.
type Blanks = FxHashMap<u32, Vec<(u32, u32, u64)>>;

struct Driver<'a, 'p, M: MemoryModel> {
    bounded: &'a Bounded,
    machine: Machine<'p, M>,
    scripts: Vec<Script>,
    choices: Vec<Choice>,
    /// Who waits in a loop after a turn in vain.
    waiting: Vec<ThreadId>,
    /// Each actor's choices, but for turns in vain, which are left out in the end.
    own: FxHashMap<ThreadId, Vec<usize>>,
    vain: FxHashSet<usize>,
    /// Values that notes load or read as input.
    loads: &'a [FxHashMap<usize, u64>],
    blanks: &'a Blanks,
    counts: &'a dyn Fn(ViolationKind) -> bool,
}

/// What is driven where: a model of the runs of a bounded program, in the interpreter.
pub(super) fn decode<M: MemoryModel>(
    (program, entry, model): (&Program, FuncId, M),
    (bounded, stores, run): (&Bounded, &[Stores], &Run),
    value: Values<'_>,
    counts: &dyn Fn(ViolationKind) -> bool,
) -> Result<Failure, DecodeError> {
    let items = items(bounded, stores, run, value);
    let mut scripts = Vec::new();
    let mut loads = Vec::new();
    for thread in &bounded.threads {
        let is_run = |note: &usize| thread.notes[*note].guard;
        let notes: Vec<usize> =
            (0..thread.notes.len()).filter(|note| value(is_run(note)) != 0).collect();
        let read: FxHashMap<usize, u64> = notes
            .iter()
            .filter_map(|&note| thread.notes[note].value.map(|term| (note, value(term))))
            .collect();
        scripts.push(Script { notes, ..Script::default() });
        loads.push(read);
    }
    let children: Vec<Vec<u32>> = bounded
        .threads
        .iter()
        .map(|thread| {
            let born = thread.children.iter().filter(|child| value(child.1) != 0);
            born.map(|child| child.0).collect()
        })
        .collect();
    let mut blanks = Blanks::default();
    for &(cell, bytes, term) in &bounded.unwritten {
        blanks.entry(cell.object).or_default().push((cell.offset, bytes, value(term)));
    }
    scripts[0].machine = Some(ThreadId::MAIN);
    let mut config = Config {
        overflow: counts(ViolationKind::SignedOverflow),
        count_visits: true,
        ..Config::default()
    };
    loop {
        let machine = Machine::new(program, entry, config.clone(), model.clone())
            .map_err(|error| DecodeError::Setup(error.to_string()))?;
        let (scripts, choices) = (scripts.clone(), Vec::new());
        let (loads, blanks) = (&loads, &blanks);
        let (waiting, own, vain) = (Vec::new(), FxHashMap::default(), FxHashSet::default());
        let mut driver = Driver {
            bounded,
            machine,
            scripts,
            choices,
            waiting,
            own,
            vain,
            loads,
            blanks,
            counts,
        };
        let followed = driver.follow(&items, &children);
        // Where the run depends on what was never written, it asks for the model's value.
        if !driver.failed()
            && let Some(bits) = driver.machine.undecided()
            && Arc::make_mut(&mut config.unwritten).insert(bits)
        {
            continue;
        }
        return match followed {
            Err(error) if !driver.failed() => Err(error),
            _ => driver.failure(),
        };
    }
}

/// Is it a load, a store or an update? These have one note each time they are executed,
/// whoever sees what they touch.
fn is_access(program: &Program, site: Site) -> bool {
    let block = &program.functions[site.function as usize].blocks[site.block as usize];
    let op = block.insts.get(site.pc as usize).map(|inst| &inst.op);
    matches!(op, Some(Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::CmpXchg { .. }))
}

/// The order of the model.
fn items(bounded: &Bounded, stores: &[Stores], run: &Run, value: Values<'_>) -> Vec<Item> {
    let mut timed: Vec<(u64, Item)> = Vec::new();
    for (at, thread) in bounded.threads.iter().enumerate() {
        for (index, note) in thread.notes.iter().enumerate() {
            if value(note.guard) == 0 || note.events.is_empty() {
                continue;
            }
            let point = thread.events[note.events.start as usize].point as usize;
            if value(run.passed[at][point]) == 0 {
                continue;
            }
            let time = run.timeline.points[at][point].time(value);
            timed.push((time, Item::Reach(at as u32, index)));
            let store = note.events.clone().find_map(|event| stores[at].of.get(&event));
            if let Some(&store) = store
                && value(run.arrived[at][store]) != 0
            {
                let arrival = run.timeline.arrivals[at][store].time(value).max(time);
                timed.push((arrival, Item::Flush(at as u32, index)));
            }
        }
    }
    // What was at the same time stays as it was put in: by thread, then by program order.
    timed.sort_by_key(|&(time, _)| time);
    timed.into_iter().map(|(_, item)| item).collect()
}

impl<M: MemoryModel> Driver<'_, '_, M> {
    fn failed(&self) -> bool {
        self.machine.has_violations()
    }

    fn follow(&mut self, items: &[Item], children: &[Vec<u32>]) -> Result<(), DecodeError> {
        for item in items {
            if self.failed() {
                return Ok(());
            }
            match *item {
                Item::Reach(thread, note) => {
                    self.find_thread(thread, children)?;
                    self.reach(thread, note)?;
                }
                Item::Flush(thread, note) => {
                    self.find_thread(thread, children)?;
                    self.flush(thread, note);
                }
            }
        }
        let reached: FxHashSet<(u32, usize)> = items
            .iter()
            .filter_map(|item| match *item {
                Item::Reach(thread, note) => Some((thread, note)),
                Item::Flush(..) => None,
            })
            .collect();
        for thread in 0..self.scripts.len() as u32 {
            if self.find_thread(thread, children).is_ok() {
                self.run_on(thread, &reached)?;
                if !self.failed() {
                    self.flush_private(thread);
                }
            }
        }
        for thread in 0..self.scripts.len() as u32 {
            if self.scripts[thread as usize].machine.is_some() {
                self.repeat(thread);
            }
        }
        Ok(())
    }

    /// A thread that waits in a loop may have to go round once more until the
    /// interpreter sees that nothing changes.
    fn repeat(&mut self, thread: u32) {
        let id = self.id(thread);
        for _ in 0..MOST_REPEATED {
            let over = self.machine.pending(id).is_none() || self.locate(thread).is_some();
            if over || self.failed() || !self.machine.enabled(id) || self.wants_input(thread) {
                return;
            }
            self.take(Choice::Step(id));
        }
    }

    /// Takes the steps of a thread that the model does not speak of, up to the first
    /// one that it does not take.
    fn run_on(
        &mut self,
        thread: u32,
        reached: &FxHashSet<(u32, usize)>,
    ) -> Result<(), DecodeError> {
        while !self.failed()
            && let Some(at) = self.locate(thread)
        {
            let note = self.scripts[thread as usize].notes[at];
            let shared = !self.bounded.threads[thread as usize].notes[note].events.is_empty();
            if shared && !reached.contains(&(thread, note)) {
                break;
            }
            if self.stands_later(thread, at) {
                self.scripts[thread as usize].cursor = at + 1;
                continue;
            }
            if !self.machine.enabled(self.id(thread)) {
                break;
            }
            self.step(thread)?;
        }
        Ok(())
    }

    fn failure(mut self) -> Result<Failure, DecodeError> {
        let counts = self.counts;
        let mut violations = self.machine.take_violations();
        violations.retain(|violation| counts(violation.kind));
        let violation = match violations.into_iter().next() {
            Some(violation) => violation,
            None => {
                let threads = self.machine.thread_count() as u32;
                let stuck = (0..threads).all(|t| !self.machine.enabled(ThreadId(t)));
                match self.machine.end() {
                    End::Deadlock(violation) if stuck => *violation,
                    _ => return Err(DecodeError::NoViolation),
                }
            }
        };
        let choices = self.choices.iter().enumerate();
        let kept = choices.filter(|(at, _)| !self.vain.contains(at)).map(|(_, choice)| *choice);
        let kept = kept.collect();
        Ok(Failure { violation, schedule: self.machine.schedule(kept) })
    }

    /// The interpreter's thread: the n-th child of its parent.
    fn find_thread(&mut self, thread: u32, children: &[Vec<u32>]) -> Result<(), DecodeError> {
        if self.scripts[thread as usize].machine.is_some() {
            return Ok(());
        }
        let parent = self.bounded.threads[thread as usize].parent;
        self.find_thread(parent, children)?;
        let siblings = &children[parent as usize];
        let nth = siblings.iter().position(|&child| child == thread);
        let (Some(nth), Some(parent)) = (nth, self.scripts[parent as usize].machine) else {
            return Err(DecodeError::NoThread(thread));
        };
        let path = ThreadPath { parent, nth: nth as u32, queue: false };
        let known = self.machine.thread_paths().iter().position(|&other| other == path);
        let Some(at) = known else { return Err(DecodeError::NoThread(thread)) };
        self.scripts[thread as usize].machine = Some(ThreadId(at as u32 + 1));
        Ok(())
    }

    fn id(&self, thread: u32) -> ThreadId {
        self.scripts[thread as usize].machine.unwrap_or(ThreadId::MAIN)
    }

    fn wants_input(&self, thread: u32) -> bool {
        matches!(self.machine.pending(self.id(thread)), Some(Pending::Input(_)))
    }

    /// Does it ask for the value of something that was never written?
    fn asks_for_unwritten(&self, thread: u32) -> bool {
        let pending = self.machine.pending(self.id(thread));
        matches!(pending, Some(Pending::Input(kind)) if kind.uninitialised)
    }

    /// The note of what the thread stands before, as an index of its script. `None`:
    /// it is past everything that the script has.
    fn locate(&self, thread: u32) -> Option<usize> {
        let id = self.id(thread);
        self.machine.pending(id)?;
        let (function, block, pc) = self.machine.stands_at(id)?;
        let here = Site { function: function.0, block, pc };
        let script = &self.scripts[thread as usize];
        let notes = &self.bounded.threads[thread as usize].notes;
        if is_access(self.machine.program(), here) {
            let visits = self.machine.visits(id, here) as usize;
            let mut same =
                (0..script.notes.len()).filter(|&at| notes[script.notes[at]].site == here);
            return same.nth(visits);
        }
        let asks = self.asks_for_unwritten(thread);
        let fits = |note: &Note| note.site == here && (asks || note.makes.is_none());
        (script.cursor..script.notes.len()).find(|&at| fits(&notes[script.notes[at]]))
    }

    /// Steps the thread until it has done what the note says.
    fn reach(&mut self, thread: u32, note: usize) -> Result<(), DecodeError> {
        let script = &self.scripts[thread as usize];
        let Ok(wanted) = script.notes.binary_search(&note) else { return Ok(()) };
        loop {
            if self.failed() {
                return Ok(());
            }
            match self.locate(thread) {
                Some(at) if at <= wanted => {
                    if self.stands_later(thread, at) {
                        self.scripts[thread as usize].cursor = at + 1;
                        continue;
                    }
                    self.step(thread)?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// While it is alone, a thread does things that are no steps. If it cannot move
    /// here, and comes here again later, it is there already.
    fn stands_later(&mut self, thread: u32, at: usize) -> bool {
        if !self.machine.enabled(self.id(thread)) {
            self.flush_private(thread);
        }
        let script = &self.scripts[thread as usize];
        let notes = &self.bounded.threads[thread as usize].notes;
        let here = notes[script.notes[at]].site;
        !self.machine.enabled(self.id(thread))
            && script.notes[at + 1..].iter().any(|&note| notes[note].site == here)
    }

    fn step(&mut self, thread: u32) -> Result<(), DecodeError> {
        let id = self.id(thread);
        let at = self.locate(thread);
        let step = self.choices.len();
        if !self.machine.enabled(id) {
            self.flush_private(thread);
            self.make_way(thread);
        }
        // A store that reaches memory may find it gone.
        if self.failed() {
            return Ok(());
        }
        if !self.machine.enabled(id) {
            return Err(DecodeError::Stuck { thread, step });
        }
        let drains = self.only_drains(id);
        let site = self.machine.stands_at(id);
        let progress = self.machine.progress(id);
        let choice = match self.wants_input(thread) {
            true => Choice::Input(id, at.map_or(0, |at| self.input(thread, at))),
            false => Choice::Step(id),
        };
        self.take(choice);
        // To wait for its own stores may be a step of its own, before the operation.
        let goes_on = self.machine.pending(id).is_some() && !self.only_drains(id);
        let drained = drains && goes_on && self.machine.stands_at(id) == site;
        let asks_on = self.asks_for_unwritten(thread) && self.machine.progress(id) == progress;
        let script = &mut self.scripts[thread as usize];
        if !asks_on {
            script.answered = 0;
        }
        if let Some(at) = at {
            script.cursor = at + usize::from(!drained && !asks_on);
        }
        self.compare_stores(thread);
        Ok(())
    }

    /// The model's value of an input that is asked for at a note, as an index of the script.
    fn input(&mut self, thread: u32, at: usize) -> u64 {
        let note = self.scripts[thread as usize].notes[at];
        match self.bounded.threads[thread as usize].notes[note].makes {
            Some(object) => self.contents(thread, object),
            None => self.loads[thread as usize].get(&note).copied().unwrap_or(0),
        }
    }

    /// The model's value of what is asked for as a thread makes the object.
    fn contents(&mut self, thread: u32, object: u32) -> u64 {
        let id = self.id(thread);
        let Some(&Pending::Input(kind)) = self.machine.pending(id) else { return 0 };
        let script = &mut self.scripts[thread as usize];
        let left = self.machine.questions_of(id).enumerate().skip(script.answered);
        let mut same = left.filter(|(_, question)| question.kind() == kind);
        let Some((index, question)) = same.next() else { return 0 };
        script.answered = index + 1;
        let mut bytes = [0; 8];
        for &(offset, len, value) in self.blanks.get(&object).into_iter().flatten() {
            for (at, byte) in (offset..offset + len).zip(value.to_le_bytes()) {
                let place = at.checked_sub(question.offset).map(|place| place as usize);
                if let Some(place) = place.and_then(|place| bytes.get_mut(place)) {
                    *place = byte;
                }
            }
        }
        u64::from_le_bytes(bytes)
    }

    /// Is the next step only to wait for its own stores?
    fn only_drains(&self, id: ThreadId) -> bool {
        matches!(self.machine.pending(id), Some(Pending::Drained))
            && self.machine.pending_footprint(id).is_empty()
    }

    fn take(&mut self, choice: Choice) {
        let actor = choice.thread();
        self.own.entry(actor).or_default().push(self.choices.len());
        self.choices.push(choice);
        self.machine.step(choice);
        if *self.machine.status(actor) == Status::Halted(Halt::Wait) {
            self.waiting.push(actor);
        }
        self.wake();
    }

    /// A model may go round once more in vain. The interpreter does not: who waits in a loop
    /// looks again when what it has read is no longer so, as if it had come there later.
    fn wake(&mut self) {
        for thread in std::mem::take(&mut self.waiting) {
            if self.failed() || !self.machine.may_look_again(thread) {
                self.waiting.push(thread);
                continue;
            }
            let steps = self.machine.look_again(thread);
            let own = self.own.entry(thread).or_default();
            let kept = own.len().saturating_sub(steps);
            self.vain.extend(own.drain(kept..));
        }
    }

    /// Finds the notes of stores that the thread has put into queues.
    fn compare_stores(&mut self, thread: u32) {
        let id = self.id(thread);
        let waiting = self.machine.waiting_stores(id);
        let code = &self.bounded.threads[thread as usize];
        let notes = &code.notes;
        for store in waiting {
            let script = &self.scripts[thread as usize];
            if store.number < script.stores {
                continue;
            }
            let here = |at: &usize| notes[script.notes[*at]].site == store.at;
            // What an operation does to memory at once is no store that waits.
            let at_once = |note: &Note| {
                let mut events = note.events.clone().map(|event| &code.events[event as usize]);
                events.any(|event| matches!(event.action, Action::Write { direct: true, .. }))
            };
            let stores =
                |note: &Note| note.value.is_none() && note.makes.is_none() && !at_once(note);
            let found = match is_access(self.machine.program(), store.at) {
                true => (0..script.notes.len()).filter(here).nth(store.visit as usize),
                // What a library call loads has a value, what it stores has none.
                false => (script.compared..script.notes.len())
                    .find(|at| here(at) && stores(&notes[script.notes[*at]])),
            };
            let script = &mut self.scripts[thread as usize];
            script.stores = store.number + 1;
            if let Some(at) = found {
                script.compared = at + 1;
                script.numbers.insert(script.notes[at], store.number);
            }
        }
    }

    /// Takes the store of a note to memory, and those that must come before it.
    fn flush(&mut self, thread: u32, note: usize) {
        self.compare_stores(thread);
        let Some(&number) = self.scripts[thread as usize].numbers.get(&note) else { return };
        let id = self.id(thread);
        while !self.failed() {
            let waiting = self.machine.waiting_stores(id);
            let Some(store) = waiting.iter().find(|store| store.number == number) else {
                // An object may be made by several stores, of which one has a note.
                return self.flush_private(thread);
            };
            // In front of it, or anything else that is in its way.
            let actor = match self.machine.enabled(store.actor) {
                true => Some(store.actor),
                false => {
                    let before = waiting.iter().filter(|other| other.number < number);
                    before.map(|other| other.actor).find(|&actor| self.machine.enabled(actor))
                }
            };
            let Some(actor) = actor else { return };
            self.take(Choice::Step(actor));
        }
    }

    /// Whoever waits for its own stores, where the model leaves open when they arrive: an
    /// access to a block that its thread has freed, for example.
    fn make_way(&mut self, thread: u32) {
        let id = self.id(thread);
        while !self.failed() && !self.machine.enabled(id) {
            let waiting = self.machine.waiting_stores(id);
            let next = waiting.iter().find(|store| self.machine.enabled(store.actor)).copied();
            let Some(store) = next else { return };
            self.take(Choice::Step(store.actor));
        }
    }

    /// Stores to memory that only this thread uses may go at any time.
    fn flush_private(&mut self, thread: u32) {
        let id = self.id(thread);
        self.compare_stores(thread);
        loop {
            let script = &self.scripts[thread as usize];
            let code = &self.bounded.threads[thread as usize];
            let is_shared = |number: u32| {
                let note = script.numbers.iter().find(|(_, other)| **other == number);
                note.is_some_and(|(&note, _)| {
                    let range = code.notes[note].events.clone();
                    let events = &code.events[range.start as usize..range.end as usize];
                    events.iter().any(|event| matches!(event.action, Action::Write { .. }))
                })
            };
            let waiting = self.machine.waiting_stores(id);
            let next = waiting
                .iter()
                .find(|store| !is_shared(store.number) && self.machine.enabled(store.actor));
            let Some(store) = next.copied() else { return };
            let front = waiting.iter().find(|other| other.actor == store.actor).copied();
            if front.is_some_and(|front| front.number != store.number) {
                return;
            }
            self.take(Choice::Step(store.actor));
        }
    }
}
