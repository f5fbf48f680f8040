//! Every operation against its meaning: exhaustively for small widths, at random for
//! large ones; by evaluation, and by the solver.

mod common;

use common::mask;
use heddle_sat::{Answer, Binary, Cadical, Relation, Session, Term, Terms};

/// An operation on two terms and the same on numbers.
type Operation = (String, Box<dyn Fn(&mut Terms, Term, Term) -> Term>, Box<Meaning>);
type Meaning = dyn Fn(u64, u64, u32) -> u64;

fn unary(
    name: &str,
    build: fn(&mut Terms, Term) -> Term,
    meaning: impl Fn(u64, u32) -> u64 + 'static,
) -> Operation {
    (
        name.to_string(),
        Box::new(move |terms, a, _| build(terms, a)),
        Box::new(move |a, _, width| meaning(a, width)),
    )
}

fn overflow(
    name: &str,
    build: fn(&mut Terms, Term, Term) -> Term,
    signed: bool,
    exact: fn(i128, i128) -> Option<i128>,
) -> Operation {
    let meaning = move |a, b, width| {
        let number = |x| if signed { common::signed(x, width) } else { i128::from(x) };
        let range = if signed { -(1_i128 << (width - 1))..1 << (width - 1) } else { 0..1 << width };
        let fits = exact(number(a), number(b)).is_some_and(|result| range.contains(&result));
        u64::from(!fits)
    };
    (name.to_string(), Box::new(build), Box::new(meaning))
}

fn operations() -> Vec<Operation> {
    let mut all: Vec<Operation> = Vec::new();
    for op in Binary::ALL {
        all.push((
            format!("{op:?}"),
            Box::new(move |terms, a, b| terms.binary(op, a, b)),
            Box::new(move |a, b, width| common::binary(op, a, b, width)),
        ));
    }
    for op in Relation::ALL {
        all.push((
            format!("{op:?}"),
            Box::new(move |terms, a, b| terms.relate(op, a, b)),
            Box::new(move |a, b, width| u64::from(common::relate(op, a, b, width))),
        ));
    }
    let gap = |width: u32| 64 - width;
    all.extend([
        unary("not", Terms::not, |a, width| !a & mask(width)),
        unary("negate", Terms::negate, |a, width| a.wrapping_neg() & mask(width)),
        unary("ones", Terms::count_ones, |a, _| u64::from(a.count_ones())),
        unary("leading", Terms::leading_zeros, move |a, width| {
            u64::from(a.leading_zeros() - gap(width))
        }),
        unary("trailing", Terms::trailing_zeros, |a, width| {
            u64::from(a.trailing_zeros().min(width))
        }),
        unary("reverse", Terms::reverse_bits, move |a, width| a.reverse_bits() >> gap(width)),
        unary("absolute", Terms::absolute, |a, width| {
            common::signed(a, width).unsigned_abs() as u64 & mask(width)
        }),
        unary("sign", Terms::sign, |a, width| a >> (width - 1)),
        unary("nonzero", Terms::is_nonzero, |a, _| u64::from(a != 0)),
    ]);
    let (add, sub, mul) = (i128::checked_add, i128::checked_sub, i128::checked_mul);
    all.extend([
        overflow("uadd", Terms::unsigned_add_overflows, false, add),
        overflow("sadd", Terms::signed_add_overflows, true, add),
        overflow("usub", Terms::unsigned_sub_overflows, false, sub),
        overflow("ssub", Terms::signed_sub_overflows, true, sub),
        overflow("umul", Terms::unsigned_mul_overflows, false, mul),
        overflow("smul", Terms::signed_mul_overflows, true, mul),
    ]);
    all
}

/// Terms of the operation with neither, either and both operands constant.
fn forms(terms: &mut Terms, op: &Operation, vars: [Term; 2], values: [u64; 2]) -> Vec<Term> {
    let width = terms.width(vars[0]);
    let constants = values.map(|value| terms.constant(value, width));
    let [(x, y), (a, b)] = [vars, constants].map(|[a, b]| (a, b));
    [(x, y), (a, y), (x, b), (a, b)].map(|(a, b)| (op.1)(terms, a, b)).to_vec()
}

fn check(op: &Operation, width: u32, values: [u64; 2], solve: bool) {
    let mut terms = Terms::new();
    let vars = [terms.variable(width), terms.variable(width)];
    let expected = (op.2)(values[0], values[1], width);
    let vars_of = |t: Term| if t == vars[0] { values[0] } else { values[1] };
    for (form, term) in forms(&mut terms, op, vars, values).into_iter().enumerate() {
        let context = format!("{} of {values:?}, width {width}, form {form}", op.0);
        assert_eq!(terms.evaluate(term, &vars_of), expected, "{context}");
        if !solve {
            continue;
        }
        let mut session = Session::new(Cadical::new());
        for (var, value) in vars.into_iter().zip(values) {
            let value = terms.constant(value, width);
            let equal = terms.equals(var, value);
            session.assert(&terms, equal);
        }
        let result = terms.constant(expected, terms.width(term));
        let right = terms.equals(term, result);
        assert_eq!(session.solve(&terms, &[right], &mut || false), Answer::Sat, "{context}");
        assert_eq!(session.value(&terms, term), expected, "{context}");
        let wrong = terms.not(right);
        assert_eq!(session.solve(&terms, &[wrong], &mut || false), Answer::Unsat, "{context}");
    }
}

#[test]
fn small_widths_exhaustively() {
    for op in operations() {
        for width in 1..=4 {
            for a in 0..=mask(width) {
                for b in 0..=mask(width) {
                    check(&op, width, [a, b], width <= 3 || a % 3 == b % 3);
                }
            }
        }
    }
}

/// Numbers near the ends and the middle are where arithmetic goes wrong.
fn number(rng: &mut fastrand::Rng, width: u32) -> u64 {
    let edge = [0, 1, mask(width), 1 << (width - 1), mask(width) >> 1, u64::from(width)];
    match rng.u32(0..4) {
        0 => edge[rng.usize(..edge.len())] & mask(width),
        1 => rng.u64(0..=u64::from(width)) & mask(width),
        2 => mask(width) >> rng.u32(0..width),
        _ => rng.u64(..) & mask(width),
    }
}

#[test]
fn large_widths_at_random() {
    let mut rng = fastrand::Rng::with_seed(1);
    for op in operations() {
        for width in [5, 7, 8, 16, 31, 32, 33, 63, 64] {
            for _ in 0..200 {
                check(&op, width, [number(&mut rng, width), number(&mut rng, width)], false);
            }
            for _ in 0..2 {
                check(&op, width, [number(&mut rng, width), number(&mut rng, width)], true);
            }
        }
    }
}

#[test]
fn bytes_are_swapped() {
    let mut terms = Terms::new();
    for width in [8, 16, 24, 32, 64] {
        let x = terms.variable(width);
        let swapped = terms.swap_bytes(x);
        let value = 0x0102_0304_0506_0708 & mask(width);
        assert_eq!(terms.evaluate(swapped, &|_| value), value.swap_bytes() >> (64 - width));
        assert_eq!(terms.swap_bytes(swapped), x);
    }
}
