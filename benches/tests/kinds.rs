//! The kinds of Table 5.1 of the thesis in `docs/papers.md`: where threads write much between
//! looking at each other, clusters of writes make the smaller formula; where they write
//! little, single writes do.

use std::time::Duration;

use heddle_benches::formula::{FEW_WRITES, Formula, MANY_WRITES};
use heddle_encode::{Method, Schema};
use heddle_memory::Model;
use heddle_semantics::Verdict;

const LIMIT: Duration = Duration::from_secs(60);

fn clauses(formula: Formula, schema: Schema, bound: u32) -> u64 {
    let program = formula.compile();
    let report = formula.check(&program, (Method::Mu(schema), bound), Model::Sc, LIMIT);
    let name = formula.name;
    assert!(matches!(report.verdict, Verdict::Safe | Verdict::Bounded(_)), "{name} is right");
    report.stats.clauses
}

#[test]
fn clusters_win_with_many_writes() {
    // Five clusters are more than the violation of a wrong assertion needs here.
    let coarse = clauses(MANY_WRITES, Schema::Coarse, 5);
    for schema in [Schema::Explicit, Schema::Implicit, Schema::Hybrid] {
        let fine = clauses(MANY_WRITES, schema, 36);
        assert!(3 * coarse < fine, "{schema:?}: {coarse} of {fine} clauses");
    }
}

#[test]
fn single_writes_win_with_few() {
    let coarse = clauses(FEW_WRITES, Schema::Coarse, 4);
    for schema in [Schema::Explicit, Schema::Hybrid] {
        let fine = clauses(FEW_WRITES, schema, 4);
        assert!(fine < coarse, "{schema:?}: {fine}, coarse {coarse} clauses");
    }
}
