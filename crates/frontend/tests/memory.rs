//! Globals, addresses, loads, stores, atomics, thread-local storage.

mod common;

use common::{c, expect, globals, ll, text};

#[test]
fn initialisers() {
    let program = c(
        "struct s { char c; short h; int *p; struct { int x, y; } in[2]; unsigned b : 3, d : 5; };
         int a[3] = {1, 2}; int target[8]; int f(int);
         struct s s = { 'x', -2, &target[3], {{1, 2}, {3}}, 5, 9 };
         const char *names[] = { \"ab\", 0, \"c\" }; int (*fs[2])(int) = { f, 0 };
         long diff = (char *)&target[5] - (char *)&target[1]; int *end = target + 8;
         union { int i; char c[8]; } u = { 7 }; float fl = 1.5f; double d = -2.0; _Bool t = 1;
         static const int table[100000];
         const void *use(void) { return table; }",
    );
    let globals = globals(&program);
    for line in [
        "global @a: 12 bytes, align 4, bytes 01 00 00 00 02 00 00 00 00 00 00 00",
        "global @s: 40 bytes, align 8, bytes 78 00 fe ff 00 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 00 00 00 00 …, [8] = @target+12",
        "global @names: 24 bytes, align 16, [0] = @.str, [16] = @.str.1",
        "global @fs: 16 bytes, align 16, [0] = @f",
        "global @diff: 8 bytes, align 8, bytes 10 00 00 00 00 00 00 00",
        "global @end: 8 bytes, align 8, [0] = @target+32",
        "global @u: 8 bytes, align 4, bytes 07 00 00 00",
        "global @fl: 4 bytes, align 4, bytes 00 00 c0 3f",
        "global @d: 8 bytes, align 8, bytes 00 00 00 00 00 00 00 c0",
        "global @t: 1 bytes, align 1, bytes 01",
        "global constant @table: 400000 bytes, align 16, zero",
    ] {
        assert!(globals.contains(line), "{line}\n in\n{globals}");
    }
    let bits = program.globals.iter().find(|g| g.name == "s").unwrap();
    assert_eq!(bits.init.as_ref().unwrap().bytes[32], 5 | (9 << 3));
}

#[test]
fn wide_initialisers_keep_their_bytes() {
    let program = c("__int128 w = ((__int128)1 << 64) + 2; long double ld = 1.0L;");
    expect(&globals(&program), &["bytes 02 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00"]);
    expect(&globals(&program), &["bytes 00 00 00 00 00 00 00 80 ff 3f"]);
}

#[test]
fn external_globals_have_no_contents() {
    expect(&globals(&c("extern int e; int f(void) { return e; }")), &["@e: 4 bytes", "external"]);
}

#[test]
fn addresses() {
    let program = c("struct s { int a; struct { short b, c[5]; } in[3]; } x[4];
         short f(struct s *p, int i, long j) { return p[i].in[j].c[2] + x[2].in[1].b; }");
    expect(
        &text(&program, "f"),
        &["ptradd %0.p, i64 %", "* 40", "i64 %2.j * 12", "load i16, %", "load i16, @x+96"],
    );
}

#[test]
fn escaping_variables_stay_in_memory() {
    let program = c("void g(int *); int f(void) { int x = 1, y = 2; g(&x); return x + y; }");
    let f = text(&program, "f");
    expect(&f, &["stack 4 * 1, align 4, \"x\"", "store i32 1", "call @g", "load i32"]);
    assert!(!f.contains("\"y\"") && f.contains(", 2"), "{f}");
}

#[test]
fn no_access_is_merged_or_dropped() {
    let program =
        c("int x; void f(void) { x = 1; x = 2; int a = x; int b = x; if (a) x = b; else x = b; }");
    let f = text(&program, "f");
    assert_eq!(f.matches("store i32").count(), 4, "{f}");
    assert_eq!(f.matches("load i32").count(), 2, "{f}");
}

#[test]
fn volatile_stays() {
    let program = c("volatile int v; int f(void) { v = 1; return v; }");
    expect(&text(&program, "f"), &["store volatile i32 1, @v", "load volatile i32, @v"]);
}

#[test]
fn c11_atomics() {
    let program = c("#include <stdatomic.h>\n#include <stdbool.h>
         atomic_int a; _Atomic(void *) p;
         int f(int n) { atomic_store_explicit(&a, 1, memory_order_release);
           int r = atomic_load_explicit(&a, memory_order_acquire) + a;
           r += atomic_fetch_add_explicit(&a, 2, memory_order_relaxed) + atomic_exchange(&a, 3);
           a -= 4; atomic_fetch_or(&a, 1); atomic_fetch_and(&a, 2); atomic_fetch_xor(&a, 3);
           int e = 5; bool ok = atomic_compare_exchange_strong_explicit(&a, &e, n,
             memory_order_acq_rel, memory_order_acquire);
           atomic_thread_fence(memory_order_seq_cst); atomic_signal_fence(memory_order_acquire);
           atomic_store(&p, 0); return r + ok; }");
    expect(
        &text(&program, "f"),
        &[
            "store release i32 1, @a",
            "load acquire i32, @a",
            "load seq_cst i32, @a",
            "rmw add relaxed i32 @a, 2",
            "rmw exchange seq_cst i32 @a, 3",
            "rmw sub seq_cst i32 @a, 4",
            "rmw or",
            "rmw and",
            "rmw xor",
            "= cmpxchg acq_rel acquire i32 @a, 5, %0.n",
            "fence seq_cst",
            "store seq_cst i64 %",
        ],
    );
    // A fence against signal handlers orders nothing between threads.
    assert_eq!(text(&program, "f").matches("fence").count(), 1);
}

#[test]
fn gcc_builtins() {
    let program = c("int x; long y; void *q;
         int f(void) { __sync_synchronize(); __sync_lock_release(&x);
           return __sync_bool_compare_and_swap(&x, 0, 1) + __sync_lock_test_and_set(&x, 1)
             + (int)__atomic_fetch_sub(&y, 2, __ATOMIC_RELEASE) + __sync_val_compare_and_swap(&x, 1, 2)
             + (__atomic_exchange_n(&q, 0, __ATOMIC_SEQ_CST) != 0); }");
    expect(
        &text(&program, "f"),
        &[
            "fence seq_cst",
            "store release i32 0, @x",
            "cmpxchg seq_cst seq_cst i32 @x, 0, 1",
            "rmw exchange",
            "rmw sub release i64 @y, 2",
            "cmpxchg",
            "rmw exchange seq_cst",
        ],
    );
}

#[test]
fn thread_local_globals() {
    let program = c("__thread int t = 4; int f(void) { return ++t; }");
    expect(&globals(&program), &["global thread_local @t: 4 bytes, align 4, bytes 04 00 00 00"]);
    expect(&text(&program, "f"), &["= thread_local @t", "load i32, %", "store i32 %"]);
    let program = ll("@t = thread_local global i32 1
define i32 @f() {\n %v = load i32, ptr @t\n ret i32 %v\n}");
    expect(&text(&program, "f"), &["= thread_local @t", "load i32, %"]);
}

#[test]
fn bit_fields() {
    let program =
        c("struct { unsigned a : 3, b : 6; int c : 4; } s; int f(void) { s.b = 5; return s.c; }");
    expect(&text(&program, "f"), &["load i", "and", "or", "store i", "load i", "ashr"]);
}

#[test]
fn addresses_as_integers() {
    let program = c(
        "int x, y; long f(void) { return (long)&x - (long)&y; } int *g(long a) { return (int *)a; }",
    );
    expect(&text(&program, "f"), &["trunc ptr @x to i64", "trunc ptr @y to i64", "sub"]);
    expect(&text(&program, "g"), &["trunc i64 %0.a to ptr"]);
}

#[test]
fn variable_length_arrays() {
    let program = c("int f(int n) { int a[n]; a[n - 1] = 2; return a[0]; }");
    let f = text(&program, "f");
    expect(&f, &["stack 4 * %", "\"a\"", "store i32 2"]);
    assert!(!f.contains("unsupported"), "{f}");
}
