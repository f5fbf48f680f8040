//! Inline assembly for x86, instruction by instruction.

mod common;

use common::{c, c32, expect, text};

/// What a text becomes in a function with an `int *p` to memory and an `int v` in a register.
fn body(assembly: &str) -> String {
    let source = format!("int f(int *p, int v) {{ __asm__ volatile({assembly}); return v; }}");
    text(&c(&source), "f")
}

/// The text becomes exactly these operations; `p` is `%0` and `v` is `%1`.
fn becomes(assembly: &str, operations: &[&str]) {
    let all = body(assembly);
    let inside = all.lines().skip(2).map(str::trim).filter(|line| !line.is_empty() && *line != "}");
    let found: Vec<String> =
        inside.map(|line| line.replace("%0.p", "p").replace("%1.v", "v")).collect();
    assert_eq!(found, operations, "{assembly}");
}

const BOTH: &str = r#" : "+r"(v), "+m"(*p) : : "memory", "cc""#;
const MEMORY: &str = r#" : "+m"(*p) : "ir"(v) : "memory""#;

fn with_both(text: &str, operations: &[&str]) {
    becomes(&format!("\"{text}\"{BOTH}"), operations);
}

fn with_memory(text: &str, operations: &[&str]) {
    becomes(&format!("\"{text}\"{MEMORY}"), operations);
}

#[test]
fn nothing() {
    for text in ["", "pause", "nop", "rep; nop", "rep;nop\\n\\t", "# only a comment"] {
        becomes(&format!("\"{text}\" ::: \"memory\""), &["return v"]);
    }
}

#[test]
fn fences() {
    let fence = |text: &str, order: &str| {
        becomes(&format!("\"{text}\" ::: \"memory\""), &[&format!("fence {order}"), "return v"]);
    };
    fence("mfence", "seq_cst");
    fence("lfence", "acquire");
    fence("sfence", "release");
    fence("lock; addl $0,0(%%rsp)", "seq_cst");
    fence("lock orq $0x0, -8(%%rsp)", "seq_cst");
    fence("lock; addl $0,0(%%esp)", "seq_cst");
}

#[test]
fn locked_arithmetic() {
    for (name, op) in [("add", "add"), ("sub", "sub"), ("and", "and"), ("or", "or"), ("xor", "xor")]
    {
        let operation = format!("%2 = rmw {op} seq_cst i32 p, v");
        with_memory(&format!("lock; {name}l %1, %0"), &[&operation, "return v"]);
    }
    with_memory("lock; incl %0", &["%2 = rmw add seq_cst i32 p, 1", "return v"]);
    with_memory("lock\\n\\tdecl %0", &["%2 = rmw sub seq_cst i32 p, 1", "return v"]);
    with_memory("lock notl %0", &["%2 = rmw xor seq_cst i32 p, 4294967295", "return v"]);
    with_memory("lock addl $-1, %0", &["%2 = rmw add seq_cst i32 p, 4294967295", "return v"]);
}

#[test]
fn widths_are_those_of_the_text() {
    with_memory("lock; addb $1, %0", &["%2 = rmw add seq_cst i8 p, 1", "return v"]);
    with_memory("lock; addw $1, %0", &["%2 = rmw add seq_cst i16 p, 1", "return v"]);
    with_memory("lock; addq $1, %0", &["%2 = rmw add seq_cst i64 p, 1", "return v"]);
    // Or those of the register.
    with_memory("lock; add %1, %0", &["%2 = rmw add seq_cst i32 p, v", "return v"]);
}

#[test]
fn exchanges() {
    with_both("lock; xaddl %0, %1", &["%2 = rmw add seq_cst i32 p, v", "return %2"]);
    with_both("xchgl %0, %1", &["%2 = rmw exchange seq_cst i32 p, v", "return %2"]);
    with_both("xchg %1, %0", &["%2 = rmw exchange seq_cst i32 p, v", "return %2"]);
    with_both("xchg{l %0, %1| %1, %0}", &["%2 = rmw exchange seq_cst i32 p, v", "return %2"]);
}

#[test]
fn compare_and_exchange() {
    becomes(
        r#""lock; cmpxchgl %2, %1" : "+a"(v), "+m"(*p) : "r"(7) : "memory""#,
        &["%2, %3 = cmpxchg seq_cst seq_cst i32 p, v, 7", "return %2"],
    );
    becomes(
        r#""lock cmpxchgl %2, %1; sete %b0" : "+a"(v), "+m"(*p) : "r"(7) : "memory""#,
        &[
            "%2, %3 = cmpxchg seq_cst seq_cst i32 p, v, 7",
            "%4 = compare eq i32 v, %2",
            "%5 = zeroext i1 %4 to i8",
            "%6 = and i32 %2, 4294967040",
            "%7 = zeroext i8 %5 to i32",
            "%8 = or i32 %6, %7",
            "return %8",
        ],
    );
    let program = c("_Bool f(void **p, void *a, void *b) { _Bool z;
           __asm__ volatile(\"lock; cmpxchgq %3, %0\" : \"+m\"(*p), \"=@ccz\"(z), \"+a\"(a)
             : \"r\"(b) : \"memory\"); return z; }");
    expect(&text(&program, "f"), &["cmpxchg seq_cst seq_cst ptr %0.p, %1.a, %2.b", "compare eq"]);
}

#[test]
fn compare_and_exchange_of_a_pair() {
    let program = c32("typedef unsigned long long u; u f(u *p, u old, u new) {
           __asm__ volatile(\"lock; cmpxchg8b %1\" : \"+A\"(old), \"+m\"(*p)
             : \"b\"((unsigned)new), \"c\"((unsigned)(new >> 32)) : \"memory\"); return old; }");
    expect(&text(&program, "f"), &["cmpxchg seq_cst seq_cst i64 %0.p", "return"]);
    let pair = |text: &str| {
        c(&format!(
            "void f(void *p) {{ __asm__ volatile(\"{text} %0\" : \"+m\"(*(int *)p)
             : \"a\"(0L), \"b\"(0L), \"c\"(0L), \"d\"(0L) : \"memory\"); }}"
        ))
    };
    expect(&text(&pair("lock; cmpxchg16b"), "f"), &["call @__heddle_compare16(ptr %0.p, i64 0"]);
    let plain = text(&pair("cmpxchg16b"), "f");
    expect(&plain, &["unsupported \"inline assembly \"cmpxchg16b"]);
}

#[test]
fn without_lock_there_are_two_accesses() {
    with_memory(
        "incl %0",
        &[
            "%2 = load volatile acquire i32, p",
            "%3 = add i32 %2, 1",
            "store volatile release i32 %3, p",
            "return v",
        ],
    );
    becomes(
        r#""cmpxchgl %2, %1" : "+a"(v), "+m"(*p) : "r"(7) : "memory""#,
        &[
            "%2 = load volatile acquire i32, p",
            "%3 = compare eq i32 %2, v",
            "%4 = select %3, 7, %2",
            "store volatile release i32 %4, p",
            "return %2",
        ],
    );
}

#[test]
fn moves_order_as_the_processor_does_if_the_compiler_lets_them() {
    let load = r#""movl %1, %0" : "=r"(v) : "m"(*p)"#;
    becomes(load, &["%2 = load volatile relaxed i32, p", "return %2"]);
    let ordered = format!("{load} : \"memory\"");
    becomes(&ordered, &["%2 = load volatile acquire i32, p", "return %2"]);
    let store = r#""movl %1, %0" : "=m"(*p) : "ir"(v) : "memory""#;
    becomes(store, &["store volatile release i32 v, p", "return v"]);
    let constant = r#""movb %b1, %0" : "=m"(*(char *)p) : "iq"(3)"#;
    becomes(constant, &["store volatile relaxed i8 3, p", "return v"]);
}

#[test]
fn addresses_in_registers() {
    becomes(r#""lock incl (%0)" : : "r"(p)"#, &["%2 = rmw add seq_cst i32 p, 1", "return v"]);
    becomes(
        r#""lock incl 4(%0,%1,4)" : : "r"(p), "r"((long)v)"#,
        &[
            "%2 = signext i32 v to i64",
            "%3 = ptradd p, 4, i64 %2 * 4",
            "%4 = rmw add seq_cst i32 %3, 1",
            "return v",
        ],
    );
}

#[test]
fn registers_by_name() {
    becomes(
        r#""movl %1, %%ecx; addl $1, %%ecx; movl %%ecx, %0" : "=r"(v) : "r"(v) : "ecx""#,
        &["%2 = add i32 v, 1", "return %2"],
    );
    becomes(r#""xorl %0, %0" : "=r"(v)"#, &["return 0"]);
}

#[test]
fn bits() {
    let program = c("int f(long *a, long n) { int old; __asm__ volatile(
           \"lock; btsq %2,%1\\n\\tsbbl %0,%0\" : \"=r\"(old), \"+m\"(*a) : \"Ir\"(n) : \"memory\");
           return old; }");
    expect(
        &text(&program, "f"),
        &[
            "ashr i64 %1.n, 6",
            "ptradd %0.a, i64",
            "shl i64 1, ",
            "rmw or seq_cst i64",
            "sub i32 0,",
        ],
    );
    with_memory(
        "lock; btrl $3, %0",
        &[
            "%2 = and i32 3, 31",
            "%3 = shl i32 1, %2",
            "%4 = xor i32 %3, 4294967295",
            "%5 = rmw and seq_cst i32 p, %4",
            "%6 = lshr i32 %5, %2",
            "%7 = trunc i32 %6 to i1",
            "return v",
        ],
    );
}

#[test]
fn conditions() {
    let after = |text: &str, operation: &str| {
        let all = body(&format!(r#""{text}; setc %b0" : "+q"(v), "+m"(*p) : : "memory""#));
        expect(&all, &[operation, "zeroext i1"]);
    };
    after("lock; addl $5, %1", "compare ult i32");
    after("cmpl $5, %1", "compare ult i32");
    after("bt $5, %0", "trunc i32");
    // A count leaves the carry.
    let kept = body(r#""lock; incl %1; setc %b0" : "+q"(v), "+m"(*p) : : "memory""#);
    expect(&kept, &["unsupported \"inline assembly"]);
}

#[test]
fn time_and_kind_of_the_processor() {
    let program = c("unsigned f(void) { unsigned a, d;
           __asm__ volatile(\"rdtsc\" : \"=a\"(a), \"=d\"(d)); return d; }
         unsigned g(void) { unsigned a = 1, b, c, d;
           __asm__ volatile(\"cpuid\" : \"+a\"(a), \"=b\"(b), \"=c\"(c), \"=d\"(d)); return b; }
         void *h(void) { void *p; __asm__(\"mov %%fs:0, %0\" : \"=r\"(p)); return p; }
         unsigned long long i(void) { return __builtin_ia32_rdtsc(); }
         void *j(void) { return __builtin_thread_pointer(); }");
    expect(&text(&program, "f"), &["call @__heddle_cycles()", "lshr i64", "return"]);
    expect(&text(&program, "g"), &["fence seq_cst", "@__VERIFIER_nondet_uint()", "return"]);
    expect(&text(&program, "h"), &["thread_local", "return"]);
    expect(&text(&program, "i"), &["call @__heddle_cycles()", "return"]);
    expect(&text(&program, "j"), &["thread_local", "return"]);
}

#[test]
fn intel() {
    let mut files = common::Files::new(&[(
        "test.c",
        "int f(int *p, int v) { __asm__ volatile(\"lock xadd %1, %0\" : \"+r\"(v), \"+m\"(*p));
           return v; }",
    )]);
    files.options.flags.push("-masm=intel".to_owned());
    expect(&text(&common::accept(files.compile()), "f"), &["rmw add seq_cst i32 %0.p, %1.v"]);
}

#[test]
fn anything_else_stops_by_name() {
    for what in ["hlt", "1: jmp 1b", "rep stosb", "lock; addl %1, %1", "movl %%gs:0, %0", "ret"] {
        let all = body(&format!("\"{what}\"{BOTH}"));
        let shown = format!("unsupported \"inline assembly \"{}", &what.replace("%%", "%"));
        expect(&all, &[&shown]);
    }
}
