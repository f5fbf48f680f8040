//! What a swarm asks for: the whole as a tree, or selections of a tiling.

use serde::{Deserialize, Serialize};

use crate::natural::Natural;
use crate::selection::{Selections, TooMany};
use crate::threads::{Depth, Restriction, Thread};
use crate::tiling::{self, Tiling};

/// Instances of one bounded program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub depth: Depth,
    /// `None`: all runs, in a tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sample>,
}

/// Selections, in the order of a seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// One of [`tiling::NAMES`].
    pub tiling: String,
    /// Of a window.
    pub size: u32,
    /// Selected ones of each thread.
    pub tiles: u32,
    /// Size and number of windows of stores that may wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stores: Option<(u32, u32)>,
    pub seed: u64,
    /// Not more than so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u64>,
}

impl Sample {
    pub fn selections(&self, threads: &[Thread]) -> Result<Selections, TooMany> {
        let tiling = tiling::named(&self.tiling, self.size);
        let tiling = tiling.unwrap_or_else(|| Box::new(tiling::Windows(self.size)));
        let windows = self.stores.map(|(size, _)| tiling::Windows(size.max(1)));
        let stores = windows.as_ref().zip(self.stores);
        let stores = stores.map(|(it, (_, select))| (it as &dyn Tiling, select as usize));
        Selections::new(threads, (tiling.as_ref(), self.tiles as usize), stores)
    }
}

/// Numbers that were dealt with: all below one, and some above it.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    below: u64,
    above: std::collections::BTreeSet<u64>,
}

impl Numbers {
    pub fn insert(&mut self, number: u64) {
        self.above.insert(number);
        while self.above.remove(&self.below) {
            self.below += 1;
        }
    }

    pub fn contains(&self, number: u64) -> bool {
        number < self.below || self.above.contains(&number)
    }
}

/// A plan at work: where its instances come from.
pub(crate) struct Source {
    pub plan: Plan,
    pub threads: std::rc::Rc<Vec<Thread>>,
    selections: Option<Selections>,
    /// The next one that nobody has begun, and the end.
    next: u64,
    end: u64,
    /// Roots that have an answer.
    pub answered: Numbers,
}

impl Source {
    pub fn new(plan: Plan, threads: std::rc::Rc<Vec<Thread>>) -> Result<Source, TooMany> {
        let sample = plan.sample.as_ref();
        let selections = sample.map(|sample| sample.selections(&threads)).transpose()?;
        let all = selections.as_ref().map_or(1, |selections| selections.numbers().end);
        let end = sample.and_then(|sample| sample.most).unwrap_or(u64::MAX).min(all);
        Ok(Source { plan, threads, selections, next: 0, end, answered: Numbers::default() })
    }

    /// The next root, by number.
    pub fn begin(&mut self) -> Option<u64> {
        while self.next < self.end {
            self.next += 1;
            if !self.answered.contains(self.next - 1) {
                return Some(self.next - 1);
            }
        }
        None
    }

    pub fn has_more(&self) -> bool {
        (self.next..self.end).any(|number| !self.answered.contains(number))
    }

    pub fn root(&self, number: u64) -> Restriction {
        match (&self.selections, &self.plan.sample) {
            (Some(selections), Some(sample)) => selections.restriction(number, sample.seed),
            _ => Restriction::default(),
        }
    }

    /// How many roots there are; for a tree one.
    pub fn count(&self) -> Natural {
        self.selections.as_ref().map_or(Natural::from(1), Selections::count)
    }

    /// Are all of them asked for?
    pub fn asks_for_all(&self) -> bool {
        Natural::from(self.end) == self.count()
    }

    pub fn selections(&self) -> Option<&Selections> {
        self.selections.as_ref()
    }

    /// The name of a root.
    pub fn name(&self, plan: usize, number: u64) -> String {
        match self.selections {
            Some(_) => format!("{plan}.{number}"),
            None => plan.to_string(),
        }
    }
}

/// The plan, the number of the root and the way from there, of the name of a node.
pub(crate) fn parse(id: &str) -> Option<(usize, u64, &str)> {
    let way = id.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(id.len());
    let (root, way) = id.split_at(way);
    let (plan, number) = root.split_once('.').unwrap_or((root, "0"));
    Some((plan.parse().ok()?, number.parse().ok()?, way))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_nodes() {
        assert_eq!(parse("0"), Some((0, 0, "")));
        assert_eq!(parse("0cf"), Some((0, 0, "cf")));
        assert_eq!(parse("12.345cfc"), Some((12, 345, "cfc")));
        assert_eq!(parse("x"), None);
    }

    #[test]
    fn numbers_in_any_order() {
        let mut numbers = Numbers::default();
        for number in [3, 0, 2, 7] {
            numbers.insert(number);
        }
        assert!(numbers.contains(0) && !numbers.contains(1) && numbers.contains(3));
        numbers.insert(1);
        assert_eq!((numbers.below, numbers.above.len()), (4, 1));
    }
}
