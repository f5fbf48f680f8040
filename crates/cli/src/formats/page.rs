//! `--html`: the report as a page for a browser.

use heddle_frontend::Options;
use heddle_ir::Program;
use heddle_memory::Model;
use heddle_semantics::Verdict;
use heddle_witness::Trace;
use heddle_witness::html::{Facts, page};

use super::Told;
use crate::effort::Effort;
use crate::verdict::Outcome;

pub fn of_check(told: &Told<'_>) -> String {
    let Told { settings, who: (engine, algorithm), program, outcome, effort } = told;
    let trace = outcome.evidence.as_ref().map(|(_, trace)| trace);
    let mut facts = about(&settings.program, settings.model);
    if settings.entry != "main" {
        facts.push(("entry", settings.entry.clone()));
    }
    let names: Vec<&str> = settings.properties.iter().map(|property| property.name()).collect();
    facts.push(("looked for", names.join(", ")));
    facts.push((
        "found by",
        match algorithm {
            Some(algorithm) => format!("{} ({algorithm})", engine.name()),
            None => engine.name().to_string(),
        },
    ));
    if trace.is_none() {
        facts.push(("effort", effort.short()));
    }
    let line = outcome.line(program, effort);
    let line = line.strip_prefix("verdict: ").unwrap_or(&line).to_string();
    let facts = Facts {
        verdict: outcome.verdict.word(),
        line,
        facts,
        covered: covered(outcome, effort),
        replay: trace.map(|_| told.replay()),
    };
    page(program, &facts, trace)
}

pub fn of_replay(
    program: &Program,
    options: &Options,
    model: Model,
    trace: &Trace,
    replay: String,
) -> String {
    let facts = Facts {
        verdict: "unsafe",
        line: String::new(),
        facts: about(options, model),
        covered: Vec::new(),
        replay: Some(replay),
    };
    page(program, &facts, Some(trace))
}

fn about(options: &Options, model: Model) -> Vec<(&'static str, String)> {
    let files: Vec<String> = options.inputs.iter().map(|path| path.display().to_string()).collect();
    let mut facts = vec![("program", files.join(" ")), ("memory model", model.to_string())];
    if !options.flags.is_empty() {
        facts.push(("compiler flags", options.flags.join(" ")));
    }
    facts
}

/// What a verdict says, item by item. A violation needs no words about the rest.
fn covered(outcome: &Outcome, effort: &Effort) -> Vec<String> {
    let mut items = Vec::new();
    match &outcome.verdict {
        Verdict::Unsafe(_) => return items,
        Verdict::Safe => items.push(
            "every interleaving, every loop to its end, every input: nothing was cut".to_string(),
        ),
        Verdict::Bounded(bounds) => {
            items.push("every interleaving within these bounds, and nothing beyond:".to_string());
            items.extend(bounds.to_string().split(", ").map(str::to_string));
        }
        Verdict::Unknown(reason) => items.push(reason.replace('\n', " ")),
    }
    if let Some(bounds) = &outcome.covered {
        items.push(format!("no violation with {bounds}"));
    }
    items.extend(outcome.because.clone());
    items.extend(effort.missed());
    items.extend(effort.lines().lines().map(str::to_string));
    items
}
