//! Numbers of threads and objects that several machines of one program give out together.
//!
//! A machine numbers threads and objects as it meets them. Machines that exchange states
//! must give them the same numbers: whoever meets a new one writes it at the end of a list
//! that all of them follow.

use std::sync::{Mutex, PoisonError};

use heddle_semantics::{ThreadId, ThreadPath};

#[derive(Debug, Default)]
pub struct Names {
    threads: Mutex<Vec<ThreadPath>>,
    objects: Mutex<Vec<ObjectName>>,
}

/// An allocation: its thread, which of the thread's allocations it is, and how many slots
/// it takes.
pub(crate) type ObjectName = (ThreadId, u32, u32);

impl Names {
    /// Hands over the threads from the `known`-th on, and at last `wanted` if it is not
    /// among them.
    pub(crate) fn threads(
        &self,
        known: usize,
        wanted: Option<ThreadPath>,
        next: impl FnMut(ThreadPath),
    ) {
        follow(&self.threads, known, wanted, next);
    }

    /// As [`Names::threads`].
    pub(crate) fn objects(
        &self,
        known: usize,
        wanted: Option<ObjectName>,
        next: impl FnMut(ObjectName),
    ) {
        follow(&self.objects, known, wanted, next);
    }
}

fn follow<T: Copy + PartialEq>(
    list: &Mutex<Vec<T>>,
    known: usize,
    wanted: Option<T>,
    next: impl FnMut(T),
) {
    let mut list = list.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(wanted) = wanted
        && !list[known..].contains(&wanted)
    {
        list.push(wanted);
    }
    list[known..].iter().copied().for_each(next);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_gets_the_same_list() {
        let names = Names::default();
        let path = |nth| ThreadPath { parent: ThreadId::MAIN, nth, queue: false };
        let (mut a, mut b) = (Vec::new(), Vec::new());
        names.threads(a.len(), Some(path(0)), |path| a.push(path));
        names.threads(b.len(), Some(path(1)), |path| b.push(path));
        names.threads(a.len(), Some(path(1)), |path| a.push(path));
        names.threads(b.len(), None, |path| b.push(path));
        assert_eq!(a, b);
        assert_eq!(a, [path(0), path(1)]);
    }
}
