//! Witnesses in YAML, version 2.0.

use super::Task;
use super::sha256;
use crate::trace::Trace;

pub(super) fn witness(task: &Task<'_>, trace: Option<&Trace>) -> String {
    let kind = if trace.is_some() { "violation_sequence" } else { "invariant_set" };
    let content = trace.map_or_else(|| " []\n".to_string(), |trace| target(task, trace));
    let (file, hash) = (quote(&task.file), task.hash());
    let specification = quote(&task.specification);
    let model = task.architecture().1;
    let Task { created, version, .. } = task;
    let uuid = uuid(&format!("{hash}{specification}{created}{content}"));
    format!(
        "- entry_type: {kind}\n  metadata:\n    format_version: \"2.0\"\n    uuid: {uuid}\n    \
         creation_time: {created}\n    producer:\n      name: heddle\n      version: {}\n    \
         task:\n      input_files:\n        - {file}\n      input_file_hashes:\n        {file}: \
         {hash}\n      specification: {specification}\n      data_model: {model}\n      \
         language: C\n  content:{content}",
        quote(version)
    )
}

fn target(task: &Task<'_>, trace: &Trace) -> String {
    let violation = &trace.violation;
    let path = task.program.files.get(violation.span.file as usize).map(|file| file.path.as_str());
    let function = violation.stack.first().map(|entry| {
        format!(
            "\n            function: {}",
            quote(task.program.function(entry.function).display_name())
        )
    });
    let column = match violation.span.column {
        0 => String::new(),
        column => format!("\n            column: {column}"),
    };
    format!(
        "\n    - segment:\n      - waypoint:\n          type: target\n          action: follow\n          \
         location:\n            file_name: {}\n            line: {}{column}{}\n",
        quote(path.unwrap_or(&task.file)),
        violation.span.line,
        function.unwrap_or_default()
    )
}

/// A string of YAML in double quotes, which are those of JSON.
fn quote(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// From what it stands for, so that the same witness has the same name (RFC 9562, version 8).
fn uuid(text: &str) -> String {
    let hash = sha256::hex(text.as_bytes());
    let (a, b, c, d, e) = (&hash[..8], &hash[8..12], &hash[13..16], &hash[17..20], &hash[20..32]);
    format!("{a}-{b}-8{c}-a{d}-{e}")
}
