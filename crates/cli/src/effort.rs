//! What a search cost, whichever engine it was.

use heddle_encode as encode;
use heddle_explore as explore;
use heddle_semantics::Bounds;
use serde::Serialize;

use crate::args::Engine;
use crate::swarm::effort::SwarmEffort;
use crate::units::{show_bytes, show_count};

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Effort {
    Explore(ExploreEffort),
    States(StatesEffort),
    Sample(SampleEffort),
    Encode(EncodeEffort),
    Swarm(SwarmEffort),
    Invariants(InvariantsEffort),
}

#[derive(Clone, Debug, Serialize)]
pub struct ExploreEffort {
    executions: u64,
    blocked: u64,
    transitions: u64,
    max_depth: u64,
    seconds: f64,
    peak_bytes: u64,
    #[serde(flatten)]
    guided: Option<GuidedEffort>,
}

#[derive(Clone, Debug, Serialize)]
pub struct GuidedEffort {
    slice: u64,
    instructions: u64,
    accesses_kept: u64,
    accesses_dropped: u64,
    restarts: u64,
    noisy_mutexes: u64,
    lock_pairs_independent: u64,
    write_pairs_pruned: u64,
    writes_pruned: u64,
}

#[derive(Clone, Debug, Serialize)]
pub struct StatesEffort {
    states: u64,
    transitions: u64,
    /// States that were seen and not gone on from.
    frontier: u64,
    /// Preemptions of the last run that was looked at.
    switches: u32,
    max_depth: u64,
    /// How many states are expected to be missed because two have the same hash.
    missed: f64,
    /// Without the frontier.
    state_bytes: u64,
    /// Most bytes of the frontier, in memory and on disk.
    frontier_bytes: u64,
    disk_bytes: u64,
    /// What `switches` counts are delays.
    delays: bool,
    #[serde(skip)]
    why_new: Vec<String>,
    /// How many accesses are steps, and how many do not matter.
    accesses_kept: u64,
    accesses_dropped: u64,
    seconds: f64,
    peak_bytes: u64,
}

/// Runs at random.
#[derive(Clone, Debug, Serialize)]
pub struct SampleEffort {
    runs: u64,
    seed: u64,
    transitions: u64,
    /// Of the longest run that came to its end, and of that with the most.
    steps: u64,
    actors: u64,
    /// The chance that a bug of depth 1, 2, … was missed.
    missed: Vec<f64>,
    /// Pairs of places that race, and those seen in both orders.
    racing_pairs: u64,
    both_orders: u64,
    seconds: f64,
    peak_bytes: u64,
}

impl SampleEffort {
    fn new(stats: &explore::Stats, sample: &explore::Sample) -> SampleEffort {
        SampleEffort {
            runs: sample.runs,
            seed: sample.seed,
            transitions: stats.transitions,
            steps: sample.steps,
            actors: sample.actors,
            missed: sample.missed.to_vec(),
            racing_pairs: sample.pairs,
            both_orders: sample.both,
            seconds: stats.seconds,
            peak_bytes: stats.peak_bytes,
        }
    }

    /// What the runs did not show, with which chance.
    fn guarantee(&self) -> String {
        let show = |chance: f64| match chance {
            chance if chance >= 0.995 => "1".to_string(),
            chance if chance >= 0.01 => format!("{chance:.2}"),
            chance if chance > 1e-99 => format!("1e{}", chance.log10().ceil()),
            _ => "1e-99".to_string(),
        };
        let chances: Vec<String> = self.missed.iter().map(|&chance| show(chance)).collect();
        format!("a bug of depth 1, 2, 3 is missed with a chance of at most {}", chances.join(", "))
    }

    fn lines(&self) -> String {
        format!(
            "runs: {} from seed {}; {} transitions, {} actors, {} steps in the longest run\n\
             coverage: {} pairs of places race, {} seen in both orders\n\
             guarantee: {}\n\
             effort: {:.2} s, {}\n",
            show_count(self.runs),
            self.seed,
            show_count(self.transitions),
            show_count(self.actors),
            show_count(self.steps),
            show_count(self.racing_pairs),
            show_count(self.both_orders),
            self.guarantee(),
            self.seconds,
            show_bytes(self.peak_bytes),
        )
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct EncodeEffort {
    passes: u64,
    unwind: u32,
    encoding: &'static str,
    /// The bound, where it counts rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<u32>,
    /// What the bound counts, and the bound.
    unit: &'static str,
    bound: u32,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<OrderEffort>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stakes: Option<StakesEffort>,
    /// The bound in words.
    #[serde(skip)]
    within: String,
}

/// What there was to order, and what a theory in the solver did about it.
#[derive(Clone, Debug, Serialize)]
pub struct OrderEffort {
    nodes: u64,
    candidates: u64,
    orders: u64,
    theory_conflicts: u64,
    theory_propagations: u64,
}

/// What is at stake between threads, beside locks and the like.
#[derive(Clone, Debug, Serialize)]
pub struct StakesEffort {
    shared: u64,
    relevant: u64,
    /// Without it, every pair that conflicts is taken for sensitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    sensitive_pairs: Option<u64>,
}

/// What a proof by invariants took, and what it is.
#[derive(Clone, Debug, Default, Serialize)]
pub struct InvariantsEffort {
    pub checks: u64,
    pub rounds: u32,
    pub classes: u64,
    pub cells: u64,
    pub instructions: u64,
    pub seconds: f64,
    /// What each check holds by.
    pub proof: Vec<String>,
}

impl From<explore::Stats> for Effort {
    fn from(stats: explore::Stats) -> Effort {
        if let Some(sample) = &stats.sample {
            return Effort::Sample(SampleEffort::new(&stats, sample));
        }
        if stats.states > 0 {
            let guided = stats.guided.unwrap_or_default();
            return Effort::States(StatesEffort {
                states: stats.states,
                transitions: stats.transitions,
                frontier: stats.frontier,
                switches: stats.switches,
                max_depth: stats.max_depth,
                missed: stats.missed,
                state_bytes: stats.state_bytes,
                frontier_bytes: stats.frontier_bytes,
                disk_bytes: stats.disk_bytes,
                delays: stats.delays,
                why_new: stats.why_new,
                accesses_kept: guided.kept,
                accesses_dropped: guided.dropped,
                seconds: stats.seconds,
                peak_bytes: stats.peak_bytes,
            });
        }
        Effort::Explore(ExploreEffort {
            executions: stats.executions,
            blocked: stats.blocked,
            transitions: stats.transitions,
            max_depth: stats.max_depth,
            seconds: stats.seconds,
            peak_bytes: stats.peak_bytes,
            guided: stats.guided.map(GuidedEffort::from),
        })
    }
}

impl From<explore::GuidedStats> for GuidedEffort {
    fn from(stats: explore::GuidedStats) -> GuidedEffort {
        GuidedEffort {
            slice: stats.slice,
            instructions: stats.instructions,
            accesses_kept: stats.kept,
            accesses_dropped: stats.dropped,
            restarts: stats.restarts,
            noisy_mutexes: stats.noisy,
            lock_pairs_independent: stats.lock_pairs,
            write_pairs_pruned: stats.write_pairs,
            writes_pruned: stats.overwritten,
        }
    }
}

impl GuidedEffort {
    fn lines(&self) -> String {
        format!(
            "slice: {} of {} instructions, {} restarts; accesses: {} kept, {} dropped\n\
             critical sections: {} mutexes need all steps; {} writes overwritten at once\n\
             pairs of places: {} of locks independent, {} of writes pruned\n",
            show_count(self.slice),
            show_count(self.instructions),
            show_count(self.restarts),
            show_count(self.accesses_kept),
            show_count(self.accesses_dropped),
            show_count(self.noisy_mutexes),
            show_count(self.writes_pruned),
            show_count(self.lock_pairs_independent),
            show_count(self.write_pairs_pruned),
        )
    }
}

impl From<encode::Stats> for Effort {
    fn from(stats: encode::Stats) -> Effort {
        Effort::Encode(EncodeEffort {
            passes: stats.passes,
            unwind: stats.unwind,
            encoding: stats.method.name(),
            rounds: (stats.method.unit() == "rounds").then_some(stats.bound),
            unit: stats.method.unit(),
            bound: stats.bound,
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
            within: stats.method.describe(stats.bound),
            order: stats.order.map(|order| OrderEffort {
                nodes: order.nodes,
                candidates: order.candidates,
                orders: order.orders,
                theory_conflicts: order.conflicts,
                theory_propagations: order.propagations,
            }),
            stakes: stats.stakes.map(|stakes| StakesEffort {
                shared: stakes.shared,
                relevant: stakes.relevant,
                sensitive_pairs: stakes.pairs,
            }),
        })
    }
}

impl OrderEffort {
    fn line(&self) -> String {
        format!(
            "orders: {} events in order, {} candidates, {} orders; theory: {} conflicts, {} \
             propagations\n",
            show_count(self.nodes),
            show_count(self.candidates),
            show_count(self.orders),
            show_count(self.theory_conflicts),
            show_count(self.theory_propagations),
        )
    }
}

impl StakesEffort {
    fn line(&self) -> String {
        let pairs = self.sensitive_pairs.map_or("all".to_string(), show_count);
        format!(
            "at stake: {} shared variables, {} relevant; sensitive pairs of places: {pairs}\n",
            show_count(self.shared),
            show_count(self.relevant),
        )
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
            Effort::States(effort) => {
                let plural = if effort.states == 1 { "" } else { "s" };
                format!("{} state{plural}", show_count(effort.states))
            }
            Effort::Sample(effort) => {
                let plural = if effort.runs == 1 { "" } else { "s" };
                format!("{} run{plural} at random", show_count(effort.runs))
            }
            Effort::Encode(effort) => {
                format!("unwind {}, {}", effort.unwind, effort.within)
            }
            Effort::Swarm(effort) => effort.short(),
            Effort::Invariants(effort) => {
                format!("{} checks by invariants", show_count(effort.checks))
            }
        }
    }

    /// How sure it is that no state was taken for another one, where hashes stand for
    /// states.
    pub fn missed(&self) -> Option<String> {
        match self {
            Effort::States(effort) => {
                let exponent = effort.missed.log10().ceil();
                (effort.missed > 0.0)
                    .then(|| format!("one missed with a chance below 1e{exponent}"))
            }
            Effort::Explore(_) | Effort::Encode(_) | Effort::Sample(_) => None,
            Effort::Swarm(_) | Effort::Invariants(_) => None,
        }
    }

    /// How far a search came that was stopped, and within which bounds it had looked at
    /// everything by then.
    pub fn so_far(&self, covered: Option<&Bounds>) -> String {
        match (self, covered) {
            (Effort::Explore(effort), Some(bounds)) if effort.executions > 0 => {
                let further = show_count(effort.executions);
                let plural = if effort.executions == 1 { "" } else { "s" };
                format!("no violation with {bounds}, nor in {further} further execution{plural}")
            }
            (Effort::States(_), Some(bounds)) => {
                format!("no violation with {bounds}, nor in the rest of {}", self.short())
            }
            (Effort::Swarm(effort), covered) => effort.so_far(covered),
            (Effort::Sample(effort), _) => {
                format!("no violation in {}; {}", self.short(), effort.guarantee())
            }
            (_, Some(bounds)) => format!("no violation with {bounds}"),
            (Effort::Invariants(_), None) => "nothing was decided".to_string(),
            (Effort::Encode(effort), None) if effort.unwind == 0 => {
                "nothing was decided".to_string()
            }
            (Effort::Encode(_), None) => {
                format!("no violation found before {} was decided", self.short())
            }
            (_, None) => format!("no violation in {}", self.short()),
        }
    }

    /// Of an engine that has not told anything yet.
    pub fn none(engine: Engine) -> Effort {
        match engine {
            Engine::Swarm => Effort::Swarm(SwarmEffort::default()),
            Engine::Invariants => Effort::Invariants(InvariantsEffort::default()),
            engine if engine.is_formula() => encode::Stats::default().into(),
            _ => explore::Stats::default().into(),
        }
    }

    pub fn seconds(&self) -> f64 {
        match self {
            Effort::Explore(effort) => effort.seconds,
            Effort::States(effort) => effort.seconds,
            Effort::Sample(effort) => effort.seconds,
            Effort::Encode(effort) => effort.seconds,
            Effort::Swarm(effort) => effort.seconds,
            Effort::Invariants(effort) => effort.seconds,
        }
    }

    /// What `--stats` prints.
    pub fn lines(&self) -> String {
        match self {
            Effort::Explore(effort) => format!(
                "executions: {} complete, {} blocked\n\
                 transitions: {}, longest execution {}\n\
                 {}effort: {:.2} s, {}\n",
                show_count(effort.executions),
                show_count(effort.blocked),
                show_count(effort.transitions),
                show_count(effort.max_depth),
                effort.guided.as_ref().map_or(String::new(), GuidedEffort::lines),
                effort.seconds,
                show_bytes(effort.peak_bytes),
            ),
            Effort::States(effort) => format!(
                "states: {}, {} left; {} transitions\n\
                 longest run: {} steps, {} {}\n\
                 bytes: {} a state, {} of those that waited in memory, {} on disk\n\
                 {}{}effort: {:.2} s, {} states a second, {}\n",
                show_count(effort.states),
                show_count(effort.frontier),
                show_count(effort.transitions),
                show_count(effort.max_depth),
                effort.switches,
                if effort.delays { "delays" } else { "preemptions" },
                effort.state_bytes / effort.states.max(1),
                show_bytes(effort.frontier_bytes),
                show_bytes(effort.disk_bytes),
                effort.why_new.iter().map(|line| format!("{line}\n")).collect::<String>(),
                match effort.accesses_dropped {
                    0 => String::new(),
                    dropped => format!(
                        "accesses: {} kept, {} dropped\n",
                        show_count(effort.accesses_kept),
                        show_count(dropped)
                    ),
                },
                effort.seconds,
                show_count((effort.states as f64 / effort.seconds.max(1e-6)) as u64),
                show_bytes(effort.peak_bytes),
            ),
            Effort::Sample(effort) => effort.lines(),
            Effort::Swarm(effort) => effort.lines(),
            Effort::Invariants(effort) => format!(
                "invariants: {} checks, {} classes of threads, {} cells of memory\n\
                 effort: {:.2} s, {} instructions in {} rounds\n",
                show_count(effort.checks),
                show_count(effort.classes),
                show_count(effort.cells),
                effort.seconds,
                show_count(effort.instructions),
                effort.rounds,
            ),
            Effort::Encode(effort) => format!(
                "last formula: {}, unwind {}, {}; {} threads, {} points, {} events\n\
                 {}{}size: {} variables, {} clauses; {} conflicts in {} passes\n\
                 effort: {:.2} s ({:.2} s to encode, {:.2} s to solve), {}\n",
                effort.encoding,
                effort.unwind,
                effort.within,
                show_count(effort.threads),
                show_count(effort.points),
                show_count(effort.events),
                effort.order.as_ref().map_or(String::new(), OrderEffort::line),
                effort.stakes.as_ref().map_or(String::new(), StakesEffort::line),
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
