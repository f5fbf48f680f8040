//! Assertion-guided exploration: optimal reduction on the sliced program.
//!
//! Kusano and Wang, "Assertion Guided Abstraction: A Cooperative Optimization for
//! Dynamic Partial Order Reduction" (ASE 2014), sections 3 and 4. An access outside
//! the slice of what is checked is no visible step: no scheduling point, no event, no
//! race. The machine makes it as part of the step it stands in.
//!
//! Why nothing is missed. Call *essential* what can end a thread, make a step or make
//! an object (`analysis/src/essential.rs`), and let the slice be closed under data,
//! control and address dependence, writes in any thread counting for reads in any
//! other. Take an execution of the program that comes to a violation, and run the
//! machine so that it takes the slice's steps in the same order. By induction each
//! thread takes the same branches that matter, with the same values in registers and
//! bytes that matter: what they are made of is in the slice, and hidden writes go to
//! no byte that a step of the slice reads. Hidden accesses read other values than in
//! the execution, but those flow nowhere that matters. So the machine comes to the
//! same violation. Conversely whatever the machine finds is an execution of the
//! program, which is run again with all its steps before it is reported (`expand`).
//! The steps of the slice are functions of what the slice sees, so a reduction that is
//! right for a program is right for them.
//!
//! The conditions, and the deviations from the paper:
//!
//! 1. Sequential consistency. Under other models stores wait in queues, hidden ones
//!    too, and a fence waits for them; there every access is a step.
//! 2. Hidden loops must end. Where threads must not wait for ever, every jump back is
//!    essential. Else the argument supposes that a loop outside the slice ends; when one
//!    is seen that goes on for ever or beyond the bound, it becomes essential, and the
//!    search starts again.
//! 3. Aliases are found by a static points-to relation, before the search. The paper adds
//!    those that executions show, and does not go back to what it left under the smaller
//!    slice; that misses errors. Going back would not be enough: a write that is not in the
//!    slice may not be executed, or go elsewhere, because of what else is hidden. What
//!    executions show here is which reads of the slice are executed: only for those do the
//!    writes count, and with a new one the search starts again. Whether a read is executed
//!    is decided by branches of the slice, so the first new one in any execution is also
//!    executed in the search.
//! 4. Memory is checked where an access may fail, whatever is asked for: what follows
//!    a bad access is not known. If only the object's end can be in the way, the access
//!    looks for that and nothing else.
//! 5. Critical sections of mutexes are one step where nobody can tell
//!    (`machine/src/observers/critical_sections.rs`), and a write that its thread overwrites at once is
//!    none where no other thread reads (`analysis/src/overwritten.rs`). Both are supposed
//!    first, watched, and given up with a new search where they do not hold.
//! 6. The points-to relation does not follow numbers that never were pointers and become
//!    some in memory. So every access is compared with it. The first one in any execution
//!    that it does not foresee is made in the search too, at the same address: until there
//!    it was right, and addresses that may be bad are in the slice. Then the search starts
//!    again, and nothing is hidden.
//! 7. Races, leaks and undefined values need every access and every pointer. With them
//!    nothing is hidden.

use std::sync::Arc;

use heddle_analysis::{self as analysis, Facts, Guidance, Loop, Object, Property};
use heddle_ir::{FuncId, Program};
use heddle_machine::{Guide, Known, Reach, Role};
use heddle_semantics::{MemoryModel, ViolationKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Algorithm, Options};

/// Searches that are begun again for reads that were not executed before. Then all count.
const PATIENCE: u64 = 8;

/// Searches that are begun again for memory that several threads use, before the pieces
/// around are taken to be like that too, and before all memory is.
const NARROW: u32 = 2;
const WIDE: u32 = 10;

/// What begins a critical section.
const LOCKS: &[&str] = &["pthread_mutex_lock", "mtx_lock"];

/// A part of guided or stateful exploration that can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Accesses outside the slice are no steps.
    Slice,
    /// Critical sections that nobody can look into are one step.
    Peek,
    /// Writes that are overwritten before anybody reads them are no steps.
    WriteWrite,
    /// Accesses to memory that only one thread uses are no steps.
    Own,
    /// States in which threads have changed places are the same.
    Symmetry,
}

impl Part {
    pub const ALL: &[Part] =
        &[Part::Slice, Part::Peek, Part::WriteWrite, Part::Own, Part::Symmetry];

    pub fn name(self) -> &'static str {
        match self {
            Part::Slice => "slice",
            Part::Peek => "peek",
            Part::WriteWrite => "ww",
            Part::Own => "own",
            Part::Symmetry => "symmetry",
        }
    }
}

impl std::str::FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        let known = Part::ALL.iter().find(|part| part.name() == text);
        known.copied().ok_or_else(|| format!("unknown part '{text}'"))
    }
}

/// What guided exploration did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GuidedStats {
    /// Instructions in the slice, of all that may run.
    pub slice: u64,
    pub instructions: u64,
    /// Accesses that are steps, and those that are not.
    pub kept: u64,
    pub dropped: u64,
    /// Searches that were begun again because the slice grew.
    pub restarts: u64,
    /// Mutexes whose critical sections are not one step.
    pub noisy: u64,
    /// Writes that are overwritten at once, and no steps.
    pub overwritten: u64,
    /// Pairs of places that lock the same mutex but touch nothing in common.
    pub lock_pairs: u64,
    /// Pairs of places that write the same memory, of which one is no step.
    pub write_pairs: u64,
}

/// The slice of a program and how it grows.
pub struct Slicer<'p> {
    facts: Option<Facts<'p>>,
    grounds: Grounds,
    properties: Vec<Property>,
    loops: FxHashSet<Loop>,
    /// Reads that were executed, unless all count.
    seen: Option<FxHashSet<u32>>,
    /// Whether critical sections may be one step, and which may not.
    peek: bool,
    noisy: FxHashSet<u64>,
    /// Whether accesses to memory that one thread uses are no steps, and which it is not.
    own: bool,
    common: FxHashSet<u64>,
    widened: u32,
    /// A search that keeps states.
    stateful: bool,
    /// Whether writes that are overwritten at once are no steps.
    blind: bool,
    pub stats: GuidedStats,
}

impl<'p> Slicer<'p> {
    /// Knows nothing, if nothing is to be hidden.
    pub fn new<M: MemoryModel>(
        program: &'p Program,
        entry: FuncId,
        model: &M,
        options: &Options,
    ) -> Slicer<'p> {
        let algorithm = options.algorithm;
        let peeks = algorithm == Algorithm::Stateful && program.pointer_bytes == 8;
        let everything = options.races || options.leaks || options.uninitialised;
        let possible = !model.buffers() && !everything && options.places.is_none();
        let wants = |part| {
            let has = match algorithm {
                Algorithm::Guided => part != Part::Own,
                _ => peeks && part != Part::WriteWrite,
            };
            possible && has && !options.without.contains(&part)
        };
        let facts = wants(Part::Slice).then(|| Facts::for_slice(program, entry)).flatten();
        // A thread alone makes no steps that could be hidden.
        let facts = facts.filter(|facts| !facts.points.entries.is_empty());
        let grounds = facts.as_ref().map(Grounds::of).unwrap_or_default();
        let mut properties = vec![Property::Assert, Property::Memory];
        // A search that keeps states has no bound for loops in which everything is hidden.
        let ignored = options.ignored.contains(&ViolationKind::Deadlock);
        if !ignored || algorithm == Algorithm::Stateful {
            properties.push(Property::Deadlock);
        }
        if options.overflow {
            properties.push(Property::Overflow);
        }
        let stats = GuidedStats::default();
        let locks = LOCKS.iter().any(|name| program.find_function(name).is_some());
        let (peek, noisy) = (locks && wants(Part::Peek), FxHashSet::default());
        let (loops, blind) = (FxHashSet::default(), wants(Part::WriteWrite));
        let seen = Some(FxHashSet::default());
        Slicer {
            facts,
            grounds,
            properties,
            loops,
            seen,
            peek,
            noisy,
            own: wants(Part::Own) && options.constraints.is_none(),
            common: FxHashSet::default(),
            widened: 0,
            stateful: algorithm == Algorithm::Stateful,
            blind,
            stats,
        }
    }

    /// What the machine hides, if anything.
    pub fn guide(&mut self) -> Option<Arc<Guide>> {
        let sliced = self.facts.as_ref().and_then(|facts| {
            let guidance =
                analysis::guide(facts, &self.properties, &self.loops, self.seen.as_ref())?;
            self.stats.slice = guidance.within as u64;
            self.stats.instructions = guidance.all as u64;
            self.stats.kept = guidance.kept as u64;
            self.stats.dropped = guidance.dropped as u64;
            self.stats.overwritten = if self.blind { guidance.blind as u64 } else { 0 };
            Some(for_machine(guidance, self.grounds.clone(), self.blind))
        });
        // If every access is a step, there is no need to watch any. A slice only grows. But
        // there may be registers that are no part of a state.
        let hides = |guide: &Guide| guide.roles.iter().any(|&role| role != Role::Kept);
        let sliced = sliced.filter(|guide| self.stateful || hides(guide));
        if sliced.is_none() {
            self.facts = None;
        }
        if sliced.is_none() && !self.peek && !self.own {
            return None;
        }
        Some(Arc::new(Guide {
            peek: self.peek,
            noisy: self.noisy.clone(),
            own: self.own,
            common: self.common.clone(),
            published: self.stateful,
            ..sliced.unwrap_or_default()
        }))
    }

    /// These reads are executed: what they may see matters.
    pub fn add_reads(&mut self, reads: &FxHashSet<u32>) {
        match &mut self.seen {
            // So it begins.
            Some(seen) if seen.is_empty() => seen.extend(reads),
            Some(seen) if self.stats.restarts < PATIENCE => {
                seen.extend(reads);
                self.stats.restarts += 1;
            }
            seen => {
                *seen = None;
                self.stats.restarts += 1;
            }
        }
    }

    /// Is there anything left that could be given up?
    pub fn supposes(&self) -> bool {
        self.facts.is_some() || self.own
    }

    /// The slice rests on what is not so.
    pub fn give_up(&mut self) {
        self.facts = None;
        self.own = false;
        let restarts = self.stats.restarts + 1;
        self.stats = GuidedStats { restarts, noisy: self.stats.noisy, ..GuidedStats::default() };
    }

    /// Somebody reads what is overwritten.
    pub fn keep_overwritten(&mut self) {
        self.blind = false;
        self.stats.restarts += 1;
    }

    /// These mutexes are no good for critical sections that are one step.
    pub fn add_noisy(&mut self, mutexes: &FxHashSet<u64>) {
        self.noisy.extend(mutexes);
        self.stats.noisy = self.noisy.len() as u64;
        self.stats.restarts += 1;
    }

    /// Several threads use these pieces of memory, and then probably those around them.
    pub fn add_common(&mut self, pieces: &FxHashSet<u64>) {
        let around = if self.widened < NARROW { 0 } else { 1 << (2 * (self.widened - NARROW)) };
        for &piece in pieces {
            self.common.extend(piece.saturating_sub(around)..=piece + around);
        }
        self.widened += 1;
        self.own &= self.widened < WIDE;
        self.stats.restarts += 1;
    }

    /// Takes over what runs before the search have shown. Was any of it news?
    pub fn learn(
        &mut self,
        common: impl Iterator<Item = u64>,
        noisy: &FxHashSet<u64>,
        reads: &FxHashSet<u32>,
    ) -> bool {
        let known = |slicer: &Slicer| {
            let seen = slicer.seen.as_ref().map_or(0, FxHashSet::len);
            (slicer.common.len(), slicer.noisy.len(), seen)
        };
        let before = known(self);
        self.common.extend(common);
        self.noisy.extend(noisy);
        if let Some(seen) = &mut self.seen {
            seen.extend(reads);
        }
        known(self) != before
    }

    /// From now on it matters whether this loop ends.
    pub fn add(&mut self, strayed: Loop) {
        self.loops.insert(strayed);
        self.stats.restarts += 1;
    }
}

fn for_machine(guidance: Guidance, grounds: Grounds, blind: bool) -> Guide {
    let role = |role| match role {
        analysis::Role::Blind if blind => Role::Blind,
        analysis::Role::Blind => Role::Kept,
        analysis::Role::Hidden => Role::Hidden,
        analysis::Role::Probe => Role::Probe,
        analysis::Role::Kept => Role::Kept,
    };
    let roles: Vec<Role> = guidance.roles.into_iter().map(role).collect();
    Guide {
        reaches: grounds.reaches,
        callees: grounds.callees,
        blind: roles.contains(&Role::Blind),
        roles,
        unread: guidance.unread,
        starts: guidance.starts,
        private: guidance.private,
        idle: guidance.idle,
        needed: Arc::new(guidance.needed),
        loops: guidance.loops,
        functions: guidance.functions,
        ..Guide::default()
    }
}

/// What slices rest on, for the machine to compare with what happens.
#[derive(Clone, Default)]
struct Grounds {
    reaches: Arc<Vec<Reach>>,
    callees: Arc<FxHashMap<u32, Vec<FuncId>>>,
}

impl Grounds {
    fn of(facts: &Facts) -> Grounds {
        let known = |object| match object {
            Object::Global(id) => Known::Global(id),
            Object::ThreadLocal(id) => Known::ThreadLocal(id),
            Object::Stack(site) | Object::Heap(site) => {
                Known::Made(facts.sites.number(site) as u32)
            }
            Object::Arguments | Object::Function(_) | Object::Wild => Known::Given,
        };
        let places = |targets: Vec<(Object, Option<i64>)>| {
            targets.into_iter().map(|(object, offset)| (known(object), offset)).collect()
        };
        let reach = |reach| match reach {
            analysis::Reach::Anywhere => Reach::Anywhere,
            analysis::Reach::At(targets) => Reach::At(places(targets)),
            analysis::Reach::Around(targets) => Reach::Around(places(targets)),
        };
        let reaches = analysis::reaches(facts).into_iter().map(reach).collect();
        Grounds { reaches: Arc::new(reaches), callees: Arc::new(analysis::callees(facts)) }
    }
}
