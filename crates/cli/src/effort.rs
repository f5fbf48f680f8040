//! What a search cost, whichever engine it was.

use heddle_encode as encode;
use heddle_explore as explore;
use serde::Serialize;

use crate::units::{show_bytes, show_count};

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Effort {
    Explore(ExploreEffort),
    Encode(EncodeEffort),
}

#[derive(Clone, Debug, Serialize)]
pub struct ExploreEffort {
    executions: u64,
    blocked: u64,
    transitions: u64,
    max_depth: u64,
    seconds: f64,
    peak_bytes: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct EncodeEffort {
    passes: u64,
    unwind: u32,
    rounds: u32,
    threads: u64,
    points: u64,
    events: u64,
    variables: u64,
    clauses: u64,
    conflicts: u64,
    encode_seconds: f64,
    solve_seconds: f64,
    seconds: f64,
    peak_bytes: u64,
}

impl From<explore::Stats> for Effort {
    fn from(stats: explore::Stats) -> Effort {
        Effort::Explore(ExploreEffort {
            executions: stats.executions,
            blocked: stats.blocked,
            transitions: stats.transitions,
            max_depth: stats.max_depth,
            seconds: stats.seconds,
            peak_bytes: stats.peak_bytes,
        })
    }
}

impl From<encode::Stats> for Effort {
    fn from(stats: encode::Stats) -> Effort {
        Effort::Encode(EncodeEffort {
            passes: stats.passes,
            unwind: stats.unwind,
            rounds: stats.rounds,
            threads: stats.threads,
            points: stats.points,
            events: stats.events,
            variables: stats.variables,
            clauses: stats.clauses,
            conflicts: stats.conflicts,
            encode_seconds: stats.encode_seconds,
            solve_seconds: stats.solve_seconds,
            seconds: stats.seconds,
            peak_bytes: explore::peak_bytes().unwrap_or(0),
        })
    }
}

impl Effort {
    /// For a line that says that nothing was found: `12 executions`.
    pub fn short(&self) -> String {
        match self {
            Effort::Explore(effort) => {
                let plural = if effort.executions == 1 { "" } else { "s" };
                format!("{} execution{plural}", show_count(effort.executions))
            }
            Effort::Encode(effort) => {
                format!("unwind {}, rounds {}", effort.unwind, effort.rounds)
            }
        }
    }

    /// How far a search came that was stopped.
    pub fn so_far(&self) -> String {
        match self {
            Effort::Explore(_) => format!("in {}", self.short()),
            Effort::Encode(_) => format!("found before {} was decided", self.short()),
        }
    }

    /// What `--stats` prints.
    pub fn lines(&self) -> String {
        match self {
            Effort::Explore(effort) => format!(
                "executions: {} complete, {} blocked\n\
                 transitions: {}, longest execution {}\n\
                 effort: {:.2} s, {}\n",
                show_count(effort.executions),
                show_count(effort.blocked),
                show_count(effort.transitions),
                show_count(effort.max_depth),
                effort.seconds,
                show_bytes(effort.peak_bytes),
            ),
            Effort::Encode(effort) => format!(
                "last formula: unwind {}, rounds {}; {} threads, {} points, {} events\n\
                 size: {} variables, {} clauses; {} conflicts in {} passes\n\
                 effort: {:.2} s ({:.2} s to encode, {:.2} s to solve), {}\n",
                effort.unwind,
                effort.rounds,
                show_count(effort.threads),
                show_count(effort.points),
                show_count(effort.events),
                show_count(effort.variables),
                show_count(effort.clauses),
                show_count(effort.conflicts),
                show_count(effort.passes),
                effort.seconds,
                effort.encode_seconds,
                effort.solve_seconds,
                show_bytes(effort.peak_bytes),
            ),
        }
    }
}
