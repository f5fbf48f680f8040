//! Waits for condition variables for which it makes no difference whether they can end
//! without a signal.
//!
//! A thread locks a mutex, tests something, waits while it does not hold, and tests again
//! whenever it wakes up. Take a run in which it wakes up without a signal, and gets the
//! mutex back at some time:
//!
//! - The test fails again. From waking up to waiting again the thread has changed nothing,
//!   and held the mutex while it looked. So there is a run in which it sleeps on; a
//!   signal that found nobody asleep in the first one wakes it in the second one, to the
//!   same failing test.
//! - The test holds. Then there is a run in which the thread comes to the mutex only now,
//!   for the first time, and need not wait: between its first lock and its first wait it
//!   has changed nothing, and kept nothing that it read.
//!
//! So runs with such wake-ups show nothing that others do not. This needs:
//!
//! 1. The way from the wait back to the first test writes nothing and leaves the loop
//!    nowhere; nor does the loop write anything, or carry values from one turn to the next.
//! 2. Between the lock of that mutex and the loop, nothing is written that others can see,
//!    and nothing is read that others can write. The lock is looked for backwards, in
//!    callers too.
//! 3. Nobody tries to lock a mutex without waiting for it: that would notice that the
//!    thread held it.
//!
//! A function that only waits, such as `std::condition_variable::wait`, counts as a wait
//! where it is called.

use heddle_ir::{Callee, FuncId, Function, Op, Operand, Program, Terminator};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::Flow;
use crate::key::Key;
use crate::side_effects::{OwnVariables, Quiet, own_variables};
use crate::site::{Site, instructions};

/// Functions after which a mutex is locked, and nothing else has happened that others see.
const LOCKS: &[&str] = &["pthread_mutex_lock", "mtx_lock", "_ZNSt5mutex4lockEv"];
/// Those that lock the mutex of a `std::unique_lock`, whose address is at its start.
const UNIQUE_LOCKS: &[&str] = &[
    "_ZNSt11unique_lockISt5mutexEC1ERS0_",
    "_ZNSt11unique_lockISt5mutexEC2ERS0_",
    "_ZNSt11unique_lockISt5mutexE4lockEv",
];

/// Functions that tell whether a mutex is locked.
const ATTEMPTS: &[&str] = &[
    "pthread_mutex_trylock",
    "pthread_mutex_timedlock",
    "pthread_mutex_clocklock",
    "mtx_trylock",
    "mtx_timedlock",
];

pub struct Rechecks<'p> {
    program: &'p Program,
    quiet: Quiet<'p>,
    callers: FxHashMap<FuncId, Vec<Site>>,
    /// Functions that are called through pointers, or by nobody known.
    called_elsewhere: FxHashSet<FuncId>,
    attempts: bool,
}

impl<'p> Rechecks<'p> {
    pub fn new(program: &'p Program) -> Rechecks<'p> {
        let mut callers: FxHashMap<FuncId, Vec<Site>> = FxHashMap::default();
        let mut called_elsewhere = FxHashSet::default();
        let mut take = |operand: Operand| {
            if let Operand::Function(id) = operand {
                called_elsewhere.insert(id);
            }
        };
        let mut attempts = false;
        for id in (0..program.functions.len() as u32).map(FuncId) {
            for (site, inst) in instructions(program, id) {
                if let Op::Call { callee: Callee::Direct(callee), .. } = &inst.op {
                    callers.entry(*callee).or_default().push(site);
                    attempts |= ATTEMPTS.contains(&program.function(*callee).name.as_str());
                }
                inst.op.operands().into_iter().for_each(&mut take);
            }
            for block in &program.function(id).blocks {
                block.term.operands().into_iter().for_each(&mut take);
                for edge in block.term.edges() {
                    edge.moves.iter().for_each(|&(_, from)| take(from));
                }
            }
        }
        for relocation in
            program.globals.iter().filter_map(|g| g.init.as_ref()).flat_map(|i| &i.relocations)
        {
            if let heddle_ir::Symbol::Function(id) = relocation.symbol {
                called_elsewhere.insert(id);
            }
        }
        Rechecks { program, quiet: Quiet::new(program), callers, called_elsewhere, attempts }
    }

    /// Does it make no difference whether the wait at this call can end without a signal?
    pub fn checks_again(&self, wait: Site) -> bool {
        let Some(Op::Call { args, .. }) = wait.op(self.program) else { return false };
        let mutex = args.get(1).and_then(|&mutex| Key::of(self.program, wait.function, mutex));
        let mut seen = FxHashSet::default();
        !self.attempts && mutex.is_some_and(|mutex| self.is_in_loop(wait, &mutex, &mut seen))
    }

    fn is_in_loop(&self, wait: Site, mutex: &Key, seen: &mut FxHashSet<Site>) -> bool {
        if !seen.insert(wait) {
            return false;
        }
        let function = self.program.function(wait.function);
        let Some(cycle) = innermost(function, wait.block) else { return false };
        if cycle.is_empty() {
            return self.only_waits(wait)
                && self.all_callers(wait.function, |caller| {
                    let mutex = mutex.in_caller(self.program, caller);
                    mutex.is_some_and(|mutex| self.is_in_loop(caller, &mutex, seen))
                });
        }
        let Some(entry) = only_entry(function, &cycle) else { return false };
        self.changes_nothing(function, &cycle, wait)
            && carries_nothing(function, &cycle, entry)
            && returns_to(function, &cycle, wait.block, entry)
            && self.starts_with_lock(wait.function, &cycle, entry, mutex)
    }

    fn all_callers(&self, function: FuncId, mut good: impl FnMut(Site) -> bool) -> bool {
        let callers = self.callers.get(&function).map_or(&[][..], Vec::as_slice);
        !callers.is_empty()
            && !self.called_elsewhere.contains(&function)
            && callers.iter().all(|&caller| good(caller))
    }

    /// Is the wait all that its function does?
    fn only_waits(&self, wait: Site) -> bool {
        let function = self.program.function(wait.function);
        instructions(self.program, wait.function)
            .all(|(site, inst)| site == wait || self.quiet.is_quiet(&inst.op))
            && function.blocks.iter().all(|block| {
                !matches!(block.term, Terminator::Unreachable | Terminator::Unsupported { .. })
            })
    }

    /// Do the blocks of a loop write nothing but for the wait?
    fn changes_nothing(&self, function: &Function, cycle: &FxHashSet<u32>, wait: Site) -> bool {
        cycle.iter().all(|&at| {
            let block = &function.blocks[at as usize];
            block.insts.iter().enumerate().all(|(index, inst)| {
                let site = Site { function: wait.function, block: at, index: index as u32 };
                site == wait || self.quiet.is_quiet(&inst.op)
            })
        })
    }

    /// Does every way into the loop come from a lock, with nothing in between?
    fn starts_with_lock(
        &self,
        id: FuncId,
        cycle: &FxHashSet<u32>,
        entry: u32,
        mutex: &Key,
    ) -> bool {
        let mut walk = Backwards { rechecks: self, seen: FxHashSet::default() };
        let function = self.program.function(id);
        let into = predecessors(function, entry).filter(|from| !cycle.contains(from));
        into.into_iter().all(|from| walk.reaches_lock_from_end(id, from, mutex))
            && (entry != 0 || walk.reaches_lock_from_callers(id, mutex))
    }

    /// Can a walk backwards go past an instruction? `None` where the mutex is locked.
    fn passes(&self, id: FuncId, op: &Op, own: &OwnVariables, mutex: &Key) -> Option<bool> {
        match op {
            Op::Load { addr, .. } | Op::Store { addr, .. } => Some(own.holds(*addr)),
            Op::Call { callee: Callee::Direct(callee), args, .. } => {
                let function = self.program.function(*callee);
                let name = function.name.as_str();
                let first = || Key::of(self.program, id, *args.first()?);
                let locked = match (LOCKS.contains(&name), UNIQUE_LOCKS.contains(&name)) {
                    (true, _) => first(),
                    (_, true) => first().map(Key::content),
                    // What it reads it may keep.
                    _ => {
                        let quiet = self.quiet.is_quiet_function(*callee);
                        return Some(reads_nothing(function) && quiet);
                    }
                };
                match locked.is_some_and(|key| key.is_fixed() && key == *mutex) {
                    true => None,
                    false => Some(false),
                }
            }
            op => Some(self.quiet.is_quiet(op)),
        }
    }
}

/// A walk backwards to where a mutex is locked.
struct Backwards<'a, 'p> {
    rechecks: &'a Rechecks<'p>,
    /// Blocks that were walked from their ends, and functions from their beginnings.
    seen: FxHashSet<(FuncId, Option<u32>)>,
}

impl Backwards<'_, '_> {
    /// From the end of a block.
    fn reaches_lock_from_end(&mut self, id: FuncId, block: u32, mutex: &Key) -> bool {
        if !self.seen.insert((id, Some(block))) {
            return true;
        }
        let count = self.rechecks.program.function(id).blocks[block as usize].insts.len();
        self.reaches_lock_from(id, block, count, mutex)
    }

    /// From before the instruction with this index.
    fn reaches_lock_from(&mut self, id: FuncId, block: u32, index: usize, mutex: &Key) -> bool {
        let rechecks = self.rechecks;
        let function = rechecks.program.function(id);
        let own = own_variables(rechecks.program, function);
        for inst in function.blocks[block as usize].insts[..index].iter().rev() {
            match rechecks.passes(id, &inst.op, &own, mutex) {
                Some(true) => {}
                Some(false) => return false,
                None => return true,
            }
        }
        if block == 0 {
            return self.reaches_lock_from_callers(id, mutex);
        }
        let before: Vec<u32> = predecessors(function, block).collect();
        before.into_iter().all(|from| self.reaches_lock_from_end(id, from, mutex))
    }

    /// A function that comes back to its own beginning may be called with other mutexes.
    fn reaches_lock_from_callers(&mut self, id: FuncId, mutex: &Key) -> bool {
        let rechecks = self.rechecks;
        self.seen.insert((id, None))
            && rechecks.all_callers(id, |caller| {
                let mutex = mutex.in_caller(rechecks.program, caller);
                mutex.is_some_and(|mutex| {
                    self.reaches_lock_from(
                        caller.function,
                        caller.block,
                        caller.index as usize,
                        &mutex,
                    )
                })
            })
    }
}

fn reads_nothing(function: &Function) -> bool {
    function
        .blocks
        .iter()
        .flat_map(|block| &block.insts)
        .all(|inst| !matches!(inst.op, Op::Load { .. } | Op::Call { .. } | Op::ThreadLocal { .. }))
}

fn successors(function: &Function, block: u32) -> impl Iterator<Item = u32> + use<'_> {
    function.blocks[block as usize].term.edges().into_iter().map(|edge| edge.target.0)
}

fn predecessors(function: &Function, block: u32) -> impl Iterator<Item = u32> + use<'_> {
    let all = 0..function.blocks.len() as u32;
    all.filter(move |&from| successors(function, from).any(|to| to == block))
}

/// The blocks of the innermost loop around a block; none if there is no loop. `None` if
/// loops are entered at several places.
fn innermost(function: &Function, block: u32) -> Option<FxHashSet<u32>> {
    let flow = Flow::of(function);
    if flow.back_edges.iter().any(|&(source, header)| !flow.dominates(header, source)) {
        return None;
    }
    let around = |&header: &u32| {
        let mut blocks = FxHashSet::from_iter([header]);
        let sources = flow.back_edges.iter().filter(|edge| edge.1 == header).map(|edge| edge.0);
        let mut todo: Vec<u32> = sources.collect();
        while let Some(at) = todo.pop() {
            if blocks.insert(at) {
                todo.extend(&flow.predecessors[at as usize]);
            }
        }
        blocks
    };
    let headers: FxHashSet<u32> = flow.back_edges.iter().map(|edge| edge.1).collect();
    let loops = headers.iter().map(around).filter(|blocks| blocks.contains(&block));
    Some(loops.min_by_key(FxHashSet::len).unwrap_or_default())
}

/// The one block through which a loop is entered.
fn only_entry(function: &Function, cycle: &FxHashSet<u32>) -> Option<u32> {
    let mut entries = cycle.iter().copied().filter(|&block| {
        block == 0 || predecessors(function, block).any(|from| !cycle.contains(&from))
    });
    let entry = entries.next()?;
    entries.next().is_none().then_some(entry)
}

/// Does no value go from one turn to the next?
fn carries_nothing(function: &Function, cycle: &FxHashSet<u32>, entry: u32) -> bool {
    let back = cycle.iter().flat_map(|&from| function.blocks[from as usize].term.edges());
    let back: Vec<_> = back.filter(|edge| edge.target.0 == entry).collect();
    back.iter().all(|edge| edge.moves.iter().all(|&(reg, from)| from == Operand::Reg(reg)))
}

/// Does the way from the wait lead to the entry, and nowhere out of the loop before?
fn returns_to(function: &Function, cycle: &FxHashSet<u32>, wait: u32, entry: u32) -> bool {
    let mut seen = FxHashSet::default();
    let mut todo = vec![wait];
    while let Some(at) = todo.pop() {
        for to in successors(function, at) {
            if !cycle.contains(&to) {
                return false;
            }
            if to != entry && seen.insert(to) {
                todo.push(to);
            }
        }
    }
    true
}
