//! Workers as processes of this machine, each with its own memory and solver.
//!
//! A worker gets a task on its standard input and answers on its standard output, and ends
//! when its input does. It keeps limits itself; here is who ends one that does not.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use crate::runner::{Event, RunError, Runner};
use crate::task::{Reply, Task};

/// How much longer than allowed a task may take: to stop a solver, and to start a worker.
const GRACE: Duration = Duration::from_secs(5);
const START: Duration = Duration::from_secs(300);

/// What makes a worker.
pub type Launch = Box<dyn Fn() -> Command>;

struct Worker {
    process: Child,
    input: ChildStdin,
    task: Option<Running>,
    fresh: bool,
}

struct Running {
    id: String,
    begun: Instant,
    until: Instant,
}

/// Which worker, and what it said; `None` when it has ended.
type Said = (u64, Option<String>);

pub struct Local {
    launch: Launch,
    jobs: usize,
    workers: Vec<(u64, Worker)>,
    /// Numbers are not used again, so that a late word of a worker that is gone is not
    /// taken for another's.
    next: u64,
    says: Sender<Said>,
    inbox: Receiver<Said>,
}

impl Local {
    pub fn new(jobs: usize, launch: Launch) -> Local {
        let (says, inbox) = channel();
        Local { launch, jobs: jobs.max(1), workers: Vec::new(), next: 0, says, inbox }
    }

    /// Processes of workers, for who wants to see what happens if they die.
    pub fn processes(&self) -> Vec<u32> {
        self.workers.iter().map(|(_, worker)| worker.process.id()).collect()
    }

    fn start(&mut self) -> Result<usize, RunError> {
        let mut command = (self.launch)();
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let failed = |error: std::io::Error| RunError(format!("cannot start a worker: {error}"));
        let mut process = command.spawn().map_err(failed)?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let Some((input, output)) = pipes else {
            return Err(RunError("a worker without pipes".to_string()));
        };
        let (number, says) = (self.next, self.says.clone());
        self.next += 1;
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if says.send((number, Some(line))).is_err() {
                    return;
                }
            }
            let _ = says.send((number, None));
        });
        self.workers.push((number, Worker { process, input, task: None, fresh: true }));
        Ok(self.workers.len() - 1)
    }

    /// A worker is gone, with its task.
    fn bury(&mut self, at: usize) -> Option<Running> {
        let (_, mut worker) = self.workers.swap_remove(at);
        let _ = worker.process.kill();
        let _ = worker.process.wait();
        worker.task
    }

    fn hear(&mut self, (number, line): Said, events: &mut Vec<Event>) {
        let Some(at) = self.workers.iter().position(|(known, _)| *known == number) else { return };
        let reply = line.as_deref().and_then(|line| serde_json::from_str::<Reply>(line).ok());
        let task = &mut self.workers[at].1.task;
        let expected = task.as_ref().zip(reply.as_ref()).is_some_and(|(a, b)| a.id == b.id);
        match reply {
            Some(reply) if expected => {
                *task = None;
                self.workers[at].1.fresh = false;
                events.push(Event::Reply(reply));
            }
            // It has ended, or says what nobody understands.
            _ => {
                if let Some(Running { id, begun, .. }) = self.bury(at) {
                    events.push(Event::Lost { id, seconds: begun.elapsed().as_secs_f64() });
                }
            }
        }
    }

    fn end_late_ones(&mut self, events: &mut Vec<Event>) {
        let now = Instant::now();
        let is_late = |worker: &Worker| worker.task.as_ref().is_some_and(|task| now > task.until);
        while let Some(at) = self.workers.iter().position(|(_, worker)| is_late(worker)) {
            if let Some(Running { id, begun, .. }) = self.bury(at) {
                events.push(Event::Late { id, seconds: begun.elapsed().as_secs_f64() });
            }
        }
    }
}

impl Runner for Local {
    fn room(&self) -> usize {
        let busy = self.workers.iter().filter(|(_, worker)| worker.task.is_some()).count();
        self.jobs.saturating_sub(busy)
    }

    fn submit(&mut self, task: Task) -> Result<(), RunError> {
        let mut line = serde_json::to_string(&task).expect("plain data");
        line.push('\n');
        // One that has just died is noticed here.
        for _ in 0..=self.jobs {
            let idle = self.workers.iter().position(|(_, worker)| worker.task.is_none());
            let at = match idle {
                Some(at) => at,
                None => self.start()?,
            };
            let worker = &mut self.workers[at].1;
            let written =
                worker.input.write_all(line.as_bytes()).and_then(|()| worker.input.flush());
            if written.is_err() {
                self.bury(at);
                continue;
            }
            let begun = Instant::now();
            let allowed = Duration::try_from_secs_f64(task.seconds * 1.2).unwrap_or(Duration::MAX);
            let allowed = allowed.saturating_add(GRACE);
            let allowed = if worker.fresh { allowed.saturating_add(START) } else { allowed };
            let until = begun.checked_add(allowed).unwrap_or(begun + START * 1000);
            worker.task = Some(Running { id: task.id, begun, until });
            return Ok(());
        }
        Err(RunError("workers end before they take a task".to_string()))
    }

    fn poll(&mut self, wait: Duration) -> Result<Vec<Event>, RunError> {
        let mut events = Vec::new();
        match self.inbox.recv_timeout(wait) {
            Ok(said) => self.hear(said, &mut events),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        while let Ok(said) = self.inbox.try_recv() {
            self.hear(said, &mut events);
        }
        self.end_late_ones(&mut events);
        Ok(events)
    }

    fn stop(&mut self) {
        while !self.workers.is_empty() {
            self.bury(0);
        }
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        self.stop();
    }
}
