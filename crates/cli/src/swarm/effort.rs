//! What a swarm cost, and how far it came.

use heddle_semantics::Bounds;
use heddle_swarm::{Conclusion, Depth};
use serde::Serialize;

use crate::units::{show_bytes, show_count};

#[derive(Clone, Debug, Default, Serialize)]
pub struct SwarmEffort {
    pub instances: u64,
    pub violations: u64,
    pub discharged: u64,
    pub split: u64,
    pub undecided: u64,
    /// Workers that died.
    pub lost: u64,
    pub unwind: u32,
    pub rounds: u32,
    /// Selections of the last plan that are decided, and how many there are, exactly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selections: Option<Coverage>,
    pub seconds: f64,
    /// Of all workers together.
    pub worker_seconds: f64,
    /// The most that a worker had.
    pub peak_bytes: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct Coverage {
    pub tiling: String,
    pub tile_size: u32,
    pub tiles: u32,
    pub answered: u64,
    pub of: String,
    pub share: f64,
}

impl SwarmEffort {
    pub fn of(conclusion: &Conclusion, seconds: f64) -> SwarmEffort {
        let Conclusion { tally, plan, .. } = conclusion;
        let selections = plan.sample.as_ref().map(|sample| Coverage {
            tiling: sample.tiling.clone(),
            tile_size: sample.size,
            tiles: sample.tiles,
            answered: conclusion.answered,
            of: conclusion.count.to_string(),
            share: conclusion.answered as f64 / conclusion.count.to_f64(),
        });
        SwarmEffort {
            instances: tally.answered,
            violations: tally.found,
            discharged: tally.discharged,
            split: tally.split,
            undecided: conclusion.undecided,
            lost: tally.lost,
            unwind: plan.depth.unwind,
            rounds: plan.depth.rounds,
            selections,
            seconds,
            worker_seconds: tally.seconds,
            peak_bytes: tally.bytes,
        }
    }

    fn depth(&self) -> Depth {
        Depth { unwind: self.unwind, rounds: self.rounds }
    }

    pub fn short(&self) -> String {
        let plural = if self.instances == 1 { "" } else { "s" };
        format!("{} instance{plural}", show_count(self.instances))
    }

    /// How far a swarm came that was not through.
    pub fn so_far(&self, covered: Option<&Bounds>) -> String {
        let covered = covered.map(|bounds| format!("no violation with {bounds}; with "));
        let within = covered.unwrap_or_else(|| "no violation found with ".to_string());
        let depth = self.depth();
        let undecided = match self.undecided {
            0 => String::new(),
            some => format!(", {} undecided", show_count(some)),
        };
        match &self.selections {
            None if self.instances == 0 => "nothing was decided".to_string(),
            None => format!(
                "{within}{depth}: {} answered, in a tree that is not through{undecided}",
                self.short()
            ),
            Some(Coverage { tile_size, tiles, answered, of, share, tiling }) => {
                let size = match tiling.as_str() {
                    "windows" => format!("tiles of {tile_size} points"),
                    other => format!("tiles by {other}"),
                };
                let percent = share * 100.0;
                let percent = match percent {
                    p if p >= 0.01 => format!("{p:.2} %"),
                    p => format!("{p:.1e} %"),
                };
                format!(
                    "{within}{depth}: {} of {of} selections ({percent}) of {tiles} {size}\
                     {undecided}",
                    show_count(*answered)
                )
            }
        }
    }

    pub fn lines(&self) -> String {
        format!(
            "instances: {} answered: {} with a violation, {} without, {} split, {} undecided; {} \
             workers died\n\
             last bounds: {}\n\
             effort: {:.2} s, {:.2} s of workers, {} in a worker\n",
            show_count(self.instances),
            show_count(self.violations),
            show_count(self.discharged),
            show_count(self.split),
            show_count(self.undecided),
            show_count(self.lost),
            self.depth(),
            self.seconds,
            self.worker_seconds,
            show_bytes(self.peak_bytes),
        )
    }
}
