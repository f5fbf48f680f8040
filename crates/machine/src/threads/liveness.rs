//! Which registers of a function still matter at a place: those that some path from
//! there reads before it writes them.

use std::sync::Arc;

use heddle_ir::{Block, Edge, Function, Op, Operand, Program, Terminator};
use rustc_hash::FxHashMap;

/// A place in a function where a frame can stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub function: u32,
    pub block: u32,
    /// The next instruction.
    pub pc: u32,
    /// It waits for the return of the call before `pc`, which will assign registers.
    pub calls: bool,
}

/// Answers are kept: a search asks about the same places again and again.
#[derive(Default)]
pub struct Liveness {
    /// Registers that are live at the beginning of each block, as bits.
    functions: FxHashMap<u32, Vec<Bits>>,
    places: FxHashMap<Place, u32>,
    lists: Vec<Box<[u32]>>,
    /// Other registers do not count, where anything is said: see `Guide`.
    needed: Arc<Vec<Vec<bool>>>,
}

type Bits = Vec<u64>;

impl Liveness {
    pub fn of(needed: Arc<Vec<Vec<bool>>>) -> Liveness {
        Liveness { needed, ..Liveness::default() }
    }

    /// The live registers, in ascending order.
    pub fn at(&mut self, program: &Program, place: Place) -> &[u32] {
        let list = match self.places.get(&place) {
            Some(&list) => list,
            None => {
                let list = self.lists.len() as u32;
                let found = self.compute(program, place);
                self.lists.push(found);
                self.places.insert(place, list);
                list
            }
        };
        &self.lists[list as usize]
    }

    fn compute(&mut self, program: &Program, place: Place) -> Box<[u32]> {
        let function = &program.functions[place.function as usize];
        let starts = self.functions.entry(place.function).or_insert_with(|| solve(function));
        let block = &function.blocks[place.block as usize];
        let mut live = at_end(block, starts, function.regs.len());
        for inst in block.insts.iter().skip(place.pc as usize).rev() {
            step_back(&inst.op, &mut live);
        }
        if place.calls
            && let Some(call) = (place.pc as usize).checked_sub(1)
        {
            for dst in block.insts[call].op.destinations() {
                live[dst.0 as usize / 64] &= !(1 << (dst.0 % 64));
            }
        }
        let regs = function.regs.len() as u32;
        let needed = self.needed.get(place.function as usize).map_or(&[][..], Vec::as_slice);
        (0..regs)
            .filter(|reg| live[*reg as usize / 64] >> (reg % 64) & 1 != 0)
            .filter(|reg| needed.get(*reg as usize) != Some(&false))
            .collect()
    }
}

fn mark(operand: Operand, live: &mut Bits) {
    if let Operand::Reg(reg) = operand {
        live[reg.0 as usize / 64] |= 1 << (reg.0 % 64);
    }
}

fn step_back(op: &Op, live: &mut Bits) {
    for dst in op.destinations() {
        live[dst.0 as usize / 64] &= !(1 << (dst.0 % 64));
    }
    for operand in op.operands() {
        mark(operand, live);
    }
}

/// Live before the terminator.
fn at_end(block: &Block, starts: &[Bits], regs: usize) -> Bits {
    let mut live = vec![0; regs.div_ceil(64)];
    let mut through = |edge: &Edge| {
        let mut after = starts[edge.target.0 as usize].clone();
        for (reg, _) in &edge.moves {
            after[reg.0 as usize / 64] &= !(1 << (reg.0 % 64));
        }
        for (_, source) in &edge.moves {
            mark(*source, &mut after);
        }
        for (all, word) in live.iter_mut().zip(after) {
            *all |= word;
        }
    };
    match &block.term {
        Terminator::Jump(edge) => through(edge),
        Terminator::Branch { then, other, .. } => {
            through(then);
            through(other);
        }
        Terminator::Switch { cases, default, .. } => {
            cases.iter().for_each(|(_, edge)| through(edge));
            through(default);
        }
        Terminator::Return(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => {}
    }
    for operand in block.term.operands() {
        mark(operand, &mut live);
    }
    live
}

fn solve(function: &Function) -> Vec<Bits> {
    let regs = function.regs.len();
    let mut starts = vec![vec![0u64; regs.div_ceil(64)]; function.blocks.len()];
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); function.blocks.len()];
    for (at, block) in function.blocks.iter().enumerate() {
        for edge in block.term.edges() {
            before[edge.target.0 as usize].push(at);
        }
    }
    let mut todo: Vec<usize> = (0..function.blocks.len()).collect();
    while let Some(at) = todo.pop() {
        let block = &function.blocks[at];
        let mut live = at_end(block, &starts, regs);
        for inst in block.insts.iter().rev() {
            step_back(&inst.op, &mut live);
        }
        if live != starts[at] {
            starts[at] = live;
            todo.extend(&before[at]);
        }
    }
    starts
}
