//! Does a program do with addresses what depends on which numbers they are?
//!
//! Comparing for equality, adding and subtracting, and setting or clearing bits below an
//! object's alignment do not. Comparing which one is greater, multiplying, shifting and
//! the like do. A number that was an address is followed within its function.

use heddle_ir::{BinOp, Compare, Function, Op, Operand, Program, Terminator, Ty};

/// Then objects can't change places.
pub fn matter(program: &Program) -> bool {
    // Places in a program must not look like addresses.
    let large = |function: &Function| {
        function.blocks.len() >= 0x4000 || function.blocks.iter().any(|b| b.insts.len() >= 0x4000)
    };
    program.pointer_bytes != 8
        || program.functions.len() >= 0x4000
        || program.files.len() >= 0x4000
        || program.functions.iter().any(|function| large(function) || matter_in(function))
}

fn matter_in(function: &Function) -> bool {
    // Registers that hold addresses as numbers.
    let mut tainted = vec![false; function.regs.len()];
    let is = |tainted: &[bool], operand: &Operand| match operand {
        Operand::Reg(reg) => tainted[reg.0 as usize],
        _ => false,
    };
    let pointer = |operand: &Operand| match operand {
        Operand::Reg(reg) => function.regs[reg.0 as usize] == Ty::Ptr,
        Operand::Global(..) => true,
        _ => false,
    };
    loop {
        let mut changed = false;
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            let spreads = match &inst.op {
                Op::Cast { from: Ty::Ptr, to: Ty::Int(_), .. } => true,
                Op::Binary { op: BinOp::Add | BinOp::Sub | BinOp::And | BinOp::Or, .. }
                | Op::Copy { .. }
                | Op::Select { .. }
                | Op::Cast { .. } => inst.op.operands().iter().any(|o| is(&tainted, o)),
                _ => false,
            };
            for dst in inst.op.destinations() {
                let number = matches!(function.regs[dst.0 as usize], Ty::Int(_));
                if spreads && number && !tainted[dst.0 as usize] {
                    tainted[dst.0 as usize] = true;
                    changed = true;
                }
            }
        }
        for edge in function.blocks.iter().flat_map(|block| block.term.edges()) {
            for (reg, source) in &edge.moves {
                if is(&tainted, source) && !tainted[reg.0 as usize] {
                    tainted[reg.0 as usize] = true;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    let instructions = function.blocks.iter().flat_map(|block| &block.insts);
    let bad = instructions.into_iter().any(|inst| match &inst.op {
        Op::Compare { pred: Compare::Eq | Compare::Ne, .. } => false,
        Op::Compare { a, b, .. } => {
            let address = |operand| is(&tainted, operand) || pointer(operand);
            address(a) && !matches!(b, Operand::Const(_))
                || address(b) && !matches!(a, Operand::Const(_))
        }
        Op::Binary { op: BinOp::Add | BinOp::Sub | BinOp::And | BinOp::Or, .. } => false,
        Op::Binary { a, b, .. } | Op::Overflow { a, b, .. } => is(&tainted, a) || is(&tainted, b),
        Op::Unary { a, .. } => is(&tainted, a),
        Op::Cast { to: Ty::Int(bits), a, .. } => *bits < 64 && *bits > 8 && is(&tainted, a),
        _ => false,
    });
    let switches =
        |term: &Terminator| matches!(term, Terminator::Switch { value, .. } if is(&tainted, value));
    bad || function.blocks.iter().any(|block| switches(&block.term))
}
