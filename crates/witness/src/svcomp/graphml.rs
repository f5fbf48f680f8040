//! Witnesses in GraphML, version 1.0: an automaton whose only way is the run.

use std::fmt::Write;

use heddle_ir::Whose;

use super::Task;
use crate::trace::{Step, Trace};
use crate::xml::escape;

const KEYS: &[(&str, &str)] = &[
    ("witness-type", "graph"),
    ("sourcecodelang", "graph"),
    ("producer", "graph"),
    ("specification", "graph"),
    ("programfile", "graph"),
    ("programhash", "graph"),
    ("architecture", "graph"),
    ("creationtime", "graph"),
    ("entry", "node"),
    ("violation", "node"),
    ("startline", "edge"),
    ("threadId", "edge"),
    ("createThread", "edge"),
    ("enterFunction", "edge"),
];

pub(super) fn witness(task: &Task<'_>, trace: Option<&Trace>) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml \
         xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n",
    );
    for (key, owner) in KEYS {
        let kind = match *key {
            "entry" | "violation" => "boolean",
            "startline" | "threadId" | "createThread" => "int",
            _ => "string",
        };
        let _ = writeln!(
            out,
            "  <key attr.name=\"{key}\" attr.type=\"{kind}\" for=\"{owner}\" id=\"{key}\"/>"
        );
    }
    out.push_str("  <graph edgedefault=\"directed\">\n");
    let kind = if trace.is_some() { "violation_witness" } else { "correctness_witness" };
    let (hash, bits) = (task.hash(), task.architecture().0);
    let producer = format!("heddle {}", task.version);
    for (key, value) in [
        ("witness-type", kind),
        ("sourcecodelang", "C"),
        ("producer", &producer),
        ("specification", &task.specification),
        ("programfile", &task.file),
        ("programhash", &hash),
        ("architecture", bits),
        ("creationtime", &task.created),
    ] {
        data(&mut out, 4, key, value);
    }
    out.push_str("    <node id=\"N0\">\n");
    data(&mut out, 6, "entry", "true");
    out.push_str("    </node>\n");
    if let Some(trace) = trace {
        run(&mut out, task, trace);
    }
    out.push_str("  </graph>\n</graphml>\n");
    out
}

fn data(out: &mut String, indent: usize, key: &str, value: &str) {
    let pad = " ".repeat(indent);
    let _ = writeln!(out, "{pad}<data key=\"{key}\">{}</data>", escape(value));
}

/// One edge for each step on a line of the user's, and one into the violation.
fn run(out: &mut String, task: &Task<'_>, trace: &Trace) {
    let shown = |step: &&Step| step.span.is_known() && task.program.whose(step.span) == Whose::User;
    let steps: Vec<&Step> = trace.steps.iter().filter(shown).collect();
    for (at, step) in steps.iter().enumerate() {
        let next = at + 1;
        let _ = writeln!(out, "    <node id=\"N{next}\"/>");
        let _ = writeln!(out, "    <edge source=\"N{at}\" target=\"N{next}\">");
        data(out, 6, "startline", &step.span.line.to_string());
        data(out, 6, "threadId", &step.thread.0.to_string());
        if step.operation.verb == "create" {
            let child = step.operation.place.as_deref().and_then(|name| name.strip_prefix('T'));
            data(out, 6, "createThread", child.unwrap_or("0"));
            data(out, 6, "enterFunction", step.operation.value.as_deref().unwrap_or(""));
        }
        out.push_str("    </edge>\n");
    }
    let (last, end) = (steps.len(), steps.len() + 1);
    let _ = writeln!(out, "    <node id=\"N{end}\">");
    data(out, 6, "violation", "true");
    out.push_str("    </node>\n");
    let _ = writeln!(out, "    <edge source=\"N{last}\" target=\"N{end}\">");
    if trace.violation.span.is_known() {
        data(out, 6, "startline", &trace.violation.span.line.to_string());
    }
    data(out, 6, "threadId", &trace.violation.thread.0.to_string());
    out.push_str("    </edge>\n");
}
