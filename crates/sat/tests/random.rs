//! Random DAGs of terms against the same operations done one by one on numbers.

mod common;

use common::dag::Dag;
use heddle_sat::{Answer, Cadical, Session, Term, Terms};

/// Simplification and what is known of values keep to the meaning.
#[test]
fn simplified_terms_mean_the_same() {
    for seed in 0..1500 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let dag = Dag::random(&mut rng, 60);
        let mut terms = Terms::new();
        let built = dag.build(&mut terms);
        for _ in 0..8 {
            let inputs = dag.assignment(&mut rng);
            let expected = dag.compute(&inputs);
            let vars = |t: Term| {
                let step = (0..built.len()).find(|&i| built[i] == t && dag.is_input(i));
                inputs[step.expect("an input")]
            };
            for (step, (&term, &value)) in built.iter().zip(&expected).enumerate() {
                let context = || {
                    format!(
                        "seed {seed}, step {step}: {:?}",
                        dag.steps[..=step].iter().enumerate().collect::<Vec<_>>()
                    )
                };
                assert_eq!(terms.evaluate(term, &vars), value, "{}", context());
                if let Some(values) = terms.values(term) {
                    assert!(values.contains(&value), "values of {}", context());
                    assert!(
                        values.is_sorted()
                            && (values.len() > 1 || terms.as_constant(term).is_some())
                    );
                }
                let (zero, one) = terms.known_bits(term);
                assert!(value & zero == 0 && value & one == one, "bits of {}", context());
                let (least, greatest) = terms.range(term);
                assert!((least..=greatest).contains(&value), "range of {}", context());
                let (least, greatest) = terms.signed_range(term);
                let signed = common::signed(value, terms.width(term)) as i64;
                assert!((least..=greatest).contains(&signed), "signed range of {}", context());
            }
        }
    }
}

/// With the inputs fixed, gates and clauses leave each term its value and no other.
#[test]
fn blasted_terms_mean_the_same() {
    for seed in 0..150 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let dag = Dag::random(&mut rng, 50);
        let mut terms = Terms::new();
        let built = dag.build(&mut terms);
        let inputs = dag.assignment(&mut rng);
        let expected = dag.compute(&inputs);
        let mut session = Session::new(Cadical::new());
        let fixed: Vec<Term> = (0..built.len())
            .filter(|&step| dag.is_input(step))
            .map(|step| {
                let value = terms.constant(inputs[step], dag.steps[step].1);
                terms.equals(built[step], value)
            })
            .collect();
        for step in 0..built.len() {
            let value = terms.constant(expected[step], dag.steps[step].1);
            let right = terms.equals(built[step], value);
            let wrong = terms.not(right);
            for (truth, answer) in [(right, Answer::Sat), (wrong, Answer::Unsat)] {
                let mut assumptions = fixed.clone();
                assumptions.push(truth);
                let found = session.solve(&terms, &assumptions, &mut || false);
                assert_eq!(found, answer, "seed {seed}, step {step} of {dag:?}");
            }
        }
    }
}

/// With the inputs free, a model is one: what it says of the inputs gives every
/// term the value that it says of the term.
#[test]
fn models_are_models() {
    for seed in 0..150 {
        let mut rng = fastrand::Rng::with_seed(1000 + seed);
        let dag = Dag::random(&mut rng, 60);
        let mut terms = Terms::new();
        let built = dag.build(&mut terms);
        let expected = dag.compute(&dag.assignment(&mut rng));
        let mut session = Session::new(Cadical::new());
        for _ in 0..3 {
            let step = rng.usize(built.len() / 2..built.len());
            let value = terms.constant(expected[step], dag.steps[step].1);
            let equal = terms.equals(built[step], value);
            session.assert(&terms, equal);
            assert_eq!(session.solve(&terms, &[], &mut || false), Answer::Sat);
            let model: Vec<u64> = built.iter().map(|&t| session.value(&terms, t)).collect();
            assert_eq!(dag.compute(&model), model, "seed {seed}: {dag:?}");
            assert_eq!(model[step], expected[step], "seed {seed}, step {step}: {dag:?}");
        }
    }
}
