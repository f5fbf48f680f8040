//! Locks that are held for sure at each place.
//!
//! A function is described by the locks it may give back and those it has taken for sure when
//! it returns; what is held when it is called is what all its callers hold.

use std::collections::{BTreeMap, BTreeSet};

use heddle_ir::{FuncId, Op, Operand, Terminator};

use super::beside::{called, creates};
use crate::facts::Facts;
use crate::object::{Object, ObjectId};
use crate::site::Site;

/// A place in a global variable, or the lock that atomic sections take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lock {
    Atomic,
    At(ObjectId, i64),
}

/// How it is held: with others, or alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    Read,
    Write,
}

pub type Held = BTreeMap<Lock, Mode>;

/// What a call does to what is held.
#[derive(Clone, Debug, PartialEq)]
struct Summary {
    /// May be given back; `None`: any.
    freed: Option<BTreeSet<Lock>>,
    /// Held at each return, whatever was held before; `None` as long as no return is known.
    taken: Option<Held>,
}

enum Effect {
    Take(Option<Lock>, Mode),
    Give(Option<Lock>),
    Nothing,
}

pub struct Locks<'f, 'p> {
    facts: &'f Facts<'p>,
    summaries: BTreeMap<FuncId, Summary>,
    /// Held when a function is called; for its blocks, at their start.
    starts: BTreeMap<FuncId, Vec<Option<Held>>>,
}

const TAKE: &[&str] =
    &["pthread_mutex_lock", "pthread_spin_lock", "mtx_lock", "pthread_rwlock_wrlock"];
const TAKE_SHARED: &[&str] = &["pthread_rwlock_rdlock"];
const GIVE: &[&str] = &[
    "pthread_mutex_unlock",
    "pthread_spin_unlock",
    "mtx_unlock",
    "pthread_rwlock_unlock",
    "pthread_mutex_init",
    "pthread_mutex_destroy",
    "pthread_rwlock_init",
    "pthread_rwlock_destroy",
];

/// Is the function as a whole an atomic section?
fn is_section(facts: &Facts, function: FuncId) -> bool {
    facts.program.function(function).name.starts_with("__VERIFIER_atomic_")
}

impl<'f, 'p> Locks<'f, 'p> {
    pub fn of(facts: &'f Facts<'p>, entry: FuncId) -> Locks<'f, 'p> {
        let mut locks = Locks { facts, summaries: BTreeMap::new(), starts: BTreeMap::new() };
        let nothing = Summary { freed: Some(BTreeSet::new()), taken: None };
        for function in facts.functions() {
            locks.summaries.insert(function, nothing.clone());
        }
        locks.summarise();
        locks.spread(entry);
        locks
    }

    /// What is held right before an instruction is executed.
    pub fn at(&self, site: Site) -> Held {
        let start = self.starts.get(&site.function);
        let start = start.and_then(|blocks| blocks.get(site.block as usize).cloned().flatten());
        let Some(mut held) = start else { return Held::new() };
        for index in 0..site.index {
            match self.after(Site { index, ..site }, held) {
                Some(after) => held = after,
                None => return Held::new(),
            }
        }
        held
    }

    fn summarise(&mut self) {
        loop {
            let mut changed = false;
            for function in self.facts.functions().collect::<Vec<_>>() {
                let new = self.summary(function);
                changed |= self.summaries.insert(function, new.clone()) != Some(new);
            }
            if !changed {
                return;
            }
        }
    }

    fn summary(&self, function: FuncId) -> Summary {
        let mut freed = Some(BTreeSet::new());
        for (site, inst) in crate::site::instructions(self.facts.program, function) {
            if !matches!(inst.op, Op::Call { .. }) {
                continue;
            }
            for target in called(self.facts, site) {
                let theirs = self.summaries.get(&target).and_then(|summary| summary.freed.clone());
                freed = both(freed, theirs);
            }
            for effect in self.effects(site) {
                match effect {
                    Effect::Give(Some(lock)) => freed = both(freed, Some(BTreeSet::from([lock]))),
                    Effect::Give(None) => freed = None,
                    Effect::Take(..) | Effect::Nothing => {}
                }
            }
        }
        let blocks = self.flow(function, Held::new());
        let mut taken = self.returns(function, &blocks);
        if is_section(self.facts, function)
            && let Some(held) = &mut taken
        {
            held.remove(&Lock::Atomic);
        }
        Summary { freed, taken }
    }

    /// What is held at all returns of a function.
    fn returns(&self, function: FuncId, blocks: &[Option<Held>]) -> Option<Held> {
        let body = self.facts.program.function(function);
        let mut all: Option<Held> = None;
        for (at, block) in body.blocks.iter().enumerate() {
            if !matches!(block.term, Terminator::Return { .. }) {
                continue;
            }
            let site = Site { function, block: at as u32, index: 0 };
            let Some(end) = blocks[at].clone().and_then(|held| self.through(site, held)) else {
                continue;
            };
            all = Some(meet(all, end));
        }
        all
    }

    /// From the start of a block to its end.
    fn through(&self, site: Site, mut held: Held) -> Option<Held> {
        let count =
            self.facts.program.function(site.function).blocks[site.block as usize].insts.len();
        for index in 0..count as u32 {
            held = self.after(Site { index, ..site }, held)?;
        }
        Some(held)
    }

    /// What is held at the start of each block; `None` where nobody comes.
    fn flow(&self, function: FuncId, mut held: Held) -> Vec<Option<Held>> {
        let body = self.facts.program.function(function);
        let mut blocks: Vec<Option<Held>> = vec![None; body.blocks.len()];
        if is_section(self.facts, function) {
            held.insert(Lock::Atomic, Mode::Write);
        }
        let Some(first) = blocks.first_mut() else { return blocks };
        *first = Some(held);
        let mut todo = vec![0u32];
        while let Some(block) = todo.pop() {
            let site = Site { function, block, index: 0 };
            let Some(held) = blocks[block as usize].clone() else { continue };
            let Some(end) = self.through(site, held) else { continue };
            for edge in body.blocks[block as usize].term.edges() {
                let start = &mut blocks[edge.target.0 as usize];
                let new = meet(start.clone(), end.clone());
                if start.as_ref() != Some(&new) {
                    *start = Some(new);
                    todo.push(edge.target.0);
                }
            }
        }
        blocks
    }

    /// From functions to those they call.
    fn spread(&mut self, entry: FuncId) {
        let mut held: BTreeMap<FuncId, Held> = BTreeMap::new();
        let program = self.facts.program;
        let implicit = ["__heddle_end_thread", "__heddle_end_process"];
        let implicit = implicit.iter().filter_map(|name| program.find_function(name));
        let started = self.facts.points.entries.iter().copied();
        let roots = program.constructors.iter().copied().chain(implicit).chain(started);
        for root in roots.chain([entry]) {
            held.insert(root, Held::new());
        }
        let mut todo: Vec<FuncId> = held.keys().copied().collect();
        while let Some(function) = todo.pop() {
            let blocks = self.flow(function, held.get(&function).cloned().unwrap_or_default());
            self.starts.insert(function, blocks);
            for (site, inst) in crate::site::instructions(program, function) {
                if !matches!(inst.op, Op::Call { .. }) || creates(self.facts, site) {
                    continue;
                }
                if self.starts[&function][site.block as usize].is_none() {
                    continue;
                }
                let here = self.at(site);
                for callee in called(self.facts, site) {
                    let new = meet(held.get(&callee).cloned(), here.clone());
                    if held.get(&callee) != Some(&new) {
                        held.insert(callee, new);
                        todo.push(callee);
                    }
                }
            }
        }
    }

    /// What is held after an instruction; `None` if it does not return, as far as is known.
    fn after(&self, site: Site, held: Held) -> Option<Held> {
        let Some(Op::Call { .. }) = site.op(self.facts.program) else { return Some(held) };
        let mut all: Option<Held> = None;
        let bodies = called(self.facts, site);
        for callee in &bodies {
            let Some(summary) = self.summaries.get(callee) else { continue };
            let Some(taken) = &summary.taken else { continue };
            let mut here = held.clone();
            match &summary.freed {
                Some(freed) => here.retain(|lock, _| !freed.contains(lock)),
                None => here.retain(|lock, _| *lock == Lock::Atomic),
            }
            here.extend(taken.iter().map(|(lock, mode)| (*lock, *mode)));
            all = Some(meet(all, here));
        }
        let effects = self.effects(site);
        if effects.is_empty() {
            return if bodies.is_empty() { Some(held) } else { all };
        }
        for effect in effects {
            let mut here = held.clone();
            match effect {
                Effect::Take(Some(lock), mode) => {
                    here.insert(lock, mode);
                }
                Effect::Give(Some(lock)) => {
                    here.remove(&lock);
                }
                Effect::Give(None) => here.retain(|lock, _| *lock == Lock::Atomic),
                Effect::Take(None, _) | Effect::Nothing => {}
            }
            all = Some(meet(all, here));
        }
        all
    }

    /// What library functions that a call may lead to do.
    fn effects(&self, site: Site) -> Vec<Effect> {
        let program = self.facts.program;
        let Some(Op::Call { args, .. }) = site.op(program) else { return Vec::new() };
        let library = self.facts.points.callees(site).iter();
        let library = library.filter(|f| crate::library::is_library(program.function(**f)));
        library
            .map(|&callee| {
                let name = program.function(callee).name.as_str();
                let lock = || args.first().and_then(|&arg| self.lock(site.function, arg));
                match name {
                    "__VERIFIER_atomic_begin" => Effect::Take(Some(Lock::Atomic), Mode::Write),
                    "__VERIFIER_atomic_end" => Effect::Give(Some(Lock::Atomic)),
                    _ if TAKE.contains(&name) => Effect::Take(lock(), Mode::Write),
                    _ if TAKE_SHARED.contains(&name) => Effect::Take(lock(), Mode::Read),
                    _ if GIVE.contains(&name) => Effect::Give(lock()),
                    _ => Effect::Nothing,
                }
            })
            .collect()
    }

    /// The one place that an address is, if it is one.
    fn lock(&self, function: FuncId, address: Operand) -> Option<Lock> {
        let targets = self.facts.targets(function, address)?;
        let &[(object, Some(offset))] = targets.as_slice() else { return None };
        let global = matches!(self.facts.points.objects().get(object), Object::Global(_));
        global.then_some(Lock::At(object, offset))
    }
}

fn both(a: Option<BTreeSet<Lock>>, b: Option<BTreeSet<Lock>>) -> Option<BTreeSet<Lock>> {
    let mut all = a?;
    all.extend(b?);
    Some(all)
}

fn meet(a: Option<Held>, b: Held) -> Held {
    let Some(mut all) = a else { return b };
    all.retain(|lock, mode| match b.get(lock) {
        Some(other) => {
            *mode = (*mode).min(*other);
            true
        }
        None => false,
    });
    all
}

/// What the source calls a lock.
pub fn name(facts: &Facts, lock: Lock) -> String {
    let Lock::At(object, offset) = lock else { return "atomic section".to_string() };
    let Object::Global(id) = facts.points.objects().get(object) else { return "?".to_string() };
    let global = facts.program.global(id);
    let name = global.source_name.as_ref().unwrap_or(&global.name);
    if offset == 0 { name.clone() } else { format!("{name}+{offset}") }
}
