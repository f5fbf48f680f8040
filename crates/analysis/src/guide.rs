//! What a search is told: which accesses are steps of their own, which objects only
//! one thread can reach, and whose loops it may rely on.

use heddle_ir::Op;
use rustc_hash::FxHashSet;

use crate::address::address_of;
use crate::essential::{Loop, Property, of_search, suspect};
use crate::facts::Facts;
use crate::needed::needed;
use crate::object::Object;
use crate::overwritten::overwritten;
use crate::silent::Silent;
use crate::site::Site;

/// What becomes of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It is made at once, and nobody is asked. So is a lock or unlock.
    Hidden,
    /// It is a step that only looks whether the object is still there. Of an initialisation or
    /// destruction: nobody else may be there.
    Probe,
    /// It is overwritten at once: no step, unless another thread reads there.
    Blind,
    /// It is a step.
    Kept,
}

/// Sites are numbered as in `Sites`.
#[derive(Clone, Debug)]
pub struct Guidance {
    pub starts: Vec<Vec<u32>>,
    pub roles: Vec<Role>,
    /// Allocations of objects that no other thread can reach.
    pub private: Vec<bool>,
    /// Global variables that only hidden accesses go to.
    pub idle: Vec<bool>,
    /// For each function and register: something that matters may depend on its value.
    pub needed: Vec<Vec<bool>>,
    /// Reads that matter, but were not executed yet.
    pub unread: Vec<bool>,
    /// Loops of which it matters whether they end.
    pub loops: FxHashSet<Loop>,
    /// Functions that may run.
    pub functions: Vec<bool>,
    /// Instructions and terminators in the slice, and all that may run.
    pub within: usize,
    pub all: usize,
    pub kept: usize,
    pub dropped: usize,
    /// Writes that are overwritten at once.
    pub blind: usize,
}

/// `None` if too little is known about the program. `seen`: the reads that were executed,
/// if only those are to count.
pub fn guide(
    facts: &Facts,
    properties: &[Property],
    loops: &FxHashSet<Loop>,
    seen: Option<&FxHashSet<u32>>,
) -> Option<Guidance> {
    if facts.lost {
        return None;
    }
    let mut loud = FxHashSet::default();
    loop {
        let silent = Silent::of(facts, &loud);
        let guidance = guide_with(facts, &silent, properties, loops, seen);
        let role = |site| guidance.roles[facts.sites.number(site)];
        let own = |site: Site| is_own(facts, site);
        let broken = silent.broken(facts, |site| role(site) != Role::Hidden && !own(site));
        if broken.is_empty() {
            return Some(guidance);
        }
        loud.extend(broken);
    }
}

/// An access to what only the thread itself can reach.
fn is_own(facts: &Facts, site: Site) -> bool {
    let address = site.op(facts.program).and_then(address_of);
    let targets = address.and_then(|address| facts.targets(site.function, address));
    targets.is_some_and(|targets| targets.iter().all(|at| !facts.escapes[at.0.0 as usize]))
}

/// The same, if these locks are none.
fn guide_with(
    facts: &Facts,
    silent: &Silent,
    properties: &[Property],
    loops: &FxHashSet<Loop>,
    seen: Option<&FxHashSet<u32>>,
) -> Guidance {
    let mut slice = of_search(facts, silent, properties, loops, seen);
    let mut guidance = Guidance {
        starts: facts.sites.starts().to_vec(),
        roles: vec![Role::Kept; facts.sites.len()],
        private: private_allocations(facts),
        idle: Vec::new(),
        needed: Vec::new(),
        unread: std::mem::take(&mut slice.unread),
        loops: kept_loops(facts, properties, loops),
        functions: facts.points.reachable.clone(),
        within: slice.len(),
        all: 0,
        kept: 0,
        dropped: 0,
        blind: 0,
    };
    for function in facts.functions() {
        let blocks = &facts.program.function(function).blocks;
        guidance.all += blocks.iter().map(|block| block.insts.len() + 1).sum::<usize>();
    }
    for (site, inst) in facts.instructions() {
        if !is_access(&inst.op) {
            continue;
        }
        let role = match slice.keeps(site) {
            true => Role::Kept,
            false => role_of_dropped(facts, site, &inst.op),
        };
        guidance.roles[facts.sites.number(site)] = role;
        match role {
            Role::Hidden => guidance.dropped += 1,
            Role::Probe | Role::Blind | Role::Kept => guidance.kept += 1,
        }
    }
    for site in overwritten(facts) {
        let role = &mut guidance.roles[facts.sites.number(site)];
        if *role == Role::Kept {
            *role = Role::Blind;
            guidance.blind += 1;
        }
    }
    for &site in &silent.calls {
        guidance.roles[facts.sites.number(site)] = Role::Hidden;
        guidance.dropped += 1;
    }
    if !silent.calls.is_empty() {
        for &site in &silent.alone {
            guidance.roles[facts.sites.number(site)] = Role::Probe;
        }
    }
    guidance.idle = idle_variables(facts, &guidance.roles);
    if !properties.contains(&Property::Overflow) {
        guidance.needed = needed(facts, &guidance.roles, &guidance.idle);
    }
    guidance
}

/// Variables that no access which is a step may go to, and no library function.
fn idle_variables(facts: &Facts, roles: &[Role]) -> Vec<bool> {
    let mut idle = vec![true; facts.program.globals.len()];
    let objects = facts.points.objects();
    for (site, inst) in facts.instructions() {
        let operands = match &inst.op {
            op if is_access(op) => match roles[facts.sites.number(site)] {
                Role::Hidden => continue,
                Role::Probe | Role::Blind | Role::Kept => address_of(op).into_iter().collect(),
            },
            Op::Call { args, .. } if facts.effects(site).next().is_some() => args.to_vec(),
            _ => continue,
        };
        for operand in operands {
            for (target, _) in facts.points.targets(site.function, operand) {
                match objects.get(target) {
                    Object::Wild => return Vec::new(),
                    Object::Global(global) => idle[global.0 as usize] = false,
                    _ => {}
                }
            }
        }
    }
    idle
}

fn is_access(op: &Op) -> bool {
    address_of(op).is_some()
}

/// An access whose value does not matter may still find that the object is gone.
fn role_of_dropped(facts: &Facts, site: Site, op: &Op) -> Role {
    let Some(address) = suspect(facts, site, op) else { return Role::Hidden };
    let Some(targets) = facts.targets(site.function, address) else { return Role::Probe };
    let ends = |id: usize| facts.mortal[id] && facts.escapes[id];
    match targets.iter().any(|target| ends(target.0.0 as usize)) {
        true => Role::Probe,
        false => Role::Hidden,
    }
}

fn private_allocations(facts: &Facts) -> Vec<bool> {
    let mut private = vec![false; facts.sites.len()];
    let objects = facts.points.objects();
    for id in objects.ids() {
        if let Object::Stack(site) | Object::Heap(site) = objects.get(id) {
            private[facts.sites.number(site)] = !facts.escapes[id.0 as usize];
        }
    }
    private
}

fn kept_loops(facts: &Facts, properties: &[Property], loops: &FxHashSet<Loop>) -> FxHashSet<Loop> {
    if !properties.contains(&Property::Deadlock) {
        return loops.clone();
    }
    let headers = facts.functions().flat_map(|function| {
        let back = &facts.flows[function.0 as usize].back_edges;
        back.iter().map(move |&(_, header)| (function, header))
    });
    headers.collect()
}
