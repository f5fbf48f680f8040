//! Stack objects whose addresses never leave the thread that makes them.
//!
//! Nobody else can ever see such an object, whatever the memory model does with the stores
//! to it: its address is used to access it, is moved and compared, and is given to functions
//! that do nothing else with it, and to library functions that only write to it before they
//! return.

use heddle_ir::{Callee, Function, Op, Operand, Program, Reg};

/// For each function, which of its registers hold what may leave the thread.
pub fn captured(program: &Program) -> Vec<Vec<bool>> {
    let mut all: Vec<Vec<bool>> =
        program.functions.iter().map(|function| vec![false; function.regs.len()]).collect();
    // What leaves a function that is called leaves the one that calls it.
    loop {
        let mut grown = false;
        for (at, function) in program.functions.iter().enumerate() {
            let captured = captured_in(program, function, &all);
            grown |= captured != all[at];
            all[at] = captured;
        }
        if !grown {
            return all;
        }
    }
}

/// Which registers of a function hold what may leave it, if `all` is so of the others.
fn captured_in(program: &Program, function: &Function, all: &[Vec<bool>]) -> Vec<bool> {
    let mut captured = vec![false; function.regs.len()];
    let instructions = || function.blocks.iter().flat_map(|block| &block.insts);
    for inst in instructions() {
        leaving(program, all, &inst.op, |operand| set(&mut captured, operand));
    }
    for block in &function.blocks {
        block.term.operands().into_iter().for_each(|operand| set(&mut captured, operand));
    }
    // What is made of an address is one.
    loop {
        let mut grown = false;
        let mut moved = |dst: Reg, source: Operand| {
            if let Operand::Reg(source) = source
                && captured[dst.0 as usize]
                && !captured[source.0 as usize]
            {
                captured[source.0 as usize] = true;
                grown = true;
            }
        };
        for inst in instructions() {
            match &inst.op {
                Op::Copy { dst, a } => moved(*dst, *a),
                Op::PtrAdd { dst, base, .. } => moved(*dst, *base),
                Op::Select { dst, then, other, .. } => {
                    moved(*dst, *then);
                    moved(*dst, *other);
                }
                _ => {}
            }
        }
        for edge in function.blocks.iter().flat_map(|block| block.term.edges()) {
            edge.moves.iter().for_each(|&(dst, source)| moved(dst, source));
        }
        if !grown {
            return captured;
        }
    }
}

fn set(captured: &mut [bool], operand: Operand) {
    if let Operand::Reg(reg) = operand {
        captured[reg.0 as usize] = true;
    }
}

/// Operands whose values an instruction may hand on otherwise than to its result.
fn leaving(program: &Program, all: &[Vec<bool>], op: &Op, mut leaves: impl FnMut(Operand)) {
    match op {
        Op::Copy { .. } | Op::Load { .. } | Op::Compare { .. } => {}
        Op::PtrAdd { scales, .. } => scales.iter().for_each(|scale| leaves(scale.index)),
        Op::Select { cond, .. } => leaves(*cond),
        Op::Store { value, .. } | Op::Rmw { value, .. } => leaves(*value),
        Op::CmpXchg { expected, new, .. } => {
            leaves(*expected);
            leaves(*new);
        }
        Op::Call { callee, args, .. } => {
            let stays = |at: usize| match callee {
                Callee::Direct(id) if !program.function(*id).is_declaration() => {
                    let param = program.function(*id).params.get(at);
                    param.is_some_and(|param| !all[id.0 as usize][param.0 as usize])
                }
                callee => Some(at) == written(program, callee),
            };
            let others = args.iter().enumerate().filter(|(at, _)| !stays(*at));
            others.for_each(|(_, &arg)| leaves(arg));
            if let Callee::Indirect(operand) = callee {
                leaves(*operand);
            }
        }
        _ => op.operands().into_iter().for_each(leaves),
    }
}

/// The argument of a library function that it only writes through, before it returns.
fn written(program: &Program, callee: &Callee) -> Option<usize> {
    let Callee::Direct(function) = callee else { return None };
    let function = program.function(*function);
    match function.name.as_str() {
        "pthread_create" | "thrd_create" if function.is_declaration() => Some(0),
        "pthread_join" | "thrd_join" if function.is_declaration() => Some(1),
        _ => None,
    }
}
