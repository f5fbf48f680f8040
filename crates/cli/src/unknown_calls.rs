//! Bodies for functions that have neither one nor a model, where the user wants the search to
//! go on: they do nothing, and give any value or zeros. The first call says so to the verdict.

use heddle_frontend::UnknownCalls;
use heddle_ir::{
    Block, Callee, FloatTy, FuncId, Function, Inst, Op, Operand, Program, Reg, Span, Terminator, Ty,
};

use crate::error::CliError;
use crate::missing::is_unknown;

/// What tells the search that a function was made up.
const NOTE: &str = "__heddle_unknown_call";

pub fn give_bodies(program: &mut Program, how: UnknownCalls) {
    if how == UnknownCalls::Stop {
        return;
    }
    let unknown = is_unknown();
    let all = (0..program.functions.len() as u32).map(FuncId);
    let all: Vec<FuncId> = all.filter(|&id| unknown(program.function(id))).collect();
    for id in all {
        let note = declared(program, NOTE, None);
        let mut insts = vec![call(note, Vec::new())];
        let returns = program.function(id).returns.clone();
        let mut values = Vec::new();
        for ty in returns {
            values.push(match how {
                UnknownCalls::Input => {
                    let input = declared(program, input_name(ty), Some(ty));
                    let regs = &mut program.functions[id.0 as usize].regs;
                    let dst = Reg(regs.len() as u32);
                    regs.push(ty);
                    insts.push(call(input, vec![dst]));
                    Operand::Reg(dst)
                }
                UnknownCalls::Ignore | UnknownCalls::Stop => Operand::Const(0),
            });
        }
        let function = &mut program.functions[id.0 as usize];
        function.reg_names.resize(function.regs.len(), None);
        let term = Terminator::Return(values.into());
        function.blocks = vec![Block { insts, term, term_span: Span::UNKNOWN }];
    }
}

fn call(target: FuncId, dsts: Vec<Reg>) -> Inst {
    let (callee, dsts) = (Callee::Direct(target), dsts.into());
    let op = Op::Call { dsts, callee, args: Box::default(), arg_tys: Box::default() };
    Inst { op, span: Span::UNKNOWN, place: None, origin: 0 }
}

/// The model that gives any value of a type.
fn input_name(ty: Ty) -> &'static str {
    match ty {
        Ty::Int(1) => "__VERIFIER_nondet_bool",
        Ty::Int(..=8) => "__VERIFIER_nondet_char",
        Ty::Int(..=16) => "__VERIFIER_nondet_short",
        Ty::Int(..=32) => "__VERIFIER_nondet_int",
        Ty::Int(_) => "__VERIFIER_nondet_longlong",
        Ty::Float(FloatTy::F32) => "__VERIFIER_nondet_float",
        Ty::Float(FloatTy::F64) => "__VERIFIER_nondet_double",
        Ty::Ptr => "__VERIFIER_nondet_pointer",
    }
}

fn declared(program: &mut Program, name: &str, returns: Option<Ty>) -> FuncId {
    if let Some(id) = program.find_function(name) {
        return id;
    }
    let id = FuncId(program.functions.len() as u32);
    program.functions.push(Function {
        name: name.to_owned(),
        source_name: None,
        params: Vec::new(),
        variadic: false,
        returns: returns.into_iter().collect(),
        unwinds: false,
        regs: Vec::new(),
        reg_names: Vec::new(),
        blocks: Vec::new(),
        span: Span::UNKNOWN,
    });
    id
}

/// As it is written down with a run; nothing where the search stops.
pub fn unknown_calls_text(how: UnknownCalls) -> Option<String> {
    match how {
        UnknownCalls::Stop => None,
        UnknownCalls::Input => Some("input".to_owned()),
        UnknownCalls::Ignore => Some("ignore".to_owned()),
    }
}

pub fn unknown_calls(text: Option<&str>) -> Result<UnknownCalls, CliError> {
    match text {
        None => Ok(UnknownCalls::Stop),
        Some("input") => Ok(UnknownCalls::Input),
        Some("ignore") => Ok(UnknownCalls::Ignore),
        Some(other) => Err(CliError::new(format!("unknown calls that do {other:?}"))),
    }
}
