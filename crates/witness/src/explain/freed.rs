//! Memory that is gone, that is lost, or that two threads use without an order.

use super::{Explanation, Story};
use crate::race::RaceAccess;

/// Two accesses that nothing orders.
pub(super) fn race(story: &Story<'_>) -> Explanation {
    let Some(report) = &story.trace.race else { return Explanation::default() };
    let [second, first] = &report.accesses;
    let done = |access: &RaceAccess| {
        let (who, place) = (story.who(access.thread), &access.place);
        let span =
            access.stack.iter().map(|entry| entry.span).find(|span| {
                story.program.whose(*span) == heddle_ir::Whose::User && span.is_known()
            });
        let at = span.map_or(String::new(), |span| story.at(span));
        let verb = match access.kind {
            "read" => "reads",
            "write" => "writes",
            "free" => "frees",
            "read-modify-write" => "updates",
            _ => "ends the life of",
        };
        let atomic = if access.order.is_some() { " atomically" } else { "" };
        format!("{who} {verb} {place}{atomic}{at}")
    };
    let names = |access: &RaceAccess| -> Vec<String> {
        access.locks.iter().map(|lock| lock.name.clone()).collect()
    };
    let (ours, theirs) = (names(second), names(first));
    let locks = match (ours.is_empty(), theirs.is_empty()) {
        (true, true) => "Neither holds a lock.".to_string(),
        (false, false) => format!(
            "They hold different locks: {} has {}, {} has {}.",
            story.who(first.thread),
            theirs.join(" and "),
            story.who(second.thread),
            ours.join(" and ")
        ),
        (true, false) => {
            format!("Only {} holds {}.", story.who(first.thread), theirs.join(" and "))
        }
        (false, true) => format!("Only {} holds {}.", story.who(second.thread), ours.join(" and ")),
    };
    let sentences = vec![
        format!("{}, and {}: nothing orders the two", done(first), done(second)),
        locks.trim_end_matches('.').to_string(),
    ];
    let place = &report.place;
    let all = ours.iter().chain(&theirs).next();
    let freed = [first, second].iter().any(|access| access.kind == "free");
    let (pattern, hint) = match all {
        _ if freed => (
            "freed-in-use",
            format!("free {place} when its last user is done: after a join, or by a counter"),
        ),
        Some(lock) => ("missing-lock", format!("hold {lock} for every access to {place}")),
        None => (
            "no-lock",
            format!(
                "hold one mutex for every access to {place}, or make it atomic; a flag that says \
                 that it is ready must be stored with release and loaded with acquire"
            ),
        ),
    };
    Explanation { sentences, hint: Some(hint), pattern: Some(pattern) }
}

/// A block or a variable that is used after its end.
pub(super) fn freed(story: &Story<'_>) -> Explanation {
    let violation = &story.trace.violation;
    let me = violation.thread;
    let user = story.who(me);
    let again = violation.kind == heddle_semantics::ViolationKind::DoubleFree;
    let uses = if again { "frees it again" } else { "uses it" };
    let here = story.at(violation.span);
    let Some(end) = end_of_life(story) else {
        let message = &violation.message;
        let sentences = vec![format!("{user}{here}: {message}")];
        let local = message.contains("returned");
        let hint = local.then(|| {
            "a variable lives as long as its function: wait for those who have its address (join) \
             before it returns, or allocate it"
                .to_string()
        });
        return Explanation { sentences, hint, pattern: local.then_some("local-outlived") };
    };
    let step = &story.steps()[end];
    let (who, place) = (story.who(step.thread), story.at_step(end));
    let name = story.what(end);
    let mut sentences = vec![match step.thread == me {
        true => format!("{user} has freed {name}{place} and {uses}{here}"),
        false => format!("{who} has freed {name}{place}, and {user} {uses}{here}"),
    }];
    let got = (0..story.steps().len()).rev().find(|&at| {
        let step = &story.steps()[at];
        step.thread == me
            && matches!(step.operation.verb, "read" | "swap" | "update" | "failed swap")
            && step.operation.value.as_deref() == Some(name)
    });
    if let Some(got) = got.filter(|_| step.thread != me) {
        let when = if got < end { "before that" } else { "even after that" };
        let (what, place) = (story.what(got), story.at_step(got));
        sentences.push(format!("{user} read {what} = {name}{place}, {when}"));
    }
    let hint = match step.thread == me {
        true => "nothing may use a block after it is freed; other threads are not needed for this",
        false => {
            "free it when its last user is done: join the others first, or count who has it and \
             let the last one free it"
        }
    };
    let pattern = if step.thread == me { "freed-itself" } else { "freed-in-use" };
    Explanation { sentences, hint: Some(hint.to_string()), pattern: Some(pattern) }
}

/// The step that ended the life of what is used: of the block that the message names by its
/// allocation, else the last one.
fn end_of_life(story: &Story<'_>) -> Option<usize> {
    let message = &story.trace.violation.message;
    let ends =
        |&at: &usize| matches!(story.steps()[at].operation.verb, "free" | "freed" | "out of scope");
    let all: Vec<usize> = (0..story.steps().len()).rev().filter(ends).collect();
    let named = |at: &&usize| {
        let number = story.what(**at).strip_prefix("heap#")?;
        let number: usize = number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
        let span = story.trace.heap.get(number.checked_sub(1)?)?;
        let place = story.program.position(*span)?;
        message.contains(&format!("allocated at {place} ")).then_some(())
    };
    let fits = |at: &&usize| named(at).is_some();
    if message.contains("allocated at") {
        return all.iter().find(fits).copied();
    }
    (!message.contains("returned")).then(|| all.first().copied()).flatten()
}

/// A block that nothing points to any more.
pub(super) fn leak(story: &Story<'_>) -> Explanation {
    let violation = &story.trace.violation;
    let made = story.at(violation.span);
    let who = story.who(violation.thread);
    let mut sentences = vec![format!("{who} allocates a block{made} that nobody frees")];
    let number = story.trace.heap.iter().position(|span| *span == violation.span);
    let name = number.map(|number| format!("heap#{}", number + 1));
    let kept = (0..story.steps().len()).rev().find(|&at| {
        story.is_written(at) && name.is_some() && story.steps()[at].operation.value == name
    });
    if let Some(kept) = kept {
        let later = (kept + 1..story.steps().len())
            .find(|&at| story.is_store(at) && story.overlap(kept, at) && story.made(at) != kept);
        let what = story.what(kept);
        sentences.push(match later {
            Some(at) => format!(
                "the pointer to it was kept in {what}{}, where {} wrote another value{}",
                story.at_step(kept),
                story.who(story.steps()[at].thread),
                story.at_step(at)
            ),
            None => format!("the last pointer to it was kept in {what}{}", story.at_step(kept)),
        });
    }
    let hint = "free it before the last pointer to it goes away or is overwritten".to_string();
    Explanation { sentences, hint: Some(hint), pattern: Some("leak") }
}
