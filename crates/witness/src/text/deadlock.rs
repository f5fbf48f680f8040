//! A deadlock: the chain of those who wait for each other, then who waits for them.

use std::fmt::Write;

use heddle_ir::{Program, Span};

use super::{Style, at, thread_title};
use crate::deadlock::{DeadlockReport, Waiting};
use crate::trace::Trace;

pub(super) fn deadlock(
    out: &mut String,
    program: &Program,
    trace: &Trace,
    report: &DeadlockReport,
    style: Style,
) {
    let title = match (report.cause, report.partial) {
        ("lock-cycle" | "join-cycle", _) => "these threads wait for each other:",
        (_, false) => "no thread can move:",
        (_, true) => "these threads wait for ever:",
    };
    let _ = writeln!(out, "{}", style.strong(title));
    let together = if title == "these threads wait for each other:" {
        report.root.len()
    } else {
        report.waiting.len()
    };
    let (root, others) = report.waiting.split_at(together.min(report.waiting.len()));
    root.iter().for_each(|waiting| line(out, program, trace, waiting, style));
    if !others.is_empty() {
        let _ = writeln!(out, "{}", style.strong("and these wait for them:"));
        others.iter().for_each(|waiting| line(out, program, trace, waiting, style));
    }
}

fn line(out: &mut String, program: &Program, trace: &Trace, waiting: &Waiting, style: Style) {
    for (nth, (text, span)) in waiting_lines(trace, waiting).into_iter().enumerate() {
        let indent = if nth == 0 { "  " } else { "    " };
        let _ = writeln!(out, "{indent}{text}{}", at(program, span, style));
    }
}

/// Who waits for what, and then who has it, each with the place it speaks of.
pub(crate) fn waiting_lines(trace: &Trace, waiting: &Waiting) -> Vec<(String, Span)> {
    let who = thread_title(trace, waiting.thread);
    let mut lines = vec![(format!("{who} waits {}", waiting.what), waiting.span)];
    for holder in &waiting.holders {
        let how = holder.how;
        let text = match (holder.thread == waiting.thread, holder.ended) {
            (true, _) => format!("which it has {how} itself"),
            (false, true) => {
                let holder = thread_title(trace, holder.thread);
                format!("which {holder}, now ended, {how}")
            }
            (false, false) => {
                format!("held by {}, {how}", thread_title(trace, holder.thread))
            }
        };
        lines.push((text, holder.span));
    }
    lines.extend(waiting.note.as_ref().map(|note| (note.text.clone(), note.span)));
    lines
}
