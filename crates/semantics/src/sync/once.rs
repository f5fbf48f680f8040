//! What is done once: a `pthread_once_t` is 0 before, 1 during and 2 after the call.

use super::{Ending, Outcome, SyncHost, Word};
use crate::Gate;
use crate::event::AccessKind;
use crate::host::OnceOp;

const STATE: Word = Word::at(0);
pub(crate) const RUNS: u32 = 1;
const BEFORE: u64 = 0;
const DONE: u64 = 2;

pub(super) fn operate<S: SyncHost>(s: &mut S, op: OnceOp) -> Outcome<S> {
    match op {
        OnceOp::Begin => begin(s),
        OnceOp::End => end(s, DONE),
        OnceOp::Abort => end(s, BEFORE),
    }
}

/// The result is 1 if the caller is the one to run the function.
fn begin<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.wait(Gate::Once, None)?;
    let state = state(s)?;
    let done = s.is(&state, DONE);
    s.ends_if(&done, Ending::Seen);
    let (first, runs) = (s.not(&done), s.number(u64::from(RUNS)));
    s.write_if(&first, STATE, &runs)?;
    let (yes, no) = (s.number(1), s.number(0));
    Ok(s.choose(&first, &yes, &no))
}

fn end<S: SyncHost>(s: &mut S, left: u64) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    state(s)?;
    s.write_number(STATE, left)?;
    Ok(s.number(0))
}

fn state<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.check_made(STATE.bytes, "use of a once flag that was never initialised")?;
    s.read(STATE)
}
