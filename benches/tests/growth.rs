//! Formulas grow linearly with their bounds, in every encoding: each further round, write or
//! cluster adds a copy of what the threads do there.

use std::time::Duration;

use heddle_benches::formula::{Formula, MANY_WRITES, PAIR};
use heddle_encode::Method;
use heddle_memory::Model;

fn is_linear(method: Method) {
    grows_linearly(PAIR, method);
}

fn grows_linearly(formula: Formula, method: Method) {
    let program = formula.compile();
    for &model in Model::ALL.iter().filter(|&&model| method.knows(model)) {
        let (name, model_name) = (method.name(), model.name());
        let clauses = |bound: u32| {
            // Solving is not the point, and is cut short.
            let limit = Duration::from_secs(1);
            let stats = formula.check(&program, (method, bound), model, limit).stats;
            assert_eq!(stats.bound, bound, "{name}, {model_name}: less covers all");
            stats.clauses as f64
        };
        let [two, four, six] = [2, 4, 6].map(clauses);
        let (first, second) = (four - two, six - four);
        let (least, most) = (first.min(second), first.max(second));
        assert!(most <= 1.2 * least, "{name}, {model_name}: adds {first}, then {second} clauses");
    }
}

#[test]
fn lazy() {
    is_linear(Method::Lazy);
}

#[test]
fn lal_reps() {
    is_linear(Method::LalReps);
}

#[test]
fn memory_unwinding() {
    let all = Method::ALL.iter().copied();
    all.filter(|method| matches!(method, Method::Mu(_))).for_each(is_linear);
}

/// Where several threads write a location; one that one thread alone writes has no bound.
#[test]
fn unwinding_of_locations() {
    grows_linearly(MANY_WRITES, Method::Imu);
}
