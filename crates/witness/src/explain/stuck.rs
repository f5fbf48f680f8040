//! Threads that wait for ever, and objects that are misused.

use heddle_semantics::ThreadId;

use super::{Explanation, Story};
use crate::deadlock::{DeadlockReport, Waiting};

pub(super) fn deadlock(story: &Story<'_>) -> Explanation {
    let Some(report) = &story.trace.deadlock else { return Explanation::default() };
    let mut sentences: Vec<String> = Vec::new();
    let in_root = |waiting: &&Waiting| report.root.contains(&waiting.thread);
    for waiting in report.waiting.iter().filter(in_root) {
        sentences.push(waits(story, waiting));
    }
    let (pattern, hint) = match (report.cause, report.waiting.first()) {
        ("lock-cycle", _) => ("lock-order", lock_order(report)),
        ("own-lock", _) => (
            "own-lock",
            "give the lock back before it is taken again, or make it a recursive one".to_string(),
        ),
        ("join-cycle", _) => ("join-cycle", "only one of them may wait for the other".to_string()),
        ("lost-wake-up", Some(first)) => {
            let condition = first.object.as_deref().unwrap_or("the condition variable");
            let hint = format!(
                "let the signaller change what is waited for under the mutex, and check that \
                 under the same mutex before waiting for {condition}, in a loop: then a signal \
                 that comes first is not missed"
            );
            ("signal-before-wait", hint)
        }
        ("no-signal", Some(first)) => {
            let condition = first.object.as_deref().unwrap_or("the condition variable");
            let hint = format!("signal {condition} once for each that waits, or broadcast");
            ("no-signal", hint)
        }
        ("no-post", _) => ("no-post", "each wait for a semaphore needs a post".to_string()),
        ("no-wake-up", Some(first)) => {
            let call = first.object.as_deref().filter(|call| *call != "a call");
            let call = call.unwrap_or("the call");
            let hint = format!("another thread has to do what {call} waits for");
            ("no-wake-up", hint)
        }
        ("barrier-count", _) => {
            let hint = "the barrier's count and the number of threads that arrive must agree";
            ("barrier-count", hint.to_string())
        }
        ("forgotten-unlock", _) => {
            ("forgotten-unlock", "unlock on every way out of the critical section".to_string())
        }
        ("waiting-loop", _) => {
            let hint = "somebody has to write what the loop waits for, after it was read";
            ("waiting-loop", hint.to_string())
        }
        ("endless-thread", _) => {
            ("endless-thread", "a thread that never ends can't be joined".to_string())
        }
        ("once-in-itself", _) => {
            ("once-in-itself", "what runs only once must not ask for itself".to_string())
        }
        _ => return Explanation { sentences, hint: None, pattern: None },
    };
    Explanation { sentences, hint: Some(hint), pattern: Some(pattern) }
}

fn lock_order(report: &DeadlockReport) -> String {
    let locks: Vec<&str> = report.waiting.iter().filter_map(|w| w.object.as_deref()).collect();
    match locks.as_slice() {
        [first, second, ..] if first != second => {
            format!("take {first} and {second} in the same order everywhere")
        }
        _ => "take the locks in the same order everywhere".to_string(),
    }
}

/// `T1 up holds first (line 9) and waits to lock second at line 10, which T2 down holds`.
fn waits(story: &Story<'_>, waiting: &Waiting) -> String {
    let me = waiting.thread;
    let held = story.held_before(me, story.steps().len());
    let mut text = story.who(me);
    if !held.is_empty() {
        let taken: Vec<String> = held
            .iter()
            .map(|lock| {
                let place = lock.step.map_or(String::new(), |step| story.at_step(step));
                format!("{}, taken{place}", story.lock_name(lock))
            })
            .collect();
        text.push_str(&format!(" holds {},", taken.join(" and ")));
        text.push_str(" and");
    }
    match waiting.kind == "loop" && waiting.what.ends_with("change") {
        // Nothing that it reads is shared.
        true => text.push_str(&format!(
            " loops for ever{}: nothing that it reads there ever changes",
            story.at(waiting.span)
        )),
        false => text.push_str(&format!(" waits {}{}", waiting.what, story.at(waiting.span))),
    }
    let others: Vec<String> = waiting
        .holders
        .iter()
        .map(|holder| match (holder.thread == me, holder.ended) {
            (true, _) => format!("which it has itself since{}", story.at(holder.span)),
            (false, true) => format!(
                "which {} took{} and still had when it ended",
                story.who(holder.thread),
                story.at(holder.span)
            ),
            (false, false) => {
                format!("which {} took{}", story.who(holder.thread), story.at(holder.span))
            }
        })
        .collect();
    if !others.is_empty() {
        text.push_str(&format!(", {}", others.join(", ")));
    }
    if let Some(note) = &waiting.note {
        let place = story.at(note.span);
        text.push_str(&format!("; {}{place}", note.text.trim_end_matches(',')));
    }
    if waiting.kind == "condition" && waiting.note.is_none() {
        text.push_str(", and nobody is left to signal it");
    }
    text.replace("since at line", "since line")
}

/// A lock, semaphore or condition variable that is used in a way it must not be.
pub(super) fn misuse(story: &Story<'_>) -> Explanation {
    let violation = &story.trace.violation;
    let (me, message) = (violation.thread, violation.message.as_str());
    let mut sentences = vec![format!("{}: {message}{}", story.who(me), story.at(violation.span))];
    let end = story.steps().len();
    let last = |verbs: &[&str], thread: Option<ThreadId>| {
        let fits = |&step: &usize| {
            verbs.contains(&story.steps()[step].operation.verb)
                && thread.is_none_or(|thread| story.steps()[step].thread == thread)
        };
        (0..end).rev().find(fits)
    };
    let mut tell = |step: Option<usize>, what: &str| {
        if let Some(step) = step {
            let who = story.who(story.steps()[step].thread);
            sentences.push(format!("{who} {what} {}{}", story.what(step), story.at_step(step)));
        }
    };
    let (pattern, hint) = if message.contains("destroyed") {
        tell(last(&["destroy"], None), "had destroyed");
        ("destroyed-in-use", "destroy it when nobody can use it any more: join first")
    } else if message.contains("another thread holds") || message.contains("that is held") {
        for thread in &story.trace.threads {
            for lock in story.held_before(thread.id, end) {
                tell(lock.step, "holds");
            }
        }
        match message.contains("another thread") {
            true => (
                "unlock-of-other",
                "only who has locked it may unlock it: check whether the lock was taken",
            ),
            false => ("held-in-use", "give it back, and wait for those who may take it, first"),
        }
    } else if message.contains("never initialised") {
        ("not-initialised", "initialise it before any thread that uses it is created")
    } else if message.contains("not locked") || message.contains("does not hold") {
        tell(last(&["unlock"], Some(me)), "had unlocked");
        ("unlock-twice", "unlock once for each lock")
    } else if message.contains("wait for a condition variable") {
        ("wait-unlocked", "lock the mutex once before the wait")
    } else {
        tell(last(&["arrive"], None), "is at");
        ("misuse", "nobody may be using it then")
    };
    Explanation { sentences, hint: Some(hint.to_string()), pattern: Some(pattern) }
}
