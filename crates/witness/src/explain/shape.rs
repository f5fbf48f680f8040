//! Shapes of runs that common mistakes have. The first that is there is told.

use heddle_semantics::ThreadId;

use super::Story;

/// A mistake, what of the run shows it, and what would have prevented it.
pub(super) struct Shape {
    pub pattern: &'static str,
    pub told: Vec<String>,
    pub hint: String,
}

/// Looks around reads that matter, the most important first; `direct` are those that the
/// failing thread made last.
pub(super) fn find(story: &Story<'_>, direct: &[usize], reads: &[usize]) -> Option<Shape> {
    unchecked_wake_up(story)
        .or_else(|| reads.iter().find_map(|&read| lost_update(story, read)))
        .or_else(|| reads.iter().find_map(|&read| store_waits(story, read)))
        .or_else(|| half_seen(story, reads))
        .or_else(|| reads.iter().find_map(|&read| stale(story, read)))
        .or_else(|| direct.iter().find_map(|&read| too_early(story, read, reads)))
        .or_else(|| reads.iter().find_map(|&read| foreign(story, read)))
}

/// Between a read and the write that depends on it, another thread wrote: its write is lost.
fn lost_update(story: &Story<'_>, read: usize) -> Option<Shape> {
    let count = story.steps().len();
    for write in (0..count).filter(|&at| story.is_written(at) && story.overlap(at, read)).rev() {
        let me = story.steps()[write].thread;
        // An update in one step can't lose anything.
        if matches!(story.steps()[write].operation.verb, "update" | "swap") {
            continue;
        }
        let own = |&at: &usize| story.steps()[at].thread == me && story.overlap(at, write);
        let Some(before) = (0..write).rev().find(own).filter(|&at| story.is_read(at)) else {
            continue;
        };
        let arrives = story.arrives(write).unwrap_or(count);
        let between = |&at: &usize| {
            story.steps()[at].thread != me && story.is_store(at) && story.overlap(at, write)
        };
        let Some(lost) = (before + 1..arrives).find(between) else { continue };
        let made = story.made(lost);
        let other = story.steps()[made].thread;
        let told = vec![format!(
            "{} read {}{} and wrote {}{}; in between {} wrote {}{}, which is lost",
            story.who(me),
            story.what_and_value(before),
            story.at_step(before),
            story.what_and_value(write),
            story.at_step(write),
            story.who(other),
            story.what_and_value(made),
            story.at_step(made),
        )];
        let (lock, hint) = missing_lock(story, before, write, made);
        let told = told.into_iter().chain(lock).collect();
        return Some(Shape { pattern: "lost-update", told, hint });
    }
    None
}

/// Which lock would have kept another thread out of what one did from `first` to `second`.
fn missing_lock(
    story: &Story<'_>,
    first: usize,
    second: usize,
    other: usize,
) -> (Option<String>, String) {
    let me = story.who(story.steps()[first].thread);
    let them = story.who(story.steps()[other].thread);
    let what = story.what(second);
    let at_first = &story.steps()[first].context.locks;
    let at_second = &story.steps()[second].context.locks;
    let theirs = &story.steps()[other].context.locks;
    let across = at_first.iter().find(|lock| at_second.contains(lock));
    if let Some(lock) = across {
        let name = story.lock_name(lock);
        if theirs.iter().any(|other| other.location == lock.location) {
            let told = format!("Both held {name}, {}, which lets several in", lock.how);
            return (Some(told), format!("take {name} for writing where {what} is written"));
        }
        let told =
            format!("{me} held {name} all the time, but {them} held {}", story.locks_text(theirs));
        return (Some(told), format!("hold {name} for every access to {what}"));
    }
    let given_back = at_first
        .iter()
        .find(|lock| at_second.iter().chain(theirs).any(|other| other.location == lock.location));
    if let Some(lock) = given_back {
        let name = story.lock_name(lock);
        let told = format!("{me} held {name} when it read, but gave it back in between");
        return (Some(told), format!("hold {name} from the read to the write of {what}"));
    }
    let told = match theirs.first() {
        Some(lock) => format!("{them} held {}, {me} did not", story.lock_name(lock)),
        None => "Neither held a lock that keeps the other out".to_string(),
    };
    let hint = match theirs.first() {
        Some(lock) => {
            format!("hold {} from the read to the write of {what}", story.lock_name(lock))
        }
        None => format!(
            "make the read and the write of {what} one step: hold a mutex from one to the other, \
             or use an atomic operation"
        ),
    };
    (Some(told), hint)
}

/// A thread goes on after a wait without looking again at what it had waited for.
fn unchecked_wake_up(story: &Story<'_>) -> Option<Shape> {
    let me = story.trace.violation.thread;
    let own = |&at: &usize| story.steps()[at].thread == me;
    let wait = (0..story.steps().len()).rev().filter(own).find(|&at| {
        story.steps()[at].operation.verb == "wait" && story.steps()[at].context.location.is_some()
    })?;
    let checked = (0..wait).rev().filter(own).find(|&at| story.is_read(at));
    let woken = (wait + 1..story.steps().len())
        .filter(own)
        .find(|&at| matches!(story.steps()[at].operation.verb, "wake up" | "time out" | "lock"))?;
    // Looking again means the same line, as in a loop.
    if let Some(checked) = checked {
        let again = (woken + 1..story.steps().len()).filter(own).any(|at| {
            story.is_read(at)
                && story.overlap(at, checked)
                && story.steps()[at].span.line == story.steps()[checked].span.line
        });
        if again {
            return None;
        }
    }
    let condition = story.what(wait);
    let mut told = vec![format!(
        "{} waited for {condition}{} and went on without looking again at what it waits for",
        story.who(me),
        story.at_step(wait)
    )];
    let signalled = story.steps()[wait + 1..].iter().any(|step| {
        matches!(step.operation.verb, "signal" | "broadcast")
            && step.operation.place.as_deref() == Some(condition)
    });
    if !signalled {
        told.push("Nobody had signalled: a wait may end without a signal".to_string());
    } else if let Some(checked) = checked {
        let changed = (wait + 1..story.steps().len())
            .rev()
            .find(|&at| !own(&at) && story.is_store(at) && story.overlap(at, checked));
        if let Some(changed) = changed {
            let made = story.made(changed);
            told.push(format!(
                "{} wrote {}{} before it could go on",
                story.who(story.steps()[made].thread),
                story.what_and_value(made),
                story.at_step(made)
            ));
        }
    }
    let hint = "wait in a loop: `while (!condition) wait`, not `if`".to_string();
    Some(Shape { pattern: "wait-without-loop", told, hint })
}

/// A read misses a store that another thread has made, since it waits in a store buffer.
fn store_waits(story: &Story<'_>, read: usize) -> Option<Shape> {
    let me = story.steps()[read].thread;
    let waits = |&at: &usize| {
        story.steps()[at].operation.verb == "buffered"
            && story.steps()[at].thread != me
            && story.overlap(at, read)
            && story.arrives(at).is_none_or(|arrives| arrives > read)
    };
    let store = (0..read).rev().find(waits)?;
    let other = story.steps()[store].thread;
    let mut told = vec![format!(
        "{} had stored {}{}, but that was still in its store buffer when {} read {}{}",
        story.who(other),
        story.what_and_value(store),
        story.at_step(store),
        story.who(me),
        story.what_and_value(read),
        story.at_step(read)
    )];
    let overtakes = |&at: &usize| {
        story.steps()[at].thread == other
            && story.steps()[at].operation.verb == "buffered"
            && story.arrives(at).is_some_and(|arrives| arrives < read)
    };
    let hint = match (store + 1..read).find(overtakes) {
        Some(later) => {
            told.push(format!(
                "The later store {}{} overtook it",
                story.what_and_value(later),
                story.at_step(later)
            ));
            format!(
                "put a fence between the stores to {} and {}, or store {} with release",
                story.what(store),
                story.what(later),
                story.what(later)
            )
        }
        None => {
            let next = (store + 1..story.steps().len()).find(|&at| {
                story.steps()[at].thread == other && story.is_read(at) && !story.overlap(at, store)
            });
            let what = story.what(store);
            match next {
                Some(next) => format!(
                    "put a fence between the store to {what} and the read of {}{}",
                    story.what(next),
                    story.at_step(next)
                ),
                None => format!("put a fence behind the store to {what}"),
            }
        }
    };
    Some(Shape { pattern: "store-buffer", told, hint })
}

/// Of two writes of another thread one was seen and the other was not.
fn half_seen(story: &Story<'_>, reads: &[usize]) -> Option<Shape> {
    for &seen in reads {
        let me = story.steps()[seen].thread;
        for &writer in &story.steps()[seen].context.reads_from {
            let made = story.made(writer);
            let other = story.steps()[made].thread;
            if other == me {
                continue;
            }
            for &missed in reads {
                let fits = story.steps()[missed].thread == me && !story.overlap(missed, seen);
                let unseen = |&at: &usize| {
                    story.steps()[at].thread == other
                        && story.is_written(at)
                        && story.overlap(at, missed)
                        && story.arrives(at).is_none_or(|arrives| arrives > missed)
                };
                let Some(late) = (0..story.steps().len()).find(unseen).filter(|_| fits) else {
                    continue;
                };
                return Some(half(story, seen, missed, made, late));
            }
        }
    }
    None
}

fn half(story: &Story<'_>, seen: usize, missed: usize, made: usize, late: usize) -> Shape {
    let (me, other) = (story.steps()[seen].thread, story.steps()[made].thread);
    let told = vec![format!(
        "{} saw {}{}, but read {}{} before {} wrote {}{}",
        story.who(me),
        story.what_and_value(seen),
        story.at_step(seen),
        story.what_and_value(missed),
        story.at_step(missed),
        story.who(other),
        story.what_and_value(late),
        story.at_step(late)
    )];
    let locks = &story.steps()[made].context.locks;
    let mine = &story.steps()[seen].context.locks;
    let (flag, data) = (story.what(seen), story.what(missed));
    // Who wrote it had looked at it under the lock, too: checked twice.
    let twice = !locks.is_empty()
        && mine.is_empty()
        && (0..made).any(|at| {
            story.steps()[at].thread == other && story.is_read(at) && story.overlap(at, made)
        });
    let (pattern, hint) = match (twice, locks.first()) {
        (true, Some(lock)) => (
            "double-checked-locking",
            format!(
                "{flag} is checked without {}: set it last, with release, and read it with \
                 acquire; or check it under the lock only",
                story.lock_name(lock)
            ),
        ),
        (_, Some(lock)) if mine.iter().all(|own| own.location != lock.location) => (
            "half-an-update",
            format!("hold {} to read {flag} and {data} together", story.lock_name(lock)),
        ),
        _ if made < late && missed > seen => (
            "unsafe-publication",
            format!("write {data} before {flag} says that it is there, {flag} with release"),
        ),
        _ => (
            "half-an-update",
            format!("write {flag} and {data} together, and read them together: under one mutex"),
        ),
    };
    Shape { pattern, told, hint }
}

/// What a thread has read is no longer so when it acts on it.
fn stale(story: &Story<'_>, read: usize) -> Option<Shape> {
    let me = story.steps()[read].thread;
    let later = |at: &usize| story.steps()[*at].thread == me;
    let next = (read + 1..story.steps().len()).find(later)?;
    let end = (read + 1..story.steps().len()).rev().find(later)?;
    let changed = (read + 1..=end).find(|&at| {
        story.steps()[at].thread != me && story.is_store(at) && story.overlap(at, read)
    })?;
    // Who waits lets others change things.
    if (read..end).any(|at| later(&at) && story.steps()[at].operation.verb == "wait") {
        return None;
    }
    let made = story.made(changed);
    let told = vec![format!(
        "{} read {}{}; before it went on{}, {} wrote {}{}",
        story.who(me),
        story.what_and_value(read),
        story.at_step(read),
        story.at_step(if next > changed { next } else { end }),
        story.who(story.steps()[made].thread),
        story.what_and_value(made),
        story.at_step(made)
    )];
    let (lock, hint) = missing_lock(story, read, end, made);
    let told = told.into_iter().chain(lock).collect();
    let what = story.what(read);
    let hint = match hint.starts_with("make the read") {
        true => format!("hold one mutex from the check of {what} to the end of what depends on it"),
        false => hint.replace(&format!("the write of {}", story.what(end)), "what depends on it"),
    };
    Some(Shape { pattern: "check-then-act", told, hint })
}

/// A read came before the write that was meant for it.
fn too_early(story: &Story<'_>, read: usize, reads: &[usize]) -> Option<Shape> {
    let step = &story.steps()[read];
    let me = step.thread;
    // Anything else was put there on purpose.
    let blank = matches!(step.operation.value.as_deref(), Some("0" | "null" | "false"));
    let chance = |step: &crate::trace::Step| {
        step.operation.value.as_deref().is_some_and(|value| value.contains("(never written"))
    };
    if story.steps().iter().any(chance)
        || !blank
        || !step.context.initial
        || !step.context.reads_from.is_empty()
    {
        return None;
    }
    let others = story.trace.threads.iter().any(|info| {
        info.id != me
            && !story.steps().iter().any(|s| s.thread == info.id && s.operation.verb == "end")
    });
    if !others {
        return None;
    }
    // Something that the same writer may have written before what is missing.
    let seen = reads.iter().find(|&&at| {
        let from = &story.steps()[at].context.reads_from;
        at < read && story.steps()[at].thread == me && from.iter().any(|&w| running(story, w, me))
    });
    if let Some(&seen) = seen {
        let (flag, data) = (story.what(seen), story.what(read));
        let made = story.made(*story.steps()[seen].context.reads_from.last()?);
        let told = vec![format!(
            "{} saw {}{} and went on, but {data} was not written then",
            story.who(me),
            story.what_and_value(seen),
            story.at_step(seen)
        )];
        let locks = &story.steps()[made].context.locks;
        let mine = &story.steps()[seen].context.locks;
        let (pattern, hint) = match locks.first() {
            Some(lock) if mine.is_empty() => (
                "double-checked-locking",
                format!(
                    "{flag} is checked without {}: write {data} first and {flag} last, with \
                     release, and read it with acquire; or check it under the lock only",
                    story.lock_name(lock)
                ),
            ),
            _ => (
                "unsafe-publication",
                format!("write {data} first and {flag} last, with release, or both under a mutex"),
            ),
        };
        return Some(Shape { pattern, told, hint });
    }
    let hint = "wait until the other thread has written it: join it, or use a condition variable";
    Some(Shape { pattern: "too-early", told: Vec::new(), hint: hint.to_string() })
}

/// A store of a thread that ran beside the reader: neither over before the read nor done
/// before the reader was created.
fn running(story: &Story<'_>, writer: usize, reader: ThreadId) -> bool {
    let made = story.made(writer);
    let thread = story.steps()[made].thread;
    let ended = story.steps()[made..]
        .iter()
        .any(|step| step.thread == thread && step.operation.verb == "end");
    let name = reader.to_string();
    let created_later = story.steps()[made..].iter().any(|step| {
        step.operation.verb == "create" && step.operation.place.as_deref() == Some(&name)
    });
    thread != reader && !ended && !created_later
}

/// Nothing more can be said than whose write was seen.
fn foreign(story: &Story<'_>, read: usize) -> Option<Shape> {
    let me = story.steps()[read].thread;
    let writers = story.steps()[read].context.reads_from.iter().rev().copied();
    let made = story.made(writers.into_iter().find(|&writer| running(story, writer, me))?);
    let told = vec![format!(
        "{} wrote {}{} while {} was on its way here",
        story.who(story.steps()[made].thread),
        story.what_and_value(made),
        story.at_step(made),
        story.who(me)
    )];
    let what = story.what(read);
    let hint =
        format!("keep other threads from writing {what} here, or be ready for what they write");
    Some(Shape { pattern: "interference", told, hint })
}
