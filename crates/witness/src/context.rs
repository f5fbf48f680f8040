//! What surrounds each step of a run: which write a read sees, which store it is that
//! reaches memory, which locks are held, and what of other threads it comes after.
//!
//! It is worked out from the records of a replay, byte by byte, since accesses of different
//! widths may overlap. A store that waits is seen by its own thread only; the oldest store
//! of a thread to an address reaches memory first, in every model that Heddle knows.

use std::collections::HashMap;

use heddle_machine::{Action, Record};
use heddle_semantics::{StackEntry, ThreadId};

use crate::locks::Locks;

/// What surrounds a step. Steps are named by their index in the trace.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Index of what it touches in [`crate::Trace::locations`].
    pub location: Option<usize>,
    /// The steps whose stores a read sees, the earliest first.
    pub reads_from: Vec<usize>,
    /// Some of what it reads was there before the run wrote to it.
    pub initial: bool,
    /// For a store that reaches memory, the step that made it.
    pub made: Option<usize>,
    /// Steps of other threads without which it could not have happened, and why.
    pub follows: Vec<(usize, &'static str)>,
    /// The locks its thread holds after it, the first taken first.
    pub locks: Vec<HeldLock>,
    /// Where its thread was, innermost call first.
    pub stack: Vec<StackEntry>,
}

/// A lock that is held, and since which step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldLock {
    pub location: usize,
    /// `locked`, `read-locked`, `write-locked`.
    pub how: &'static str,
    pub step: Option<usize>,
}

/// Memory or an object that steps touch.
#[derive(Clone, Debug)]
pub struct Place {
    pub name: String,
    /// Others that share bytes with it.
    pub overlaps: Vec<usize>,
    addr: u64,
    bytes: u32,
}

/// A record, and the index of its step if it is shown as one.
pub(crate) type Shown<'a> = (&'a Record, Option<usize>);

/// The contexts of all steps, and what they touch. `name` names a record's location.
pub(crate) fn contexts(
    records: &[Shown<'_>],
    name: &dyn Fn(&Record, u64, u32) -> String,
) -> (Vec<Context>, Vec<Place>) {
    let mut run = Run::new(name);
    let mut contexts = Vec::new();
    for &(record, step) in records {
        let context = run.take(record, step);
        if step.is_some() {
            contexts.push(context);
        }
    }
    (contexts, run.places)
}

struct Run<'n> {
    name: &'n dyn Fn(&Record, u64, u32) -> String,
    places: Vec<Place>,
    /// Who wrote a byte of memory last; `None` for a record that is not shown.
    memory: HashMap<u64, Option<usize>>,
    /// Stores of each thread that wait.
    waiting: HashMap<ThreadId, Vec<Waiting>>,
    locks: HashMap<ThreadId, Locks>,
    /// Who gave something at an address last that others may take, and how.
    released: HashMap<u64, (ThreadId, Option<usize>, &'static str)>,
    created: HashMap<ThreadId, Option<usize>>,
    ended: HashMap<ThreadId, Option<usize>>,
    /// In which step a lock was taken.
    taken: HashMap<(ThreadId, u64), Option<usize>>,
}

struct Waiting {
    addr: u64,
    bytes: u32,
    step: Option<usize>,
}

impl<'n> Run<'n> {
    fn new(name: &'n dyn Fn(&Record, u64, u32) -> String) -> Run<'n> {
        Run {
            name,
            places: Vec::new(),
            memory: HashMap::new(),
            waiting: HashMap::new(),
            locks: HashMap::new(),
            released: HashMap::new(),
            created: HashMap::new(),
            ended: HashMap::new(),
            taken: HashMap::new(),
        }
    }

    fn take(&mut self, record: &Record, step: Option<usize>) -> Context {
        let mut context = Context { stack: record.stack.clone(), ..Context::default() };
        let me = record.thread;
        if let Some(created) = self.created.remove(&me) {
            context.follows.extend(created.map(|step| (step, "created")));
        }
        if let Some((addr, bytes)) = touched(&record.action) {
            context.location = Some(self.place(record, addr, bytes));
        }
        match record.action {
            Action::Read { addr, bytes, .. } | Action::CmpXchg { addr, bytes, ok: false, .. } => {
                self.read(&mut context, me, addr, bytes);
            }
            Action::Write { addr, bytes, .. } => self.write(addr, bytes, step),
            Action::Rmw { addr, bytes, .. } | Action::CmpXchg { addr, bytes, .. } => {
                self.read(&mut context, me, addr, bytes);
                self.write(addr, bytes, step);
            }
            Action::Buffer { addr, bytes, .. } => {
                self.waiting.entry(me).or_default().push(Waiting { addr, bytes, step });
            }
            Action::Flush { addr, bytes, .. } => {
                let queue = self.waiting.entry(me).or_default();
                let first = queue.iter().position(|w| w.addr == addr && w.bytes == bytes);
                context.made = first.and_then(|at| queue.remove(at).step);
                self.write(addr, bytes, step);
            }
            Action::Create { child, .. } => drop(self.created.insert(child, step)),
            Action::Exit => drop(self.ended.insert(me, step)),
            Action::Join { target } => {
                let ended = self.ended.get(&target).copied().flatten();
                context.follows.extend(ended.map(|step| (step, "ended")));
            }
            _ => {}
        }
        self.synchronise(&mut context, record, step);
        context.locks = self.held(record, step);
        context
    }

    fn read(&self, context: &mut Context, me: ThreadId, addr: u64, bytes: u32) {
        for byte in addr..addr + u64::from(bytes) {
            let covers = |w: &&Waiting| w.addr <= byte && byte < w.addr + u64::from(w.bytes);
            let own = self.waiting.get(&me).and_then(|queue| queue.iter().rev().find(covers));
            let writer = match own {
                Some(waiting) => Some(waiting.step),
                None => self.memory.get(&byte).copied(),
            };
            match writer {
                Some(Some(step)) if !context.reads_from.contains(&step) => {
                    context.reads_from.push(step);
                }
                Some(_) => {}
                None => context.initial = true,
            }
        }
        context.reads_from.sort_unstable();
    }

    fn write(&mut self, addr: u64, bytes: u32, step: Option<usize>) {
        for byte in addr..addr + u64::from(bytes) {
            self.memory.insert(byte, step);
        }
    }

    /// Who unlocks, posts or signals lets others go on.
    fn synchronise(&mut self, context: &mut Context, record: &Record, step: Option<usize>) {
        let me = record.thread;
        let (addr, how) = match record.action {
            Action::Unlock { addr } => (addr, "unlocked"),
            Action::Wait { mutex, .. } => (mutex, "unlocked"),
            Action::Sync { verb, addr } => match verb {
                "unlock" => (addr, "unlocked"),
                "post" => (addr, "posted"),
                "signal" | "broadcast" => (addr, "signalled"),
                "arrive" => (addr, "arrived"),
                "lock" | "trylock" | "read lock" | "write lock" | "wait" | "trywait"
                | "wake up" | "leave" => return self.come_after(context, me, addr),
                _ => return,
            },
            Action::Lock { addr } | Action::TryLock { addr, ok: true } => {
                return self.come_after(context, me, addr);
            }
            _ => return,
        };
        self.released.insert(addr, (me, step, how));
    }

    fn come_after(&self, context: &mut Context, me: ThreadId, addr: u64) {
        if let Some(&(who, Some(step), how)) = self.released.get(&addr)
            && who != me
        {
            context.follows.push((step, how));
        }
    }

    fn held(&mut self, record: &Record, step: Option<usize>) -> Vec<HeldLock> {
        let me = record.thread;
        let locks = self.locks.entry(me).or_default();
        locks.take(record);
        let held: Vec<(u64, &'static str)> =
            locks.held().iter().map(|lock| (lock.addr, lock.how)).collect();
        self.taken.retain(|(who, addr), _| *who != me || held.iter().any(|(a, _)| a == addr));
        held.into_iter()
            .map(|(addr, how)| HeldLock {
                location: self.place(record, addr, 0),
                how,
                step: *self.taken.entry((me, addr)).or_insert(step),
            })
            .collect()
    }

    /// The number of a location. Objects that are waited for have no width.
    fn place(&mut self, record: &Record, addr: u64, bytes: u32) -> usize {
        let same = |place: &Place| place.addr == addr && place.bytes == bytes;
        if let Some(at) = self.places.iter().position(same) {
            return at;
        }
        let end = |place: &Place| place.addr + u64::from(place.bytes);
        let place = Place { name: String::new(), overlaps: Vec::new(), addr, bytes };
        let new = self.places.len();
        let meets = |other: &Place| other.addr < end(&place) && addr < end(other);
        let overlaps: Vec<usize> = (0..new).filter(|&at| meets(&self.places[at])).collect();
        for &other in &overlaps {
            self.places[other].overlaps.push(new);
        }
        let name = self.unused((self.name)(record, addr, bytes));
        self.places.push(Place { name, overlaps, ..place });
        new
    }

    /// Heap memory is called by the source text that gets at it, which may be the same for
    /// different objects.
    fn unused(&self, name: String) -> String {
        let is_new = |name: &str| self.places.iter().all(|place| place.name != name);
        let numbered = (2..).map(|n| format!("{name} ({n})"));
        std::iter::once(name.clone()).chain(numbered).find(|name| is_new(name)).unwrap_or(name)
    }
}

fn touched(action: &Action) -> Option<(u64, u32)> {
    Some(match *action {
        Action::Read { addr, bytes, .. }
        | Action::Write { addr, bytes, .. }
        | Action::Buffer { addr, bytes, .. }
        | Action::Flush { addr, bytes, .. }
        | Action::Rmw { addr, bytes, .. }
        | Action::CmpXchg { addr, bytes, .. } => (addr, bytes),
        Action::Lock { addr }
        | Action::TryLock { addr, .. }
        | Action::Unlock { addr }
        | Action::MutexInit { addr }
        | Action::MutexDestroy { addr }
        | Action::Sync { addr, .. }
        | Action::Wait { addr, .. } => (addr, 0),
        _ => return None,
    })
}
