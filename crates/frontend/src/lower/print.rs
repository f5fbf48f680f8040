//! Calls of `printf` and `fprintf` whose format is a constant that asks for nothing
//! special: they become what the support files would do for them, without the detour over
//! the format and the list of arguments. That is not only shorter: whoever follows values
//! through the program sees that a number that is printed goes nowhere else.
//!
//! A format with anything unusual, or with arguments of other types than it says, is left
//! to the support files (`format.c`).

use heddle_ir::{BinOp, Callee, Cast, FloatTy, FuncId, Op, Operand, Ty};

use super::function::FunctionLowering;
use super::operands::Scalar;
use crate::llvm::{Value, ValueKind};
use crate::needs::opens_stream;

/// A part of a format.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    /// Text: where it is in the format, and how long.
    Literal(u64, u64),
    Number {
        spec: u64,
        kind: Number,
    },
    Text {
        flags: u64,
        width: u64,
        precision: Option<u64>,
    },
    Char,
}

/// What kind of argument becomes a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    /// Passed with the first width, of which the second is meant; `None`: a pointer's.
    Integer {
        signed: bool,
        passed: Option<u8>,
        meant: Option<u8>,
    },
    Real,
    Pointer,
}

const FLAGS: &[u8] = b"-0+ #";
/// More is left to the support files, which say what they can't do.
const MOST: u64 = 100_000;

/// The pieces of a format without anything unusual.
fn pieces(format: &[u8]) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < format.len() {
        let literal = format[at..].iter().take_while(|&&c| c != b'%').count();
        if literal > 0 {
            pieces.push(Piece::Literal(at as u64, literal as u64));
            at += literal;
            continue;
        }
        at += 1;
        if format.get(at) == Some(&b'%') {
            pieces.push(Piece::Literal(at as u64, 1));
            at += 1;
            continue;
        }
        let (piece, length) = directive(&format[at..])?;
        pieces.push(piece);
        at += length;
    }
    Some(pieces)
}

/// The directive that `text` begins with, behind its `%`, and how long it is.
fn directive(text: &[u8]) -> Option<(Piece, usize)> {
    let mut rest = text;
    let mut flags = 0u64;
    while let Some(bit) = rest.first().and_then(|c| FLAGS.iter().position(|flag| flag == c)) {
        flags |= 1 << bit;
        rest = &rest[1..];
    }
    let width = number(&mut rest)?;
    let precision = match rest.first() {
        Some(b'.') => {
            rest = &rest[1..];
            Some(number(&mut rest)?)
        }
        _ => None,
    };
    let letters = rest.iter().take_while(|c| b"hljzt".contains(c)).count();
    let (length, rest) = rest.split_at(letters);
    let conversion = *rest.first()?;
    let spec = u64::from(conversion)
        | flags << 8
        | width << 16
        | precision.map_or(0, |precision| precision + 1) << 40;
    let integer = |signed| {
        let (passed, meant) = match length {
            b"" => (Some(32), Some(32)),
            b"hh" => (Some(32), Some(8)),
            b"h" => (Some(32), Some(16)),
            b"l" | b"z" | b"t" => (None, None),
            b"ll" | b"j" => (Some(64), Some(64)),
            _ => return None,
        };
        Some(Number::Integer { signed, passed, meant })
    };
    let piece = match conversion {
        b'd' | b'i' => Piece::Number { spec, kind: integer(true)? },
        b'u' | b'x' | b'X' | b'o' => Piece::Number { spec, kind: integer(false)? },
        _ if !matches!(length, b"") => return None,
        b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
            Piece::Number { spec, kind: Number::Real }
        }
        b'p' => Piece::Number { spec, kind: Number::Pointer },
        b's' => Piece::Text { flags, width, precision },
        b'c' if width == 0 => Piece::Char,
        _ => return None,
    };
    Some((piece, text.len() - rest.len() + 1))
}

fn number(text: &mut &[u8]) -> Option<u64> {
    let digits = text.iter().take_while(|c| c.is_ascii_digit()).count();
    let (number, rest) = text.split_at(digits);
    *text = rest;
    number.iter().try_fold(0u64, |value, c| {
        let value = value * 10 + u64::from(c - b'0');
        (value <= MOST).then_some(value)
    })
}

impl<'m> FunctionLowering<'_, 'm> {
    /// Lowers a call that prints with a simple format. False if it is none.
    pub(super) fn lower_print(&mut self, inst: Value<'m>, callee: &Callee) -> bool {
        let Callee::Direct(id) = callee else { return false };
        let Some(at) = self.format_argument(*id) else { return false };
        if inst.argument_count() <= at {
            return false;
        }
        let Some(pieces) = constant_text(inst.operand(at)).and_then(|text| pieces(&text)) else {
            return false;
        };
        if !self.arguments_fit(inst, at + 1, &pieces) {
            return false;
        }
        let stream = match at {
            0 => Operand::Const(1),
            _ => {
                let file = self.operand(inst.operand(0));
                self.call_support("__heddle_stream", vec![(file, Ty::Ptr)])
            }
        };
        let format = self.operand(inst.operand(at));
        let mut argument = at + 1;
        let mut total = Operand::Const(0);
        for piece in pieces {
            let count = self.print_piece(inst, &mut argument, format, piece);
            total = self.add_counts(total, count);
        }
        let args = vec![stream];
        self.call_library("__heddle_put_end", args, vec![Ty::Int(32)], Vec::new(), None);
        self.alias(inst, [Scalar::Known(total)].into());
        true
    }

    /// Which argument is the format, if it is the support files' function.
    fn format_argument(&self, id: FuncId) -> Option<u32> {
        let function = &self.cx.program.functions[id.0 as usize];
        let at = match &*function.name {
            "printf" => 0,
            "fprintf" if !self.opens_streams() => 1,
            _ => return None,
        };
        let own = self.cx.variadic.contains_key(&id) && self.cx.debug.is_support(function.span);
        own.then_some(at)
    }

    /// Whether there may be other streams than the standard ones.
    fn opens_streams(&self) -> bool {
        self.cx.program.functions.iter().any(|function| opens_stream(&function.name))
    }

    /// Are the arguments of the types that the format asks for?
    fn arguments_fit(&self, inst: Value<'m>, first: u32, pieces: &[Piece]) -> bool {
        let pointer = self.cx.program.pointer_bytes * 8;
        let mut argument = first;
        for piece in pieces {
            let wanted = match piece {
                Piece::Literal(..) => continue,
                Piece::Char => Ty::Int(32),
                Piece::Text { .. } => Ty::Ptr,
                Piece::Number { kind, .. } => match kind {
                    Number::Integer { passed, .. } => Ty::Int(passed.unwrap_or(pointer)),
                    Number::Real => Ty::Float(FloatTy::F64),
                    Number::Pointer => Ty::Ptr,
                },
            };
            if argument >= inst.argument_count()
                || crate::leaves::scalar(inst.operand(argument).ty()) != Ok(wanted)
                || inst.argument_type(argument, self.cx.byval).is_some()
            {
                return false;
            }
            argument += 1;
        }
        true
    }

    /// Prints a piece, and returns how many characters it has.
    fn print_piece(
        &mut self,
        inst: Value<'m>,
        argument: &mut u32,
        format: Operand,
        piece: Piece,
    ) -> Operand {
        if let Piece::Literal(at, length) = piece {
            let text = self.leaf_address(format, at);
            let (args, types) = (vec![text, Operand::Const(length)], vec![Ty::Ptr, Ty::Int(32)]);
            self.call_library("__heddle_put_literal", args, types, Vec::new(), None);
            return Operand::Const(length);
        }
        let value = self.operand(inst.operand(*argument));
        *argument += 1;
        let int = Ty::Int(32);
        match piece {
            Piece::Number { spec, kind } => {
                let bits = self.number_bits(value, kind);
                let wide = Ty::Int(64);
                let args = vec![(Operand::Const(spec), wide), (bits, wide)];
                self.call_support("__heddle_put_number", args)
            }
            Piece::Text { flags, width, precision } => {
                let precision = precision.unwrap_or(u64::from(u32::MAX));
                let args = [flags, width, precision].map(|number| (Operand::Const(number), int));
                let args = [(value, Ty::Ptr)].into_iter().chain(args).collect();
                self.call_support("__heddle_put_string", args)
            }
            _ => {
                self.call_library("__heddle_put", vec![value], vec![int], Vec::new(), None);
                Operand::Const(1)
            }
        }
    }

    /// Calls a function that returns an `int`.
    fn call_support(&mut self, name: &str, args: Vec<(Operand, Ty)>) -> Operand {
        let dst = self.fresh(Ty::Int(32));
        let (args, types) = args.into_iter().unzip();
        self.call_library(name, args, types, vec![dst], None);
        Operand::Reg(dst)
    }

    /// What models of numbers get: integers extended to 64 bits, or the bits of a double.
    fn number_bits(&mut self, value: Operand, kind: Number) -> Operand {
        let pointer = self.cx.program.pointer_bytes * 8;
        match kind {
            Number::Real => {
                let from = Ty::Float(FloatTy::F64);
                self.cast_to(Cast::Bits, from, Ty::Int(64), value)
            }
            Number::Pointer => {
                let op = if pointer < 64 { Cast::ZeroExt } else { Cast::Trunc };
                self.cast_to(op, Ty::Ptr, Ty::Int(64), value)
            }
            Number::Integer { signed, passed, meant } => {
                let [passed, meant] = [passed, meant].map(|width| width.unwrap_or(pointer));
                let value = match meant < passed {
                    true => self.cast_to(Cast::Trunc, Ty::Int(passed), Ty::Int(meant), value),
                    false => value,
                };
                let op = if signed { Cast::SignExt } else { Cast::ZeroExt };
                match meant < 64 {
                    true => self.cast_to(op, Ty::Int(meant), Ty::Int(64), value),
                    false => value,
                }
            }
        }
    }

    fn cast_to(&mut self, op: Cast, from: Ty, to: Ty, a: Operand) -> Operand {
        let dst = self.fresh(to);
        self.emit(Op::Cast { op, from, to, dst, a });
        Operand::Reg(dst)
    }

    fn add_counts(&mut self, a: Operand, b: Operand) -> Operand {
        if let (Operand::Const(a), Operand::Const(b)) = (a, b) {
            return Operand::Const(a + b);
        }
        let dst = self.fresh(Ty::Int(32));
        self.emit(Op::Binary { op: BinOp::Add, width: 32, nsw: false, dst, a, b });
        Operand::Reg(dst)
    }
}

/// The text of a constant, without its zero.
fn constant_text(value: Value<'_>) -> Option<Vec<u8>> {
    if value.kind() != ValueKind::LLVMGlobalVariableValueKind
        || !value.is_constant_global()
        || value.is_thread_local()
    {
        return None;
    }
    let data = value.initializer()?;
    let text = match data.kind() {
        ValueKind::LLVMConstantDataArrayValueKind => data.raw_data(data.ty().length() as usize),
        // The empty text.
        ValueKind::LLVMConstantAggregateZeroValueKind => &[0],
        _ => return None,
    };
    let end = text.iter().position(|&c| c == 0)?;
    Some(text[..end].to_vec())
}

#[cfg(test)]
mod tests {
    use super::{Number, Piece, pieces};

    #[test]
    fn simple_formats_are_read() {
        let integer = Number::Integer { signed: true, passed: Some(32), meant: Some(8) };
        let spec = u64::from(b'd') | 0b11 << 8 | 12 << 16 | 4 << 40;
        let expected = vec![
            Piece::Literal(0, 2),
            Piece::Literal(3, 1),
            Piece::Number { spec, kind: integer },
            Piece::Text { flags: 0, width: 0, precision: Some(0) },
            Piece::Char,
        ];
        assert_eq!(pieces(b"x %%%-012.3hhd%.s%c"), Some(expected));
        assert_eq!(pieces(b""), Some(Vec::new()));
    }

    #[test]
    fn what_is_unusual_is_left_alone() {
        for format in ["%", "%*d", "%.*f", "%n", "%Lf", "%ls", "%1$d", "%3c", "%'d", "%k", "%hhhd"]
        {
            assert_eq!(pieces(format.as_bytes()), None, "{format}");
        }
    }
}
