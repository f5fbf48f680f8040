//! Arithmetic, control flow and calls.

mod common;

use common::{c, expect, ll, text};

#[test]
fn loops_become_edge_moves() {
    let program = c("int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }");
    expect(
        &text(&program, "f"),
        &["jump b1 [", "= 0", "compare slt i32", "branch", "add nsw i32", "jump b1 [", "return"],
    );
}

#[test]
fn integer_arithmetic() {
    let program = c("unsigned f(unsigned a, unsigned b) {
           return (a + b) * (a - b) / (a % b) + (a << 3) + (a >> 2) + (a & b) + (a | b) + (a ^ b); }
         int g(int a, int b) { return a / b + a % b + (a >> 1) - ~a; }
         long h(int a, unsigned b, short c) { return (long)a + b + (char)c; }");
    let f = text(&program, "f");
    for op in ["add i32", "sub i32", "mul i32", "udiv", "urem", "shl", "lshr", "and", "or", "xor"] {
        assert!(f.contains(&format!(" {op}")), "{op} in\n{f}");
    }
    expect(&text(&program, "g"), &["sdiv i32", "srem i32", "ashr i32"]);
    expect(&text(&program, "h"), &["signext i32", "zeroext i32", "trunc", "signext i8"]);
}

#[test]
fn comparisons_and_select() {
    let program = c(
        "int f(int a, unsigned b, char *p, char *q) {
           return (a < 3) + (a >= 1) + (b > 2u) + (b <= 9u) + (p == q) + (p != 0) + (a ? 5 : 6); }",
    );
    expect(
        &text(&program, "f"),
        &["slt i32", "sge i32", "ugt i32", "ule i32", "compare eq i64", "compare ne i64"],
    );
    let program =
        ll("define i32 @f(i1 %c, i32 %a) {\n %r = select i1 %c, i32 %a, i32 7\n ret i32 %r\n}");
    expect(&text(&program, "f"), &["select %0, %1, 7"]);
}

#[test]
fn floats() {
    let program = c("double f(float a, double b, int i, unsigned u) {
           return -(a + b) * (double)i / (a - 1.5f) + (float)u + (a < b ? 1 : (int)b) + (unsigned)a; }");
    let f = text(&program, "f");
    for op in [
        "floattofloat f32",
        "fadd f64",
        "fneg f64",
        "signedtofloat i32",
        "fdiv f64",
        "fsub f32",
        "unsignedtofloat i32",
        "fcompare olt f64",
        "floattosigned f64",
        "floattounsigned f32",
    ] {
        assert!(f.contains(op), "{op} in\n{f}");
    }
}

#[test]
fn switch_and_fallthrough() {
    let program =
        c("int f(int x) { switch (x) { case -1: return 1; case 2: x++; case 3: return x; }
           return 9; }");
    expect(&text(&program, "f"), &["switch i32 %0.x, 4294967295 => ", "2 => ", "3 => ", "else =>"]);
}

#[test]
fn calls_direct_indirect_variadic() {
    let program = c("int say(const char *, ...); int g(int); int (*fp)(int) = g;
         int f(int x) { return g(x) + fp(x) + say(\"name\", x, 1.5f); }");
    expect(
        &text(&program, "f"),
        &["call @g(i32 %0.x)", "load ptr, @fp", "call *%", "call @say(ptr @.str, i32 %0.x, f64"],
    );
    assert!(text(&program, "say").contains("…"));
}

#[test]
fn variadic_arguments_are_laid_out() {
    let program = c("int sum(int n, ...) { return n; } int (*fp)(int, ...) = sum;
         int f(int x) { return sum(2, x, 1.5); } int g(int x) { return fp(1, x) + fp(0); }");
    // One object for each call, and its address behind the arguments with names.
    let f = text(&program, "f");
    expect(&f, &["store i32 %0.x, %", "store f64 ", "call @sum(i32 2, ptr %"]);
    assert!(text(&program, "sum").contains("i32 %0.n, ptr %1"), "{}", text(&program, "sum"));
    expect(&text(&program, "g"), &["store i32 %0.x, %", "(i32 1, ptr %", "(i32 0, ptr 0)"]);
}

#[test]
fn simple_formats_become_their_pieces() {
    let program = c("#include <stdio.h>
         int f(int x, const char *s) { return printf(\"x = %d, %s\\n\", x, s); }
         int g(int x) { return printf(\"%ld\", x); } int h(int x) { return printf(\"%*d\", x, x); }");
    let f = text(&program, "f");
    expect(
        &f,
        &[
            "call @__heddle_put_literal(ptr @.str, i32 4)",
            "call @__heddle_put_number(i64 100, i64 %",
            "call @__heddle_put_string(ptr %1.s, i32 0, i32 0, i32 4294967295)",
            "call @__heddle_put_end(i32 1)",
        ],
    );
    // The wrong type, and a width that is an argument.
    for name in ["g", "h"] {
        expect(&text(&program, name), &["call @printf(ptr @.str"]);
    }
}

#[test]
fn small_structs_are_split_into_scalars() {
    let program =
        c("struct p { long a, b; }; struct p mk(long x) { struct p r = {x, x + 1}; return r; }
         long f(long x) { struct p q = mk(x); return q.b; }");
    expect(&text(&program, "mk"), &["-> i64, i64", "return %"]);
    let f = text(&program, "f");
    let call = f.lines().find(|line| line.contains("call @mk")).unwrap();
    assert!(call.split('=').next().unwrap().contains(", %"), "{call}");
}

#[test]
fn aggregates_in_registers() {
    let program = ll("define i32 @f({i32, [2 x i8]} %a, i1 %c, ptr %p) {
entry:
  br i1 %c, label %x, label %y
x:
  %l = load {i32, [2 x i8]}, ptr %p
  br label %z
y:
  %i = insertvalue {i32, [2 x i8]} poison, i32 5, 0
  %j = insertvalue {i32, [2 x i8]} %i, i8 6, 1, 1
  br label %z
z:
  %m = phi {i32, [2 x i8]} [%l, %x], [%a, %y]
  %s = select i1 %c, {i32, [2 x i8]} %m, {i32, [2 x i8]} zeroinitializer
  store {i32, [2 x i8]} %s, ptr %p
  %e = extractvalue {i32, [2 x i8]} %j2, 0
  ret i32 %e
}"
    .replace("%j2", "%s")
    .as_str());
    let f = text(&program, "f");
    expect(
        &f,
        &[
            "load i32",
            "load i8",
            "load i8",
            "select",
            "select",
            "select",
            "store i32",
            "store i8",
            "store i8",
        ],
    );
    // The undefined lane of %j is never used.
    assert!(!f.contains("nondet"), "{f}");
}

#[test]
fn byval_arguments_are_copied() {
    let program = c("struct big { int a[9]; }; int take(struct big b) { return b.a[1]; }
         int f(struct big *p) { return take(*p); }");
    expect(
        &text(&program, "f"),
        &["stack 36 * 1", "call @memcpy(ptr %", "i64 36)", "call @take(ptr %"],
    );
}

#[test]
fn invoke_is_a_call_and_a_jump() {
    let program = ll("declare i32 @g()\ndeclare i32 @p(...)
define i32 @f() personality ptr @p {
  %r = invoke i32 @g() to label %ok unwind label %bad
ok:
  ret i32 %r
bad:
  %l = landingpad {ptr, i32} cleanup
  resume {ptr, i32} %l
}");
    expect(&text(&program, "f"), &["%0 = call @g()", "return %0"]);
}

#[test]
fn aliases_are_what_they_stand_for() {
    let program =
        c("int real(int x) { return x; } int other(int) __attribute__((alias(\"real\")));
         int f(void) { return other(3); }");
    expect(&text(&program, "f"), &["call @real(i32 3)"]);
}

#[test]
fn empty_infinite_loop() {
    let program = c("void f(void) { for (;;); }");
    expect(&text(&program, "f"), &["b1:", "jump b1"]);
}

#[test]
fn unreachable_code_does_not_take_reachable_code_away() {
    let program = c("int g(int); int f(int x) {
           for (;;) { if (x) break; else goto next; next: if (g(x)) continue; else break; }
           return g(2); }");
    expect(&text(&program, "f"), &["call @g(i32 2)", "return"]);
}

#[test]
fn goto_and_labels() {
    let program =
        c("int f(int n) { again: if (n > 10) goto done; n++; goto again; done: return n; }");
    expect(&text(&program, "f"), &["compare sgt", "return"]);
}
