//! Ranges of integers: of constants, masks, remainders and what is made of them,
//! narrowed by the branches that lead to the place of use.
//!
//! Intervals after Cousot and Cousot, "Abstract Interpretation" (POPL 1977), but on
//! demand, and only for what an address needs: a value that a loop changes is first
//! taken to be what it is at the start, and widened to "anything" if it has not
//! settled after a few turns.

use heddle_ir::{BinOp, Cast, Compare, FuncId, Op, Operand, Reg, Terminator, Ty};

use crate::facts::{Definition, Facts};
use crate::numeric::negated;

/// Definitions that are followed, and turns around a loop, before giving up.
const DEPTH: u32 = 16;
const TURNS: u32 = 4;

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
    let mut ranges = Ranges { facts, function, assumed: Vec::new() };
    match ranges.of(operand, width, block, DEPTH) {
        Values::From(low, high) => Some((low, high)),
        // Never reached.
        Values::None => Some((0, 0)),
        Values::Any => None,
    }
}

struct Ranges<'a, 'p> {
    facts: &'a Facts<'p>,
    function: FuncId,
    /// Registers whose range is being found, and what it is taken to be meanwhile.
    assumed: Vec<(Reg, Values)>,
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
        let assumed = self.assumed.iter().find(|known| known.0 == reg).map(|known| known.1);
        let values = assumed.unwrap_or_else(|| self.defined(reg, width, depth));
        self.narrowed(values, reg, width, block)
    }

    fn defined(&mut self, reg: Reg, width: u8, depth: u32) -> Values {
        let facts = self.facts;
        match facts.definition(self.function, reg) {
            Definition::Inst(site) => match site.op(facts.program) {
                Some(op) => self.computed(op, width, site.block, depth).fit(width),
                None => Values::Any,
            },
            Definition::Moves(moves) => self.settled(reg, moves, width, depth),
            Definition::Param(_) | Definition::Nowhere => Values::Any,
        }
    }

    fn settled(&mut self, reg: Reg, moves: &[(u32, Operand)], width: u8, depth: u32) -> Values {
        let mut values = Values::None;
        for _ in 0..TURNS {
            self.assumed.push((reg, values));
            let next = moves.iter().fold(values, |sum, &(block, value)| {
                let values = self.of(value, width, block, depth);
                sum.join(self.on_edge(values, (reg, value), width, block))
            });
            self.assumed.pop();
            if next == values {
                return values;
            }
            values = next;
        }
        Values::Any
    }

    fn computed(&mut self, op: &Op, width: u8, block: u32, depth: u32) -> Values {
        match op {
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
            Op::Cast { op: Cast::ZeroExt, from: Ty::Int(from), a, .. } => {
                match self.of(*a, *from, block, depth) {
                    Values::From(low, high) if low >= 0 => Values::From(low, high),
                    Values::None => Values::None,
                    _ if *from < 63 => Values::From(0, (1 << from) - 1),
                    _ => Values::Any,
                }
            }
            Op::Cast { op: Cast::SignExt | Cast::Trunc, from: Ty::Int(from), a, .. } => {
                self.of(*a, *from, block, depth)
            }
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

    /// What is left of the values on the edge from `block` with this move.
    fn on_edge(&self, values: Values, to: (Reg, Operand), width: u8, block: u32) -> Values {
        let body = &self.facts.program.function(self.function).blocks[block as usize];
        let (Terminator::Branch { cond, then, other }, Operand::Reg(value)) = (&body.term, to.1)
        else {
            return values;
        };
        let Some((pred, bound)) = self.comparison(*cond, value, width) else { return values };
        match (then.moves.contains(&to), other.moves.contains(&to)) {
            (true, false) => restrict(values, pred, bound, width),
            (false, true) => restrict(values, negated(pred), bound, width),
            _ => values,
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
