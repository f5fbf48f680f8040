//! A fixed range of seeds in the test command; `heddle-fuzz` runs more.

use std::time::Duration;

use heddle_fuzz::{Campaign, Features, Limits, standalone};

#[test]
fn explorers_agree_with_the_naive_one() {
    let campaign = Campaign {
        seeds: 0..SEEDS,
        features: Features::all(),
        limits: Limits { naive: 30_000, reduced: 30_000, extra: 5_000, ..Limits::default() },
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
    assert_eq!(summary.programs, SEEDS);
    assert!(summary.compared * 100 >= SEEDS * 70, "too many programs are too large");
    let share = summary.unsafe_programs * 100 / summary.programs;
    assert!((20..=70).contains(&share), "{share} % of the programs have a violation");
    assert!(summary.kinds.len() >= 7, "too few kinds of violations");
}

const SEEDS: u64 = 2000;
