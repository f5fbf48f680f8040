//! Which instructions may touch memory that more than one thread can reach.
//!
//! This is the one decision that the verifier and the native program share: both count
//! an event at exactly these instructions, so it depends on the program alone and not on
//! what a run has published so far. An instruction that is missing here is noticed by
//! the interpreter when it touches shared memory (`machine/src/observers/order.rs`).

use heddle_ir::{FuncId, Operand, Program};

use crate::address::address_of;
use crate::facts::Facts;
use crate::object::{Object, ObjectId};

/// Sites are numbered as in `Sites`.
#[derive(Clone, Debug)]
pub struct Visible {
    /// For each function and block, the number of its first instruction.
    pub starts: Vec<Vec<u32>>,
    pub sites: Vec<bool>,
    /// Functions with variables that other threads may reach: their return ends those.
    pub scopes: Vec<bool>,
}

impl Visible {
    pub fn of(program: &Program, entry: FuncId) -> Visible {
        let facts = Facts::of(program, entry);
        let mut visible = Visible {
            starts: facts.sites.starts().to_vec(),
            sites: vec![false; facts.sites.len()],
            scopes: vec![false; program.functions.len()],
        };
        let systems = |function: FuncId| {
            let span = program.function(function).span;
            let file = program.files.get(span.file as usize).filter(|_| span.is_known());
            file.is_some_and(heddle_ir::SourceFile::is_systems)
        };
        for (site, inst) in facts.instructions() {
            if systems(site.function) {
                continue;
            }
            if let Some(address) = address_of(&inst.op) {
                visible.sites[facts.sites.number(site)] =
                    facts.lost || may_be_shared(&facts, site.function, address);
            }
        }
        let objects = facts.points.objects();
        for id in objects.ids() {
            if let Object::Stack(site) = objects.get(id) {
                visible.scopes[site.function.0 as usize] |=
                    facts.lost || facts.escapes[id.0 as usize];
            }
        }
        visible
    }
}

/// May others reach what the address points to, and may it change?
fn may_be_shared(facts: &Facts, function: FuncId, address: Operand) -> bool {
    let Some(targets) = facts.targets(function, address) else { return true };
    let objects = facts.points.objects();
    let constant = |id: ObjectId| match objects.get(id) {
        Object::Global(global) => facts.program.global(global).constant,
        _ => false,
    };
    targets.iter().any(|&(id, _)| facts.escapes[id.0 as usize] && !constant(id))
}
