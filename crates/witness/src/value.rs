//! Values as their programmer thinks of them: `-1`, `'x'`, `true`, `null`,
//! `&counter`, `RED`.

use heddle_ir::{DebugType, DebugTypeId, Program};
use heddle_semantics::{mask, sign_extend};

use crate::name::Content;

/// Shows `bytes` bytes with the value `bits`. `pointer` names an address.
pub(crate) fn show(
    program: &Program,
    content: &Content,
    bits: u64,
    bytes: u32,
    pointer: &dyn Fn(u64) -> String,
) -> String {
    match content {
        Content::Unknown => untyped(bits, bytes),
        Content::Typed(ty) => match typed(program, *ty, bits, bytes * 8, pointer) {
            Some(text) => text,
            None => untyped(bits, bytes),
        },
        Content::BitFields(fields) => {
            let parts: Vec<String> = fields
                .iter()
                .map(|field| {
                    let width = field.bits as u32;
                    let bits = mask(bits >> field.bit_offset.min(63), width);
                    typed(program, field.ty, bits, width, pointer)
                        .unwrap_or_else(|| bits.to_string())
                })
                .collect();
            if parts.len() == 1 { parts[0].clone() } else { format!("{{{}}}", parts.join(",")) }
        }
    }
}

fn typed(
    program: &Program,
    ty: DebugTypeId,
    bits: u64,
    width: u32,
    pointer: &dyn Fn(u64) -> String,
) -> Option<String> {
    let width = width.clamp(1, 64);
    let signed = sign_extend(bits, width);
    Some(match program.debug_type(ty) {
        DebugType::Unsigned { .. } => mask(bits, width).to_string(),
        DebugType::Signed { .. } => signed.to_string(),
        DebugType::Bool => match mask(bits, width) {
            0 => "false".to_string(),
            1 => "true".to_string(),
            other => other.to_string(),
        },
        DebugType::Char => match u8::try_from(mask(bits, width)) {
            Ok(byte) if byte.is_ascii_graphic() || byte == b' ' => format!("'{}'", byte as char),
            Ok(b'\n') => "'\\n'".to_string(),
            Ok(0) => "'\\0'".to_string(),
            _ => signed.to_string(),
        },
        DebugType::Float { bytes: 4 } if width == 32 => f32::from_bits(bits as u32).to_string(),
        DebugType::Float { bytes: 8 } if width == 64 => f64::from_bits(bits).to_string(),
        DebugType::Pointer { .. } => match bits {
            0 => "null".to_string(),
            bits => pointer(bits),
        },
        DebugType::Enum { names, .. } => {
            let name = names.iter().find(|(value, _)| *value == signed);
            name.map_or_else(|| signed.to_string(), |(_, name)| name.clone())
        }
        DebugType::Float { .. }
        | DebugType::Array { .. }
        | DebugType::Record { .. }
        | DebugType::Opaque => return None,
    })
}

fn untyped(bits: u64, bytes: u32) -> String {
    let signed = sign_extend(bits, (bytes * 8).clamp(1, 64));
    if signed.unsigned_abs() < 1 << 20 { signed.to_string() } else { format!("{bits:#x}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(ty: DebugType, bits: u64, bytes: u32) -> String {
        let program = Program { debug_types: vec![ty], pointer_bytes: 8, ..Program::default() };
        let content = Content::Typed(DebugTypeId(0));
        show(&program, &content, bits, bytes, &|bits| format!("{bits:#x}"))
    }

    #[test]
    fn by_type() {
        assert_eq!(shown(DebugType::Signed { bytes: 4 }, 0xffff_ffff, 4), "-1");
        assert_eq!(shown(DebugType::Unsigned { bytes: 4 }, 0xffff_ffff, 4), "4294967295");
        assert_eq!(shown(DebugType::Bool, 1, 1), "true");
        assert_eq!(shown(DebugType::Char, 0x78, 1), "'x'");
        assert_eq!(shown(DebugType::Char, 0, 1), "'\\0'");
        assert_eq!(shown(DebugType::Float { bytes: 8 }, 1.5f64.to_bits(), 8), "1.5");
        assert_eq!(shown(DebugType::Pointer { to: None }, 0, 8), "null");
        assert_eq!(shown(DebugType::Pointer { to: None }, 0x1234, 8), "0x1234");
        let colour =
            DebugType::Enum { bytes: 4, names: vec![(0, "RED".into()), (-1, "NONE".into())] };
        assert_eq!(shown(colour.clone(), 0, 4), "RED");
        assert_eq!(shown(colour.clone(), 0xffff_ffff, 4), "NONE");
        assert_eq!(shown(colour, 7, 4), "7");
    }

    #[test]
    fn without_a_type() {
        assert_eq!(untyped(0xff, 1), "-1");
        assert_eq!(untyped(0xdead_beef_0000, 8), "0xdeadbeef0000");
    }
}
