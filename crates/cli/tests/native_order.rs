//! What the runtime does with schedules that were written by hand.

mod common;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use common::{heddle, root, run};
use heddle_constraint::{
    ANY_SITE, Condition, Constrained, Edge, Event, SCOPE_SITE, Schedule, Thread,
};
use heddle_irs::Subject;

const LIMIT: Duration = Duration::from_secs(60);

/// Edges between events, each a thread and a number.
type Edges<'a> = &'a [((u32, u32), (u32, u32))];

/// A native program, whose threads are all children of the main thread.
struct Native {
    folder: tempfile::TempDir,
    hash: u64,
    threads: Vec<Thread>,
}

impl Native {
    fn build(program: &str, threads: u32) -> Native {
        let folder = tempfile::tempdir().expect("a folder");
        let (source, output) = (root().join(program), folder.path().join("program"));
        let [text, to] = [&source, &output].map(|path| path.to_string_lossy());
        let built = heddle(&["build", &text, "-o", &to], LIMIT).expect("ends");
        assert_eq!(built.code, Some(0), "{}", built.stderr);
        let inputs = vec![source.clone()];
        let options = heddle_frontend::Options { inputs, ..Default::default() };
        let compiled = heddle_frontend::compile(&options).expect("it compiles");
        let main = compiled.find_function("main").expect("main");
        let hash = Subject::new(&compiled, main).hash;
        let threads = (0..threads).map(|nth| Thread { parent: 0, nth }).collect();
        Native { folder, hash, threads }
    }

    fn schedule(&self, edges: Edges<'_>) -> Schedule {
        let mut schedule = Schedule::new(self.hash, self.threads.clone());
        for &((first, at), (second, then)) in edges {
            schedule.trace.add_edge(Edge::new(Event::new(first, at), Event::new(second, then)));
        }
        let any = Constrained { site: ANY_SITE };
        schedule.sites = schedule.trace.events().map(|event| (event, any)).collect();
        schedule
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, schedule: &Schedule) -> Command {
        let file = self.path("schedule");
        std::fs::write(&file, schedule.to_bytes()).expect("it is written");
        let mut command = Command::new(self.path("program"));
        command.env("HEDDLE_SCHEDULE", file);
        command
    }

    /// The exit code of a run with as many arguments.
    fn code(&self, edges: Edges<'_>, arguments: usize) -> Option<i32> {
        let mut command = self.command(&self.schedule(edges));
        command.args(vec!["late"; arguments]);
        run(&mut command, LIMIT).expect("it ends").code
    }
}

/// Whoever of the others is late: an event waits for all that come before it.
#[test]
fn an_event_waits_for_several_others() {
    let native = Native::build("tests/native/look_at_both.c", 3);
    for late in [0, 1, 2] {
        assert_eq!(native.code(&[((1, 0), (3, 0)), ((2, 0), (3, 0))], late), Some(3), "{late}");
    }
    // And for none that do not.
    assert_eq!(native.code(&[((2, 0), (3, 0))], 1), Some(2));
    assert_eq!(native.code(&[((1, 0), (3, 0))], 2), Some(1));
}

/// An event that its thread never comes to is waited for until the thread has ended.
#[test]
fn the_end_of_a_thread_lets_others_go_on() {
    let native = Native::build("tests/native/look_at_both.c", 3);
    for late in [0, 1, 2] {
        assert_eq!(native.code(&[((1, 100), (3, 0)), ((2, 7), (3, 1))], late), Some(3), "{late}");
    }
}

/// A thread that waits in vain under one schedule goes on under the next. It still waits
/// for what that one asks for, and others for it.
#[test]
fn a_new_schedule_frees_who_waits() {
    let native = Native::build("tests/native/look_at_both.c", 3);
    let mut control = heddle_runtime::Control::create(&native.path("control"), 4).expect("a file");
    // The second thread does not end before the third one has looked.
    let kept = [((2, 0), (3, 0)), ((3, 0), (2, 1))];
    let all = [kept[0], kept[1], ((1, 0), (3, 0))];
    control.publish(&native.schedule(&all).to_bytes()).expect("room");
    let mut command = Command::new(native.path("program"));
    command.args(["late"; 3]).env("HEDDLE_CONTROL", native.path("control"));
    let child = command.spawn().expect("it starts");
    while control.taken_up() < 1 {
        std::thread::sleep(Duration::from_millis(1));
    }
    // The third thread is asleep by now.
    std::thread::sleep(Duration::from_millis(100));
    control.publish(&native.schedule(&kept).to_bytes()).expect("room");
    let run = common::finish(child, LIMIT).expect("ends");
    assert_eq!(run.code, Some(2), "it waits for the second thread and not for the first");
}

/// The first thread writes one variable when the third one has read the other, which waits
/// for the first only if it is the same.
#[test]
fn who_touches_something_else_goes_on() {
    let native = Native::build("tests/native/look_at_both.c", 3);
    let conditional = |edges: Edges<'_>, first: (u32, u32), second: (u32, u32)| {
        let mut schedule = native.schedule(&[edges, &[(first, second)]].concat());
        let [first, second] = [first, second].map(|(thread, index)| Event::new(thread, index));
        let condition = Some(Condition::SameMemory);
        schedule.trace.remove_edge(Edge::new(first, second));
        schedule.trace.add_edge(Edge { first, second, condition });
        schedule
    };
    let code = |schedule: &Schedule, late: usize| {
        let mut command = native.command(schedule);
        run(command.args(vec!["late"; late]), LIMIT).expect("ends").code
    };
    for late in [0, 1, 2] {
        let other = conditional(&[((2, 0), (3, 0)), ((3, 1), (1, 0))], (1, 0), (3, 1));
        assert_eq!(code(&other, late), Some(2), "{late}");
        let same = conditional(&[((2, 0), (3, 0))], (1, 0), (3, 0));
        assert_eq!(code(&same, late), Some(3), "{late}");
        // Ends touch nothing, so they are waited for.
        let end = conditional(&[((2, 0), (3, 0))], (1, 1), (3, 0));
        assert_eq!(code(&end, late), Some(3), "{late}");
    }
    // Whoever waits for each other because of the same memory stays where it is.
    let blocked = conditional(&[((3, 0), (1, 0))], (1, 0), (3, 0));
    assert_eq!(code(&blocked, 0), Some(98));
}

/// The function returns when the borrower has looked at its variable.
#[test]
fn returns_are_events() {
    let native = Native::build("tests/native/lent_variable.c", 2);
    let mut schedule = native.schedule(&[((1, 1), (2, 0)), ((2, 1), (1, 2))]);
    schedule.sites.insert(Event::new(1, 2), Constrained { site: SCOPE_SITE });
    for seed in 0..10 {
        let mut command = native.command(&schedule);
        command.env("HEDDLE_TEST_DELAY", format!("{seed}:500:200"));
        let run = run(&mut command, LIMIT).expect("ends");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
}
