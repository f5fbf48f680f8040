//! Which accesses are in bounds and to something alive, whatever happens: those to
//! a global, or an object of the running function or one that has called it, at an offset
//! that is known or lies in a known range.

use heddle_ir::{FuncId, Op, Operand};

use crate::facts::{Definition, Facts};
use crate::library::Effect;
use crate::object::{Object, ObjectId, bytes};
use crate::range::range;

/// Definitions that are followed before giving up.
const DEPTH: u32 = 24;

/// Numbers from the first to the second, as signed ones.
type Range = (i64, i64);

/// Can an access of `len` bytes at `address` fail?
pub fn may_fail(facts: &Facts, function: FuncId, address: Operand, len: u32) -> bool {
    let mut places = Places { facts, function, called: Vec::new() };
    let Some(found) = places.of(address, DEPTH) else { return true };
    found.into_iter().any(|(object, (first, last))| {
        let Some(size) = bytes(facts.program, object) else { return true };
        let end = i128::from(last) + i128::from(len);
        first < 0 || end > i128::from(size)
    })
}

/// The bytes of each object that an access goes to, if it can't fail, from the first that an
/// index may lead to up to the last.
pub fn spans(
    facts: &Facts,
    function: FuncId,
    address: Operand,
    len: u32,
) -> Option<Vec<(ObjectId, (i64, u32))>> {
    let mut places = Places { facts, function, called: Vec::new() };
    let found = places.of(address, DEPTH)?.into_iter().map(|(object, (first, last))| {
        let size = bytes(facts.program, object)?;
        let end = last.checked_add(i64::from(len))?;
        let inside = first >= 0 && end as u64 <= size;
        let count = u32::try_from(end - first).ok().filter(|_| inside)?;
        Some((facts.points.objects().find(object)?, (first, count)))
    });
    found.collect()
}

/// Points-to sets suppose that an index stays in its array. Where that is not sure, the
/// address counts as one that may be bad, so that a search gets to see it.
fn leaves_array(count: Option<u64>, low: i64, high: i64) -> bool {
    let last = |count: u64| i64::try_from(count).unwrap_or(i64::MAX) - 1;
    count.is_some_and(|count| count > 1 && (low < 0 || high > last(count)))
}

struct Places<'a, 'p> {
    facts: &'a Facts<'p>,
    function: FuncId,
    /// Functions whose callers are being asked.
    called: Vec<FuncId>,
}

/// Objects that are alive, with the offsets in them.
type Found = Vec<(Object, Range)>;

impl Places<'_, '_> {
    /// Where an address leads to.
    fn of(&mut self, address: Operand, depth: u32) -> Option<Found> {
        let depth = depth.checked_sub(1)?;
        let reg = match address {
            Operand::Global(id, offset) => {
                return Some(vec![(Object::Global(id), (offset, offset))]);
            }
            Operand::Reg(reg) => reg,
            Operand::Const(_) | Operand::Function(_) => return None,
        };
        let site = match self.facts.definition(self.function, reg) {
            Definition::Inst(site) => site,
            Definition::Param(at) => return self.parameter(*at, depth),
            _ => return None,
        };
        match site.op(self.facts.program)? {
            Op::Copy { a, .. } => self.of(*a, depth),
            Op::PtrAdd { base, offset, scales, .. } => {
                let mut found = self.of(*base, depth)?;
                let (mut first, mut last) = (*offset, *offset);
                for scale in scales {
                    let (index, width) = (scale.index, scale.width);
                    let (low, high) = range(self.facts, self.function, index, width, site.block)?;
                    if leaves_array(scale.count, low, high) {
                        return None;
                    }
                    let (a, b) = (low.checked_mul(scale.bytes)?, high.checked_mul(scale.bytes)?);
                    first = first.checked_add(a.min(b))?;
                    last = last.checked_add(a.max(b))?;
                }
                for (_, (low, high)) in &mut found {
                    *low = low.checked_add(first)?;
                    *high = high.checked_add(last)?;
                }
                Some(found)
            }
            Op::StackAlloc { .. } => Some(vec![(Object::Stack(*site), (0, 0))]),
            Op::ThreadLocal { global, .. } => Some(vec![(Object::ThreadLocal(*global), (0, 0))]),
            Op::Call { .. } => self.block(*site),
            _ => None,
        }
    }

    /// Where the callers' arguments lead to. Whoever has called is still there, but not who
    /// has created the thread.
    fn parameter(&mut self, at: usize, depth: u32) -> Option<Found> {
        let (facts, here) = (self.facts, self.function);
        if self.called.contains(&here) {
            return None;
        }
        self.called.push(here);
        let mut all = Found::new();
        for (site, argument) in facts.contents().arguments(facts, here, at)? {
            self.function = site.function;
            let found = self.of(argument, depth);
            self.function = here;
            let creates = facts.effects(site).next().is_some();
            for place in found? {
                if creates && !matches!(place.0, Object::Global(_) | Object::Heap(_)) {
                    return None;
                }
                if !all.contains(&place) {
                    all.push(place);
                }
            }
        }
        self.called.pop();
        Some(all)
    }

    /// A heap block that nobody frees, if there is one at all.
    fn block(&self, site: crate::site::Site) -> Option<Found> {
        if self.facts.program.allocations_fail {
            return None;
        }
        let fresh = |effect| matches!(effect, Effect::Allocate { .. });
        let object = self.facts.points.objects().find(Object::Heap(site))?;
        let lives = !self.facts.mortal[object.0 as usize];
        (lives && self.facts.effects(site).all(fresh)).then_some(vec![(Object::Heap(site), (0, 0))])
    }
}

/// The address that an access goes to.
pub fn address_of(op: &Op) -> Option<Operand> {
    match op {
        Op::Load { addr, .. }
        | Op::Store { addr, .. }
        | Op::Rmw { addr, .. }
        | Op::CmpXchg { addr, .. } => Some(*addr),
        _ => None,
    }
}
