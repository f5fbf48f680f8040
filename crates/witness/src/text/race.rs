//! A data race, in the order that people know from ThreadSanitizer: the access, the
//! one before it, what was accessed, and where the threads come from.

use std::fmt::Write;

use heddle_ir::Program;

use super::{Style, at, calls, thread_title};
use crate::race::{ObjectInfo, RaceAccess, RaceReport};
use crate::trace::Trace;

pub(super) fn race(
    out: &mut String,
    program: &Program,
    trace: &Trace,
    report: &RaceReport,
    style: Style,
) {
    let [second, first] = &report.accesses;
    access(out, program, trace, ("", second), style);
    access(out, program, trace, ("previous ", first), style);
    object(out, program, trace, report, style);
    for creation in &report.creations {
        let (who, parent) =
            (thread_title(trace, creation.thread), thread_title(trace, creation.parent));
        let _ = writeln!(out, "{}", style.strong(&format!("{who} was created by {parent}:")));
        calls(out, program, &creation.stack, style);
    }
}

fn access(
    out: &mut String,
    program: &Program,
    trace: &Trace,
    (which, access): (&str, &RaceAccess),
    style: Style,
) {
    let title = access_title(trace, which, access) + ":";
    let _ = writeln!(out, "{}", style.strong(&title));
    calls(out, program, &access.stack, style);
    for lock in &access.locks {
        let place = at(program, lock.span, style);
        let _ = writeln!(out, "  holds {}, {}{place}", lock.name, lock.how);
    }
    if access.locks.is_empty() {
        let _ = writeln!(out, "  holds no lock");
    }
}

/// `write of 4 bytes to counter by T1 work`.
pub(crate) fn access_title(trace: &Trace, which: &str, access: &RaceAccess) -> String {
    let atomic = access.order.map_or(String::new(), |order| format!("atomic ({order}) "));
    let RaceAccess { kind, bytes, place, .. } = access;
    let plural = if *bytes == 1 { "" } else { "s" };
    let who = thread_title(trace, access.thread);
    match *kind {
        "free" | "end of life" => format!("{which}{kind} of {place} by {who}"),
        "write" => format!("{which}{atomic}write of {bytes} byte{plural} to {place} by {who}"),
        _ => format!("{which}{atomic}{kind} of {bytes} byte{plural} at {place} by {who}"),
    }
}

fn object(out: &mut String, program: &Program, trace: &Trace, report: &RaceReport, style: Style) {
    let text = object_title(trace, report);
    let ObjectInfo { kind, span, stack, .. } = &report.object;
    if *kind == "heap" {
        let _ = writeln!(out, "{}", style.strong(&(text + ":")));
        calls(out, program, stack, style);
        return;
    }
    let _ = writeln!(out, "{}{}", style.strong(&text), at(program, *span, style));
}

/// `counter is a global of 4 bytes, declared`, to be followed by where that is.
pub(crate) fn object_title(trace: &Trace, report: &RaceReport) -> String {
    let ObjectInfo { kind, name, bytes, thread, function, .. } = &report.object;
    let owner = thread.map_or(String::new(), |thread| thread_title(trace, thread));
    let name = name.as_deref().unwrap_or(&report.place);
    match *kind {
        "heap" => format!("{name} is in a heap block of {bytes} bytes, allocated by {owner}"),
        "stack" => {
            let function = function.as_deref().unwrap_or("?");
            format!("{name} is a variable of {bytes} bytes of {owner}, in {function}")
        }
        "thread-local" => {
            format!("{name} is a thread-local variable of {bytes} bytes of {owner}, declared")
        }
        _ => format!("{name} is a global of {bytes} bytes, declared"),
    }
}
