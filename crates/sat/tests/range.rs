//! Bounds of terms under bounds of their inputs, and variables that are smaller than they look.

use heddle_sat::{Answer, Binary, Cadical, Cone, Range, Relation, Session, Term, Terms};

/// All ranges of numbers of so many bits.
fn ranges(width: u32) -> impl Iterator<Item = Range> + Clone {
    let all = 1u64 << width;
    (0..all).flat_map(move |least| (least..all).map(move |greatest| (least, greatest)))
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
            for (at, &t) in samples.iter().enumerate() {
                let (least, greatest) = found[&t];
                narrow += usize::from(least == greatest);
                for pair in (xs.0..=xs.1).flat_map(|x| (ys.0..=ys.1).map(move |y| x | y << 3)) {
                    let value = values[pair as usize][at];
                    let node = terms.node(t);
                    assert!(
                        (least..=greatest).contains(&value),
                        "{node:?} of {xs:?}, {ys:?} is {value}, not in {least}..={greatest}"
                    );
                }
            }
        }
    }
    assert!(narrow > 10_000, "ranges say something: {narrow}");
}

#[test]
fn a_limit_holds_and_nothing_else_is_lost() {
    let mut terms = Terms::new();
    let (x, y) = (terms.variable(8), terms.variable(8));
    terms.limit(x, 3);
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
    terms.limit(x, 0);
    let zero = terms.constant(0, 8);
    let is_zero = terms.equals(x, zero);
    let mut session = Session::new(Cadical::new());
    session.assert(&terms, is_zero);
    assert_eq!(session.solve(&terms, &[], &mut || false), Answer::Sat);
    assert_eq!(session.value(&terms, x), 0);
}
