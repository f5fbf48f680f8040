//! What programs do with memory as a whole: strings, structures with holes, and objects
//! of which only parts are written.

use super::Expr;

/// A string that functions of the library get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// A shared array of characters.
    Shared(u8),
    /// So many letters that never change.
    Literal(u8),
}

/// A call of the library with strings; the first ones are shared arrays. Gives a small number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextCall {
    /// `sprintf`, or with room for so many characters `snprintf`.
    Print { to: u8, room: Option<u8>, what: Printed },
    /// `strcpy`.
    Copy(u8, Text),
    /// `memcpy` of so many bytes.
    CopyBytes(u8, Text, u8),
    /// `strlen`.
    Length(u8),
    /// `strcmp`: are they equal?
    Equal(u8, Text),
    /// `memcmp`: are so many bytes equal?
    EqualBytes(u8, Text, u8),
    /// `printf`.
    Show(u8),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Printed {
    /// `%d` of a digit.
    Digit(Box<Expr>),
    /// `%c`.
    Letter(Box<Expr>),
    /// `%s`.
    Text(Text),
}

/// A shared structure of a character and a number, with a hole between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The number is an `int`, not a `short`.
    pub wide: bool,
    pub which: Which,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    First,
    Second,
    /// `_Atomic`.
    Atomic,
}

/// A local object with parts, of which some are written, and one is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partly {
    pub shape: Shape,
    /// Parts with what they get.
    pub written: Vec<(u8, Expr)>,
    /// It is looked at in a copy.
    pub copied: bool,
    pub part: u8,
    pub look: Look,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// With holes between the members.
    Struct,
    Array,
    /// On the heap.
    Block,
    BitFields,
    /// Bytes that are looked at through the word they make up.
    Word,
}

/// How many parts a [`Partly`] has.
pub const PARTS: u8 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// The first local gets its low bits.
    Value,
    /// The first local gets whether it is the same when it is read twice.
    Twice,
    /// The second scalar gets it.
    Share,
    /// Nobody looks at it.
    Nowhere,
}

impl TextCall {
    pub(super) fn exprs_mut(&mut self) -> Option<&mut Expr> {
        match self {
            TextCall::Print { what: Printed::Digit(e) | Printed::Letter(e), .. } => Some(e),
            _ => None,
        }
    }
}
