//! Programs as C.

use std::fmt::Write;

use crate::ast::{Expr, Mutex, Operator, Place, Rmw, Stmt, Target, Test};

pub const HEADER: &str = "\
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern _Bool __VERIFIER_nondet_bool(void);

";

/// How waiting loops are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// `while (condition) ;`
    Plain,
    /// With a counter, so that no iteration is like the one before; runs that
    /// wait for more than this many iterations do not count.
    Counted(u32),
}

/// A number of elements that masks work for.
const ELEMENTS: usize = 2;

/// All globals: name and declaration with `@` for the prefix.
const GLOBALS: &[(&str, &str)] = &[
    ("x0", "int @x0;"),
    ("x1", "int @x1;"),
    ("x2", "int @x2;"),
    ("arr", "int @arr[2];"),
    ("parts", "union { long long l; int i[2]; short s[4]; char c[8]; } @parts;"),
    ("tls", "__thread int @tls;"),
    ("ptr0", "int *@ptr0 = &@x0;"),
    ("ptr1", "int *@ptr1 = &@x1;"),
    ("heap", "int *@heap;"),
    ("at", "_Atomic int @at;"),
    ("mut0", "pthread_mutex_t @mut0 = PTHREAD_MUTEX_INITIALIZER;"),
    ("mut1", "pthread_mutex_t @mut1 = PTHREAD_MUTEX_INITIALIZER;"),
    ("rec", "pthread_mutex_t @rec = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;"),
    ("chk", "pthread_mutex_t @chk = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;"),
    ("tid1", "pthread_t @tid1;"),
    ("tid2", "pthread_t @tid2;"),
    ("tid3", "pthread_t @tid3;"),
    ("tid4", "pthread_t @tid4;"),
];

/// The program without [`HEADER`]. Each name starts with `prefix`; the layout in
/// lines does not depend on `waits`.
pub fn print(test: &Test, prefix: &str, waits: Waits) -> String {
    let mut bodies = String::new();
    for thread in (0..test.threads.len()).rev() {
        Printer { test, prefix, waits, out: &mut bodies, depth: 1, thread }.function();
    }
    let mut text = String::new();
    let null = test.null_pointers;
    let initial = |declaration: &str, name: &str| match declaration.split_once(" = &") {
        Some((start, _)) if null && name.starts_with("ptr") => format!("{start};"),
        _ => declaration.to_string(),
    };
    let uses = |name: &str, inside: &str| inside.contains(&format!("{prefix}{name}"));
    let pointers: String = GLOBALS
        .iter()
        .filter(|global| uses(global.0, &bodies))
        .map(|global| initial(global.1, global.0).replace('@', prefix))
        .collect();
    for (name, declaration) in GLOBALS {
        let handle = name.starts_with("tid") && !test.global_handles;
        if !handle && (uses(name, &bodies) || name.starts_with('x') && uses(name, &pointers)) {
            let _ = writeln!(text, "{}", initial(declaration, name).replace('@', prefix));
        }
    }
    text.push('\n');
    text + &bodies
}

struct Printer<'a> {
    test: &'a Test,
    prefix: &'a str,
    waits: Waits,
    out: &'a mut String,
    depth: usize,
    thread: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = 4 * self.depth);
    }

    fn function(&mut self) {
        let thread = &self.test.threads[self.thread];
        let mut inner = String::new();
        let mut printer = Printer { out: &mut inner, ..*self };
        printer.block(&thread.body);
        let prefix = self.prefix;
        self.depth = 0;
        match self.thread {
            0 => self.line(&format!("int {prefix}main(void) {{")),
            n => self.line(&format!("static void *{prefix}t{n}(void *argument) {{")),
        }
        self.depth = 1;
        if inner.contains("*arg") {
            self.line("int *arg = argument;");
        } else if self.thread != 0 {
            self.line("(void)argument;");
        }
        if inner.contains("mine") {
            self.line("int mine = 0;");
        }
        let result = thread.returns_local && self.thread != 0;
        for local in ["l0", "l1"] {
            if inner.contains(local) || result && local == "l0" {
                self.line(&format!("int {local} = 0;"));
            }
        }
        if !self.test.global_handles {
            for n in 1..self.test.threads.len() {
                if inner.contains(&format!("{prefix}tid{n}")) {
                    self.line(&format!("pthread_t {prefix}tid{n} = 0;"));
                }
            }
        }
        self.out.push_str(&inner);
        if result {
            self.line("return (void *)(long)l0;");
        } else {
            self.line("return 0;");
        }
        self.depth = 0;
        self.line("}\n");
    }

    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn nested(&mut self, head: &str, block: &[Stmt]) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
        self.line("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let prefix = self.prefix;
        let text = match stmt {
            Stmt::Assign(place, value) => format!("{} = {};", self.place(place), self.expr(value)),
            Stmt::SetLocal(local, value) => format!("l{local} = {};", self.expr(value)),
            Stmt::Eval(e) => format!("(void){};", self.expr(e)),
            Stmt::If(cond, then, other) => {
                self.nested(&format!("if ({})", self.expr(cond)), then);
                if !other.is_empty() {
                    self.nested("else", other);
                }
                return;
            }
            Stmt::Loop(count, body) => {
                let counter = format!("i{}", self.depth);
                let head = format!("for (int {counter} = 0; {counter} < {count}; {counter}++)");
                return self.nested(&head, body);
            }
            Stmt::Wait(cond) => match self.waits {
                Waits::Plain => format!("while ({}) ;", self.expr(cond)),
                Waits::Counted(most) => format!(
                    "for (int w = 0; {}; w++) __VERIFIER_assume(w < {most});",
                    self.expr(cond)
                ),
            },
            Stmt::Lock(mutex) => format!("pthread_mutex_lock({});", self.mutex(*mutex)),
            Stmt::Unlock(mutex) => format!("pthread_mutex_unlock({});", self.mutex(*mutex)),
            Stmt::Section(body) => {
                self.line("__VERIFIER_atomic_begin();");
                self.block(body);
                "__VERIFIER_atomic_end();".to_string()
            }
            Stmt::Assert(cond) => format!("assert({});", self.expr(cond)),
            Stmt::Assume(cond) => format!("__VERIFIER_assume({});", self.expr(cond)),
            Stmt::Fence => "__sync_synchronize();".to_string(),
            Stmt::SetPointer(pointer, target) => {
                format!("{prefix}ptr{pointer} = {};", self.target(*pointer, *target))
            }
            Stmt::Allocate(value) => format!(
                "{{ int *block = malloc(sizeof(int)); *block = {value}; {prefix}heap = block; }}"
            ),
            Stmt::Free => format!("free({prefix}heap);"),
            Stmt::Exit => "pthread_exit(0);".to_string(),
            Stmt::Return => "return 0;".to_string(),
            Stmt::Create(n) => {
                format!("pthread_create(&{prefix}tid{n}, 0, {prefix}t{n}, {});", self.argument(*n))
            }
            Stmt::Join(n, true) => format!(
                "{{ void *result = 0; pthread_join({prefix}tid{n}, &result); l1 = (int)(long)result; }}"
            ),
            Stmt::Join(n, false) => format!("pthread_join({prefix}tid{n}, 0);"),
        };
        self.line(&text);
    }

    /// What thread `n` is handed: our variable if it looks at its argument.
    fn argument(&self, n: u8) -> &'static str {
        let mut body = String::new();
        let mut printer = Printer { out: &mut body, ..*self };
        if let Some(thread) = self.test.threads.get(usize::from(n)) {
            printer.block(&thread.body);
        }
        if body.contains("*arg") { "&mine" } else { "0" }
    }

    fn expr(&self, e: &Expr) -> String {
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

    fn place(&self, place: &Place) -> String {
        let prefix = self.prefix;
        match place {
            Place::Scalar(n) => format!("{prefix}x{n}"),
            Place::Element { index, masked: true } => {
                format!("{prefix}arr[{} & {}]", self.expr(index), ELEMENTS - 1)
            }
            Place::Element { index, masked: false } => format!("{prefix}arr[{}]", self.expr(index)),
            Place::Deref(n) => format!("*{prefix}ptr{n}"),
            Place::Heap => format!("*{prefix}heap"),
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

    fn target(&self, pointer: u8, target: Target) -> String {
        let prefix = self.prefix;
        match target {
            Target::Null => "0".to_string(),
            Target::Scalar(n) => format!("&{prefix}x{n}"),
            Target::Other => format!("{prefix}ptr{}", 1 - pointer),
            Target::Mine => "&mine".to_string(),
            Target::ThreadLocal => format!("&{prefix}tls"),
        }
    }

    fn mutex(&self, mutex: Mutex) -> String {
        match mutex {
            Mutex::Normal(n) => format!("&{}mut{n}", self.prefix),
            Mutex::Recursive => format!("&{}rec", self.prefix),
            Mutex::ErrorChecking => format!("&{}chk", self.prefix),
        }
    }
}
