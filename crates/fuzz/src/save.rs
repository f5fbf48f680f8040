//! A program as a file of its own, with what `naive` says about it.

use heddle_explore::Algorithm;

use crate::ast::Test;
use crate::batch::{Compiled, compile_text};
use crate::compare::search;
use crate::outcome::{Disagreement, Limits};
use crate::print::{HEADER, Waits, print};

/// C with the expectation on the lines it speaks of.
pub fn standalone(test: &Test, shows: &Disagreement, limits: &Limits) -> String {
    let detail = shows.detail.replace('\n', " ");
    let mut text = format!("// Seed {}: {:?}: {detail}\n", test.seed, shows.respect);
    text += &HEADER.lines().map(|line| format!("{line}\n")).collect::<String>();
    text += &print(test, "g_", Waits::Plain).replace("int g_main(", "int main(");
    let program = compile_text(&text, limits.spurious);
    let entry = program.find_function("main").expect("just printed");
    let compiled = Compiled { program, entry, line: 0, asks_for_blocks: false };
    let report = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        search(&compiled, Algorithm::Naive, limits, limits.naive)
    }));
    let Ok(Some(report)) = report else { return text };
    let annotate = |(index, line): (usize, &str)| {
        let here = report.findings.violations.iter().filter(|v| v.1.line as usize == index + 1);
        let mut kinds: Vec<_> = here.map(|violation| violation.0.name()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let marks: String = kinds.iter().map(|kind| format!(" //~ VIOLATION: {kind}")).collect();
        format!("{line}{marks}\n")
    };
    text.lines().enumerate().map(annotate).collect()
}
