//! A violation for people: what failed and where, how the threads got there, the
//! call stack, and how to see it again.

mod deadlock;
mod fold;
mod race;
mod source;
mod style;
mod table;

use std::fmt::Write;

use heddle_ir::{Program, Span, Whose};
use heddle_semantics::{StackEntry, ThreadId, ViolationKind};

pub(crate) use deadlock::waiting_lines;
pub use fold::Detail;
pub(crate) use race::{access_title, object_title};
pub(crate) use source::read_source;
pub use style::Style;

use crate::explain::{Explanation, explain};
use crate::trace::Trace;

/// Columns that a report tries not to exceed.
pub const WIDTH: usize = 100;

/// The whole report. `replay` is the command that shows the run again.
pub fn report(
    program: &Program,
    trace: &Trace,
    replay: &str,
    detail: Detail,
    style: Style,
) -> String {
    let mut out = String::new();
    headline(&mut out, program, trace, style);
    out.push('\n');
    let why = explanation(&explain(program, trace), style);
    if !why.is_empty() {
        out.push_str(&why);
        out.push('\n');
    }
    if let Some(report) = &trace.race {
        race::race(&mut out, program, trace, report, style);
        out.push('\n');
    }
    out.push_str(&table::interleaving(program, trace, detail, style));
    heap(&mut out, program, trace, style);
    if let Some(report) = &trace.deadlock {
        out.push('\n');
        deadlock::deadlock(&mut out, program, trace, report, style);
    } else if trace.race.is_none() {
        out.push('\n');
        stack(&mut out, program, trace, style);
    }
    let _ = writeln!(out, "\n{} {replay}", style.strong("replay:"));
    out
}

/// Why, in sentences; then a hint.
pub fn explanation(why: &Explanation, style: Style) -> String {
    let mut out = String::new();
    let mut paragraph = |head: &str, text: &str| {
        for (nth, line) in wrap(text, WIDTH - MARGIN).iter().enumerate() {
            let head = if nth == 0 { head } else { "" };
            let margin = " ".repeat(MARGIN - head.len());
            let _ = writeln!(out, "{}{margin}{line}", style.strong(head));
        }
    };
    for (nth, sentence) in why.sentences.iter().enumerate() {
        paragraph(if nth == 0 { "why:" } else { "" }, &format!("{sentence}."));
    }
    if let Some(hint) = &why.hint {
        paragraph("hint:", &format!("{hint}."));
    }
    out
}

/// Room for `hint: ` before sentences.
const MARGIN: usize = 6;

/// Lines of at most so many characters, if words allow it.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("never empty");
        if last.is_empty() {
            last.push_str(word);
        } else if last.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_string());
        } else {
            last.push(' ');
            last.push_str(word);
        }
    }
    lines
}

/// What failed, in a line.
pub fn message(trace: &Trace) -> String {
    let violation = &trace.violation;
    match (violation.kind, &trace.race) {
        // The message says so itself.
        (ViolationKind::Assertion | ViolationKind::Terminate | ViolationKind::Abort, _) => {
            violation.message.clone()
        }
        (_, Some(race)) => format!("data race on {}", race.place),
        (kind, _) => format!("{kind}: {}", violation.message),
    }
}

fn headline(out: &mut String, program: &Program, trace: &Trace, style: Style) {
    let (violation, message) = (&trace.violation, message(trace));
    let _ = writeln!(out, "{} {}", style.error("error:"), style.strong(&message));
    if let Some(position) = program.position(violation.span) {
        let _ = writeln!(out, "{} {position}", style.dim(" -->"));
    }
    if let Some(excerpt) = source::excerpt(program, violation.span, style) {
        out.push_str(&excerpt);
    }
}

/// Where the heap objects in the table come from.
fn heap(out: &mut String, program: &Program, trace: &Trace, style: Style) {
    for (index, span) in trace.heap.iter().enumerate() {
        let number = index + 1;
        let place = program.position(*span).unwrap_or_else(|| "an unknown place".to_string());
        let _ = writeln!(out, "  heap#{number}{}", style.dim(&format!(": allocated at {place}")));
    }
}

fn stack(out: &mut String, program: &Program, trace: &Trace, style: Style) {
    let violation = &trace.violation;
    let who = thread_title(trace, violation.thread);
    let title = match violation.kind {
        ViolationKind::Leak => format!("allocated by {who}:"),
        _ => format!("call stack of {who}:"),
    };
    let _ = writeln!(out, "{}", style.strong(&title));
    calls(out, program, &violation.stack, style);
}

fn calls(out: &mut String, program: &Program, stack: &[StackEntry], style: Style) {
    for (depth, entry) in shown_calls(program, stack).enumerate() {
        let function = program.function(entry.function).display_name();
        let place = match program.whose(entry.span) {
            Whose::User => at(program, entry.span, style),
            _ => style.dim(" of the library"),
        };
        let _ = writeln!(out, "  #{depth} {function}{place}");
    }
}

/// The user's calls, and those that they make of a library; all if none is the user's.
pub(crate) fn shown_calls<'a>(
    program: &Program,
    stack: &'a [StackEntry],
) -> impl Iterator<Item = &'a StackEntry> {
    let users = |entry: &StackEntry| program.whose(entry.span) == Whose::User;
    let any = stack.iter().any(users);
    let shown: Vec<bool> = (0..stack.len())
        .map(|index| !any || users(&stack[index]) || stack.get(index + 1).is_some_and(users))
        .collect();
    stack.iter().zip(shown).filter(|(_, shown)| *shown).map(|(entry, _)| entry)
}

fn at(program: &Program, span: Span, style: Style) -> String {
    match program.position(span) {
        Some(position) => style.dim(&format!(" at {position}")),
        None => String::new(),
    }
}

/// `T1 deposit`.
pub(crate) fn thread_title(trace: &Trace, thread: ThreadId) -> String {
    format!("{thread} {}", trace.function_of(thread))
}
