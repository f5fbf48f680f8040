//! The operands of inline assembly, as LLVM writes them: `=r,=*m,0,*m,~{memory}`.

use super::text::Register;

/// What an operand is tied to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Any register or a constant.
    Value,
    /// An address; the operand is the memory there.
    Memory,
    /// A register by its name.
    Fixed(Register),
    /// Two registers by name, the lower half first (`A` with 32-bit registers).
    Pair,
    /// A condition of the processor's flags, such as `z`.
    Flag(String),
    /// The register of an output.
    Tied(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Operand {
    pub output: bool,
    pub kind: Kind,
}

impl Operand {
    /// Outputs in registers are results of the call; everything else is an argument of it.
    pub fn is_argument(&self) -> bool {
        !self.output || self.kind == Kind::Memory
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Constraints {
    /// In the order in which the text counts them.
    pub operands: Vec<Operand>,
    /// The compiler moves no access over it.
    pub clobbers_memory: bool,
}

/// `None` for what is not understood.
pub(super) fn parse(text: &str, pointer_bytes: u8) -> Option<Constraints> {
    let mut found = Constraints::default();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        match part.strip_prefix('~') {
            Some(clobbered) => found.clobbers_memory |= clobbered == "{memory}",
            None => {
                let operand = operand(part, pointer_bytes)?;
                found.operands.push(operand);
            }
        }
    }
    let outputs = found.operands.iter().take_while(|operand| operand.output).count();
    let fits = |operand: &Operand| match operand.kind {
        // An input that is tied to memory would have to be stored there first.
        Kind::Tied(output) => output < outputs && found.operands[output].kind != Kind::Memory,
        _ => true,
    };
    found.operands.iter().all(fits).then_some(found)
}

fn operand(part: &str, pointer_bytes: u8) -> Option<Operand> {
    let output = part.starts_with('=');
    let code = part.trim_start_matches(['=', '&', '%']);
    let kind = if code.starts_with('*') {
        Kind::Memory
    } else if let Some(name) = code.strip_prefix('{').and_then(|code| code.strip_suffix('}')) {
        match name.strip_prefix("@cc") {
            Some(condition) => Kind::Flag(condition.to_owned()),
            None => Kind::Fixed(Register::named(name)?.0),
        }
    } else if code.starts_with(|c: char| c.is_ascii_digit()) {
        Kind::Tied(code.parse().ok()?)
    } else if code == "A" && pointer_bytes == 4 {
        Kind::Pair
    } else if code == "A" {
        Kind::Fixed(Register::AX)
    } else if code.starts_with('!') {
        // A label of `asm goto`.
        return None;
    } else {
        Kind::Value
    };
    Some(Operand { output, kind })
}

#[cfg(test)]
mod tests {
    use super::{Kind, parse};
    use crate::lower::asm::text::Register;

    fn kinds(text: &str) -> Option<Vec<(bool, Kind)>> {
        let operands = parse(text, 8)?.operands;
        Some(operands.into_iter().map(|operand| (operand.output, operand.kind)).collect())
    }

    #[test]
    fn operands_are_read() {
        use Kind::*;
        assert_eq!(
            kinds("=r,=*m,0,*m,~{memory},~{cc}"),
            Some(vec![(true, Value), (true, Memory), (false, Tied(0)), (false, Memory)])
        );
        assert_eq!(
            kinds("=&r,=*qm,={ax},Ir,2"),
            Some(vec![
                (true, Value),
                (true, Memory),
                (true, Fixed(Register::AX)),
                (false, Value),
                (false, Tied(2))
            ])
        );
        assert_eq!(kinds("={@ccz}"), Some(vec![(true, Flag("z".to_owned()))]));
        assert_eq!(kinds(""), Some(vec![]));
    }

    #[test]
    fn a_pair_is_one_of_small_registers() {
        assert_eq!(parse("=A", 4).unwrap().operands[0].kind, Kind::Pair);
        assert_eq!(parse("=A", 8).unwrap().operands[0].kind, Kind::Fixed(Register::AX));
    }

    #[test]
    fn memory_clobbers_are_seen() {
        assert!(parse("r,~{memory},~{flags}", 8).unwrap().clobbers_memory);
        assert!(!parse("r,~{dirflag}", 8).unwrap().clobbers_memory);
    }

    #[test]
    fn ties_to_memory_and_to_nothing_are_refused() {
        assert_eq!(kinds("=*r|m,0"), None);
        assert_eq!(kinds("=r,1"), None);
        assert_eq!(kinds("r,0"), None);
        assert_eq!(kinds("!i"), None);
    }
}
