//! What the instances of a journal say together: the table of Figure 5 and the expectation of
//! Figure 6 of Nguyen et al. (ASE 2017; `docs/papers.md`).
//!
//! Deviations:
//! 1. Times are those of the processor, where workers tell them: by the clock on the wall an
//!    instance takes longer on a machine with more to do, which says nothing of the instance.
//! 2. Expected times are computed, not drawn. An instance of n cores is any of those that were
//!    answered, whatever the other cores have: the sample stands for all selections, of which
//!    there are mostly far more than it has. So n can be larger than the sample, and a sample of
//!    everything makes chances a little too small.
//! 3. Beside the time of the quickest violation, which is what n cores take that begin at
//!    once if one of them has one, there is the mean time of n cores that take instance after
//!    instance until there is one.

use serde::Serialize;

use crate::journal::{Done, Outcome, Record};

/// Of some instances: time in seconds, memory in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    pub deviation: f64,
}

impl Spread {
    /// `None` without any.
    pub fn of(values: &[f64]) -> Option<Spread> {
        if values.is_empty() {
            return None;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        Some(Spread {
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            max: values.iter().copied().fold(0.0, f64::max),
            mean,
            deviation: variance.sqrt(),
        })
    }
}

/// Instances of one plan that are roots: what was split counts as one that was not decided.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Times of instances with a violation, in order, and their memory.
    pub violations: Vec<(f64, u64)>,
    pub clear: Vec<f64>,
    pub undecided: Vec<f64>,
    /// How many of the times are by the clock on the wall, since nobody told the processor's.
    pub by_wall: usize,
}

impl Statistics {
    pub fn note(&mut self, done: &Done) {
        let seconds = done.processor.unwrap_or(done.seconds);
        self.by_wall += usize::from(done.processor.is_none());
        match &done.outcome {
            Outcome::Unsafe(_) => self.violations.push((seconds, done.bytes)),
            Outcome::Clear { .. } => self.clear.push(seconds),
            Outcome::Undecided { .. } | Outcome::Wrong(_) => self.undecided.push(seconds),
        }
    }

    /// In order of time.
    pub fn sort(&mut self) {
        self.violations.sort_by(|a, b| a.0.total_cmp(&b.0));
    }

    /// The roots of a plan.
    pub fn of(records: &[Record], plan: usize) -> Statistics {
        let mut statistics = Statistics::default();
        for record in records {
            if let Record::Done(done) = record
                && let Some((of, _, "")) = crate::plan::parse(&done.id)
                && of == plan
            {
                statistics.note(done);
            }
        }
        statistics.sort();
        statistics
    }

    pub fn count(&self) -> usize {
        self.violations.len() + self.clear.len() + self.undecided.len()
    }

    /// Of instances that have a violation.
    pub fn share(&self) -> f64 {
        self.violations.len() as f64 / self.count().max(1) as f64
    }

    pub fn times(&self) -> Option<Spread> {
        Spread::of(&self.violations.iter().map(|&(seconds, _)| seconds).collect::<Vec<_>>())
    }

    pub fn memory(&self) -> Option<Spread> {
        Spread::of(&self.violations.iter().map(|&(_, bytes)| bytes as f64).collect::<Vec<_>>())
    }

    /// The expected time of the quickest violation among so many instances, at least one of
    /// which has one, and the chance that one has.
    pub fn expectation(&self, cores: usize) -> Option<(f64, f64)> {
        let all = self.count() as f64;
        if self.violations.is_empty() || cores == 0 {
            return None;
        }
        // That none of the first `at` is drawn.
        let none_of = |at: usize| (1.0 - at as f64 / all).powf(cores as f64);
        let mut sum = 0.0;
        for (at, &(seconds, _)) in self.violations.iter().enumerate() {
            sum += (none_of(at) - none_of(at + 1)) * seconds;
        }
        let found = 1.0 - none_of(self.violations.len());
        Some((sum / found, found))
    }

    /// How many cores it takes to find one with this chance.
    pub fn cores_for(&self, chance: f64) -> Option<usize> {
        match self.share() {
            share if share <= 0.0 => None,
            share if share >= 1.0 => Some(1),
            share => Some(((1.0 - chance).ln() / (1.0 - share).ln()).ceil().max(1.0) as usize),
        }
    }

    /// The mean time until so many cores, which take instance after instance, have found one:
    /// what they do in vain, and the quickest of the last ones.
    pub fn time_to_violation(&self, cores: usize) -> Option<f64> {
        let (last, _) = self.expectation(cores)?;
        let vain: f64 = self.clear.iter().chain(&self.undecided).sum();
        let before = vain / self.violations.len() as f64;
        Some(before / cores as f64 + last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Statistics {
        let violations = vec![(1.0, 10), (3.0, 20), (5.0, 30)];
        Statistics { violations, clear: vec![2.0; 6], undecided: vec![10.0], by_wall: 0 }
    }

    #[test]
    fn a_table() {
        let statistics = example();
        assert_eq!((statistics.count(), statistics.share()), (10, 0.3));
        let times = statistics.times().expect("some");
        assert_eq!((times.min, times.max, times.mean), (1.0, 5.0, 3.0));
        assert!((times.deviation - (8f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(Spread::of(&[]), None);
    }

    /// All ways to draw instances, one by one.
    #[test]
    fn expectations_are_those_of_all_drawings() {
        let statistics = example();
        for cores in 1..=5u32 {
            let (mut sum, mut hits, all) = (0.0, 0u32, 10u32.pow(cores));
            for drawn in 0..all {
                let digits = (0..cores).map(|at| drawn / 10u32.pow(at) % 10);
                if let Some(at) = digits.filter(|&digit| digit < 3).min() {
                    hits += 1;
                    sum += statistics.violations[at as usize].0;
                }
            }
            let (time, chance) = statistics.expectation(cores as usize).expect("some");
            assert!((time - sum / f64::from(hits)).abs() < 1e-9, "{cores}: {time}");
            assert!((chance - f64::from(hits) / f64::from(all)).abs() < 1e-9, "{cores}");
        }
        for chance in [0.3, 0.31, 0.95, 0.99] {
            let cores = statistics.cores_for(chance).expect("some");
            assert!(statistics.expectation(cores).unwrap().1 >= chance - 1e-9);
            assert!(cores == 1 || statistics.expectation(cores - 1).unwrap().1 < chance);
        }
        assert_eq!(statistics.cores_for(0.95), Some(9));
        assert_eq!(Statistics::default().expectation(3), None);
        assert_eq!(Statistics::default().cores_for(0.5), None);
    }

    #[test]
    fn more_cores_than_instances_take_no_longer() {
        let statistics = example();
        let mut last = f64::INFINITY;
        for cores in [1, 2, 5, 10, 50, 2000] {
            let (time, chance) = statistics.expectation(cores).expect("some");
            assert!(time <= last && (0.0..=1.0).contains(&chance), "{cores}: {time}, {chance}");
            last = time;
        }
        assert!((last - 1.0).abs() < 1e-9);
    }

    #[test]
    fn times_are_those_of_the_processor() {
        let outcome = Outcome::Unsafe(serde_json::Value::Null);
        let done = |processor| {
            let (id, bytes, lost) = ("0.0".to_string(), 1, 0);
            Done { id, seconds: 9.0, processor, bytes, lost, outcome: outcome.clone() }
        };
        let mut statistics = Statistics::default();
        statistics.note(&done(Some(2.0)));
        statistics.note(&done(None));
        assert_eq!((statistics.violations[0].0, statistics.violations[1].0), (2.0, 9.0));
        assert_eq!(statistics.by_wall, 1);
    }
}
