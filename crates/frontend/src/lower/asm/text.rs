//! The text of inline assembly for x86: statements with their prefixes and operands, in
//! the order of AT&T (the target last) whatever the dialect.

/// A register of the processor, whatever part of it is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Register(u8);

/// Names in the order of the processor's numbers.
const OLD: [&str; 8] = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"];

impl Register {
    pub const AX: Register = Register(0);
    pub const CX: Register = Register(1);
    pub const DX: Register = Register(2);
    pub const BX: Register = Register(3);
    pub const SP: Register = Register(4);

    /// The register of a name such as `eax`, and the bits of it that are meant. Bits 8 to
    /// 15 (`ah`) are not known.
    pub fn named(name: &str) -> Option<(Register, u8)> {
        let old = |name: &str| {
            OLD.iter().position(|old| *old == name).map(|number| Register(number as u8))
        };
        if let Some(number) = name.strip_prefix('r').filter(|n| n.starts_with(char::is_numeric)) {
            let digits = number.trim_end_matches(['d', 'w', 'b']);
            let bits = match &number[digits.len()..] {
                "" => 64,
                "d" => 32,
                "w" => 16,
                _ => 8,
            };
            let number = digits.parse().ok().filter(|number| (8..16).contains(number))?;
            return Some((Register(number), bits));
        }
        if let Some(register) = old(name) {
            return Some((register, 16));
        }
        if let Some(rest) = name.strip_prefix('e') {
            return Some((old(rest)?, 32));
        }
        if let Some(rest) = name.strip_prefix('r') {
            return Some((old(rest)?, 64));
        }
        // `al`, `sil`.
        let low = name.strip_suffix('l')?;
        let register = old(low).or_else(|| old(&format!("{low}x")))?;
        Some((register, 8))
    }
}

/// What stands for a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Operand(usize),
    Register(Register),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Term {
    /// `%1`, with the bits that a letter asks for: `%b1`.
    Operand(usize, Option<u8>),
    Register(Register, u8),
    Immediate(i64),
    /// `disp(base,index,scale)`.
    Memory {
        displacement: i64,
        base: Base,
        index: Option<(Base, u8)>,
    },
    /// `%fs:0`, by the letter and the offset.
    Segment(char, i64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    pub lock: bool,
    pub repeat: bool,
    pub name: String,
    pub terms: Vec<Term>,
    /// How many bits Intel's `dword ptr` says that memory has.
    pub memory_bits: Option<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Att,
    Intel,
}

/// `None` for what is not understood.
pub(super) fn parse(text: &str, dialect: Dialect) -> Option<Vec<Statement>> {
    let text = choose(text, dialect)?;
    let mut found = Vec::new();
    let (mut lock, mut repeat) = (false, false);
    for line in text.lines() {
        let line = line.split(['#']).next().unwrap_or_default();
        for part in line.split(';') {
            let mut rest = part.trim();
            while !rest.is_empty() {
                let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                match &*word.to_ascii_lowercase() {
                    "lock" => lock = true,
                    "rep" | "repz" | "repe" => repeat = true,
                    name => {
                        let mut statement = statement(name, after, dialect)?;
                        statement.lock = std::mem::take(&mut lock);
                        statement.repeat = std::mem::take(&mut repeat);
                        found.push(statement);
                        break;
                    }
                }
                rest = after.trim();
            }
        }
    }
    (!lock && !repeat).then_some(found)
}

/// Of `$(att$|intel$)`, the side of the dialect.
fn choose(text: &str, dialect: Dialect) -> Option<String> {
    let mut chosen = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("$(") {
        let (both, behind) = after.split_once("$)")?;
        let mut sides = both.split("$|");
        let (att, intel) = (sides.next()?, sides.next().unwrap_or_default());
        chosen.push_str(before);
        chosen.push_str(if dialect == Dialect::Att { att } else { intel });
        rest = behind;
    }
    chosen.push_str(rest);
    Some(chosen)
}

fn statement(name: &str, operands: &str, dialect: Dialect) -> Option<Statement> {
    // Labels and directives.
    if !name.chars().all(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let mut found = Statement {
        lock: false,
        repeat: false,
        name: name.to_owned(),
        terms: Vec::new(),
        memory_bits: None,
    };
    for part in split_operands(operands) {
        let term = match dialect {
            Dialect::Att => att_term(part)?,
            Dialect::Intel => {
                let (bits, part) = sized(part);
                found.memory_bits = found.memory_bits.or(bits);
                intel_term(part)?
            }
        };
        found.terms.push(term);
    }
    if dialect == Dialect::Intel {
        found.terms.reverse();
    }
    Some(found)
}

/// Splits at commas outside brackets.
fn split_operands(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    let parts = parts.into_iter().map(str::trim);
    parts.filter(|part| !part.is_empty()).collect()
}

fn att_term(text: &str) -> Option<Term> {
    if let Some(number) = text.strip_prefix("$$") {
        return Some(Term::Immediate(number_of(number)?));
    }
    for (name, letter) in [("%fs:", 'f'), ("%gs:", 'g')] {
        if let Some(offset) = text.strip_prefix(name) {
            return Some(Term::Segment(letter, number_of(offset)?));
        }
    }
    if let Some((displacement, inner)) = text.split_once('(') {
        let inner = inner.strip_suffix(')')?;
        let displacement = match displacement.trim() {
            "" => 0,
            number => number_of(number)?,
        };
        let mut parts = inner.split(',').map(str::trim);
        let base = base(parts.next()?)?;
        let index = match (parts.next(), parts.next()) {
            (Some(index), scale) => Some((self::base(index)?, scale.unwrap_or("1").parse().ok()?)),
            _ => None,
        };
        return Some(Term::Memory { displacement, base, index });
    }
    if let Some(name) = text.strip_prefix('%') {
        let (register, bits) = Register::named(name)?;
        return Some(Term::Register(register, bits));
    }
    operand(text)
}

/// Intel's `dword ptr` before an operand.
fn sized(text: &str) -> (Option<u8>, &str) {
    let lower = text.to_ascii_lowercase();
    for (name, bits) in [("byte", 8), ("word", 16), ("dword", 32), ("qword", 64)] {
        if let Some(rest) =
            lower.strip_prefix(name).and_then(|r| r.trim_start().strip_prefix("ptr"))
        {
            return (Some(bits), text[text.len() - rest.len()..].trim());
        }
    }
    (None, text)
}

fn intel_term(text: &str) -> Option<Term> {
    if let Some(inner) = text.strip_prefix('[') {
        let inner = inner.strip_suffix(']')?;
        let (base_text, displacement) = match inner.split_once('+') {
            Some((base, number)) => (base.trim(), number_of(number)?),
            None => (inner.trim(), 0),
        };
        let base = match base_text.starts_with('$') {
            true => base(base_text)?,
            false => Base::Register(Register::named(base_text)?.0),
        };
        return Some(Term::Memory { displacement, base, index: None });
    }
    if let Some((register, bits)) = Register::named(text) {
        return Some(Term::Register(register, bits));
    }
    operand(text).or_else(|| number_of(text).map(Term::Immediate))
}

/// `$1` or `${1:b}`.
fn operand(text: &str) -> Option<Term> {
    let inner = text.strip_prefix('$')?;
    let Some(inner) = inner.strip_prefix('{') else {
        return Some(Term::Operand(inner.parse().ok()?, None));
    };
    let (number, letter) = inner.strip_suffix('}')?.split_once(':')?;
    let bits = match letter {
        "b" => 8,
        "w" => 16,
        "k" => 32,
        "q" => 64,
        _ => return None,
    };
    Some(Term::Operand(number.parse().ok()?, Some(bits)))
}

fn base(text: &str) -> Option<Base> {
    if let Some(name) = text.strip_prefix('%') {
        return Some(Base::Register(Register::named(name)?.0));
    }
    match operand(text)? {
        Term::Operand(number, _) => Some(Base::Operand(number)),
        _ => None,
    }
}

fn number_of(text: &str) -> Option<i64> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?.cast_signed(),
        None => digits.parse().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

#[cfg(test)]
mod tests {
    use super::{Base, Dialect, Register, Statement, Term, parse};

    fn att(text: &str) -> Option<Vec<Statement>> {
        parse(text, Dialect::Att)
    }

    fn one(text: &str) -> (bool, String, Vec<Term>) {
        let mut found = att(text).unwrap();
        assert_eq!(found.len(), 1, "{text}");
        let statement = found.remove(0);
        (statement.lock, statement.name, statement.terms)
    }

    #[test]
    fn prefixes_may_stand_alone() {
        let xadd = (true, "xaddl".into(), vec![Term::Operand(0, None), Term::Operand(1, None)]);
        assert_eq!(one("lock; xaddl $0, $1"), xadd);
        assert_eq!(one("lock xaddl $0,$1"), xadd);
        assert_eq!(one("  lock\n\txaddl $0, $1 # add\n"), xadd);
        assert!(att("rep; nop").unwrap()[0].repeat);
        assert_eq!(att("lock"), None);
        assert_eq!(att(""), Some(vec![]));
        assert_eq!(att(" ;\n\t"), Some(vec![]));
    }

    #[test]
    fn operands_are_read() {
        let memory = |displacement, base| Term::Memory { displacement, base, index: None };
        let sp = Base::Register(Register::SP);
        assert_eq!(one("lock; addl $$0,0(%esp)").2, [Term::Immediate(0), memory(0, sp)]);
        assert_eq!(one("orq $$0x0,-8(%rsp)").2, [Term::Immediate(0), memory(-8, sp)]);
        assert_eq!(one("incl ($0)").2, [memory(0, Base::Operand(0))]);
        assert_eq!(one("sete ${1:b}").2, [Term::Operand(1, Some(8))]);
        assert_eq!(one("movl %eax, $0").2[0], Term::Register(Register::AX, 32));
        assert_eq!(one("mov %fs:0, $0").2[0], Term::Segment('f', 0));
        let index = Some((Base::Operand(1), 4));
        let term = Term::Memory { displacement: 8, base: Base::Operand(0), index };
        assert_eq!(one("incl 8($0,$1,4)").2, [term]);
    }

    #[test]
    fn several_statements() {
        let found = att("lock cmpxchgl $3, $0; sete $1").unwrap();
        assert_eq!(found.iter().map(|s| &*s.name).collect::<Vec<_>>(), ["cmpxchgl", "sete"]);
        assert!(found[0].lock && !found[1].lock);
    }

    #[test]
    fn dialects() {
        let text = "xchg$(l $0, $1$| $1, $0$)";
        let terms = [Term::Operand(0, None), Term::Operand(1, None)];
        assert_eq!(one(text).1, "xchgl");
        assert_eq!(one(text).2, terms);
        let intel = parse(text, Dialect::Intel).unwrap();
        assert_eq!((&*intel[0].name, &intel[0].terms[..]), ("xchg", &terms[..]));
        let intel = parse("lock add dword ptr [$0+4], 1", Dialect::Intel).unwrap();
        let memory = Term::Memory { displacement: 4, base: Base::Operand(0), index: None };
        assert_eq!(intel[0].terms, [Term::Immediate(1), memory]);
        assert_eq!(intel[0].memory_bits, Some(32));
    }

    #[test]
    fn registers() {
        assert_eq!(Register::named("eax"), Some((Register::AX, 32)));
        assert_eq!(Register::named("al"), Some((Register::AX, 8)));
        assert_eq!(Register::named("sil").unwrap().1, 8);
        assert_eq!(Register::named("r8").unwrap().1, 64);
        assert_eq!(Register::named("r15b").unwrap().1, 8);
        assert_eq!(Register::named("ah"), None);
        assert_eq!(Register::named("r16"), None);
        assert_eq!(Register::named("xmm0"), None);
    }

    #[test]
    fn labels_and_directives_are_refused() {
        assert_eq!(att("1: lock; decl $0"), None);
        assert_eq!(att(".byte 0xf3"), None);
        assert_eq!(att("jmp 1b"), None);
    }
}
