//! Tests of pointers for null: does the program have a branch for allocations that fail,
//! and was it taken?
//!
//! An allocation succeeds, unless failures are asked for. That says too much about a
//! program which looks for null where a heap block is, if no run has null there. It does
//! not if all that the program does then is to say so and end: whatever it prints or
//! frees, nothing else can go wrong.

use heddle_ir::{BinOp, Callee, Cast, FuncId, Function, Op, Operand, Program, Terminator};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Concrete;
use crate::domain::Domain;

/// A comparison: function, block and index of the instruction.
pub type TestSite = (u32, u32, u32);

const BLOCK: u8 = 1;
const NULL: u8 = 2;

/// What was found where pointers are compared with null, in any execution so far.
#[derive(Clone, Debug, Default)]
pub struct NullTests {
    found: FxHashMap<TestSite, u8>,
    /// Where blocks begin that `new` made: it throws, or succeeds.
    sure: FxHashSet<u64>,
}

impl NullTests {
    /// The address of a heap block that was not freed was compared with null.
    pub fn found_block(&mut self, site: TestSite) {
        *self.found.entry(site).or_default() |= BLOCK;
    }

    pub fn found_null(&mut self, site: TestSite) {
        *self.found.entry(site).or_default() |= NULL;
    }

    /// A block begins there, from an allocation that may fail or one that is `sure`.
    pub fn made_block(&mut self, base: u64, sure: bool) {
        if sure {
            self.sure.insert(base);
        } else if !self.sure.is_empty() {
            self.sure.remove(&base);
        }
    }

    pub fn is_sure(&self, base: u64) -> bool {
        self.sure.contains(&base)
    }

    pub fn merge(&mut self, other: &NullTests) {
        for (&site, &found) in &other.found {
            *self.found.entry(site).or_default() |= found;
        }
    }

    /// Is there a branch for allocations that fail which matters and was never taken?
    pub fn leaves_open(&self, program: &Program) -> bool {
        let untaken = self.found.iter().filter(|(_, found)| **found == BLOCK);
        untaken.into_iter().any(|(&site, _)| !is_harmless(program, site))
    }
}

/// Does the program only say so and end, if the comparison finds null?
fn is_harmless(program: &Program, (function, block, index): TestSite) -> bool {
    let id = FuncId(function);
    let function = program.function(id);
    let Some(target) = null_branch(function, block, index) else { return false };
    let mut walk = Walk { program, seen: FxHashSet::default() };
    walk.ends(id, target, program.find_function("main") == Some(id))
}

/// Where the block of a comparison goes if it finds null on both sides.
fn null_branch(function: &Function, block: u32, index: u32) -> Option<u32> {
    let body = &function.blocks[block as usize];
    let mut known = FxHashMap::default();
    for (at, inst) in body.insts.iter().enumerate().skip(index as usize) {
        let value = |operand: &Operand| match operand {
            Operand::Const(bits) => Some(*bits),
            Operand::Reg(reg) => known.get(reg).copied(),
            _ => None,
        };
        let (dst, result) = match &inst.op {
            Op::Compare { pred, width, dst, .. } if at == index as usize => {
                (*dst, Concrete.compare(*pred, u32::from(*width), &0, &0))
            }
            Op::Compare { pred, width, dst, a, b } => match (value(a), value(b)) {
                (Some(a), Some(b)) => (*dst, Concrete.compare(*pred, u32::from(*width), &a, &b)),
                _ => continue,
            },
            Op::Binary {
                op: op @ (BinOp::Xor | BinOp::And | BinOp::Or), width, dst, a, b, ..
            } => match (value(a), value(b)) {
                (Some(a), Some(b)) => (*dst, Concrete.binary(*op, u32::from(*width), &a, &b)),
                _ => continue,
            },
            Op::Cast { op: op @ (Cast::ZeroExt | Cast::SignExt), from, to, dst, a } => {
                match value(a) {
                    Some(a) => (*dst, Concrete.cast(*op, *from, *to, &a)),
                    None => continue,
                }
            }
            _ => continue,
        };
        known.insert(dst, result);
    }
    let Terminator::Branch { cond: Operand::Reg(cond), then, other } = &body.term else {
        return None;
    };
    let taken = if *known.get(cond)? != 0 { then } else { other };
    Some(taken.target.0)
}

/// Follows everything that can happen until the process ends.
struct Walk<'p> {
    program: &'p Program,
    seen: FxHashSet<(FuncId, u32)>,
}

impl Walk<'_> {
    /// Does every way from a block end the process, with nothing but output before?
    fn ends(&mut self, id: FuncId, block: u32, returns: bool) -> bool {
        if !self.seen.insert((id, block)) {
            return true;
        }
        let body = &self.program.function(id).blocks[block as usize];
        for inst in &body.insts {
            match &inst.op {
                Op::Call { callee: Callee::Direct(callee), .. } => match self.call(*callee) {
                    Some(true) => return true,
                    Some(false) => {}
                    None => return false,
                },
                Op::Call { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::CmpXchg { .. } => {
                    return false;
                }
                Op::Nondet { .. } | Op::Unsupported { .. } => return false,
                _ => {}
            }
        }
        match &body.term {
            Terminator::Return(_) => returns,
            Terminator::Unreachable | Terminator::Unsupported { .. } => false,
            term => term.edges().iter().all(|edge| self.ends(id, edge.target.0, returns)),
        }
    }

    /// Does a call end the process? `None` if it does something else.
    fn call(&mut self, callee: FuncId) -> Option<bool> {
        let function = self.program.function(callee);
        match function.name.as_str() {
            "exit" | "_exit" | "_Exit" | "quick_exit" | "abort" | "__assert_fail" | "__assert"
            | "reach_error" | "__VERIFIER_error" => Some(true),
            "printf" | "fprintf" | "dprintf" | "vfprintf" | "puts" | "fputs" | "perror"
            | "putchar" | "putc" | "fputc" | "fwrite" | "fflush" | "strerror" | "free" => {
                Some(false)
            }
            _ if function.is_declaration() => None,
            _ => self.ends(callee, 0, false).then_some(true),
        }
    }
}
