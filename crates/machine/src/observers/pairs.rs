//! Pairs of places in the source whose order a guided search does not explore. For
//! statistics only; nothing is decided by them.

use heddle_ir::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use heddle_semantics::{Access, AccessKind, ThreadId};

use crate::observers::critical_sections::pieces;

/// The critical sections of one thread that begin at one place: pieces of memory that
/// they touch, and whether they write there.
struct Section {
    thread: ThreadId,
    touched: FxHashMap<u64, bool>,
}

impl Section {
    fn conflicts(&self, other: &Section) -> bool {
        self.touched.iter().any(|(piece, &writes)| {
            other.touched.get(piece).is_some_and(|&also_writes| writes || also_writes)
        })
    }
}

/// Who writes where in the source, and whether that is a step.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Write {
    thread: ThreadId,
    place: Span,
    step: bool,
}

#[derive(Default)]
pub(crate) struct Pairs {
    /// By mutex and place.
    sections: FxHashMap<(u64, Span), Vec<Section>>,
    /// By piece of memory.
    writes: FxHashMap<u64, Vec<Write>>,
}

impl Pairs {
    /// A critical section that was one step.
    pub fn note_section(
        &mut self,
        (mutex, place): (u64, Span),
        thread: ThreadId,
        footprint: &[Access],
    ) {
        let sections = self.sections.entry((mutex, place)).or_default();
        let at =
            sections.iter().position(|section| section.thread == thread).unwrap_or_else(|| {
                sections.push(Section { thread, touched: FxHashMap::default() });
                sections.len() - 1
            });
        for access in footprint {
            let writes = !matches!(access.kind, AccessKind::Read | AccessKind::OwnRead);
            for piece in pieces(access.addr, access.len) {
                *sections[at].touched.entry(piece).or_default() |= writes;
            }
        }
    }

    pub fn note_write(&mut self, addr: u64, len: u32, thread: ThreadId, place: Span, step: bool) {
        for piece in pieces(addr, len) {
            let writes = self.writes.entry(piece).or_default();
            let write = Write { thread, place, step };
            if !writes.contains(&write) {
                writes.push(write);
            }
        }
    }

    /// Places where different threads lock the same mutex, but touch nothing in common.
    pub fn of_locks(&self, noisy: &FxHashSet<u64>) -> u64 {
        let all: Vec<_> = self.sections.iter().filter(|(key, _)| !noisy.contains(&key.0)).collect();
        let mut count = 0;
        for (at, (key, sections)) in all.iter().enumerate() {
            for (other, others) in &all[at..] {
                let apart = || {
                    let both = sections.iter().flat_map(|a| others.iter().map(move |b| (a, b)));
                    both.filter(|(a, b)| a.thread != b.thread)
                };
                let independent = apart().all(|(a, b)| !a.conflicts(b));
                count += u64::from(key.0 == other.0 && independent && apart().next().is_some());
            }
        }
        count
    }

    /// Places where different threads write to the same memory, one of them without a step.
    pub fn of_writes(&self) -> u64 {
        let mut pairs: FxHashSet<(Span, Span)> = FxHashSet::default();
        for writes in self.writes.values() {
            for (at, a) in writes.iter().enumerate() {
                for b in writes[at..].iter().filter(|b| a.thread != b.thread) {
                    let steps = a.step && b.step;
                    if !steps && !pairs.contains(&(b.place, a.place)) {
                        pairs.insert((a.place, b.place));
                    }
                }
            }
        }
        pairs.len() as u64
    }
}
