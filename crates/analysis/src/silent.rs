//! Critical sections that nobody could tell from nothing: their locks are no steps, and
//! whether they are executed does not matter.
//!
//! Kusano and Wang, "Assertion Guided Abstraction" (ASE 2014), take every lock operation for
//! essential, so that whatever decides how often one is executed is in the slice: all of a
//! hash table, where the compare-and-swap of its slots is a function that locks. Deviation:
//!
//! 1. A section in which everything is hidden does nothing that matters but to keep others
//!    waiting for its mutex, and these wait for hidden sections only. Take any execution of
//!    the program. Between the steps that matter hidden sections begin and end; whoever is
//!    in the middle of one can go on to its end by itself. So an execution with the same
//!    steps that matter, in which each hidden section is run at once, as part of the step
//!    before it, is possible, and in that one nobody ever waits for such a mutex.
//!
//! This can't be supposed and watched as other critical sections are (`critical_sections` in the
//! machine): which hidden sections are executed, and how they go, is not the same in all
//! executions that the search stands for. So it is proven of the program's text, for each
//! object with mutexes as a whole:
//!
//! 2. From every lock all paths lead to an unlock of the same mutex in the same function
//!    (a call of a function that does nothing but lock or unlock counts as the operation),
//!    and to no end of the function or call of anything that could matter. Other locks on the
//!    way are of silent mutexes of other objects, which are taken in no circle. Every unlock
//!    comes after its lock, the last first. Addresses are the same if they are computed in the same
//!    way from the same registers.
//! 3. Nothing else is done to the object's mutexes, but initialisation before anybody else
//!    is there and destruction when nobody is any more, which the machine watches, and
//!    after which the program neither locks one nor creates a thread.
//! 4. The mutex is a global variable, or a block that is never freed and whose mutexes are
//!    initialised before anybody else can see it.
//! 5. All accesses in the section turn out to be hidden when the slice is known
//!    (`guide`); else the mutexes count as usual.
//!
//! So the lock succeeds always, and what follows where it does not is never executed.

use heddle_ir::{BinOp, Callee, Cast, Compare, FuncId, GlobalId, Op, Operand, Reg, Terminator, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::address::may_fail;
use crate::contents::written_first;
use crate::facts::{Definition, Facts};
use crate::library::Effect;
use crate::object::{Object, ObjectId};
use crate::site::Site;

const LOCKS: &[&str] = &["pthread_mutex_lock", "mtx_lock"];
const UNLOCKS: &[&str] = &["pthread_mutex_unlock", "mtx_unlock"];
const INITS: &[&str] = &["pthread_mutex_init", "mtx_init"];
const ENDS: &[&str] = &["pthread_mutex_destroy", "mtx_destroy"];

/// Bytes of a mutex.
const BYTES: u32 = 40;
/// Computations that are compared, and functions that are looked into.
const DEPTH: u32 = 12;
/// Locks that are held at a time.
const MOST_HELD: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Lock,
    Unlock,
}

/// How an address is computed.
#[derive(Clone, Debug, PartialEq)]
enum Key {
    Leaf(Reg),
    Global(GlobalId, i64),
    Const(u64),
    Add(Box<Key>, i64, Vec<(Key, i64, u8)>),
    Cast(Cast, Ty, Ty, Box<Key>),
    Binary(BinOp, u8, Box<Key>, Box<Key>),
}

/// A lock or unlock, as the function sees it in which it stands.
#[derive(Clone, Debug)]
struct Deed {
    kind: Kind,
    key: Key,
    /// The calls of the library's function that it comes down to.
    bases: Vec<Site>,
}

/// What a walk over a function comes to before the next deed.
#[derive(Default)]
struct Walk {
    deeds: Vec<Site>,
    /// It may come to the end of the function.
    ends: bool,
    /// It may come by what could matter.
    loud: bool,
    accesses: Vec<Site>,
    blocks: FxHashSet<u32>,
}

/// A critical section.
#[derive(Default)]
struct Section {
    bases: Vec<Site>,
    accesses: Vec<Site>,
}

/// Locks that are no steps.
#[derive(Default)]
pub struct Silent {
    /// Calls that lock or unlock.
    pub calls: FxHashSet<Site>,
    /// Calls that must be made alone.
    pub alone: FxHashSet<Site>,
    /// What follows a failed lock.
    pub dead: FxHashSet<(FuncId, u32)>,
    sections: Vec<Section>,
}

impl Silent {
    /// `loud`: objects whose mutexes are not to be silent.
    pub fn of(facts: &Facts, loud: &FxHashSet<ObjectId>) -> Silent {
        let locks = |name: &str| LOCKS.contains(&name);
        let used = facts.program.functions.iter().any(|f| f.is_declaration() && locks(&f.name));
        if !used || facts.program.pointer_bytes != 8 {
            return Silent::default();
        }
        Finder::new(facts, loud).find()
    }

    /// Objects of mutexes under which something is accessed that matters.
    pub fn broken(&self, facts: &Facts, matters: impl Fn(Site) -> bool) -> FxHashSet<ObjectId> {
        let broken = self.sections.iter().filter(|s| s.accesses.iter().any(|&at| matters(at)));
        broken.flat_map(|section| &section.bases).flat_map(|&base| objects(facts, base)).collect()
    }

    pub fn is_dead(&self, site: Site) -> bool {
        self.dead.contains(&(site.function, site.block))
    }

    /// May the address of a silent operation be bad?
    pub fn suspect(&self, facts: &Facts, site: Site) -> Option<Operand> {
        let address = first_argument(facts, site)?;
        may_fail(facts, site.function, address, BYTES).then_some(address)
    }
}

fn first_argument(facts: &Facts, site: Site) -> Option<Operand> {
    match site.op(facts.program)? {
        Op::Call { args, .. } => args.first().copied(),
        _ => None,
    }
}

/// Objects of the mutexes at a call.
fn objects(facts: &Facts, base: Site) -> Vec<ObjectId> {
    let address = first_argument(facts, base);
    let targets = address.map(|address| facts.points.targets(base.function, address));
    targets.into_iter().flatten().map(|target| target.0).collect()
}

struct Finder<'a, 'p> {
    facts: &'a Facts<'p>,
    /// Functions that do nothing but lock or unlock.
    wrappers: FxHashMap<FuncId, Option<Deed>>,
    /// Can anything in a function matter, and what does it access?
    insides: FxHashMap<FuncId, Option<Vec<Site>>>,
    loud: FxHashSet<ObjectId>,
    /// Objects of mutexes of which the second is taken under the first.
    nested: FxHashSet<(ObjectId, ObjectId)>,
}

impl<'a, 'p> Finder<'a, 'p> {
    fn new(facts: &'a Facts<'p>, loud: &FxHashSet<ObjectId>) -> Self {
        let (wrappers, insides) = (FxHashMap::default(), FxHashMap::default());
        Finder { facts, wrappers, insides, loud: loud.clone(), nested: FxHashSet::default() }
    }

    fn find(mut self) -> Silent {
        let mut silent = Silent::default();
        let mut sections = Vec::new();
        let functions: Vec<FuncId> = self.facts.functions().collect();
        for function in functions {
            self.sections_of(function, &mut sections);
        }
        self.look_at_others(&mut silent);
        // All sections of an object are silent, or none is.
        loop {
            let before = self.loud.len();
            for section in &sections {
                let all = || section.bases.iter().flat_map(|&base| objects(self.facts, base));
                let bad = all().any(|object| self.loud.contains(&object));
                if bad {
                    let all: Vec<ObjectId> = all().collect();
                    self.loud.extend(all);
                }
            }
            self.judge_nested();
            if self.loud.len() == before {
                break;
            }
        }
        let loud = |site: Site| objects(self.facts, site).iter().any(|id| self.loud.contains(id));
        sections.retain(|section| !section.bases.iter().any(|&base| loud(base)));
        silent.calls = sections.iter().flat_map(|section| &section.bases).copied().collect();
        silent.alone.retain(|&site| !loud(site));
        silent.sections = sections;
        self.find_dead(&mut silent);
        silent
    }

    fn name(&self, site: Site) -> Option<&'p str> {
        let Op::Call { callee: Callee::Direct(callee), .. } = site.op(self.facts.program)? else {
            return None;
        };
        let function = self.facts.program.function(*callee);
        function.is_declaration().then_some(&*function.name)
    }

    fn base_kind(&self, site: Site) -> Option<Kind> {
        let name = self.name(site)?;
        if LOCKS.contains(&name) {
            return Some(Kind::Lock);
        }
        UNLOCKS.contains(&name).then_some(Kind::Unlock)
    }

    /// The sections of a function. Whatever is not one makes its mutexes loud.
    fn sections_of(&mut self, function: FuncId, sections: &mut Vec<Section>) {
        if self.wrapper(function, DEPTH).is_some() {
            return;
        }
        let mut deeds: FxHashMap<Site, Deed> = FxHashMap::default();
        for (site, _) in crate::site::instructions(self.facts.program, function) {
            if let Some(deed) = self.deed(site, DEPTH) {
                deeds.insert(site, deed);
            }
        }
        if deeds.is_empty() {
            return;
        }
        let mut bad: FxHashSet<Site> = FxHashSet::default();
        let mut found: FxHashMap<Site, Section> = FxHashMap::default();
        // After which deed, and the locks that are held there, innermost last.
        let mut todo: Vec<(Option<Site>, Vec<Site>)> = vec![(None, Vec::new())];
        let mut seen: FxHashSet<(Option<Site>, Vec<Site>)> = FxHashSet::default();
        while let Some((at, held)) = todo.pop() {
            if !seen.insert((at, held.clone())) {
                continue;
            }
            let start = at.map_or((0, 0), |site| (site.block, site.index + 1));
            let walk = self.walk(function, start, DEPTH);
            if walk.loud || walk.ends || held.len() > MOST_HELD {
                bad.extend(&held);
            }
            for &lock in &held {
                if !self.stays(&deeds[&lock].key, lock, &walk) {
                    bad.insert(lock);
                }
                let section = found.entry(lock).or_default();
                section.accesses.extend(&walk.accesses);
            }
            for &next in &walk.deeds {
                let mut held = held.clone();
                match (deeds[&next].kind, held.last().copied()) {
                    (Kind::Lock, _) if held.len() > MOST_HELD => {
                        bad.insert(next);
                        bad.extend(held);
                        continue;
                    }
                    (Kind::Lock, _) => {
                        let inner = self.objects_of(&deeds[&next]);
                        for lock in &held {
                            for outer in self.objects_of(&deeds[lock]) {
                                self.nested.extend(inner.iter().map(|&inner| (outer, inner)));
                            }
                        }
                        found.entry(next).or_default().bases.extend(&deeds[&next].bases);
                        held.push(next);
                    }
                    (Kind::Unlock, Some(lock)) if deeds[&lock].key == deeds[&next].key => {
                        let section = found.entry(lock).or_default();
                        section.bases.extend(&deeds[&next].bases);
                        held.pop();
                    }
                    (Kind::Unlock, _) => {
                        bad.insert(next);
                        bad.extend(std::mem::take(&mut held));
                    }
                }
                todo.push((Some(next), held));
            }
        }
        // Those that no path leads to are never executed, as far as is known here.
        let reached = |site: &&Site| seen.iter().any(|(at, _)| *at == Some(**site));
        bad.extend(deeds.keys().filter(|site| !reached(site)));
        for site in bad {
            let objects = self.objects_of(&deeds[&site]);
            self.loud.extend(objects);
        }
        sections.extend(found.into_values());
    }

    fn objects_of(&self, deed: &Deed) -> Vec<ObjectId> {
        deed.bases.iter().flat_map(|&base| objects(self.facts, base)).collect()
    }

    /// Whoever holds a mutex and takes another one must find that silent too, and mutexes that
    /// are taken in a circle may all wait.
    fn judge_nested(&mut self) {
        self.loud.extend(self.nested.iter().filter(|(a, b)| a == b).map(|pair| pair.0));
        let (loud, nested) = (&mut self.loud, &self.nested);
        loop {
            let outer = nested.iter().filter(|(a, b)| loud.contains(b) && !loud.contains(a));
            let outer: Vec<ObjectId> = outer.map(|pair| pair.0).collect();
            if outer.is_empty() {
                break;
            }
            loud.extend(outer);
        }
        // Take away what nothing is taken under, until only circles are left, and what leads
        // there.
        let mut left: Vec<(ObjectId, ObjectId)> =
            nested.iter().filter(|(a, _)| !loud.contains(a)).copied().collect();
        loop {
            let outer: FxHashSet<ObjectId> = left.iter().map(|pair| pair.0).collect();
            let before = left.len();
            left.retain(|(_, inner)| outer.contains(inner));
            if left.len() == before {
                break;
            }
        }
        loud.extend(left.into_iter().flat_map(|(a, b)| [a, b]));
    }

    /// Has the key the same value all through the section?
    fn stays(&self, key: &Key, lock: Site, walk: &Walk) -> bool {
        let again = walk.blocks.contains(&lock.block);
        let fresh = |block: u32| walk.blocks.contains(&block);
        match key {
            Key::Global(..) | Key::Const(_) => true,
            Key::Add(base, _, scales) => {
                let mut all = scales.iter().map(|scale| &scale.0).chain([&**base]);
                all.all(|key| self.stays(key, lock, walk))
            }
            Key::Cast(_, _, _, a) => self.stays(a, lock, walk),
            Key::Binary(_, _, a, b) => self.stays(a, lock, walk) && self.stays(b, lock, walk),
            Key::Leaf(reg) => match self.facts.definition(lock.function, *reg) {
                Definition::Param(_) => true,
                // Its own block is among the others if the walk comes there again.
                Definition::Inst(site) => !fresh(site.block) || site.block == lock.block && !again,
                Definition::Moves(moves) => !moves.iter().any(|taken| {
                    let function = self.facts.program.function(lock.function);
                    let edges = function.blocks[taken.block as usize].term.edges();
                    edges.get(taken.edge as usize).is_none_or(|edge| fresh(edge.target.0))
                }),
                Definition::Nowhere => false,
            },
        }
    }

    /// What is done to mutexes otherwise.
    fn look_at_others(&mut self, silent: &mut Silent) {
        let facts = self.facts;
        let pointer = facts.program.pointer_bytes;
        // Mutexes that are locked anywhere.
        let mut mutexes: FxHashMap<ObjectId, FxHashSet<Option<i64>>> = FxHashMap::default();
        for (site, _) in facts.instructions() {
            if self.base_kind(site).is_some()
                && let Some(address) = first_argument(facts, site)
            {
                for (object, offset) in facts.points.targets(site.function, address) {
                    mutexes.entry(object).or_default().insert(offset);
                }
            }
        }
        let hits = |object: ObjectId, offset: Option<i64>, bytes: u32| {
            mutexes.get(&object).is_some_and(|places| {
                places.iter().any(|place| match (place, offset) {
                    (Some(mutex), Some(start)) => {
                        *mutex < start.saturating_add(i64::from(bytes))
                            && start < mutex.saturating_add(i64::from(BYTES))
                    }
                    _ => true,
                })
            })
        };
        let mut inits: FxHashMap<ObjectId, Vec<(Site, Operand)>> = FxHashMap::default();
        let mut ends: Vec<Site> = Vec::new();
        let mut loud: Vec<ObjectId> = Vec::new();
        for (site, inst) in facts.instructions() {
            let (addresses, bytes): (Vec<Operand>, Option<u32>) = match &inst.op {
                Op::Store { addr, ty, .. }
                | Op::Rmw { addr, ty, .. }
                | Op::CmpXchg { addr, ty, .. } => (vec![*addr], Some(ty.bytes(pointer))),
                Op::Call { args, .. } if facts.effects(site).any(Effect::matters) => {
                    if self.base_kind(site).is_some() {
                        continue;
                    }
                    let name = self.name(site).unwrap_or_default();
                    let first = args.first().copied();
                    if INITS.contains(&name) || ENDS.contains(&name) {
                        silent.alone.insert(site);
                        for object in objects(facts, site) {
                            if let (true, Some(address)) = (INITS.contains(&name), first) {
                                inits.entry(object).or_default().push((site, address));
                            }
                        }
                        if ENDS.contains(&name) {
                            ends.push(site);
                        }
                        // Attributes are no mutexes.
                        (args.iter().skip(1).copied().collect(), None)
                    } else {
                        let data = facts.effects(site).find_map(|effect| match effect {
                            Effect::Create { data, .. } => Some(data),
                            _ => None,
                        });
                        let others = args.iter().enumerate().filter(|(at, _)| Some(*at) != data);
                        (others.map(|(_, &arg)| arg).collect(), None)
                    }
                }
                _ => continue,
            };
            for address in addresses {
                let targets = facts.points.targets(site.function, address);
                if targets.iter().any(|target| target.0 == ObjectId::WILD) {
                    loud.extend(mutexes.keys());
                }
                let Some(bytes) = bytes else {
                    loud.extend(targets.into_iter().map(|target| target.0));
                    continue;
                };
                let touched = facts.touched(site.function, address, bytes).unwrap_or_default();
                let hit =
                    touched.into_iter().filter(|&(object, span)| hits(object, span.0, span.1));
                loud.extend(hit.map(|(object, _)| object));
            }
        }
        for site in ends {
            if !self.is_last(site) {
                loud.extend(objects(facts, site));
            }
        }
        for (&object, places) in &mutexes {
            let known = match facts.points.objects().get(object) {
                Object::Global(id) => facts.program.global(id).init.is_some(),
                Object::Heap(made) => {
                    let none = Vec::new();
                    let inits = inits.get(&object).unwrap_or(&none);
                    !facts.mortal[object.0 as usize]
                        && places.iter().all(|place| {
                            place.is_some_and(|place| written_first(facts, made, place, inits))
                        })
                }
                _ => false,
            };
            if !known {
                loud.push(object);
            }
        }
        self.loud.extend(loud);
    }

    /// Does nothing that follows a call in the program's entry lock, or create a thread?
    fn is_last(&self, site: Site) -> bool {
        let facts = self.facts;
        if !facts.points.callers(site.function).is_empty() {
            return false;
        }
        let body = facts.program.function(site.function);
        let mut blocks: FxHashSet<u32> = FxHashSet::default();
        let mut todo = vec![site.block];
        let mut calls: Vec<Site> = Vec::new();
        let mut from = site.index as usize + 1;
        while let Some(block) = todo.pop() {
            for index in from..body.blocks[block as usize].insts.len() {
                calls.push(Site { block, index: index as u32, ..site });
            }
            from = 0;
            for edge in body.blocks[block as usize].term.edges() {
                if blocks.insert(edge.target.0) {
                    todo.push(edge.target.0);
                }
            }
        }
        let mut functions: FxHashSet<FuncId> = FxHashSet::default();
        while let Some(call) = calls.pop() {
            let Some(Op::Call { .. }) = call.op(facts.program) else { continue };
            let creates = facts.effects(call).any(|e| matches!(e, Effect::Create { .. }));
            if creates || self.base_kind(call).is_some() {
                return false;
            }
            for &callee in facts.points.callees(call) {
                if functions.insert(callee) {
                    let inner = crate::site::instructions(facts.program, callee);
                    calls.extend(inner.map(|(site, _)| site));
                }
            }
        }
        true
    }

    fn deed(&mut self, site: Site, depth: u32) -> Option<Deed> {
        let facts = self.facts;
        let Some(Op::Call { callee: Callee::Direct(callee), args, .. }) = site.op(facts.program)
        else {
            return None;
        };
        if let Some(kind) = self.base_kind(site) {
            let key = self.key(site.function, *args.first()?, DEPTH);
            return Some(Deed { kind, key, bases: vec![site] });
        }
        let deed = self.wrapper(*callee, depth.checked_sub(1)?)?;
        let params = &facts.program.function(*callee).params;
        let given: Option<Vec<Key>> = (0..params.len())
            .map(|at| Some(self.key(site.function, *args.get(at)?, DEPTH)))
            .collect();
        Some(Deed { key: substitute(&deed.key, params, &given?)?, ..deed })
    }

    /// If a function does nothing but lock or unlock something that its arguments say.
    fn wrapper(&mut self, function: FuncId, depth: u32) -> Option<Deed> {
        if let Some(known) = self.wrappers.get(&function) {
            return known.clone();
        }
        self.wrappers.insert(function, None);
        let found = self.find_wrapper(function, depth);
        self.wrappers.insert(function, found.clone());
        found
    }

    fn find_wrapper(&mut self, function: FuncId, depth: u32) -> Option<Deed> {
        let facts = self.facts;
        let called = !facts.points.callers(function).is_empty();
        if facts.program.function(function).is_declaration()
            || !called
            || facts.contents().is_passed(function)
            || facts.points.entries.contains(&function)
        {
            return None;
        }
        let walk = self.walk(function, (0, 0), depth);
        if walk.loud || walk.ends || !walk.accesses.is_empty() {
            return None;
        }
        let mut found: Option<Deed> = None;
        for site in walk.deeds {
            let rest = self.walk(function, (site.block, site.index + 1), depth);
            let deed = self.deed(site, depth)?;
            if rest.loud || !rest.deeds.is_empty() || !rest.accesses.is_empty() {
                return None;
            }
            match &mut found {
                None => found = Some(deed),
                Some(known) if known.kind == deed.kind && known.key == deed.key => {
                    known.bases.extend(deed.bases);
                }
                Some(_) => return None,
            }
        }
        found
    }

    fn walk(&mut self, function: FuncId, start: (u32, u32), depth: u32) -> Walk {
        let facts = self.facts;
        let body = facts.program.function(function);
        let mut walk = Walk::default();
        let mut todo = vec![start];
        'blocks: while let Some((block, from)) = todo.pop() {
            let insts = &body.blocks[block as usize].insts;
            for (at, inst) in insts.iter().enumerate().skip(from as usize) {
                let site = Site { function, block, index: at as u32 };
                match &inst.op {
                    Op::Call { .. } => {
                        if self.deed(site, depth).is_some() {
                            if !walk.deeds.contains(&site) {
                                walk.deeds.push(site);
                            }
                            continue 'blocks;
                        }
                        match self.call_inside(site, depth) {
                            Some(accesses) => walk.accesses.extend(accesses),
                            None => walk.loud = true,
                        }
                    }
                    op => walk.note(site, op),
                }
            }
            let term = &body.blocks[block as usize].term;
            match term {
                Terminator::Return(_) => walk.ends = true,
                Terminator::Unreachable | Terminator::Unsupported { .. } => walk.loud = true,
                Terminator::Branch { .. } | Terminator::Switch { .. } | Terminator::Jump(_) => {
                    let dead = self.dead_edge(function, block, None);
                    for (at, edge) in term.edges().into_iter().enumerate() {
                        if Some(at) != dead && walk.blocks.insert(edge.target.0) {
                            todo.push((edge.target.0, 0));
                        }
                    }
                }
            }
        }
        walk
    }

    /// What a call of a function accesses, if it does nothing else that could matter.
    fn call_inside(&mut self, site: Site, depth: u32) -> Option<Vec<Site>> {
        let depth = depth.checked_sub(1)?;
        let facts = self.facts;
        if facts.effects(site).any(Effect::matters) {
            return None;
        }
        let Some(Op::Call { callee: Callee::Direct(callee), .. }) = site.op(facts.program) else {
            return None;
        };
        let function = facts.program.function(*callee);
        if facts.effects(site).next().is_some() {
            return Some(Vec::new());
        }
        // Nobody knows what a function without a body does.
        if function.is_declaration() || function.name.starts_with("__VERIFIER_atomic_") {
            return None;
        }
        if let Some(known) = self.insides.get(callee) {
            return known.clone();
        }
        self.insides.insert(*callee, None);
        let walk = self.walk(*callee, (0, 0), depth);
        let quiet = !walk.loud && walk.deeds.is_empty();
        let found = quiet.then_some(walk.accesses);
        self.insides.insert(*callee, found.clone());
        found
    }

    /// The edge of a branch that is never taken, if these locks and unlocks succeed; all, if
    /// none are given.
    fn dead_edge(
        &self,
        function: FuncId,
        block: u32,
        sure: Option<&FxHashSet<Site>>,
    ) -> Option<usize> {
        let body = &self.facts.program.function(function).blocks[block as usize];
        let Terminator::Branch { cond, .. } = &body.term else { return None };
        let known = self.known(function, *cond, sure, DEPTH)?;
        Some(usize::from(known != 0))
    }

    /// A number that follows from what locks return, and from functions that return the same
    /// one always.
    fn known(
        &self,
        function: FuncId,
        operand: Operand,
        sure: Option<&FxHashSet<Site>>,
        depth: u32,
    ) -> Option<u64> {
        let depth = depth.checked_sub(1)?;
        let facts = self.facts;
        let reg = match operand {
            Operand::Const(value) => return Some(value),
            Operand::Reg(reg) => reg,
            Operand::Global(..) | Operand::Function(_) => return None,
        };
        let site = match facts.definition(function, reg) {
            Definition::Inst(site) => *site,
            Definition::Moves(moves) => {
                let mut all =
                    moves.iter().map(|taken| self.known(function, taken.value, sure, depth));
                let first = all.next()??;
                return all.all(|other| other == Some(first)).then_some(first);
            }
            Definition::Param(_) | Definition::Nowhere => return None,
        };
        let known = |operand| self.known(function, operand, sure, depth);
        match site.op(facts.program)? {
            Op::Call { .. } if self.base_kind(site).is_some() => {
                sure.is_none_or(|sure| sure.contains(&site)).then_some(0)
            }
            Op::Call { callee: Callee::Direct(callee), dsts, .. } if dsts.first() == Some(&reg) => {
                let blocks = &facts.program.function(*callee).blocks;
                let mut all = blocks.iter().filter_map(|block| match &block.term {
                    Terminator::Return(values) => Some(values.first().copied()),
                    _ => None,
                });
                let value = |operand: Option<Operand>| self.known(*callee, operand?, sure, depth);
                let first = value(all.next()?)?;
                all.all(|other| value(other) == Some(first)).then_some(first)
            }
            Op::Compare { pred: Compare::Eq, a, b, .. } => {
                Some(u64::from(known(*a)? == known(*b)?))
            }
            Op::Compare { pred: Compare::Ne, a, b, .. } => {
                Some(u64::from(known(*a)? != known(*b)?))
            }
            Op::Cast { op: Cast::Trunc | Cast::ZeroExt, a, .. } => known(*a).filter(|&v| v <= 1),
            Op::Copy { a, .. } => known(*a),
            _ => None,
        }
    }

    /// Blocks that only a failed lock leads to.
    fn find_dead(&self, silent: &mut Silent) {
        if silent.calls.is_empty() {
            return;
        }
        for function in self.facts.functions() {
            let blocks = &self.facts.program.function(function).blocks;
            let mut live: FxHashSet<u32> = FxHashSet::from_iter([0]);
            let mut todo = vec![0];
            while let Some(block) = todo.pop() {
                let edges = blocks[block as usize].term.edges();
                let dead = self.dead_edge(function, block, Some(&silent.calls));
                for (at, edge) in edges.into_iter().enumerate() {
                    if Some(at) != dead && live.insert(edge.target.0) {
                        todo.push(edge.target.0);
                    }
                }
            }
            let all = 0..blocks.len() as u32;
            silent.dead.extend(all.filter(|b| !live.contains(b)).map(|block| (function, block)));
        }
    }

    fn key(&self, function: FuncId, operand: Operand, depth: u32) -> Key {
        let facts = self.facts;
        let reg = match operand {
            Operand::Reg(reg) => reg,
            Operand::Const(value) => return Key::Const(value),
            Operand::Global(id, offset) => return Key::Global(id, offset),
            Operand::Function(id) => return Key::Const(u64::from(id.0)),
        };
        let Some(depth) = depth.checked_sub(1) else { return Key::Leaf(reg) };
        let Definition::Inst(site) = facts.definition(function, reg) else { return Key::Leaf(reg) };
        let key = |operand| self.key(function, operand, depth);
        match site.op(facts.program) {
            Some(Op::Copy { a, .. }) => key(*a),
            Some(Op::Cast { op, from, to, a, .. }) => Key::Cast(*op, *from, *to, Box::new(key(*a))),
            Some(Op::Binary { op, width, a, b, .. }) => {
                Key::Binary(*op, *width, Box::new(key(*a)), Box::new(key(*b)))
            }
            Some(Op::PtrAdd { base, offset, scales, .. }) => {
                let indices = scales.iter().map(|s| (key(s.index), s.bytes, s.width)).collect();
                add(key(*base), *offset, indices)
            }
            _ => Key::Leaf(reg),
        }
    }
}

/// A place at an offset from another one.
fn add(base: Key, offset: i64, scales: Vec<(Key, i64, u8)>) -> Key {
    match base {
        Key::Global(id, at) if scales.is_empty() => Key::Global(id, at.wrapping_add(offset)),
        Key::Add(base, at, inner) if scales.is_empty() => {
            Key::Add(base, at.wrapping_add(offset), inner)
        }
        base if scales.is_empty() && offset == 0 => base,
        base => Key::Add(Box::new(base), offset, scales),
    }
}

/// A key in terms of a function's parameters, for a call with these arguments.
fn substitute(key: &Key, params: &[Reg], given: &[Key]) -> Option<Key> {
    let inner = |key: &Key| substitute(key, params, given);
    Some(match key {
        Key::Leaf(reg) => given.get(params.iter().position(|param| param == reg)?)?.clone(),
        Key::Global(..) | Key::Const(_) => key.clone(),
        Key::Add(base, offset, scales) => {
            let scales: Option<Vec<_>> = scales
                .iter()
                .map(|(key, bytes, width)| Some((inner(key)?, *bytes, *width)))
                .collect();
            add(inner(base)?, *offset, scales?)
        }
        Key::Cast(op, from, to, a) => Key::Cast(*op, *from, *to, Box::new(inner(a)?)),
        Key::Binary(op, width, a, b) => {
            Key::Binary(*op, *width, Box::new(inner(a)?), Box::new(inner(b)?))
        }
    })
}

impl Walk {
    fn note(&mut self, site: Site, op: &Op) {
        match op {
            Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::CmpXchg { .. } => {
                self.accesses.push(site);
            }
            Op::Nondet { .. } | Op::Unsupported { .. } => self.loud = true,
            _ => {}
        }
    }
}
