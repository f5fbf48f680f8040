//! Can addresses be told from other numbers?
//!
//! Then objects that a program makes as it runs may change places, until the machine sees
//! that their addresses matter (`Machine::addresses_matter`).

use heddle_ir::{Function, Program};

/// Places in a program must not look like addresses.
const MANY: usize = 0x4000;

pub fn can_be_told(program: &Program) -> bool {
    let large = |function: &Function| {
        function.blocks.len() >= MANY || function.blocks.iter().any(|b| b.insts.len() >= MANY)
    };
    program.pointer_bytes == 8
        && program.functions.len() < MANY
        && program.files.len() < MANY
        && !program.functions.iter().any(large)
}
