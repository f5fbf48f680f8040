//! Store queues as part of a state, and what can be asked about them.

use heddle_ir::FuncId;
use smallvec::SmallVec;

use heddle_semantics::{Fences, MemoryModel, Partial, ThreadId};

use crate::store::Life;

use super::Waiting;
use crate::Machine;
use crate::state::{Words, pair, put_span};

/// The queues as part of a state. Stores are numbered from 0 among those that wait.
impl<M: MemoryModel> Machine<'_, M> {
    pub(crate) fn put_queues(&self, thread: ThreadId, words: &mut Vec<u64>) {
        let used = self.buffers.used.get(thread.index()).map_or(&[][..], Vec::as_slice);
        let mut numbers: SmallVec<[u32; 8]> =
            self.buffers.of(thread).flat_map(|q| q.waiting.iter().map(|w| w.number)).collect();
        numbers.sort_unstable();
        let rank = |number: u32| numbers.partition_point(|&other| other < number) as u32;
        let ordered = rank(self.threads[thread.index()].scalars.ordered);
        // Nobody will store to what is gone.
        let matters = |at: &usize| {
            let ((addr, _), queue) = used[*at];
            let gone = || {
                self.store
                    .object_at(addr)
                    .is_some_and(|id| self.store.object(id).life != Life::Live)
            };
            !self.buffers.queues[queue as usize].waiting.is_empty() || !gone()
        };
        let mut order: SmallVec<[usize; 8]> = (0..used.len()).filter(matters).collect();
        order.sort_unstable_by_key(|&at| used[at].0);
        words.push(pair(order.len() as u32, ordered));
        for at in order {
            let ((addr, len), queue) = used[at];
            let waiting = &self.buffers.queues[queue as usize].waiting;
            words.extend([addr, pair(len, waiting.len() as u32)]);
            for store in waiting {
                let undefined = !store.value.is_defined();
                words.extend([store.addr, store.value.bits]);
                words.push(pair(store.len, u32::from(undefined) | end_number(store.end) << 8));
                words.extend(undefined.then_some(store.value.undefined));
                words.push(pair(rank(store.number), rank(store.after)));
                words.push(pair(store.function.0, store.block));
                words.push(u64::from(store.pc));
                put_span(store.span, words);
            }
        }
    }

    /// No store of the thread waits.
    pub fn is_drained(&self, thread: ThreadId) -> bool {
        self.buffers.is_drained(thread)
    }

    /// The queues of a thread that can take a store to memory, in the order of these
    /// stores.
    pub fn flushable(&self, thread: ThreadId, actors: &mut Vec<ThreadId>) {
        let mut first: SmallVec<[(u32, ThreadId); 4]> = SmallVec::new();
        for &(_, queue) in self.buffers.used.get(thread.index()).map_or(&[][..], Vec::as_slice) {
            if self.buffers.can_flush(queue) {
                let queue = &self.buffers.queues[queue as usize];
                let oldest = queue.waiting.front().expect("it can flush");
                first.push((oldest.number, queue.actor));
            }
        }
        first.sort_unstable();
        actors.extend(first.iter().map(|entry| entry.1));
    }

    pub(crate) fn reset_queues(&mut self, thread: ThreadId) {
        let Some(used) = self.buffers.used.get_mut(thread.index()) else { return };
        for (_, queue) in used.drain(..) {
            let queue = &mut self.buffers.queues[queue as usize];
            let ends = queue.waiting.iter().filter(|store| store.end.is_some()).count();
            self.buffers.ends -= ends as u32;
            queue.waiting.clear();
            queue.flushed.clear();
        }
    }

    /// How many stores there are, and how many of them must be in memory before the
    /// next one.
    pub(crate) fn take_queues(&mut self, thread: ThreadId, words: &mut Words<'_>) -> (u32, u32) {
        let (used, ordered) = words.pair();
        let mut stores = 0;
        for _ in 0..used {
            let addr = words.next();
            let (len, waiting) = words.pair();
            let queue = self.open_queue_of(thread, (addr, len));
            for _ in 0..waiting {
                let store = self.take_waiting(words);
                self.buffers.ends += u32::from(store.end.is_some());
                self.buffers.queues[queue as usize].waiting.push_back(store);
            }
            stores += waiting;
        }
        self.buffers.log.clear();
        (stores, ordered)
    }

    fn take_waiting(&self, words: &mut Words<'_>) -> Waiting {
        let (addr, bits) = (words.next(), words.next());
        let (len, with) = words.pair();
        let undefined = if with & 1 != 0 { words.next() } else { 0 };
        let (number, after) = words.pair();
        let (function, block) = words.pair();
        let pc = words.next() as u32;
        let object = self.store.reserved_at(addr);
        Waiting {
            object,
            offset: (addr - self.store.object(object).base) as u32,
            addr,
            len,
            value: Partial { bits, undefined },
            end: end_of(with >> 8),
            number,
            after,
            steps: 0,
            order: None,
            fences: Fences::default(),
            time: 0,
            span: words.span(),
            place: None,
            books: false,
            function: FuncId(function),
            block,
            pc,
            visit: 0,
            record: 0,
        }
    }
}

fn end_number(end: Option<Life>) -> u32 {
    match end {
        None => 0,
        Some(Life::Freed) => 1,
        Some(_) => 2,
    }
}

fn end_of(number: u32) -> Option<Life> {
    match number {
        0 => None,
        1 => Some(Life::Freed),
        _ => Some(Life::OutOfScope),
    }
}
