//! A run as people read it: steps with names and values.

use std::fmt;

use heddle_ir::{FuncId, PlaceId, Program, Span};
use heddle_machine::{Action, Machine, Mention, Record, Status};
use heddle_semantics::{MemoryModel, Partial, Schedule, ThreadId, Violation, ViolationKind, mask};

use crate::context::{Context, Place, contexts};
use crate::deadlock::DeadlockReport;
use crate::name::{Content, Named, Names};
use crate::race::RaceReport;
use crate::replay::Run;
use crate::value::show;

/// A run that fails.
#[derive(Clone, Debug)]
pub struct Trace {
    pub violation: Violation,
    pub schedule: Schedule,
    /// Threads that exist in the run, in the order of their ids.
    pub threads: Vec<ThreadInfo>,
    pub steps: Vec<Step>,
    /// What a deadlock or a data race is about.
    pub deadlock: Option<DeadlockReport>,
    pub race: Option<RaceReport>,
    /// Where the heap objects that steps mention were allocated; the first is
    /// `heap#1`.
    pub heap: Vec<Span>,
    /// What steps touch: memory, and objects that are waited for.
    pub locations: Vec<Place>,
}

#[derive(Clone, Debug)]
pub struct ThreadInfo {
    pub id: ThreadId,
    /// The function it runs.
    pub function: String,
}

/// Something that happened, in the words of the source.
#[derive(Clone, Debug)]
pub struct Step {
    pub thread: ThreadId,
    /// Index of the choice in whose course it happened; `None` before the first.
    pub choice: Option<usize>,
    pub span: Span,
    pub operation: Operation,
    pub context: Context,
}

/// What a step did. All texts are for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// One word: `read`, `write`, `lock`, ….
    pub verb: &'static str,
    /// What it was done to.
    pub place: Option<String>,
    /// The value read or written.
    pub value: Option<String>,
    /// For read-modify-writes, the value before.
    pub old: Option<String>,
}

impl fmt::Display for Operation {
    /// `read counter = 0`, `lock m`, `create T1 work`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.verb)?;
        if let Some(place) = &self.place {
            write!(f, " {place}")?;
        }
        match (&self.old, &self.value) {
            (Some(old), Some(new)) => write!(f, " = {old} -> {new}"),
            (None, Some(value)) if self.verb == "create" => write!(f, " {value}"),
            (None, Some(value)) if self.place.is_some() => write!(f, " = {value}"),
            (None, Some(value)) => write!(f, " {value}"),
            _ => Ok(()),
        }
    }
}

/// What a wait that nobody signals does, as an operation.
const WAKES_UP: &str = "wakes up without a signal";

impl Trace {
    pub(crate) fn describe<M: MemoryModel>(run: &Run<'_, M>, schedule: &Schedule) -> Trace {
        let machine = &run.machine;
        let program = machine.program();
        let describer = Describer { machine, program, names: Names::new(program) };
        let (steps, shown, locations) = describer.steps();
        let deadlock = (run.violation.kind == ViolationKind::Deadlock)
            .then(|| describer.deadlock(run.violation.thread));
        let race = run.race.as_ref().map(|race| describer.race(race, &run.events, &shown));
        let heap = describer.names.heap_objects().iter().map(|object| object.allocated).collect();
        let mut violation = run.violation.clone();
        if let Some(race) = &race {
            violation.stack.clone_from(&race.accesses[0].stack);
        }
        Trace {
            heap,
            locations,
            violation,
            schedule: schedule.clone(),
            threads: describer.threads(),
            steps,
            deadlock,
            race,
        }
    }

    pub fn function_of(&self, thread: ThreadId) -> &str {
        let info = self.threads.iter().find(|info| info.id == thread);
        info.map_or("?", |info| &info.function)
    }

    /// Whether another thread than that of the step before takes step `index`.
    pub fn is_switch(&self, index: usize) -> bool {
        index > 0 && self.steps[index].thread != self.steps[index - 1].thread
    }
}

pub(crate) struct Describer<'m, 'p, M: MemoryModel> {
    pub machine: &'m Machine<'p, M>,
    pub program: &'p Program,
    pub names: Names<'p>,
}

impl<M: MemoryModel> Describer<'_, '_, M> {
    fn threads(&self) -> Vec<ThreadInfo> {
        (0..self.machine.thread_count() as u32)
            .map(ThreadId)
            .filter(|&id| *self.machine.status(id) != Status::Unborn)
            .map(|id| {
                let (function, _) = self.machine.thread_entry(id);
                let function = self.program.function(function).display_name().to_string();
                ThreadInfo { id, function }
            })
            .collect()
    }

    /// The steps, the index of the step of each record, and what steps touch.
    fn steps(&self) -> (Vec<Step>, Vec<Option<usize>>, Vec<Place>) {
        let mut steps: Vec<Step> = Vec::new();
        let mut shown = Vec::new();
        for record in self.machine.records() {
            let step = self.step(record);
            shown.push(step.is_some().then_some(steps.len()));
            steps.extend(step);
        }
        let records: Vec<_> = self.machine.records().iter().zip(shown.iter().copied()).collect();
        let name = |record: &Record, addr: u64, bytes: u32| match bytes {
            0 => self.mutex(addr, record.thread, record.place),
            bytes => self.named(record, addr, bytes).text,
        };
        let (contexts, places) = contexts(&records, &name);
        for (step, context) in steps.iter_mut().zip(contexts) {
            step.context = context;
        }
        (steps, shown, places)
    }

    fn step(&self, record: &Record) -> Option<Step> {
        if record.is_internal() {
            return None;
        }
        let operation = self.operation(record)?;
        let (thread, choice, span) = (record.thread, record.step, record.span);
        Some(Step { thread, choice, span, operation, context: Context::default() })
    }

    /// Whether a function asks if a wait ends without a signal.
    fn may_wake_up(&self, asked: FuncId) -> bool {
        let name = &self.program.function(asked).name;
        name.starts_with("__heddle_") && name.contains("spurious_")
    }

    /// What a function that asks for an input is called, if people know it.
    fn asked(&self, function: FuncId) -> Option<String> {
        let name = self.program.function(function).display_name();
        match name {
            "__heddle_start" => Some("the arguments of main".to_owned()),
            "__heddle_cycles" => Some("the processor's clock".to_owned()),
            _ if name.starts_with("__heddle_") => None,
            _ if name.contains('(') => Some(name.to_owned()),
            _ => Some(format!("{name}()")),
        }
    }

    fn operation(&self, record: &Record) -> Option<Operation> {
        let plain = |verb| Operation { verb, place: None, value: None, old: None };
        let at = |verb, place| Operation { place: Some(place), ..plain(verb) };
        let thread = record.thread;
        let mutex = |verb, addr| at(verb, self.mutex(addr, thread, record.place));
        Some(match &record.action {
            Action::Read { addr, bytes, value } => {
                self.access("read", record, *addr, *bytes, *value)
            }
            Action::Write { addr, bytes, value } => {
                self.access("write", record, *addr, *bytes, *value)
            }
            Action::Buffer { addr, bytes, value } => {
                self.access("buffered", record, *addr, *bytes, *value)
            }
            Action::Flush { addr, bytes, value } => {
                self.access("reaches memory", record, *addr, *bytes, *value)
            }
            Action::Rmw { addr, bytes, old, new } => {
                self.update("update", record, *addr, *bytes, *old, *new)
            }
            Action::CmpXchg { addr, bytes, old, new, ok: true } => {
                self.update("swap", record, *addr, *bytes, *old, *new)
            }
            Action::CmpXchg { addr, bytes, old, ok: false, .. } => {
                self.access("failed swap", record, *addr, *bytes, *old)
            }
            Action::Fence => plain("fence"),
            Action::Lock { addr } => mutex("lock", *addr),
            Action::TryLock { addr, ok: true } => mutex("trylock", *addr),
            Action::TryLock { addr, ok: false } => mutex("failed trylock", *addr),
            Action::Unlock { addr } => mutex("unlock", *addr),
            Action::MutexInit { addr } => mutex("init", *addr),
            Action::MutexDestroy { addr } => mutex("destroy", *addr),
            Action::Sync { verb, addr } => mutex(verb, *addr),
            Action::Create { child, .. } => {
                let (function, _) = self.machine.thread_entry(*child);
                let function = self.program.function(function).display_name();
                Operation { value: Some(function.to_string()), ..at("create", child.to_string()) }
            }
            Action::Join { target } => at("join", target.to_string()),
            Action::Exit => plain("end"),
            Action::Free { addr } | Action::Ends { addr, heap: true } => {
                at("free", self.pointer(*addr, thread))
            }
            Action::Gone { addr, heap: true } => at("freed", self.pointer(*addr, thread)),
            Action::Gone { addr, heap: false } => at("out of scope", self.pointer(*addr, thread)),
            Action::Input { value, asked: Some(asked), .. } if self.may_wake_up(*asked) => {
                // What nobody wakes up goes on to wait.
                return (*value != 0).then(|| plain(WAKES_UP));
            }
            Action::Input { value, width, signed, uninitialised, asked } => {
                let mut value = if *signed {
                    heddle_semantics::sign_extend(*value, *width).to_string()
                } else {
                    value.to_string()
                };
                if *uninitialised {
                    value.push_str(" (never written, any value)");
                }
                if let Some(asked) = asked.and_then(|function| self.asked(function)) {
                    value.push_str(&format!(" for {asked}"));
                }
                Operation { value: Some(value), ..plain("input") }
            }
            Action::Output { text } => {
                Operation { value: Some(format!("{text:?}")), ..plain("print") }
            }
            Action::Wait { addr, .. } => mutex("wait", *addr),
            Action::WaitInLoop => plain("wait"),
            Action::AtomicBegin => plain("atomic begin"),
            Action::AtomicEnd => plain("atomic end"),
            Action::AssumptionFailed
            | Action::Allocate { .. }
            | Action::EndOfScope { .. }
            | Action::Ends { heap: false, .. } => return None,
        })
    }

    fn access(
        &self,
        verb: &'static str,
        record: &Record,
        addr: u64,
        bytes: u32,
        value: Partial,
    ) -> Operation {
        let named = self.named(record, addr, bytes);
        let value = self.partial(&named, record.thread, value, bytes);
        Operation { verb, place: Some(named.text), value: Some(value), old: None }
    }

    fn update(
        &self,
        verb: &'static str,
        record: &Record,
        addr: u64,
        bytes: u32,
        old: Partial,
        new: Partial,
    ) -> Operation {
        let named = self.named(record, addr, bytes);
        let value = self.partial(&named, record.thread, new, bytes);
        let old = self.partial(&named, record.thread, old, bytes);
        Operation { verb, place: Some(named.text), value: Some(value), old: Some(old) }
    }

    pub fn named(&self, record: &Record, addr: u64, bytes: u32) -> Named {
        let place = record.place.map(|id| self.program.place(id));
        match self.machine.locate(addr) {
            Some(location) => self.names.name(&location, bytes, record.thread, place),
            None => Named { text: format!("{addr:#x}"), content: Content::Unknown },
        }
    }

    fn partial(&self, named: &Named, viewer: ThreadId, value: Partial, bytes: u32) -> String {
        match value.undefined {
            0 => self.value(named, viewer, value.bits, bytes),
            bits if bits == mask(u64::MAX, bytes * 8) => "(never written)".to_string(),
            _ => {
                let known = self.value(named, viewer, value.bits, bytes);
                format!("{known} (partly never written)")
            }
        }
    }

    pub fn value(&self, named: &Named, viewer: ThreadId, bits: u64, bytes: u32) -> String {
        if let Mention::Handle(thread) = self.machine.mentions(bits) {
            return thread.to_string();
        }
        show(self.program, &named.content, bits, bytes, &|addr| self.pointer(addr, viewer))
    }

    pub fn pointer(&self, addr: u64, viewer: ThreadId) -> String {
        match self.machine.locate(addr) {
            Some(location) => self.names.pointer(&location, viewer),
            None => format!("{addr:#x}"),
        }
    }

    pub fn mutex(&self, addr: u64, viewer: ThreadId, place: Option<PlaceId>) -> String {
        let place = place.map(|id| self.program.place(id));
        match self.machine.locate(addr) {
            Some(location) => self.names.name(&location, 1, viewer, place).text,
            None => format!("{addr:#x}"),
        }
    }
}
