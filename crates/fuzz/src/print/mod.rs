//! Programs as C.

mod blocks;
mod contents;
mod crowd;
mod exprs;
mod stmts;
mod turns;

use std::fmt::Write;

use crate::ast::{SLOTS, Test};

pub const HEADER: &str = "\
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

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
    ("tag", "unsigned long @tag = (unsigned long)&@x0;"),
    ("st", "struct { int cells[2], after[2]; } @st;"),
    ("at", "_Atomic int @at;"),
    ("mut0", "pthread_mutex_t @mut0 = PTHREAD_MUTEX_INITIALIZER;"),
    ("mut1", "pthread_mutex_t @mut1 = PTHREAD_MUTEX_INITIALIZER;"),
    ("rec", "pthread_mutex_t @rec = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;"),
    ("chk", "pthread_mutex_t @chk = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;"),
    ("locks", "pthread_mutex_t @locks[2];"),
    ("box", "struct { pthread_mutex_t lock; int count; } *@box;"),
    ("cond", "pthread_cond_t @cond = PTHREAD_COND_INITIALIZER;"),
    ("when", "struct timespec @when;"),
    ("sem", "sem_t @sem;"),
    ("rw", "pthread_rwlock_t @rw = PTHREAD_RWLOCK_INITIALIZER;"),
    ("bar", "pthread_barrier_t @bar;"),
    ("spin", "pthread_spinlock_t @spin;"),
    ("once", "pthread_once_t @once = PTHREAD_ONCE_INIT;"),
    ("first", "static void @first(void) { @x0 = @x0 + 1; }"),
    ("log", "int @log;"),
    (
        "fun",
        "static void @h0(void) { @x0 = @x0 + 1; }\nstatic void @h1(void) { @x1 = 2; }\n\
         void (*@fun)(void) = @h0;",
    ),
    ("text0", "char @text0[3] = \"a\";"),
    ("text1", "char @text1[3] = \"bc\";"),
    ("put", "static void @put(int *to, int value) { *to = value; }"),
    ("get", "static int @get(int *from) { return *from; }"),
    ("move", "static void @move(int *to, int *from) { *to = *from; }"),
    ("none", "static int @none(int *block) { return !block; }"),
    ("cas", turns::CAS),
    ("cex", turns::EXCHANGE),
    ("swap", turns::SWAP),
    ("look", turns::LOOK),
    ("start", crowd::START),
    ("finish", crowd::FINISH),
    ("take", crowd::TAKE),
    ("give", crowd::GIVE),
    ("bump", crowd::BUMP),
    ("make", blocks::MAKE),
    ("duo", contents::SHORT),
    ("wid", contents::WIDE),
    ("self", "pthread_t @self;"),
    ("ids", "pthread_t @ids[4];"),
    ("tid1", "pthread_t @tid1;"),
    ("tid2", "pthread_t @tid2;"),
    ("tid3", "pthread_t @tid3;"),
    ("tid4", "pthread_t @tid4;"),
];

/// The program without [`HEADER`]. Each name starts with `prefix`; the layout in
/// lines does not depend on `waits`.
pub fn print(test: &Test, prefix: &str, waits: Waits) -> String {
    let mut bodies = String::new();
    let first = |&thread: &usize| twin(test, thread) == thread;
    for thread in (0..test.threads.len()).rev().filter(first) {
        let printer = Printer::new(test, prefix, waits, thread);
        bodies += &printer.function(&bodies);
    }
    let mut text = String::new();
    let null = test.null_pointers;
    let initial = |declaration: &str, name: &str| match declaration.split_once(" = &") {
        Some((start, _)) if null && name.starts_with("ptr") => format!("{start};"),
        _ => declaration.to_string(),
    };
    let uses = |name: &str, inside: &str| inside.contains(&format!("{prefix}{name}"));
    // Other globals are declared for those that speak of them.
    let pointers: String = GLOBALS
        .iter()
        .filter(|global| uses(global.0, &bodies))
        .map(|global| initial(global.1, global.0).replace('@', prefix))
        .collect();
    for (name, declaration) in GLOBALS {
        let handle = (name.starts_with("tid") || *name == "ids") && !test.global_handles;
        if !handle && (uses(name, &bodies) || name.starts_with('x') && uses(name, &pointers)) {
            let _ = writeln!(text, "{}", initial(declaration, name).replace('@', prefix));
        }
    }
    for thread in (1..test.threads.len()).filter(first) {
        let _ = writeln!(text, "static void *{prefix}t{thread}(void *argument);");
    }
    text.push('\n');
    text + &bodies
}

/// The first thread with the same code, whose function it runs.
fn twin(test: &Test, thread: usize) -> usize {
    let same = |&other: &usize| test.threads.get(other) == test.threads.get(thread);
    (1..thread).find(same).unwrap_or(thread)
}

/// Prints one thread.
struct Printer<'a> {
    test: &'a Test,
    prefix: &'a str,
    waits: Waits,
    thread: usize,
    /// Functions that the thread calls.
    functions: String,
    calls: usize,
    out: String,
    depth: usize,
}

impl<'a> Printer<'a> {
    fn new(test: &'a Test, prefix: &'a str, waits: Waits, thread: usize) -> Printer<'a> {
        let (functions, out) = (String::new(), String::new());
        Printer { test, prefix, waits, thread, functions, calls: 0, out, depth: 1 }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = 4 * self.depth);
    }

    /// What `main` does first with objects that have no static initialiser, if
    /// anybody uses them.
    fn initialise(&mut self, bodies: &str) {
        let calls = [
            ("sem", format!("sem_init(&@sem, 0, {});", self.test.semaphore)),
            ("bar", format!("pthread_barrier_init(&@bar, 0, {});", self.test.barrier)),
            ("spin", "pthread_spin_init(&@spin, 0);".to_string()),
        ];
        for (name, call) in calls {
            if bodies.contains(&format!("&{}{name}", self.prefix)) {
                self.line(&call.replace('@', self.prefix));
            }
        }
    }

    /// The thread's function; `others` is what the other threads look like.
    fn function(mut self, others: &str) -> String {
        let thread = &self.test.threads[self.thread];
        self.block(&thread.body);
        let inner = std::mem::take(&mut self.out);
        let prefix = self.prefix;
        self.depth = 0;
        match self.thread {
            0 => self.line(&format!("int {prefix}main(void) {{")),
            n => self.line(&format!("static void *{prefix}t{n}(void *argument) {{")),
        }
        self.depth = 1;
        if looks_at_argument(&inner) {
            self.line("int *arg = argument;");
        } else if self.thread != 0 {
            self.line("(void)argument;");
        }
        if inner.contains("mine") {
            self.line("int mine = 0;");
        }
        if inner.contains("kept") {
            self.line(blocks::VARIABLES);
        }
        let result = thread.returns_local && self.thread != 0;
        for local in ["l0", "l1"] {
            if inner.contains(local) || result && local == "l0" {
                self.line(&format!("int {local} = 0;"));
            }
        }
        if !self.test.global_handles {
            if inner.contains(&format!("{prefix}ids")) {
                self.line(&format!("pthread_t {prefix}ids[{SLOTS}];"));
            }
            for n in 1..self.test.threads.len() {
                if inner.contains(&format!("{prefix}tid{n}")) {
                    self.line(&format!("pthread_t {prefix}tid{n} = 0;"));
                }
            }
        }
        if self.thread == 0 {
            let bodies = format!("{others}{}{inner}", self.functions);
            self.initialise(&bodies);
        }
        self.out.push_str(&inner);
        self.line(match (result, thread.vague && self.thread != 0) {
            (true, _) => "return (void *)(long)l0;",
            (_, true) => "{ void *vague; return vague; }",
            _ => "return 0;",
        });
        self.depth = 0;
        self.line("}\n");
        self.functions + &self.out
    }
}

fn looks_at_argument(body: &str) -> bool {
    body.contains("*arg") || body.contains(", arg)")
}
