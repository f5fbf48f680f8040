//! Schedules on disk, in the form that the runtime maps into memory (its side is
//! `crates/runtime/c/schedule.h`): a header, then threads, events, edges, waiting threads
//! and inputs, all little-endian. The header names the program by a hash, and holds a
//! checksum of the rest, so junk, cut-off files and files of other programs are noticed.

use std::collections::BTreeMap;
use std::fmt;

use crate::{Condition, Edge, Event, Thread, Trace};

/// Raised when the meaning of a field changes.
pub const VERSION: u32 = 1;

const MAGIC: [u8; 8] = *b"HEDDLEDS";
const HEADER: usize = 64;
const REPLAY: u32 = 1;
const CONDITIONAL: u32 = 1 << 31;

/// Stands for the instruction of an event that is an operation of the library.
pub const LIBRARY_SITE: u32 = u32::MAX - 1;
/// Stands for the instruction of an event that ends variables.
pub const SCOPE_SITE: u32 = u32::MAX;
/// Stands for whatever instruction the event is: several are possible.
pub const ANY_SITE: u32 = u32::MAX - 2;

/// What the schedule is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Every execution that keeps it is safe.
    Proven,
    /// It is a total order that leads to a violation of this thread.
    Replay { failing: u32 },
}

/// An event that an edge speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constrained {
    /// The number of its instruction.
    pub site: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Identifies the program.
    pub program: u64,
    pub purpose: Purpose,
    /// Threads 1, 2, …; thread 0 is the main thread.
    pub threads: Vec<Thread>,
    pub trace: Trace,
    /// What is known of the events of the trace.
    pub sites: BTreeMap<Event, Constrained>,
    /// For a replay: how many events each thread passes, the main thread first.
    pub limits: Vec<u32>,
    /// For a replay: what each thread reads.
    pub inputs: Vec<Vec<u64>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    NotASchedule,
    Version(u32),
    CutOff,
    Damaged,
    OtherProgram,
    /// Numbers that do not fit together.
    Inconsistent(&'static str),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::NotASchedule => f.write_str("not a schedule of heddle"),
            FileError::Version(found) => write!(
                f,
                "a schedule of version {found}; this version of heddle reads version {VERSION}"
            ),
            FileError::CutOff => f.write_str("a schedule that is cut off"),
            FileError::Damaged => f.write_str("a schedule that is damaged"),
            FileError::OtherProgram => {
                f.write_str("a schedule for another program, or the program has changed since")
            }
            FileError::Inconsistent(what) => write!(f, "a schedule that makes no sense: {what}"),
        }
    }
}

impl std::error::Error for FileError {}

fn checksum(data: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    data.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The tables of a file.
#[derive(Default)]
struct Tables {
    threads: Vec<[u32; 8]>,
    events: Vec<[u32; 6]>,
    edges: Vec<[u32; 2]>,
    targets: Vec<u32>,
    inputs: Vec<u64>,
}

impl Schedule {
    pub fn new(program: u64, threads: Vec<Thread>) -> Schedule {
        let count = threads.len() + 1;
        Schedule {
            program,
            purpose: Purpose::Proven,
            threads,
            trace: Trace::new(),
            sites: BTreeMap::new(),
            limits: vec![u32::MAX; count],
            inputs: vec![Vec::new(); count],
        }
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let tables = self.tables();
        let mut body = Vec::new();
        let words = tables.threads.iter().flatten().chain(tables.events.iter().flatten());
        let words = words.chain(tables.edges.iter().flatten()).chain(&tables.targets);
        body.extend(words.flat_map(|word| word.to_le_bytes()));
        // Inputs are aligned to eight bytes.
        body.resize(body.len().next_multiple_of(8), 0);
        body.extend(tables.inputs.iter().flat_map(|input| input.to_le_bytes()));

        let (flags, failing) = match self.purpose {
            Purpose::Proven => (0, u32::MAX),
            Purpose::Replay { failing } => (REPLAY, failing),
        };
        let mut file = Vec::with_capacity(HEADER + body.len());
        file.extend(MAGIC);
        file.extend([VERSION, flags].iter().flat_map(|word| word.to_le_bytes()));
        file.extend(self.program.to_le_bytes());
        let counts = [
            tables.threads.len() as u32,
            tables.events.len() as u32,
            tables.edges.len() as u32,
            tables.targets.len() as u32,
            tables.inputs.len() as u32,
            failing,
        ];
        file.extend(counts.iter().flat_map(|word| word.to_le_bytes()));
        file.extend(((HEADER + body.len()) as u64).to_le_bytes());
        file.extend(checksum(&body).to_le_bytes());
        file.extend(body);
        file
    }

    fn tables(&self) -> Tables {
        let mut tables = Tables::default();
        for thread in 0..=self.threads.len() as u32 {
            let path = match thread.checked_sub(1) {
                Some(at) => self.threads[at as usize],
                None => Thread { parent: u32::MAX, nth: 0 },
            };
            let first_event = tables.events.len() as u32;
            for event in self.trace.events().filter(|event| event.thread == thread) {
                self.add_event(event, &mut tables);
            }
            let events = tables.events.len() as u32 - first_event;
            let inputs = &self.inputs[thread as usize];
            let first_input = tables.inputs.len() as u32;
            tables.inputs.extend(inputs);
            let limit = self.limits[thread as usize];
            let count = inputs.len() as u32;
            let (parent, nth) = (path.parent, path.nth);
            tables.threads.push([parent, nth, first_event, events, first_input, count, limit, 0]);
        }
        tables
    }

    fn add_event(&self, event: Event, tables: &mut Tables) {
        let (first_edge, first_target) = (tables.edges.len() as u32, tables.targets.len() as u32);
        for edge in self.trace.edges().filter(|edge| edge.second == event) {
            let conditional = if edge.condition.is_some() { CONDITIONAL } else { 0 };
            tables.edges.push([edge.first.thread | conditional, edge.first.index]);
        }
        let out = self.trace.edges().filter(|edge| edge.first == event);
        let mut targets: Vec<u32> = out.map(|edge| edge.second.thread).collect();
        targets.sort_unstable();
        targets.dedup();
        tables.targets.extend(&targets);
        let edges = tables.edges.len() as u32 - first_edge;
        let site = self.sites.get(&event).map_or(LIBRARY_SITE, |event| event.site);
        let count = targets.len() as u32;
        tables.events.push([event.index, site, first_edge, edges, first_target, count]);
    }

    /// Reads a schedule, of whatever program.
    pub fn from_bytes(file: &[u8]) -> Result<Schedule, FileError> {
        let header = file.get(..HEADER).ok_or(match file.starts_with(&MAGIC) {
            true => FileError::CutOff,
            false => FileError::NotASchedule,
        })?;
        if !header.starts_with(&MAGIC) {
            return Err(FileError::NotASchedule);
        }
        let word = |at: usize| {
            u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
        };
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        if word(8) != VERSION {
            return Err(FileError::Version(word(8)));
        }
        let counts = [word(24), word(28), word(32), word(36), word(40)].map(u64::from);
        let [threads, events, edges, targets, inputs] = counts;
        let words = threads * 8 + events * 6 + edges * 2 + targets;
        let wanted = HEADER as u64 + (words * 4).next_multiple_of(8) + inputs * 8;
        if long(48) != wanted || (file.len() as u64) < wanted {
            return Err(FileError::CutOff);
        }
        let body = &file[HEADER..wanted as usize];
        if checksum(body) != long(56) {
            return Err(FileError::Damaged);
        }
        let purpose = match word(12) & REPLAY {
            0 => Purpose::Proven,
            _ => Purpose::Replay { failing: word(44) },
        };
        Reader { body, counts }.read(long(16), purpose)
    }

    /// The same, if it belongs to the program.
    pub fn for_program(file: &[u8], program: u64) -> Result<Schedule, FileError> {
        let schedule = Schedule::from_bytes(file)?;
        if schedule.program == program { Ok(schedule) } else { Err(FileError::OtherProgram) }
    }
}

struct Reader<'a> {
    body: &'a [u8],
    /// Of threads, events, edges, targets and inputs.
    counts: [u64; 5],
}

impl Reader<'_> {
    fn word(&self, at: u64) -> u32 {
        let at = at as usize * 4;
        let bytes = self.body.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u32::from_le_bytes)
    }

    fn read(self, program: u64, purpose: Purpose) -> Result<Schedule, FileError> {
        let [threads, events, edges, targets, inputs] = self.counts;
        if threads == 0 {
            return Err(FileError::Inconsistent("no threads"));
        }
        let paths =
            (1..threads).map(|at| Thread { parent: self.word(at * 8), nth: self.word(at * 8 + 1) });
        let paths: Vec<Thread> = paths.collect();
        if paths.iter().zip(1..).any(|(path, at)| path.parent >= at) {
            return Err(FileError::Inconsistent("a thread before its parent"));
        }
        let mut schedule = Schedule::new(program, paths);
        schedule.purpose = purpose;
        let inputs_at = (threads * 8 + events * 6 + edges * 2 + targets).next_multiple_of(2);
        for thread in 0..threads {
            let at = |field: u64| u64::from(self.word(thread * 8 + field));
            if at(2) + at(3) > events || at(4) + at(5) > inputs {
                return Err(FileError::Inconsistent("a thread without its events"));
            }
            for entry in at(2)..at(2) + at(3) {
                self.read_event(thread as u32, entry, &mut schedule)?;
            }
            let input = |at: u64| {
                let low = u64::from(self.word(inputs_at + at * 2));
                low | u64::from(self.word(inputs_at + at * 2 + 1)) << 32
            };
            schedule.inputs[thread as usize] = (at(4)..at(4) + at(5)).map(input).collect();
            schedule.limits[thread as usize] = at(6) as u32;
        }
        if !schedule.trace.is_acyclic() {
            return Err(FileError::Inconsistent("events that wait for each other"));
        }
        Ok(schedule)
    }

    fn read_event(
        &self,
        thread: u32,
        entry: u64,
        schedule: &mut Schedule,
    ) -> Result<(), FileError> {
        let [threads, _, edges, ..] = self.counts;
        let at = |field: u64| self.word(threads * 8 + entry * 6 + field);
        let event = Event::new(thread, at(0));
        schedule.trace.add_event(event);
        schedule.sites.insert(event, Constrained { site: at(1) });
        let edges_at = threads * 8 + self.counts[1] * 6;
        let (first, count) = (u64::from(at(2)), u64::from(at(3)));
        if first + count > edges {
            return Err(FileError::Inconsistent("an event without its edges"));
        }
        for edge in first..first + count {
            let word = self.word(edges_at + edge * 2);
            let from = Event::new(word & !CONDITIONAL, self.word(edges_at + edge * 2 + 1));
            if u64::from(from.thread) >= threads || from.thread == thread {
                return Err(FileError::Inconsistent("an edge from nowhere"));
            }
            let condition = (word & CONDITIONAL != 0).then_some(Condition::SameMemory);
            schedule.trace.add_edge(Edge { first: from, second: event, condition });
        }
        Ok(())
    }
}
