//! Register types. Registers hold scalars only.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatTy {
    F32,
    F64,
}

/// The type of a register. An integer of width `w` is kept zero-extended; bits
/// above `w` are always zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// An integer of 1 to 64 bits.
    Int(u8),
    /// A pointer; its width is [`crate::Program::pointer_bytes`].
    Ptr,
    Float(FloatTy),
}

impl Ty {
    pub const BOOL: Ty = Ty::Int(1);

    /// Width in bits.
    pub fn bits(self, pointer_bytes: u8) -> u32 {
        match self {
            Ty::Int(width) => u32::from(width),
            Ty::Ptr => u32::from(pointer_bytes) * 8,
            Ty::Float(FloatTy::F32) => 32,
            Ty::Float(FloatTy::F64) => 64,
        }
    }

    /// Bytes that a load or store of this type touches.
    pub fn bytes(self, pointer_bytes: u8) -> u32 {
        self.bits(pointer_bytes).div_ceil(8)
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Int(width) => write!(f, "i{width}"),
            Ty::Ptr => f.write_str("ptr"),
            Ty::Float(FloatTy::F32) => f.write_str("f32"),
            Ty::Float(FloatTy::F64) => f.write_str("f64"),
        }
    }
}
