//! Expressions and places as C.

use super::{ELEMENTS, Printer};
use crate::ast::{Expr, Mutex, Operator, Place, Rmw};

impl Printer<'_> {
    pub(super) fn expr(&self, e: &Expr) -> String {
        match e {
            Expr::Const(value) => value.to_string(),
            Expr::Local(local) => format!("l{local}"),
            Expr::Load(place) => self.place(place),
            Expr::Not(e) => format!("!({})", self.expr(e)),
            Expr::Binary(op, a, b) => {
                let op = match op {
                    Operator::Add => "+",
                    Operator::Sub => "-",
                    Operator::Eq => "==",
                    Operator::Ne => "!=",
                    Operator::Lt => "<",
                    Operator::And => "&&",
                    Operator::Or => "||",
                    Operator::Div => "/",
                    Operator::Rem => "%",
                };
                format!("({} {op} {})", self.expr(a), self.expr(b))
            }
            Expr::Input => "__VERIFIER_nondet_bool()".to_string(),
            Expr::Rmw(op, place, e) => self.rmw(*op, place, e),
            Expr::Cas { place: Place::Atomic, expected, new, .. } => format!(
                "({{ int e = {expected}; atomic_compare_exchange_strong(&{}at, &e, {new}); }})",
                self.prefix
            ),
            Expr::Cas { place, expected, new, old } => {
                let kind = if *old { "val" } else { "bool" };
                let place = self.place(place);
                format!("__sync_{kind}_compare_and_swap(&{place}, {expected}, {new})")
            }
            Expr::TryLock(mutex) => format!("!pthread_mutex_trylock({})", self.mutex(*mutex)),
        }
    }

    fn rmw(&self, op: Rmw, place: &Place, e: &Expr) -> String {
        let operand = self.expr(e);
        let name = match op {
            Rmw::Add => "fetch_add",
            Rmw::Or => "fetch_or",
            Rmw::Exchange => "exchange",
        };
        match (place, op) {
            (Place::Atomic, _) => format!("atomic_{name}(&{}at, {operand})", self.prefix),
            (place, Rmw::Add) => format!("__sync_fetch_and_add(&{}, {operand})", self.place(place)),
            (place, Rmw::Or) => {
                format!("__atomic_fetch_or(&{}, {operand}, __ATOMIC_SEQ_CST)", self.place(place))
            }
            (place, Rmw::Exchange) => {
                format!("__atomic_exchange_n(&{}, {operand}, __ATOMIC_ACQ_REL)", self.place(place))
            }
        }
    }

    pub(super) fn place(&self, place: &Place) -> String {
        let prefix = self.prefix;
        match place {
            Place::Scalar(n) => format!("{prefix}x{n}"),
            Place::Element { index, masked: true } => {
                format!("{prefix}arr[{} & {}]", self.expr(index), ELEMENTS - 1)
            }
            Place::Element { index, masked: false } => format!("{prefix}arr[{}]", self.expr(index)),
            Place::Deref(n) => format!("*{prefix}ptr{n}"),
            Place::Heap => format!("*{prefix}heap"),
            Place::HeapFar => format!("{prefix}heap[20]"),
            Place::Hidden => format!("*(int *)(long)({prefix}parts.l ^ 1)"),
            Place::Part { bytes: 8, .. } => format!("{prefix}parts.l"),
            Place::Part { bytes, index } => {
                let (member, count) = match bytes {
                    4 => ('i', 2),
                    2 => ('s', 4),
                    _ => ('c', 8),
                };
                format!("{prefix}parts.{member}[{}]", index % count)
            }
            Place::Piece { scalar, bytes, index } => {
                let (ty, count) = if *bytes == 2 { ("short", 2) } else { ("char", 4) };
                format!("*(({ty} *)&{prefix}x{scalar} + {})", index % count)
            }
            Place::Mine => "mine".to_string(),
            Place::Argument if self.thread == 0 => "mine".to_string(),
            Place::Argument => "*arg".to_string(),
            Place::ThreadLocal => format!("{prefix}tls"),
            Place::Atomic => format!("{prefix}at"),
        }
    }

    pub(super) fn mutex(&self, mutex: Mutex) -> String {
        match mutex {
            Mutex::Normal(n) => format!("&{}mut{n}", self.prefix),
            Mutex::Recursive => format!("&{}rec", self.prefix),
            Mutex::ErrorChecking => format!("&{}chk", self.prefix),
        }
    }
}
