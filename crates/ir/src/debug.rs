//! What source-level debug information survives into the IR: positions, the
//! types of variables, and the expression an access stands for.

use serde::{Deserialize, Serialize};

/// A source position. Line 0 means "unknown".
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Span {
    /// Index into [`crate::Program::files`].
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

impl Span {
    pub const UNKNOWN: Span = Span { file: 0, line: 0, column: 0 };

    pub fn is_known(self) -> bool {
        self.line != 0
    }
}

/// Index into [`crate::Program::debug_types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DebugTypeId(pub u32);

/// Index into [`crate::Program::places`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlaceId(pub u32);

/// The source expression behind an address, as far as debug info tells, such as
/// `node->next` or `*p`, and the type of what is there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub text: String,
    pub ty: Option<DebugTypeId>,
}

/// A source-level type, enough to name a byte offset (`acc.balance[2]`) and to
/// print a value the way its programmer thinks of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DebugType {
    Unsigned {
        bytes: u32,
    },
    Signed {
        bytes: u32,
    },
    Bool,
    Char,
    Float {
        bytes: u32,
    },
    Pointer {
        to: Option<DebugTypeId>,
    },
    Array {
        element: DebugTypeId,
        stride: u64,
        count: u64,
    },
    /// A struct, class or union; members in declaration order.
    Record {
        name: String,
        bytes: u64,
        members: Vec<Member>,
    },
    Enum {
        bytes: u32,
        names: Vec<(i64, String)>,
    },
    /// Anything else (function types, vectors, …).
    Opaque,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub name: String,
    /// Offset in bits, so that bit-fields have a place.
    pub bit_offset: u64,
    pub bits: u64,
    pub ty: DebugTypeId,
}
