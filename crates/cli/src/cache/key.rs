//! What an answer depends on. Every setting is named here, so that a new one has to be thought of.

use std::fmt::Write;
use std::time::UNIX_EPOCH;

use heddle_frontend::Options;
use heddle_ir::Program;
use heddle_witness::svcomp::sha256::hex;

use crate::interrupt::Limits;
use crate::settings::Check;
use crate::version;

/// `None` if something that matters can't be told, or is not to be answered from before.
pub fn key(settings: &Check, program: &Program) -> Option<String> {
    let Check {
        program: options,
        entry,
        model,
        properties,
        engine,
        algorithm,
        without,
        unwind,
        max_threads,
        max_steps,
        max_switches,
        strict_states,
        delays,
        why_new,
        seed,
        runs,
        depth_first,
        // An answer that is definite is so however many looked for it.
        jobs: _,
        method,
        bound,
        bits,
        spurious,
        // And whatever they were allowed: it came within the limits.
        limits: Limits { timeout: _, memory: _ },
        format,
        trace,
        files,
        prp,
        quiet,
        detail,
        style,
        stats,
        explain,
        strict,
        proof,
        cache: _,
    } = settings;
    // What is written beside the report is not kept.
    let crate::formats::args::FileArgs { html, sarif, junit, witness } = files;
    if trace.is_some() || proof.is_some() || *why_new {
        return None;
    }
    if [html, sarif, junit, witness].into_iter().any(Option::is_some) {
        return None;
    }
    let mut text = String::new();
    let _ = writeln!(text, "{} {} {}", version::NUMBER, version::COMMIT, binary()?);
    let _ = writeln!(text, "{entry:?} {model} {properties:?} {engine:?} {algorithm:?} {without:?}");
    let _ = writeln!(text, "{unwind:?} {max_threads:?} {max_steps:?} {max_switches:?}");
    let _ = writeln!(text, "{strict_states} {seed} {runs:?} {depth_first} {method:?} {bound:?}");
    let _ = writeln!(text, "{bits:?} {spurious} {format:?} {prp:?} {quiet} {detail:?} {style:?}");
    let _ = writeln!(text, "{stats} {explain} {strict} {delays}");
    compiled(&mut text, options);
    sources(&mut text, program);
    let _ = write!(text, "{program:?}");
    Some(hex(text.as_bytes()))
}

/// This binary, which may have been built from more than its commit.
fn binary() -> Option<String> {
    let about = std::fs::metadata(std::env::current_exe().ok()?).ok()?;
    let written = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {}", about.len(), written.as_nanos()))
}

/// How the program was compiled, which reports name.
fn compiled(text: &mut String, options: &Options) {
    let Options {
        inputs,
        standard_input,
        flags,
        ilp32,
        interrupt: _,
        warn: _,
        arguments,
        wakeups,
        allocations_fail,
        unknown_calls,
    } = options;
    let _ = writeln!(text, "{inputs:?} {standard_input:?} {flags:?} {ilp32} {arguments:?}");
    let _ = writeln!(text, "{wakeups} {allocations_fail} {unknown_calls:?}");
}

/// The text of the files, which reports show.
fn sources(text: &mut String, program: &Program) {
    let Program { files, .. } = program;
    for file in files {
        let content = std::fs::read(&file.path).unwrap_or_default();
        let _ = writeln!(text, "{:?} {}", file.path, hex(&content));
    }
}
