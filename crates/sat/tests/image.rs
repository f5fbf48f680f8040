//! Values of terms under sets of values of their inputs.

use heddle_sat::{Binary, Cone, Relation, Term, Terms};

/// All values of `t` where `x` and `y` are from these sets.
fn all(terms: &Terms, t: Term, (x, xs): (Term, &[u64]), (y, ys): (Term, &[u64])) -> Vec<u64> {
    let mut values = Vec::new();
    for &a in xs {
        for &b in ys {
            let of = |input: Term| if input == x { a } else { b };
            assert!(x != y);
            values.push(terms.evaluate(t, &of));
        }
    }
    values.sort_unstable();
    values.dedup();
    values
}

#[test]
fn an_image_has_every_value() {
    let mut terms = Terms::new();
    let (x, y) = (terms.variable(16), terms.variable(16));
    let (xs, ys) = ([0, 3, 7, 1000, 65_535], [1, 2, 65_534]);
    let five = terms.constant(5, 16);
    for op in Binary::ALL {
        let inner = terms.binary(op, x, y);
        let outer = terms.binary(Binary::Add, inner, five);
        let less = terms.relate(Relation::SLt, outer, x);
        let either = terms.select(less, outer, y);
        let low = terms.extract(either, 3, 7);
        for t in [inner, outer, less, either, low] {
            let cone = Cone::of(&terms, [t], 1000).expect("few terms");
            let of = |input: Term| Some(if input == x { xs.to_vec() } else { ys.to_vec() });
            let images = cone.images(&terms, of);
            let image = images[&t].as_ref().expect("few values");
            let exact = all(&terms, t, (x, &xs), (y, &ys));
            assert!(exact.iter().all(|value| image.contains(value)), "{op:?}: {image:?} {exact:?}");
            let outcomes = cone.outcomes(&terms, of);
            let outcome = outcomes[&t].as_ref().expect("few values");
            assert!(exact.iter().all(|value| outcome.contains(value)), "{op:?}: {outcome:?}");
            assert!(outcome.iter().all(|value| image.contains(value)), "{op:?}: {outcome:?}");
        }
    }
}

#[test]
fn a_sum_of_one_input_is_exact() {
    let mut terms = Terms::new();
    let x = terms.choice(&[0, 1], 8);
    let two = terms.constant(2, 8);
    let t = terms.binary(Binary::Mul, x, two);
    let cone = Cone::of(&terms, [t], 1000).expect("few terms");
    assert_eq!(cone.inputs(&terms).collect::<Vec<_>>(), [x]);
    let images = cone.images(&terms, |_| Some(vec![0, 1, 2, 4]));
    assert_eq!(images[&t], Some(vec![0, 2, 4, 8]), "more than the choice was made with");
    let unknown = cone.images(&terms, |_| None);
    assert_eq!(unknown[&t], None);
}

#[test]
fn conditions_come_out_as_they_can() {
    let mut terms = Terms::new();
    let (x, y) = (terms.variable(8), terms.variable(8));
    let six = terms.constant(6, 8);
    let less = terms.relate(Relation::ULt, x, six);
    let either = terms.select(less, x, y);
    let cone = Cone::of(&terms, [either], 1000).expect("few terms");
    let of = |input: Term| (input == x).then(|| vec![1, 5]);
    assert_eq!(cone.outcomes(&terms, of)[&less], Some(vec![1]));
    assert_eq!(cone.outcomes(&terms, of)[&either], Some(vec![1, 5]), "what y is does not matter");
    let unknown = cone.outcomes(&terms, |_| None);
    assert_eq!((&unknown[&less], &unknown[&either]), (&Some(vec![0, 1]), &None));
}

#[test]
fn a_cone_may_be_too_large() {
    let mut terms = Terms::new();
    let mut t = terms.variable(32);
    for _ in 0..10 {
        t = terms.binary(Binary::Mul, t, t);
    }
    assert!(Cone::of(&terms, [t], 10).is_none());
    assert!(Cone::of(&terms, [t], 11).is_some());
}
