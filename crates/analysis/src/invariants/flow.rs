//! The states at the blocks of a function: iteration to a fixpoint, with widening where jumps
//! back lead to; a few turns that sharpen it; and a last one that bears it out, in which
//! checks and what others are told are noted.
//!
//! A function is analysed anew for each way to call it. What was found for a context is good for
//! any state that the one it was found for includes. It is kept from round to round, and good in
//! a new one if executing all blocks once more leads to nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use heddle_ir::{Edge, FuncId, Operand, Reg, Terminator};

use super::live::Live;
use super::objects::ContextId;
use super::state::{State, as_cell, register_var};
use super::value::Value;
use super::{Analysis, Stop};
use crate::numeric::Var;
use crate::site::Site;

/// Joins before widening, turns to sharpen.
const JOINS: u32 = 2;
const SHARPENINGS: u32 = 2;
/// Turns to widen what does not hold.
const REPAIRS: u32 = 12;
/// Calls within each other.
const DEPTH: usize = 60;

/// A function as it is called somewhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frame {
    pub function: FuncId,
    pub context: ContextId,
    /// Number of its first register.
    pub base: u32,
    /// Where what it returns goes.
    pub results: Vec<Var>,
    /// Widths of these.
    pub widths: Vec<u8>,
}

impl Frame {
    pub fn register(&self, reg: Reg) -> Var {
        register_var(self.base + reg.0)
    }
}

/// The states at the blocks of a function.
#[derive(Clone)]
pub struct Solved {
    entry: State,
    blocks: Vec<Option<State>>,
    exit: Option<State>,
    /// The last round that it was good in.
    round: u32,
}

/// Where control may go from a block: each edge by its number.
#[derive(Default)]
pub struct Ways {
    pub edges: Vec<(usize, State)>,
    pub exit: Option<State>,
}

struct Iteration {
    frame: Frame,
    live: Arc<Live>,
    entry: State,
    blocks: Vec<Option<State>>,
    edges: BTreeMap<(u32, usize), State>,
    exits: BTreeMap<u32, State>,
}

impl Analysis<'_> {
    pub(super) fn live(&mut self, function: FuncId) -> Arc<Live> {
        let program = self.program;
        let make = || Arc::new(Live::of(program.function(function), program.pointer_bytes));
        Arc::clone(self.live.entry(function).or_insert_with(make))
    }

    /// The state in which a function returns, if it does.
    pub(super) fn run(&mut self, frame: &Frame, entry: State) -> Result<Option<State>, Stop> {
        if self.path.len() > DEPTH {
            return Err(self.give_up("calls are too deep"));
        }
        let at = self.at;
        let known = self.solved.remove(&frame.context);
        let mut solved = known.filter(|solved| entry.leq(&solved.entry));
        if let Some(known) = solved.take_if(|it| self.recording || it.round != self.rounds) {
            solved = self.bear_out(frame, known)?;
        }
        let solved = match solved {
            Some(solved) => solved,
            None => match self.solve_anew(frame, entry.clone())? {
                Some(solved) => solved,
                // What is known of calls in there was found for other states, and said now more
                // and now less.
                None => {
                    self.solved.clear();
                    match self.solve_anew(frame, entry)? {
                        Some(solved) => solved,
                        None => return Err(self.give_up("a loop does not settle")),
                    }
                }
            },
        };
        let exit = solved.exit.clone();
        self.solved.insert(frame.context, solved);
        self.at = at;
        Ok(exit)
    }

    /// `None` if what was found does not hold.
    fn solve_anew(&mut self, frame: &Frame, entry: State) -> Result<Option<Solved>, Stop> {
        let recording = std::mem::replace(&mut self.recording, false);
        let solved = self.solve(frame, entry)?;
        self.recording = recording;
        match solved {
            Some(solved) if recording => self.bear_out(frame, solved),
            solved => Ok(solved),
        }
    }

    fn solve(&mut self, frame: &Frame, entry: State) -> Result<Option<Solved>, Stop> {
        let live = self.live(frame.function);
        let count = self.program.function(frame.function).blocks.len();
        let mut iteration = Iteration {
            frame: frame.clone(),
            live,
            entry,
            blocks: vec![None; count],
            edges: BTreeMap::new(),
            exits: BTreeMap::new(),
        };
        self.ascend(&mut iteration)?;
        // Without loops each block was executed after all that lead to it.
        let loops = !iteration.live.heads.is_empty();
        let safe = if loops { iteration.blocks.clone() } else { Vec::new() };
        for _ in 0..SHARPENINGS * u32::from(loops) {
            self.descend(&mut iteration)?;
        }
        if loops && !self.holds(&mut iteration)? {
            iteration.blocks = safe;
            // New cells turn up while a function is looked at; there will be another round.
            if !self.widen_until_it_holds(&mut iteration)? && !self.objects.grown {
                return Ok(None);
            }
        }
        let exit = iteration.exits.values().cloned().reduce(|a, b| a.join(&b));
        let round = self.rounds;
        Ok(Some(Solved { entry: iteration.entry, blocks: iteration.blocks, exit, round }))
    }

    fn ascend(&mut self, it: &mut Iteration) -> Result<(), Stop> {
        let order = it.live.order.clone();
        let place: BTreeMap<u32, usize> =
            order.iter().enumerate().map(|(at, &b)| (b, at)).collect();
        let mut todo: BTreeSet<usize> = BTreeSet::from([0]);
        let mut visits = vec![0u32; it.blocks.len()];
        while let Some(at) = todo.pop_first() {
            let block = order[at];
            let Some(mut state) = it.incoming(block) else { continue };
            if let Some(old) = &it.blocks[block as usize] {
                if state.leq(old) {
                    continue;
                }
                visits[block as usize] += 1;
                state = match visits[block as usize] {
                    0..=JOINS => old.join(&state),
                    visits if it.live.heads.contains(&block) => {
                        old.widen(&old.join(&state), self.stops(visits - JOINS - 1))
                    }
                    _ => old.join(&state),
                };
                if visits[block as usize] > 200 {
                    return Err(self.give_up("a loop goes on for ever"));
                }
            }
            it.blocks[block as usize] = Some(state);
            for target in self.execute_block(it, block)? {
                todo.insert(place[&target]);
            }
        }
        Ok(())
    }

    fn descend(&mut self, it: &mut Iteration) -> Result<(), Stop> {
        for block in it.live.order.clone() {
            let new = it.incoming(block);
            if new.as_ref().is_none_or(|new| {
                it.blocks[block as usize].as_ref().is_some_and(|old| new.leq(old))
            }) {
                it.blocks[block as usize] = new;
            }
            self.execute_block(it, block)?;
        }
        Ok(())
    }

    /// What calls lead to need not grow with the states that they are made in, so that what was
    /// found may not hold in the end.
    fn widen_until_it_holds(&mut self, it: &mut Iteration) -> Result<bool, Stop> {
        for turn in 0..REPAIRS {
            if self.holds(it)? {
                return Ok(true);
            }
            for block in it.live.order.clone() {
                let stops = self.stops(if turn < REPAIRS / 3 { 0 } else { u32::MAX });
                let Some(new) = it.incoming(block) else { continue };
                let old = it.blocks[block as usize].take();
                it.blocks[block as usize] = Some(match old {
                    Some(old) if new.leq(&old) => old,
                    Some(old) => old.widen(&old.join(&new), stops),
                    None => new,
                });
                self.execute_block(it, block)?;
            }
        }
        self.holds(it)
    }

    /// Executes all blocks once more: do they lead to no more than is there?
    fn holds(&mut self, it: &mut Iteration) -> Result<bool, Stop> {
        it.edges.clear();
        it.exits.clear();
        for block in it.live.order.clone() {
            self.execute_block(it, block)?;
        }
        Ok(it.live.order.iter().all(|&block| {
            match (it.incoming(block), &it.blocks[block as usize]) {
                (None, _) => true,
                (Some(new), Some(old)) => new.leq(old),
                (Some(_), None) => false,
            }
        }))
    }

    /// Another turn, in which checks are noted if it is the last one; `None` if what was found does
    /// not hold.
    fn bear_out(&mut self, frame: &Frame, solved: Solved) -> Result<Option<Solved>, Stop> {
        let mut it = Iteration {
            frame: frame.clone(),
            live: self.live(frame.function),
            entry: solved.entry,
            blocks: solved.blocks,
            edges: BTreeMap::new(),
            exits: BTreeMap::new(),
        };
        // New cells turn up while a function is looked at; there will be another round.
        if !self.holds(&mut it)? && !self.objects.grown {
            return Ok(None);
        }
        let exit = it.exits.values().cloned().reduce(|a, b| a.join(&b));
        Ok(Some(Solved { entry: it.entry, blocks: it.blocks, exit, round: self.rounds }))
    }

    /// Gives the blocks that may be reached in new states.
    fn execute_block(&mut self, it: &mut Iteration, block: u32) -> Result<Vec<u32>, Stop> {
        let Some(mut state) = it.blocks[block as usize].clone() else {
            it.edges.retain(|&(from, _), _| from != block);
            it.exits.remove(&block);
            return Ok(Vec::new());
        };
        if it.live.heads.contains(&block) {
            state.changed = false;
        }
        self.drop_unsteady(&mut state);
        let function = it.frame.function;
        let program = self.program;
        let body = &program.function(function).blocks[block as usize];
        let mut running = Some(state);
        for (index, inst) in body.insts.iter().enumerate() {
            self.at = Site { function, block, index: index as u32 };
            self.spend()?;
            let Some(state) = running else { break };
            self.claim(&it.frame, &state);
            running = self.transfer(&it.frame, state, &inst.op)?;
        }
        self.at = Site { function, block, index: body.insts.len() as u32 };
        let ways = match running {
            Some(state) => {
                self.claim(&it.frame, &state);
                self.leave(&it.frame, state, &body.term)?
            }
            None => Ways::default(),
        };
        match ways.exit {
            Some(exit) => it.exits.insert(block, exit),
            None => it.exits.remove(&block),
        };
        let edges = body.term.edges();
        let mut targets = Vec::new();
        let mut reached: BTreeMap<usize, State> = ways.edges.into_iter().collect();
        for (number, edge) in edges.iter().enumerate() {
            let Some(state) = reached.remove(&number) else {
                it.edges.remove(&(block, number));
                continue;
            };
            let target = edge.target.0;
            if it.live.flow.back_edges.contains(&(block, target)) {
                self.note_turn(&it.frame, &state, edge, target);
            }
            let state = self.arrive((&it.frame, &it.live), state, edge);
            if it.edges.get(&(block, number)) != Some(&state) {
                targets.push(target);
                it.edges.insert((block, number), state);
            }
        }
        Ok(targets)
    }

    /// A state after the moves of an edge, without registers that nobody reads any more.
    pub(super) fn arrive(
        &self,
        (frame, live): (&Frame, &Live),
        mut state: State,
        edge: &Edge,
    ) -> State {
        let later = |at: usize| edge.moves[at + 1..].iter().map(|(_, from)| *from);
        let crossing = edge
            .moves
            .iter()
            .enumerate()
            .any(|(at, (to, _))| later(at).any(|from| from == Operand::Reg(*to)));
        if crossing {
            let width = |reg: Reg| live.widths[reg.0 as usize];
            let value = |(to, from): &(Reg, Operand)| {
                (frame.register(*to), self.operand(frame, &state, *from, width(*to)))
            };
            let values: Vec<(Var, Value)> = edge.moves.iter().map(value).collect();
            values.into_iter().for_each(|(var, value)| state.set(var, value));
        } else {
            for (to, from) in &edge.moves {
                self.copy(
                    frame,
                    &mut state,
                    frame.register(*to),
                    *from,
                    live.widths[to.0 as usize],
                );
            }
        }
        let (low, live) = (register_var(frame.base), &live.at_entry[edge.target.0 as usize]);
        let dead = |var: Var| {
            as_cell(var).is_none() && var >= low && !live.contains(&Reg(var / 2 - frame.base))
        };
        let gone: Vec<Var> = state.values.keys().copied().filter(|&var| dead(var)).collect();
        gone.into_iter().for_each(|var| state.forget(var));
        state
    }

    pub(super) fn leave(
        &mut self,
        frame: &Frame,
        state: State,
        term: &Terminator,
    ) -> Result<Ways, Stop> {
        let mut ways = Ways::default();
        match term {
            Terminator::Jump(_) => ways.edges.push((0, state)),
            Terminator::Branch { cond, .. } => {
                for (number, truth) in [(0, true), (1, false)] {
                    let mut taken = state.clone();
                    if self.assume(frame, &mut taken, *cond, truth) {
                        ways.edges.push((number, taken));
                    }
                }
            }
            Terminator::Switch { width, value, cases, .. } => {
                let mut rest = Some(state.clone());
                for (number, (case, _)) in cases.iter().enumerate() {
                    let mut taken = state.clone();
                    let case = Operand::Const(*case);
                    let equal = heddle_ir::Compare::Eq;
                    if self.assume_compare(frame, &mut taken, equal, *width, (*value, case)) {
                        ways.edges.push((number, taken));
                    }
                    let differs = heddle_ir::Compare::Ne;
                    rest = rest.and_then(|mut rest| {
                        let left =
                            self.assume_compare(frame, &mut rest, differs, *width, (*value, case));
                        left.then_some(rest)
                    });
                }
                ways.edges.extend(rest.map(|rest| (cases.len(), rest)));
            }
            Terminator::Return(values) => {
                ways.exit = Some(self.return_from(frame, state, values)?);
            }
            Terminator::Unreachable => {
                return Err(self.give_up("control reaches the end of a function without return"));
            }
            Terminator::Unsupported { what } => return Err(self.give_up(what.clone())),
        }
        Ok(ways)
    }
}

impl Iteration {
    /// What leads to a block.
    fn incoming(&self, block: u32) -> Option<State> {
        let into = |&(from, number): &(u32, usize)| self.edges.get(&(from, number)).cloned();
        let start = (block == 0).then(|| self.entry.clone());
        let keys =
            self.edges.keys().filter(|&&(from, number)| self.target(from, number) == Some(block));
        start.into_iter().chain(keys.filter_map(into)).reduce(|a, b| a.join(&b))
    }

    fn target(&self, from: u32, number: usize) -> Option<u32> {
        self.live.targets[from as usize].get(number).copied()
    }
}
