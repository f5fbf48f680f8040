//! Several files, flags, and library functions written in C.

mod common;

use heddle_frontend::{Error, Options, compile};

use common::{Files, accept, c, cpp, expect, text};

#[test]
fn several_files_become_one_program() {
    let files = Files::new(&[
        ("a.c", "extern int shared; int twice(int); int main(void) { return twice(shared); }"),
        ("b.c", "int shared = 21; int twice(int x) { return 2 * x; }"),
    ]);
    let program = accept(files.compile());
    expect(&text(&program, "main"), &["load i32, @shared", "call @twice"]);
    expect(&text(&program, "twice"), &["mul nsw i32 2, %0.x"]);
}

#[test]
fn c_and_ir_mix() {
    let files = Files::new(&[
        ("a.c", "int f(int); int main(void) { return f(1); }"),
        ("b.ll", "define i32 @f(i32 %x) {\n  ret i32 %x\n}\n"),
    ]);
    let program = accept(files.compile());
    expect(&text(&program, "f"), &["return %0"]);
}

#[test]
fn foreign_modules_are_promoted_too() {
    let program = common::ll(
        "define i32 @f(i32 %x) noinline optnone {
  %slot = alloca i32
  store i32 %x, ptr %slot
  %v = load i32, ptr %slot
  ret i32 %v
}",
    );
    expect(&text(&program, "f"), &["return %0"]);
    assert!(!text(&program, "f").contains("stack"));
}

#[test]
fn flags_reach_the_compiler() {
    let mut files = Files::new(&[("a.c", "int main(void) { return VALUE; }")]);
    files.options.flags = vec!["-DVALUE=42".to_owned()];
    expect(&text(&accept(files.compile()), "main"), &["return 42"]);
}

#[test]
fn optimisation_flags_do_not_hide_accesses() {
    let mut files = Files::new(&[("a.c", "int x; void f(void) { x = 1; x = 2; }")]);
    files.options.flags = vec!["-O2".to_owned(), "-g0".to_owned()];
    let f = text(&accept(files.compile()), "f");
    assert_eq!(f.matches("store i32").count(), 2, "{f}");
}

#[test]
fn library_functions_come_in_when_needed() {
    let program = c("#include <string.h>\nint f(char *s) { return (int)strlen(s); }");
    assert!(!program.function(program.find_function("strlen").unwrap()).is_declaration());
    assert!(program.find_function("strcpy").is_none());
    let file = program.function(program.find_function("strlen").unwrap()).span.file;
    assert_eq!(program.files[file as usize].path, "<heddle>/string.c");
}

#[test]
fn the_program_s_own_library_function_wins() {
    let program = c("unsigned long strlen(const char *s) { return 7; }
         char *strdup(const char *);
         int main(void) { return (int)strlen(strdup(\"abc\")); }");
    expect(&text(&program, "strlen"), &["return 7"]);
}

#[test]
fn struct_copies_need_memcpy() {
    let program = c("struct big { int a[20]; } x, y; int main(void) { x = y; return 0; }");
    expect(&text(&program, "main"), &["call @memcpy(ptr @x, ptr @y, i64 80)"]);
    assert!(!program.function(program.find_function("memcpy").unwrap()).is_declaration());
}

#[test]
fn character_classes() {
    let program = c("#include <ctype.h>\nint f(int c) { return isalpha(c) + toupper(c); }");
    for name in ["__ctype_b_loc", "toupper"] {
        assert!(!program.function(program.find_function(name).unwrap()).is_declaration());
    }
}

#[test]
fn constructors_run_in_order_of_priority() {
    let program = c("__attribute__((constructor(300))) void late(void) {}
         __attribute__((constructor(200))) void early(void) {}");
    let names: Vec<&str> =
        program.constructors.iter().map(|&id| program.function(id).name.as_str()).collect();
    assert_eq!(names, ["early", "late"]);
}

#[test]
fn static_initialisers_of_cpp() {
    let program = cpp("int f(); int x = f(); int main() { return x; }");
    assert_eq!(program.constructors.len(), 1);
    expect(&text(&program, "main"), &["load i32, @x"]);
}

#[test]
fn virtual_calls_are_indirect() {
    let program = cpp("struct B { virtual int f() { return 1; } };
         int call(B *b) { return b->f(); }
         B one; int main() { return call(&one); }");
    let call = program.functions.iter().find(|f| f.display_name() == "call").unwrap();
    expect(&text(&program, &call.name.clone()), &["load ptr", "load ptr", "call *%"]);
}

#[test]
fn references_and_exceptions() {
    let program = cpp("void use(int &); struct G { ~G() {} };
         int main() { G g; int x = 1; use(x); if (x) throw 3; return x; }");
    expect(
        &text(&program, "main"),
        &[
            "call @_Z3useRi",
            "call @__cxa_throw",
            "compare ne i64",
            "branch",
            "call @_ZN1GD2Ev",
            "return",
        ],
    );
    assert!(program.function(program.find_function("main").unwrap()).unwinds);
    // What has no body and no model does not throw.
    let quiet =
        cpp("void use(); int main() { try { use(); } catch (...) { return 1; } return 0; }");
    assert!(!text(&quiet, "main").contains("__cxa_begin_catch"));
}

#[test]
fn names_of_cpp_files() {
    for name in ["a.C", "a.cc", "a.cxx", "a.c++", "a.cp", "a.CPP"] {
        let program = Files::new(&[(name, "namespace n { int f() { return 1; } }")]).compile();
        assert!(program.unwrap().find_function("_ZN1n1fEv").is_some(), "{name}");
    }
}

#[test]
fn standard_input() {
    let mut options = Options { inputs: vec!["-".into()], ..Options::default() };
    options.standard_input = Some("int f(void) { return sizeof 'a'; }".into());
    expect(&text(&accept(compile(&options)), "f"), &["return 4"]);
    options.flags = vec!["-x".to_owned(), "c++".to_owned()];
    let program = accept(compile(&options));
    expect(&text(&program, "_Z1fv"), &["return 1"]);
    assert!(program.files.iter().any(|file| file.path.ends_with("<stdin>")), "{:?}", program.files);
    options.standard_input = None;
    options.flags.clear();
    assert!(matches!(compile(&options), Err(Error::Missing(_))));
}
