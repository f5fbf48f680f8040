//! Runs another program, and ends it when somebody wants to stop.

use std::io::Read;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How often the flag is looked at.
const POLL: Duration = Duration::from_millis(20);

/// How a child ended, and what it said on standard error.
pub struct Ended {
    pub status: ExitStatus,
    pub stderr: String,
}

/// Waits for the end of `command`; `None` if `stop` was set before.
pub fn run(command: &mut Command, stop: &AtomicBool) -> std::io::Result<Option<Ended>> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let (sender, receiver) = channel();
    let pipe = child.stderr.take();
    // The pipe ends when the child does.
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        // Nobody may listen any more.
        let _ = sender.send(bytes);
    });
    loop {
        match receiver.recv_timeout(POLL) {
            Ok(bytes) => {
                let stderr = String::from_utf8_lossy(&bytes).into_owned();
                return Ok(Some(Ended { status: child.wait()?, stderr }));
            }
            Err(RecvTimeoutError::Timeout) if !stop.load(Ordering::Relaxed) => {}
            Err(_) => {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
        }
    }
}
