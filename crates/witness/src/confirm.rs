//! No alarm without a replay: runs a failing schedule again and gives its trace
//! only if it fails in the same way at the same place.

use heddle_semantics::{Failure, MemoryModel};

use crate::replay::{Options, ReplayError, Run, Subject, Visitor, replay};
use crate::trace::Trace;

/// Re-executes the schedule of `failure` with recording.
pub fn confirm(subject: Subject<'_>, failure: &Failure) -> Result<Trace, ReplayError> {
    let options = fitting_options(subject, failure)?;
    let options = Options { record: true, ..options };
    let schedule = &failure.schedule;
    replay(subject, schedule, &failure.violation, options, Describe(failure))
}

/// A schedule counts steps with or without `share_everything`; which, the replay
/// tells.
pub(crate) fn fitting_options(
    subject: Subject<'_>,
    failure: &Failure,
) -> Result<Options, ReplayError> {
    let mut first_error = None;
    for (share_everything, endless_wakeups) in
        [(false, false), (true, false), (false, true), (true, true)]
    {
        let options = Options { share_everything, endless_wakeups, record: false };
        match replay(subject, &failure.schedule, &failure.violation, options, Nothing) {
            Ok(()) => return Ok(options),
            Err(error) => {
                first_error.get_or_insert(error);
            }
        }
    }
    Err(first_error.unwrap_or(ReplayError::NoViolation))
}

struct Nothing;

impl Visitor for Nothing {
    type Output = ();
    fn visit<M: MemoryModel>(self, _: Run<'_, M>) {}
}

struct Describe<'a>(&'a Failure);

impl Visitor for Describe<'_> {
    type Output = Trace;
    fn visit<M: MemoryModel>(self, run: Run<'_, M>) -> Trace {
        Trace::describe(&run, &self.0.schedule)
    }
}
