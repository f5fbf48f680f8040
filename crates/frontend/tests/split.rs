//! Vectors and integers of over 64 bits.

mod common;

use common::{c, expect, globals, ll, text};

#[test]
fn small_structures_are_vectors() {
    let program = c("struct p { float x, y; }; struct p f(struct p a) { a.x += 1; return a; }");
    expect(&text(&program, "f"), &["@f(f32 %0", ", f32 %1", ") -> f32, f32", "store f32", "fadd"]);
}

#[test]
fn arithmetic_is_done_for_each_element() {
    let program = c("typedef int v __attribute__((vector_size(8)));
         v f(v *a, v *b) { return (*a + *b) / *b; } v g(v *a, v *b) { return *a < *b; }");
    let f = text(&program, "f");
    assert_eq!(f.matches("add i32").count(), 2, "{f}");
    assert_eq!(f.matches("sdiv i32").count(), 2, "{f}");
    expect(&text(&program, "g"), &["compare slt i32", "compare slt i32", "signext i1"]);
}

#[test]
fn elements_by_a_variable_index_go_through_memory() {
    let program = c("typedef int v __attribute__((vector_size(16)));
         int f(v a, int i) { return a[i]; } int g(v a) { return a[2]; }");
    expect(&text(&program, "f"), &["stack 16 * 1", "store i32", "ptradd", "* 4", "load i32"]);
    let g = text(&program, "g");
    assert!(!g.contains("ptradd"), "{g}");
}

#[test]
fn shuffles_choose() {
    let program = ll("define <2 x i32> @f(<2 x i32> %a, <2 x i32> %b) {
 %r = shufflevector <2 x i32> %a, <2 x i32> %b, <2 x i32> <i32 3, i32 0>\n ret <2 x i32> %r\n}");
    expect(&text(&program, "f"), &["return %3, %0"]);
}

#[test]
fn vectors_of_bits_are_not_stored() {
    let program =
        ll("define void @f(ptr %p, <4 x i1> %a) {\n store <4 x i1> %a, ptr %p\n ret void\n}
define i4 @g(<4 x i1> %a) {\n %r = bitcast <4 x i1> %a to i4\n ret i4 %r\n}");
    expect(&text(&program, "f"), &["unsupported \"vector type <4 x i1> in memory\""]);
    expect(&text(&program, "g"), &["shl i64", "or i64", "trunc i64"]);
}

#[test]
fn wide_integers_are_words() {
    let program = c("typedef unsigned __int128 u; u g = (u)7 << 64 | 1;
         u f(u a, u b) { return a + b; } u h(u *p) { return *p; } u d(u a, u b) { return a / b; }
         int less(__int128 a, __int128 b) { return a < b; }");
    expect(&globals(&program), &["@g", "01 00 00 00 00 00 00 00 07"]);
    expect(&text(&program, "f"), &["(i64 %0", "i64 %3", "add i64", "compare ult i64", "return"]);
    expect(&text(&program, "h"), &["load i64, %0", "ptradd %0.p, 8", "load i64"]);
    expect(&text(&program, "d"), &["call @__udivti3(i64"]);
    expect(&text(&program, "less"), &["compare ult i64", "compare slt i64", "select"]);
}

#[test]
fn bit_fields_are_masks() {
    let program = c("struct s { unsigned long a : 40, b : 60; unsigned long c : 20; };
         void f(struct s *p) { p->b = 3; }");
    let f = text(&program, "f");
    assert!(!f.contains("unsupported"), "{f}");
}

#[test]
fn what_is_too_wide_stops() {
    let program = c("unsigned _BitInt(256) f(unsigned _BitInt(256) a) { return a / 3; }");
    expect(&text(&program, "f"), &["unsupported \"division of integers of 256 bits\""]);
}
