//! LLVM's intrinsics, and what is unsupported.

mod common;

use common::{c, expect, ll, text};

#[test]
fn memory_functions() {
    let program =
        c("struct s { int a[30]; } x; void f(struct s *p) { struct s l = {{0}}; *p = l; x = *p; }
         void g(char *p, char *q, unsigned n, int v) { __builtin_memcpy(p, q, n);
           __builtin_memmove(p, q, 8); __builtin_memset(p, v, n); }");
    expect(&text(&program, "f"), &["call @memset(ptr %", "i32 0, i64 120)", "call @memcpy("]);
    expect(&text(&program, "g"), &["@memcpy(", "@memmove(", "zeroext i8", "@memset("]);
}

#[test]
fn overflow_checks() {
    let program = c("int f(int a, int b, int *r) { return __builtin_add_overflow(a, b, r)
           + __builtin_sub_overflow(a, b, r) + __builtin_mul_overflow(a, b, r); }
         int g(unsigned a, unsigned b, unsigned *r) { return __builtin_add_overflow(a, b, r)
           + __builtin_sub_overflow(a, b, r) + __builtin_mul_overflow(a, b, r); }");
    expect(&text(&program, "f"), &["overflow sadd i32", "overflow ssub i32", "overflow smul i32"]);
    expect(&text(&program, "g"), &["overflow uadd i32", "overflow usub i32", "overflow umul i32"]);
}

#[test]
fn bit_operations() {
    let program = c("int f(unsigned x, int y) { return __builtin_popcount(x) + __builtin_clz(x)
           + __builtin_ctz(x) + (int)__builtin_bswap32(x) + (int)__builtin_bitreverse32(x)
           + __builtin_elementwise_max(y, 3) + __builtin_elementwise_abs(y); }");
    expect(
        &text(&program, "f"),
        &[
            "countones i32",
            "leadingzeros i32",
            "trailingzeros i32",
            "swapbytes i32",
            "reversebits i32",
            "smax i32",
            "abs i32",
        ],
    );
}

#[test]
fn hints_vanish() {
    let program = c("int f(int x) { if (__builtin_expect(x, 0)) return 1; __builtin_prefetch(&x);
           __builtin_assume(x > 0); return __builtin_constant_p(x); }");
    let f = text(&program, "f");
    assert!(!f.contains("unsupported") && !f.contains("call"), "{f}");
}

#[test]
fn traps_abort() {
    expect(&text(&c("void f(void) { __builtin_trap(); }"), "f"), &["call @abort()"]);
}

#[test]
fn math_functions() {
    let program = c("#include <math.h>\ndouble f(double x, float y) { return sqrt(x) + fabs(x)
           + floor(x) + ceilf(y) + __builtin_fma(x, x, x) + fmin(x, 1.0); }");
    let f = text(&program, "f");
    for name in ["@sqrt(f64", "@fabs(f64", "@floor(f64", "@ceilf(f32", "@fma(f64", "@fmin(f64"] {
        assert!(f.contains(name), "{name} in\n{f}");
    }
}

#[test]
fn multiply_add_is_two_operations() {
    let program = c("double f(double a, double b, double c) { return a * b + c; }");
    expect(&text(&program, "f"), &["fmul f64", "fadd f64"]);
}

#[test]
fn variable_arguments() {
    let program = c("#include <stdarg.h>\nint f(int n, ...) { va_list a, b; va_start(a, n);
           va_copy(b, a); int r = va_arg(a, int); va_end(a); va_end(b); return r; }");
    let f = text(&program, "f");
    // The list is made of the hidden argument, with no argument left in registers.
    expect(&f, &["store i32 48, ", "store i32 176, ", "store ptr %1, ", "load i32, ", "return %"]);
}

#[test]
fn freeze_of_undef_is_an_input() {
    let program = ll("define i32 @f(i32 %a) {\n %x = freeze i32 undef\n %y = freeze i32 %a
 %z = add i32 %x, %y\n ret i32 %z\n}");
    expect(&text(&program, "f"), &["nondet i32 (uninitialised)", "add i32"]);
}

#[test]
fn computed_goto_is_a_switch() {
    let program = c("int f(int x) { static void *t[] = { &&a, &&b }; goto *t[x];
           a: return 1; b: return 2; }");
    expect(&text(&program, "f"), &["sub i64", "switch i64", "= 1], ", "= 2], else"]);
}

#[test]
fn addresses_of_frames() {
    let program = c("void *f(void) { return __builtin_frame_address(0); }
         void *g(void) { return __builtin_return_address(0); }
         void *h(void) { return __builtin_frame_address(1); }
         int same(void) { return __builtin_frame_address(0) == __builtin_frame_address(0); }");
    expect(&text(&program, "f"), &["stack 16 * 1", "return"]);
    expect(&text(&program, "g"), &["nondet ptr", "return"]);
    expect(&text(&program, "h"), &["unsupported \"intrinsic llvm.frameaddress"]);
    assert_eq!(text(&program, "same").matches("stack").count(), 1);
}

#[test]
fn unsupported_stops_where_it_is() {
    let program = c("int a(int x) { __asm__(\"hlt\" : \"+r\"(x)); return x; }
         long double ld; double d(void) { return (double)(ld * 2); }
         long double h(long double x) { return x; } int use(void) { return (int)h(1); }");
    for (name, what) in
        [("a", "inline assembly \"hlt\""), ("d", "long double"), ("use", "long double")]
    {
        let text = text(&program, name);
        assert!(text.contains("unsupported") && text.contains(what), "{what} in\n{text}");
    }
}
