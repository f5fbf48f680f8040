//! Branches that decide nothing: all ways lead to the same place, and nothing on them can be
//! noticed.
//!
//! A loop that waits may count how often it has looked and yield the processor now and then.
//! Neither the count nor the branch matters, so the count need be no part of a state. The ways
//! are followed through blocks that only compute or let time pass, and end with a jump. What
//! they assign may differ. So the branch matters if one of these registers does.

use heddle_ir::{
    BinOp, Block, BlockId, Callee, Edge, Function, Op, Operand, Program, Reg, Terminator,
};

/// Blocks on a way, at most.
const FAR: usize = 8;

/// For a block that ends with a branch, the registers that depend on which way it goes, if that
/// is all that does.
pub fn assigned(program: &Program, function: &Function, block: &Block) -> Option<Vec<Reg>> {
    let edges = match &block.term {
        Terminator::Branch { .. } | Terminator::Switch { .. } => block.term.edges(),
        _ => return None,
    };
    let ways: Vec<Vec<&Edge>> = edges.iter().map(|&edge| way(program, function, edge)).collect();
    let meets = |place: BlockId| ways.iter().all(|way| way.iter().any(|edge| edge.target == place));
    let join = ways.first()?.iter().map(|edge| edge.target).find(|&place| meets(place))?;
    let mut all = Vec::new();
    for way in &ways {
        let mut moves: Vec<(Reg, Operand)> = Vec::new();
        for edge in way {
            moves.extend(edge.moves.iter());
            if edge.target == join {
                break;
            }
            let block = &function.blocks[edge.target.0 as usize];
            // What a block on the way computes is assigned on this way only.
            let made = block.insts.iter().flat_map(|inst| inst.op.destinations());
            moves.extend(made.map(|reg| (reg, Operand::Reg(reg))));
        }
        all.push(moves);
    }
    let (first, others) = all.split_first()?;
    if others.iter().all(|moves| moves == first) && ways.iter().all(|way| way[0].target == join) {
        return Some(Vec::new());
    }
    // Moves that are the same on all ways don't depend on it.
    let everywhere = |moved: &(Reg, Operand)| {
        let made = |moves: &Vec<(Reg, Operand)>| moves.iter().any(|m| Operand::Reg(m.0) == moved.1);
        all.iter().all(|moves| {
            let same = moves.iter().filter(|m| m.0 == moved.0).count() == 1;
            same && moves.contains(moved) && !made(moves)
        })
    };
    let regs = all.iter().flatten().filter(|moved| !everywhere(moved)).map(|moved| moved.0);
    Some(regs.collect())
}

/// The edges from a branch on, as long as nothing happens.
fn way<'f>(program: &Program, function: &'f Function, edge: &'f Edge) -> Vec<&'f Edge> {
    let mut way = vec![edge];
    while way.len() < FAR {
        let block = &function.blocks[way[way.len() - 1].target.0 as usize];
        let Terminator::Jump(next) = &block.term else { break };
        let again = way.iter().any(|edge| edge.target == next.target);
        if again || !block.insts.iter().all(|inst| is_silent(program, &inst.op)) {
            break;
        }
        way.push(next);
    }
    way
}

/// It computes, and can't fail; or lets time pass, which nobody can tell.
fn is_silent(program: &Program, op: &Op) -> bool {
    use BinOp::{SDiv, SRem, UDiv, URem};
    match op {
        Op::Binary { op: UDiv | SDiv | URem | SRem, b, .. } => !may_fail(*b),
        Op::Binary { .. } => true,
        Op::Compare { .. } | Op::Select { .. } | Op::Copy { .. } | Op::Cast { .. } => true,
        Op::Call { callee: Callee::Direct(id), .. } => lets_time_pass(program, *id),
        _ => false,
    }
}

/// Is it a function of the library that only lets time pass, whatever it is told?
pub fn lets_time_pass(program: &Program, function: heddle_ir::FuncId) -> bool {
    let function = program.function(function);
    let names = ["sleep", "usleep", "sched_yield", "thrd_yield", "pthread_yield"];
    function.is_declaration() && names.contains(&function.name.as_str())
}

/// May a division by this go wrong?
pub fn may_fail(divisor: Operand) -> bool {
    // All ones is -1 for some width.
    !matches!(divisor, Operand::Const(value) if value != 0 && (value + 1) & value != 0)
}
