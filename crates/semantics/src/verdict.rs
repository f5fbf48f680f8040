//! What Heddle may say about a program, and the bounds under which it says it.

use std::fmt;

use heddle_ir::{Arguments, FuncId, Program};
use serde::{Deserialize, Serialize};

use crate::{Schedule, Violation};

/// Why an exploration does not cover everything. Each one that occurred keeps
/// the verdict from being `safe`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Bounds {
    /// A loop was cut after this many iterations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unwind: Option<u32>,
    /// A run was cut where it would have had more threads, main among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// Interleavings that need more rounds were not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// Interleavings with more writes to shared memory were not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes: Option<u32>,
    /// The same for writes to any one location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location_writes: Option<u32>,
    /// Interleavings in which threads see each other's writes more often were not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<u32>,
    /// Interleavings with more steps, of all threads together, were not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Interleavings with more preemptions were not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switches: Option<u32>,
    /// Unknown integers were taken to be sign-extended from this many bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<u32>,
    /// A call stack was cut at this depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<u32>,
    /// A thread ran this many instructions without a visible step and was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// A thread had this many stores waiting and was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<u32>,
    /// Runs in which more stores of a thread wait were not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delays: Option<u32>,
    /// Only some values of some input were tried.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inputs: bool,
    /// The address of a freed block was compared with that of another block, or
    /// looked for by a compare-and-exchange. A real allocator may give that address to a new block (the ABA problem); here it
    /// never does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reuse: bool,
    /// A store to bytes that overlap others stored at another width waited for all
    /// earlier stores of its thread, also for some that it may overtake.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mixed_widths: bool,
    /// A compare-and-exchange met undefined bits, which were taken to be what they were
    /// when they were read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub padding: bool,
    /// A thread that had a spurious wake-up waited again, without another one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub wakeups: bool,
    /// Waits for condition variables ended by signals only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub signals_only: bool,
    /// The program looks at its arguments, and there were none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub arguments: bool,
    /// Arguments were inputs, but only a few short ones.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub short_arguments: bool,
    /// The program handles signals, and none came from outside.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_signals: bool,
    /// The program looks at its environment, which was empty.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub environment: bool,
    /// The program opens files: there were only its own, and no operation on one failed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub files: bool,
    /// The program reads lines of standard input, and they were short.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub short_lines: bool,
    /// Allocations succeeded, though the program has something to do if one fails.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub allocations: bool,
    /// An allocation of over 1 GiB failed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub large: bool,
    /// Functions that have neither a body nor a model were called, and did nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unknown_calls: bool,
    /// Something depends on what number an address is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub addresses: bool,
}

/// A choice that was made where C, POSIX or the machine leave it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Assumption {
    /// See [`Bounds::wakeups`].
    Wakeups,
    /// See [`Bounds::arguments`].
    Arguments,
    /// See [`Bounds::short_arguments`].
    ShortArguments,
    /// See [`Bounds::no_signals`].
    NoSignals,
    /// See [`Bounds::environment`].
    Environment,
    /// See [`Bounds::files`].
    Files,
    /// See [`Bounds::short_lines`].
    ShortLines,
    /// See [`Bounds::allocations`].
    Allocations,
    /// See [`Bounds::unknown_calls`].
    UnknownCalls,
    /// See [`Bounds::addresses`].
    Addresses,
}

impl Bounds {
    pub fn is_empty(&self) -> bool {
        *self == Bounds::default()
    }

    pub fn merge(&mut self, other: &Bounds) {
        self.unwind = self.unwind.max(other.unwind);
        self.threads = self.threads.max(other.threads);
        self.rounds = self.rounds.max(other.rounds);
        self.writes = self.writes.max(other.writes);
        self.location_writes = self.location_writes.max(other.location_writes);
        self.clusters = self.clusters.max(other.clusters);
        self.depth = self.depth.max(other.depth);
        self.switches = self.switches.max(other.switches);
        self.bits = self.bits.max(other.bits);
        self.stack = self.stack.max(other.stack);
        self.steps = self.steps.max(other.steps);
        self.queue = self.queue.max(other.queue);
        self.delays = self.delays.max(other.delays);
        self.inputs |= other.inputs;
        self.reuse |= other.reuse;
        self.mixed_widths |= other.mixed_widths;
        self.padding |= other.padding;
        self.wakeups |= other.wakeups;
        self.signals_only |= other.signals_only;
        self.arguments |= other.arguments;
        self.short_arguments |= other.short_arguments;
        self.no_signals |= other.no_signals;
        self.environment |= other.environment;
        self.files |= other.files;
        self.short_lines |= other.short_lines;
        self.allocations |= other.allocations;
        self.large |= other.large;
        self.unknown_calls |= other.unknown_calls;
        self.addresses |= other.addresses;
    }

    /// What is known when a program starts in a function: whether it looks at what it was
    /// started with and nobody said what that is, and how its waits end.
    pub fn note_start(&mut self, program: &Program, entry: FuncId) {
        if program.arguments == Arguments::Unsaid {
            self.arguments |= program.looks_at(entry, 0) || program.looks_at(entry, 1);
        }
        self.environment |= program.looks_at(entry, 2);
        self.signals_only |= program.signals_only;
    }

    pub fn note(&mut self, assumption: Assumption) {
        match assumption {
            Assumption::Wakeups => self.wakeups = true,
            Assumption::Arguments => self.arguments = true,
            Assumption::ShortArguments => self.short_arguments = true,
            Assumption::NoSignals => self.no_signals = true,
            Assumption::Environment => self.environment = true,
            Assumption::Files => self.files = true,
            Assumption::ShortLines => self.short_lines = true,
            Assumption::Allocations => self.allocations = true,
            Assumption::UnknownCalls => self.unknown_calls = true,
            Assumption::Addresses => self.addresses = true,
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(unwind) = self.unwind {
            parts.push(format!("unwind {unwind}"));
        }
        if let Some(threads) = self.threads {
            parts.push(format!("{threads} threads"));
        }
        if let Some(rounds) = self.rounds {
            parts.push(format!("rounds {rounds}"));
        }
        if let Some(writes) = self.writes {
            parts.push(format!("writes {writes}"));
        }
        if let Some(writes) = self.location_writes {
            parts.push(format!("writes {writes} a location"));
        }
        if let Some(clusters) = self.clusters {
            parts.push(format!("clusters {clusters}"));
        }
        if let Some(depth) = self.depth {
            parts.push(format!("depth {depth}"));
        }
        if let Some(switches) = self.switches {
            parts.push(format!("{switches} preemption{}", if switches == 1 { "" } else { "s" }));
        }
        if let Some(bits) = self.bits {
            parts.push(format!("integers of {bits} bits"));
        }
        if let Some(stack) = self.stack {
            parts.push(format!("call depth {stack}"));
        }
        if let Some(steps) = self.steps {
            parts.push(format!("{steps} steps between visible ones"));
        }
        if let Some(queue) = self.queue {
            parts.push(format!("{queue} waiting stores a thread"));
        }
        if let Some(delays) = self.delays {
            let plural = if delays == 1 { "" } else { "s" };
            parts.push(format!("{delays} delayed store{plural} a thread"));
        }
        if self.inputs {
            parts.push("sampled inputs".to_string());
        }
        if self.reuse {
            parts.push("no reuse of freed addresses".to_string());
        }
        if self.mixed_widths {
            parts.push("stores of mixed width in order".to_string());
        }
        if self.padding {
            parts.push("undefined bits that keep their values".to_string());
        }
        if self.wakeups {
            parts.push("one spurious wake-up a thread".to_string());
        }
        if self.signals_only {
            parts.push("no spurious wake-ups".to_string());
        }
        if self.arguments {
            parts.push("no command-line arguments".to_string());
        }
        if self.short_arguments {
            parts.push("two arguments of two characters".to_string());
        }
        if self.no_signals {
            parts.push("no signals from outside".to_string());
        }
        if self.environment {
            parts.push("empty environment".to_string());
        }
        if self.files {
            parts.push("no files but the program's own".to_string());
        }
        if self.short_lines {
            parts.push("lines of two characters".to_string());
        }
        if self.allocations {
            parts.push("malloc never fails".to_string());
        }
        if self.large {
            parts.push("allocations over 1 GiB fail".to_string());
        }
        if self.unknown_calls {
            parts.push("functions without a body that do nothing".to_string());
        }
        if self.addresses {
            parts.push("addresses as modelled".to_string());
        }
        f.write_str(&parts.join(", "))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every interleaving, every loop to its end, every input.
    Safe,
    /// No violation within the bounds.
    Bounded(Bounds),
    Unsafe(Box<Failure>),
    Unknown(String),
}

/// Who ended a search before it was through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// From outside: time or the user.
    Interrupted,
    MemoryLimit,
    /// By itself: it takes a sample, and that was large enough.
    Sampled,
}

/// A violation with the run that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub violation: Violation,
    pub schedule: Schedule,
}

impl Verdict {
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Safe => "safe",
            Verdict::Bounded(_) => "bounded",
            Verdict::Unsafe(_) => "unsafe",
            Verdict::Unknown(_) => "unknown",
        }
    }
}
