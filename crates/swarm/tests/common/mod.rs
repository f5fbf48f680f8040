//! Swarms of instances that nobody solves: what they would say is computed.

#![allow(dead_code)]

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use heddle_semantics::Bounds;
use heddle_swarm::journal::{Done, Outcome, Record};
use heddle_swarm::runner::{Event, RunError, Runner};
use heddle_swarm::{
    Answer, Conclusion, Depth, Header, Hooks, Journal, Options, Point, Reply, Restriction, Sample,
    SwarmError, Task, Thread, Why, run,
};

pub fn threads(sizes: &[usize]) -> Vec<Thread> {
    let thread = |&size: &usize| Thread {
        name: "t".to_string(),
        points: vec![Point::default(); size + 1],
        stores: Vec::new(),
    };
    sizes.iter().map(thread).collect()
}

pub fn header(parameter: u32) -> Header {
    let mut parameters = serde_json::Map::new();
    parameters.insert("--tile-size".to_string(), parameter.into());
    Header { schema: heddle_swarm::journal::SCHEMA, program: "p".to_string(), parameters }
}

pub fn windows(size: u32, tiles: u32, most: Option<u64>) -> Sample {
    let tiling = "windows".to_string();
    Sample { tiling, size, tiles, stores: None, seed: 3, most }
}

pub fn options(sample: Option<Sample>) -> Options {
    let first = Depth { unwind: 1, rounds: 2 };
    Options { sample, seed: 3, first, seconds: 1.0, split: true, keep_going: false }
}

pub fn clear() -> Answer {
    Answer::Clear { bounds: Box::default(), unsupported: None, complete: true }
}

/// Answers at once.
pub struct Fake<F> {
    pub workers: usize,
    pub waiting: VecDeque<Task>,
    pub decide: F,
    /// Ends the process in the middle of things, so to say.
    pub stop_after: Option<usize>,
    pub answered: usize,
}

impl<F: FnMut(&Task) -> Answer> Fake<F> {
    pub fn new(workers: usize, decide: F) -> Fake<F> {
        Fake { workers, waiting: VecDeque::new(), decide, stop_after: None, answered: 0 }
    }
}

impl<F: FnMut(&Task) -> Answer> Runner for Fake<F> {
    fn room(&self) -> usize {
        self.workers - self.waiting.len()
    }

    fn submit(&mut self, task: Task) -> Result<(), RunError> {
        self.waiting.push_back(task);
        Ok(())
    }

    fn poll(&mut self, _: Duration) -> Result<Vec<Event>, RunError> {
        if self.stop_after.is_some_and(|most| self.answered >= most) {
            return Err(RunError("ended".to_string()));
        }
        let mut events = Vec::new();
        // Not in the order in which they came.
        for task in self.waiting.drain(..).rev() {
            let answer = (self.decide)(&task);
            let first = true;
            let (seconds, processor, bytes) = (0.5, None, 1);
            let reply = Reply { id: task.id, answer, seconds, processor, bytes, first };
            events.push(Event::Reply(reply));
        }
        self.answered += events.len();
        Ok(events)
    }

    fn stop(&mut self) {
        self.waiting.clear();
    }
}

/// Runs a swarm in a folder, from what is there already.
pub fn swarm(
    folder: &Path,
    runner: &mut dyn Runner,
    options: &Options,
    threads: &[Thread],
) -> Result<Conclusion, SwarmError> {
    let (mut journal, records) = Journal::open(folder, &header(1))?;
    let stop = AtomicBool::new(false);
    let hooks = Hooks {
        describe: &mut |_| Ok(threads.to_vec()),
        deepen: &|_: &Bounds, _| None,
        show: &mut |_| {},
        stop: &stop,
    };
    run((&mut journal, records), runner, options, hooks)
}

/// Names of instances that were answered, in order.
pub fn answered(folder: &Path) -> Vec<String> {
    let (_, records) = Journal::read(folder).expect("a journal");
    let ids = records.into_iter().filter_map(|record| match record {
        Record::Done(Done { id, .. }) => Some(id),
        Record::Plan(_) | Record::Jobs(_) => None,
    });
    let mut ids: Vec<String> = ids.collect();
    ids.sort();
    ids
}

/// How many spans a restriction has.
pub fn spans(restriction: &Restriction) -> usize {
    let lists = [&restriction.closed, &restriction.forced];
    lists.iter().flat_map(|list| list.iter()).map(Vec::len).sum()
}

pub fn undecided() -> Answer {
    Answer::Undecided(Why::Time)
}

pub fn splits(folder: &Path) -> usize {
    let (_, records) = Journal::read(folder).expect("a journal");
    let is_split = |record: &&Record| {
        matches!(record, Record::Done(Done { outcome: Outcome::Undecided { split, .. }, .. })
            if split.is_some())
    };
    records.iter().filter(is_split).count()
}
