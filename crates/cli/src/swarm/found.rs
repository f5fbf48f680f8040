//! A violation on its way from a worker to the report.

use heddle_ir::{FuncId, Program};
use heddle_memory::Model;
use heddle_semantics::Failure;
use heddle_witness::file::{ProgramRef, TraceFile};
use serde_json::Value;

use crate::error::CliError;
use crate::swarm::subject::Subject;

/// The trace file of a violation, which can be replayed whoever finds it.
pub fn trace_of(
    subject: &Subject,
    (program, entry, model): (&Program, FuncId, Model),
    failure: &Failure,
) -> Value {
    let source = ProgramRef {
        hash: subject.hash.clone(),
        files: subject.inputs.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
        flags: subject.flags.clone(),
        ilp32: subject.ilp32,
        args: subject.args.clone(),
        wakeups: subject.wakeups,
        malloc_fails: subject.malloc_fails,
        unknown_calls: subject.unknown_calls.clone(),
    };
    let file = TraceFile::new(program, source, entry, model, failure);
    serde_json::to_value(&file).expect("plain data")
}

/// The violation of a trace.
pub fn failure_of(program: &Program, trace: &Value) -> Result<Failure, CliError> {
    let file = TraceFile::from_json(&trace.to_string());
    let (_, _, failure) = file
        .and_then(|file| file.resolve(program))
        .map_err(|error| CliError::new(format!("a worker's violation: {error}")))?;
    Ok(failure)
}
