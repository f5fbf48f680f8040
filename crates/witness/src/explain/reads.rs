//! What the failing thread saw: the reads that the failure depends on, whose writes they
//! saw, and the shape of the run around them.

use heddle_semantics::{ThreadId, ViolationKind};

use super::shape::{self, Shape};
use super::{Explanation, Story};

/// How many reads are told of.
const MOST_READS: usize = 3;
/// How far it is followed where values came from.
const DEEPEST: usize = 4;

pub(super) fn seen(story: &Story<'_>) -> Explanation {
    if let Some(explanation) = joinable(story) {
        return explanation;
    }
    let direct = direct_reads(story);
    let all = sources(story, &direct);
    let mut sentences: Vec<String> = Vec::new();
    for &read in direct.iter().rev().take(MOST_READS).rev() {
        let told = tell(story, read);
        if !sentences.contains(&told) {
            sentences.push(told);
        }
    }
    inputs(story, &mut sentences);
    let shape = shape::find(story, &direct, &all);
    if let Some(Shape { pattern, mut told, hint }) = shape {
        sentences.append(&mut told);
        return Explanation { sentences, hint: Some(hint), pattern: Some(pattern) };
    }
    let violation = &story.trace.violation;
    if let Some(Shape { pattern, mut told, hint }) = failed_try(story) {
        sentences.append(&mut told);
        return Explanation { sentences, hint: Some(hint), pattern: Some(pattern) };
    }
    if alone(story) {
        let who = story.who(violation.thread);
        let place = story.at(violation.span);
        // What an assertion says stands above already.
        let what = match violation.kind {
            ViolationKind::Assertion | ViolationKind::Abort | ViolationKind::Terminate => {
                format!("{who} gets here{place} by itself")
            }
            _ => format!("{who}{place}: {}", violation.message),
        };
        sentences.push(format!("{what}; no other thread has to do with it"));
        return Explanation { sentences, hint: None, pattern: Some("sequential") };
    }
    for read in before_writing(story, &direct) {
        let told = tell(story, read);
        if !sentences.contains(&told) {
            sentences.push(told);
        }
    }
    if sentences.is_empty() && violation.kind != ViolationKind::Assertion {
        let (who, place) = (story.who(violation.thread), story.at(violation.span));
        sentences.push(format!("{who}{place}: {}", violation.message));
    }
    Explanation { sentences, hint: None, pattern: None }
}

/// The last try of the failing thread to take something that it did not get, and who had it.
fn failed_try(story: &Story<'_>) -> Option<Shape> {
    let me = story.trace.violation.thread;
    let fits = |at: &usize| {
        let step = &story.steps()[*at];
        step.thread == me && matches!(step.operation.verb, "failed trylock" | "failed trywait")
    };
    let tried = (0..story.steps().len()).rev().find(fits)?;
    let (what, location) = (story.what(tried), story.steps()[tried].context.location);
    let holders = story.trace.threads.iter().filter_map(|info| {
        let mut held = story.held_before(info.id, tried).iter();
        let lock = held.find(|lock| Some(lock.location) == location)?;
        let place = lock.step.map_or(String::new(), |step| story.at_step(step));
        let who = match info.id == me {
            true => "it".to_string(),
            false => story.who(info.id),
        };
        Some(format!("{who} had taken it{place}"))
    });
    let holders: Vec<String> = holders.collect();
    let mut told = format!(
        "{} tried to take {what}{} and did not get it",
        story.who(me),
        story.at_step(tried)
    );
    if !holders.is_empty() {
        told.push_str(&format!(": {}", holders.join(" and ")));
    }
    let hint = format!("be ready for a try that fails: {what} may be taken at any time");
    Some(Shape { pattern: "failed-try", told: vec![told], hint })
}

/// What others had read before they wrote what was seen: why they wrote that.
fn before_writing(story: &Story<'_>, direct: &[usize]) -> Vec<usize> {
    let me = story.trace.violation.thread;
    let mut found = Vec::new();
    for &read in direct.iter().rev().take(MOST_READS).rev() {
        for &writer in &story.steps()[read].context.reads_from {
            let made = story.made(writer);
            let thread = story.steps()[made].thread;
            let own = |at: &usize| story.steps()[*at].thread == thread && story.is_read(*at);
            let before = (0..made).rev().find(own);
            found.extend(before.filter(|at| thread != me && !found.contains(at)));
        }
    }
    found
}

/// A `std::thread` that goes away while its thread may still run ends the program.
fn joinable(story: &Story<'_>) -> Option<Explanation> {
    let violation = &story.trace.violation;
    let calls = |name: &str| {
        violation
            .stack
            .iter()
            .any(|entry| story.program.function(entry.function).display_name().contains(name))
    };
    let how = match violation.kind == ViolationKind::Terminate {
        true if calls("thread::~thread") => "destroyed",
        true if calls("thread::operator=") => "overwritten",
        _ => return None,
    };
    let (who, place) = (story.who(violation.thread), story.at(violation.span));
    let told = format!("{who}{place}: a std::thread is {how} that was neither joined nor detached");
    let hint = "join it before it goes away, or use std::jthread".to_string();
    Some(Explanation { sentences: vec![told], hint: Some(hint), pattern: Some("joinable") })
}

/// Reads of the failing thread on the line where it fails; else its last ones.
fn direct_reads(story: &Story<'_>) -> Vec<usize> {
    let violation = &story.trace.violation;
    let own = |at: usize| story.steps()[at].thread == violation.thread && story.is_read(at);
    let reads: Vec<usize> = (0..story.steps().len()).filter(|&at| own(at)).collect();
    let here = |&at: &usize| {
        let span = story.steps()[at].span;
        span.file == violation.span.file && span.line == violation.span.line
    };
    // The last visit to that line, not earlier ones of a loop.
    let mut last: Vec<usize> = reads.iter().rev().copied().take_while(here).collect();
    if last.is_empty() {
        last = reads.iter().rev().copied().take(MOST_READS).collect();
    }
    last.reverse();
    last
}

/// Those reads, and the reads that the values they saw were computed from, as far as lines
/// tell: who writes on a line uses what it read there or just before.
fn sources(story: &Story<'_>, direct: &[usize]) -> Vec<usize> {
    let mut all = direct.to_vec();
    let mut front = direct.to_vec();
    for _ in 0..DEEPEST {
        let mut next = Vec::new();
        for read in front {
            for &writer in &story.steps()[read].context.reads_from {
                let made = story.made(writer);
                let thread = story.steps()[made].thread;
                let own = |at: &usize| story.steps()[*at].thread == thread && story.is_read(*at);
                next.extend((0..=made).rev().filter(own).take(2));
            }
        }
        next.retain(|read| !all.contains(read));
        next.sort_unstable();
        next.dedup();
        all.extend(&next);
        front = next;
    }
    // Reads of the failing thread before, last first: a check that no longer holds.
    let me = story.trace.violation.thread;
    let own = |at: &usize| story.steps()[*at].thread == me && story.is_read(*at);
    for read in (0..story.steps().len()).rev().filter(own).take(12) {
        if !all.contains(&read) {
            all.push(read);
        }
    }
    all
}

/// `T0 main read balance = 150 at line 37, which T1 first_teller wrote at line 15`.
fn tell(story: &Story<'_>, read: usize) -> String {
    let step = &story.steps()[read];
    let who = story.who(step.thread);
    let value = match (&step.operation.old, &step.operation.value) {
        (Some(old), Some(new)) => format!("{} = {old} -> {new}", story.what(read)),
        _ => story.what_and_value(read),
    };
    let verb = if step.operation.old.is_some() { "updated" } else { "read" };
    let mut text = format!("{who} {verb} {value}{}", story.at_step(read));
    let writers = &step.context.reads_from;
    let from: Vec<String> = writers
        .iter()
        .map(|&writer| {
            let made = story.made(writer);
            let thread = story.steps()[made].thread;
            let who = match thread == step.thread {
                true => "it had written itself".to_string(),
                false => format!("{} wrote", story.who(thread)),
            };
            format!("{who}{}", story.at_step(made))
        })
        .collect();
    match (from.as_slice(), step.context.initial) {
        ([], true) => text.push_str(", which nobody had written to yet"),
        ([], false) => {}
        (from, _) => text.push_str(&format!(", which {}", from.join(" and "))),
    }
    text
}

/// What was read from outside, and memory whose content is chance.
fn inputs(story: &Story<'_>, sentences: &mut Vec<String>) {
    let (mut given, mut unwritten) = (Vec::new(), Vec::new());
    for at in (0..story.steps().len()).filter(|&at| story.steps()[at].operation.verb == "input") {
        let value = story.steps()[at].operation.value.as_deref().unwrap_or("?");
        match value.split_once(" (never written") {
            Some((value, _)) => unwritten.push(format!("{value}, allocated{}", story.at_step(at))),
            None => given.push(format!("{value}{}", story.at_step(at))),
        }
    }
    let list = |items: &[String]| match items.len() {
        0..=4 => items.join(", "),
        _ => format!("{}, …", items[..4].join(", ")),
    };
    if !given.is_empty() {
        let were = if given.len() == 1 { " was" } else { "s were" };
        sentences.push(format!("The input{were} {}", list(&given)));
    }
    if !unwritten.is_empty() {
        let what = list(&unwritten);
        sentences.push(format!("Memory that was never written happened to hold {what}"));
    }
}

/// Nothing that the failing thread did depends on another one that ran beside it: all that
/// it saw of others it saw after they had ended.
fn alone(story: &Story<'_>) -> bool {
    let me = story.trace.violation.thread;
    // Others were there before the first that is created.
    if me != ThreadId::MAIN {
        return false;
    }
    let others = story.steps().iter().any(|step| {
        step.thread != me && !matches!(step.operation.verb, "create" | "end" | "print")
    });
    let sees = story.steps().iter().any(|step| {
        let mut writers = step.context.reads_from.iter();
        step.thread == me && writers.any(|&writer| story.steps()[writer].thread != me)
    });
    !others && !sees
}
