//! The journal of a swarm: what was asked and what was answered, a line of JSON each, with a
//! checksum, on the disk before anybody acts on it.
//!
//! Lines are only added. Whoever dies in the middle of one leaves a torn end, which is cut
//! off when the journal is opened again; anything else that is wrong is damage, and refused.
//! The file is locked while somebody adds to it. No time of day is in it, and none is needed.

mod line;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use heddle_semantics::Bounds;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::plan::Plan;
use crate::task::Why;
use crate::threads::Span;

/// Raised when the meaning of a field changes.
pub const SCHEMA: u32 = 1;
const NAME: &str = "journal.jsonl";

/// The first line: which program it is about, and with which parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    pub schema: u32,
    pub program: String,
    /// Each by the flag that sets it.
    pub parameters: serde_json::Map<String, Value>,
}

/// A line after the first one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Record {
    /// From now on instances of this plan are asked.
    Plan(Plan),
    Done(Done),
    /// Jobs of a cluster that were started.
    Jobs(String),
}

/// An instance that was answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Done {
    pub id: String,
    pub seconds: f64,
    /// Of the processor, if a worker has told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<f64>,
    pub bytes: u64,
    /// Workers that died on it before.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u32,
    #[serde(flatten)]
    pub outcome: Outcome,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Unsafe(Value),
    Clear {
        #[serde(default, skip_serializing_if = "Bounds::is_empty")]
        bounds: Bounds,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unsupported: Option<String>,
        complete: bool,
    },
    Undecided {
        why: Why,
        /// It goes on with two halves: thread and points.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        split: Option<(usize, Span)>,
    },
    Wrong(String),
}

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("{path}: {error}")]
    Io { path: String, error: std::io::Error },
    #[error("{path}: no journal is there")]
    None { path: String },
    #[error("{path}: another heddle is at work on it")]
    Locked { path: String },
    #[error("{path}: line {line} is damaged")]
    Damaged { path: String, line: usize },
    #[error("{path}: a journal of schema {found}; this version of heddle reads {SCHEMA}")]
    Schema { path: String, found: u32 },
    #[error("{path}: the journal is of another program, or the program has changed since")]
    OtherProgram { path: String },
    #[error("{path}: the journal was begun with {name} {theirs}, not {ours}")]
    OtherParameter { path: String, name: String, theirs: String, ours: String },
}

#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// How far it is known to be whole.
    end: u64,
    /// Lines that were not written yet.
    waiting: String,
}

impl Journal {
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(NAME)
    }

    pub fn exists(folder: &Path) -> bool {
        // One of which not even the first line was written says nothing.
        read(&Journal::path(folder)).is_ok_and(|(header, ..)| header.is_some())
    }

    /// Opens the journal of a folder, or begins one, for this program and these parameters.
    pub fn open(folder: &Path, ours: &Header) -> Result<(Journal, Vec<Record>), JournalError> {
        let path = Journal::path(folder);
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|error| io(&path, error))?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => JournalError::Locked { path: shown(&path) },
            TryLockError::Error(error) => io(&path, error),
        })?;
        let (header, records, end) = read(&path)?;
        let mut journal = Journal { file, path, end, waiting: String::new() };
        journal.cut()?;
        match header {
            Some(theirs) => journal.compare(&theirs, ours)?,
            None => {
                journal.waiting.push_str(&line::seal(ours));
                journal.commit()?;
                // The name of the file has to be on the disk too.
                File::open(folder).and_then(|it| it.sync_all()).map_err(|e| io(folder, e))?;
            }
        }
        Ok((journal, records))
    }

    /// What a journal says, for whoever does not add to it.
    pub fn read(folder: &Path) -> Result<(Header, Vec<Record>), JournalError> {
        let path = Journal::path(folder);
        if !path.exists() {
            return Err(JournalError::None { path: shown(&path) });
        }
        let (header, records, _) = read(&path)?;
        let header = header.ok_or(JournalError::None { path: shown(&path) })?;
        Ok((header, records))
    }

    fn compare(&self, theirs: &Header, ours: &Header) -> Result<(), JournalError> {
        let path = shown(&self.path);
        if theirs.program != ours.program {
            return Err(JournalError::OtherProgram { path });
        }
        let names = ours.parameters.keys().chain(theirs.parameters.keys());
        for name in names {
            let [here, there] =
                [ours, theirs].map(|header| header.parameters.get(name).unwrap_or(&Value::Null));
            if here != there {
                let (name, theirs, ours) = (name.clone(), told(there), told(here));
                return Err(JournalError::OtherParameter { path, name, theirs, ours });
            }
        }
        Ok(())
    }

    /// Notes a line, which is written with the next [`Journal::commit`].
    pub fn add(&mut self, record: &Record) {
        self.waiting.push_str(&line::seal(record));
    }

    /// What was noted is on the disk when this returns. If that fails, nothing of it is
    /// there.
    pub fn commit(&mut self) -> Result<(), JournalError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let text = std::mem::take(&mut self.waiting);
        let written = self
            .file
            .seek(SeekFrom::Start(self.end))
            .and_then(|_| self.file.write_all(text.as_bytes()))
            .and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // A disk that is full still has room for less.
            let _ = self.cut();
            return Err(io(&self.path, error));
        }
        self.end += text.len() as u64;
        Ok(())
    }

    fn cut(&mut self) -> Result<(), JournalError> {
        let length = self.file.metadata().map_err(|error| io(&self.path, error))?.len();
        if length > self.end {
            self.file.set_len(self.end).map_err(|error| io(&self.path, error))?;
        }
        Ok(())
    }
}

fn told(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_string(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn io(path: &Path, error: std::io::Error) -> JournalError {
    JournalError::Io { path: shown(path), error }
}

type Contents = (Option<Header>, Vec<Record>, u64);

/// The lines of a journal, and how far they go; what is torn at the end is left out.
fn read(path: &Path) -> Result<Contents, JournalError> {
    let mut bytes = Vec::new();
    let file = File::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
    file.map_err(|error| io(path, error))?;
    let mut header = None;
    let mut records = Vec::new();
    let mut end = 0;
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let count = lines.clone().count();
    for (number, line) in lines.enumerate() {
        let damaged = || JournalError::Damaged { path: shown(path), line: number + 1 };
        let Some(text) = line::open(line) else {
            if number + 1 == count {
                break;
            }
            return Err(damaged());
        };
        if number == 0 {
            header = Some(parse_header(path, &text)?);
        } else {
            records.push(serde_json::from_str(&text).map_err(|_| damaged())?);
        }
        end += line.len() as u64;
    }
    Ok((header, records, end))
}

fn parse_header(path: &Path, text: &str) -> Result<Header, JournalError> {
    let damaged = || JournalError::Damaged { path: shown(path), line: 1 };
    let value: Value = serde_json::from_str(text).map_err(|_| damaged())?;
    let found = value.get("schema").and_then(Value::as_u64).ok_or_else(damaged)? as u32;
    if found != SCHEMA {
        return Err(JournalError::Schema { path: shown(path), found });
    }
    serde_json::from_value(value).map_err(|_| damaged())
}
