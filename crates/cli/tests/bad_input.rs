//! Whatever the input, there is a clear one-line error and exit code 2, or an
//! honest verdict: never a panic, a hang or a partial file.

mod common;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use common::{Run, heddle};

const LIMIT: Duration = Duration::from_secs(60);
const BUG: &str = "#include <assert.h>\nint main(void) { assert(0); }\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, contents).expect("writable");
        path.to_string_lossy().into_owned()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("readable");
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn run(args: &[&str]) -> Run {
    heddle(args, LIMIT).unwrap_or_else(|| panic!("{args:?} did not end"))
}

/// Fails as wrong usage or input, with one line that says why.
#[track_caller]
fn rejects(args: &[&str], why: &str) {
    let run = run(args);
    assert_eq!(run.code, Some(2), "{args:?}: {}{}", run.stdout, run.stderr);
    assert_eq!(run.stdout, "", "{args:?}");
    assert_eq!(run.stderr.lines().count(), 1, "{args:?}: {}", run.stderr);
    assert!(run.stderr.starts_with("heddle: "), "{args:?}: {}", run.stderr);
    assert!(run.stderr.contains(why), "{args:?}: {}", run.stderr);
}

#[test]
fn usage() {
    rejects(&["check"], "required");
    rejects(&["check", "--nonsense", "a.c"], "--nonsense");
    rejects(&["check", "--algorithm", "magic", "a.c"], "magic");
    rejects(&["check", "--mm", "alpha", "a.c"], "alpha");
    rejects(&["check", "--timeout", "soon", "a.c"], "soon");
    rejects(&["check", "--memory-limit", "much", "a.c"], "much");
    rejects(&["check", "--unwind", "0", "a.c"], "0");
    rejects(&["knit"], "knit");
}

#[test]
fn help_and_version_are_no_errors() {
    for args in [["--help"], ["--version"]] {
        let run = run(&args);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        assert!(run.stdout.contains("heddle") && !run.stdout.contains('\u{1b}'));
    }
}

/// Programs that would be other ones without a word.
#[test]
fn what_only_another_checker_understands() {
    let folder = Folder::new();
    let text = "int main(void) {\n__CPROVER_ASYNC_1:\n  return 0;\n}\n";
    rejects(&["check", &folder.file("async.c", text)], "starts a thread for CBMC only");
    let mentioned = "// __CPROVER_ASYNC_1 is a label.\nint main(void) { return 0; }\n";
    let run = run(&["check", &folder.file("comment.c", mentioned)]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn unreadable_files() {
    let folder = Folder::new();
    rejects(&["check", "no/such/file.c"], "no such file");
    rejects(&["check", &folder.path("").to_string_lossy()], "directory");
    rejects(&["check", &folder.file("prog.txt", "hello")], "not a kind of file");
    rejects(&["dump", &folder.file("empty.bc", "")], "empty");
    let junk: Vec<u8> =
        (0..10_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    rejects(&["check", &folder.file("junk.bc", &junk)], "junk.bc");
    rejects(&["check", &folder.file("junk.ll", &junk)], "junk.ll");
}

#[test]
fn errors_of_the_compiler_are_shown_unchanged() {
    let folder = Folder::new();
    let junk: Vec<u8> =
        (0..2_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for path in
        [folder.file("wrong.c", "int main(void) { return x; }"), folder.file("junk.c", junk)]
    {
        let run = run(&["check", &path]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.stderr);
        assert!(run.stderr.contains("error:"), "{}", run.stderr);
        assert!(run.stderr.lines().last().unwrap().starts_with("heddle: "), "{}", run.stderr);
    }
}

#[test]
fn no_entry_or_too_many() {
    let folder = Folder::new();
    let a = folder.file("a.c", "int main(void) { return 0; }");
    let b = folder.file("b.c", "int main(void) { return 1; }");
    let none = folder.file("none.c", "int helper(void) { return 0; }");
    rejects(&["check", &none], "no function main");
    rejects(&["check", "--entry", "missing", &a], "no function missing");
    rejects(&["check", "--entry", "printf", &a], "no function printf");
    rejects(&["check", &a, &b], "main");
}

#[test]
fn several_files_are_one_program() {
    let folder = Folder::new();
    let a = folder.file("a.c", "int f(void); int main(void) { return 8 / f(); }");
    let b = folder.file("b.c", "int f(void) { return 0; }");
    let run = run(&["check", &a, &b]);
    assert_eq!(run.code, Some(10), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("division-by-zero"), "{}", run.stdout);
}

#[test]
fn a_trace_that_cannot_be_written() {
    let folder = Folder::new();
    let bug = folder.file("bug.c", BUG);
    let missing = folder.path("no/such/folder/trace.json");
    rejects(&["check", "--trace", &missing.to_string_lossy(), &bug], "cannot write the trace");
    rejects(&["check", "--trace", &folder.path("").to_string_lossy(), &bug], "directory");
    assert_eq!(folder.names(), ["bug.c"]);
}

#[test]
fn traces_are_written_whole_or_not_at_all() {
    let folder = Folder::new();
    let bug = folder.file("bug.c", BUG);
    let fine = folder.file("fine.c", "int main(void) { return 0; }");
    let trace = folder.path("t.json").to_string_lossy().into_owned();
    assert_eq!(run(&["check", "--trace", &trace, &fine]).code, Some(0));
    assert_eq!(folder.names(), ["bug.c", "fine.c"]);
    assert_eq!(run(&["check", "--trace", &trace, &bug]).code, Some(10));
    assert_eq!(folder.names(), ["bug.c", "fine.c", "t.json"]);

    let recorded = run(&["replay", &trace]);
    assert_eq!(recorded.code, Some(10), "{}", recorded.stderr);
    let named = run(&["replay", &trace, &bug]);
    assert_eq!(named.stdout, recorded.stdout);
    assert!(named.stdout.contains("verdict: unsafe (assertion at"), "{}", named.stdout);
    let json = run(&["replay", "--format=json", &trace]);
    let value: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(value["violation"]["kind"], "assertion");
}

#[test]
fn wrong_traces() {
    let folder = Folder::new();
    let bug = folder.file("bug.c", BUG);
    let other = folder.file("other.c", "#include <assert.h>\nint main(void) { assert(1 - 1); }\n");
    let trace = folder.path("t.json").to_string_lossy().into_owned();
    run(&["check", "--trace", &trace, &bug]);
    rejects(&["replay", &trace, &other], "another program");
    rejects(&["replay", "no/such/trace.json", &bug], "no such file");
    rejects(&["replay", &folder.path("").to_string_lossy(), &bug], "directory");

    let text = std::fs::read_to_string(&trace).unwrap();
    for length in [0, 1, text.len() / 2, text.len() - 3] {
        let half = folder.file("half.json", &text[..length]);
        rejects(&["replay", &half, &bug], "not a trace of heddle, or cut off");
    }
    for foreign in ["{}", "[1,2]", "\"x\"", "{\"tool\":\"other\",\"schema\":1}", "\u{0}\u{1}"] {
        let file = folder.file("foreign.json", foreign);
        rejects(&["replay", &file, &bug], "not a trace of heddle");
    }
    let newer = folder.file("newer.json", text.replacen("\"schema\": 1", "\"schema\": 999", 1));
    rejects(&["replay", &newer, &bug], "schema 999");
    let model = folder.file("model.json", text.replacen("\"sc\"", "\"alpha\"", 1));
    rejects(&["replay", &model, &bug], "alpha");
    let line = folder.file("line.json", text.replacen("\"line\": 2", "\"line\": 1", 1));
    rejects(&["replay", &line, &bug], "does not replay");
    let thread = folder
        .file("thread.json", text.replacen("\"choices\": []", "\"choices\": [{\"step\": 7}]", 1));
    rejects(&["replay", &thread, &bug], "does not replay");
}

#[test]
fn a_hundred_thousand_lines() {
    let folder = Folder::new();
    let mut text = String::from("#include <assert.h>\n#include <pthread.h>\nstatic int x;\n");
    for i in 0..20_000 {
        writeln!(
            text,
            "static int f{i}(int a) {{\n    if (a > {i})\n        a -= {i};\n    return a + 1;\n}}"
        )
        .unwrap();
    }
    text.push_str("static void *work(void *arg) {\n    (void)arg;\n");
    for i in (0..20_000).step_by(100) {
        writeln!(text, "    x += f{i}({i});").unwrap();
    }
    text.push_str("    return 0;\n}\nint main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, work, 0);\n    pthread_join(t, 0);\n    assert(x >= 0);\n    return 0;\n}\n");
    assert!(text.lines().count() > 100_000);
    let file = folder.file("long.c", text);
    let run = run(&["check", &file]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("verdict: safe"), "{}", run.stdout);
}

#[test]
fn a_reader_that_goes_away() {
    use std::process::Stdio;
    let mut child = common::command(&["dump", "examples/bank.c"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    drop(child.stdout.take());
    let run = common::finish(child, LIMIT).expect("ends");
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
}

/// A command with its standard output on a full disk.
fn on_full_disk(args: &[&str]) -> Run {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has one");
    let mut command = common::command(args);
    let child = command.stdout(full).stderr(std::process::Stdio::piped()).spawn().expect("starts");
    common::finish(child, LIMIT).expect("ends")
}

#[test]
fn reports_that_cannot_be_written() {
    let folder = Folder::new();
    let bug = folder.file("bug.c", BUG);
    let fine = folder.file("fine.c", "int main(void) { return 0; }");
    let slow = "tests/programs/safe/own_variables_8.c";
    for args in [
        &["check", &fine][..],
        &["check", &bug],
        &["check", "--format=json", &fine],
        &["check", "--timeout=1", "--algorithm=naive", slow],
        &["prove", "examples/bank.c"],
        &["dump", &fine],
        &["--help"],
    ] {
        let run = on_full_disk(args);
        assert_eq!(run.code, Some(2), "{args:?}: {}", run.stderr);
        let line = "heddle: cannot write to standard output: No space left on device";
        assert!(run.stderr.starts_with(line), "{args:?}: {}", run.stderr);
    }
}

/// What is no file is not replaced by one.
#[test]
fn files_on_a_full_disk() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::new();
    let bug = folder.file("bug.c", BUG);
    let traced = run(&["check", "--trace", "/dev/full", &bug]);
    assert_eq!(traced.code, Some(2), "{}", traced.stdout);
    assert!(traced.stdout.contains("verdict: unsafe"), "the report comes first: {}", traced.stdout);
    assert!(traced.stderr.contains("cannot write the trace to /dev/full"), "{}", traced.stderr);
    rejects(&["prove", "examples/bank.c", "-o", "/dev/full"], "cannot write the schedule");
    let kind = std::fs::metadata("/dev/full").expect("is there").file_type();
    assert!(kind.is_char_device());
}

#[test]
fn no_place_for_temporary_files() {
    let folder = Folder::new();
    let fine = folder.file("fine.c", "int main(void) { return 0; }");
    let mut command = common::command(&["check", &fine]);
    let run = common::run(command.env("TMPDIR", folder.path("missing")), LIMIT).expect("ends");
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.starts_with("heddle: cannot write temporary files: "), "{}", run.stderr);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
}

#[test]
fn flags_that_contradict_each_other() {
    rejects(&["check", "--rounds=3", "--algorithm=optimal", "a.c"], "--algorithm");
    rejects(&["check", "--bits=8", "--engine=explore", "a.c"], "--bits");
    rejects(&["check", "--jobs=2", "--engine=lazy", "a.c"], "--jobs");
    rejects(&["check", "--rounds=3", "--engine=imu", "a.c"], "--writes");
    rejects(&["check", "--engine=mu", "--mm=tso", "a.c"], "--mm tso");
    rejects(&["dump", "--unwind=3", "a.c"], "--bounded");
    rejects(&["dump", "--engine=mu", "a.c"], "--formula");
    rejects(&["dump", "--formula=-", "--engine=explore", "a.c"], "has no formula");
}

/// All functions that are missing are named at once, also behind pointers, by the names of
/// the source.
#[test]
fn functions_without_a_body_are_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = "int first(int); namespace n { void second(); } void third(), unused();
        static void (*table[])() = {third};
        int main(int argc, char **) { if (argc > 9) { first(1); n::second(); table[0](); } }
        void never() { unused(); }";
    let path = folder.path().join("main.cpp");
    std::fs::write(&path, source).expect("writable");
    let args = ["check".to_string(), path.to_string_lossy().into_owned()];
    let run = common::heddle(&args, Duration::from_secs(60)).expect("it ends");
    let warning = run.stderr.lines().find(|line| line.contains("no body and no model"));
    let warning = warning.unwrap_or_else(|| panic!("no warning in {}", run.stderr));
    for name in ["first", "n::second", "third"] {
        assert!(warning.contains(name), "{name} in {warning}");
    }
    assert!(!warning.contains("unused"), "{warning}");
}
