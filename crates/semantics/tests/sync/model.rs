//! What POSIX says of an object, as a small machine of its own, and all that threads can do
//! to both it and the bytes.

use std::collections::{HashSet, VecDeque};
use std::fmt::Debug;
use std::hash::Hash;

use heddle_semantics::sync::Ending;

use crate::host::{Bytes, Operation, Stop};

/// How an operation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goes {
    /// It returns this.
    Returns(u64, Ending),
    Waits,
    Misuse(&'static str),
    Unsupported(&'static str),
}

/// It returns 0, and the object is another one.
pub const DONE: Goes = Goes::Returns(0, Ending::Changed);

pub trait Model: Clone + Debug + Eq + Hash {
    type Op: Copy + Debug;

    /// What a thread can do here.
    fn ops(&self, thread: usize) -> Vec<Self::Op>;
    /// What comes of it. The model is the state after.
    fn apply(&mut self, thread: usize, op: Self::Op) -> Goes;
    /// The same on bytes.
    fn run(operation: &mut Operation<'_>, op: Self::Op) -> Result<u64, Stop>;
    /// Do the bytes say the same?
    fn check(&self, _: &Bytes) {}
}

/// Lets three threads do everything, so many operations deep. How many pairs of a state and
/// an operation there were.
pub fn explore<M: Model>(bytes: Bytes, model: M, depth: u32) -> usize {
    let mut seen = HashSet::from([(bytes.clone(), model.clone())]);
    let mut queue = VecDeque::from([(bytes, model, 0)]);
    let mut tried = 0;
    while let Some((bytes, model, at)) = queue.pop_front() {
        for thread in 0..3 {
            for op in model.ops(thread) {
                tried += 1;
                let after = compare(&bytes, &model, thread, op);
                if let Some(pair) = after
                    && at < depth
                    && seen.insert(pair.clone())
                {
                    queue.push_back((pair.0, pair.1, at + 1));
                }
            }
        }
    }
    tried
}

/// The state after, if the operation comes to its end.
fn compare<M: Model>(bytes: &Bytes, model: &M, thread: usize, op: M::Op) -> Option<(Bytes, M)> {
    let (mut now, mut then) = (bytes.clone(), model.clone());
    let expected = then.apply(thread, op);
    let mut operation = now.operation(thread);
    let goes = match M::run(&mut operation, op) {
        Ok(result) => Goes::Returns(result, operation.ending),
        Err(Stop::Waits) => Goes::Waits,
        Err(Stop::Misuse(message)) => Goes::Misuse(message),
        Err(Stop::Unsupported(what)) => Goes::Unsupported(what),
    };
    let steps = operation.steps;
    assert_eq!(goes, expected, "thread {thread}: {op:?} of {model:?}\n{bytes:?}");
    assert!(steps <= 1, "one step: {op:?}");
    let Goes::Returns(_, ending) = goes else {
        assert_eq!(&now, bytes, "who stops has changed nothing: {op:?} of {model:?}");
        return None;
    };
    if !matches!(ending, Ending::Changed | Ending::Counted) {
        assert_eq!(&now, bytes, "nothing was to change: {op:?} of {model:?}");
    }
    then.check(&now);
    Some((now, then))
}
