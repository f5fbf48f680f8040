//! The run as JSON, for the script of the page.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use heddle_ir::{Program, Span, Whose};
use heddle_semantics::{StackEntry, ViolationKind};
use serde::Serialize;

use crate::text::{read_source, shown_calls};
use crate::trace::Trace;

/// Files that are larger are shown around the lines that matter.
const WHOLE_FILE: usize = 40_000;
/// Lines shown on either side of one that matters.
const AROUND: u32 = 12;
/// All source text together.
const MOST_SOURCE: usize = 200_000;

#[derive(Serialize)]
struct Run<'a> {
    threads: Vec<Lane<'a>>,
    steps: Vec<Step<'a>>,
    /// How many of them are steps; the failure is one more.
    shown: usize,
    /// Steps that the violation is about.
    key: Vec<usize>,
    /// The step to begin with.
    start: usize,
    locations: Vec<Location<'a>>,
    files: Vec<File>,
    stacks: Vec<Vec<Call<'a>>>,
}

#[derive(Serialize)]
struct Lane<'a> {
    id: u32,
    name: &'a str,
}

#[derive(Default, Serialize)]
struct Step<'a> {
    t: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    f: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    l: Option<u32>,
    /// The verb, the place, the value, the old value.
    v: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    o: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loc: Option<usize>,
    #[serde(skip_serializing_if = "<[usize]>::is_empty")]
    rf: &'a [usize],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    initial: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    made: Option<usize>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    after: &'a [(usize, &'static str)],
    /// Locks held from now on, where that changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<Vec<(usize, &'static str)>>,
    /// Index of its call stack.
    k: usize,
}

#[derive(Serialize)]
struct Location<'a> {
    n: &'a str,
    #[serde(skip_serializing_if = "<[usize]>::is_empty")]
    o: &'a [usize],
}

#[derive(Serialize)]
struct File {
    name: String,
    path: String,
    /// Numbers of first lines, and the text from there.
    parts: Vec<(u32, String)>,
}

#[derive(Serialize)]
struct Call<'a> {
    r#fn: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    f: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    l: Option<u32>,
}

/// JSON that may stand inside a `script` element.
pub(super) fn json(program: &Program, trace: &Trace) -> String {
    let text = serde_json::to_string(&run(program, trace)).expect("plain data");
    // These occur inside strings only.
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            c => out.push(c),
        }
    }
    out
}

fn run<'a>(program: &'a Program, trace: &'a Trace) -> Run<'a> {
    let mut book =
        Book { program, files: BTreeMap::new(), stacks: Vec::new(), known: HashMap::new() };
    let mut steps: Vec<Step<'a>> = Vec::new();
    let mut held: HashMap<u32, Vec<(usize, &'static str)>> = HashMap::new();
    for step in &trace.steps {
        let (operation, context) = (&step.operation, &step.context);
        let now: Vec<_> = context.locks.iter().map(|lock| (lock.location, lock.how)).collect();
        let before = held.insert(step.thread.0, now.clone()).unwrap_or_default();
        let (f, l) = book.position(step.span);
        steps.push(Step {
            t: step.thread.0,
            f,
            l,
            v: operation.verb,
            p: operation.place.as_deref(),
            x: operation.value.as_deref(),
            o: operation.old.as_deref(),
            loc: context.location,
            rf: &context.reads_from,
            initial: context.initial,
            made: context.made,
            after: &context.follows,
            held: (now != before).then_some(now),
            k: book.stack(&context.stack),
        });
    }
    let shown = steps.len();
    let violation = &trace.violation;
    // What a deadlock or a leak is does not happen in a step.
    let late = matches!(violation.kind, ViolationKind::Deadlock | ViolationKind::Leak);
    if !late {
        let (f, l) = book.position(violation.span);
        let k = book.stack(&violation.stack);
        let x = Some(violation.kind.name());
        steps.push(Step { t: violation.thread.0, f, l, v: "fails", x, k, ..Step::default() });
    }
    let key: Vec<usize> =
        trace.race.iter().flat_map(|race| race.accesses.iter().filter_map(|a| a.step)).collect();
    let acts = |id: u32| steps.iter().any(|step| step.t == id);
    Run {
        threads: trace
            .threads
            .iter()
            .filter(|info| acts(info.id.0) || info.id == violation.thread)
            .map(|info| Lane { id: info.id.0, name: &info.function })
            .collect(),
        start: steps.len().saturating_sub(1),
        shown,
        key,
        locations: trace
            .locations
            .iter()
            .map(|place| Location { n: &place.name, o: &place.overlaps })
            .collect(),
        files: book.texts(),
        stacks: book.stacks,
        steps,
    }
}

/// What steps refer to by number.
struct Book<'a> {
    program: &'a Program,
    /// The number of each file that is mentioned, and which lines of it.
    files: BTreeMap<u32, (usize, BTreeSet<u32>)>,
    stacks: Vec<Vec<Call<'a>>>,
    known: HashMap<Vec<StackEntry>, usize>,
}

impl<'a> Book<'a> {
    fn position(&mut self, span: Span) -> (Option<usize>, Option<u32>) {
        if !span.is_known() || self.program.files.get(span.file as usize).is_none() {
            return (None, None);
        }
        let next = self.files.len();
        let (number, lines) = self.files.entry(span.file).or_insert((next, BTreeSet::new()));
        lines.insert(span.line);
        (Some(*number), Some(span.line))
    }

    fn stack(&mut self, stack: &[StackEntry]) -> usize {
        if let Some(&known) = self.known.get(stack) {
            return known;
        }
        let program = self.program;
        let mut calls = Vec::new();
        for entry in shown_calls(program, stack) {
            let (f, l) = match program.whose(entry.span) {
                Whose::User => self.position(entry.span),
                _ => (None, None),
            };
            calls.push(Call { r#fn: program.function(entry.function).display_name(), f, l });
        }
        self.stacks.push(calls);
        self.known.insert(stack.to_vec(), self.stacks.len() - 1);
        self.stacks.len() - 1
    }

    fn texts(&self) -> Vec<File> {
        let mut room = MOST_SOURCE;
        let mut files: Vec<(usize, File)> = Vec::new();
        for (&file, (number, lines)) in &self.files {
            let path = &self.program.files[file as usize].path;
            let text = read_source(self.program, file);
            let parts = text.map_or_else(Vec::new, |text| parts(&text, lines, &mut room));
            let name = path.rsplit('/').next().unwrap_or(path).to_string();
            files.push((*number, File { name, path: path.clone(), parts }));
        }
        files.sort_by_key(|(number, _)| *number);
        files.into_iter().map(|(_, file)| file).collect()
    }
}

/// The whole text, or what is around the lines that matter.
fn parts(text: &str, wanted: &BTreeSet<u32>, room: &mut usize) -> Vec<(u32, String)> {
    if text.len() <= WHOLE_FILE.min(*room) {
        *room -= text.len();
        return vec![(1, text.trim_end().to_string())];
    }
    let near = |number: u32| {
        let from = number.saturating_sub(AROUND);
        wanted.range(from..=number.saturating_add(AROUND)).next().is_some()
    };
    let mut parts: Vec<(u32, String)> = Vec::new();
    let mut previous = 0;
    for (number, line) in (1..).zip(text.lines()) {
        // Generated code has lines of any length.
        let line: String = line.chars().take(400).collect();
        if !near(number) || line.len() >= *room {
            continue;
        }
        *room -= line.len() + 1;
        match parts.last_mut() {
            Some((_, part)) if previous + 1 == number => {
                part.push('\n');
                part.push_str(&line);
            }
            _ => parts.push((number, line)),
        }
        previous = number;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_large_file_only_what_matters() {
        let text: String = (1..=9000).map(|n| format!("line {n}\n")).collect();
        let mut room = MOST_SOURCE;
        let shown = parts(&text, &BTreeSet::from([100, 110, 8000]), &mut room);
        let starts: Vec<u32> = shown.iter().map(|(start, _)| *start).collect();
        assert_eq!(starts, [88, 7988]);
        assert!(shown[0].1.ends_with("line 122"));
        let mut none = 0;
        assert!(parts(&text, &BTreeSet::from([100]), &mut none).is_empty());
    }
}
