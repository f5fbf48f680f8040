//! States in the order of delays.
//!
//! Emmi, Qadeer and Rakamarić, "Delay-Bounded Scheduling" (POPL 2011). A scheduler without
//! choices lets a thread go on until it can't, and then the next one round a circle that can.
//! A delay passes over the thread whose turn it is. So there are few runs with few delays, even
//! if there are many threads, where a switch away from a thread that waits or has ended would
//! be free and lead to any other.
//!
//! Deviations: the circle is the order in which threads are ranked in the state at hand (by
//! number, if they don't change places), which may be another one in the next state: any
//! scheduler without choices will do. Store queues and inputs cost nothing, and each of their
//! ways is taken. Every step is taken in the end, so a search that comes to its end has seen
//! every state, as it has in the other order.

use heddle_semantics::MemoryModel;

use crate::search::Halt;

use super::table::Marks;
use super::transitions::{ALL, Deed, FLUSHED};
use super::{Cost, Item, Walk};

impl<M: MemoryModel> Walk<'_, '_, '_, M> {
    /// Lets the thread go on whose turn it is in an item's state, after the delays that were
    /// paid for, and puts the state back for one more.
    pub(super) fn expand_delayed(
        &mut self,
        cost: Cost,
        item: Item,
        marks: Marks,
    ) -> Result<(), Halt> {
        let circle = self.circle(&item);
        let turn = circle.get(item.delays as usize).copied();
        for at in 0..self.choices.len() {
            let option = self.choices[at];
            let flush = option.deed.is_flush() && item.delays == 0;
            if (flush || Some(at) == turn) && !marks.has(option.mark) {
                self.take(cost, &item, at)?;
            }
        }
        let taken = turn.map_or(0, |at| self.choices[at].mark) | FLUSHED;
        let left = circle.iter().enumerate().any(|(place, &at)| {
            let mark = self.choices[at].mark;
            place as u32 > item.delays && !(marks.has(mark) || mark != 0 && mark & taken != 0)
        });
        let all = circle.iter().all(|&at| {
            let mark = self.choices[at].mark;
            mark != 0 && (marks.has(mark) || mark & taken != 0)
        });
        // Without marks it is enough that one visit went all round.
        let round = item.delays as usize + 1 >= circle.len();
        self.table.mark(item.entry, taken | if all || round { ALL } else { 0 });
        if left && !round {
            let delays = item.delays + 1;
            self.push((cost.0 + 1, cost.1), Item { delays, ..item });
        }
        Ok(())
    }

    /// The threads that can go on in the present state, by their choices: first the one that
    /// ran last, if it can, then those behind it, all round.
    fn circle(&self, item: &Item) -> Vec<usize> {
        let rank = |at: usize| match self.choices[at].deed {
            Deed::Step(thread) => Some(self.states.rank_of(thread)),
            _ => None,
        };
        let last = self.states.rank_of(item.last);
        let mut circle: Vec<usize> =
            (0..self.choices.len()).filter(|&at| rank(at).is_some()).collect();
        circle.sort_by_key(|&at| {
            let rank = rank(at).unwrap_or(0);
            (rank < last, rank)
        });
        circle
    }
}
