//! A trace for machines.

use heddle_ir::{Program, Span};
use heddle_semantics::StackEntry;
use serde::Serialize;

use crate::deadlock::{DeadlockReport, Holder, Waiting};
use crate::explain::{Explanation, explain};
use crate::race::{Creation, LockInfo, RaceAccess, RaceReport};
use crate::trace::Trace;

/// One element of the array `trace`.
#[derive(Debug, Serialize)]
pub struct JsonStep<'a> {
    thread: u32,
    function: &'a str,
    #[serde(flatten)]
    position: Option<JsonPosition<'a>>,
    operation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<&'a str>,
    /// Another thread took the step before.
    switch: bool,
}

/// The object `violation`.
#[derive(Debug, Serialize)]
pub struct JsonViolation<'a> {
    kind: &'static str,
    #[serde(flatten)]
    position: Option<JsonPosition<'a>>,
    message: &'a str,
    thread: u32,
    stack: Vec<JsonCall<'a>>,
    /// For a data race.
    #[serde(skip_serializing_if = "Option::is_none")]
    race: Option<JsonRace<'a>>,
    /// For a deadlock.
    #[serde(skip_serializing_if = "Option::is_none")]
    deadlock: Option<JsonDeadlock<'a>>,
    explanation: Explanation,
}

#[derive(Debug, Serialize)]
struct JsonRace<'a> {
    place: &'a str,
    /// The later access, and the one before it.
    accesses: Vec<JsonAccess<'a>>,
    object: JsonObject<'a>,
    /// Where the two threads were created.
    threads: Vec<JsonCreation<'a>>,
}

#[derive(Debug, Serialize)]
struct JsonAccess<'a> {
    thread: u32,
    kind: &'static str,
    bytes: u32,
    place: &'a str,
    /// The memory order; null for an access that is not atomic.
    atomic: Option<&'static str>,
    stack: Vec<JsonCall<'a>>,
    locks: Vec<JsonLock<'a>>,
}

#[derive(Debug, Serialize)]
struct JsonLock<'a> {
    name: &'a str,
    how: &'static str,
    #[serde(flatten)]
    position: Option<JsonPosition<'a>>,
}

#[derive(Debug, Serialize)]
struct JsonObject<'a> {
    kind: &'static str,
    name: Option<&'a str>,
    bytes: u64,
    thread: Option<u32>,
    function: Option<&'a str>,
    #[serde(flatten)]
    position: Option<JsonPosition<'a>>,
    /// Where a heap block was allocated.
    stack: Vec<JsonCall<'a>>,
}

#[derive(Debug, Serialize)]
struct JsonCreation<'a> {
    thread: u32,
    function: &'a str,
    parent: u32,
    stack: Vec<JsonCall<'a>>,
}

#[derive(Debug, Serialize)]
struct JsonDeadlock<'a> {
    cause: &'static str,
    /// Threads that wait for each other, or the one that nobody can help.
    root: Vec<u32>,
    waiting: Vec<JsonWaiting<'a>>,
    /// Other threads could still move.
    partial: bool,
}

#[derive(Debug, Serialize)]
struct JsonWaiting<'a> {
    thread: u32,
    function: &'a str,
    #[serde(flatten)]
    position: Option<JsonPosition<'a>>,
    kind: &'static str,
    object: Option<&'a str>,
    what: &'a str,
    holders: Vec<JsonHolder<'a>>,
}

#[derive(Debug, Serialize)]
struct JsonHolder<'a> {
    thread: u32,
    how: &'static str,
    #[serde(flatten)]
    position: Option<JsonPosition<'a>>,
    ended: bool,
}

#[derive(Debug, Serialize)]
struct JsonCall<'a> {
    function: &'a str,
    #[serde(flatten)]
    position: Option<JsonPosition<'a>>,
}

#[derive(Clone, Debug, Serialize)]
struct JsonPosition<'a> {
    file: &'a str,
    line: u32,
    column: u32,
}

pub fn steps<'a>(program: &'a Program, trace: &'a Trace) -> Vec<JsonStep<'a>> {
    let step = |(index, step): (usize, &'a crate::Step)| JsonStep {
        thread: step.thread.0,
        function: trace.function_of(step.thread),
        position: position(program, step.span),
        operation: step.operation.verb,
        place: step.operation.place.as_deref(),
        value: step.operation.value.as_deref(),
        old: step.operation.old.as_deref(),
        switch: trace.is_switch(index),
    };
    trace.steps.iter().enumerate().map(step).collect()
}

pub fn violation<'a>(program: &'a Program, trace: &'a Trace) -> JsonViolation<'a> {
    let violation = &trace.violation;
    JsonViolation {
        kind: violation.kind.name(),
        position: position(program, violation.span),
        message: &violation.message,
        thread: violation.thread.0,
        stack: calls(program, &violation.stack),
        race: trace.race.as_ref().map(|report| race(program, trace, report)),
        deadlock: trace.deadlock.as_ref().map(|report| deadlock(program, trace, report)),
        explanation: explain(program, trace),
    }
}

fn calls<'a>(program: &'a Program, stack: &'a [StackEntry]) -> Vec<JsonCall<'a>> {
    let call = |entry: &StackEntry| JsonCall {
        function: program.function(entry.function).display_name(),
        position: position(program, entry.span),
    };
    stack.iter().map(call).collect()
}

fn race<'a>(program: &'a Program, trace: &'a Trace, report: &'a RaceReport) -> JsonRace<'a> {
    let lock = |lock: &'a LockInfo| JsonLock {
        name: &lock.name,
        how: lock.how,
        position: position(program, lock.span),
    };
    let access = |access: &'a RaceAccess| JsonAccess {
        thread: access.thread.0,
        kind: access.kind,
        bytes: access.bytes,
        place: &access.place,
        atomic: access.order,
        stack: calls(program, &access.stack),
        locks: access.locks.iter().map(lock).collect(),
    };
    let creation = |creation: &'a Creation| JsonCreation {
        thread: creation.thread.0,
        function: trace.function_of(creation.thread),
        parent: creation.parent.0,
        stack: calls(program, &creation.stack),
    };
    let object = &report.object;
    JsonRace {
        place: &report.place,
        accesses: report.accesses.iter().map(access).collect(),
        object: JsonObject {
            kind: object.kind,
            name: object.name.as_deref(),
            bytes: object.bytes,
            thread: object.thread.map(|thread| thread.0),
            function: object.function.as_deref(),
            position: position(program, object.span),
            stack: calls(program, &object.stack),
        },
        threads: report.creations.iter().map(creation).collect(),
    }
}

fn deadlock<'a>(
    program: &'a Program,
    trace: &'a Trace,
    report: &'a DeadlockReport,
) -> JsonDeadlock<'a> {
    let holder = |holder: &Holder| JsonHolder {
        thread: holder.thread.0,
        how: holder.how,
        position: position(program, holder.span),
        ended: holder.ended,
    };
    let waiting = |waiting: &'a Waiting| JsonWaiting {
        thread: waiting.thread.0,
        function: trace.function_of(waiting.thread),
        position: position(program, waiting.span),
        kind: waiting.kind,
        object: waiting.object.as_deref(),
        what: &waiting.what,
        holders: waiting.holders.iter().map(holder).collect(),
    };
    JsonDeadlock {
        cause: report.cause,
        root: report.root.iter().map(|thread| thread.0).collect(),
        waiting: report.waiting.iter().map(waiting).collect(),
        partial: report.partial,
    }
}

fn position(program: &Program, span: Span) -> Option<JsonPosition<'_>> {
    let file = program.files.get(span.file as usize).filter(|_| span.is_known())?;
    Some(JsonPosition { file: &file.path, line: span.line, column: span.column })
}
