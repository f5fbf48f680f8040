//! Do formulas say the same as the naive explorer?

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use heddle_encode::{Method, Options};
use heddle_explore::Report;
use heddle_semantics::{Verdict, ViolationKind};

use crate::batch::Compiled;
use crate::outcome::{Disagreement, Limits, Respect};

/// How long one program may take. What is not decided by then is left.
const TIME: Duration = Duration::from_millis(1500);
/// Bounds are grown up to here; where that covers every interleaving, the
/// answer is complete.
const MOST: u32 = 64;

/// `None` if the formula decided nothing.
pub fn agrees(
    test: &Compiled,
    method: Method,
    naive: &Report,
    limits: &Limits,
) -> Result<Option<bool>, Disagreement> {
    let verdict = ask(test, method, limits);
    let fail = |detail: String| {
        let detail = format!("{}: {detail}", method.name());
        Err(Disagreement { respect: Respect::Formula, detail })
    };
    let found = &naive.findings.violations;
    let sampled = match &naive.verdict {
        Verdict::Bounded(bounds) => bounds.inputs,
        Verdict::Unsafe(_) => true,
        _ => false,
    };
    match verdict {
        Verdict::Unsafe(failure) => {
            let violation = failure.violation;
            let known = found.iter().any(|(kind, _)| *kind == violation.kind);
            match known || sampled && found.is_empty() {
                true => Ok(Some(true)),
                false => fail(format!("{} that naive does not know", violation.kind)),
            }
        }
        Verdict::Safe if !found.is_empty() => {
            let kinds: Vec<String> = found.iter().map(|(kind, _)| kind.to_string()).collect();
            fail(format!("safe, but naive finds {}", kinds.join(", ")))
        }
        Verdict::Safe => Ok(Some(true)),
        Verdict::Bounded(_) => Ok(None),
        Verdict::Unknown(why) if why.contains("internal") => fail(why),
        Verdict::Unknown(_) => Ok(None),
    }
}

fn ask(test: &Compiled, method: Method, limits: &Limits) -> Verdict {
    let interrupt = Arc::new(AtomicBool::new(false));
    let done = Arc::new(AtomicBool::new(false));
    let watchdog = {
        let (interrupt, done) = (Arc::clone(&interrupt), Arc::clone(&done));
        std::thread::spawn(move || {
            std::thread::park_timeout(TIME);
            if !done.load(Ordering::Relaxed) {
                interrupt.store(true, Ordering::Relaxed);
            }
        })
    };
    let unchecked = [
        ViolationKind::DataRace,
        ViolationKind::Leak,
        ViolationKind::SignedOverflow,
        ViolationKind::Uninitialised,
    ];
    let options = Options {
        method,
        unwind: Some(limits.unwind),
        most: Some(MOST),
        listed: limits.listed,
        interrupt,
        ignored: unchecked.to_vec(),
        ..Options::default()
    };
    let (program, entry) = (&test.program, test.entry);
    let report = heddle_encode::check(program, entry, limits.model, &options);
    done.store(true, Ordering::Relaxed);
    watchdog.thread().unpark();
    let _ = watchdog.join();
    report.verdict
}
