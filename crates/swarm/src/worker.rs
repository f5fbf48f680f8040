//! The other side of a runner: takes tasks one after another, and answers.

use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use crate::task::{Answer, Reply, Task};

/// Tasks, as they come in.
pub struct Tasks {
    lines: Receiver<Task>,
    given: u64,
}

impl Tasks {
    /// From standard input. `ended` is called when it ends, also while somebody is at work:
    /// nobody waits for the answer then.
    pub fn from_input(ended: impl FnOnce() + Send + 'static) -> Tasks {
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines().map_while(Result::ok) {
                let Ok(task) = serde_json::from_str(&line) else { break };
                if send.send(task).is_err() {
                    break;
                }
            }
            ended();
        });
        Tasks { lines, given: 0 }
    }

    /// All that are given.
    pub fn from_list(tasks: Vec<Task>) -> Tasks {
        let (send, lines) = channel();
        for task in tasks {
            let _ = send.send(task);
        }
        Tasks { lines, given: 0 }
    }

    /// Waits for the next one.
    pub fn take(&mut self) -> Option<(Task, bool)> {
        let task = self.lines.recv().ok()?;
        self.given += 1;
        Some((task, self.given == 1))
    }
}

/// What a worker has used up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Resident memory.
    pub bytes: u64,
    /// Seconds of the processor since it began, if the system tells.
    pub processor: Option<f64>,
}

/// Decides a task and tells the answer.
pub fn answer(
    (task, first): (&Task, bool),
    output: &mut dyn Write,
    usage: impl Fn() -> Usage,
    decide: impl FnOnce(&Task) -> Answer,
) -> std::io::Result<Answer> {
    let (begun, before) = (Instant::now(), usage());
    let answer = decide(task);
    let seconds = begun.elapsed().as_secs_f64();
    let (id, answer) = (task.id.clone(), answer);
    let after = usage();
    let processor = after.processor.zip(before.processor).map(|(after, before)| after - before);
    let reply = Reply { id, answer, seconds, processor, bytes: after.bytes, first };
    let mut line = serde_json::to_string(&reply).expect("plain data");
    line.push('\n');
    output.write_all(line.as_bytes())?;
    output.flush()?;
    Ok(reply.answer)
}
