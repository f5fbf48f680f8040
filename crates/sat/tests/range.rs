//! Bounds of terms under bounds of their inputs, and variables that are smaller than they look.

use heddle_sat::{Answer, Binary, Cadical, Cone, Limit, Range, Relation, Session, Term, Terms};

/// All ranges of numbers of so many bits, with a sign or without.
fn ranges(width: u32) -> impl Iterator<Item = Range> + Clone {
    let all = 1i128 << width;
    let ranges = (-all / 2..all)
        .flat_map(move |least| (least..all).map(move |greatest| Range { least, greatest }));
    ranges.filter(move |range| range.greatest - range.least < all)
}

/// Terms of all kinds over two inputs of three bits.
fn samples(terms: &mut Terms, x: Term, y: Term) -> Vec<Term> {
    let mut samples = Vec::new();
    for op in Binary::ALL {
        samples.push(terms.binary(op, x, y));
    }
    for op in Relation::ALL {
        let truth = terms.relate(op, x, y);
        samples.extend([truth, terms.select(truth, x, y)]);
    }
    let constants = (0..8).map(|bits| terms.constant(bits, 3)).collect::<Vec<_>>();
    for constant in constants {
        samples.extend([terms.binary(Binary::Add, x, constant), terms.equals(x, constant)]);
        let masked = terms.binary(Binary::And, x, constant);
        samples.push(terms.binary(Binary::Or, masked, y));
    }
    for inner in samples.clone() {
        let not = terms.not(inner);
        let (wide, signed) = (terms.zero_extend(not, 5), terms.sign_extend(inner, 5));
        samples.extend([not, wide, signed, terms.concat(inner, y)]);
        samples.extend([terms.extract(signed, 1, 3), terms.extract(wide, 2, 2)]);
        samples.push(terms.binary(Binary::Mul, wide, signed));
        samples.push(terms.relate(Relation::SLt, wide, signed));
    }
    samples
}

#[test]
fn every_value_is_within() {
    let mut terms = Terms::new();
    let (x, y) = (terms.variable(3), terms.variable(3));
    let samples = samples(&mut terms, x, y);
    let cone = Cone::of(&terms, samples.iter().copied(), 10_000).expect("few terms");
    let values: Vec<Vec<u64>> = (0..64)
        .map(|pair| {
            let of = |input: Term| if input == x { pair & 7 } else { pair >> 3 };
            samples.iter().map(|&t| terms.evaluate(t, &of)).collect()
        })
        .collect();
    let mut narrow = 0;
    for xs in ranges(3) {
        for ys in ranges(3) {
            let found = cone.ranges(&terms, |input| if input == x { xs } else { ys });
            let pairs: Vec<usize> = (0..64)
                .filter(|&pair| xs.contains(pair & 7, 3) && ys.contains(pair >> 3, 3))
                .map(|pair| pair as usize)
                .collect();
            for (at, &t) in samples.iter().enumerate() {
                let (range, width) = (found[&t], terms.width(t));
                narrow += usize::from(range.least == range.greatest);
                let limit = range.limit(width);
                for &pair in &pairs {
                    let value = values[pair][at];
                    let node = terms.node(t);
                    assert!(
                        range.contains(value, width) && fits(value, width, limit),
                        "{node:?} of {xs:?}, {ys:?} is {value}, not in {range:?}, {limit:?}"
                    );
                }
            }
        }
    }
    assert!(narrow > 10_000, "ranges say something: {narrow}");
}

/// Do the bits of the limit say what the value is?
fn fits(value: u64, width: u32, limit: Limit) -> bool {
    let rest = value >> limit.bits;
    let top = limit.bits > 0 && value >> (limit.bits - 1) & 1 == 1;
    let ones = (1u64 << (width - limit.bits)) - 1;
    rest == if limit.signed && top { ones } else { 0 } || limit.bits == width
}

#[test]
fn a_limit_holds_and_nothing_else_is_lost() {
    let mut terms = Terms::new();
    let (x, y) = (terms.variable(8), terms.variable(8));
    terms.limit(x, Limit { bits: 3, signed: false });
    let sum = terms.binary(Binary::Add, x, y);
    let mut session = Session::new(Cadical::new());
    let mut never = || false;
    for (value, exists) in [(0, true), (7, true), (8, false), (255, false)] {
        let wanted = terms.constant(value, 8);
        let is_it = terms.equals(x, wanted);
        let answer = session.solve(&terms, &[is_it], &mut never);
        assert_eq!(answer == Answer::Sat, exists, "{value}");
    }
    for value in [0, 100, 255] {
        let wanted = terms.constant(value, 8);
        let is_it = terms.equals(sum, wanted);
        assert_eq!(session.solve(&terms, &[is_it], &mut never), Answer::Sat);
        assert_eq!(session.value(&terms, sum), value);
        assert!(session.value(&terms, x) < 8);
    }
}

#[test]
fn a_variable_may_be_nothing_but_zero() {
    let mut terms = Terms::new();
    let x = terms.variable(8);
    terms.limit(x, Limit { bits: 0, signed: false });
    let zero = terms.constant(0, 8);
    let is_zero = terms.equals(x, zero);
    let mut session = Session::new(Cadical::new());
    session.assert(&terms, is_zero);
    assert_eq!(session.solve(&terms, &[], &mut || false), Answer::Sat);
    assert_eq!(session.value(&terms, x), 0);
}

#[test]
fn a_limit_may_have_a_sign() {
    let mut terms = Terms::new();
    let (x, y) = (terms.variable(8), terms.variable(8));
    for input in [x, y] {
        terms.limit(input, Limit { bits: 3, signed: true });
    }
    let (sum, product) = (terms.binary(Binary::Add, x, y), terms.binary(Binary::Mul, x, y));
    let mut session = Session::new(Cadical::new());
    for value in 0..=255u8 {
        for (t, results) in [(x, -4..=3), (sum, -8..=6), (product, -12..=16)] {
            let is_product = |n: i8| (-4..=3).any(|x| (-4..=3).any(|y| x * y == n));
            let number = value as i8;
            let exists = results.contains(&number) && (t != product || is_product(number));
            let wanted = terms.constant(value.into(), 8);
            let is_it = terms.equals(t, wanted);
            let answer = session.solve(&terms, &[is_it], &mut || false);
            assert_eq!(answer == Answer::Sat, exists, "{number}");
            if exists {
                assert_eq!(session.value(&terms, t), u64::from(value));
            }
        }
    }
}
