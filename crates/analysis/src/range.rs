//! Ranges of integers: of constants, masks, remainders and what is made of them,
//! narrowed by the branches that lead to the place of use. Numbers are followed through
//! memory and into functions where everything that may get there is known (`contents`).
//!
//! Intervals after Cousot and Cousot, "Abstract Interpretation" (POPL 1977), but on
//! demand, and only for what an address needs: a value that a loop changes is first
//! taken to be what it is at the start. Ends that still move after a few turns are widened
//! to the largest number; what one more turn makes of that is kept if a turn leads nowhere
//! else from there.

use heddle_ir::{BinOp, Cast, Compare, FuncId, Op, Operand, Reg, Terminator, Ty};

use crate::contents::Origin;
use crate::facts::{Definition, Facts, Move};
use crate::numeric::negated;
use crate::object::ObjectId;
use crate::site::Site;

/// Definitions that are followed, and turns around a loop, before giving up.
const DEPTH: u32 = 16;
const TURNS: u32 = 4;

/// Operands that are looked at for one range.
const EFFORT: u32 = 5_000;

/// The values an integer may have, as signed numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Values {
    None,
    From(i64, i64),
    Any,
}

impl Values {
    fn join(self, other: Values) -> Values {
        match (self, other) {
            (Values::None, it) | (it, Values::None) => it,
            (Values::From(a, b), Values::From(c, d)) => Values::From(a.min(c), b.max(d)),
            _ => Values::Any,
        }
    }

    fn meet(self, low: i64, high: i64) -> Values {
        match self {
            Values::None => Values::None,
            Values::Any => Values::From(low, high),
            Values::From(a, b) if a.max(low) <= b.min(high) => {
                Values::From(a.max(low), b.min(high))
            }
            Values::From(..) => Values::None,
        }
    }

    /// Are all of these values among the others?
    fn within(self, other: Values) -> bool {
        self.join(other) == other
    }

    /// With ends that have moved at the largest numbers.
    fn widened(self, next: Values, width: u8) -> Values {
        match (self, next) {
            (Values::From(a, b), Values::From(c, d)) => Values::From(
                if c < a { least(width) } else { a },
                if d > b { most(width) } else { b },
            ),
            _ => next,
        }
    }

    /// Anything, unless it fits into `width` bits.
    fn fit(self, width: u8) -> Values {
        match self {
            Values::From(low, high) if low < least(width) || high > most(width) => Values::Any,
            it => it,
        }
    }
}

fn most(width: u8) -> i64 {
    if width >= 64 { i64::MAX } else { (1 << (width.max(1) - 1)) - 1 }
}

fn least(width: u8) -> i64 {
    -most(width) - 1
}

/// The range of an integer of `width` bits where it is used in `block`, if any is
/// known.
pub fn range(
    facts: &Facts,
    function: FuncId,
    operand: Operand,
    width: u8,
    block: u32,
) -> Option<(i64, i64)> {
    let mut ranges = Ranges { facts, function, assumed: Vec::new(), left: EFFORT };
    match ranges.of(operand, width, block, DEPTH) {
        Values::From(low, high) => Some((low, high)),
        // Never reached.
        Values::None => Some((0, 0)),
        Values::Any => None,
    }
}

/// What holds a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    Register(FuncId, Reg),
    Cell(ObjectId, i64, u32),
}

struct Ranges<'a, 'p> {
    facts: &'a Facts<'p>,
    function: FuncId,
    /// What it is whose range is being found, and what that is taken to be meanwhile.
    assumed: Vec<(Holder, Values)>,
    /// Operands that may still be looked at.
    left: u32,
}

impl Ranges<'_, '_> {
    fn of(&mut self, operand: Operand, width: u8, block: u32, depth: u32) -> Values {
        let reg = match operand {
            Operand::Const(value) => {
                let unused = 64 - u32::from(width.clamp(1, 64));
                let value = ((value << unused) as i64) >> unused;
                return Values::From(value, value);
            }
            Operand::Reg(reg) => reg,
            Operand::Global(..) | Operand::Function(_) => return Values::Any,
        };
        let Some(depth) = depth.checked_sub(1) else { return Values::Any };
        let Some(left) = self.left.checked_sub(1) else { return Values::Any };
        self.left = left;
        let values = match self.taken_for(Holder::Register(self.function, reg)) {
            Some(values) => values,
            None => self.defined(reg, width, depth),
        };
        self.narrowed(values, reg, width, block)
    }

    fn taken_for(&self, holder: Holder) -> Option<Values> {
        self.assumed.iter().rev().find(|known| known.0 == holder).map(|known| known.1)
    }

    fn defined(&mut self, reg: Reg, width: u8, depth: u32) -> Values {
        let facts = self.facts;
        let holder = Holder::Register(self.function, reg);
        match facts.definition(self.function, reg) {
            Definition::Inst(site) => match site.op(facts.program) {
                Some(op) => self.computed(op, *site, width, depth).fit(width),
                None => Values::Any,
            },
            Definition::Moves(moves) => self.settled(holder, width, |ranges| {
                moves.iter().fold(Values::None, |sum, taken| {
                    let values = ranges.of(taken.value, width, taken.block, depth);
                    sum.join(ranges.on_edge(values, taken, width))
                })
            }),
            Definition::Param(at) => {
                let function = self.function;
                let given = facts.contents().arguments(facts, function, *at);
                let Some(given) = given else { return Values::Any };
                self.settled(holder, width, |ranges| {
                    given.iter().fold(Values::None, |sum, &(site, argument)| {
                        let place = (site.function, site.block);
                        sum.join(ranges.elsewhere(place, argument, width, depth))
                    })
                })
            }
            Definition::Nowhere => Values::Any,
        }
    }

    /// An operand of another function.
    fn elsewhere(
        &mut self,
        (function, block): (FuncId, u32),
        operand: Operand,
        width: u8,
        depth: u32,
    ) -> Values {
        let pointer = self.facts.program.pointer_bytes;
        if let Operand::Reg(reg) = operand
            && self.facts.program.function(function).regs[reg.0 as usize].bits(pointer)
                != u32::from(width)
        {
            return Values::Any;
        }
        let here = std::mem::replace(&mut self.function, function);
        let values = self.of(operand, width, block, depth);
        self.function = here;
        values.fit(width)
    }

    /// The least values that `turn` leads to, and that it does not lead out of.
    fn settled(&mut self, holder: Holder, width: u8, turn: impl Fn(&mut Self) -> Values) -> Values {
        let once = |ranges: &mut Self, values: Values| {
            ranges.assumed.push((holder, values));
            let next = turn(ranges);
            ranges.assumed.pop();
            next
        };
        let mut values = Values::None;
        for _ in 0..TURNS {
            let next = once(self, values).join(values);
            if next == values {
                return values;
            }
            values = next;
        }
        let wide = values.widened(once(self, values).join(values), width);
        let narrow = once(self, wide);
        if narrow.within(wide) && once(self, narrow).within(narrow) {
            return narrow;
        }
        if narrow.within(wide) { wide } else { Values::Any }
    }

    /// What is read from memory.
    fn loaded(&mut self, site: Site, address: Operand, width: u8, depth: u32) -> Values {
        let facts = self.facts;
        let bytes = u32::from(width).div_ceil(8);
        let Some(targets) = facts.targets(site.function, address) else { return Values::Any };
        let mut values = Values::None;
        for (object, offset) in targets {
            let Some(offset) = offset else { return Values::Any };
            let cell = Holder::Cell(object, offset, bytes);
            if let Some(known) = self.taken_for(cell) {
                values = values.join(known);
                continue;
            }
            let origins = facts.contents().origins(facts, (object, offset), bytes);
            let Some(origins) = origins else { return Values::Any };
            values = values.join(self.settled(cell, width, |ranges| {
                origins.iter().fold(Values::None, |sum, &origin| {
                    sum.join(match origin {
                        Origin::Zero => Values::From(0, 0),
                        Origin::Operand(function, operand, block) => {
                            ranges.elsewhere((function, block), operand, width, depth)
                        }
                    })
                })
            }));
        }
        values
    }

    fn computed(&mut self, op: &Op, site: Site, width: u8, depth: u32) -> Values {
        let block = site.block;
        let bits = |ty: Ty| match ty {
            Ty::Int(_) | Ty::Ptr => Some(ty.bits(self.facts.program.pointer_bytes) as u8),
            Ty::Float(_) => None,
        };
        match op {
            Op::Load { addr, ty: Ty::Int(bits), .. } if bits % 8 == 0 => {
                self.loaded(site, *addr, width, depth)
            }
            Op::Binary { op, a, b, .. } => {
                let b = self.of(*b, width, block, depth);
                if let (BinOp::URem, Values::From(by, same)) = (op, b) {
                    return if by == same && by > 0 {
                        Values::From(0, by - 1)
                    } else {
                        Values::Any
                    };
                }
                if let (BinOp::And, Values::From(mask, same)) = (op, b) {
                    let usable = mask == same && mask >= 0;
                    return if usable { Values::From(0, mask) } else { Values::Any };
                }
                let a = self.of(*a, width, block, depth);
                arithmetic(*op, a, b)
            }
            Op::Cast { op: Cast::ZeroExt, from, a, .. } => {
                let Some(from) = bits(*from) else { return Values::Any };
                match self.of(*a, from, block, depth) {
                    Values::From(low, high) if low >= 0 => Values::From(low, high),
                    Values::None => Values::None,
                    _ if from < 63 => Values::From(0, (1 << from) - 1),
                    _ => Values::Any,
                }
            }
            Op::Cast { op: Cast::SignExt | Cast::Trunc, from, a, .. } => match bits(*from) {
                Some(from) => self.of(*a, from, block, depth),
                None => Values::Any,
            },
            Op::Copy { a, .. } => self.of(*a, width, block, depth),
            Op::Select { then, other, .. } => {
                let then = self.of(*then, width, block, depth);
                then.join(self.of(*other, width, block, depth))
            }
            _ => Values::Any,
        }
    }

    /// What is left of the values on the way to `block`.
    fn narrowed(&self, mut values: Values, reg: Reg, width: u8, block: u32) -> Values {
        let flow = &self.facts.flows[self.function.0 as usize];
        let function = self.facts.program.function(self.function);
        let mut at = block;
        while let Some(above) = flow.dominator[at as usize].filter(|&above| above != at) {
            at = above;
            let Terminator::Branch { cond, then, other } = &function.blocks[at as usize].term
            else {
                continue;
            };
            let Some((pred, bound)) = self.comparison(*cond, reg, width) else { continue };
            let leads = |target: u32| {
                flow.predecessors[target as usize] == [at] && flow.dominates(target, block)
            };
            if leads(then.target.0) {
                values = restrict(values, pred, bound, width);
            } else if leads(other.target.0) {
                values = restrict(values, negated(pred), bound, width);
            }
        }
        values
    }

    /// What is left of the values on an edge.
    fn on_edge(&self, values: Values, taken: &Move, width: u8) -> Values {
        let body = &self.facts.program.function(self.function).blocks[taken.block as usize];
        let (Terminator::Branch { cond, .. }, Operand::Reg(value)) = (&body.term, taken.value)
        else {
            return values;
        };
        match self.comparison(*cond, value, width) {
            Some((pred, bound)) if taken.edge == 0 => restrict(values, pred, bound, width),
            Some((pred, bound)) => restrict(values, negated(pred), bound, width),
            None => values,
        }
    }

    /// If a condition compares the register with a number.
    fn comparison(&self, cond: Operand, reg: Reg, width: u8) -> Option<(Compare, i64)> {
        let Operand::Reg(cond) = cond else { return None };
        let Definition::Inst(site) = self.facts.definition(self.function, cond) else {
            return None;
        };
        match site.op(self.facts.program)? {
            Op::Compare {
                pred, width: compared, a: Operand::Reg(a), b: Operand::Const(b), ..
            } if *a == reg && *compared == width => {
                let unused = 64 - u32::from(width.clamp(1, 64));
                Some((*pred, ((b << unused) as i64) >> unused))
            }
            _ => None,
        }
    }
}

fn arithmetic(op: BinOp, a: Values, b: Values) -> Values {
    let (Values::From(a, b), Values::From(c, d)) = (a, b) else {
        return match (op, a, b) {
            (_, Values::None, _) | (_, _, Values::None) => Values::None,
            (BinOp::SRem, Values::Any, Values::From(by, same)) if by == same && by > 0 => {
                Values::From(1 - by, by - 1)
            }
            _ => Values::Any,
        };
    };
    let sums = match op {
        BinOp::Add => a.checked_add(c).zip(b.checked_add(d)),
        BinOp::Sub => a.checked_sub(d).zip(b.checked_sub(c)),
        BinOp::Mul => {
            let all = [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
            let all: Option<Vec<i64>> = all.into_iter().collect();
            all.and_then(|all| all.iter().copied().min().zip(all.iter().copied().max()))
        }
        BinOp::SRem if c == d && c > 0 => {
            let low = if a >= 0 { 0 } else { 1 - c };
            let high = if b < 0 { 0 } else { (c - 1).min(b) };
            Some((low, high))
        }
        _ => None,
    };
    sums.map_or(Values::Any, |(low, high)| Values::From(low, high))
}

fn restrict(values: Values, pred: Compare, bound: i64, width: u8) -> Values {
    let (least, most) = (least(width), most(width));
    match pred {
        Compare::Eq => values.meet(bound, bound),
        Compare::SLt if bound > least => values.meet(least, bound - 1),
        Compare::SLe => values.meet(least, bound),
        Compare::SGt if bound < most => values.meet(bound + 1, most),
        Compare::SGe => values.meet(bound, most),
        // Below a number that is not negative as a signed one, neither is the value.
        Compare::ULt if bound > 0 => values.meet(0, bound - 1),
        Compare::ULe if bound >= 0 => values.meet(0, bound),
        _ => values,
    }
}
