//! `heddle worker`: decides instances, one after another, with one formula and one solver.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use heddle_encode::{self as encode, Fixed, Instances, Restriction, Stop, UnfoldError};
use heddle_ir::{FuncId, Program};
use heddle_memory::Model;
use heddle_runtime::end_process;
use heddle_semantics::Failure;
use heddle_swarm::worker::{Tasks, answer};
use heddle_swarm::{Answer, Reply, Task, Why};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::engines::panicked;
use crate::error::CliError;
use crate::swarm::args::{Decider, WorkerArgs};
use crate::swarm::backend::Backend;
use crate::swarm::explorer::Explorer;
use crate::swarm::found::trace_of;
use crate::swarm::subject::Subject;
use crate::swarm::usage::usage;

/// How much more address space than memory a worker may take.
const SPACE: u64 = 4;

pub fn run(args: &WorkerArgs) -> Result<ExitCode, CliError> {
    if let Some(bytes) = args.memory {
        let most = Some(bytes.saturating_mul(SPACE));
        let maximum = getrlimit(Resource::As).maximum;
        // If it can't be set, the worker still looks at its memory itself.
        let _ = setrlimit(Resource::As, Rlimit { current: most, maximum });
    }
    let (tasks, mut output): (Tasks, Box<dyn Write>) = match &args.batch {
        None => (Tasks::from_input(|| end_process(0)), Box::new(std::io::stdout())),
        Some(batch) => open_batch(batch)?,
    };
    match Job::new(args) {
        Ok(job) => job.serve(tasks, output.as_mut())?,
        Err(error) => refuse(tasks, output.as_mut(), &error)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Tasks of a batch that were not answered yet, and where answers go.
fn open_batch(batch: &Path) -> Result<(Tasks, Box<dyn Write>), CliError> {
    let about = |error: std::io::Error| CliError::new(format!("{}: {error}", batch.display()));
    let text = std::fs::read_to_string(batch).map_err(about)?;
    let answers = batch.with_extension("out");
    let known: Vec<String> = match std::fs::File::open(&answers) {
        Ok(file) => {
            let lines = BufReader::new(file).lines().map_while(Result::ok);
            let replies = lines.filter_map(|line| serde_json::from_str::<Reply>(&line).ok());
            replies.map(|reply| reply.id).collect()
        }
        Err(_) => Vec::new(),
    };
    let tasks = text.lines().filter_map(|line| serde_json::from_str::<Task>(line).ok());
    let tasks = tasks.filter(|task| !known.contains(&task.id)).collect();
    let mut output = OpenOptions::new().append(true).create(true).open(answers).map_err(about)?;
    // The end may be torn, if this job was ended before.
    output.write_all(b"\n").map_err(about)?;
    Ok((Tasks::from_list(tasks), Box::new(output)))
}

/// Who can't work says so to whoever asks.
fn refuse(mut tasks: Tasks, output: &mut dyn Write, error: &CliError) -> Result<(), CliError> {
    while let Some((task, first)) = tasks.take() {
        let wrong = Answer::Wrong(format!("a worker: {}", error.message));
        tell((&task, first), output, |_| wrong.clone())?;
    }
    Ok(())
}

fn tell(
    task: (&Task, bool),
    output: &mut dyn Write,
    decide: impl FnOnce(&Task) -> Answer,
) -> Result<Answer, CliError> {
    answer(task, output, usage, decide)
        .map_err(|error| CliError::new(format!("cannot answer: {error}")))
}

/// A program, and how to decide its instances.
struct Job {
    subject: Subject,
    program: Program,
    entry: FuncId,
    model: Model,
    engine: encode::Options,
    backend: Option<Backend>,
    explorer: Option<Explorer>,
}

impl Job {
    fn new(args: &WorkerArgs) -> Result<Job, CliError> {
        let subject = Subject::read(&args.folder)?;
        std::env::set_current_dir(&subject.folder)
            .map_err(|error| CliError::new(format!("{}: {error}", subject.folder.display())))?;
        let (program, entry) = subject.compile(&subject.compiler()?)?;
        let (model, engine) = (subject.model()?, subject.engine(args.memory)?);
        let backend = subject.backend.as_ref().map(Backend::new).transpose()?;
        let explorer = match subject.engine {
            Decider::Lazy => None,
            Decider::Stateful => {
                Some(Explorer::new((&program, entry), subject.properties()?, args.memory))
            }
        };
        Ok(Job { subject, program, entry, model, engine, backend, explorer })
    }

    /// Unfolds the program for each depth that comes, and keeps it as long as the next
    /// instance has the same.
    fn serve(&self, mut tasks: Tasks, output: &mut dyn Write) -> Result<(), CliError> {
        let mut next = tasks.take();
        while let Some((task, first)) = next {
            if let Some(backend) = &self.backend {
                let about = (&self.program, self.entry, self.model);
                tell((&task, first), output, |task| {
                    backend.decide(about, (&self.subject, &self.engine), task)
                })?;
                next = tasks.take();
                continue;
            }
            if let Some(explorer) = &self.explorer {
                let said = self.explore(explorer, (&task, first), output)?;
                if matches!(said, Answer::Undecided(Why::Memory) | Answer::Wrong(_)) {
                    end_process(0);
                }
                next = tasks.take();
                continue;
            }
            let fixed = Fixed { unwind: task.depth.unwind, rounds: task.depth.rounds };
            let mut handed = Some((task.clone(), first));
            let served = encode::with_instances(
                &self.program,
                self.entry,
                self.model,
                (&self.engine, fixed),
                |instances| {
                    while let Some((task, first)) = handed.take() {
                        let said = self.ask(instances, (&task, first), output)?;
                        if matches!(said, Answer::Undecided(Why::Memory) | Answer::Wrong(_)) {
                            // What is full stays full, and what is broken broken.
                            end_process(0);
                        }
                        match tasks.take() {
                            Some(other) if other.0.depth != task.depth => return Ok(Some(other)),
                            other => handed = other,
                        }
                    }
                    Ok::<_, CliError>(None)
                },
            );
            next = match served {
                Ok(other) => other?,
                Err(error) => {
                    let answer = match error {
                        UnfoldError::Stopped(stop) => Answer::Undecided(why(stop)),
                        other => Answer::Wrong(other.to_string()),
                    };
                    tell((&task, first), output, |_| answer)?;
                    end_process(0);
                }
            };
        }
        Ok(())
    }

    fn explore(
        &self,
        explorer: &Explorer,
        task: (&Task, bool),
        output: &mut dyn Write,
    ) -> Result<Answer, CliError> {
        let about = (&self.program, self.entry, self.model);
        tell(task, output, |task| {
            let trace = |failure: &Failure| trace_of(&self.subject, about, failure);
            let decided = AssertUnwindSafe(|| explorer.decide(about, task, trace));
            catch_unwind(decided).unwrap_or_else(|panic| Answer::Wrong(panicked(panic.as_ref())))
        })
    }

    fn ask(
        &self,
        instances: &mut dyn Instances,
        task: (&Task, bool),
        output: &mut dyn Write,
    ) -> Result<Answer, CliError> {
        tell(task, output, |task| {
            let restriction = restriction(&task.restriction);
            let time = Duration::try_from_secs_f64(task.seconds).ok();
            let asked = AssertUnwindSafe(|| instances.ask(&restriction, time));
            match catch_unwind(asked) {
                Ok(encode::Answer::Unsafe(failure)) => {
                    let about = (&self.program, self.entry, self.model);
                    Answer::Unsafe(trace_of(&self.subject, about, &failure))
                }
                Ok(encode::Answer::Clear { bounds, unsupported, complete }) => {
                    Answer::Clear { bounds: Box::new(bounds), unsupported, complete }
                }
                Ok(encode::Answer::Undecided(stop)) => Answer::Undecided(why(stop)),
                Ok(encode::Answer::Wrong(what)) => Answer::Wrong(what),
                Err(panic) => Answer::Wrong(panicked(panic.as_ref())),
            }
        })
    }
}

fn why(stop: Stop) -> Why {
    match stop {
        Stop::Memory => Why::Memory,
        Stop::Time | Stop::Interrupted => Why::Time,
    }
}

/// As the engine knows it.
pub fn restriction(from: &heddle_swarm::Restriction) -> Restriction {
    Restriction::from_spans(&from.closed, &from.forced, &from.prompt)
}
