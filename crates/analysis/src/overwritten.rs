//! Writes that the same thread overwrites before it does anything else that matters.
//!
//! Kusano and Wang, "Assertion Guided Abstraction" (ASE 2014), section 5.2: of the
//! writes of a thread to a variable, only the last one before somebody reads it counts.
//! Deviations:
//!
//! 1. The theorems speak of one execution, in which it is not known yet whether the
//!    thread writes again: after another order of events it may not. Here it does so in
//!    the same block, with nothing in between that could stop it or read the variable.
//! 2. That nobody reads in between is not taken for granted from one execution. Whoever
//!    uses this must watch for reads by other threads.

use heddle_ir::{Op, Operand, Ty};

use crate::essential::suspect;
use crate::facts::Facts;
use crate::site::Site;

/// Stores to a global that are overwritten in this way.
pub fn overwritten(facts: &Facts) -> Vec<Site> {
    let stores = facts.instructions().filter_map(|(site, inst)| match &inst.op {
        Op::Store { addr: addr @ Operand::Global(..), ty, .. } => Some((site, *addr, *ty)),
        _ => None,
    });
    stores.filter(|&(site, addr, ty)| is_overwritten(facts, site, addr, ty)).map(|s| s.0).collect()
}

fn is_overwritten(facts: &Facts, store: Site, address: Operand, ty: Ty) -> bool {
    let function = facts.program.function(store.function);
    let rest = function.blocks[store.block as usize].insts.iter().enumerate();
    for (index, inst) in rest.skip(store.index as usize + 1) {
        let site = Site { index: index as u32, ..store };
        match &inst.op {
            Op::Store { addr, ty: other, .. } if *addr == address && *other == ty => return true,
            Op::Store { .. } if suspect(facts, site, &inst.op).is_none() => {}
            op if cannot_stop(op) => {}
            _ => return false,
        }
    }
    false
}

/// Computations that always come to their end. A division may not, nor may arithmetic
/// where overflow counts.
fn cannot_stop(op: &Op) -> bool {
    matches!(
        op,
        Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Select { .. }
            | Op::Copy { .. }
            | Op::PtrAdd { .. }
            | Op::FloatBinary { .. }
            | Op::FloatNeg { .. }
            | Op::FloatCompare { .. }
    )
}
