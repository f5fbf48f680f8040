//! A fixed range of seeds in the test command; `heddle-fuzz` runs more.

use std::ops::Range;
use std::time::Duration;

use heddle_encode::{Method, Reduction};
use heddle_fuzz::{Campaign, Features, Limits, Summary, standalone};
use heddle_memory::Model;

fn agree(model: Model, seeds: Range<u64>, naive: u64) -> Summary {
    let limits = Limits { model, naive, reduced: naive, extra: 5_000, ..Limits::default() };
    agree_within(limits, seeds)
}

fn agree_within(limits: Limits, seeds: Range<u64>) -> Summary {
    let programs = seeds.end - seeds.start;
    let campaign = Campaign {
        seeds,
        features: Features::all(),
        limits,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        time: None,
        most: 3,
    };
    let summary = campaign.run(|_, _: Duration| {});
    println!("{summary}");
    for failing in &summary.disagreements {
        let text = standalone(&failing.test, &failing.shows, &campaign.limits);
        println!("seed {}:\n{text}", failing.test.seed);
    }
    assert!(summary.disagreements.is_empty(), "the explorers disagree: see above");
    assert_eq!(summary.programs, programs);
    summary
}

#[test]
fn explorers_agree_with_the_naive_one() {
    let summary = agree(Model::Sc, 0..SEEDS, 30_000);
    assert!(summary.compared * 100 >= SEEDS * 70, "too many programs are too large");
    let share = summary.unsafe_programs * 100 / summary.programs;
    assert!((20..=70).contains(&share), "{share} % of the programs have a violation");
    assert!(summary.kinds.len() >= 7, "too few kinds of violations");
}

const SEEDS: u64 = 1000;

/// Seeds with all features, among them those that searches which leave out steps could miss.
#[test]
fn explorers_agree_on_idioms() {
    let (naive, reduced, extra) = (20_000, 20_000, 5_000);
    let limits = Limits { naive, reduced, extra, formula: false, ..Limits::default() };
    agree_within(limits, 3_000_000..3_000_200);
}

/// Seeds with library calls on shared strings, structures with holes, partly written memory and
/// ends of life, also for the formula.
#[test]
fn engines_agree_on_contents() {
    let (naive, reduced, extra) = (5_000, 5_000, 2_000);
    let mut from = 4_000_000;
    for (model, count) in [(Model::Sc, 120), (Model::Tso, 80), (Model::Pso, 40)] {
        let limits = Limits { model, naive, reduced, extra, ..Limits::default() };
        let summary = agree_within(limits, from..from + count);
        assert!(summary.compared * 100 >= count * 25, "too many programs are too large");
        from += count;
    }
}

/// Seeds with waits of which some are taken for ones that check again, and with branches for
/// allocations that fail.
#[test]
fn nothing_more_happens_where_that_is_said() {
    let (naive, reduced, extra) = (10_000, 10_000, 5_000);
    let limits = Limits { naive, reduced, extra, formula: false, ..Limits::default() };
    agree_within(limits, 20_000_000..20_000_120);
}

#[test]
fn explorers_agree_with_store_buffers() {
    for model in [Model::Tso, Model::Pso] {
        agree(model, SEEDS..SEEDS + 75, 20_000);
    }
}

/// What is proven under scheduling constraints holds of every execution that keeps them.
#[test]
fn proofs_under_constraints_hold() {
    let limits = Limits { naive: 10_000, constraints: true, ..Limits::default() };
    let summary = agree_within(limits, 0..120);
    assert!(summary.compared >= 50, "too few programs have constraints: {}", summary.compared);
}

/// Every encoding says what `naive` says.
#[test]
fn encodings_agree() {
    for (model, seeds) in [
        (Model::Sc, 7_000_000..7_000_060),
        (Model::Tso, 7_000_100..7_000_130),
        (Model::Pso, 7_000_200..7_000_230),
    ] {
        let limits = Limits { model, naive: 5_000, encodings: true, ..Limits::default() };
        agree_within(limits, seeds);
    }
}

/// Explorers that may preempt at some places only find the same, and together everything.
#[test]
fn explorers_keep_to_places() {
    for (model, seeds) in [
        (Model::Sc, 7_500_000..7_500_120),
        (Model::Tso, 7_500_200..7_500_260),
        (Model::Pso, 7_500_300..7_500_340),
    ] {
        let limits = Limits { model, naive: 5_000, places: true, ..Limits::default() };
        agree_within(limits, seeds);
    }
}

/// The same where formulas know no values but ranges.
#[test]
fn encodings_agree_without_lists() {
    for (model, seeds) in [
        (Model::Sc, 7_300_000..7_300_040),
        (Model::Tso, 7_300_100..7_300_120),
        (Model::Pso, 7_300_200..7_300_220),
    ] {
        let naive = 5_000;
        let limits = Limits { model, naive, encodings: true, listed: Some(1), ..Limits::default() };
        agree_within(limits, seeds);
    }
}

/// The schedulers of the step-wise encoding take one interleaving of each trace, and leave out
/// nothing that can be decided.
#[test]
fn schedulers_leave_out_enough_and_not_more() {
    let limits = Limits { naive: 2_000, interleavings: true, ..Limits::default() };
    agree_within(limits, 0..80);
}

/// Programs on which something was wrong once.
#[test]
fn explorers_agree_on_old_failures() {
    // Final states depended on the order in which a search met the threads.
    agree(Model::Pso, 31563..31564, 100_000);
    // What others do after a deadlock of some may be no run that counts.
    agree(Model::Sc, 60237..60238, 100_000);
    // A deadlock of waiting loops was confirmed on a detour, and was not.
    agree(Model::Sc, 71185..71186, 100_000);
    // A wait without the mutex did not say who held it: a search tried in vain to
    // lock it before.
    agree(Model::Sc, 32903..32904, 100_000);
    // A wait that fails, because the condition variable is gone, and what others do to its
    // mutex were taken to be independent.
    agree(Model::Sc, 8004895..8004896, 100_000);
    // A branch that decides only what a thread does to its own memory was left open, and the
    // replay went another way.
    let sir = Method::Steps(Reduction::Insensitive);
    let (naive, encodings, encoding) = (5_000, true, Some(sir));
    agree_within(Limits { naive, encodings, encoding, ..Limits::default() }, 200588..200589);
    // A model was not driven far enough: a wait for own stores before the end of a
    // variable, and one more turn of a loop that waits.
    agree(Model::Tso, 100461..100462, 100_000);
    agree(Model::Sc, 100610..100611, 100_000);
    // A store that waits is an effect, whoever looks at what it stores.
    agree(Model::Tso, 101741..101742, 100_000);
    // A model was said not to replay: a loop that waits for a variable of its own
    // thread, and a store that waits while its block is freed.
    agree(Model::Pso, 40018..40019, 100_000);
    agree(Model::Tso, 103761..103762, 100_000);
}

/// What invariants claim at each place holds in every state, and what they say can't fail does
/// not.
#[test]
fn invariants_hold_in_all_states() {
    let limits = Limits { naive: 1_500, reduced: 100, invariants: true, ..Limits::default() };
    let summary = agree_within(limits, 0..240);
    assert!(summary.formula[0] >= 70, "too few programs have invariants: {:?}", summary.formula);
    // What stands for several things, or holds on some ways only.
    let summary = agree_within(limits, 70_000_000..70_000_600);
    assert!(summary.formula[0] >= 350, "too few programs have invariants: {:?}", summary.formula);
}
