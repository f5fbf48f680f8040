//! `--junit`: the result as a test suite of one case, as test reports of CI systems read it.

use std::fmt::Write;

use heddle_witness::text::{self, Detail, Style};
use heddle_witness::xml::escape;

use super::Told;

pub fn suite(told: &Told<'_>) -> String {
    let (outcome, settings) = (told.outcome, told.settings);
    let word = outcome.verdict.word();
    let files: Vec<String> =
        settings.program.inputs.iter().map(|path| path.display().to_string()).collect();
    let (files, entry) = (escape(&files.join(" ")), escape(&settings.entry));
    let seconds = told.effort.seconds();
    let trace = outcome.evidence.as_ref().map(|(_, trace)| trace);
    let line = outcome.line(told.program, told.effort);
    let counts = match (trace.is_some(), word) {
        (true, _) => "failures=\"1\" errors=\"0\" skipped=\"0\"",
        (false, "unknown") => "failures=\"0\" errors=\"1\" skipped=\"0\"",
        (false, _) => "failures=\"0\" errors=\"0\" skipped=\"0\"",
    };
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"1\" {counts}>\n  \
         <testsuite name=\"heddle\" tests=\"1\" {counts} time=\"{seconds:.3}\">\n    <testcase \
         classname=\"{files}\" name=\"{entry} ({})\" time=\"{seconds:.3}\">\n",
        settings.model
    );
    match trace {
        Some(trace) => {
            let report =
                text::report(told.program, trace, &told.replay(), Detail::Folded, Style::PLAIN);
            let _ = writeln!(
                out,
                "      <failure type=\"{}\" message=\"{}\">{}</failure>",
                trace.violation.kind.name(),
                escape(&text::message(trace)),
                escape(&report)
            );
        }
        None if word == "unknown" => {
            let _ = writeln!(out, "      <error type=\"unknown\" message=\"{}\"/>", escape(&line));
        }
        None => {}
    }
    let _ = write!(
        out,
        "      <system-out>{}</system-out>\n    </testcase>\n  </testsuite>\n</testsuites>\n",
        escape(&line)
    );
    out
}
