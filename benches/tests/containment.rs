//! Section 5.6 of the thesis in `docs/papers.md`: what W clusters reach, Lal and Reps reach in
//! 2W - 1 rounds; what they reach with k switches, k + 1 clusters do.

use std::time::Duration;

use heddle_benches::formula::{FORMULAS, Formula};
use heddle_encode::{Method, Schema};
use heddle_ir::Program;
use heddle_memory::Model;
use heddle_semantics::Verdict;

/// Time is a backstop only: each formula takes a few milliseconds.
const LIMIT: Duration = Duration::from_secs(60);

fn fails(formula: Formula, program: &Program, method: Method, bound: u32) -> bool {
    let report = formula.check(program, (method, bound), Model::Sc, LIMIT);
    assert!(!matches!(report.verdict, Verdict::Unknown(_)), "{} is not decided", formula.name);
    matches!(report.verdict, Verdict::Unsafe(_))
}

#[test]
fn clusters_and_rounds_contain_each_other() {
    let coarse = Method::Mu(Schema::Coarse);
    let formula = *FORMULAS.iter().find(|it| it.name == "stack unlocked").expect("is there");
    let program = formula.compile();
    let mut found = 0;
    for clusters in 1..=6 {
        if fails(formula, &program, coarse, clusters) {
            found += 1;
            let rounds = 2 * clusters - 1;
            assert!(fails(formula, &program, Method::LalReps, rounds), "{clusters} clusters");
        }
    }
    assert!(found > 0, "no number of clusters shows the violation");
    // The main thread and two others, and main's last turn.
    for rounds in 1..=3 {
        if fails(formula, &program, Method::LalReps, rounds) {
            let contexts = 3 * rounds + 1;
            assert!(fails(formula, &program, coarse, contexts), "{rounds} rounds");
        }
    }
}
