//! Parts of the page that need no script: the two accesses of a race, a deadlock with its
//! graph, a call stack, and what was covered.

use std::fmt::Write;

use heddle_ir::{Program, Span, Whose};
use heddle_semantics::StackEntry;

use super::graph;
use crate::explain::Explanation;
use crate::race::RaceAccess;
use crate::text::{access_title, object_title, shown_calls, thread_title, waiting_lines};
use crate::trace::Trace;
use crate::xml::escape;

pub(super) fn why(out: &mut String, why: &Explanation) {
    if why.sentences.is_empty() {
        return;
    }
    out.push_str("<section class=\"card why\"><h2>why</h2>\n");
    for sentence in &why.sentences {
        let _ = writeln!(out, "<p>{}.</p>", escape(sentence));
    }
    if let Some(hint) = &why.hint {
        let _ = writeln!(out, "<p class=\"hint\"><b>hint:</b> {}.</p>", escape(hint));
    }
    out.push_str("</section>\n");
}

pub(super) fn race(out: &mut String, program: &Program, trace: &Trace) {
    let Some(report) = &trace.race else { return };
    let _ = writeln!(
        out,
        "<section class=\"card\"><h2>nothing orders these two accesses</h2><div class=\"pair\">"
    );
    let [second, first] = &report.accesses;
    for (which, access) in [("", second), ("previous ", first)] {
        let title = escape(&access_title(trace, which, access));
        let _ = writeln!(out, "<div><b>{title}</b>{}", calls(program, &access.stack));
        locks(out, program, access);
        out.push_str("</div>\n");
    }
    let object = escape(&object_title(trace, report));
    let place = at(program, report.object.span);
    let _ = writeln!(out, "</div><p class=\"muted\">{object}{place}</p></section>");
}

fn locks(out: &mut String, program: &Program, access: &RaceAccess) {
    if access.locks.is_empty() {
        out.push_str("<div class=\"muted\">holds no lock</div>");
    }
    for lock in &access.locks {
        let (name, place) = (escape(&lock.name), at(program, lock.span));
        let _ = write!(out, "<div>holds <code>{name}</code>, {}{place}</div>", lock.how);
    }
}

pub(super) fn deadlock(out: &mut String, program: &Program, trace: &Trace) {
    let Some(report) = &trace.deadlock else { return };
    out.push_str("<section class=\"card waits\"><h2>who waits for whom</h2>\n");
    out.push_str(&graph::wait_for(trace, report));
    out.push_str("<ul>\n");
    for waiting in &report.waiting {
        let mut lines = waiting_lines(trace, waiting).into_iter();
        let (first, span) = lines.next().expect("at least who waits");
        let _ = write!(out, "<li>{}{}", escape(&first), at(program, span));
        for (line, span) in lines {
            let _ = write!(out, "<br>{}{}", escape(&line), at(program, span));
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ul></section>\n");
}

pub(super) fn stack(out: &mut String, program: &Program, trace: &Trace) {
    if trace.deadlock.is_some() || trace.race.is_some() || trace.violation.stack.is_empty() {
        return;
    }
    let who = escape(&thread_title(trace, trace.violation.thread));
    let calls = calls(program, &trace.violation.stack);
    let _ = writeln!(
        out,
        "<section class=\"card\" style=\"margin:0 1.6rem 1rem\"><h2>call stack of {who}</h2>\
         {calls}</section>"
    );
}

pub(super) fn covered(out: &mut String, covered: &[String]) {
    if covered.is_empty() {
        return;
    }
    out.push_str("<section class=\"card\"><h2>what was covered</h2><ul>\n");
    for item in covered {
        let _ = writeln!(out, "<li>{}</li>", escape(item));
    }
    out.push_str("</ul></section>\n");
}

fn calls(program: &Program, stack: &[StackEntry]) -> String {
    let mut out = String::from("<ul>");
    for entry in shown_calls(program, stack) {
        let function = escape(program.function(entry.function).display_name());
        let place = match program.whose(entry.span) {
            Whose::User => at(program, entry.span),
            _ => " <span class=\"muted\">of the library</span>".to_string(),
        };
        let _ = write!(out, "<li><code>{function}</code>{place}</li>");
    }
    out.push_str("</ul>");
    out
}

fn at(program: &Program, span: Span) -> String {
    match program.position(span) {
        Some(place) => format!(" <span class=\"muted mono\">at {}</span>", escape(&place)),
        None => String::new(),
    }
}
