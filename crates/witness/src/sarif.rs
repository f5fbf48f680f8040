//! A violation as SARIF 2.1.0 (OASIS, 2020), for code hosts and editors: one result, a code
//! flow with a thread flow for each thread, whose locations are numbered in the order of the
//! run (`executionOrder`, section 3.38.11), and the explanation as its message.

use heddle_ir::{Program, Span};
use heddle_semantics::ViolationKind;
use serde_json::{Value, json};

use crate::explain::explain;
use crate::text::{message, shown_calls};
use crate::trace::Trace;

/// The whole log. `version` is Heddle's; without a trace there are no results.
pub fn log(program: &Program, trace: Option<&Trace>, verdict: &str, version: &str) -> String {
    let rules: Vec<Value> = ViolationKind::ALL
        .iter()
        .map(|kind| {
            let name = kind.name();
            json!({ "id": name, "shortDescription": { "text": name.replace('-', " ") } })
        })
        .collect();
    let results: Vec<Value> = trace.iter().map(|trace| result(program, trace)).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "heddle", "version": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": verdict != "unknown",
                "properties": { "verdict": verdict },
            }],
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn result(program: &Program, trace: &Trace) -> Value {
    let violation = &trace.violation;
    let why = explain(program, trace);
    let mut text = format!("{}.", message(trace));
    for sentence in &why.sentences {
        text.push_str(&format!(" {sentence}."));
    }
    if let Some(hint) = &why.hint {
        text.push_str(&format!(" Hint: {hint}."));
    }
    let rule = ViolationKind::ALL.iter().position(|kind| *kind == violation.kind);
    let frames: Vec<Value> = shown_calls(program, &violation.stack)
        .map(|entry| {
            let name = program.function(entry.function).display_name();
            let place = location(program, entry.span, Some(name));
            json!({ "location": place })
        })
        .collect();
    let mut result = json!({
        "ruleId": violation.kind.name(),
        "level": "error",
        "message": { "text": text },
        "locations": located(program, violation.span),
        "codeFlows": [{ "threadFlows": thread_flows(program, trace) }],
    });
    if let Some(rule) = rule {
        result["ruleIndex"] = json!(rule);
    }
    if !frames.is_empty() {
        result["stacks"] = json!([{ "frames": frames }]);
    }
    if let Some(race) = &trace.race {
        let others = race.accesses.iter().filter_map(|access| access.stack.first());
        let places: Vec<Value> = others
            .filter_map(|entry| place(program, entry.span))
            .map(|place| json!({ "physicalLocation": place }))
            .collect();
        result["relatedLocations"] = json!(places);
    }
    result
}

/// One flow a thread; a thread without a step has none, since a flow may not be empty.
fn thread_flows(program: &Program, trace: &Trace) -> Vec<Value> {
    let mut flows = Vec::new();
    for info in &trace.threads {
        let mut steps: Vec<Value> = Vec::new();
        for (at, step) in trace.steps.iter().enumerate().filter(|(_, s)| s.thread == info.id) {
            let text = step.operation.to_string();
            steps.push(json!({
                "location": location(program, step.span, Some(&text)),
                "executionOrder": at + 1,
                "importance": if trace.is_switch(at) { "essential" } else { "important" },
            }));
        }
        if info.id == trace.violation.thread {
            let text = format!("fails: {}", trace.violation.kind);
            steps.push(json!({
                "location": location(program, trace.violation.span, Some(&text)),
                "executionOrder": trace.steps.len() + 1,
                "importance": "essential",
            }));
        }
        if !steps.is_empty() {
            flows.push(json!({
                "id": info.id.to_string(),
                "message": { "text": format!("{} {}", info.id, info.function) },
                "locations": steps,
            }));
        }
    }
    flows
}

fn located(program: &Program, span: Span) -> Vec<Value> {
    place(program, span).map(|place| json!({ "physicalLocation": place })).into_iter().collect()
}

fn location(program: &Program, span: Span, text: Option<&str>) -> Value {
    let mut location = json!({});
    if let Some(place) = place(program, span) {
        location["physicalLocation"] = place;
    }
    if let Some(text) = text {
        location["message"] = json!({ "text": text });
    }
    location
}

fn place(program: &Program, span: Span) -> Option<Value> {
    let file = program.files.get(span.file as usize).filter(|_| span.is_known())?;
    let mut region = json!({ "startLine": span.line });
    if span.column > 0 {
        region["startColumn"] = json!(span.column);
    }
    Some(json!({ "artifactLocation": { "uri": uri(&file.path) }, "region": region }))
}

/// A relative reference as RFC 3986 has it; a path that starts at the root becomes a `file:`.
fn uri(path: &str) -> String {
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'+' => {
                out.push(byte as char);
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[test]
fn paths_become_references() {
    assert_eq!(uri("src/a b#1.c"), "src/a%20b%231.c");
    assert_eq!(uri("/x/ä.c"), "file:///x/%C3%A4.c");
}
