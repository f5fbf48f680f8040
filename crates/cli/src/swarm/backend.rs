//! Instances for other tools: each is written as C, and the tool says what it thinks of it.
//!
//! A violation counts if it can be found and replayed here too; what a tool says of an
//! instance without one is believed, and the verdict says so.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use heddle_encode::{self as encode, Emission, Fixed, Sequentialization, emit};
use heddle_ir::{FuncId, Program};
use heddle_memory::Model;
use heddle_semantics::{Bounds, ViolationKind};
use heddle_swarm::{Answer, Task, Why};

use crate::error::CliError;
use crate::swarm::found::trace_of;
use crate::swarm::subject::{BackendCommand, Subject};
use crate::swarm::worker::restriction;

const POLL: Duration = Duration::from_millis(5);
/// What stands for the file in the command.
const FILE: &str = "{file}";
/// Exit codes from there on are crashes and commands that do not exist.
const CRASHES: i32 = 126;

pub struct Backend {
    command: BackendCommand,
    dialect: encode::Backend,
    folder: tempfile::TempDir,
}

impl BackendCommand {
    /// From the flags. The name of the tool says which functions it knows.
    pub fn parse(
        text: &str,
        pattern: Option<String>,
        dialect: Option<encode::Backend>,
    ) -> Result<BackendCommand, CliError> {
        let words = shlex::split(text).filter(|words| !words.is_empty());
        let words =
            words.ok_or_else(|| CliError::new(format!("--backend: not a command: {text:?}")))?;
        if !words.iter().any(|word| word.contains(FILE)) {
            return Err(CliError::new(format!("--backend: {FILE} is missing in {text:?}")));
        }
        let name = words[0].rsplit('/').next().unwrap_or_default();
        let known = encode::Backend::ALL.iter().find(|known| known.name() == name);
        let dialect = dialect.or(known.copied()).unwrap_or(encode::Backend::Svcomp);
        // These have a code of their own for violations, and others for errors.
        let ten = matches!(name, "cbmc" | "esbmc" | "heddle").then(|| "10".to_string());
        let pattern = pattern.or(ten);
        Ok(BackendCommand { words, pattern, dialect: dialect.name().to_string() })
    }
}

/// What the tool said.
enum Said {
    Unsafe,
    Clear,
    Late,
    Failed(String),
}

impl Backend {
    pub fn new(command: &BackendCommand) -> Result<Backend, CliError> {
        let known = encode::Backend::ALL.iter().find(|known| known.name() == command.dialect);
        let dialect = *known.ok_or_else(|| CliError::new("an unknown tool"))?;
        let folder = tempfile::Builder::new().prefix("heddle-").tempdir();
        let folder = folder.map_err(|error| CliError::new(format!("a folder: {error}")))?;
        Ok(Backend { command: command.clone(), dialect, folder })
    }

    pub fn decide(
        &self,
        (program, entry, model): (&Program, FuncId, Model),
        (subject, options): (&Subject, &encode::Options),
        task: &Task,
    ) -> Answer {
        let mut ignored = options.ignored.clone();
        ignored.push(ViolationKind::Deadlock);
        let emission = Emission {
            sequentialization: Sequentialization::Lazy,
            backend: self.dialect,
            model,
            unwind: task.depth.unwind,
            bound: task.depth.rounds,
            ignored,
        };
        let mut whole = None;
        let emitted = emit(
            program,
            entry,
            &emission,
            &mut |_| vec![restriction(&task.restriction)],
            &mut |_, emitted| whole = Some(emitted),
        );
        let emitted = match (emitted, whole) {
            (Ok(()), Some(emitted)) => emitted,
            (Err(error), _) => return Answer::Wrong(error.to_string()),
            (Ok(()), None) => return Answer::Wrong("nothing was emitted".to_string()),
        };
        let path = self.folder.path().join("instance.c");
        if let Err(error) = std::fs::write(&path, &emitted.text) {
            return Answer::Wrong(format!("{}: {error}", path.display()));
        }
        let depth = task.depth;
        match self.run(&path.to_string_lossy(), task.seconds) {
            Said::Unsafe => self.find_again((program, entry, model), (subject, options), task),
            Said::Late => Answer::Undecided(Why::Time),
            Said::Failed(why) => Answer::Wrong(why),
            Said::Clear => {
                let (unwind, rounds) = (Some(depth.unwind), Some(depth.rounds));
                let bounds = Box::new(Bounds { unwind, rounds, ..Bounds::default() });
                let unsupported =
                    emitted.left_out.first().map(|what| format!("unsupported: {what}"));
                Answer::Clear { bounds, unsupported, complete: true }
            }
        }
    }

    /// The schedule of what the tool has found: no alarm without a replay.
    fn find_again(
        &self,
        (program, entry, model): (&Program, FuncId, Model),
        (subject, options): (&Subject, &encode::Options),
        task: &Task,
    ) -> Answer {
        let fixed = Fixed { unwind: task.depth.unwind, rounds: task.depth.rounds };
        let asked = encode::with_instances(program, entry, model, (options, fixed), |instances| {
            instances.ask(&restriction(&task.restriction), None)
        });
        let name = &self.command.words[0];
        match asked {
            Ok(encode::Answer::Unsafe(failure)) => {
                Answer::Unsafe(trace_of(subject, (program, entry, model), &failure))
            }
            Ok(encode::Answer::Clear { .. }) => Answer::Wrong(format!(
                "{name} tells of a violation in instance {}, in which there is none",
                task.id
            )),
            Ok(encode::Answer::Wrong(what)) => Answer::Wrong(what),
            Ok(encode::Answer::Undecided(_)) | Err(_) => Answer::Wrong(format!(
                "{name} tells of a violation in instance {}, which was not found again",
                task.id
            )),
        }
    }

    fn run(&self, file: &str, seconds: f64) -> Said {
        let words: Vec<String> =
            self.command.words.iter().map(|word| word.replace(FILE, file)).collect();
        let failed = |error: &dyn std::fmt::Display| Said::Failed(format!("{}: {error}", words[0]));
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = match command.stderr(Stdio::null()).spawn() {
            Ok(child) => child,
            Err(error) => return failed(&error),
        };
        let pipe = child.stdout.take();
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let begun = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if begun.elapsed().as_secs_f64() > seconds => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Said::Late;
                }
                Ok(None) => std::thread::sleep(POLL),
                Err(error) => return failed(&error),
            }
        };
        let text = reader.join().unwrap_or_default();
        let pattern = self.command.pattern.as_deref();
        let wanted = pattern.and_then(|pattern| pattern.parse::<i32>().ok());
        let matches = match (pattern, wanted) {
            (_, Some(_)) => status.code() == wanted,
            (Some(pattern), None) => text.contains(pattern),
            (None, None) => status.code().is_some_and(|code| code != 0 && code < CRASHES),
        };
        match status.code() {
            _ if matches => Said::Unsafe,
            Some(0) => Said::Clear,
            Some(code) => failed(&format!("exit code {code}")),
            None => failed(&"was ended by a signal"),
        }
    }
}
