//! Heddle's intermediate representation.
//!
//! A [`Program`] is what every engine works on: functions in SSA form over
//! *scalar* registers, and globals as bytes plus relocations. The front end makes
//! it from LLVM bitcode; nothing here knows LLVM.
//!
//! What is deliberately absent:
//! - Aggregates in registers. The front end splits them into scalars, so that a
//!   value domain only ever sees integers, pointers and floats.
//! - Phi nodes. A value that depends on the incoming edge is a *move* on that
//!   [`Edge`]; all moves of an edge happen at once.
//! - Undefined values. Where LLVM has `undef`, the front end emits an
//!   [`Op::Nondet`], so that an uninitialised variable is an input, not a guess.

mod arguments;
mod debug;
mod function;
mod print;
mod program;
mod types;
mod validate;

pub use arguments::Arguments;
pub use debug::{DebugType, DebugTypeId, Member, Place, PlaceId, Span};
pub use function::{
    BinOp, Block, BlockId, Callee, Cast, Compare, Edge, FloatBinOp, FloatCompare, Function, Inst,
    NondetReason, Op, Operand, Ordering, OverflowOp, Reg, RmwOp, Scale, Terminator, UnOp,
};
pub use print::{print_function, print_program};
pub use program::{FuncId, Global, GlobalId, Init, Program, Relocation, SourceFile, Symbol, Whose};
pub use types::{FloatTy, Ty};
pub use validate::{ValidateError, validate};
