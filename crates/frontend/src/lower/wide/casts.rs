//! Conversions to and from integers of over 64 bits.

use heddle_ir::{Cast, Operand, Ty};

use super::{Extend, WORD, Words, floats};
use crate::lower::function::FunctionLowering;
use crate::lower::split::{Element, Parts};

impl FunctionLowering<'_, '_> {
    pub(in crate::lower) fn cast_wide(
        &mut self,
        op: Cast,
        from: Element,
        to: Element,
        parts: &[Operand],
    ) -> Result<Parts, String> {
        match (from, to) {
            (Element::Wide(bits), Element::Scalar(ty @ Ty::Float(_))) => {
                self.float_of(op, bits, ty, parts)
            }
            (Element::Scalar(ty @ Ty::Float(_)), Element::Wide(bits)) => {
                let function = floats(op, ty).ok_or("conversion")?;
                let words = self.call_words(function, vec![parts[0]], vec![ty], 2);
                match bits <= 128 {
                    true => Ok(self.parts(&words, bits)),
                    false => Err(too_wide(bits)),
                }
            }
            (Element::Wide(_), Element::Scalar(ty)) => {
                let width = ty.bits(self.cx.program.pointer_bytes) as u8;
                let number = self.truncated(parts[0], width);
                Ok([self.pointer_or(ty, width, number)].into_iter().collect())
            }
            (Element::Scalar(ty), Element::Wide(bits)) => {
                let words = self.widened(op, ty, parts[0], bits);
                Ok(self.parts(&words, bits))
            }
            (Element::Wide(narrow), Element::Wide(bits)) => {
                let extend = if op == Cast::SignExt { Extend::Sign } else { Extend::Zero };
                let mut words = self.words(parts, narrow, extend);
                self.lengthen(&mut words, op, bits);
                Ok(self.parts(&words, bits))
            }
            (Element::Scalar(_), Element::Scalar(_)) => Err("conversion".to_owned()),
        }
    }

    fn pointer_or(&mut self, ty: Ty, width: u8, number: Operand) -> Operand {
        match ty {
            Ty::Ptr => self.emit_cast(Cast::Trunc, Ty::Int(width), ty, number),
            _ => number,
        }
    }

    fn widened(&mut self, op: Cast, from: Ty, a: Operand, bits: u32) -> Words {
        let width = from.bits(self.cx.program.pointer_bytes) as u8;
        let a = match from {
            Ty::Ptr => self.emit_cast(Cast::Trunc, from, Ty::Int(width), a),
            _ => a,
        };
        let mut words = vec![match op {
            Cast::SignExt => self.sign_extended(a, width),
            _ => self.zero_extended(a, width),
        }];
        self.lengthen(&mut words, op, bits);
        words
    }

    /// As many words as `bits` take, or more.
    fn lengthen(&mut self, words: &mut Words, op: Cast, bits: u32) {
        let length = bits.div_ceil(64) as usize;
        if words.len() < length {
            let above = match op {
                Cast::SignExt => self.sign_word(words[words.len() - 1]),
                _ => Operand::Const(0),
            };
            words.resize(length, above);
        }
    }

    fn float_of(
        &mut self,
        op: Cast,
        bits: u32,
        ty: Ty,
        parts: &[Operand],
    ) -> Result<Parts, String> {
        if bits > 128 {
            return Err(too_wide(bits));
        }
        let extend = if op == Cast::SignedToFloat { Extend::Sign } else { Extend::Zero };
        let words = self.words(parts, bits, extend);
        let function = floats(op, ty).ok_or("conversion")?;
        let dst = self.fresh(ty);
        self.call_library(function, words, vec![WORD; 2], vec![dst], None);
        Ok([Operand::Reg(dst)].into_iter().collect())
    }
}

fn too_wide(bits: u32) -> String {
    format!("conversion between floating point and integers of {bits} bits")
}
