//! The formula of `lazy` grows linearly with the number of rounds: each round adds
//! the same copy of the threads' steps.

use std::time::Duration;

use heddle_benches::formula::PAIR;
use heddle_memory::Model;

#[test]
fn clauses_grow_linearly_with_rounds() {
    let program = PAIR.compile();
    for &model in Model::ALL {
        let clauses = |rounds: u32| {
            let formula = PAIR.with_rounds(rounds);
            // Solving is not the point, and is cut short.
            let stats = formula.check(&program, model, Duration::from_secs(1)).stats;
            assert_eq!(stats.bound, rounds, "{}: fewer rounds cover all", model.name());
            stats.clauses as f64
        };
        let [two, four, six, eight] = [2, 4, 6, 8].map(clauses);
        let steps = [four - two, six - four, eight - six];
        let (least, most) =
            (steps[0].min(steps[2]).min(steps[1]), steps[2].max(steps[0]).max(steps[1]));
        assert!(most <= 1.2 * least, "{}: rounds add {steps:?} clauses", model.name());
    }
}
