//! Unfolds a program: every call inlined, every loop unrolled, every thread
//! instantiated, all runs of a thread followed at once.
//!
//! Runs that meet at the same place of the unfolding (call path, iterations of the
//! loops around it, instruction) are merged into one state, whose values are
//! selected by which run it is. States are taken up in the order of their keys, so
//! a place is entered once, after everything that leads there. Instruction meaning
//! is the interpreter's: [`eval`] and the library over [`Host`](heddle_semantics::Host),
//! with terms as values.

mod access;
mod calls;
mod checks;
pub(crate) mod constrained;
mod contents;
mod control;
pub(crate) mod facts;
mod growth;
mod heap;
mod host;
mod lifetimes;
mod loops;
pub(crate) mod memory;
pub(crate) mod objects;
mod order;
mod publish;
mod shared;
pub(crate) mod state;
mod sync;
pub(crate) mod targets;
mod threads;
mod widths;

use std::collections::BTreeMap;

use heddle_ir::{FuncId, Operand, Program, Span};
use heddle_sat::Term;
use heddle_semantics::capture::captured;
use heddle_semantics::library::{self, Handler};
use heddle_semantics::{Bounds, Ends, NullTests};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::bounded::{Bounded, Goal, ThreadCode};
use crate::symbolic::Symbolic;
use crate::unfold::constrained::{Constraints, Counting};
use crate::unfold::facts::{Cell, Facts};
use crate::unfold::objects::{Identity, Objects};
use crate::unfold::order::Order;
use crate::unfold::state::{Frame, Key, State, extend_key};
use crate::watch::{Stop, Watch};

/// The run is not followed any further.
#[derive(Clone, Copy, Debug)]
pub struct Dead;

/// Instructions of one unfolding.
const MAX_STEPS: u64 = 20_000_000;
/// Iterations of a loop that no run leaves, in which other threads may be noticed,
/// before it is looked at as one that may have no end.
const FIRST_CAP: u32 = 4;
const LAST_CAP: u32 = 1 << 14;
/// Unfoldings until nothing new is found.
const MAX_ROUNDS: u32 = 400;

/// What an unfolding is to look at.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Iterations of a loop that some runs leave.
    pub unwind: u32,
    /// Stores may wait, so that it matters what drains.
    pub weak: bool,
    /// Private memory counts as visible, as it does in the interpreter where stores
    /// may overtake the one that publishes them.
    pub everything: bool,
    /// Unknown integers are taken to be sign-extended from this many bits.
    pub bits: Option<u32>,
    /// Signed overflow is a violation.
    pub overflow: bool,
}

/// How a thread starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub entry: FuncId,
    pub arg: Term,
}

pub struct Unfolder<'p> {
    pub(crate) program: &'p Program,
    pub(crate) symbolic: Symbolic,
    pub(crate) facts: Facts,
    pub(crate) objects: Objects,
    pub(crate) orders: Vec<Order>,
    pub(crate) library: Vec<Option<Handler<Unfolder<'p>>>>,
    pub(crate) atomic_functions: Vec<bool>,
    pub(crate) at_end: Option<FuncId>,
    pub(crate) at_exit: Option<FuncId>,
    pub(crate) uncaught: Option<FuncId>,
    entry: FuncId,
    pub(crate) unwind: u32,
    /// Stores may wait, so that it matters what drains.
    pub(crate) weak: bool,
    /// Unknown integers are taken to be sign-extended from this many bits.
    bits: Option<u32>,
    /// Some integer was.
    pub(crate) narrowed: bool,
    /// Choices that were made in some run.
    pub(crate) assumed: Bounds,
    /// Signed overflow is a violation.
    pub(crate) overflow: bool,
    /// Where assumptions may fail.
    pub(crate) ends: Ends,
    /// Where pointers are compared with null.
    pub(crate) null_tests: NullTests,
    /// What programs may rely on of the addresses of objects.
    pub(crate) alignments: FxHashMap<u32, u64>,
    /// Heap blocks that may be freed, and whether their addresses are compared with
    /// those of others.
    pub(crate) freed: FxHashSet<u32>,
    pub(crate) reuse: bool,
    /// Objects whose addresses are where other threads can find them, in some run.
    pub(crate) published: FxHashSet<u32>,
    /// Every object is, but those in `kept`.
    pub(crate) everything: bool,
    /// Stack objects whose addresses never leave the function that makes them.
    pub(crate) kept: FxHashSet<u32>,
    /// By function and register, if every object is: what may leave the function.
    pub(crate) captured: Vec<Vec<bool>>,
    pub(crate) cap: u32,
    pub(crate) capped: bool,
    watch: Watch,
    pub(crate) interned: FxHashMap<Identity, u32>,
    /// Threads but the main one, in any unfolding.
    pub(crate) known_threads: u32,
    /// Waiters of each condition variable.
    pub(crate) waiters: FxHashMap<Cell, Vec<u32>>,
    pub(crate) grown: bool,
    /// Handles of threads that may be detached; joining them is not followed.
    pub(crate) detached: FxHashSet<u64>,
    /// Those that are detached somewhere in this unfolding.
    pub(crate) released: FxHashSet<u64>,
    /// Objects whose size is not always the same.
    pub(crate) varying: FxHashSet<u32>,
    /// For a program under scheduling constraints.
    pub(crate) counting: Option<Counting>,

    // Of one unfolding.
    pub(crate) threads: Vec<ThreadCode>,
    pub(crate) starts: Vec<Option<Start>>,
    /// Memory when the first thread was created.
    pub(crate) snapshot: FxHashMap<Cell, Term>,
    /// See [`Unfolder::unwritten_value`].
    pub(crate) unwritten: FxHashMap<Cell, Term>,
    pub(crate) opened: bool,
    /// The cells that variables were read from.
    pub(crate) read_from: FxHashMap<Term, SmallVec<[Cell; 1]>>,
    /// Sizes of those in `varying`.
    pub(crate) sizes: FxHashMap<u32, Term>,
    pub(crate) steps: u64,

    // Of the state under way.
    pub(crate) current: u32,
    pub(crate) state: State,
    pub(crate) pc: u32,
    /// A library model has set up a call.
    pub(crate) entered: bool,
    /// What is read now is not waited for.
    pub(crate) glances: bool,
    /// The function of the library that runs.
    pub(crate) in_library: Option<FuncId>,
    /// Objects that the instruction under way has made.
    pub(crate) made: u32,
    /// First event of the operation under way.
    pub(crate) first_event: u32,
    queue: BTreeMap<Key, State>,
}

/// Why there is no bounded program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfoldError {
    #[error(transparent)]
    Stopped(#[from] Stop),
    #[error("the unfolding is too large")]
    TooLarge,
    #[error("what memory may hold does not settle")]
    Unsettled,
}

impl<'p> Unfolder<'p> {
    pub fn new(program: &'p Program, entry: FuncId, limits: Limits, watch: Watch) -> Unfolder<'p> {
        let Limits { unwind, weak, everything, bits, overflow } = limits;
        let table = library::table();
        let mut symbolic = Symbolic::default();
        let guard = symbolic.terms.truth(true);
        let find = |name: &str| program.find_function(name);
        let with_body = |id: &FuncId| !program.function(*id).is_declaration();
        Unfolder {
            program,
            facts: Facts::default(),
            objects: Objects::of(program),
            orders: program.functions.iter().map(Order::of).collect(),
            library: program
                .functions
                .iter()
                .map(|f| {
                    let modelled = f.is_declaration() || library::overrides_body(&f.name);
                    modelled.then(|| table.get(f.name.as_str()).copied()).flatten()
                })
                .collect(),
            atomic_functions: program
                .functions
                .iter()
                .map(|f| f.name.starts_with("__VERIFIER_atomic_") && !f.is_declaration())
                .collect(),
            at_end: find("__heddle_end_thread").filter(with_body),
            at_exit: find("__heddle_end_process").filter(with_body),
            uncaught: find("__heddle_uncaught").filter(with_body),
            entry,
            unwind,
            weak,
            bits,
            narrowed: false,
            assumed: Bounds::default(),
            overflow,
            freed: FxHashSet::default(),
            reuse: false,
            ends: Ends::default(),
            null_tests: NullTests::default(),
            alignments: FxHashMap::default(),
            published: FxHashSet::default(),
            everything,
            kept: FxHashSet::default(),
            captured: match everything {
                true => captured(program),
                false => Vec::new(),
            },
            cap: FIRST_CAP,
            capped: false,
            watch,
            interned: FxHashMap::default(),
            known_threads: 0,
            waiters: FxHashMap::default(),
            grown: false,
            detached: FxHashSet::default(),
            released: FxHashSet::default(),
            varying: FxHashSet::default(),
            counting: None,
            threads: Vec::new(),
            starts: Vec::new(),
            snapshot: FxHashMap::default(),
            unwritten: FxHashMap::default(),
            opened: false,
            read_from: FxHashMap::default(),
            sizes: FxHashMap::default(),
            steps: 0,
            current: 0,
            state: State::new(guard),
            symbolic,
            pc: 0,
            entered: false,
            glances: false,
            in_library: None,
            made: 0,
            first_event: 0,
            queue: BTreeMap::new(),
        }
    }

    /// Only runs that keep these constraints.
    pub fn under(self, constraints: Option<Constraints>) -> Unfolder<'p> {
        Unfolder { counting: constraints.map(Counting::new), ..self }
    }

    /// No more numbers than these are listed for a cell; `None` is what is best.
    pub fn listing(self, listed: Option<usize>) -> Unfolder<'p> {
        Unfolder { facts: Facts::listing(listed), ..self }
    }

    /// Unfolds until the facts settle.
    pub fn unfold(mut self) -> Result<(Bounded, Symbolic, Objects), UnfoldError> {
        for _ in 0..MAX_ROUNDS {
            self.unfold_once()?;
            let settled = self.facts.settle() && !std::mem::take(&mut self.grown);
            if !settled {
                continue;
            }
            if self.capped && self.cap < LAST_CAP {
                self.cap *= 8;
                continue;
            }
            return Ok(self.finish());
        }
        Err(UnfoldError::Unsettled)
    }

    fn finish(mut self) -> (Bounded, Symbolic, Objects) {
        let fails = self.program.allocations_fail;
        self.assumed.allocations |= !fails && self.null_tests.leaves_open(self.program);
        let mut initial = FxHashMap::default();
        let mut names = FxHashMap::default();
        let threads = std::mem::take(&mut self.threads);
        for event in threads.iter().flat_map(|thread| &thread.events) {
            for &(cell, _) in event.targets.iter().chain(&event.lives) {
                let value = self.initial_shared(cell);
                initial.insert(cell, value);
                names.entry(cell).or_insert_with(|| self.cell_name(cell));
            }
        }
        let terms = &self.symbolic.terms;
        let bytes = |value: Term| terms.width(value) / 8;
        let unwritten =
            self.unwritten.iter().map(|(&cell, &value)| (cell, bytes(value), value)).collect();
        let Unfolder { unwind, narrowed, assumed, reuse, ends, .. } = self;
        let instructions = self.counting.map(|counting| counting.instructions).unwrap_or_default();
        let mut bounded = Bounded {
            threads,
            initial,
            bits: FxHashMap::default(),
            unwritten,
            names,
            unwind,
            narrowed,
            assumed,
            reuse,
            ends,
            traps_end: heddle_semantics::traps_end(self.program),
            instructions,
        };
        widths::narrow(&mut bounded, &mut self.symbolic.terms);
        (bounded, self.symbolic, self.objects)
    }

    fn unfold_once(&mut self) -> Result<(), UnfoldError> {
        self.symbolic = Symbolic::default();
        self.threads.clear();
        self.starts.clear();
        self.snapshot.clear();
        self.unwritten.clear();
        self.opened = false;
        self.read_from.clear();
        self.sizes.clear();
        self.released.clear();
        self.steps = 0;
        self.capped = false;
        self.narrowed = false;
        self.assumed = Bounds::default();
        self.assumed.note_start(self.program, self.entry);
        self.reuse = false;
        self.ends = Ends::default();
        self.null_tests = NullTests::default();
        if let Some(counting) = &mut self.counting {
            counting.reset();
        }
        let guard = self.symbolic.terms.truth(true);
        self.threads.push(ThreadCode { entry: self.entry, ..ThreadCode::default() });
        self.starts.push(None);
        self.state = State::new(guard);
        self.state.alone = true;
        self.current = 0;
        let args = self.main_arguments();
        self.push_frame(self.entry, &args);
        for &constructor in self.program.constructors.iter().rev() {
            self.push_frame(constructor, &[]);
        }
        self.run()?;
        let mut at = 1;
        // Threads may create threads; each is unfolded once.
        while at < self.threads.len() {
            if let Some(start) = self.starts[at] {
                self.begin_thread(at as u32, start);
                self.run()?;
            }
            at += 1;
        }
        self.note_initial_values();
        self.note_stored_values();
        Ok(())
    }

    fn begin_thread(&mut self, thread: u32, start: Start) {
        let guard = self.symbolic.terms.truth(true);
        self.current = thread;
        self.state = State::new(guard);
        self.state.alone = false;
        self.threads[thread as usize].entry = start.entry;
        self.wait_for_birth(thread);
        self.push_frame(start.entry, &[start.arg]);
    }

    /// Runs all states of the current thread.
    fn run(&mut self) -> Result<(), UnfoldError> {
        self.queue.clear();
        self.resume();
        while let Some((_, state)) = self.queue.pop_first() {
            self.watch.ask()?;
            if self.steps > MAX_STEPS {
                return Err(UnfoldError::TooLarge);
            }
            self.state = state;
            self.run_state();
        }
        Ok(())
    }

    /// Puts the current state into the queue, joined with what is there.
    pub(crate) fn resume(&mut self) {
        let placeholder = State::new(self.state.guard);
        let state = std::mem::replace(&mut self.state, placeholder);
        self.enqueue(state);
    }

    pub(crate) fn enqueue(&mut self, mut state: State) {
        if self.symbolic.terms.as_constant(state.guard) == Some(0) {
            return;
        }
        let key = self.key_of(&state.frames, None);
        match self.queue.remove(&key) {
            None => {
                self.queue.insert(key, state);
            }
            Some(mut other) => {
                if other.alone != state.alone {
                    self.open(&mut other);
                    self.open(&mut state);
                }
                if other.section != state.section {
                    self.join_sections(&mut other, &mut state);
                }
                let memory = self.merge_memory(&other, &state);
                other.merge(state, &mut self.symbolic);
                other.memory = memory;
                self.queue.insert(key, other);
            }
        }
    }

    /// One run came into an atomic section, another did not, at the same place.
    fn join_sections(&mut self, a: &mut State, b: &mut State) {
        for state in [a, b] {
            if state.section.is_some() {
                let goal = Goal::Unsupported("an atomic section with several ways in".to_string());
                self.note_check(state.guard, goal, Span::UNKNOWN);
                state.section = None;
                state.atomic = 0;
            }
        }
    }

    pub(crate) fn key_of(&self, frames: &[Frame], pc: Option<u32>) -> Key {
        let mut key = Key::new();
        for (depth, frame) in frames.iter().enumerate() {
            if depth > 0 {
                key.push(frame.function.0);
            }
            let place =
                self.orders[frame.function.0 as usize].place(heddle_ir::BlockId(frame.block));
            extend_key(&mut key, place, frame);
        }
        if let (Some(pc), Some(last)) = (pc, key.last_mut()) {
            *last = pc;
        }
        key
    }

    pub(crate) fn value(&mut self, operand: Operand, width: u32) -> Term {
        match operand {
            Operand::Reg(reg) => {
                let known = self.state.top().regs[reg.0 as usize];
                // Not assigned on any run that comes here: never looked at.
                known.unwrap_or_else(|| self.symbolic.terms.constant(0, width))
            }
            Operand::Const(bits) => self.symbolic.terms.constant(bits, width),
            Operand::Global(id, offset) => {
                let base =
                    self.objects.globals[id.0 as usize].map_or(0, |id| self.objects.base(id));
                self.symbolic.terms.constant(base.wrapping_add(offset as u64), width)
            }
            Operand::Function(id) => {
                let base = self.objects.base(self.objects.functions[id.0 as usize]);
                self.symbolic.terms.constant(base, width)
            }
        }
    }

    /// An integer that may be anything, within `--bits`.
    pub(crate) fn unknown(&mut self, width: u32) -> Term {
        match self.bits {
            Some(bits) if bits < width => {
                self.narrowed = true;
                let narrow = self.symbolic.terms.variable(bits);
                self.symbolic.terms.sign_extend(narrow, width)
            }
            _ => self.symbolic.terms.variable(width),
        }
    }
}
