//! Which threads may run beside which places.
//!
//! Threads come in classes: `main`, and one class for each place that creates threads and each
//! function that they may start in. A class is *many* if its place may be executed more than
//! once. Any two classes may run at the same time, but for `main` at places where no thread of
//! a class can have been created.

use std::collections::{BTreeMap, BTreeSet};

use heddle_ir::{FuncId, Terminator};

use crate::facts::Facts;
use crate::library::Effect;
use crate::site::Site;

/// Called at the end of the process, after `main`.
const AT_PROCESS_END: &str = "__heddle_end_process";
const AT_THREAD_END: &str = "__heddle_end_thread";

type Class = usize;
const MAIN: Class = 0;

pub struct Beside {
    /// For each function the classes that may execute it.
    runs: Vec<BTreeSet<Class>>,
    /// There may be more than one thread of the class.
    many: Vec<bool>,
    /// For places of functions that `main` executes: classes that may have been created by
    /// then. By function, for each block its start, and creations and calls in it.
    before: BTreeMap<FuncId, Vec<Grown>>,
}

/// What may have been created at the start of a block, and what its instructions add.
#[derive(Clone, Debug, Default)]
struct Grown {
    start: BTreeSet<Class>,
    added: Vec<(u32, BTreeSet<Class>)>,
}

impl Grown {
    fn at(&self, index: u32) -> BTreeSet<Class> {
        let mut all = self.start.clone();
        // A thread may run before the call that creates it has returned.
        let before = self.added.iter().filter(|(at, _)| *at <= index);
        before.for_each(|(_, classes)| all.extend(classes));
        all
    }

    fn end(&self) -> BTreeSet<Class> {
        self.at(u32::MAX)
    }
}

/// Does a call create threads?
pub fn creates(facts: &Facts, site: Site) -> bool {
    facts.effects(site).any(|effect| matches!(effect, Effect::Create { .. }))
}

/// Functions of the program that a call leads to, in the same thread.
pub fn called(facts: &Facts, site: Site) -> Vec<FuncId> {
    let body = |&function: &FuncId| facts.points.reachable[function.0 as usize];
    match creates(facts, site) {
        true => Vec::new(),
        false => facts.points.callees(site).iter().copied().filter(body).collect(),
    }
}

impl Beside {
    pub fn of(facts: &Facts, entry: FuncId) -> Beside {
        let program = facts.program;
        let calls: Vec<(Site, Vec<FuncId>, bool)> = facts
            .instructions()
            .filter(|(_, inst)| matches!(inst.op, heddle_ir::Op::Call { .. }))
            .map(|(site, _)| match creates(facts, site) {
                true => {
                    let started = facts.points.callees(site).iter().copied();
                    let body = |f: &FuncId| facts.points.reachable[f.0 as usize];
                    (site, started.filter(body).collect(), true)
                }
                false => (site, called(facts, site), false),
            })
            .collect();
        let mut roots: Vec<Vec<FuncId>> = vec![vec![entry]];
        roots[MAIN].extend(program.constructors.iter().copied());
        roots[MAIN].extend(program.find_function(AT_PROCESS_END));
        roots[MAIN].extend(program.find_function(AT_THREAD_END));
        let mut many = vec![false];
        let mut created: BTreeMap<Site, BTreeSet<Class>> = BTreeMap::new();
        for (site, started, _) in calls.iter().filter(|(.., creates)| *creates) {
            for &function in started {
                created.entry(*site).or_default().insert(roots.len());
                let end = program.find_function(AT_THREAD_END);
                roots.push(std::iter::once(function).chain(end).collect());
                many.push(!once(facts, entry, *site, &mut Vec::new()));
            }
        }
        let mut direct: BTreeMap<FuncId, BTreeSet<FuncId>> = BTreeMap::new();
        for (site, functions, _) in calls.iter().filter(|(.., creates)| !creates) {
            direct.entry(site.function).or_default().extend(functions);
        }
        let mut runs = vec![BTreeSet::new(); program.functions.len()];
        for (class, roots) in roots.iter().enumerate() {
            let mut todo = roots.clone();
            while let Some(function) = todo.pop() {
                if runs[function.0 as usize].insert(class) {
                    todo.extend(direct.get(&function).into_iter().flatten());
                }
            }
        }
        let mut beside = Beside { runs, many, before: BTreeMap::new() };
        let gives = beside.creations(&calls, &created);
        beside.flow(facts, &roots[MAIN], &calls, &gives);
        beside
    }

    /// For each call the classes that may come to be by it, and by threads that do.
    fn creations(
        &self,
        calls: &[(Site, Vec<FuncId>, bool)],
        created: &BTreeMap<Site, BTreeSet<Class>>,
    ) -> BTreeMap<Site, BTreeSet<Class>> {
        let mut by_function: BTreeMap<FuncId, BTreeSet<Class>> = BTreeMap::new();
        let of_call = |by_function: &BTreeMap<FuncId, BTreeSet<Class>>,
                       (site, functions, _): &(Site, Vec<FuncId>, bool)| {
            // What a new thread creates comes to be by its creation, too.
            let below = functions.iter().filter_map(|f| by_function.get(f)).flatten().copied();
            let own = created.get(site).into_iter().flatten().copied();
            own.chain(below).collect::<BTreeSet<Class>>()
        };
        loop {
            let mut grown = false;
            for call in calls {
                let all = of_call(&by_function, call);
                let known = by_function.entry(call.0.function).or_default();
                let before = known.len();
                known.extend(all);
                grown |= known.len() > before;
            }
            if !grown {
                break;
            }
        }
        calls.iter().map(|call| (call.0, of_call(&by_function, call))).collect()
    }

    /// What may have been created when `main` is at a place.
    fn flow(
        &mut self,
        facts: &Facts,
        roots: &[FuncId],
        calls: &[(Site, Vec<FuncId>, bool)],
        gives: &BTreeMap<Site, BTreeSet<Class>>,
    ) {
        let mut targets: BTreeMap<Site, &[FuncId]> = BTreeMap::new();
        for (site, functions, creates) in calls {
            targets.insert(*site, if *creates { &[] } else { functions });
        }
        let mut entry_states: BTreeMap<FuncId, BTreeSet<Class>> = BTreeMap::new();
        // What runs when the process ends comes after anything.
        let all: BTreeSet<Class> = (1..self.many.len()).collect();
        for (nth, &root) in roots.iter().enumerate() {
            let ends = nth > 0 && !facts.program.constructors.contains(&root);
            entry_states.insert(root, if ends { all.clone() } else { BTreeSet::new() });
        }
        let mut todo: Vec<FuncId> = roots.to_vec();
        while let Some(function) = todo.pop() {
            let body = facts.program.function(function);
            let mut blocks = vec![Grown::default(); body.blocks.len()];
            for (site, added) in gives.range(
                Site { function, block: 0, index: 0 }..=Site {
                    function,
                    block: u32::MAX,
                    index: u32::MAX,
                },
            ) {
                blocks[site.block as usize].added.push((site.index, added.clone()));
            }
            if let Some(first) = blocks.first_mut() {
                first.start = entry_states.get(&function).cloned().unwrap_or_default();
            }
            let mut grown = true;
            while std::mem::take(&mut grown) {
                for at in 0..blocks.len() {
                    let end = blocks[at].end();
                    for target in successors(&body.blocks[at].term) {
                        let start = &mut blocks[target as usize].start;
                        let before = start.len();
                        start.extend(&end);
                        grown |= start.len() > before;
                    }
                }
            }
            for (site, functions) in targets.range(
                Site { function, block: 0, index: 0 }..=Site {
                    function,
                    block: u32::MAX,
                    index: u32::MAX,
                },
            ) {
                // What the call itself creates is added where it does so, inside.
                let here = blocks[site.block as usize].at_call(site.index);
                for &callee in *functions {
                    let known = entry_states.get(&callee);
                    if !known.is_some_and(|known| known.is_superset(&here)) {
                        entry_states.entry(callee).or_default().extend(&here);
                        todo.push(callee);
                    }
                }
            }
            self.before.insert(function, blocks);
        }
    }

    /// May threads be at these two places at the same time?
    pub fn may_meet(&self, a: Site, b: Site) -> bool {
        let classes = |site: Site| &self.runs[site.function.0 as usize];
        classes(a).iter().any(|&first| {
            classes(b).iter().any(|&second| match (first, second) {
                (MAIN, MAIN) => false,
                (MAIN, other) => self.may_exist(other, a),
                (other, MAIN) => self.may_exist(other, b),
                (first, second) => first != second || self.many[first],
            })
        })
    }

    /// May a thread of the class have been created when `main` is at a place?
    fn may_exist(&self, class: Class, site: Site) -> bool {
        let blocks = self.before.get(&site.function);
        let block = blocks.and_then(|blocks| blocks.get(site.block as usize));
        block.is_none_or(|block| block.at(site.index).contains(&class))
    }
}

impl Grown {
    fn at_call(&self, index: u32) -> BTreeSet<Class> {
        let mut all = self.start.clone();
        let before = self.added.iter().filter(|(at, _)| *at < index);
        before.for_each(|(_, classes)| all.extend(classes));
        all
    }
}

fn successors(terminator: &Terminator) -> Vec<u32> {
    terminator.edges().iter().map(|edge| edge.target.0).collect()
}

/// Is a place executed at most once in a run?
fn once(facts: &Facts, entry: FuncId, site: Site, above: &mut Vec<FuncId>) -> bool {
    if above.contains(&site.function) || in_cycle(facts, site) {
        return false;
    }
    let callers = facts.points.callers(site.function);
    if site.function == entry {
        return callers.is_empty();
    }
    let [caller] = callers else { return false };
    above.push(site.function);
    let once = once(facts, entry, *caller, above);
    above.pop();
    once
}

fn in_cycle(facts: &Facts, site: Site) -> bool {
    let blocks = &facts.program.function(site.function).blocks;
    let mut seen = vec![false; blocks.len()];
    let mut todo = successors(&blocks[site.block as usize].term);
    while let Some(block) = todo.pop() {
        if block == site.block {
            return true;
        }
        if !std::mem::replace(&mut seen[block as usize], true) {
            todo.extend(successors(&blocks[block as usize].term));
        }
    }
    false
}
