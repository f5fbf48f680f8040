//! Store buffers.
//!
//! A thread's stores wait in queues: one for all of them or one a location, as
//! the memory model says. Each queue is an actor beside the threads, with an id
//! of its own, whose step takes its oldest store to memory. Which queue of a
//! thread is which depends only on the thread's own stores, so a queue has the
//! same id in equivalent executions. Putting a store into a queue is private to
//! its thread and no step of its own.
//!
//! That a thread ends the life of an object which others may see is a store too: it comes
//! after all earlier stores of the thread. The thread itself does without the object from
//! then on, others when it gets to memory.

mod state;

use std::collections::VecDeque;

use heddle_ir::{FuncId, Ordering, PlaceId, Span};
use smallvec::SmallVec;

use heddle_semantics::{
    Access, AccessKind, Fences, MemoryModel, ObjectId, Partial, Site, StackEntry, ThreadId,
    ThreadPath, Violation, ViolationKind,
};

use crate::Machine;
use crate::machine::Stop;
use crate::observers::guide::Role;
use crate::observers::record::{Action, Record};
use crate::run::access::Spot;
use crate::store::Life;
use crate::threads::thread::{Halt, Pending};

/// Stores of one thread that may wait where states are kept; processors have room for
/// half as many.
const MOST_WAITING: u32 = 128;

/// A store that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    object: ObjectId,
    offset: u32,
    addr: u64,
    len: u32,
    value: Partial,
    /// It ends the life of the object instead of storing bytes.
    end: Option<Life>,
    /// Its number among its thread's stores, and how many of the first of them
    /// must be in memory before it.
    number: u32,
    after: u32,
    /// How many steps its thread had taken, this one included.
    steps: u32,
    /// Its memory order, the fences before it, and its place in time, as an
    /// [`Event`](heddle_semantics::Event) has them.
    order: Option<Ordering>,
    fences: Fences,
    time: u32,
    span: Span,
    place: Option<PlaceId>,
    /// It was made by code that keeps the books of a library.
    books: bool,
    function: FuncId,
    block: u32,
    pc: u32,
    /// How often its thread had made this store before, if that is counted.
    visit: u32,
    /// Which record tells of it, if any is kept.
    record: u32,
}

#[derive(Debug)]
struct Queue {
    actor: ThreadId,
    owner: ThreadId,
    waiting: VecDeque<Waiting>,
    /// Numbers of the stores it has taken to memory.
    flushed: Vec<u32>,
}

#[derive(Debug)]
enum Undo {
    /// A store was put into the queue.
    Put(u32),
    /// The store was taken to memory.
    Taken(u32, Waiting),
    /// A thread began to use a queue.
    Opened(ThreadId),
}

/// The store queues of a machine.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    queues: Vec<Queue>,
    /// Queues of each thread in the order in which it first used them in this
    /// execution, with the location each is for.
    used: Vec<Vec<((u64, u32), u32)>>,
    log: Vec<Undo>,
    /// How many of the stores that wait end the life of an object.
    ends: u32,
}

/// What is put into a queue.
struct Stored {
    spot: Spot,
    value: Partial,
    /// After all earlier stores.
    ordered: bool,
    order: Option<Ordering>,
    end: Option<Life>,
}

/// Where ends of life wait, if each location has a queue: no bytes are there.
const ENDS: u64 = u64::MAX;

impl Buffers {
    pub fn mark(&self) -> usize {
        self.log.len()
    }

    pub fn undo_to(&mut self, mark: usize) {
        while self.log.len() > mark {
            match self.log.pop().expect("longer than mark") {
                Undo::Put(queue) => {
                    let entry = self.queues[queue as usize].waiting.pop_back();
                    self.ends -= u32::from(entry.is_some_and(|entry| entry.end.is_some()));
                }
                Undo::Taken(queue, entry) => {
                    self.ends += u32::from(entry.end.is_some());
                    let queue = &mut self.queues[queue as usize];
                    queue.waiting.push_front(entry);
                    queue.flushed.pop();
                }
                Undo::Opened(thread) => {
                    self.used[thread.index()].pop();
                }
            }
        }
    }

    fn of(&self, thread: ThreadId) -> impl Iterator<Item = &Queue> + '_ {
        let used = self.used.get(thread.index()).map_or(&[][..], Vec::as_slice);
        used.iter().map(|&(_, queue)| &self.queues[queue as usize])
    }

    pub fn is_drained(&self, thread: ThreadId) -> bool {
        self.of(thread).all(|queue| queue.waiting.is_empty())
    }

    /// The newest store of the thread that still waits and overlaps the bytes.
    fn newest(&self, thread: ThreadId, addr: u64, len: u32) -> Option<(&Queue, usize)> {
        let overlaps = |w: &Waiting| {
            w.end.is_none() && w.addr < addr + u64::from(len) && addr < w.addr + u64::from(w.len)
        };
        let found = self.of(thread).filter_map(|queue| {
            let at = queue.waiting.iter().rposition(overlaps)?;
            Some((queue, at))
        });
        found.max_by_key(|(queue, at)| queue.waiting[*at].number)
    }

    /// Can the queue take its oldest store to memory?
    pub fn can_flush(&self, queue: u32) -> bool {
        let queue = &self.queues[queue as usize];
        let Some(oldest) = queue.waiting.front() else { return false };
        self.of(queue.owner)
            .all(|other| other.waiting.front().is_none_or(|first| first.number >= oldest.after))
    }
}

/// What a load finds in its thread's queues.
pub(crate) enum Found {
    Nothing,
    /// The value of a store that waits, and the store's future flush.
    Value {
        value: Partial,
        flush: (ThreadId, u32),
    },
    /// Part of the bytes: the load waits until they are in memory.
    Part,
}

/// A store in a queue, for those who drive a machine: the queue, its number among
/// its thread's stores, and where it stands in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingStore {
    pub actor: ThreadId,
    pub number: u32,
    pub at: Site,
    /// How often its thread had made it before, if that is counted.
    pub visit: u32,
}

impl<M: MemoryModel> Machine<'_, M> {
    /// The stores of a thread that wait, in program order.
    pub fn waiting_stores(&self, thread: ThreadId) -> Vec<WaitingStore> {
        let queues = self.buffers.of(thread);
        let mut all: Vec<WaitingStore> = queues
            .flat_map(|queue| {
                let of = |w: &Waiting| WaitingStore {
                    actor: queue.actor,
                    number: w.number,
                    at: Site { function: w.function.0, block: w.block, pc: w.pc },
                    visit: w.visit,
                };
                queue.waiting.iter().map(of).collect::<Vec<_>>()
            })
            .collect();
        all.sort_by_key(|store| store.number);
        all
    }

    /// Puts a store into its queue.
    pub(crate) fn put_store(
        &mut self,
        spot: Spot,
        value: Partial,
        ordered: bool,
        order: Option<Ordering>,
    ) -> Result<(), Stop> {
        let location = self.model.queue(spot.addr, spot.len);
        self.put(location, Stored { spot, value, ordered, order, end: None })?;
        self.record(Action::Buffer { addr: spot.addr, bytes: spot.len, value });
        Ok(())
    }

    /// Puts the end of an object's life into its queue.
    pub(crate) fn put_end(&mut self, id: ObjectId, life: Life) -> Result<(), Stop> {
        let object = self.store.object(id);
        let (addr, heap) = (object.base, life == Life::Freed);
        let len = object.bytes.clamp(1, u64::from(u32::MAX)) as u32;
        let spot = Spot { object: id, offset: 0, addr, len, visible: true, role: Role::Kept };
        let end = Some(life);
        let stored = Stored { spot, value: 0.into(), ordered: true, order: None, end };
        self.put(self.model.queue(ENDS, 0), stored)?;
        self.buffers.ends += 1;
        self.record(Action::Ends { addr, heap });
        Ok(())
    }

    /// Has the running thread ended the life of the object, whether others know or not?
    #[inline]
    pub(crate) fn has_ended(&self, id: ObjectId) -> bool {
        let ends = |store: &Waiting| store.end.is_some() && store.object == id;
        self.buffers.ends != 0
            && self.buffers.of(self.running.thread).any(|q| q.waiting.iter().any(ends))
    }

    /// Is it an address in a block that was freed, whether that is in memory or not? An
    /// allocator may give it out again either way.
    #[inline]
    pub(crate) fn is_given_back(&self, value: u64) -> bool {
        self.store.is_freed(value) || self.buffers.ends != 0 && self.is_being_freed(value)
    }

    #[cold]
    fn is_being_freed(&self, value: u64) -> bool {
        let object = self.store.object_at(value);
        let frees =
            |store: &Waiting| store.end == Some(Life::Freed) && Some(store.object) == object;
        self.buffers.queues.iter().any(|queue| queue.waiting.iter().any(frees))
    }

    /// What the running thread has stored to an object and is not in memory yet, applied to
    /// a copy of it.
    pub(crate) fn copy_waiting(&mut self, from: ObjectId, to: ObjectId) {
        let queues = self.buffers.of(self.running.thread);
        let mut stores: SmallVec<[Waiting; 8]> = queues
            .flat_map(|queue| queue.waiting.iter().copied())
            .filter(|store| store.object == from && store.end.is_none())
            .collect();
        stores.sort_unstable_by_key(|store| store.number);
        let room = self.store.object(to).bytes;
        for store in stores {
            for at in (0..store.len).filter(|at| u64::from(store.offset + at) < room) {
                let byte = store.value.shifted(8 * at).low(8);
                self.store.write_partial(to, store.offset + at, 1, byte);
            }
        }
    }

    fn put(&mut self, location: (u64, u32), stored: Stored) -> Result<(), Stop> {
        let Stored { spot, value, ordered, order, end } = stored;
        // A state that grows without end would never come back.
        if self.config.stateful {
            let waiting: usize =
                self.buffers.of(self.running.thread).map(|q| q.waiting.len()).sum();
            if waiting >= MOST_WAITING as usize {
                self.findings.bounds.queue = Some(MOST_WAITING);
                return Err(Stop::Halt(Halt::Cut));
            }
        }
        let queue = self.open_queue(location);
        let (span, place) = (self.here(), self.place_here());
        let books = self.config.record && self.keeps_books();
        let record = self.watch.records.len() as u32;
        let frame = *self.threads[self.running.thread.index()].top();
        let (function, block, pc) = (frame.function, frame.block, self.running.pc as u32);
        let visit = self.visits(self.running.thread, self.site());
        let scalars = &mut self.threads[self.running.thread.index()].scalars;
        let number = scalars.stores;
        scalars.stores += 1;
        scalars.unfenced = true;
        scalars.effects += 1;
        let after = if ordered { number } else { scalars.ordered };
        self.buffers.queues[queue as usize].waiting.push_back(Waiting {
            object: spot.object,
            offset: spot.offset,
            addr: spot.addr,
            len: spot.len,
            value,
            end,
            number,
            after,
            steps: scalars.steps,
            order,
            fences: scalars.fences,
            time: scalars.steps + scalars.stores,
            span,
            place,
            books,
            function,
            block,
            pc,
            visit,
            record,
        });
        self.buffers.log.push(Undo::Put(queue));
        Ok(())
    }

    fn open_queue(&mut self, location: (u64, u32)) -> u32 {
        self.open_queue_of(self.running.thread, location)
    }

    fn open_queue_of(&mut self, owner: ThreadId, location: (u64, u32)) -> u32 {
        if self.buffers.used.len() <= owner.index() {
            self.buffers.used.resize_with(owner.index() + 1, Vec::new);
        }
        let used = &self.buffers.used[owner.index()];
        if let Some(&(_, queue)) = used.iter().find(|(key, _)| *key == location) {
            return queue;
        }
        let path = ThreadPath { parent: owner, nth: used.len() as u32, queue: true };
        let actor = self.intern(path);
        let queue = match self.threads[actor.index()].queue {
            Some(queue) => queue,
            None => {
                let queue = self.buffers.queues.len() as u32;
                let (waiting, flushed) = (VecDeque::new(), Vec::new());
                self.buffers.queues.push(Queue { actor, owner, waiting, flushed });
                self.threads[actor.index()].queue = Some(queue);
                queue
            }
        };
        self.buffers.used[owner.index()].push((location, queue));
        self.buffers.log.push(Undo::Opened(owner));
        queue
    }

    /// What the running thread's own stores say about these bytes. A load takes
    /// the value of the newest one if it covers all of them; a load that overlaps
    /// one only in part waits, as processors do.
    pub(crate) fn look_up(&self, addr: u64, len: u32) -> Found {
        let Some((queue, at)) = self.buffers.newest(self.running.thread, addr, len) else {
            return Found::Nothing;
        };
        let store = &queue.waiting[at];
        let end = addr + u64::from(len);
        if store.addr > addr || store.addr + u64::from(store.len) < end {
            return Found::Part;
        }
        let skip = addr - store.addr;
        Found::Value {
            value: store.value.shifted(skip as u32 * 8).low(len * 8),
            flush: (queue.actor, (queue.flushed.len() + at + 1) as u32),
        }
    }

    /// Can a load of these bytes be answered now?
    pub(crate) fn is_clear(&self, thread: ThreadId, addr: u64, len: u32) -> bool {
        self.buffers.newest(thread, addr, len).is_none_or(|(queue, at)| {
            let store = &queue.waiting[at];
            store.addr <= addr && addr + u64::from(len) <= store.addr + u64::from(store.len)
        })
    }

    /// Does a store to these bytes have to wait for one to other bytes that
    /// overlap them?
    pub(crate) fn mixes(&self, addr: u64, len: u32) -> bool {
        let location = self.model.queue(addr, len);
        let used =
            self.buffers.used.get(self.running.thread.index()).map_or(&[][..], Vec::as_slice);
        used.iter().any(|&((other, bytes), _)| {
            (other, bytes) != location
                && other < addr + u64::from(len)
                && addr < other + u64::from(bytes)
        })
    }

    /// Has the running thread stored to other places, which a store to these bytes
    /// might overtake?
    pub(crate) fn may_overtake(&self, addr: u64, len: u32) -> bool {
        let used =
            self.buffers.used.get(self.running.thread.index()).map_or(&[][..], Vec::as_slice);
        used.iter().any(|&((other, bytes), _)| {
            other >= addr + u64::from(len) || addr >= other + u64::from(bytes)
        })
    }

    /// The flushes that had to happen before the running thread could go on.
    pub(crate) fn follow_flushes(&mut self) {
        let flushes: SmallVec<[(ThreadId, u32); 4]> = self
            .buffers
            .of(self.running.thread)
            .filter(|queue| !queue.flushed.is_empty())
            .map(|queue| (queue.actor, queue.flushed.len() as u32))
            .collect();
        self.event.follows.extend(flushes);
    }

    /// Waits until the running thread's stores are in memory, if there can be any
    /// that are not. Whether this is a step depends only on what the thread did.
    pub(crate) fn drain(&mut self) -> Result<(), Stop> {
        let scalars = &self.threads[self.running.thread.index()].scalars;
        if !scalars.unfenced || scalars.atomic != 0 {
            return Ok(());
        }
        self.visible_step(None, Pending::Drained)?;
        self.record(Action::Fence);
        Ok(())
    }

    /// Takes the oldest store of a queue to memory.
    pub(crate) fn flush(&mut self, queue: u32) {
        let index = queue;
        let queue = &mut self.buffers.queues[queue as usize];
        let store = queue.waiting.pop_front().expect("an enabled queue is not empty");
        queue.flushed.push(store.number);
        let (actor, owner) = (queue.actor, queue.owner);
        self.buffers.log.push(Undo::Taken(index, store));
        self.event.flush_of = Some(owner);
        self.event.follows.push((owner, store.steps));
        let earlier: SmallVec<[(ThreadId, u32); 4]> = self
            .buffers
            .of(owner)
            .filter(|other| other.actor != actor && store.after > 0)
            .map(|other| (other.actor, other.flushed.partition_point(|&n| n < store.after) as u32))
            .filter(|&(_, count)| count > 0)
            .collect();
        self.event.follows.extend(earlier);
        let access = Access { addr: store.addr, len: store.len, kind: AccessKind::Write };
        self.event.footprint.push(access);
        self.event.order = store.order;
        self.event.fences = store.fences;
        self.event.time = store.time;
        self.event.span = store.span;
        if self.config.record {
            let Waiting { addr, len, value, span, place, books, .. } = store;
            let stack = self.watch.records[store.record as usize].stack.clone();
            let action = match store.end {
                None => Action::Flush { addr, bytes: len, value },
                Some(life) => Action::Gone { addr, heap: life == Life::Freed },
            };
            self.watch.records.push(Record {
                step: self.undo.depth().checked_sub(1),
                thread: owner,
                span,
                place,
                books,
                stack,
                action,
            });
        }
        let lives = self.store.object(store.object).life == Life::Live;
        if let Some(life) = store.end {
            self.buffers.ends -= 1;
            if lives {
                self.store.set_life(store.object, life);
            } else {
                let message = "block is freed a second time";
                self.fail_late(owner, store, ViolationKind::DoubleFree, message);
            }
            return;
        }
        if !lives {
            // The object was freed by another thread while the store was on its way.
            let message = "a store reaches memory after the block was freed";
            self.fail_late(owner, store, ViolationKind::UseAfterFree, message);
            return;
        }
        let old = self.store.read_unnoted(store.object, store.offset, store.len);
        self.event.words.push((store.addr, old));
        self.store.write_partial(store.object, store.offset, store.len, store.value);
    }

    /// What a store does when it gets to memory is a violation.
    fn fail_late(&mut self, owner: ThreadId, store: Waiting, kind: ViolationKind, message: &str) {
        let made = self.watch.records.get(store.record as usize).filter(|_| self.config.record);
        let stack = match made {
            Some(record) => record.stack.clone(),
            None => vec![StackEntry { function: store.function, span: store.span }],
        };
        self.findings.violations.push(Violation {
            kind,
            thread: owner,
            span: store.span,
            other: Span::UNKNOWN,
            message: message.to_string(),
            stack,
        });
    }
}
