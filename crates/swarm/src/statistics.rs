//! What the instances of a journal say together: the table of Figure 5 and the expectation of
//! Figure 6 of Nguyen et al. (ASE 2017; `docs/papers.md`).
//!
//! Deviations:
//! 1. Expected times are computed, not drawn: with the times in order, the chance that the
//!    quickest violation among n instances drawn without repetition is a given one is a
//!    product of fractions.
//! 2. Beside the time of the quickest violation, which is what n cores take that begin at
//!    once, there is the mean time of n cores that go on until there is one.

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
}

impl Statistics {
    pub fn note(&mut self, seconds: f64, bytes: u64, outcome: &Outcome) {
        match outcome {
            Outcome::Unsafe(_) => self.violations.push((seconds, bytes)),
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
            if let Record::Done(Done { id, seconds, bytes, outcome, .. }) = record
                && let Some((of, _, "")) = crate::plan::parse(id)
                && of == plan
            {
                statistics.note(*seconds, *bytes, outcome);
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
        let all = self.count();
        let cores = cores.min(all);
        if self.violations.is_empty() || cores == 0 {
            return None;
        }
        // That none of the first `at` is drawn: all n among the rest.
        let mut none_before = 1.0;
        let (mut sum, mut found) = (0.0, 0.0);
        for (at, &(seconds, _)) in self.violations.iter().enumerate() {
            let rest = all - at;
            let drawn = cores as f64 / rest as f64;
            let chance = none_before * drawn.min(1.0);
            sum += chance * seconds;
            found += chance;
            none_before *= (1.0 - drawn).max(0.0);
        }
        Some((sum / found, found))
    }

    /// How many cores it takes to find one with this chance.
    pub fn cores_for(&self, chance: f64) -> Option<usize> {
        (1..=self.count()).find(|&n| self.expectation(n).is_some_and(|(_, found)| found >= chance))
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
        Statistics { violations, clear: vec![2.0; 6], undecided: vec![10.0] }
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
        for cores in 1..=10u32 {
            let (mut sum, mut hits, mut all) = (0.0, 0u32, 0u32);
            for drawn in 0..1u32 << 10 {
                if drawn.count_ones() != cores {
                    continue;
                }
                all += 1;
                let quickest = (0..3).find(|at| drawn >> at & 1 == 1);
                if let Some(at) = quickest {
                    hits += 1;
                    sum += statistics.violations[at].0;
                }
            }
            let (time, chance) = statistics.expectation(cores as usize).expect("some");
            assert!((time - sum / f64::from(hits)).abs() < 1e-9, "{cores}: {time}");
            assert!((chance - f64::from(hits) / f64::from(all)).abs() < 1e-9, "{cores}");
        }
        assert_eq!(statistics.cores_for(0.95), Some(6));
        assert_eq!(Statistics::default().expectation(3), None);
    }
}
