//! Sessions: models, cores and dumps.

use heddle_sat::{Answer, Binary, Cadical, Session, Solver, Terms};

#[test]
fn what_no_constraint_mentions_is_zero() {
    let mut terms = Terms::new();
    let (x, y) = (terms.variable(8), terms.variable(8));
    let p = terms.choice(&[5, 7, 9], 8);
    let three = terms.constant(3, 8);
    let is_three = terms.equals(x, three);
    let mut session = Session::new(Cadical::new());
    session.assert(&terms, is_three);
    assert_eq!(session.solve(&terms, &[], &mut || false), Answer::Sat);
    let sum = terms.binary(Binary::Add, x, y);
    let total = terms.binary(Binary::Add, sum, p);
    assert_eq!(session.value(&terms, y), 0);
    assert_eq!(session.value(&terms, p), 5);
    assert_eq!(session.value(&terms, total), 8);
}

/// Every code of a choice means one of its values, and every value has a code.
#[test]
fn choices_take_all_their_values_and_no_other() {
    for count in 1..=17 {
        let values: Vec<u64> = (0..count).map(|i| i * i + 3).collect();
        let mut terms = Terms::new();
        let x = terms.choice(&values, 16);
        let mut session = Session::new(Cadical::new());
        let mut found = Vec::new();
        // Not through `equals`, which knows the values.
        while session.solve(&terms, &[], &mut || false) == Answer::Sat {
            let value = session.value(&terms, x);
            assert!(!found.contains(&value), "{value} was excluded");
            found.push(value);
            let (value, other) = (terms.constant(value, 16), terms.variable(16));
            let (same, taken) = (terms.equals(x, other), terms.equals(other, value));
            let differs = terms.not(taken);
            session.assert(&terms, same);
            session.assert(&terms, differs);
        }
        found.sort_unstable();
        assert_eq!(found, values);
    }
}

#[test]
fn the_model_outlives_the_next_assertion() {
    let mut terms = Terms::new();
    let x = terms.variable(4);
    let mut session = Session::new(Cadical::new());
    let mut seen = 0_u32;
    let odd = terms.extract(x, 0, 1);
    session.assert(&terms, odd);
    while session.solve(&terms, &[], &mut || false) == Answer::Sat {
        let value = session.value(&terms, x);
        let constant = terms.constant(value, 4);
        let again = terms.equals(x, constant);
        let never = terms.not(again);
        session.assert(&terms, never);
        assert_eq!(session.value(&terms, x), value);
        seen |= 1 << value;
    }
    assert_eq!(seen, 0xaaaa);
}

#[test]
fn failed_assumptions() {
    let mut terms = Terms::new();
    let [a, b, c] = [0; 3].map(|_| terms.variable(1));
    let both = terms.and(a, b);
    let not_both = terms.not(both);
    let mut session = Session::new(Cadical::new());
    session.assert(&terms, not_both);
    assert_eq!(session.solve(&terms, &[c, a, b], &mut || false), Answer::Unsat);
    assert!(session.failed(&terms, a) && session.failed(&terms, b));
    assert!(!session.failed(&terms, c));
    let never = terms.truth(false);
    assert_eq!(session.solve(&terms, &[never], &mut || false), Answer::Unsat);
    assert_eq!(session.solve(&terms, &[a], &mut || false), Answer::Sat);
}

/// What is written has the same answer as what was solved.
#[test]
fn dumps_in_dimacs() {
    let mut terms = Terms::new();
    let (x, y) = (terms.variable(6), terms.variable(6));
    let product = terms.binary(Binary::Mul, x, y);
    let mut session = Session::new(Cadical::new());
    let one = terms.constant(1, 6);
    let (x_is_one, y_is_one) = (terms.equals(x, one), terms.equals(y, one));
    let inverse = terms.equals(product, one);
    session.assert(&terms, inverse);
    for (assumptions, answer) in
        [(vec![], Answer::Sat), (vec![x_is_one, terms.not(y_is_one)], Answer::Unsat)]
    {
        assert_eq!(session.solve(&terms, &assumptions, &mut || false), answer);
        let mut text = Vec::new();
        session.dump(&terms, &assumptions, &[], &mut text).expect("a vector takes it");
        let text = String::from_utf8(text).expect("ASCII");
        let mut lines = text.lines();
        let header = lines.next().expect("a header");
        assert!(header.ends_with(&format!(" {}", text.lines().count() - 1)), "{header}");
        let mut solver = Cadical::new();
        for line in lines {
            let clause: Vec<i32> = line.split(' ').map(|lit| lit.parse().unwrap()).collect();
            solver.add_clause(&clause[..clause.len() - 1]);
        }
        assert_eq!(solver.solve(&[], &mut || false), answer);
    }
}

/// What is asserted as a clause, or as an equality under a condition, means the same
/// as the term for it.
#[test]
fn clauses_and_conditional_equalities_mean_what_their_terms_do() {
    let mut terms = Terms::new();
    let (x, y) = (terms.variable(3), terms.variable(3));
    let (p, q) = (terms.variable(1), terms.variable(1));
    let both = terms.and(p, q);
    let (neither, three) = (terms.not(both), terms.constant(3, 3));
    let sum = terms.binary(Binary::Add, x, y);
    let same = terms.equals(sum, three);
    let equal = terms.implies(both, same);
    let some = terms.or(neither, p);
    let meant = terms.and(equal, some);
    let mut session = Session::new(Cadical::new());
    session.assert_any(&terms, &[neither, p]);
    session.assert_equal_if(&terms, both, sum, three);
    let mut runs = 0;
    for number in 0..256u64 {
        let mut fixed = Vec::new();
        for (term, low, width) in [(x, 0, 3), (y, 3, 3), (p, 6, 1), (q, 7, 1)] {
            let value = terms.constant(number >> low & ((1 << width) - 1), width);
            fixed.push(terms.equals(term, value));
        }
        let sat = session.solve(&terms, &fixed, &mut || false) == Answer::Sat;
        let mut plain = Session::new(Cadical::new());
        plain.assert(&terms, meant);
        assert_eq!(sat, plain.solve(&terms, &fixed, &mut || false) == Answer::Sat, "{number}");
        runs += u32::from(sat);
    }
    // With both, only the eight pairs whose sum is three.
    assert_eq!(runs, 3 * 64 + 8);
}
