//! Terms as C: each is a temporary of the thread that needs it, so that it keeps its value
//! from turn to turn.

use heddle_sat::{Binary, Node, Relation, Term, Terms};

/// What a term is made of, as an expression over `name`s.
pub(crate) fn expression(terms: &Terms, term: Term, name: &dyn Fn(Term) -> String) -> String {
    let width = terms.width(term);
    let masked = |text: String| match width {
        64 => text,
        _ => format!("({text}) & {}", hex(u64::MAX >> (64 - width))),
    };
    match terms.node(term) {
        Node::Constant { bits, .. } => hex(bits),
        Node::Variable { .. } | Node::Choice { .. } => name(term),
        Node::Not(a) if width == 1 => format!("!{}", name(a)),
        Node::Not(a) => masked(format!("~{}", name(a))),
        Node::Binary(op, a, b) => binary(op, (&name(a), &name(b)), width, &masked),
        Node::Relate(relation, a, b) => {
            let (width, a, b) = (terms.width(a), name(a), name(b));
            match relation {
                Relation::Eq => format!("{a} == {b}"),
                Relation::ULt => format!("{a} < {b}"),
                Relation::ULe => format!("{a} <= {b}"),
                Relation::SLt => format!("signed_less({a}, {b}, {width})"),
                Relation::SLe => format!("!signed_less({b}, {a}, {width})"),
            }
        }
        Node::Select(condition, a, b) => {
            format!("{} ? {} : {}", name(condition), name(a), name(b))
        }
        Node::Extract { of, low, .. } => masked(format!("{} >> {low}", name(of))),
        Node::Concat(high, low) => {
            format!("{} << {} | {}", name(high), terms.width(low), name(low))
        }
        Node::ZeroExtend(a, _) => name(a),
        Node::SignExtend(a, _) => {
            format!("sign_extend({}, {}, {width})", name(a), terms.width(a))
        }
    }
}

fn binary(
    op: Binary,
    (a, b): (&str, &str),
    width: u32,
    masked: &dyn Fn(String) -> String,
) -> String {
    match op {
        Binary::Add => masked(format!("{a} + {b}")),
        Binary::Sub => masked(format!("{a} - {b}")),
        Binary::Mul => masked(format!("{a} * {b}")),
        Binary::And => format!("{a} & {b}"),
        Binary::Or => format!("{a} | {b}"),
        Binary::Xor => format!("{a} ^ {b}"),
        Binary::UDiv => format!("divide({a}, {b}, {width})"),
        Binary::SDiv => format!("divide_signed({a}, {b}, {width})"),
        Binary::URem => format!("remainder_of({a}, {b})"),
        Binary::SRem => format!("remainder_signed({a}, {b}, {width})"),
        Binary::Shl => format!("shift_left({a}, {b}, {width})"),
        Binary::LShr => format!("shift_right({a}, {b}, {width})"),
        Binary::AShr => format!("shift_right_signed({a}, {b}, {width})"),
    }
}

pub(crate) fn hex(bits: u64) -> String {
    match bits {
        0..10 => bits.to_string() + "ULL",
        _ => format!("0x{bits:x}ULL"),
    }
}
