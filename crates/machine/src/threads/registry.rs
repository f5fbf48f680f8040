//! All threads of a run, and the names they are known by.

use std::ops::{Index, IndexMut};

use heddle_semantics::{ThreadId, ThreadPath};
use rustc_hash::FxHashMap;

use super::thread::{CODES, Thread, code};

/// How a thread has ended the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ProcessEnd {
    Aborted,
    /// `main` returned or `exit` was called.
    Exited,
}

/// Threads known so far, in any execution; some may not exist in this one.
pub(crate) struct Threads {
    all: Vec<Thread>,
    /// Of threads 1, 2, ….
    pub paths: Vec<ThreadPath>,
    pub interned: FxHashMap<ThreadPath, ThreadId>,
    pub codes: FxHashMap<u32, ThreadId>,
    /// Threads that were created and not joined.
    pub unjoined: u32,
    /// Threads have ended the process.
    pub exited: Option<ProcessEnd>,
    /// Were created in the step under way, and have not run yet.
    pub newborn: Vec<ThreadId>,
}

impl Threads {
    /// The main thread alone, before it starts.
    pub fn new() -> Threads {
        let mut main = Thread::unborn();
        main.code = code(1);
        Threads {
            all: vec![main],
            paths: Vec::new(),
            interned: FxHashMap::default(),
            codes: FxHashMap::from_iter([(code(1), ThreadId::MAIN)]),
            unjoined: 0,
            exited: None,
            newborn: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Thread> {
        self.all.iter()
    }

    /// Gives a path that nobody has asked for the next number.
    pub fn intern(&mut self, path: ThreadPath) -> ThreadId {
        let id = ThreadId(self.all.len() as u32);
        let mut thread = Thread::unborn();
        if !path.queue {
            let parent = self.all[path.parent.index()].code % CODES;
            let mut number = parent.wrapping_mul(64).wrapping_add(path.nth + 1);
            // Only paths of great depth or width can meet.
            while self.codes.contains_key(&code(number)) {
                number = number.wrapping_add(0x9e37_79b9);
            }
            thread.code = code(number);
            self.codes.insert(thread.code, id);
        }
        self.all.push(thread);
        self.paths.push(path);
        self.interned.insert(path, id);
        id
    }
}

impl Index<usize> for Threads {
    type Output = Thread;

    #[inline]
    fn index(&self, at: usize) -> &Thread {
        &self.all[at]
    }
}

impl IndexMut<usize> for Threads {
    #[inline]
    fn index_mut(&mut self, at: usize) -> &mut Thread {
        &mut self.all[at]
    }
}
