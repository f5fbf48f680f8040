//! Essential statements: those that a property speaks of, or that a search must see
//! in any case.
//!
//! Kusano and Wang, "Assertion Guided Abstraction" (ASE 2014), section 3. There they
//! are the assertions and the lock operations. Deviations:
//!
//! 1. Whatever can end or stop a thread is essential for a search, checked or not: a
//!    bad access, a division by zero, an assumption, the end of the process, a
//!    construct without a model. After that nothing is as it would have been.
//! 2. So is whatever makes a step of its own or a new object: operations on objects
//!    that threads wait for, creation, join, inputs, allocations. The steps of a
//!    thread must be the same whenever its essential statements are.
//! 3. Where threads must not wait for ever, every jump back in a loop is essential,
//!    since the loop may wait for another thread; else only those of loops that were
//!    seen to run on.
//! 4. Locks around what is hidden are not essential (`silent`).

use std::sync::LazyLock;

use heddle_ir::{BinOp, Callee, FuncId, Op, Operand, Terminator};
use rustc_hash::FxHashSet;

use crate::address::may_fail;
use crate::facts::Facts;
use crate::library::Effect;
use crate::silent::Silent;
use crate::site::Site;
use crate::slice::Slice;

/// A kind of property, as far as slices tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    Assert,
    Deadlock,
    Memory,
    Overflow,
}

/// A loop by its function and header.
pub type Loop = (FuncId, u32);

/// The slice of one property.
pub fn of_property<'a, 'p>(facts: &'a Facts<'p>, property: Property) -> Slice<'a, 'p> {
    static NONE: LazyLock<Silent> = LazyLock::new(Silent::default);
    let mut slice = Slice::new(facts, &NONE, None);
    for (site, inst) in facts.instructions() {
        match property {
            Property::Assert => {
                if facts.effects(site).any(|effect| effect == Effect::Assert) {
                    slice.need_call(site);
                }
            }
            Property::Deadlock => {
                let waits = |e| matches!(e, Effect::Sync { .. } | Effect::Join { .. });
                if facts.effects(site).any(waits) {
                    slice.need_call(site);
                }
            }
            Property::Memory => {
                let checks = |e| matches!(e, Effect::Sync { .. } | Effect::Free);
                if facts.effects(site).any(checks) {
                    slice.need_call(site);
                }
                check_computation(&mut slice, site, &inst.op, false);
                check_access(&mut slice, facts, site, &inst.op);
            }
            Property::Overflow => check_computation(&mut slice, site, &inst.op, true),
        }
    }
    if property == Property::Deadlock {
        for function in facts.functions() {
            keep_loops(&mut slice, facts, function, |_| true);
        }
    }
    slice.close();
    slice
}

/// What a search has to see: all properties at once. `seen`: reads that were executed.
pub fn of_search<'a, 'p>(
    facts: &'a Facts<'p>,
    silent: &'a Silent,
    properties: &[Property],
    loops: &FxHashSet<Loop>,
    seen: Option<&'a FxHashSet<u32>>,
) -> Slice<'a, 'p> {
    let mut slice = Slice::new(facts, silent, seen);
    let overflow = properties.contains(&Property::Overflow);
    for (site, inst) in facts.instructions() {
        if silent.is_dead(site) {
            continue;
        }
        if silent.calls.contains(&site) {
            if let Some(address) = silent.suspect(facts, site) {
                slice.need_execution(site);
                slice.need_operand(site.function, address);
            }
            continue;
        }
        keep_stops(&mut slice, facts, site, &inst.op);
        check_computation(&mut slice, site, &inst.op, overflow);
        check_access(&mut slice, facts, site, &inst.op);
    }
    let waits = properties.contains(&Property::Deadlock);
    for function in facts.functions() {
        keep_dead_ends(&mut slice, facts, silent, function);
        keep_loops(&mut slice, facts, function, |header| {
            waits || loops.contains(&(function, header))
        });
    }
    slice.close();
    slice
}

/// Calls and instructions that matter by being executed.
fn keep_stops(slice: &mut Slice, facts: &Facts, site: Site, op: &Op) {
    match op {
        Op::Call { callee, .. } => {
            if facts.effects(site).any(Effect::matters) {
                slice.need_call(site);
            }
            let atomic =
                |f: &FuncId| facts.program.function(*f).name.starts_with("__VERIFIER_atomic_");
            if facts.points.callees(site).iter().any(atomic) {
                slice.need_execution(site);
            }
            if let Callee::Indirect(operand) = callee {
                slice.need_execution(site);
                slice.need_operand(site.function, *operand);
            }
        }
        Op::StackAlloc { count, .. } => {
            slice.need_execution(site);
            slice.need_operand(site.function, *count);
        }
        Op::ThreadLocal { .. } | Op::Nondet { .. } | Op::Unsupported { .. } => {
            slice.need_execution(site);
        }
        _ => {}
    }
}

/// A computation that may be a violation: a division, or an overflow if asked for.
fn check_computation(slice: &mut Slice, site: Site, op: &Op, overflow: bool) {
    let function = site.function;
    match op {
        Op::Binary { op: BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem, b, .. } if !matches!(b, Operand::Const(divisor) if *divisor != 0) =>
        {
            slice.need_execution(site);
            slice.need_operand(function, *b);
        }
        _ => {}
    }
    let may_overflow = match op {
        Op::Binary { nsw, op, .. } => *nsw || matches!(op, BinOp::SDiv | BinOp::SRem | BinOp::Shl),
        Op::Unary { .. } => true,
        _ => false,
    };
    if overflow && may_overflow {
        slice.need_execution(site);
        for operand in crate::facts::operands(op).unwrap_or_default() {
            slice.need_operand(function, operand);
        }
    }
}

/// An access that may be a bad one.
fn check_access(slice: &mut Slice, facts: &Facts, site: Site, op: &Op) {
    if let Some(address) = suspect(facts, site, op) {
        slice.need_execution(site);
        slice.need_operand(site.function, address);
    }
}

/// The address of an access that may fail.
pub fn suspect(facts: &Facts, site: Site, op: &Op) -> Option<Operand> {
    let (address, ty) = match op {
        Op::Load { addr, ty, .. } | Op::Store { addr, ty, .. } => (*addr, *ty),
        Op::Rmw { addr, ty, .. } | Op::CmpXchg { addr, ty, .. } => (*addr, *ty),
        _ => return None,
    };
    let constant = |operand| match operand {
        Operand::Global(id, _) => facts.program.global(id).constant,
        _ => false,
    };
    let bytes = ty.bytes(facts.program.pointer_bytes);
    let writes = !matches!(op, Op::Load { .. });
    let fails = may_fail(facts, site.function, address, bytes) || writes && constant(address);
    fails.then_some(address)
}

/// Blocks that end in a construct without a model.
fn keep_dead_ends(slice: &mut Slice, facts: &Facts, silent: &Silent, function: FuncId) {
    for (block, body) in facts.program.function(function).blocks.iter().enumerate() {
        if matches!(body.term, Terminator::Unreachable | Terminator::Unsupported { .. }) {
            let index = body.insts.len() as u32;
            let site = Site { function, block: block as u32, index };
            if !silent.is_dead(site) {
                slice.need_execution(site);
            }
        }
    }
}

/// Jumps back in loops that may wait for another thread.
fn keep_loops(slice: &mut Slice, facts: &Facts, function: FuncId, waits: impl Fn(u32) -> bool) {
    for &(source, header) in &facts.flows[function.0 as usize].back_edges {
        if waits(header) {
            slice.need_branch(function, source);
        }
    }
}
