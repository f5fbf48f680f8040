//! Arrivals at barriers that are in no order.
//!
//! Kokologiannakis and Vafeiadis, "BAM: Efficient Model Checking for Barriers" (NETYS 2021):
//! who comes to a barrier first makes no difference, only that all have come. Deviations:
//!
//! 1. It makes one to who is told that it came last, so a call whose result is used is ordered
//!    as it is otherwise. Where nobody is told, who comes last takes a step to leave, as the
//!    others do, which comes after all arrivals of the meeting. That step is one more that is
//!    in an order with the arrivals of who is told, so a barrier at which some are told and
//!    others not is left to the order that it has, like a crowded one.
//! 2. If more threads use a barrier than meet there, it makes a difference who is with whom.
//!    That none does is supposed, and watched over all executions. As long as it holds, two
//!    arrivals that can be in either order are of the same meeting, since nobody comes to the
//!    next one before all have left; both orders lead to the same state, and a thread that
//!    leaves looks at nothing that a later arrival changes. Which threads have arrived
//!    anywhere does not depend on the order either, so the arrival of one too many is seen in
//!    the search if it is in any execution. Then the search starts again, with the arrivals
//!    at this barrier in order.

use std::collections::BTreeSet;

use heddle_ir::{FuncId, Op, Operand, Program, Reg};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use heddle_semantics::{MemoryModel, ThreadId};

use crate::Machine;
use crate::run::access::Spot;

/// A call by function, block and instruction.
type Call = (FuncId, u32, u32);

/// What a machine needs to know for arrivals in no order.
#[derive(Clone, Debug, Default)]
pub struct Meetings {
    /// Calls whose result nobody wants.
    calls: FxHashSet<Call>,
    /// Barriers that more threads use than meet there.
    pub crowded: BTreeSet<u64>,
}

impl Meetings {
    /// Nothing if the program has no such calls.
    pub fn of(program: &Program) -> Option<Meetings> {
        let mut calls = FxHashSet::default();
        for (at, function) in program.functions.iter().enumerate() {
            let mut waits: Vec<(Call, &[Reg])> = Vec::new();
            for (block, body) in function.blocks.iter().enumerate() {
                for (index, inst) in body.insts.iter().enumerate() {
                    if let Op::Call { callee: heddle_ir::Callee::Direct(callee), dsts, .. } =
                        &inst.op
                        && program.function(*callee).name == "pthread_barrier_wait"
                    {
                        waits.push(((FuncId(at as u32), block as u32, index as u32), dsts));
                    }
                }
            }
            if waits.is_empty() {
                continue;
            }
            let mut used: FxHashSet<Reg> = FxHashSet::default();
            let mut note = |operand: Operand| {
                if let Operand::Reg(reg) = operand {
                    used.insert(reg);
                }
            };
            for body in &function.blocks {
                body.insts.iter().flat_map(|inst| inst.op.operands()).for_each(&mut note);
                body.term.operands().into_iter().for_each(&mut note);
                let moves = body.term.edges().into_iter().flat_map(|edge| &edge.moves);
                moves.for_each(|taken| note(taken.1));
            }
            let unused =
                waits.iter().filter(|(_, dsts)| !dsts.iter().any(|reg| used.contains(reg)));
            calls.extend(unused.map(|(site, _)| *site));
        }
        (!calls.is_empty()).then(|| Meetings { calls, crowded: BTreeSet::new() })
    }
}

/// Who has arrived where, in any execution.
#[derive(Default)]
pub(crate) struct Arrivals {
    by: FxHashMap<u64, SmallVec<[ThreadId; 4]>>,
    /// Where somebody was told who came last, and where somebody was not.
    told: [BTreeSet<u64>; 2],
    crowded: BTreeSet<u64>,
}

impl Arrivals {
    /// Takes over what was seen elsewhere.
    pub fn merge(&mut self, other: &Arrivals) {
        self.crowded.extend(&other.crowded);
        for (known, told) in self.told.iter_mut().zip(&other.told) {
            known.extend(told);
        }
        for (&addr, threads) in &other.by {
            let known = self.by.entry(addr).or_default();
            for &thread in threads {
                if !known.contains(&thread) {
                    known.push(thread);
                }
            }
        }
    }
}

impl<M: MemoryModel> Machine<'_, M> {
    /// Barriers that turned out to be used by more threads than meet there, or by some that are
    /// told who came last and some that are not.
    pub fn crowded(&self) -> &BTreeSet<u64> {
        &self.watch.arrivals.crowded
    }

    /// Is the wait at a barrier that is being executed in no order with others?
    pub(crate) fn meets(&self, addr: u64) -> bool {
        let Some(meetings) = &self.config.meetings else { return false };
        let thread = &self.threads[self.running.thread.index()];
        let Some(frame) = thread.frames.last() else { return false };
        let site = (frame.function, frame.block, self.running.pc as u32);
        thread.scalars.atomic == 0
            && meetings.calls.contains(&site)
            && !meetings.crowded.contains(&addr)
    }

    /// `meets`: the arrival is in no order with others.
    pub(crate) fn note_arrival(&mut self, addr: u64, spot: Spot, meets: bool) {
        let Some(meetings) = &self.config.meetings else { return };
        if meetings.crowded.contains(&addr) {
            return;
        }
        self.watch.arrivals.told[usize::from(meets)].insert(addr);
        if self.watch.arrivals.told.iter().all(|told| told.contains(&addr)) {
            self.watch.arrivals.crowded.insert(addr);
        }
        let threads = self.watch.arrivals.by.entry(addr).or_default();
        if !threads.contains(&self.running.thread) {
            threads.push(self.running.thread);
        }
        let meet = self.store.read(spot.object, spot.offset, 2);
        if threads.len() as u64 > meet {
            self.watch.arrivals.crowded.insert(addr);
        }
    }
}
