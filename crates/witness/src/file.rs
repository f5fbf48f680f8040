//! Schedules on disk: versioned JSON, tied to the program they belong to.

use heddle_ir::{FuncId, Program, SourceFile, Span, print_program};
use heddle_memory::Model;
use heddle_semantics::{Failure, Schedule, ThreadId, Violation, ViolationKind};
use serde::{Deserialize, Serialize};

/// Raised when the meaning of a field changes.
pub const SCHEMA: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceFile {
    pub schema: u32,
    pub tool: String,
    pub program: ProgramRef,
    pub model: String,
    pub entry: String,
    /// See [`crate::Subject::max_steps`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u64>,
    /// See [`crate::Subject::unchecked`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchecked: Vec<ViolationKind>,
    pub violation: ViolationRef,
    pub schedule: Schedule,
}

/// Which program, and how to compile it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramRef {
    /// Of the printed IR; see [`hash`].
    pub hash: String,
    pub files: Vec<String>,
    pub flags: Vec<String>,
    #[serde(rename = "32")]
    pub ilp32: bool,
    /// What the program is started with, if somebody said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<String>,
    /// Waits for condition variables may end without a signal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wakeups: bool,
    /// Any allocation may fail.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub malloc_fails: bool,
    /// What calls of functions without body and model do, if they don't stop the search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_calls: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViolationRef {
    pub kind: ViolationKind,
    pub file: Option<String>,
    pub line: u32,
    pub column: u32,
    pub message: String,
    pub thread: ThreadId,
    /// Of a data race, where the access before stands, if it is one of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<PositionRef>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionRef {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    #[error("not a trace of heddle, or cut off: {0}")]
    Malformed(String),
    #[error("a trace of schema {0}; this version of heddle reads schema {SCHEMA}")]
    Schema(u64),
    #[error("the trace belongs to another program, or the program has changed since")]
    OtherProgram,
    #[error("the trace names the memory model {0:?}, which does not exist")]
    Model(String),
    #[error("the trace starts in {0:?}, which the program does not have")]
    Entry(String),
}

/// Identifies a program, wherever its files lie: FNV-1a over its printed form,
/// with the folders of its files left out.
pub fn hash(program: &Program) -> String {
    let mut program = program.clone();
    for file in &mut program.files {
        file.directory.clear();
        file.path = file.path.rsplit('/').next().unwrap_or_default().to_string();
    }
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in print_program(&program).bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("fnv1a64:{hash:016x}")
}

impl TraceFile {
    pub fn new(
        program: &Program,
        source: ProgramRef,
        entry: FuncId,
        model: Model,
        failure: &Failure,
    ) -> TraceFile {
        let Violation { kind, span, other, message, thread, .. } = &failure.violation;
        let file_of =
            |span: &Span| program.files.get(span.file as usize).filter(|_| span.is_known());
        let file = file_of(span);
        let (line, column) = (other.line, other.column);
        let position = |file: &SourceFile| PositionRef { file: file.path.clone(), line, column };
        TraceFile {
            schema: SCHEMA,
            tool: "heddle".to_string(),
            program: source,
            model: model.to_string(),
            entry: program.function(entry).name.clone(),
            max_steps: None,
            unchecked: Vec::new(),
            violation: ViolationRef {
                kind: *kind,
                file: file.map(|file| file.path.clone()),
                line: span.line,
                column: span.column,
                message: message.clone(),
                thread: *thread,
                other: file_of(other).map(position),
            },
            schedule: failure.schedule.clone(),
        }
    }

    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("no map with keys that fail");
        text.push('\n');
        text
    }

    pub fn from_json(text: &str) -> Result<TraceFile, TraceError> {
        let malformed = |error: serde_json::Error| TraceError::Malformed(error.to_string());
        let value: serde_json::Value = serde_json::from_str(text).map_err(malformed)?;
        if value.get("tool").and_then(|tool| tool.as_str()) != Some("heddle") {
            return Err(TraceError::Malformed("it does not name heddle as its tool".to_string()));
        }
        match value.get("schema").and_then(|schema| schema.as_u64()) {
            Some(schema) if schema == u64::from(SCHEMA) => {}
            Some(schema) => return Err(TraceError::Schema(schema)),
            None => return Err(TraceError::Malformed("it has no schema".to_string())),
        }
        serde_json::from_value(value).map_err(malformed)
    }

    /// What is needed to replay it on `program`, if it is the right one.
    pub fn resolve(&self, program: &Program) -> Result<(FuncId, Model, Failure), TraceError> {
        if hash(program) != self.program.hash {
            return Err(TraceError::OtherProgram);
        }
        let model = self.model.parse().map_err(|_| TraceError::Model(self.model.clone()))?;
        let entry = program
            .find_function(&self.entry)
            .ok_or_else(|| TraceError::Entry(self.entry.clone()))?;
        let recorded = &self.violation;
        let file = find_file(program, recorded.file.as_deref());
        let span = Span { file, line: recorded.line, column: recorded.column };
        let other = recorded.other.as_ref().map_or(Span::UNKNOWN, |at| {
            let file = find_file(program, Some(&at.file));
            Span { file, line: at.line, column: at.column }
        });
        let violation = Violation {
            kind: recorded.kind,
            thread: recorded.thread,
            span,
            other,
            message: recorded.message.clone(),
            stack: Vec::new(),
        };
        Ok((entry, model, Failure { violation, schedule: self.schedule.clone() }))
    }
}

/// The same path, else the same name in a folder that was spelled differently.
fn find_file(program: &Program, recorded: Option<&str>) -> u32 {
    fn name(path: &str) -> Option<&str> {
        path.rsplit('/').next()
    }
    let Some(recorded) = recorded else { return 0 };
    let mut files = program.files.iter();
    let exact = files.position(|file| file.path == recorded);
    let similar = || program.files.iter().position(|file| name(&file.path) == name(recorded));
    exact.or_else(similar).unwrap_or(0) as u32
}
