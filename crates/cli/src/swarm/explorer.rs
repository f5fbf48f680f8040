//! Instances for the explorer that keeps states: tiles of the program's instructions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use heddle_analysis::{Site, ThreadSites, thread_sites};
use heddle_explore::{self as explore, Algorithm, Places};
use heddle_ir::{FuncId, Op, Program};
use heddle_memory::Model;
use heddle_semantics::{Failure, Stopped, Verdict, ViolationKind};
use heddle_swarm::{Answer, Depth, Point, Task, Thread, Why};
use serde_json::Value;

use crate::args::Property;

/// Loops are not cut, and nobody counts turns.
pub const DEPTH: Depth = Depth { unwind: 0, rounds: 0 };

/// What tilings know of threads, by the functions that these begin with.
pub fn threads(program: &Program, entry: FuncId) -> Vec<Thread> {
    thread_sites(program, entry).iter().map(|sites| thread(program, sites)).collect()
}

fn thread(program: &Program, of: &ThreadSites) -> Thread {
    let name = |id: FuncId| program.function(id).display_name().to_string();
    let mut region = 0;
    let point = |site: &Site| {
        let function = program.function(site.function);
        let inst = &function.blocks[site.block as usize].insts[site.index as usize];
        region += u32::from(matches!(inst.op, Op::Call { .. }));
        let file = program.files.get(inst.span.file as usize);
        let file = file.map_or(String::new(), |file| file.path.clone());
        Point { function: name(site.function), file, waits: false, region }
    };
    let start = Point { waits: true, ..Point::default() };
    let points = std::iter::once(start).chain(of.sites.iter().map(point)).collect();
    Thread { name: name(of.entry), points, stores: Vec::new() }
}

/// Decides instances by visiting every state that they have.
pub struct Explorer {
    sites: Vec<ThreadSites>,
    properties: Vec<Property>,
    memory_limit: Option<u64>,
}

impl Explorer {
    pub fn new(
        (program, entry): (&Program, FuncId),
        properties: Vec<Property>,
        memory_limit: Option<u64>,
    ) -> Explorer {
        Explorer { sites: thread_sites(program, entry), properties, memory_limit }
    }

    pub fn decide(
        &self,
        (program, entry, model): (&Program, FuncId, Model),
        task: &Task,
        trace_of: impl FnOnce(&Failure) -> Value,
    ) -> Answer {
        let counts = |kind: ViolationKind| self.properties.iter().any(|it| it.covers(kind));
        let kinds = ViolationKind::ALL.iter().copied();
        let interrupt = Arc::new(AtomicBool::new(false));
        let options = explore::Options {
            algorithm: Algorithm::Stateful,
            places: Some(Places::closing(&self.sites, &task.restriction.closed)),
            jobs: 1,
            overflow: counts(ViolationKind::SignedOverflow),
            ignored: kinds.filter(|&kind| !counts(kind)).collect(),
            memory_limit: self.memory_limit,
            interrupt: Arc::clone(&interrupt),
            ..explore::Options::default()
        };
        let time = Duration::try_from_secs_f64(task.seconds).unwrap_or(Duration::MAX);
        let (done, wait) = channel::<()>();
        let report = std::thread::scope(|scope| {
            scope.spawn(move || {
                if wait.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                    interrupt.store(true, Ordering::Relaxed);
                }
            });
            let report = explore::check(program, entry, model, &options);
            drop(done);
            report
        });
        let report = match report {
            Ok(report) => report,
            Err(error) => return Answer::Wrong(error.to_string()),
        };
        let clear = |bounds, unsupported| Answer::Clear { bounds, unsupported, complete: true };
        match (report.verdict, report.stopped) {
            (Verdict::Unsafe(failure), _) => Answer::Unsafe(trace_of(&failure)),
            (Verdict::Safe, _) => clear(Box::default(), None),
            (Verdict::Bounded(bounds), _) => clear(Box::new(bounds), None),
            (Verdict::Unknown(_), Some(Stopped::MemoryLimit)) => Answer::Undecided(Why::Memory),
            (Verdict::Unknown(_), Some(_)) => Answer::Undecided(Why::Time),
            (Verdict::Unknown(what), None) if what.starts_with("internal") => Answer::Wrong(what),
            (Verdict::Unknown(what), None) => clear(Box::default(), Some(what)),
        }
    }
}
