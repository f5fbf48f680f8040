//! A trace for machines.

use heddle_ir::{Program, Span};
use heddle_semantics::Violation;
use serde::Serialize;

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

pub fn violation<'a>(program: &'a Program, violation: &'a Violation) -> JsonViolation<'a> {
    let call = |entry: &heddle_semantics::StackEntry| JsonCall {
        function: program.function(entry.function).display_name(),
        position: position(program, entry.span),
    };
    JsonViolation {
        kind: violation.kind.name(),
        position: position(program, violation.span),
        message: &violation.message,
        thread: violation.thread.0,
        stack: violation.stack.iter().map(call).collect(),
    }
}

fn position(program: &Program, span: Span) -> Option<JsonPosition<'_>> {
    let file = program.files.get(span.file as usize).filter(|_| span.is_known())?;
    Some(JsonPosition { file: &file.path, line: span.line, column: span.column })
}
