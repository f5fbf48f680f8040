//! Workers as jobs of a Slurm cluster: `sbatch --array` starts them, `squeue` tells who is
//! left, `scancel` ends them. Nothing of our own goes across machines but files in a folder
//! that all of them see.
//!
//! A batch is a folder of files, one for each task of an array, with some instances each.
//! A worker answers in a file beside its own, and skips what is answered there already: a job
//! that Slurm starts again goes on.

use std::collections::VecDeque;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::runner::{Event, RunError, Runner};
use crate::task::{Reply, Task};

/// How often the cluster is asked who is left.
const ASK: Duration = Duration::from_secs(1);
/// How long answers may take to show in a folder that is on another machine.
const SHOW: Duration = Duration::from_secs(3);
/// Instances of a task of an array: a job has to be worth its start.
const CHUNK: usize = 16;

struct Chunk {
    /// `job_index`, as `squeue` calls it.
    name: String,
    answers: PathBuf,
    /// How far they were read.
    read: u64,
    left: Vec<String>,
    /// Not in the queue any more, since then.
    gone: Option<Instant>,
}

pub struct Slurm {
    folder: PathBuf,
    worker: PathBuf,
    jobs: usize,
    memory: u64,
    waiting: VecDeque<Task>,
    chunks: Vec<Chunk>,
    /// Arrays that were started.
    started: Vec<String>,
    batches: u64,
    asked: Option<Instant>,
    begun: FxHashMap<String, Instant>,
}

impl Slurm {
    pub fn new(
        folder: &Path,
        worker: &Path,
        (jobs, memory): (usize, u64),
    ) -> Result<Slurm, RunError> {
        let version = run(Command::new("sbatch").arg("--version"));
        version.map_err(|error| RunError(format!("no Slurm here: {error}")))?;
        let batches = folder.join("slurm");
        // What is there is of a coordinator that was ended: its jobs are of no use any more,
        // and what they answered and nobody noted is asked again.
        if batches.exists() {
            for name in names(&batches) {
                let job = std::fs::read_to_string(batches.join(name).join("job"));
                let _ = job.map(|job| run(Command::new("scancel").arg(job.trim())));
            }
            std::fs::remove_dir_all(&batches).map_err(|error| about(&batches, &error))?;
        }
        Ok(Slurm {
            folder: folder.to_path_buf(),
            worker: worker.to_path_buf(),
            jobs: jobs.max(1),
            memory,
            waiting: VecDeque::new(),
            chunks: Vec::new(),
            started: Vec::new(),
            batches: 0,
            asked: None,
            begun: FxHashMap::default(),
        })
    }

    /// Sends what waits, as an array.
    fn send(&mut self) -> Result<Option<String>, RunError> {
        if self.waiting.is_empty() {
            return Ok(None);
        }
        let batch = self.folder.join("slurm").join(self.batches.to_string());
        self.batches += 1;
        let wrong = |error: std::io::Error| about(&batch, &error);
        std::fs::create_dir_all(&batch).map_err(wrong)?;
        // As many tasks as may run, and few instances in each while there are few.
        let size = self.waiting.len().div_ceil(self.jobs).clamp(1, CHUNK);
        let mut chunks = Vec::new();
        while !self.waiting.is_empty() {
            let tasks: Vec<Task> = self.waiting.drain(..size.min(self.waiting.len())).collect();
            let line = |task: &Task| serde_json::to_string(task).expect("plain data") + "\n";
            let text: String = tasks.iter().map(line).collect();
            let path = batch.join(format!("{}.tasks", chunks.len()));
            std::fs::write(&path, text).map_err(wrong)?;
            chunks.push((path.with_extension("out"), tasks));
        }
        let script = batch.join("job.sh");
        let text = format!(
            "#!/bin/sh\nexec {} worker {} --memory {} --batch {}/$SLURM_ARRAY_TASK_ID.tasks\n",
            quote(&self.worker),
            quote(&self.folder),
            self.memory,
            quote(&batch)
        );
        std::fs::write(&script, text).map_err(wrong)?;
        let mut command = Command::new("sbatch");
        command.args(["--parsable", "--requeue", "--job-name", "heddle", "--ntasks", "1"]);
        command.arg(format!("--array=0-{}%{}", chunks.len() - 1, self.jobs));
        command.arg("--output").arg(batch.join("%a.log"));
        let job = run(command.arg(&script))?;
        let job = job.trim().split(';').next().unwrap_or_default().to_string();
        std::fs::write(batch.join("job"), &job).map_err(wrong)?;
        for (index, (answers, tasks)) in chunks.into_iter().enumerate() {
            let left = tasks.into_iter().map(|task| task.id).collect();
            let name = format!("{job}_{index}");
            self.chunks.push(Chunk { name, answers, read: 0, left, gone: None });
        }
        self.started.push(job.clone());
        Ok(Some(job))
    }

    /// Reads what workers have answered since.
    fn collect(&mut self, events: &mut Vec<Event>) {
        for chunk in &mut self.chunks {
            let Ok(mut file) = std::fs::File::open(&chunk.answers) else { continue };
            let mut text = Vec::new();
            let read =
                file.seek(SeekFrom::Start(chunk.read)).and_then(|_| file.read_to_end(&mut text));
            if read.is_err() {
                continue;
            }
            for line in text.split_inclusive(|&byte| byte == b'\n') {
                if line.last() != Some(&b'\n') {
                    break;
                }
                chunk.read += line.len() as u64;
                let Ok(reply) = serde_json::from_slice::<Reply>(line) else { continue };
                if let Some(at) = chunk.left.iter().position(|id| *id == reply.id) {
                    chunk.left.swap_remove(at);
                    self.begun.remove(&reply.id);
                    events.push(Event::Reply(reply));
                }
            }
        }
        self.chunks.retain(|chunk| !chunk.left.is_empty());
    }

    /// Asks the cluster who is left; whose job is gone without an answer is lost.
    fn look(&mut self, events: &mut Vec<Event>) -> Result<(), RunError> {
        if self.chunks.is_empty() || self.asked.is_some_and(|asked| asked.elapsed() < ASK) {
            return Ok(());
        }
        self.asked = Some(Instant::now());
        let mut command = Command::new("squeue");
        command.args(["--noheader", "--array", "--format", "%i", "--name", "heddle"]);
        let queue = run(&mut command)?;
        let queued: rustc_hash::FxHashSet<&str> = queue.lines().map(str::trim).collect();
        for chunk in &mut self.chunks {
            match queued.contains(chunk.name.as_str()) {
                true => chunk.gone = None,
                false => {
                    chunk.gone.get_or_insert_with(Instant::now);
                }
            }
        }
        // Their last answers may show late.
        let is_gone = |chunk: &Chunk| chunk.gone.is_some_and(|since| since.elapsed() > SHOW);
        for chunk in self.chunks.extract_if(.., |chunk| is_gone(chunk)) {
            for id in chunk.left {
                let begun = self.begun.remove(&id);
                let seconds = begun.map_or(0.0, |begun| begun.elapsed().as_secs_f64());
                events.push(Event::Lost { id, seconds });
            }
        }
        Ok(())
    }
}

impl Runner for Slurm {
    fn room(&self) -> usize {
        // A second round of jobs waits in the queue, so that no node has to wait for us.
        let under_way: usize = self.chunks.iter().map(|chunk| chunk.left.len()).sum();
        let most = self.jobs * CHUNK * 2;
        let room = most.saturating_sub(under_way + self.waiting.len());
        // Not a job for each answer that comes in.
        if room >= most / 2 || !self.waiting.is_empty() { room } else { 0 }
    }

    fn submit(&mut self, task: Task) -> Result<(), RunError> {
        self.begun.insert(task.id.clone(), Instant::now());
        self.waiting.push_back(task);
        Ok(())
    }

    fn poll(&mut self, wait: Duration) -> Result<Vec<Event>, RunError> {
        let mut events = Vec::new();
        events.extend(self.send()?.map(Event::Jobs));
        self.collect(&mut events);
        self.look(&mut events)?;
        if events.is_empty() {
            std::thread::sleep(wait);
        }
        Ok(events)
    }

    fn stop(&mut self) {
        for job in self.started.drain(..) {
            let _ = run(Command::new("scancel").arg(job));
        }
        self.chunks.clear();
        self.waiting.clear();
    }
}

fn names(folder: &Path) -> Vec<std::ffi::OsString> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.file_name())).collect()
}

fn about(path: &Path, error: &dyn std::fmt::Display) -> RunError {
    RunError(format!("{}: {error}", path.display()))
}

/// What a command prints, if it works.
fn run(command: &mut Command) -> Result<String, RunError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| RunError(format!("{name}: {error}")))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(RunError(format!("{name}: {}", text.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// For a shell.
fn quote(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', "'\\''"))
}
