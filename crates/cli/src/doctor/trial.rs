//! Small programs whose verdicts are known, through the compiler and each kind of engine.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::{Finding, State};

const BROKEN: &str = "report this: heddle does not give the answer that it should";

/// Two threads that add without a lock; `LOCKED` with one.
const COUNTER: &str = "#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *add(void *arg) {
#ifdef LOCKED
    pthread_mutex_lock(&lock);
#endif
    count++;
#ifdef LOCKED
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2);
    return 0;
}
";

/// The same in C++.
const CPP: &str = "#include <cassert>
#include <thread>
static int count;
int main() {
    std::thread a([] { count++; }), b([] { count++; });
    a.join();
    b.join();
    assert(count == 2);
}
";

pub fn all() -> Vec<Finding> {
    let c = |name, flags: &[&str], verdict| try_out(name, (COUNTER, flags), verdict);
    vec![
        c("explorer", &["--algorithm", "optimal"], "unsafe"),
        c("states", &["--algorithm", "stateful", "--", "-DLOCKED"], "safe"),
        c("formulas", &["--engine", "lazy", "--", "-DLOCKED"], "safe"),
        c("check", &[], "unsafe"),
        try_out("C++", (CPP, &["--", "-x", "c++"]), "unsafe"),
    ]
}

/// Runs `heddle check` on a text.
fn try_out(name: &'static str, (text, flags): (&str, &[&str]), expected: &str) -> Finding {
    match verdict(text, flags) {
        Ok(verdict) if verdict == expected => Finding::good(name, format!("{verdict}, as it is")),
        Ok(verdict) => {
            let what = format!("{verdict}, where {expected} is right");
            Finding::bad(name, State::Broken, (what, BROKEN))
        }
        Err(what) => Finding::bad(name, State::Broken, (what, BROKEN)),
    }
}

fn verdict(text: &str, flags: &[&str]) -> Result<String, String> {
    let me = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(me);
    command.args(["check", "-", "--no-cache", "--format", "json", "--timeout", "60"]).args(flags);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    // What is not read to its end ends with an error, which is told below.
    if let Some(mut input) = child.stdin.take() {
        let _ = input.write_all(text.as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let result: Result<Value, _> = serde_json::from_slice(&output.stdout);
    match result.ok().as_ref().and_then(|it| it.get("verdict")).and_then(Value::as_str) {
        Some(verdict) => Ok(verdict.to_string()),
        None => {
            let errors = String::from_utf8_lossy(&output.stderr);
            Err(errors.lines().last().unwrap_or("no answer").to_string())
        }
    }
}
