//! Pairs of places that may be a data race, whatever the values of variables: they may touch
//! the same bytes, one of them writes, not both are atomic, their threads may run at the same
//! time, and no lock is held at both.
//!
//! Kahlon, Yang, Sankaranarayanan and Gupta, "Fast and accurate static data-race detection for
//! concurrent programs" (CAV 2007), sections 2 to 4; it makes the warnings that section 7 of
//! "Exploiting schedule insensitivity" decides. Deviations:
//!
//! 1. What pointers point to is not told apart by call or place (`points_to`), so a lock counts
//!    as held only if its address is one place of a global variable. More warnings, none less.
//! 2. Acquisition histories are left out here; who decides a warning has them.
//! 3. Of the order of threads only that counts which `beside` knows: what `main` does before it
//!    creates a thread.
//! 4. The end of a variable, and a block that is freed, are writes to all of it.
//!
//! A pointer that was put together from numbers in memory is followed to nowhere, and an index
//! is taken to be in its array (see `points_to`): races of such accesses may be missed.

mod accesses;
mod beside;
mod held;

use std::collections::{BTreeMap, BTreeSet};

use heddle_ir::{FuncId, Program, Span};

use crate::facts::Facts;
use crate::invariants::{Side, Warning};
use crate::object::{Object, ObjectId};
use accesses::{Access, accesses};
use beside::Beside;
use held::{Locks, Mode};

/// What is known without running the program.
#[derive(Clone, Debug, Default)]
pub struct Warnings {
    /// By the places of both sides.
    pub pairs: BTreeMap<(Span, Span), Warning>,
    /// Pairs of places that touch the same, and which locks or creation keep apart.
    pub ordered: BTreeSet<(Span, Span)>,
    /// Something is called that nobody knows: there may be more.
    pub lost: bool,
}

/// All warnings of a program.
pub fn warnings(program: &Program, entry: FuncId) -> Warnings {
    let facts = Facts::of(program, entry);
    let beside = Beside::of(&facts, entry);
    let locks = Locks::of(&facts, entry);
    let all = accesses(&facts, &locks);
    let mut found = Warnings { lost: facts.lost, ..Warnings::default() };
    let mut by_object: BTreeMap<ObjectId, Vec<&Access>> = BTreeMap::new();
    for access in &all {
        for &(object, ..) in &access.targets {
            let list = by_object.entry(object).or_default();
            if !list.last().is_some_and(|last| std::ptr::eq(*last, access)) {
                list.push(access);
            }
        }
    }
    let anywhere = by_object.get(&ObjectId::WILD).cloned().unwrap_or_default();
    for (object, list) in &by_object {
        let with: Vec<&Access> = match *object == ObjectId::WILD {
            true => all.iter().collect(),
            false => list.iter().chain(&anywhere).copied().collect(),
        };
        for a in list {
            for b in with.iter().filter(|b| meet(a, b, *object)) {
                found.judge(&facts, &beside, (a, b), *object);
            }
        }
    }
    found.ordered.retain(|pair| !found.pairs.contains_key(pair));
    found
}

/// May the two touch the same bytes of an object?
fn meet(a: &Access, b: &Access, object: ObjectId) -> bool {
    if object == ObjectId::WILD {
        return true;
    }
    let parts = |access: &Access| -> Vec<_> {
        let same = |target: &&accesses::Target| target.0 == object || target.0 == ObjectId::WILD;
        access.targets.iter().filter(same).copied().collect()
    };
    let b = parts(b);
    parts(a).iter().any(|&(x, start, bytes)| {
        b.iter().any(|&(y, other, length)| match (start, other) {
            _ if x == ObjectId::WILD || y == ObjectId::WILD => true,
            (Some(start), Some(other)) => {
                let ends = |at: i64, bytes: Option<u32>| {
                    bytes.map_or(i64::MAX, |bytes| at.saturating_add(i64::from(bytes)))
                };
                start < ends(other, length) && other < ends(start, bytes)
            }
            _ => true,
        })
    })
}

impl Warnings {
    fn judge(
        &mut self,
        facts: &Facts,
        beside: &Beside,
        (a, b): (&Access, &Access),
        object: ObjectId,
    ) {
        if !(a.write || b.write) || a.atomic && b.atomic {
            return;
        }
        let apart = !beside.may_meet(a.site, b.site) || excluded(a, b);
        for &first in &a.spans {
            for &second in &b.spans {
                let key = if first <= second { (first, second) } else { (second, first) };
                if apart {
                    self.ordered.insert(key);
                    continue;
                }
                let mut sides = [side(facts, a, first), side(facts, b, second)];
                sides.sort_by_key(|side| (side.span, !side.write));
                let place = place(facts, a, b, object);
                let known = self
                    .pairs
                    .entry(key)
                    .or_insert_with(|| Warning { place, sides: sides.clone() });
                for (known, new) in known.sides.iter_mut().zip(&sides) {
                    known.write |= new.write;
                    known.locks.retain(|lock| new.locks.contains(lock));
                }
            }
        }
    }
}

/// Is a lock held at both, by one of them alone?
fn excluded(a: &Access, b: &Access) -> bool {
    a.locks.iter().any(|(lock, mode)| {
        b.locks.get(lock).is_some_and(|other| *mode == Mode::Write || *other == Mode::Write)
    })
}

fn side(facts: &Facts, access: &Access, span: Span) -> Side {
    let mut locks: Vec<String> = access.locks.keys().map(|lock| held::name(facts, *lock)).collect();
    locks.sort();
    Side { span, write: access.write, locks }
}

/// What is accessed, as the source calls it.
fn place(facts: &Facts, a: &Access, b: &Access, object: ObjectId) -> String {
    let named = |access: &Access| {
        let place = access.site.inst(facts.program).and_then(|inst| inst.place);
        place.map(|id| facts.program.place(id).text.clone())
    };
    let variable = match facts.points.objects().get(object) {
        Object::Global(id) | Object::ThreadLocal(id) => {
            let global = facts.program.global(id);
            Some(global.source_name.as_ref().unwrap_or(&global.name).clone())
        }
        _ => None,
    };
    let texts = [named(a), named(b)];
    // An expression that names the variable says more than its name alone.
    let says_more = |text: &&String| variable.as_ref().is_some_and(|name| text.starts_with(name));
    let better = texts.iter().flatten().find(says_more).cloned();
    better
        .or(variable)
        .or_else(|| texts.into_iter().flatten().next())
        .unwrap_or_else(|| "memory".to_string())
}
