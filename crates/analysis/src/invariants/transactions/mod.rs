//! The transaction graph: which places threads can be at together, with as few changes of the
//! thread in between as synchronisation and what is shared allow.
//!
//! Kahlon, "Exploiting schedule insensitivity for enhancing concurrent program verification",
//! section 5, algorithm 1; lines 1 to 9 after Kahlon, Sankaranarayanan and Gupta, "Semantic
//! reduction of thread interleavings for concurrent programs" (TACAS 2009). Deviations:
//!
//! 1. Any number of threads, one slot for each; of threads that a place creates again and
//!    again, as many as the options say, and the graph says if there may be more.
//! 2. Places are told apart by the calls that lead there, and by the locks that are held.
//! 3. Successors (line 5) are those of one thread, if nothing that others may do meanwhile
//!    depends on its next step. Meanwhile means: without locks that it holds. That is what
//!    locksets and acquisition histories tell of a pair of threads, asked of each path.
//!    A choice that leads only to where the search has been is not made (a cycle proviso).
//! 4. Values are found together with the graph: each node has a state of all threads, and what
//!    no state takes has no edge. Then places that were not reached do not count as what others
//!    may do, and the graph is built again, until nothing changes (lines 1 and 9).
//! 5. Lines 10 to 32 are in `insensitive`.
//!
//! Values are those of `invariants`, which must have come to an end before. Memory is
//! sequentially consistent.

mod future;
mod insensitive;
mod search;
mod step;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use heddle_ir::{FuncId, Program, Span};

use super::flow::Frame;
use super::objects::{CellId, ClassId};
use super::state::Lock;
use super::{Analysis, GaveUp, Stop};
use crate::site::Site;
use search::Search;

#[derive(Clone, Debug)]
pub struct Options {
    pub interrupt: Arc<AtomicBool>,
    /// Instructions that may be looked at.
    pub budget: u64,
    /// Nodes that there may be.
    pub nodes: usize,
    /// Threads of a class that may have several.
    pub instances: usize,
    /// Leave out orders that no condition tells apart (lines 10 to 32).
    pub insensitive: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            interrupt: Arc::default(),
            budget: 3_000_000,
            nodes: 20_000,
            instances: 2,
            insensitive: false,
        }
    }
}

/// Where a thread is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    Unborn,
    /// Before the instruction with this position, and the locks that it holds.
    At {
        span: Span,
        function: FuncId,
        held: Vec<String>,
        waits: bool,
    },
    Ended,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub threads: Vec<Standing>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    /// Which thread moves.
    pub thread: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Functions that threads start in.
    pub threads: Vec<String>,
    /// The first one is where the program starts.
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// How often it was built.
    pub rounds: u32,
    /// There may be more threads than are drawn.
    pub more_threads: bool,
}

/// The graph of a program.
pub fn transactions(program: &Program, entry: FuncId, options: &Options) -> Result<Graph, GaveUp> {
    let settings = super::Options {
        interrupt: Arc::clone(&options.interrupt),
        budget: options.budget,
        claims: false,
    };
    let mut analysis = Analysis::new(program, entry, &settings);
    for _ in 0..RECASTS {
        analysis.settle_all()?;
        analysis.recording = false;
        // As much again.
        analysis.spent = 0;
        let slots = slots(&mut analysis, options.instances);
        match refine(&mut analysis, &slots, options) {
            Ok(graph) => return Ok(graph),
            Err(Stop::GaveUp(why)) => return Err(why),
            // Memory is accessed in another way in the graph: all cells anew.
            Err(Stop::Recast) => analysis.keep_variables = false,
        }
    }
    let why = "memory is accessed in too many ways".to_string();
    Err(GaveUp { why, span: Span::UNKNOWN })
}

/// How often it may be built for values that exclude something, and for new cells of memory.
const ROUNDS: u32 = 5;
const RECASTS: u32 = 20;

fn refine(analysis: &mut Analysis, slots: &[Slot], options: &Options) -> Result<Graph, Stop> {
    let run = |analysis: &mut Analysis, known: search::Known| {
        search::search(analysis, slots, known, options.nodes)
    };
    let mut reached: Option<BTreeSet<(ClassId, Site)>> = None;
    let mut rounds = 0;
    let mut last: Option<Search> = None;
    while rounds < ROUNDS {
        rounds += 1;
        let search = run(analysis, (reached.as_ref(), None))?;
        let same = last.as_ref().is_some_and(|last| last.keys() == search.keys());
        reached = Some(search.reached.clone());
        last = Some(search);
        if same {
            break;
        }
    }
    let mut found = last.unwrap_or_default();
    if options.insensitive {
        let oblivious = insensitive::oblivious(&found);
        found = run(analysis, (reached.as_ref(), Some(&oblivious)))?;
    }
    Ok(found.graph(analysis, slots, rounds))
}

/// A place in the graph for one thread.
struct Slot {
    class: ClassId,
    function: FuncId,
    /// Number of its first register.
    base: u32,
    /// There may be more threads of the class than slots.
    last_of_many: bool,
}

/// Registers of a slot.
const REGISTERS: u32 = 1 << 20;

fn slots(analysis: &mut Analysis, instances: usize) -> Vec<Slot> {
    let mut slots =
        vec![Slot { class: ClassId::MAIN, function: analysis.entry, base: 0, last_of_many: false }];
    let starts = analysis.facts.starts.clone();
    for (&class, start) in &starts {
        let count = if start.many { instances.max(1) } else { 1 };
        analysis.keep_variables |= start.many;
        for nth in 0..count {
            slots.push(Slot {
                class,
                function: start.entry,
                base: slots.len() as u32 * REGISTERS,
                last_of_many: start.many && nth + 1 == count,
            });
        }
    }
    if analysis.keep_variables {
        // Several threads of a class are at the same functions.
        let all = (0..analysis.objects.count()).map(super::objects::ObjectId);
        for id in all {
            let class = match analysis.objects.get(id) {
                super::objects::Object::Stack(context, _)
                | super::objects::Object::Heap(context, _) => {
                    Some(analysis.context_classes[context.0 as usize])
                }
                super::objects::Object::Local(class, _) => Some(class),
                _ => None,
            };
            let many = |class| starts.get(&class).is_some_and(|start| start.many);
            if class.is_some_and(many) {
                analysis.objects.stands_for_several(id);
            }
        }
    }
    slots
}

/// Where a thread of a slot is, as the search tells places apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Thread {
    Unborn,
    At(Place),
    Ended,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// Frames from the outermost to the innermost, each at the instruction that is next, or
    /// that calls the next frame's function.
    frames: Vec<(Frame, u32, u32)>,
    held: BTreeSet<Lock>,
    next: Next,
}

impl Place {
    fn site(&self) -> Option<Site> {
        let (frame, block, index) = self.frames.last()?;
        Some(Site { function: frame.function, block: *block, index: *index })
    }
}

/// What a thread does next, where it stops.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    /// It has just been created, or is at the head of a loop: nobody notices.
    Go,
    /// It touches what others touch.
    Touch,
    Take(Lock),
    /// The same, at the end of a wait for a condition variable.
    Retake(Lock),
    Join(BTreeSet<ClassId>),
}

/// Cells that threads of different slots touch, one of them to write.
fn contested(analysis: &Analysis, slots: &[Slot]) -> BTreeSet<CellId> {
    let mut touched: BTreeMap<CellId, BTreeMap<ClassId, bool>> = BTreeMap::new();
    for ((class, _), deeds) in &analysis.deeds {
        for &cell in &deeds.reads {
            touched.entry(cell).or_default().entry(*class).or_default();
        }
        for &cell in &deeds.writes {
            *touched.entry(cell).or_default().entry(*class).or_default() = true;
        }
    }
    let several = |class: &ClassId| slots.iter().filter(|slot| slot.class == *class).count() > 1;
    let contested = touched.into_iter().filter(|(_, by)| {
        by.values().any(|writes| *writes) && (by.len() > 1 || by.keys().any(several))
    });
    contested.map(|(cell, _)| cell).collect()
}
