//! Terms that are deeper than any stack.

use heddle_sat::{Answer, Binary, Cadical, Relation, Session, Terms};

const DEPTH: u64 = 200_000;

/// A step that no rule can take together with the one before.
#[test]
fn chains_of_operations() {
    let mut terms = Terms::new();
    let x = terms.variable(2);
    let (one, y) = (terms.constant(1, 2), terms.variable(2));
    let mut chain = x;
    for _ in 0..DEPTH / 2 {
        chain = terms.binary(Binary::Add, chain, one);
        chain = terms.xor(chain, y);
    }
    assert_eq!(terms.evaluate(chain, &|t| u64::from(t == x)), (1 + DEPTH / 2) & 3);
    let zero = terms.constant(0, 2);
    let fixed = terms.equals(y, zero);
    let sum = terms.constant((1 + DEPTH / 2) & 3, 2);
    let reached = terms.equals(chain, sum);
    let mut session = Session::new(Cadical::new());
    session.assert(&terms, fixed);
    session.assert(&terms, reached);
    // Given up at once: only the encoding matters here.
    assert_eq!(session.solve(&terms, &[], &mut || true), Answer::Unknown);
    assert!(session.statistics().variables > 0);
}

/// Comparisons are pushed inwards by rules; they must stop somewhere.
#[test]
fn comparisons_of_deep_terms() {
    let mut terms = Terms::new();
    let (x, one, zero) = (terms.variable(32), terms.constant(1, 32), terms.constant(0, 32));
    let mut chain = x;
    for _ in 0..DEPTH {
        chain = terms.binary(Binary::Add, chain, one);
        chain = terms.not(chain);
    }
    for op in Relation::ALL {
        terms.relate(op, chain, zero);
        terms.relate(op, zero, chain);
    }
    let mut chain = x;
    for step in 0..DEPTH {
        let (condition, value) = (terms.variable(1), terms.constant(step, 32));
        chain = terms.select(condition, value, chain);
        if step % 1000 == 0 {
            terms.equals(chain, zero);
        }
    }
    assert_eq!(terms.evaluate(chain, &|_| 0), 0);
    let mut truth = terms.variable(1);
    for _ in 0..DEPTH {
        let (a, b) = (terms.variable(1), terms.variable(1));
        truth = terms.and(truth, a);
        truth = terms.or(truth, b);
    }
    let mut session = Session::new(Cadical::new());
    session.assert(&terms, truth);
    assert_eq!(session.value(&terms, truth), 0);
}
