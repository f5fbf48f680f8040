//! The evaluator over a second domain.
//!
//! [`Terms`] builds expressions instead of numbers. Random straight-line code is
//! run twice by the same [`heddle_semantics::eval`]: over terms, whose result is
//! then computed for given inputs, and over plain numbers. Both must agree.

mod host;
mod terms;

use heddle_ir::{
    BinOp, Cast, Compare, FloatBinOp, FloatCompare, FloatTy, Op, Operand, OverflowOp, Reg, Scale,
    Ty, UnOp,
};
use heddle_semantics::{Concrete, eval, mask};

use host::Scratch;
use terms::Terms;

const BINARY: [BinOp; 17] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::UDiv,
    BinOp::SDiv,
    BinOp::URem,
    BinOp::SRem,
    BinOp::Shl,
    BinOp::LShr,
    BinOp::AShr,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::UMin,
    BinOp::UMax,
    BinOp::SMin,
    BinOp::SMax,
];
const COMPARE: [Compare; 6] =
    [Compare::Eq, Compare::Ne, Compare::ULt, Compare::UGe, Compare::SLt, Compare::SGe];
const UNARY: [UnOp; 5] =
    [UnOp::Abs, UnOp::CountOnes, UnOp::LeadingZeros, UnOp::TrailingZeros, UnOp::ReverseBits];
const OVERFLOW: [OverflowOp; 6] = [
    OverflowOp::UAdd,
    OverflowOp::SAdd,
    OverflowOp::USub,
    OverflowOp::SSub,
    OverflowOp::UMul,
    OverflowOp::SMul,
];

const INPUTS: u32 = 3;

/// Straight-line code over `width`-bit registers; the first are inputs.
fn random_code(rng: &mut fastrand::Rng, width: u8) -> (Vec<Op>, Vec<Ty>) {
    let int = Ty::Int(width);
    let mut tys = vec![int; INPUTS as usize];
    let mut ops = Vec::new();
    for _ in 0..rng.usize(1..12) {
        let ints: Vec<u32> = (0..tys.len() as u32).filter(|&r| tys[r as usize] == int).collect();
        let mut pick = || match rng.u32(0..5) {
            0 => Operand::Const(mask(rng.u64(..), u32::from(width))),
            _ => Operand::Reg(Reg(ints[rng.usize(..ints.len())])),
        };
        let (a, b) = (pick(), pick());
        let dst = Reg(tys.len() as u32);
        let mut result = int;
        ops.push(match rng.u32(0..8) {
            0..4 => {
                let op = BINARY[rng.usize(..BINARY.len())];
                Op::Binary { op, width, nsw: false, dst, a, b }
            }
            4 => {
                let pred = COMPARE[rng.usize(..COMPARE.len())];
                result = Ty::BOOL;
                Op::Compare { pred, width, dst, a, b }
            }
            5 => Op::Unary { op: UNARY[rng.usize(..UNARY.len())], width, dst, a },
            6 => {
                let flag = Reg(dst.0 + 1);
                tys.push(int);
                result = Ty::BOOL;
                Op::Overflow { op: OVERFLOW[rng.usize(..OVERFLOW.len())], width, dst, flag, a, b }
            }
            _ => {
                let bools: Vec<u32> =
                    (0..tys.len() as u32).filter(|&r| tys[r as usize] == Ty::BOOL).collect();
                match bools.is_empty() || width == 1 {
                    true => Op::Copy { dst, a },
                    false => {
                        let cond = Operand::Reg(Reg(bools[rng.usize(..bools.len())]));
                        Op::Select { dst, cond, then: a, other: b }
                    }
                }
            }
        });
        tys.push(result);
    }
    (ops, tys)
}

#[test]
fn terms_and_numbers_agree() {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut violations = 0;
    for round in 0..4000 {
        let width = [1, 8, 16, 32, 64, 7][round % 6];
        let (ops, tys) = random_code(&mut rng, width);
        let inputs: Vec<u64> =
            (0..INPUTS).map(|_| mask(rng.u64(..) >> rng.u32(0..64), u32::from(width))).collect();

        let mut numbers = Scratch::<Concrete>::new(tys.len());
        let mut symbols = Scratch::<Terms>::new(tys.len());
        for (index, &input) in inputs.iter().enumerate() {
            numbers.regs[index] = Some(input);
            symbols.regs[index] = Some(terms::Term::input(index));
        }
        let mut failed = false;
        for op in &ops {
            eval(&mut symbols, op, |reg| tys[reg.0 as usize]).expect("terms go on after a check");
            failed |= !failed && eval(&mut numbers, op, |reg| tys[reg.0 as usize]).is_err();
            if failed {
                break;
            }
        }
        let bad = symbols.checks.iter().any(|check| check.compute(&inputs) != 0);
        assert_eq!(bad, failed, "both see the division by zero: {ops:?} {inputs:?}");
        violations += u32::from(failed);
        if !failed {
            for (number, term) in numbers.regs.iter().zip(&symbols.regs) {
                let (number, term) = (number.expect("assigned"), term.as_ref().expect("assigned"));
                assert_eq!(number, term.compute(&inputs), "{ops:?} {inputs:?}");
            }
        }
    }
    assert!(violations > 50, "division by zero was exercised ({violations})");
}

#[test]
fn pointers_and_floats_agree() {
    let base = Operand::Reg(Reg(0));
    let index = Operand::Reg(Reg(1));
    let scale = Scale { index, width: 32, bytes: 12, count: None };
    let ops = [
        Op::PtrAdd { dst: Reg(2), base, offset: -8, scales: Box::new([scale]) },
        Op::Cast {
            op: Cast::SignedToFloat,
            from: Ty::Int(32),
            to: Ty::Float(FloatTy::F64),
            dst: Reg(3),
            a: index,
        },
        Op::FloatBinary {
            op: FloatBinOp::Mul,
            ty: FloatTy::F64,
            dst: Reg(4),
            a: Operand::Reg(Reg(3)),
            b: Operand::Const(0.5f64.to_bits()),
        },
        Op::FloatCompare {
            pred: FloatCompare::OLt,
            ty: FloatTy::F64,
            dst: Reg(5),
            a: Operand::Reg(Reg(4)),
            b: Operand::Const(1.0f64.to_bits()),
        },
    ];
    let f64_ty = Ty::Float(FloatTy::F64);
    let tys = [Ty::Ptr, Ty::Int(32), Ty::Ptr, f64_ty, f64_ty, Ty::BOOL];
    let inputs = [0x3_0000_0000, (-5i32) as u32 as u64];
    let mut numbers = Scratch::<Concrete>::new(tys.len());
    let mut symbols = Scratch::<Terms>::new(tys.len());
    for (at, &input) in inputs.iter().enumerate() {
        numbers.regs[at] = Some(input);
        symbols.regs[at] = Some(terms::Term::input(at));
    }
    for op in &ops {
        eval(&mut numbers, op, |reg| tys[reg.0 as usize]).expect("no check fails");
        eval(&mut symbols, op, |reg| tys[reg.0 as usize]).expect("no check fails");
    }
    assert_eq!(numbers.regs[2], Some(0x3_0000_0000 - 8 - 60));
    assert_eq!(numbers.regs[4], Some((-2.5f64).to_bits()));
    assert_eq!(numbers.regs[5], Some(1));
    for (number, term) in numbers.regs.iter().zip(&symbols.regs) {
        assert_eq!(*number, term.as_ref().map(|term| term.compute(&inputs)));
    }
}
