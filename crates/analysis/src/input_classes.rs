//! Inputs of which a few values stand for all.
//!
//! An input that is only moved, widened, handed to functions and compared with constants is
//! told apart from another value of it by nothing but these comparisons. Values for which all
//! of them come out the same make the same runs, so one of each class is enough.
//!
//! Why the classes are all: every comparison with a constant c, of the value or of the value
//! widened with zeros or its sign, changes its outcome only between two neighbours one of which
//! is c cut to the width of the input, or at the ends of the unsigned or of the signed range.
//! So in each interval in which no outcome changes lies one of c - 1, c and c + 1 for some c,
//! or an end. What these do is evaluated, and the first of each class kept.

use heddle_ir::{
    Callee, Cast, Compare, Function, Op, Operand, Program, Reg, Symbol, Terminator, Ty,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::numeric::{sign_extend, swapped};

/// Function, block and place in it of an instruction.
pub type Place = (u32, u32, u32);

/// More classes are not looked at one by one.
const MANY: usize = 64;

/// For each call that gives such an input, one value of each class.
pub type InputClasses = FxHashMap<Place, Box<[u64]>>;

pub fn input_classes(program: &Program) -> InputClasses {
    let mut classes = InputClasses::default();
    let mut callers = None;
    for (function, code) in program.functions.iter().enumerate() {
        for (block, insts) in code.blocks.iter().enumerate().map(|(n, block)| (n, &block.insts)) {
            for (pc, inst) in insts.iter().enumerate() {
                let Some(dst) = input(program, &inst.op) else { continue };
                let Ty::Int(width) = code.regs[dst.0 as usize] else { continue };
                let callers = callers.get_or_insert_with(|| calls_of(program));
                let start = Value { function: function as u32, reg: dst, form: Form::Whole };
                let found = tests(program, callers, start, u32::from(width))
                    .and_then(|tests| representatives(&tests, u32::from(width)));
                if let Some(values) = found {
                    classes.insert((function as u32, block as u32, pc as u32), values);
                }
            }
        }
    }
    classes
}

/// The register that a call gives any value of its type.
fn input(program: &Program, op: &Op) -> Option<Reg> {
    let Op::Call { callee: Callee::Direct(id), dsts, .. } = op else { return None };
    let function = program.function(*id);
    let any = function.name.strip_prefix("__VERIFIER_nondet_").is_some_and(|ty| ty != "rand");
    match &dsts[..] {
        [dst] if any && function.is_declaration() => Some(*dst),
        _ => None,
    }
}

/// What a register holds of an input.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Form {
    Whole,
    /// Widened, with zeros or its sign, to so many bits.
    Wide {
        signed: bool,
        bits: u32,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Value {
    function: u32,
    reg: Reg,
    form: Form,
}

/// `value pred constant`, in `bits` bits.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Test {
    form: Form,
    pred: Compare,
    constant: u64,
    bits: u32,
}

/// Registers that get what a function returns, by function. Functions that may be called in
/// other ways, or that return several values, have none.
type Callers = FxHashMap<u32, Vec<(u32, Reg)>>;

fn calls_of(program: &Program) -> Callers {
    let mut callers = Callers::default();
    let mut others: FxHashSet<u32> = FxHashSet::default();
    let address = |operand: &Operand| match operand {
        Operand::Function(id) => Some(id.0),
        _ => None,
    };
    for (at, function) in program.functions.iter().enumerate() {
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            others.extend(inst.op.operands().iter().filter_map(address));
            if let Op::Call { callee: Callee::Direct(id), dsts, .. } = &inst.op {
                match dsts[..] {
                    [dst] => callers.entry(id.0).or_default().push((at as u32, dst)),
                    [] => {}
                    _ => drop(others.insert(id.0)),
                }
            }
        }
        for block in &function.blocks {
            others.extend(block.term.operands().iter().filter_map(address));
            let moved = block.term.edges().into_iter().flat_map(|edge| &edge.moves);
            others.extend(moved.filter_map(|(_, source)| address(source)));
        }
    }
    let contents = program.globals.iter().filter_map(|global| global.init.as_ref());
    let relocations = contents.flat_map(|init| &init.relocations);
    others.extend(relocations.filter_map(|relocation| match relocation.symbol {
        Symbol::Function(id) => Some(id.0),
        Symbol::Global(_) => None,
    }));
    callers.retain(|function, _| !others.contains(function));
    callers
}

/// What an input is compared with; nothing if something else is done with it too.
fn tests(program: &Program, callers: &Callers, start: Value, width: u32) -> Option<Vec<Test>> {
    let mut tests = Vec::new();
    let mut seen = FxHashSet::from_iter([start]);
    let mut next = vec![start];
    while let Some(value) = next.pop() {
        let mut follow = |value: Value| {
            if seen.insert(value) {
                next.push(value);
            }
        };
        let function = &program.functions[value.function as usize];
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            if inst.op.operands().contains(&Operand::Reg(value.reg)) {
                use_of(program, &inst.op, value, width, &mut follow, &mut tests)?;
            }
        }
        for block in &function.blocks {
            for edge in block.term.edges() {
                for &(reg, source) in &edge.moves {
                    if source == Operand::Reg(value.reg) {
                        follow(Value { reg, ..value });
                    }
                }
            }
            end_of(&block.term, (callers, function), value, width, &mut follow, &mut tests)?;
        }
    }
    Some(tests)
}

fn use_of(
    program: &Program,
    op: &Op,
    value: Value,
    width: u32,
    follow: &mut impl FnMut(Value),
    tests: &mut Vec<Test>,
) -> Option<()> {
    let is = |operand: &Operand| *operand == Operand::Reg(value.reg);
    match op {
        Op::Copy { dst, .. } => follow(Value { reg: *dst, ..value }),
        Op::Select { dst, cond, .. } if !is(cond) => follow(Value { reg: *dst, ..value }),
        Op::Cast { op: cast @ (Cast::ZeroExt | Cast::SignExt), to: Ty::Int(bits), dst, .. } => {
            let signed = *cast == Cast::SignExt;
            let bits = u32::from(*bits);
            let form = match value.form {
                Form::Whole => Form::Wide { signed, bits },
                // A sign was put there already, or zeros.
                Form::Wide { signed: before, .. } if before == signed || !before => {
                    Form::Wide { signed: before, bits }
                }
                Form::Wide { .. } => return None,
            };
            follow(Value { reg: *dst, form, ..value });
        }
        Op::Compare { pred, width: bits, a, b, .. } => {
            let (pred, constant) = match (a, b) {
                (a, Operand::Const(constant)) if is(a) => (*pred, *constant),
                (Operand::Const(constant), b) if is(b) => (swapped(*pred), *constant),
                _ => return None,
            };
            debug_assert_eq!(u32::from(*bits), bits_of(value.form, width));
            tests.push(Test { form: value.form, pred, constant, bits: u32::from(*bits) });
        }
        Op::Call { callee: Callee::Direct(id), args, .. } => {
            let callee: &Function = program.function(*id);
            if callee.is_declaration() || callee.variadic {
                return None;
            }
            for (at, _) in args.iter().enumerate().filter(|(_, arg)| is(arg)) {
                follow(Value { function: id.0, reg: *callee.params.get(at)?, ..value });
            }
        }
        _ => return None,
    }
    Some(())
}

fn end_of(
    term: &Terminator,
    (callers, function): (&Callers, &Function),
    value: Value,
    width: u32,
    follow: &mut impl FnMut(Value),
    tests: &mut Vec<Test>,
) -> Option<()> {
    let is = |operand: &Operand| *operand == Operand::Reg(value.reg);
    match term {
        Terminator::Switch { value: by, cases, .. } if is(by) => {
            let bits = bits_of(value.form, width);
            let test =
                |case: u64| Test { form: value.form, pred: Compare::Eq, constant: case, bits };
            tests.extend(cases.iter().map(|case| test(case.0)));
        }
        Terminator::Return(values) if values.iter().any(is) => {
            // Threads return to who joins them, and others may be called through pointers.
            if values.len() != 1 || function.name == "main" {
                return None;
            }
            for &(function, reg) in callers.get(&value.function)? {
                follow(Value { function, reg, ..value });
            }
        }
        Terminator::Branch { cond, .. } if is(cond) => return None,
        _ => {}
    }
    Some(())
}

fn bits_of(form: Form, width: u32) -> u32 {
    match form {
        Form::Whole => width,
        Form::Wide { bits, .. } => bits,
    }
}

/// One value of each class; nothing if there are very many.
fn representatives(tests: &[Test], width: u32) -> Option<Box<[u64]>> {
    let all = cut(u64::MAX, width);
    let sign = 1u64 << (width - 1);
    let ends = [0, 1 & all, all, sign, sign - 1];
    let around = |test: &Test| {
        let constant = test.constant;
        [constant, constant.wrapping_add(1), constant.wrapping_sub(1)].map(|n| n & all)
    };
    let mut known = FxHashSet::default();
    let mut values = Vec::new();
    for value in ends.into_iter().chain(tests.iter().flat_map(around)) {
        let outcomes: Vec<bool> = tests.iter().map(|test| test.of(value, width)).collect();
        if known.insert(outcomes) {
            values.push(value);
        }
    }
    (values.len() <= MANY).then(|| values.into())
}

impl Test {
    /// How it comes out for a value of the input.
    fn of(&self, value: u64, width: u32) -> bool {
        let value = match self.form {
            Form::Whole | Form::Wide { signed: false, .. } => value,
            Form::Wide { signed: true, bits } => cut(sign_extend(value, width as u8) as u64, bits),
        };
        let (a, b) = (value, cut(self.constant, self.bits));
        let signed = |bits| sign_extend(bits, self.bits as u8);
        let (signed_a, signed_b) = (signed(a), signed(b));
        match self.pred {
            Compare::Eq => a == b,
            Compare::Ne => a != b,
            Compare::ULt => a < b,
            Compare::ULe => a <= b,
            Compare::UGt => a > b,
            Compare::UGe => a >= b,
            Compare::SLt => signed_a < signed_b,
            Compare::SLe => signed_a <= signed_b,
            Compare::SGt => signed_a > signed_b,
            Compare::SGe => signed_a >= signed_b,
        }
    }
}

fn cut(bits: u64, width: u32) -> u64 {
    if width >= 64 { bits } else { bits & ((1 << width) - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREDS: [Compare; 6] =
        [Compare::Eq, Compare::Ne, Compare::ULt, Compare::UGe, Compare::SLe, Compare::SGt];

    /// Every value of six bits comes out as some representative does, whatever the tests are.
    #[test]
    fn every_value_has_a_representative() {
        let width = 6;
        let forms = [
            Form::Whole,
            Form::Wide { signed: false, bits: 9 },
            Form::Wide { signed: true, bits: 9 },
        ];
        let mut state = 7u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        for _ in 0..2_000 {
            let tests: Vec<Test> = (0..1 + random(4))
                .map(|_| {
                    let form = forms[random(forms.len())];
                    let bits = bits_of(form, width);
                    let constant = random(1 << bits) as u64;
                    Test { form, pred: PREDS[random(PREDS.len())], constant, bits }
                })
                .collect();
            let outcomes =
                |value: u64| -> Vec<bool> { tests.iter().map(|t| t.of(value, width)).collect() };
            let few: Vec<_> = representatives(&tests, width)
                .expect("few tests")
                .iter()
                .map(|&value| outcomes(value))
                .collect();
            for value in 0..1 << width {
                assert!(few.contains(&outcomes(value)), "{value}");
            }
        }
    }
}
