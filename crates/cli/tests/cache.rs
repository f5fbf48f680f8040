//! Answers that are kept: told again for the same program and the same question, and for no other.

mod common;

use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(100);

/// Takes some seconds to be safe: the interleavings of locked steps whose order can be told.
const PROGRAM: &str = "#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned digest = 1;
static int sum;
static void *work(void *arg) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        digest = digest * 31 + (unsigned)(long)arg;
        sum++;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
int main(void) {
    pthread_t t[4];
    for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    assert(sum == 12 && digest != WRONG);
    return 0;
}
";

/// What is printed, and whether it is from before.
fn check(cache: &Path, program: &Path, flags: &[&str]) -> (String, bool) {
    let program = program.to_string_lossy().into_owned();
    let mut args = vec!["check", &program, "--algorithm", "optimal"];
    args.extend(flags);
    if !flags.contains(&"--") {
        args.extend(["--", "-DWRONG=0"]);
    }
    let mut command = common::command(&args);
    command.env("XDG_CACHE_HOME", cache);
    let run = common::run(&mut command, LIMIT).expect("in time");
    assert!(run.code == Some(0) || run.code == Some(20), "{}{}", run.stdout, run.stderr);
    (run.stdout, run.stderr.contains("this answer was found before"))
}

#[test]
fn the_same_question_has_the_same_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let (cache, program) = (folder.path().join("cache"), folder.path().join("p.c"));
    std::fs::write(&program, PROGRAM).expect("written");
    let (first, known) = check(&cache, &program, &[]);
    assert!(!known && first.contains("verdict: safe"), "{first}");
    assert_eq!(check(&cache, &program, &[]), (first.clone(), true));
    assert_eq!(check(&cache, &program, &["--timeout", "90"]), (first, true), "not a question");
    let trace = folder.path().join("trace.json").to_string_lossy().into_owned();
    for other in [
        &["--no-cache"][..],
        &["--mm", "tso", "--timeout", "1"],
        &["--check", "assert", "--timeout", "1"],
        &["--stats", "--timeout", "1"],
        &["--trace", &trace, "--timeout", "1"],
        &["--timeout", "1", "--", "-DWRONG=3"],
    ] {
        assert!(!check(&cache, &program, other).1, "{other:?}");
    }
    // Another text, if only in a comment that reports would show.
    std::fs::write(&program, format!("{PROGRAM}// more\n")).expect("written");
    assert!(!check(&cache, &program, &["--timeout", "1"]).1);
    std::fs::write(&program, PROGRAM).expect("written");
    assert!(check(&cache, &program, &[]).1, "it is still there");
}

#[test]
fn what_is_not_definite_is_not_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let (cache, program) = (folder.path().join("cache"), folder.path().join("p.c"));
    let longer = PROGRAM.replace("i < 3", "i < 9").replace("sum == 12", "sum == 36");
    std::fs::write(&program, longer).expect("written");
    for _ in 0..2 {
        let (text, known) = check(&cache, &program, &["--timeout", "3"]);
        assert!(!known && text.contains("verdict: unknown"), "{text}");
    }
    assert!(!cache.exists() || std::fs::read_dir(cache).expect("a folder").count() == 0);
}
