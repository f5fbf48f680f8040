//! The closed loop of `heddle emit`: what Heddle says of the sequential C is what it says of
//! the threads within the same bounds; and what the C does when it is compiled and run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::common;
use crate::dialect::Expectations;

/// A way to make C of a program: for `emit`, and the engine with the same runs.
pub struct Way {
    pub name: &'static str,
    bound: &'static [&'static str],
    engine: &'static [&'static str],
    /// The C counts writes that the engine's bound leaves out, and lets no store arrive in
    /// the middle of a turn.
    more: &'static [&'static str],
    weak: bool,
}

pub const WAYS: &[Way] = &[
    Way {
        name: "lazy",
        bound: &["--rounds=2"],
        more: &["--rounds=4"],
        engine: &["--engine=lazy"],
        weak: true,
    },
    Way {
        name: "lal-reps",
        bound: &["--rounds=2"],
        more: &["--rounds=2"],
        engine: &["--engine=lal-reps"],
        weak: false,
    },
    Way {
        name: "mu",
        bound: &["--writes=6"],
        more: &["--writes=12"],
        engine: &["--engine=mu", "--schema=explicit"],
        weak: false,
    },
    Way {
        name: "imu",
        bound: &["--writes=3"],
        more: &["--writes=6"],
        engine: &["--engine=imu"],
        weak: true,
    },
];

/// Of the C, which is not always decided in the time.
const SECONDS: u64 = 20;
const LIMIT: Duration = Duration::from_secs(3 * SECONDS);
const UNWIND: &str = "--unwind=2";

/// What a comparison came to.
pub enum Outcome {
    Same,
    /// The way does not know the model.
    Unfit,
    /// No C can be made, or one of the two is not decided.
    Undecided(String),
    Different(String),
}

/// A program, in a folder of its own for what is made of it.
pub struct Loop<'a> {
    path: &'a Path,
    variant: &'a Expectations,
    folder: TempDir,
}

impl<'a> Loop<'a> {
    pub fn new(path: &'a Path, variant: &'a Expectations) -> Loop<'a> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Loop { path, variant, folder }
    }

    fn flags(&self, args: &mut Vec<String>) {
        args.push(self.path.to_string_lossy().into_owned());
        if !self.variant.cflags.is_empty() {
            args.push("--".to_string());
            args.extend(self.variant.cflags.iter().cloned());
        }
    }

    /// The C, or why there is none.
    pub fn emit(
        &self,
        way: &Way,
        bound: &[&str],
        model: &str,
        tool: &str,
    ) -> Result<PathBuf, String> {
        let output = self.folder.path().join(format!("{}-{model}-{tool}.c", way.name));
        let mut args: Vec<String> =
            ["emit", UNWIND, "--sequentialize", way.name, "--mm", model, "--for", tool, "-o"]
                .map(String::from)
                .to_vec();
        args.push(output.to_string_lossy().into_owned());
        args.extend(bound.iter().map(ToString::to_string));
        self.flags(&mut args);
        let Some(run) = common::heddle(&args, LIMIT) else { return Err("no end".to_string()) };
        match run.code {
            Some(0) => Ok(output),
            _ => Err(run.stderr.lines().last().unwrap_or_default().to_string()),
        }
    }

    /// The verdict on the threads.
    fn threads(&self, way: &Way, model: &str) -> String {
        let mut args = check_args();
        args.extend([UNWIND.to_string(), format!("--mm={model}")]);
        args.extend(["--check=assert,abort,memory".to_string()]);
        args.extend(way.engine.iter().chain(way.bound).map(ToString::to_string));
        self.flags(&mut args);
        verdict(&args).0
    }

    /// Is the verdict on the C that on the threads?
    pub fn compare(&self, way: &Way, model: &str) -> Outcome {
        if model != "sc" && !way.weak {
            return Outcome::Unfit;
        }
        let c = match self.emit(way, way.bound, model, "svcomp") {
            Ok(c) => c,
            Err(why) => return Outcome::Undecided(why),
        };
        let (threads, sequential) = (self.threads(way, model), verdict_of_c(&c).0);
        match (threads.as_str(), sequential.as_str()) {
            ("unsafe", "unsafe") | ("safe" | "bounded", "safe" | "bounded") => Outcome::Same,
            ("unsafe", "safe") => {
                let more = self.emit(way, way.more, model, "svcomp");
                match more.map(|c| verdict_of_c(&c).0).as_deref() {
                    Ok("unsafe") => Outcome::Same,
                    Ok("safe") => Outcome::Different("unsafe, but as C safe".to_string()),
                    _ => Outcome::Undecided("unsafe, as C safe so far".to_string()),
                }
            }
            ("unsafe", "bounded") | ("safe" | "bounded", "unsafe") => {
                Outcome::Different(format!("{threads}, but as C {sequential}"))
            }
            // What is wrong with the C must be wrong with the program.
            (_, "unsafe") if self.variant.violations(model).is_empty() => {
                Outcome::Different(format!("right, by the engine {threads}, but as C unsafe"))
            }
            _ => Outcome::Undecided(format!("{threads}, as C {sequential}")),
        }
    }

    /// The native program of the C.
    pub fn compile(&self, compiler: &str, c: &Path) -> Result<PathBuf, String> {
        let binary = c.with_extension(compiler);
        let mut command = Command::new(compiler);
        command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-o"]);
        command.arg(&binary).arg(c);
        let run = common::run(&mut command, LIMIT).ok_or("the compiler does not end")?;
        match run.code {
            Some(0) => Ok(binary),
            _ => Err(format!("{compiler}: {}", run.stderr)),
        }
    }

    /// What the native program exits with, for choices that are read from a file or made
    /// from a seed.
    pub fn run(&self, binary: &Path, args: &[&str]) -> Option<i32> {
        common::run(Command::new(binary).args(args), LIMIT)?.code
    }

    /// The choices of the violation that Heddle finds in the C, as a file for the native one.
    pub fn choices(&self, c: &Path) -> Option<PathBuf> {
        let trace = c.with_extension("json");
        let mut args = check_args();
        args.push(format!("--trace={}", trace.display()));
        args.push(c.to_string_lossy().into_owned());
        if verdict(&args).0 != "unsafe" {
            return None;
        }
        let text = std::fs::read_to_string(&trace).ok()?;
        let value: Value = serde_json::from_str(&text).ok()?;
        let all = value["schedule"]["choices"].as_array()?;
        let inputs = all.iter().filter_map(|choice| choice["input"][1].as_u64());
        let lines: Vec<String> = inputs.map(|input| input.to_string()).collect();
        let file = c.with_extension("choices");
        std::fs::write(&file, lines.join("\n")).ok()?;
        Some(file)
    }
}

fn check_args() -> Vec<String> {
    vec!["check".to_string(), "--format=json".to_string(), format!("--timeout={SECONDS}")]
}

/// The verdict, and the whole report.
fn verdict(args: &[String]) -> (String, Value) {
    let run = common::heddle(args, LIMIT);
    let report = run.and_then(|run| serde_json::from_str::<Value>(&run.stdout).ok());
    let report = report.unwrap_or_default();
    (report["verdict"].as_str().unwrap_or("none").to_string(), report)
}

fn verdict_of_c(c: &Path) -> (String, Value) {
    let mut args = check_args();
    args.extend(["--engine=lazy".to_string(), c.to_string_lossy().into_owned()]);
    verdict(&args)
}

/// Programs that are quick in every way: right and wrong ones, under weak memory or not.
const SAMPLE: &[&str] =
    &["litmus/sb.c", "litmus/mp.c", "unsafe/lost_update.c", "safe/mutex_counter.c"];

fn variant(path: &Path) -> Expectations {
    let variants = crate::read(path).expect("expectations");
    variants.into_iter().find(|variant| variant.args.is_empty()).expect("a variant")
}

#[test]
fn verdicts_on_the_c_are_those_on_the_threads() {
    for name in SAMPLE {
        let path = crate::folder().join(name);
        let variant = variant(&path);
        let closed_loop = Loop::new(&path, &variant);
        // With guesses of all memory after every write, the others take long.
        let is_quick = |way: &&Way| way.name != "mu" || name.starts_with("litmus");
        for way in WAYS.iter().filter(is_quick) {
            for model in variant.lazy_models() {
                match closed_loop.compare(way, model) {
                    Outcome::Same | Outcome::Unfit => {}
                    Outcome::Undecided(what) | Outcome::Different(what) => {
                        panic!("{name} by {} under {model}: {what}", way.name)
                    }
                }
            }
        }
    }
}

/// Compilers that are here.
fn compilers() -> Vec<&'static str> {
    let is_here = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let gcc = ["gcc"].into_iter().find(is_here);
    let clang = ["clang", "clang-22"].into_iter().find(is_here);
    assert!(gcc.is_some() || clang.is_some(), "no compiler");
    gcc.into_iter().chain(clang).collect()
}

/// The way of a name.
fn way(name: &str) -> &'static Way {
    WAYS.iter().find(|way| way.name == name).expect("a way")
}

#[test]
fn native_c_fails_by_the_choices_of_a_violation() {
    let path = crate::folder().join("litmus/sb.c");
    let variant = variant(&path);
    let closed_loop = Loop::new(&path, &variant);
    for way in WAYS.iter().filter(|way| way.weak) {
        let c = closed_loop.emit(way, way.bound, "tso", "svcomp").expect("C");
        let choices = closed_loop.choices(&c).expect("a violation");
        for compiler in compilers() {
            let native = closed_loop.emit(way, way.bound, "tso", "gcc").expect("C");
            let binary = closed_loop.compile(compiler, &native).expect("compiles");
            let file = choices.to_string_lossy();
            let code = closed_loop.run(&binary, &["--choices", &file]);
            assert_eq!(code, Some(1), "{} by {compiler}", way.name);
        }
    }
}

#[test]
fn native_c_never_fails_where_that_is_proven() {
    let path = crate::folder().join("litmus/mp.c");
    let variant = variant(&path);
    let closed_loop = Loop::new(&path, &variant);
    for way in WAYS {
        let model = if way.weak { "tso" } else { "sc" };
        let c = closed_loop.emit(way, way.bound, model, "gcc").expect("C");
        let binary = closed_loop.compile(compilers()[0], &c).expect("compiles");
        let mut ended = 0;
        for seed in 0..200 {
            let code = closed_loop.run(&binary, &[&seed.to_string()]);
            assert!(matches!(code, Some(0 | 3)), "{} with seed {seed}: {code:?}", way.name);
            ended += u32::from(code == Some(0));
        }
        // Guesses are hardly ever right by chance.
        assert!(ended > 0 || way.name != "lazy", "no run is complete");
    }
}

#[test]
fn every_backend_compiles_without_warnings() {
    // The other one has no threads.
    for name in ["litmus/sb.c", "safe/integers.c"] {
        compiles_without_warnings(&crate::folder().join(name));
    }
}

fn compiles_without_warnings(path: &Path) {
    let variant = variant(path);
    let closed_loop = Loop::new(path, &variant);
    // Built into the verifiers.
    let declared = closed_loop.folder.path().join("declared.h");
    let mut text = String::new();
    for verifier in ["CPROVER", "ESBMC"] {
        text += &format!("void __{verifier}_assume(_Bool);\n");
        text += &format!("void __{verifier}_assert(_Bool, const char *);\n");
    }
    std::fs::write(&declared, text).expect("written");
    for way in WAYS {
        for tool in ["gcc", "svcomp", "cbmc", "esbmc"] {
            let c = closed_loop.emit(way, way.bound, "sc", tool).expect("C");
            for compiler in compilers() {
                let mut command = Command::new(compiler);
                command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]);
                command.arg("-include").arg(&declared).arg(&c);
                let run = common::run(&mut command, LIMIT).expect("ends");
                assert_eq!(run.code, Some(0), "{} for {tool}: {}", way.name, run.stderr);
            }
        }
    }
}

/// An instance of a wrong program that may preempt everywhere fails, as does some that may
/// not; and there is no instance of a right one that does.
#[test]
fn instances_are_files_with_tile_guards() {
    for (name, fails) in [("unsafe/lost_update.c", true), ("safe/mutex_counter.c", false)] {
        let path = crate::folder().join(name);
        let variant = variant(&path);
        let closed_loop = Loop::new(&path, &variant);
        let folder = closed_loop.folder.path().join("instances");
        let mut args: Vec<String> =
            ["emit", UNWIND, "--rounds=2", "--tiles=1", "--tile-size=2", "--instances=12", "-o"]
                .map(String::from)
                .to_vec();
        args.push(folder.to_string_lossy().into_owned());
        closed_loop.flags(&mut args);
        let run = common::heddle(&args, LIMIT).expect("ends");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let files: Vec<PathBuf> = std::fs::read_dir(&folder)
            .expect("a folder")
            .map(|entry| entry.expect("readable").path())
            .collect();
        assert!((2..=12).contains(&files.len()), "{} files", files.len());
        let text = std::fs::read_to_string(&files[0]).expect("readable");
        assert!(text.contains("open[THREADS][POINTS]"), "no guards in {name}");
        let wrong = files.iter().filter(|file| verdict_of_c(file).0 == "unsafe").count();
        assert_eq!(wrong > 0, fails, "{name}: {wrong} of {} fail", files.len());
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let path = crate::folder().join("litmus/sb.c");
    let variant = variant(&path);
    let closed_loop = Loop::new(&path, &variant);
    let error = closed_loop.emit(way("mu"), &[], "tso", "gcc").expect_err("no C");
    assert!(error.contains("for sequential consistency only"), "{error}");
    for (args, told) in [
        (&["--sequentialize=mu", "--tiles=1", "--tile-size=3"][..], "mu has no turns"),
        (&["--tiles=1", "--tile-size=3"][..], "name a folder with -o"),
        (&["--tiles=1"][..], "--tile-size"),
        (&["--sequentialize=mu", "--rounds=3"][..], "mu has no --rounds"),
    ] {
        let mut all = vec!["emit".to_string()];
        all.extend(args.iter().map(ToString::to_string));
        closed_loop.flags(&mut all);
        let run = common::heddle(&all, LIMIT).expect("ends");
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(told), "{}", run.stderr);
    }
}

/// Another verifier says the same, if it is there.
#[test]
fn cbmc_says_the_same() {
    if Command::new("cbmc").arg("--version").output().is_err() {
        eprintln!("NOT COMPARED: there is no `cbmc` here");
        return;
    }
    for (name, model, fails) in
        [("litmus/sb.c", "sc", false), ("litmus/sb.c", "tso", true), ("litmus/mp.c", "tso", false)]
    {
        let path = crate::folder().join(name);
        let variant = variant(&path);
        let closed_loop = Loop::new(&path, &variant);
        for way in WAYS.iter().filter(|way| way.weak || model == "sc") {
            let c = closed_loop.emit(way, way.bound, model, "cbmc").expect("C");
            let mut command = Command::new("cbmc");
            // More than any loop of the C has turns.
            command.args(["--unwind", "40", "--unwinding-assertions"]).arg(&c);
            let run = common::run(&mut command, LIMIT).expect("ends");
            let wanted = if fails { 10 } else { 0 };
            assert_eq!(run.code, Some(wanted), "{name} by {}: {}", way.name, run.stdout);
        }
    }
}
