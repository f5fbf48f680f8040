//! The engines as the command line knows them: how each is called, and what it says.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use heddle_encode as encode;
use heddle_explore as explore;
use heddle_explore::Algorithm;
use heddle_ir::{Callee, FuncId, Op, Program};
use heddle_semantics::{Bounds, Stopped, Verdict, ViolationKind};

use crate::args::Engine;
use crate::effort::Effort;
use crate::error::CliError;
use crate::interrupt::memory_limit;
use crate::known::{Known, Progressed, Who};
use crate::progress::Shower;
use crate::settings::{Check, method};

/// What an engine says.
pub struct Found {
    pub who: Who,
    pub verdict: Verdict,
    pub effort: Effort,
    /// Within these bounds a search that was stopped had looked at everything.
    pub covered: Option<Bounds>,
    pub stopped: Option<Stopped>,
    /// Why the verdict is not a better one, where it does not say so itself.
    pub because: Option<String>,
}

impl Found {
    /// Nothing that another engine could say would change it.
    pub fn is_definite(&self) -> bool {
        matches!(self.verdict, Verdict::Safe | Verdict::Unsafe(_))
    }

    /// For an engine that is not waited for any more.
    pub fn without_answer(progressed: Progressed) -> Found {
        Found {
            who: progressed.who,
            verdict: Verdict::Unknown("interrupted".to_string()),
            effort: progressed.effort,
            covered: progressed.covered,
            stopped: Some(Stopped::Interrupted),
            because: None,
        }
    }

    /// The engine contradicts itself: what it says, if it does.
    pub fn internal_error(&self) -> Option<&str> {
        match &self.verdict {
            Verdict::Unknown(reason) if is_internal(reason) => Some(reason),
            _ => None,
        }
    }

    fn failed(who: Who, what: String) -> Found {
        Found {
            who,
            verdict: Verdict::Unknown(what),
            effort: Effort::none(who.0),
            covered: None,
            stopped: None,
            because: None,
        }
    }
}

fn is_internal(reason: &str) -> bool {
    reason.starts_with("internal") || reason.starts_with("unsupported: internal")
}

/// `guided`, for people.
pub fn name(who: Who) -> String {
    who.1.map_or_else(|| who.0.name().to_string(), |algorithm| algorithm.to_string())
}

/// Memory that `stateful` may take when nobody asked for it.
const UNASKED: u64 = 4 << 30;

/// A program and how to search it, for any thread.
#[derive(Clone)]
pub struct Search {
    pub settings: Arc<Check>,
    pub program: Arc<Program>,
    pub entry: FuncId,
    pub known: Known,
    pub shower: Shower,
}

impl Search {
    /// Does any instruction ask for a value from outside?
    pub fn may_read_input(&self) -> bool {
        let program = &self.program;
        let instructions = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts);
        instructions.into_iter().any(|inst| match &inst.op {
            Op::Call { callee: Callee::Direct(id), .. } => {
                program.function(*id).name.starts_with("__VERIFIER_nondet")
            }
            _ => false,
        })
    }

    fn ignored(&self) -> Vec<ViolationKind> {
        let kinds = ViolationKind::ALL.iter().copied();
        kinds.filter(|&kind| !self.settings.checks(kind)).collect()
    }

    /// The formula that is solved, if one is.
    pub fn formula(&self) -> Engine {
        self.settings.engine.filter(|engine| engine.is_formula()).unwrap_or(Engine::Lazy)
    }

    /// Solves the formula of an engine: the one that is asked for, or another beside it.
    pub fn encode(&self, engine: Engine, interrupt: Arc<AtomicBool>) -> Found {
        let who = (engine, None);
        catch_unwind(AssertUnwindSafe(|| self.encode_unguarded(engine, interrupt)))
            .unwrap_or_else(|panic| Found::failed(who, panicked(panic.as_ref())))
    }

    fn encode_unguarded(&self, engine: Engine, interrupt: Arc<AtomicBool>) -> Found {
        let settings = &self.settings;
        let (method, bound) = match engine == self.formula() {
            true => (settings.method, settings.bound),
            false => (method(engine, None, None), None),
        };
        let options = encode::Options {
            unwind: settings.unwind,
            method,
            bound,
            complete_with: (engine == self.formula()
                && settings.engine.is_none_or(|engine| !engine.is_formula()))
            .then_some(encode::Method::Imu),
            bits: settings.bits,
            interrupt,
            memory_limit: settings.limits.memory,
            ignored: self.ignored(),
            progress: Some(self.shower.passes(engine, &self.known)),
            proof: settings.proof.as_ref().map(|certificate| {
                certificate.proof(settings, &self.program, self.entry, self.ignored())
            }),
            ..encode::Options::default()
        };
        let report = encode::check(&self.program, self.entry, settings.model, &options);
        if let Some(certificate) = &settings.proof {
            certificate.note(report.proof);
        }
        let because = report.gave_up.or_else(|| full(report.stopped, options.memory_limit));
        // Whoever is still waited for answers by its own name.
        let definite = matches!(report.verdict, Verdict::Safe | Verdict::Unsafe(_));
        let other = definite && report.stats.method != method;
        let who = if other { Engine::Imu } else { engine };
        Found {
            who: (who, None),
            verdict: report.verdict,
            covered: report.stats.covered.clone(),
            effort: report.stats.into(),
            stopped: report.stopped,
            because,
        }
    }

    pub fn explore(
        &self,
        algorithm: Algorithm,
        interrupt: Arc<AtomicBool>,
    ) -> Result<Found, CliError> {
        let who = (Engine::Explore, Some(algorithm));
        catch_unwind(AssertUnwindSafe(|| self.explore_unguarded(algorithm, interrupt)))
            .unwrap_or_else(|panic| Ok(Found::failed(who, panicked(panic.as_ref()))))
    }

    fn explore_unguarded(
        &self,
        algorithm: Algorithm,
        interrupt: Arc<AtomicBool>,
    ) -> Result<Found, CliError> {
        let settings = &self.settings;
        let stateful = algorithm == Algorithm::Stateful;
        let unasked = stateful && settings.algorithm.is_none();
        let memory = match (stateful, unasked) {
            (true, true) => Some(UNASKED),
            (true, false) => most_memory(),
            _ => None,
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let options = explore::Options {
            algorithm,
            without: settings.without.clone(),
            unwind: settings.unwind,
            max_threads: settings.max_threads,
            max_steps: settings.max_steps,
            max_switches: settings.max_switches,
            strict_states: settings.strict_states,
            delays: settings.delays,
            why_new: settings.why_new,
            seed: settings.seed,
            runs: settings.runs,
            depth_first: settings.depth_first,
            interrupt,
            memory_limit: settings.limits.memory.or(memory),
            jobs: match (algorithm, settings.algorithm) {
                // Beside others it has one core, which it gives back.
                (Algorithm::Random, None) => 1,
                (_, None) => settings.jobs.unwrap_or((cores - 1).max(1)),
                _ => settings.jobs.unwrap_or(cores),
            },
            races: settings.checks(ViolationKind::DataRace),
            leaks: settings.checks(ViolationKind::Leak),
            overflow: settings.checks(ViolationKind::SignedOverflow),
            uninitialised: settings.checks(ViolationKind::Uninitialised),
            ignored: self.ignored(),
            progress: Some(self.shower.executions(algorithm, &self.known)),
            ..explore::Options::default()
        };
        let report = explore::check(&self.program, self.entry, settings.model, &options)
            .map_err(|error| CliError::new(error.to_string()))?;
        Ok(Found {
            who: (Engine::Explore, Some(algorithm)),
            verdict: report.verdict,
            covered: report.stats.covered.clone(),
            effort: report.stats.into(),
            stopped: report.stopped,
            because: full(report.stopped, options.memory_limit),
        })
    }
}

/// What an engine that ran full says of it.
fn full(stopped: Option<Stopped>, limit: Option<u64>) -> Option<String> {
    limit.filter(|_| stopped == Some(Stopped::MemoryLimit)).map(memory_limit)
}

pub fn panicked(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("internal error: panic ({})", text.unwrap_or_default())
}

/// Three quarters of the machine's memory, where the system tells: a search that keeps
/// states would take it all.
pub fn most_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = total.split_whitespace().next()?.parse().ok()?;
    Some(kib * 1024 / 4 * 3)
}
