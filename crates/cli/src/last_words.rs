//! What the watchdog says if `heddle check` does not come to an end by itself.

use std::sync::Arc;

use heddle_semantics::Bounds;

use crate::args::{CheckFormat, Engine};
use crate::effort::Effort;
use crate::interrupt::Cause;
use crate::json;
use crate::known::{Known, Progressed};
use crate::settings::Check;
use crate::watchdog::LastWords;

/// While there is nothing to search yet.
pub fn compiling(settings: &Arc<Check>) -> LastWords {
    let settings = Arc::clone(settings);
    Box::new(move |cause| {
        let engine = settings.engine.unwrap_or(Engine::Explore);
        let nothing = Progressed {
            who: (engine, settings.algorithm),
            effort: Effort::none(engine),
            covered: None,
        };
        unknown(&settings, cause, &nothing, "the program was not compiled yet")
    })
}

/// While engines are at work.
pub fn searching(settings: &Arc<Check>, known: &Known) -> LastWords {
    let (settings, known) = (Arc::clone(settings), known.clone());
    Box::new(move |cause| {
        let engine = settings.engine.unwrap_or(Engine::Explore);
        let who = (engine, settings.algorithm);
        let nothing = || Progressed { who, effort: Effort::none(engine), covered: None };
        let first = known.all().into_iter().next().unwrap_or_else(nothing);
        let so_far = first.effort.so_far(first.covered.as_ref());
        unknown(&settings, cause, &first, &so_far)
    })
}

/// While a violation is replayed and drawn: before that it does not count.
pub fn replaying(settings: &Arc<Check>, found: Progressed, violation: String) -> LastWords {
    let settings = Arc::clone(settings);
    Box::new(move |cause| {
        let what = format!("{violation} was found, but not replayed in time");
        unknown(&settings, cause, &found, &what)
    })
}

fn unknown(settings: &Check, cause: Cause, found: &Progressed, what: &str) -> (String, u8) {
    let reason = format!("{}; {what}", cause.tell(settings.limits));
    let text = match settings.format {
        CheckFormat::Text => {
            let stats = if settings.stats { found.effort.lines() } else { String::new() };
            format!("{stats}verdict: unknown ({reason})\n")
        }
        CheckFormat::Svcomp => "unknown\n".to_string(),
        CheckFormat::Json => json::to_line(&json::CheckResult {
            schema: json::SCHEMA,
            verdict: "unknown",
            reason: Some(&reason),
            violation: None,
            bounds: &Bounds::default(),
            covered: found.covered.as_ref(),
            warnings: &[],
            model: settings.model.to_string(),
            engine: found.who.0.name(),
            algorithm: found.who.1.map(|algorithm| algorithm.to_string()),
            stats: &found.effort,
            trace: None,
        }),
    };
    (text, cause.exit_code())
}
