//! Every way to fill undefined bits gives a result that agrees with what is said to be
//! defined.

use heddle_ir::{BinOp, Cast, Compare, RmwOp, Ty, UnOp};

use super::{Partial, PartlyKnown, Tracked};
use crate::{Concrete, Domain, mask};

const WIDTH: u32 = 5;

fn words() -> Vec<Partial> {
    let all = (0..1u64 << WIDTH).flat_map(|undefined| {
        (0..1u64 << WIDTH).step_by(3).map(move |bits| Partial::new(bits, undefined))
    });
    all.collect()
}

fn fillings(word: Partial) -> impl Iterator<Item = u64> {
    let open = word.undefined;
    (0..1u64 << WIDTH).filter(move |fill| fill & !open == 0).map(move |fill| word.bits | fill)
}

fn tracked(word: Partial) -> Tracked {
    Tracked { word, source: None }
}

fn agree(found: Partial, results: impl Iterator<Item = u64>, what: &dyn Fn() -> String) {
    assert_eq!(found.bits & found.undefined, 0, "{}", what());
    for result in results {
        assert_eq!(result & !found.undefined, found.bits, "{}", what());
    }
}

#[test]
fn binary_operations() {
    use BinOp::*;
    let words = words();
    for op in [Add, Sub, Mul, And, Or, Xor, Shl, LShr, AShr, UMin, UMax, SMin, SMax, UDiv, SRem] {
        for (at, &a) in words.iter().enumerate() {
            for &b in words.iter().skip(at % 7).step_by(7) {
                let found = PartlyKnown.binary(op, WIDTH, &tracked(a), &tracked(b)).word;
                let results = fillings(a)
                    .flat_map(|a| fillings(b).map(move |b| Concrete.binary(op, WIDTH, &a, &b)));
                agree(found, results, &|| format!("{op:?} {a:?} {b:?}"));
            }
        }
    }
}

#[test]
fn comparisons_and_selections() {
    use Compare::*;
    let words = words();
    for (at, &a) in words.iter().enumerate() {
        for &b in words.iter().skip(at % 5).step_by(5) {
            for op in [Eq, Ne, ULt, SGe] {
                let found = PartlyKnown.compare(op, WIDTH, &tracked(a), &tracked(b)).word;
                let results = fillings(a)
                    .flat_map(|a| fillings(b).map(move |b| Concrete.compare(op, WIDTH, &a, &b)));
                agree(found, results, &|| format!("{op:?} {a:?} {b:?}"));
            }
            let maybe = tracked(Partial::new(0, 1));
            let found = PartlyKnown.select(&maybe, &tracked(a), &tracked(b)).word;
            agree(found, fillings(a).chain(fillings(b)), &|| format!("select {a:?} {b:?}"));
        }
    }
}

#[test]
fn casts_and_single_operands() {
    for a in words() {
        let casts = [(Cast::Trunc, 3), (Cast::ZeroExt, 9), (Cast::SignExt, 9), (Cast::Bits, 5)];
        for (op, to) in casts {
            let (from, to) = (Ty::Int(WIDTH as u8), Ty::Int(to));
            let found = PartlyKnown.cast(op, from, to, &tracked(a)).word;
            let results = fillings(a).map(|a| Concrete.cast(op, from, to, &a));
            agree(found, results, &|| format!("{op:?} {a:?}"));
        }
        for op in [UnOp::Abs, UnOp::CountOnes, UnOp::TrailingZeros, UnOp::ReverseBits] {
            let found = PartlyKnown.unary(op, WIDTH, &tracked(a)).word;
            let results = fillings(a).map(|a| Concrete.unary(op, WIDTH, &a));
            agree(found, results, &|| format!("{op:?} {a:?}"));
        }
        for op in [RmwOp::Nand, RmwOp::Exchange, RmwOp::Max] {
            let three = tracked(Partial::from(3));
            let found = PartlyKnown.rmw(op, WIDTH, &tracked(a), &three).word;
            let results = fillings(a).map(|a| Concrete.rmw(op, WIDTH, &a, &3));
            agree(found, results, &|| format!("{op:?} {a:?}"));
        }
    }
}

#[test]
fn masks_and_shifts_are_exact() {
    // Bit-fields: set the upper 31 bits of a word of which nothing is known, and read them.
    let (width, mut domain) = (32, PartlyKnown);
    let blank = tracked(Partial::new(0, mask(u64::MAX, width)));
    let low = domain.constant(1, width);
    let kept = domain.binary(BinOp::And, width, &blank, &low);
    let value = domain.constant(5 << 1, width);
    let whole = domain.binary(BinOp::Or, width, &kept, &value);
    assert_eq!(whole.word, Partial { bits: 10, undefined: 1 });
    let one = domain.constant(1, width);
    let field = domain.binary(BinOp::LShr, width, &whole, &one);
    assert_eq!(field.word, Partial::from(5));
}
