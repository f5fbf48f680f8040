//! Functions, blocks and instructions.

use crate::{DebugTypeId, FloatTy, FuncId, GlobalId, PlaceId, Span, Ty};

/// A register of a function; assigned by exactly one instruction, parameter or
/// set of edge moves (SSA).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub u32);

/// A block of a function; block 0 is the entry and has no predecessors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl BlockId {
    pub const ENTRY: BlockId = BlockId(0);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    Reg(Reg),
    /// Bits of an integer, pointer or float, zero-extended to 64.
    Const(u64),
    /// Address of a global (not a thread-local one) plus an offset.
    Global(GlobalId, i64),
    /// Address of a function.
    Function(FuncId),
}

#[derive(Clone, Debug)]
pub struct Function {
    /// Linkage name.
    pub name: String,
    /// Name in the source, when it differs (C++).
    pub source_name: Option<String>,
    pub params: Vec<Reg>,
    pub variadic: bool,
    /// Types of the returned scalars; empty for `void`.
    pub returns: Vec<Ty>,
    /// The last of the returned values is the exception that it ends with, or null.
    pub unwinds: bool,
    /// Type of each register.
    pub regs: Vec<Ty>,
    /// Source variable behind each register, where debug info tells.
    pub reg_names: Vec<Option<String>>,
    /// Empty for a declaration; such a function is looked up in the library.
    pub blocks: Vec<Block>,
    pub span: Span,
}

impl Function {
    pub fn is_declaration(&self) -> bool {
        self.blocks.is_empty()
    }

    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.0 as usize]
    }

    /// The name to show to people.
    pub fn display_name(&self) -> &str {
        self.source_name.as_deref().unwrap_or(&self.name)
    }
}

#[derive(Clone, Debug)]
pub struct Block {
    pub insts: Vec<Inst>,
    pub term: Terminator,
    pub term_span: Span,
}

#[derive(Clone, Debug)]
pub struct Inst {
    pub op: Op,
    pub span: Span,
    /// For memory accesses: the source expression that is accessed.
    pub place: Option<PlaceId>,
    /// The front end's instruction that it was made from: a number that is unique in
    /// its function, from 1; 0 for none.
    pub origin: u32,
}

/// C11 memory orders. Plain accesses carry none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ordering {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    UMin,
    UMax,
    SMin,
    SMax,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverflowOp {
    UAdd,
    SAdd,
    USub,
    SSub,
    UMul,
    SMul,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnOp {
    /// Absolute value of a signed integer; the minimum stays itself.
    Abs,
    CountOnes,
    LeadingZeros,
    TrailingZeros,
    SwapBytes,
    ReverseBits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    Eq,
    Ne,
    ULt,
    ULe,
    UGt,
    UGe,
    SLt,
    SLe,
    SGt,
    SGe,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatBinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// LLVM's float predicates: ordered (`O`, false on NaN) and unordered (`U`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatCompare {
    False,
    OEq,
    OGt,
    OGe,
    OLt,
    OLe,
    ONe,
    Ord,
    Uno,
    UEq,
    UGt,
    UGe,
    ULt,
    ULe,
    UNe,
    True,
}

/// Conversions. Source and target types stand at the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cast {
    /// Cut to fewer bits, or keep (also pointer ↔ integer of the same width).
    Trunc,
    ZeroExt,
    SignExt,
    /// Same bits, other type (int ↔ float of the same width).
    Bits,
    FloatToFloat,
    FloatToUnsigned,
    FloatToSigned,
    UnsignedToFloat,
    SignedToFloat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RmwOp {
    Exchange,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NondetReason {
    /// A local variable or value that was never initialised.
    Uninitialised,
}

/// One index of a [`Op::PtrAdd`]: `index` of `width` bits, sign-extended to
/// pointer width, times `bytes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    pub index: Operand,
    pub width: u8,
    pub bytes: i64,
    /// How many elements the array has by its type, if it is one. Nothing keeps the index
    /// below that.
    pub count: Option<u64>,
}

#[derive(Clone, Debug)]
pub enum Callee {
    Direct(FuncId),
    Indirect(Operand),
}

#[derive(Clone, Debug)]
pub enum Op {
    /// Operands and result are integers of `width` bits. `nsw`: signed overflow
    /// is undefined in the source.
    Binary {
        op: BinOp,
        width: u8,
        nsw: bool,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    /// Result and a flag (i1) that says whether it overflowed.
    Overflow {
        op: OverflowOp,
        width: u8,
        dst: Reg,
        flag: Reg,
        a: Operand,
        b: Operand,
    },
    Unary {
        op: UnOp,
        width: u8,
        dst: Reg,
        a: Operand,
    },
    /// Integers or pointers of `width` bits; result is an i1.
    Compare {
        pred: Compare,
        width: u8,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    FloatBinary {
        op: FloatBinOp,
        ty: FloatTy,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    FloatNeg {
        ty: FloatTy,
        dst: Reg,
        a: Operand,
    },
    FloatCompare {
        pred: FloatCompare,
        ty: FloatTy,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Cast {
        op: Cast,
        from: Ty,
        to: Ty,
        dst: Reg,
        a: Operand,
    },
    Select {
        dst: Reg,
        cond: Operand,
        then: Operand,
        other: Operand,
    },
    /// `dst = a`.
    Copy {
        dst: Reg,
        a: Operand,
    },
    /// `dst = base + offset + Σ index·bytes` in pointer width.
    PtrAdd {
        dst: Reg,
        base: Operand,
        offset: i64,
        scales: Box<[Scale]>,
    },
    /// A stack object of `bytes` times `count` bytes, dead when the function returns.
    StackAlloc {
        dst: Reg,
        bytes: u64,
        count: Operand,
        align: u64,
        name: Option<String>,
        ty: Option<DebugTypeId>,
    },
    /// Address of this thread's instance of a thread-local global.
    ThreadLocal {
        dst: Reg,
        global: GlobalId,
    },
    Load {
        dst: Reg,
        ty: Ty,
        addr: Operand,
        order: Option<Ordering>,
        volatile: bool,
    },
    Store {
        ty: Ty,
        addr: Operand,
        value: Operand,
        order: Option<Ordering>,
        volatile: bool,
    },
    /// `dst` gets the old value.
    Rmw {
        op: RmwOp,
        ty: Ty,
        dst: Reg,
        addr: Operand,
        value: Operand,
        order: Ordering,
    },
    /// `dst` gets the old value, `ok` (i1) whether `new` was stored. Weak and
    /// strong are the same here: none fails spuriously.
    CmpXchg {
        ty: Ty,
        dst: Reg,
        ok: Reg,
        addr: Operand,
        expected: Operand,
        new: Operand,
        success: Ordering,
        failure: Ordering,
    },
    Fence {
        order: Ordering,
    },
    /// Arguments are scalars; aggregates were split, `byval` ones copied.
    Call {
        dsts: Box<[Reg]>,
        callee: Callee,
        args: Box<[Operand]>,
        arg_tys: Box<[Ty]>,
    },
    /// Any value of the type of `dst`.
    Nondet {
        dst: Reg,
        reason: NondetReason,
    },
    /// Stops when reached; the text names the construct.
    Unsupported {
        what: String,
    },
}

/// A jump to `target`, with the values its registers take on the way. All
/// sources are read before any register is written.
#[derive(Clone, Debug)]
pub struct Edge {
    pub target: BlockId,
    pub moves: Box<[(Reg, Operand)]>,
}

#[derive(Clone, Debug)]
pub enum Terminator {
    Jump(Edge),
    Branch {
        cond: Operand,
        then: Edge,
        other: Edge,
    },
    Switch {
        width: u8,
        value: Operand,
        cases: Box<[(u64, Edge)]>,
        default: Edge,
    },
    Return(Box<[Operand]>),
    Unreachable,
    /// Stops when reached; the text names the construct.
    Unsupported {
        what: String,
    },
}

impl Terminator {
    /// Operands that it reads itself, not on the way to its targets.
    pub fn operands(&self) -> Vec<Operand> {
        match self {
            Terminator::Branch { cond, .. } => vec![*cond],
            Terminator::Switch { value, .. } => vec![*value],
            Terminator::Return(values) => values.to_vec(),
            Terminator::Jump(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => {
                Vec::new()
            }
        }
    }

    pub fn edges(&self) -> Vec<&Edge> {
        match self {
            Terminator::Jump(edge) => vec![edge],
            Terminator::Branch { then, other, .. } => vec![then, other],
            Terminator::Switch { cases, default, .. } => {
                cases.iter().map(|(_, edge)| edge).chain([default]).collect()
            }
            Terminator::Return(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => {
                Vec::new()
            }
        }
    }
}

impl Op {
    /// Registers that an instruction assigns.
    pub fn destinations(&self) -> Vec<Reg> {
        match self {
            Op::Binary { dst, .. }
            | Op::Unary { dst, .. }
            | Op::Compare { dst, .. }
            | Op::FloatBinary { dst, .. }
            | Op::FloatNeg { dst, .. }
            | Op::FloatCompare { dst, .. }
            | Op::Cast { dst, .. }
            | Op::Select { dst, .. }
            | Op::Copy { dst, .. }
            | Op::PtrAdd { dst, .. }
            | Op::StackAlloc { dst, .. }
            | Op::ThreadLocal { dst, .. }
            | Op::Load { dst, .. }
            | Op::Rmw { dst, .. }
            | Op::Nondet { dst, .. } => vec![*dst],
            Op::Overflow { dst, flag, .. } => vec![*dst, *flag],
            Op::CmpXchg { dst, ok, .. } => vec![*dst, *ok],
            Op::Call { dsts, .. } => dsts.to_vec(),
            Op::Store { .. } | Op::Fence { .. } | Op::Unsupported { .. } => Vec::new(),
        }
    }

    /// Operands that an instruction reads.
    pub fn operands(&self) -> Vec<Operand> {
        match self {
            Op::Binary { a, b, .. }
            | Op::Overflow { a, b, .. }
            | Op::Compare { a, b, .. }
            | Op::FloatBinary { a, b, .. }
            | Op::FloatCompare { a, b, .. } => vec![*a, *b],
            Op::Unary { a, .. }
            | Op::FloatNeg { a, .. }
            | Op::Cast { a, .. }
            | Op::Copy { a, .. } => {
                vec![*a]
            }
            Op::Select { cond, then, other, .. } => vec![*cond, *then, *other],
            Op::PtrAdd { base, scales, .. } => {
                scales.iter().map(|scale| scale.index).chain([*base]).collect()
            }
            Op::StackAlloc { count, .. } => vec![*count],
            Op::Load { addr, .. } => vec![*addr],
            Op::Store { addr, value, .. } | Op::Rmw { addr, value, .. } => vec![*addr, *value],
            Op::CmpXchg { addr, expected, new, .. } => vec![*addr, *expected, *new],
            Op::Call { callee, args, .. } => {
                let target = match callee {
                    Callee::Direct(_) => None,
                    Callee::Indirect(address) => Some(*address),
                };
                args.iter().copied().chain(target).collect()
            }
            Op::ThreadLocal { .. }
            | Op::Fence { .. }
            | Op::Nondet { .. }
            | Op::Unsupported { .. } => Vec::new(),
        }
    }
}
