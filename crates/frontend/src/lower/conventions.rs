//! What other verifiers have programs say, by the names of SV-COMP: assumptions, assertions,
//! atomic sections and inputs of CBMC and ESBMC, and `assert` without its header. A function
//! that the program defines itself is the program's.

use heddle_ir::{FloatTy, Function, Ty};

const NAMES: [(&str, &str); 12] = [
    // Declared by nobody, `assert` is a function.
    ("assert", "__VERIFIER_assert"),
    ("__CPROVER_assert", "__VERIFIER_assert"),
    ("__CPROVER_assume", "__VERIFIER_assume"),
    ("__CPROVER_atomic_begin", "__VERIFIER_atomic_begin"),
    ("__CPROVER_atomic_end", "__VERIFIER_atomic_end"),
    ("__ESBMC_assert", "__VERIFIER_assert"),
    ("__ESBMC_assume", "__VERIFIER_assume"),
    ("__ESBMC_atomic_begin", "__VERIFIER_atomic_begin"),
    ("__ESBMC_atomic_end", "__VERIFIER_atomic_end"),
    ("__ESBMC_atomic_begin_nopor", "__VERIFIER_atomic_begin"),
    ("__ESBMC_atomic_end_nopor", "__VERIFIER_atomic_end"),
    // Programs of SV-COMP define it with this meaning, or leave that to the verifier.
    ("assume_abort_if_not", "__VERIFIER_assume"),
];

/// What a function without a body is called where everybody knows it, if by another name.
pub(super) fn standard_name(function: &Function) -> Option<String> {
    if let Some((_, standard)) = NAMES.iter().find(|(name, _)| *name == function.name) {
        return Some((*standard).to_owned());
    }
    let what = match &*function.name {
        "nondet" => "",
        name => name.strip_prefix("nondet_").or_else(|| name.strip_prefix("__CPROVER_nondet_"))?,
    };
    input_of(function, what.starts_with('u') || what.starts_with("size"))
}

/// The input of the type that a function gives. Signed or not only says how it is shown, and
/// which values are tried first.
fn input_of(function: &Function, unsigned: bool) -> Option<String> {
    let ([ty], []) = (&function.returns[..], &function.params[..]) else { return None };
    let name = match *ty {
        Ty::Int(1) => "bool",
        Ty::Int(8) => "char",
        Ty::Int(16) => "short",
        Ty::Int(32) => "int",
        Ty::Int(64) => "longlong",
        Ty::Float(FloatTy::F32) => "float",
        Ty::Float(FloatTy::F64) => "double",
        Ty::Ptr => "pointer",
        Ty::Int(_) => return None,
    };
    let integer = matches!(ty, Ty::Int(bits) if *bits > 1);
    let sign = if integer && unsigned { "u" } else { "" };
    Some(format!("__VERIFIER_nondet_{sign}{name}"))
}
