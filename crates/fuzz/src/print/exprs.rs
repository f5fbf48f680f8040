//! Expressions and places as C.

use super::{ELEMENTS, Printer};
use crate::ast::{Expr, GREATEST, Input, LEAST, Mutex, Operator, Order, Place, Rmw, Try};

impl Printer<'_> {
    pub(super) fn expr(&self, e: &Expr) -> String {
        match e {
            Expr::Const(GREATEST) => "2147483647".to_string(),
            Expr::Const(LEAST) => "(-2147483647 - 1)".to_string(),
            Expr::Const(value) => value.to_string(),
            Expr::Local(local) => format!("l{local}"),
            Expr::Load(place) => self.place(place),
            Expr::AtomicLoad(Place::Atomic, order) => {
                format!("atomic_load_explicit(&{}at, {})", self.prefix, constant(*order))
            }
            Expr::AtomicLoad(place, order) => {
                format!("__atomic_load_n(&{}, {})", self.place(place), constant(*order))
            }
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
            Expr::Input(Input::Bool) => "__VERIFIER_nondet_bool()".to_string(),
            Expr::Input(Input::Masked) => "(__VERIFIER_nondet_char() & 1)".to_string(),
            Expr::Input(Input::Assumed) => "({ unsigned char n = __VERIFIER_nondet_uchar(); \
                                            __VERIFIER_assume(n < 2); n; })"
                .to_string(),
            Expr::Rmw(op, place, e, order) => self.rmw(*op, place, e, *order),
            Expr::Cas { place: Place::Atomic, expected, new, weak, order, .. } => {
                let strength = if *weak { "weak" } else { "strong" };
                let (success, failure) = (constant(*order), constant(failure(*order)));
                format!(
                    "({{ int e = {expected}; atomic_compare_exchange_{strength}_explicit(&{}at, \
                     &e, {new}, {success}, {failure}); }})",
                    self.prefix
                )
            }
            Expr::Cas { place, expected, new, old: false, weak, order }
                if *weak || *order != Order::SeqCst =>
            {
                let place = self.place(place);
                let (success, failure) = (constant(*order), constant(failure(*order)));
                format!(
                    "({{ __typeof__({place}) e = {expected}; __atomic_compare_exchange_n(&{place}, \
                     &e, {new}, {}, {success}, {failure}); }})",
                    u8::from(*weak)
                )
            }
            Expr::Cas { place, expected, new, old, .. } => {
                let kind = if *old { "val" } else { "bool" };
                let place = self.place(place);
                format!("__sync_{kind}_compare_and_swap(&{place}, {expected}, {new})")
            }
            Expr::Get(place) => format!("{}get(&{})", self.prefix, self.place(place)),
            Expr::Sum(record) => self.sum(*record),
            Expr::Swap { wide, tag, value } => self.swap(*wide, *tag, *value),
            Expr::Text(call) => self.text_call(call),
            Expr::HasBlock => format!("({}heap != 0)", self.prefix),
            Expr::HasBoth => "(kept0 && kept1)".to_string(),
            Expr::IsSelf => format!("!!pthread_equal({}self, pthread_self())", self.prefix),
            Expr::Meet => format!("(pthread_barrier_wait(&{}bar) != 0)", self.prefix),
            Expr::TryLock(mutex) => format!("!pthread_mutex_trylock({})", self.mutex(*mutex)),
            Expr::Try(attempt) => {
                let prefix = self.prefix;
                match attempt {
                    Try::Semaphore => format!("!sem_trywait(&{prefix}sem)"),
                    Try::TimedSemaphore => format!("!sem_timedwait(&{prefix}sem, &{prefix}when)"),
                    Try::ReadLock => format!("!pthread_rwlock_tryrdlock(&{prefix}rw)"),
                    Try::WriteLock => format!("!pthread_rwlock_trywrlock(&{prefix}rw)"),
                    Try::Spin => format!("!pthread_spin_trylock(&{prefix}spin)"),
                }
            }
        }
    }

    fn rmw(&self, op: Rmw, place: &Place, e: &Expr, order: Order) -> String {
        let operand = self.expr(e);
        let name = match op {
            Rmw::Add => "fetch_add",
            Rmw::Or => "fetch_or",
            Rmw::Exchange => "exchange",
        };
        match (place, op) {
            (Place::Atomic, _) => {
                let order = constant(order);
                format!("atomic_{name}_explicit(&{}at, {operand}, {order})", self.prefix)
            }
            (place, Rmw::Add) if order == Order::SeqCst => {
                format!("__sync_fetch_and_add(&{}, {operand})", self.place(place))
            }
            (place, _) => {
                let name = if op == Rmw::Exchange { "exchange_n" } else { name };
                let order = constant(order);
                format!("__atomic_{name}(&{}, {operand}, {order})", self.place(place))
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
            Place::Member { index } => format!("{prefix}st.cells[{} & 3]", self.expr(index)),
            Place::After(n) => format!("{prefix}st.after[{n}]"),
            Place::Scratch => format!("{prefix}log"),
            Place::Boxed => format!("{prefix}box->count"),
            Place::Kept(n) => format!("*kept{n}"),
            Place::Local(n) => format!("l{n}"),
            Place::Letter(array, at) => format!("{prefix}text{array}[{at}]"),
            Place::Field(record, tag) => {
                format!("{}.{}", self.record(*record), if *tag { "tag" } else { "value" })
            }
            Place::Tagged => format!("*(int *)({prefix}tag & ~1ul)"),
        }
    }

    pub(super) fn mutex(&self, mutex: Mutex) -> String {
        match mutex {
            Mutex::Normal(n) => format!("&{}mut{n}", self.prefix),
            Mutex::Recursive => format!("&{}rec", self.prefix),
            Mutex::Picked(local) => format!("&{}locks[l{local} & 1]", self.prefix),
            Mutex::Boxed => format!("&{}box->lock", self.prefix),
            Mutex::ErrorChecking => format!("&{}chk", self.prefix),
        }
    }
}

/// The compiler's constant for an order.
pub(super) fn constant(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "__ATOMIC_RELAXED",
        Order::Acquire => "__ATOMIC_ACQUIRE",
        Order::Release => "__ATOMIC_RELEASE",
        Order::AcqRel => "__ATOMIC_ACQ_REL",
        Order::SeqCst => "__ATOMIC_SEQ_CST",
    }
}

/// The order of a compare-and-exchange that fails: it only reads.
fn failure(order: Order) -> Order {
    match order {
        Order::Release => Order::Relaxed,
        Order::AcqRel => Order::Acquire,
        other => other,
    }
}
