//! How many executions a search takes for each class of executions that nobody can
//! tell apart.
//!
//! Two executions are of one class if every read takes its value from the same
//! write, the writes to every location come in the same order, and the final states
//! are the same (D. Shasha and M. Snir, *Efficient and correct execution of parallel
//! programs that share memory*, TOPLAS 1988). A search that knows no more than that
//! takes one execution for each. The classes are counted by the naive enumeration.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use heddle_explore::Algorithm;
use heddle_ir::{FuncId, Program};
use heddle_machine::Config;
use heddle_memory::Model;
use heddle_semantics::{AccessKind, Event, ThreadId};
use rustc_hash::FxHashMap;

use crate::batch::Compiled;
use crate::compare::{ends, search};
use crate::outcome::Limits;
use crate::reference::enumerate_classes;

/// An actor and the place among its events, from 1.
type Name = (ThreadId, u32);

/// Who reads from whom, and the order of the writes to each location.
pub(crate) fn digest(events: &[Event], final_state: u64) -> u64 {
    let mut counts: FxHashMap<ThreadId, u32> = FxHashMap::default();
    let mut orders: FxHashMap<u64, Vec<Name>> = FxHashMap::default();
    let mut reads = Vec::new();
    let mut writes: Vec<(Name, &Event)> = Vec::new();
    for event in events {
        let count = counts.entry(event.thread).or_default();
        *count += 1;
        let name = (event.thread, *count);
        for access in &event.footprint {
            let overlapping = |(_, write): &&(Name, &Event)| {
                write.footprint.iter().any(|w| !w.kind.is_read() && w.overlaps(access))
            };
            let source = match access.kind {
                AccessKind::OwnRead => event.own,
                _ => writes.iter().rev().find(overlapping).map(|(name, _)| *name),
            };
            if access.kind.is_read() {
                reads.push((name, access.addr, source));
            } else {
                orders.entry(access.addr).or_default().push(name);
            }
        }
        if event.footprint.iter().any(|access| !access.kind.is_read()) {
            writes.push((name, event));
        }
        if let Some(input) = event.input {
            reads.push((name, input, None));
        }
    }
    reads.sort_unstable();
    let mut orders: Vec<_> = orders.into_iter().collect();
    orders.sort_unstable();
    let mut hasher = DefaultHasher::new();
    (reads, orders, final_state).hash(&mut hasher);
    hasher.finish()
}

/// A program under a model.
#[derive(Clone, Debug)]
pub struct Row {
    pub program: String,
    pub model: Model,
    /// `None`: too many interleavings to enumerate.
    pub classes: Option<u64>,
    pub dpor: Option<u64>,
    pub optimal: Option<u64>,
}

/// Counts for a C file under each model; `most` transitions a search. A test
/// program with variants stands for the first of them.
pub fn count(path: &Path, flags: &[String], most: u64) -> Result<Vec<Row>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let options = heddle_frontend::Options {
        inputs: vec![path.to_owned()],
        flags: flags.iter().cloned().chain(first_variant(&text)).collect(),
        ..Default::default()
    };
    let program = heddle_frontend::compile(&options).map_err(|error| error.to_string())?;
    let entry = program.find_function("main").ok_or("no function main")?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Model::ALL.iter().map(|&model| count_under(&name, &program, entry, model, most)).collect()
}

/// The macros in `//@ variant[…]: DEFINE… | …`.
fn first_variant(text: &str) -> Vec<String> {
    let first = text.lines().find_map(|line| line.strip_prefix("//@ variant"));
    let defines = first.and_then(|line| line.split([':', '|']).nth(1)).unwrap_or_default();
    defines.split_whitespace().map(|define| format!("-D{define}")).collect()
}

fn count_under(
    name: &str,
    program: &Program,
    entry: FuncId,
    model: Model,
    most: u64,
) -> Result<Row, String> {
    let limits = Limits { model, ..Limits::default() };
    let config = Config { unwind: Some(limits.unwind), ..Config::default() };
    let classes = enumerate_classes(program, entry, model, &config, most);
    let classes = classes.map_err(|error| error.to_string())?;
    let test = Compiled { program: program.clone(), entry, line: 0, asks_for_blocks: false };
    let executions = |algorithm| search(&test, algorithm, &limits, most).map(|r| ends(&r));
    Ok(Row {
        program: name.to_string(),
        model,
        classes: classes.map(|classes| classes.len() as u64),
        dpor: executions(Algorithm::Dpor),
        optimal: executions(Algorithm::Optimal),
    })
}

impl Row {
    pub const HEAD: &'static str =
        "program              model    classes       dpor  ratio    optimal  ratio";

    /// Executions for each class.
    pub fn ratio(&self, executions: Option<u64>) -> Option<f64> {
        Some(executions? as f64 / self.classes? as f64)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |number: Option<u64>| number.map_or("–".to_string(), |n| n.to_string());
        let ratio = |executions| match self.ratio(executions) {
            Some(ratio) => format!("{ratio:.2}"),
            None => "–".to_string(),
        };
        write!(
            f,
            "{:20} {:5} {:>10} {:>10} {:>6} {:>10} {:>6}",
            self.program,
            self.model.name(),
            count(self.classes),
            count(self.dpor),
            ratio(self.dpor),
            count(self.optimal),
            ratio(self.optimal)
        )
    }
}
