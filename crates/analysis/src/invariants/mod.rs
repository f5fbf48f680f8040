//! Invariants of a multi-threaded program, for any number of steps, threads of a class and
//! inputs: what each place of each thread may find in registers and memory.
//!
//! Abstract interpretation with the domains of `numeric`. Threads are analysed one after the
//! other under what they tell each other (`facts`), until nobody tells anything new; then once
//! more from there, to sharpen what widening has lost. What is claimed is what a last round
//! bears out, in which each thread has told no more than was taken for granted.
//!
//! Instructions have their own meaning here (`transfer`), since `analysis` does not know
//! `semantics`, and what a domain needs most (that `x` is what was loaded from there, so that
//! a test of the one narrows the other) is nothing that a value could carry. Random programs
//! are compared with the interpreter (`crates/fuzz/src/invariants.rs`): every value that a
//! register or a global has in any state that is reached must be among those claimed there.
//!
//! Whatever is not understood ends the analysis ([`GaveUp`]): nothing is claimed then. Claims
//! hold under sequential consistency only.

mod calls;
mod deadlock;
mod facts;
mod flow;
mod handles;
mod library;
mod live;
mod memory;
mod objects;
mod races;
mod refine;
mod reuse;
mod shapes;
mod show;
mod state;
mod threads;
mod transactions;
mod transfer;
mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use heddle_ir::{FuncId, GlobalId, Op, Operand, Program, Span, Terminator};
use rustc_hash::FxHashMap;

use crate::numeric::{Thresholds, sign_extend};
use crate::site::{Site, instructions};
use deadlock::Waits;
use facts::Facts;
use flow::Solved;
use live::Live;
use objects::{ClassId, ContextId, Object, Objects, Recast};
use reuse::{Asked, Run};
use state::{Lock, Stops};

pub use races::Apart;
pub use show::{Claim, Claims, Term, range};
pub use transactions::{Graph, Options as GraphOptions, Standing, transactions};

/// What a check of the program is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Check {
    /// An assertion, or an error function.
    Assertion,
    Abort,
    /// An access, a free, the use of a lock, a divisor.
    Memory,
    /// Signed arithmetic.
    Overflow,
    Deadlock,
    Race,
}

/// A check that a program makes somewhere, and whether it can't fail.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Obligation {
    pub span: Span,
    pub check: Check,
    pub what: &'static str,
    pub holds: bool,
    /// By which invariants.
    pub by: String,
}

/// Why nothing is claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GaveUp {
    pub why: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub interrupt: Arc<AtomicBool>,
    /// Instructions that may be looked at.
    pub budget: u64,
    /// Keep what is known before each instruction.
    pub claims: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { interrupt: Arc::default(), budget: 3_000_000, claims: false }
    }
}

/// A place where shared memory is accessed, by threads of a class that may run beside others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Access {
    cell: objects::CellId,
    class: ClassId,
    span: Span,
    write: bool,
    atomic: bool,
    locks: BTreeSet<Lock>,
    others: BTreeSet<ClassId>,
}

/// What an instruction does that others may notice, in the threads of a class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deeds {
    reads: BTreeSet<objects::CellId>,
    writes: BTreeSet<objects::CellId>,
    takes: BTreeSet<Lock>,
    creates: BTreeSet<ClassId>,
    /// Threads of one of these classes must have ended, where it is known which.
    joins: BTreeSet<ClassId>,
    calls: BTreeSet<FuncId>,
}

/// Two accesses of which one may be a data race with the other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Warning {
    /// What is accessed.
    pub place: String,
    pub sides: [Side; 2],
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Side {
    pub span: Span,
    pub write: bool,
    pub locks: Vec<String>,
}

/// What is known of a program.
#[derive(Clone, Debug, Default)]
pub struct Invariants {
    pub obligations: Vec<Obligation>,
    /// Pairs of accesses that nothing orders.
    pub warnings: Vec<Warning>,
    /// Pairs of conflicting accesses that a common lock, or create and join, keep apart.
    pub ordered: usize,
    pub claims: Claims,
    pub rounds: u32,
    pub instructions: u64,
    /// Classes of threads, cells of memory.
    pub classes: usize,
    pub cells: usize,
}

enum Stop {
    Recast,
    GaveUp(GaveUp),
}

impl From<Recast> for Stop {
    fn from(_: Recast) -> Stop {
        Stop::Recast
    }
}

/// How often cells may change, and how often threads may tell each other something.
const RECASTS: u32 = 300;
const ROUNDS: u32 = 120;
/// How often values, and relations, that have not settled go to the next threshold only. What
/// values lose beyond that they mostly get back when they are sharpened; relations do not.
const VALUE_STOPS: u32 = 5;
const RELATION_STOPS: u32 = 27;

/// Analyses a program from a function on.
pub fn invariants(
    program: &Program,
    entry: FuncId,
    options: &Options,
) -> Result<Invariants, GaveUp> {
    let mut analysis = Analysis::new(program, entry, options);
    analysis.settle_all()?;
    Ok(analysis.report())
}

pub(crate) struct Analysis<'p> {
    program: &'p Program,
    entry: FuncId,
    options: &'p Options,
    thresholds: Thresholds,
    none: Thresholds,
    live: FxHashMap<FuncId, Arc<Live>>,
    objects: Objects,
    contexts: BTreeMap<(ClassId, Vec<Site>, FuncId), ContextId>,
    context_classes: Vec<ClassId>,
    /// Where each register is assigned, if by an instruction.
    definitions: FxHashMap<FuncId, Vec<Option<Site>>>,
    classes: BTreeMap<(Site, FuncId), ClassId>,
    /// Taken for granted in this round, and told in it.
    facts: Facts,
    told: Facts,
    solved: FxHashMap<ContextId, Solved>,
    class: ClassId,
    path: Vec<Site>,
    /// Where the analysis is.
    at: Site,
    recording: bool,
    /// It is the last round: what is found is told.
    noting: bool,
    runs: BTreeMap<ClassId, Run>,
    asked: Asked,
    obligations: BTreeMap<(Site, &'static str), Obligation>,
    accesses: BTreeSet<Access>,
    deeds: BTreeMap<(ClassId, Site), Deeds>,
    claims: Claims,
    waits: Waits,
    /// Variables of functions that have returned are kept.
    keep_variables: bool,
    /// Allocations may fail, since the program has something to do then.
    null_tested: bool,
    spent: u64,
    rounds: u32,
}

impl<'p> Analysis<'p> {
    fn new(program: &'p Program, entry: FuncId, options: &'p Options) -> Analysis<'p> {
        let mut analysis = Analysis {
            program,
            entry,
            options,
            thresholds: thresholds(program),
            none: Thresholds::default(),
            live: FxHashMap::default(),
            objects: Objects::default(),
            contexts: BTreeMap::new(),
            context_classes: Vec::new(),
            definitions: FxHashMap::default(),
            classes: BTreeMap::new(),
            facts: Facts::default(),
            told: Facts::default(),
            solved: FxHashMap::default(),
            class: ClassId::MAIN,
            path: Vec::new(),
            at: Site { function: entry, block: 0, index: 0 },
            recording: false,
            noting: false,
            runs: BTreeMap::new(),
            asked: Asked::default(),
            obligations: BTreeMap::new(),
            accesses: BTreeSet::new(),
            deeds: BTreeMap::new(),
            claims: Claims::default(),
            waits: Waits::default(),
            keep_variables: false,
            null_tested: program.allocations_fail,
            spent: 0,
            rounds: 0,
        };
        for id in 0..program.globals.len() as u32 {
            analysis.objects.intern(Object::Global(GlobalId(id)));
        }
        for id in (0..program.functions.len() as u32).map(FuncId) {
            analysis.objects.intern(Object::Function(id));
            let mut sites = vec![None; program.function(id).regs.len()];
            for (site, inst) in instructions(program, id) {
                inst.op.destinations().iter().for_each(|reg| sites[reg.0 as usize] = Some(site));
            }
            analysis.definitions.insert(id, sites);
        }
        analysis.expect_arrays();
        analysis
    }

    /// Until cells are what all accesses need, and what was taken for granted is borne out.
    fn settle_all(&mut self) -> Result<(), GaveUp> {
        for _ in 0..=RECASTS {
            match self.settle() {
                Ok(()) => return Ok(()),
                Err(Stop::GaveUp(why)) => return Err(why),
                Err(Stop::Recast) => {}
            }
        }
        let why = "memory is accessed in too many ways".to_string();
        Err(GaveUp { why, span: Span::UNKNOWN })
    }

    /// Rounds until what was taken for granted is borne out. Then what was told becomes what
    /// is taken for granted, as long as that is borne out in turn.
    fn settle(&mut self) -> Result<(), Stop> {
        self.facts = Facts::default();
        self.told = Facts::default();
        self.solved.clear();
        let mut settled: Option<Facts> = None;
        let mut sharper = 0;
        let mut joins = 0;
        self.noting = false;
        for _ in 0..ROUNDS {
            self.objects.grown = false;
            self.round()?;
            self.rounds += 1;
            let told = std::mem::take(&mut self.told);
            let borne_out = !self.objects.grown && told.leq(&self.facts);
            match (borne_out, &settled) {
                (true, _) if self.noting => return Ok(()),
                (true, _) if sharper < 3 && told != self.facts => {
                    sharper += 1;
                    self.solved.clear();
                    settled = Some(std::mem::replace(&mut self.facts, told));
                }
                // Once more, with all threads.
                (true, _) => self.noting = true,
                (false, Some(_)) => {
                    // What was sharper does not hold: back to what does, for good.
                    self.facts = settled.take().unwrap_or_default();
                    sharper = u32::MAX;
                    self.solved.clear();
                    self.noting = false;
                }
                (false, None) => {
                    self.noting = false;
                    let widen = (joins >= 3).then(|| self.stops(joins - 3));
                    let all = self.facts.join(&told, widen);
                    joins += 1;
                    self.facts = match all.guards == self.facts.guards {
                        true => all,
                        // What was told without knowing these was told in vain.
                        false => {
                            joins = 0;
                            self.solved.clear();
                            all.only_structure()
                        }
                    };
                }
            }
        }
        Err(self.give_up("threads do not come to terms"))
    }

    /// Where widening stops that has been done so often.
    fn stops(&self, widenings: u32) -> Stops<'_> {
        let stops = |most| if widenings < most { &self.thresholds } else { &self.none };
        Stops { values: stops(VALUE_STOPS), relations: stops(RELATION_STOPS) }
    }

    fn give_up(&self, why: impl Into<String>) -> Stop {
        Stop::GaveUp(GaveUp { why: why.into(), span: self.at.span(self.program) })
    }

    /// Counts an instruction.
    fn spend(&mut self) -> Result<(), Stop> {
        self.spent += 1;
        if self.spent > self.options.budget {
            return Err(self.give_up("the budget is spent"));
        }
        if self.spent.is_multiple_of(256) && self.options.interrupt.load(Ordering::Relaxed) {
            return Err(self.give_up("interrupted"));
        }
        Ok(())
    }

    /// Notes a check. One that is made in several contexts must hold in all.
    fn oblige(
        &mut self,
        check: Check,
        what: &'static str,
        holds: bool,
        by: impl FnOnce() -> String,
    ) {
        if !self.recording || !self.noting {
            return;
        }
        let span = self.user_span();
        let by = if holds { by() } else { String::new() };
        let new = Obligation { span, check, what, holds, by };
        let noted = self.obligations.entry((self.at, what)).or_insert_with(|| new.clone());
        noted.holds &= new.holds;
    }

    /// The line of the user's that the analysis is at.
    fn user_span(&self) -> Span {
        let here = self.at.span(self.program);
        let callers = self.path.iter().rev().map(|site| site.span(self.program));
        let users =
            |span: &Span| span.is_known() && self.program.whose(*span) == heddle_ir::Whose::User;
        std::iter::once(here).chain(callers).find(users).unwrap_or(here)
    }

    fn report(mut self) -> Invariants {
        self.check_deadlock();
        let (warnings, ordered) = self.races();
        let holds = warnings.is_empty();
        let span = warnings.first().map_or(Span::UNKNOWN, |warning| warning.sides[0].span);
        let mut obligations: Vec<Obligation> = self.obligations.into_values().collect();
        let by = "locks, create and join".to_string();
        obligations.push(Obligation { span, check: Check::Race, what: "no data race", holds, by });
        obligations.sort();
        Invariants {
            obligations,
            warnings,
            ordered,
            claims: self.claims,
            rounds: self.rounds,
            instructions: self.spent,
            classes: self.facts.starts.len() + 1,
            cells: self.objects.cell_count() as usize,
        }
    }
}

/// Constants of the program, and their neighbours.
fn thresholds(program: &Program) -> Thresholds {
    const MOST: usize = 400;
    let mut all = vec![0, 1, -1];
    let mut take = |operand: Operand, width: u8| {
        if let Operand::Const(bits) = operand {
            let number = sign_extend(bits, width);
            all.extend([number.saturating_sub(1), number, number.saturating_add(1)]);
        }
    };
    for block in program.functions.iter().flat_map(|function| &function.blocks) {
        for inst in &block.insts {
            match &inst.op {
                Op::Compare { width, a, b, .. } | Op::Binary { width, a, b, .. } => {
                    take(*a, *width);
                    take(*b, *width);
                }
                Op::Store { value, ty, .. } => {
                    take(*value, ty.bits(program.pointer_bytes) as u8);
                }
                _ => {}
            }
        }
        if let Terminator::Switch { width, cases, .. } = &block.term {
            cases.iter().for_each(|(value, _)| take(Operand::Const(*value), *width));
        }
    }
    all.sort_unstable();
    all.dedup();
    all.sort_by_key(|value| value.unsigned_abs());
    all.truncate(MOST);
    // Limits of the usual types.
    for bits in [7, 8, 15, 16, 31, 32] {
        all.extend([(1i64 << bits) - 1, -(1i64 << bits)]);
    }
    Thresholds::new(all)
}
