//! A wall clock that is set back and forth by days: nothing that is measured may look at it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{self, run};
use crate::{LIMIT, answered, counters};

/// Loaded before the C library. Each look at the wall clock is a day or so from the last.
const CLOCK: &str = r#"
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long jump(void) {
    static long looks;
    const char *path = getenv("LOOKS");
    FILE *file = path ? fopen(path, "w") : 0;
    if (file) fclose(file);
    looks++;
    return (looks % 2 ? 1 : -1) * (86400 + looks);
}

static int jumps(clockid_t clock) {
    return clock == JUMPING;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    long result = syscall(SYS_clock_gettime, clock, now);
    if (!result && jumps(clock)) now->tv_sec += jump();
    return (int)result;
}

#if JUMPING == CLOCK_REALTIME
int gettimeofday(struct timeval *now, void *zone) {
    long result = syscall(SYS_gettimeofday, now, zone);
    if (!result) now->tv_sec += jump();
    return (int)result;
}

time_t time(time_t *place) {
    time_t now = (time_t)syscall(SYS_time, 0) + jump();
    if (place) *place = now;
    return now;
}
#endif
"#;

fn clock(folder: &Path, name: &str) -> PathBuf {
    let source = folder.join("clock.c");
    std::fs::write(&source, CLOCK).expect("written");
    let library = folder.join(format!("{name}.so"));
    let mut command = Command::new("cc");
    command.args(["-shared", "-fPIC", &format!("-DJUMPING={name}"), "-o"]);
    let status = command.arg(&library).arg(&source).status().expect("a C compiler");
    assert!(status.success());
    library
}

fn swarm(program: &str, kept: &Path, clock: &Path) -> common::Run {
    let kept = kept.to_string_lossy();
    let flags = ["swarm", program, "--tiles", "2", "--tile-size", "1", "--instances", "60"];
    let args: Vec<&str> = flags.into_iter().chain(["--dir", &kept, "--timeout", "100"]).collect();
    let mut command = common::command(&args);
    let looks = clock.with_extension("looks");
    command.env("LD_PRELOAD", clock).env("LOOKS", looks);
    run(&mut command, LIMIT).expect("in time")
}

#[test]
fn a_wall_clock_that_jumps_changes_nothing() {
    let (folder, program) = counters();
    let wall = clock(folder.path(), "CLOCK_REALTIME");
    let kept = folder.path().join("kept");
    let told = swarm(&program, &kept, &wall);
    assert!(told.stdout.contains(" 60 of "), "{}{}", told.stdout, told.stderr);
    assert_eq!(answered(&kept).len(), 60);
    // The same of the other clock is noticed, so the test sees what it is there to see.
    let steady = clock(folder.path(), "CLOCK_MONOTONIC");
    let other = folder.path().join("other");
    let told = swarm(&program, &other, &steady);
    assert!(steady.with_extension("looks").exists(), "nobody looks at any clock");
    assert!(!told.stdout.contains(" 60 of "), "{}{}", told.stdout, told.stderr);
}
