//! What a worker needs to know: the program and what to look for, in a file of the swarm's
//! folder.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use heddle_encode as encode;
use heddle_frontend as frontend;
use heddle_ir::{FuncId, Program};
use heddle_memory::Model;
use heddle_semantics::ViolationKind;
use heddle_swarm::{Options, Sample};
use heddle_witness::file::hash;
use serde::{Deserialize, Serialize};

use crate::args::Property;
use crate::check::find_entry;
use crate::compile::recompile;
use crate::error::CliError;
use crate::settings::{Check, arguments, arguments_text};
use crate::swarm::args::Decider;
use crate::swarm::explorer;
use crate::unknown_calls::{unknown_calls, unknown_calls_text};
use crate::whole_file;

const NAME: &str = "swarm.json";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Subject {
    /// Of the printed program.
    pub hash: String,
    /// Paths are as seen from here.
    pub folder: PathBuf,
    pub inputs: Vec<PathBuf>,
    pub standard_input: Option<String>,
    pub flags: Vec<String>,
    pub ilp32: bool,
    pub args: Option<String>,
    pub wakeups: bool,
    pub signals_only: bool,
    pub malloc_fails: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_calls: Option<String>,
    pub entry: String,
    pub model: String,
    pub check: Vec<String>,
    pub unwind: Option<u32>,
    pub rounds: Option<u32>,
    pub bits: Option<u32>,
    pub search: Search,
    #[serde(default)]
    pub engine: Decider,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<BackendCommand>,
}

/// How instances are chosen.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Search {
    pub sample: Option<Sample>,
    pub seed: u64,
    pub seconds: f64,
    pub split: bool,
    pub keep_going: bool,
}

/// Another tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BackendCommand {
    pub words: Vec<String>,
    /// What it prints when it has found a violation.
    pub pattern: Option<String>,
    /// Whose functions the C calls.
    pub dialect: String,
}

impl Subject {
    pub fn read(folder: &Path) -> Result<Subject, CliError> {
        let path = folder.join(NAME);
        let about =
            |error: &dyn std::fmt::Display| CliError::new(format!("{}: {error}", path.display()));
        let text = std::fs::read_to_string(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => about(&"no swarm is there"),
            _ => about(&error),
        })?;
        serde_json::from_str(&text).map_err(|error| about(&error))
    }

    pub fn write(&self, folder: &Path) -> Result<(), CliError> {
        let path = folder.join(NAME);
        let text = serde_json::to_string_pretty(self).expect("plain data");
        whole_file::write(&path, text.as_bytes())
            .map_err(|error| CliError::new(format!("cannot write {}: {error}", path.display())))
    }

    /// How the program was compiled.
    pub fn compiler(&self) -> Result<frontend::Options, CliError> {
        Ok(frontend::Options {
            inputs: self.inputs.clone(),
            standard_input: self.standard_input.as_deref().map(Into::into),
            flags: self.flags.clone(),
            ilp32: self.ilp32,
            arguments: self.args.as_deref().map_or(Ok(Default::default()), arguments)?,
            wakeups: self.wakeups,
            allocations_fail: self.malloc_fails,
            unknown_calls: unknown_calls(self.unknown_calls.as_deref())?,
            ..Default::default()
        })
    }

    /// The program again, if it is still the same.
    pub fn compile(&self, options: &frontend::Options) -> Result<(Program, FuncId), CliError> {
        let mut program = recompile(options)?;
        program.signals_only = self.signals_only;
        if hash(&program) != self.hash {
            return Err(CliError::new("the program has changed since the swarm was begun"));
        }
        let entry = find_entry(&program, &self.entry)?;
        Ok((program, entry))
    }

    pub fn model(&self) -> Result<Model, CliError> {
        let unknown = || CliError::new(format!("{} is no memory model", self.model));
        self.model.parse().map_err(|_| unknown())
    }

    pub fn properties(&self) -> Result<Vec<Property>, CliError> {
        let find = |name: &String| {
            Property::from_str(name, false)
                .map_err(|_| CliError::new(format!("{name} is no property")))
        };
        self.check.iter().map(find).collect()
    }

    /// How instances are decided.
    pub fn engine(&self, memory_limit: Option<u64>) -> Result<encode::Options, CliError> {
        let properties = self.properties()?;
        let counts = |kind: ViolationKind| properties.iter().any(|it| it.covers(kind));
        let kinds = ViolationKind::ALL.iter().copied();
        let ignored = kinds.filter(|&kind| !counts(kind)).collect();
        Ok(encode::Options { bits: self.bits, memory_limit, ignored, ..Default::default() })
    }

    pub fn new(
        settings: &Check,
        program: &Program,
        (search, engine): (Search, Decider),
    ) -> Result<Subject, CliError> {
        let options = &settings.program;
        let folder = std::env::current_dir()
            .map_err(|error| CliError::new(format!("the current folder: {error}")))?;
        Ok(Subject {
            hash: hash(program),
            folder,
            inputs: options.inputs.clone(),
            standard_input: options.standard_input.as_ref().map(ToString::to_string),
            flags: options.flags.clone(),
            ilp32: options.ilp32,
            args: arguments_text(&options.arguments),
            wakeups: options.wakeups,
            signals_only: program.signals_only,
            malloc_fails: options.allocations_fail,
            unknown_calls: unknown_calls_text(options.unknown_calls),
            entry: settings.entry.clone(),
            model: settings.model.to_string(),
            check: settings.properties.iter().map(|it| it.name().to_string()).collect(),
            unwind: settings.unwind,
            rounds: settings.bound,
            bits: settings.bits,
            search,
            engine,
            backend: None,
        })
    }

    /// What a journal has to agree with, by the flags that say so.
    pub fn parameters(&self) -> serde_json::Map<String, serde_json::Value> {
        let Search { sample, seed, seconds, split, keep_going } = &self.search;
        let stores = sample.as_ref().and_then(|sample| sample.stores);
        let all = serde_json::json!({
            "--mm": self.model,
            "--entry": self.entry,
            "--check": self.check.join(","),
            "--unwind": self.unwind,
            "--rounds": self.rounds,
            "--bits": self.bits,
            "--engine": (self.engine != Decider::default()).then_some(self.engine),
            "--tiling": sample.as_ref().map(|sample| &sample.tiling),
            "--tile-size": sample.as_ref().map(|sample| sample.size),
            "--tiles": sample.as_ref().map(|sample| sample.tiles),
            "--store-tiles": stores.map(|(_, tiles)| tiles),
            "--store-tile-size": stores.map(|(size, _)| size),
            "--instances": sample.as_ref().and_then(|sample| sample.most),
            "--seed": seed,
            "--instance-timeout": seconds,
            "--no-split": !split,
            "--keep-going": keep_going,
            "--backend": self.backend.as_ref().map(|backend| backend.words.join(" ")),
            "--backend-unsafe": self.backend.as_ref().and_then(|it| it.pattern.clone()),
        });
        match all {
            serde_json::Value::Object(map) => {
                map.into_iter().filter(|(_, value)| !value.is_null()).collect()
            }
            _ => unreachable!("an object"),
        }
    }

    pub fn options(&self) -> Options {
        let Search { sample, seed, seconds, split, keep_going } = self.search.clone();
        let method = encode::Method::Lazy;
        let tiles = sample.as_ref().map(|sample| sample.tiles);
        let rounds = self.rounds.or(tiles).unwrap_or(method.first_bound());
        let first = heddle_swarm::Depth { unwind: self.unwind.unwrap_or(1), rounds };
        let first = match self.engine {
            Decider::Lazy => first,
            Decider::Stateful => explorer::DEPTH,
        };
        Options { sample, seed, first, seconds, split, keep_going }
    }
}
