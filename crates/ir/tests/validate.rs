//! The validator accepts a well-formed function and names what is wrong with others.

use heddle_ir::{
    BinOp, Block, BlockId, Edge, FuncId, Function, Inst, Op, Operand, Program, Reg, Span,
    Terminator, Ty, print_program, validate,
};

fn inst(op: Op) -> Inst {
    Inst { op, span: Span::UNKNOWN, place: None, origin: 0 }
}

fn add(dst: u32, a: Operand) -> Inst {
    let (op, dst, b) = (BinOp::Add, Reg(dst), Operand::Const(1));
    inst(Op::Binary { op, width: 32, nsw: false, dst, a, b })
}

fn block(insts: Vec<Inst>, term: Terminator) -> Block {
    Block { insts, term, term_span: Span::UNKNOWN }
}

fn jump(target: u32, moves: &[(Reg, Operand)]) -> Terminator {
    Terminator::Jump(Edge { target: BlockId(target), moves: moves.into() })
}

/// A function of three registers; register 0 is its parameter.
fn program(blocks: Vec<Block>) -> Program {
    let function = Function {
        name: "f".to_owned(),
        source_name: None,
        params: vec![Reg(0)],
        variadic: false,
        returns: vec![Ty::Int(32)],
        regs: vec![Ty::Int(32); 3],
        unwinds: false,
        reg_names: vec![None; 3],
        blocks,
        span: Span::UNKNOWN,
    };
    Program { functions: vec![function], pointer_bytes: 8, ..Program::default() }
}

fn complaint(blocks: Vec<Block>) -> String {
    validate(&program(blocks)).expect_err("an error").to_string()
}

fn ret(value: Operand) -> Terminator {
    Terminator::Return([value].into())
}

const P: Operand = Operand::Reg(Reg(0));

#[test]
fn well_formed() {
    let moves = [(Reg(2), Operand::Reg(Reg(1)))];
    let good = program(vec![
        block(vec![add(1, P)], jump(1, &moves)),
        block(vec![], ret(Operand::Reg(Reg(2)))),
    ]);
    assert_eq!(validate(&good), Ok(()));
    assert_eq!(
        print_program(&good),
        "; pointers of 8 bytes\n\nfunction @f(i32 %0) -> i32 {\nb0:\n    %1 = add i32 %0, 1\n    \
         jump b1 [%2 = %1]\nb1:\n    return %2\n}\n"
    );
}

#[test]
fn assigned_twice() {
    let text = complaint(vec![block(vec![add(1, P), add(1, P)], ret(P))]);
    assert_eq!(text, "invalid IR in function f block 0: register 1 is assigned twice");
}

#[test]
fn moves_into_two_blocks() {
    let moves = [(Reg(1), P)];
    let text = complaint(vec![
        block(vec![], jump(1, &moves)),
        block(vec![], jump(2, &moves)),
        block(vec![], ret(P)),
    ]);
    assert!(text.contains("register 1 is assigned twice"), "{text}");
}

#[test]
fn never_assigned() {
    assert!(complaint(vec![block(vec![], ret(Operand::Reg(Reg(2))))]).contains("never assigned"));
}

#[test]
fn out_of_range() {
    assert!(complaint(vec![block(vec![], jump(7, &[]))]).contains("no block 7"));
    assert!(complaint(vec![block(vec![], jump(0, &[]))]).contains("jump to the entry block"));
    assert!(complaint(vec![block(vec![add(9, P)], ret(P))]).contains("no register 9"));
    let function = Operand::Function(FuncId(4));
    assert!(complaint(vec![block(vec![], ret(function))]).contains("no function 4"));
}

#[test]
fn wrong_width() {
    let (op, dst) = (BinOp::Add, Reg(1));
    let wide = inst(Op::Binary { op, width: 65, nsw: false, dst, a: P, b: P });
    assert!(complaint(vec![block(vec![wide], ret(P))]).contains("width 65"));
}

#[test]
fn wrong_number_of_results() {
    let text = complaint(vec![block(vec![], Terminator::Return(Box::default()))]);
    assert!(text.contains("returns 0 values"), "{text}");
}
