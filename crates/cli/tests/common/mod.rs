//! Runs the built binary with a time limit.

#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// The checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("exists")
}

/// A path as seen from the checkout.
pub fn short(path: &Path) -> String {
    path.strip_prefix(root().join("tests/programs")).unwrap_or(path).display().to_string()
}

pub fn command<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    // Nothing is answered from before.
    command.env("XDG_CACHE_HOME", "/dev/null");
    command.args(args).current_dir(root()).env_remove("CLICOLOR_FORCE").stdin(Stdio::null());
    command
}

/// `None` if it had to be ended.
pub fn heddle<S: AsRef<std::ffi::OsStr>>(args: &[S], limit: Duration) -> Option<Run> {
    run(&mut command(args), limit)
}

pub fn run(command: &mut Command, limit: Duration) -> Option<Run> {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    finish(child, limit)
}

/// Waits for a child with pipes, and ends it after `limit`.
pub fn finish(mut child: Child, limit: Duration) -> Option<Run> {
    let read = |pipe: Option<Box<dyn std::io::Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut pipe) = pipe {
                let _ = pipe.read_to_end(&mut bytes);
            }
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let stdout = read(child.stdout.take().map(|pipe| Box::new(pipe) as _));
    let stderr = read(child.stderr.take().map(|pipe| Box::new(pipe) as _));
    let deadline = Instant::now() + limit;
    let status = loop {
        match child.try_wait().expect("can be waited for") {
            Some(status) => break Some(status),
            None if Instant::now() > deadline => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let (stdout, stderr) = (stdout.join().ok()?, stderr.join().ok()?);
    status.map(|status| Run { code: status.code(), stdout, stderr })
}
