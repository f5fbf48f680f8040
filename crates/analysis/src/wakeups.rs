//! Lets waits for condition variables end without a signal, where that makes a
//! difference.

use heddle_ir::{Callee, FuncId, Op, Operand, Program};

use crate::rechecks::Rechecks;
use crate::site::{Site, instructions};

/// Waits, and what they are when they may end without a signal (in the front end's
/// support files `threads.c` and `cancel.c`).
const WAITS: &[(&str, &str)] = &[
    ("pthread_cond_wait", "__heddle_spurious_wait"),
    ("__heddle_c_pthread_cond_wait", "__heddle_c_spurious_wait"),
    ("cnd_wait", "__heddle_spurious_cnd_wait"),
];

/// Does it make a difference whether waits can end without a signal?
pub fn waits_matter(program: &Program) -> bool {
    WAITS.iter().filter_map(|(name, _)| program.find_function(name)).any(|wait| {
        is_pointed_to(program, wait) || !waits_that_matter(program, wait, None).is_empty()
    })
}

/// Gives waits for which it matters the meaning in which they may end without a signal.
/// Without the support file (bitcode only), and for waits that are called through
/// pointers, notes in the program that they don't.
pub fn wake_spuriously(program: &mut Program) {
    for &(name, other) in WAITS {
        let other = program.find_function(other);
        let Some(wait) = program.find_function(name) else { continue };
        let sites = waits_that_matter(program, wait, other);
        program.signals_only |= is_pointed_to(program, wait);
        match other.filter(|&id| !program.function(id).is_declaration()) {
            Some(other) => replace(program, other, &sites),
            None => program.signals_only |= !sites.is_empty(),
        }
    }
}

fn waits_that_matter(program: &Program, wait: FuncId, other: Option<FuncId>) -> Vec<Site> {
    let rechecks = Rechecks::new(program);
    let functions = (0..program.functions.len() as u32).map(FuncId);
    let others = functions.filter(|&id| Some(id) != other);
    let sites = others.flat_map(|id| instructions(program, id));
    let calls = sites.filter(
        |(_, inst)| matches!(&inst.op, Op::Call { callee: Callee::Direct(id), .. } if *id == wait),
    );
    calls.map(|(site, _)| site).filter(|&site| !rechecks.checks_again(site)).collect()
}

fn is_pointed_to(program: &Program, id: FuncId) -> bool {
    let pointed = |operand: &Operand| *operand == Operand::Function(id);
    let blocks = || program.functions.iter().flat_map(|function| &function.blocks);
    let relocations = program.globals.iter().filter_map(|global| global.init.as_ref());
    blocks().flat_map(|block| &block.insts).any(|inst| inst.op.operands().iter().any(pointed))
        || blocks()
            .flat_map(|block| block.term.edges())
            .any(|edge| edge.moves.iter().any(|(_, from)| pointed(from)))
        || relocations
            .flat_map(|init| &init.relocations)
            .any(|relocation| relocation.symbol == heddle_ir::Symbol::Function(id))
}

fn replace(program: &mut Program, other: FuncId, sites: &[Site]) {
    for site in sites {
        let block = &mut program.functions[site.function.0 as usize].blocks[site.block as usize];
        if let Op::Call { callee, .. } = &mut block.insts[site.index as usize].op {
            *callee = Callee::Direct(other);
        }
    }
}
