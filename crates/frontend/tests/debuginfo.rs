//! Positions, names, types and places.

mod common;

use common::{Files, accept, c, cpp, places, text};
use heddle_ir::{DebugType, DebugTypeId, Program};

fn global_type<'a>(program: &'a Program, name: &str) -> &'a DebugType {
    let global = program.globals.iter().find(|g| g.name == name).unwrap();
    program.debug_type(global.ty.unwrap())
}

fn get(program: &Program, id: DebugTypeId) -> &DebugType {
    program.debug_type(id)
}

#[test]
fn positions() {
    let files = Files::new(&[("pos.c", "int x;\nint main(void) {\n  x = 1;\n  return x;\n}\n")]);
    let program = accept(files.compile());
    let main = program.function(program.find_function("main").unwrap());
    assert_eq!(main.span.line, 2);
    let path = files.path("pos.c").to_string_lossy().into_owned();
    let store = &main.blocks[0].insts[0];
    assert_eq!(program.position(store.span), Some(format!("{path}:3:5")));
    assert_eq!(main.blocks[0].term_span.line, 4);
    assert_eq!(program.globals[0].span.line, 1);
}

#[test]
fn relative_paths_stay_relative() {
    let options =
        heddle_frontend::Options { inputs: vec!["support/string.c".into()], ..Default::default() };
    let program = accept(heddle_frontend::compile(&options));
    assert!(program.files.iter().any(|f| f.path == "support/string.c"), "{:?}", program.files);
}

#[test]
fn register_names() {
    let program = c("int f(int first, int second) { int sum = first + second; return sum; }");
    let f = text(&program, "f");
    assert!(f.contains("%0.first") && f.contains("%1.second") && f.contains(".sum = add"), "{f}");
}

#[test]
fn source_names() {
    let program = c("int f(void) { static int calls; return ++calls; }");
    assert_eq!(program.globals[0].source_name.as_deref(), Some("calls"));
    let program = cpp("namespace n { int twice(int x) { return 2 * x; } }");
    assert_eq!(program.functions[0].display_name(), "twice");
}

#[test]
fn types() {
    let program = c("#include <stdbool.h>
         struct node { int v; struct node *next; unsigned lo : 3, hi : 5; } *head; struct node n;
         unsigned char uc; signed char sc; char ch; bool b; double d; short sh; unsigned long ul;
         int grid[3][4]; enum color { RED = -1, BLUE = 7 } col; typedef struct { int q; } named; named nm;
         void (*fp)(void); const volatile int cv = 1; _Atomic int at; void *vp;");
    let is = |name: &str, ty: DebugType| assert_eq!(*global_type(&program, name), ty, "{name}");
    is("uc", DebugType::Unsigned { bytes: 1 });
    is("sc", DebugType::Signed { bytes: 1 });
    is("ch", DebugType::Char);
    is("b", DebugType::Bool);
    is("d", DebugType::Float { bytes: 8 });
    is("sh", DebugType::Signed { bytes: 2 });
    is("ul", DebugType::Unsigned { bytes: 8 });
    is("at", DebugType::Signed { bytes: 4 });
    is("cv", DebugType::Signed { bytes: 4 });
    is("vp", DebugType::Pointer { to: None });
    let names = vec![(-1, "RED".to_owned()), (7, "BLUE".to_owned())];
    is("col", DebugType::Enum { bytes: 4, names });
    let DebugType::Array { element, stride: 16, count: 3 } = global_type(&program, "grid") else {
        panic!("grid")
    };
    assert!(matches!(get(&program, *element), DebugType::Array { stride: 4, count: 4, .. }));
    let DebugType::Record { name, bytes: 24, members } = global_type(&program, "n") else {
        panic!("n")
    };
    assert_eq!(name, "node");
    let fields: Vec<_> = members.iter().map(|m| (m.name.as_str(), m.bit_offset, m.bits)).collect();
    assert_eq!(fields, [("v", 0, 32), ("next", 64, 64), ("lo", 128, 3), ("hi", 131, 5)]);
    let DebugType::Pointer { to: Some(to) } = get(&program, members[1].ty) else { panic!("next") };
    assert!(matches!(get(&program, *to), DebugType::Record { name, .. } if name == "node"));
    assert!(
        matches!(global_type(&program, "nm"), DebugType::Record { name, .. } if name == "named")
    );
}

#[test]
fn places_of_accesses() {
    let program = c("struct acc { int id; int balance[4]; struct { int in; union { int u; char c[4]; }; } s;
           struct acc *next; unsigned f : 3, g : 7; _Bool ok; };
         struct acc acc, accs[5], *head; int table[8], grid[3][4], idx;
         void w(int h, struct acc *a, int **pp, char *str) {
           acc.balance[2] = 1; acc.balance[h] = 2; table[h] = 3; table[h + 1] = 4; grid[1][h] = 6;
           grid[h][2] = 7; a->id = 1; acc.id = 2; a->s.in = 8; a->s.u = 9; str[h] = 'x'; accs[3].next = 0;
           accs[h].ok = 1; *str = 'y'; str[3] = 'z'; accs[h * 2].id = 3; }
         void r(int h, struct acc *a, int **pp) {
           head->next = a; a->next->balance[1] = 10; **pp = 11; *pp[h] = 12; table[idx] = 5;
           struct acc *n = head; n->id = 1; }");
    assert_eq!(
        places(&program, "w"),
        [
            "acc.balance[2]",
            "acc.balance[h]",
            "table[h]",
            "table[h+1]",
            "grid[1][h]",
            "grid[h][2]",
            "a->id",
            "acc.id",
            "a->s.in",
            "a->s.u",
            "str[h]",
            "accs[3].next",
            "accs[h].ok",
            "*str",
            "str[3]",
            "accs[…].id",
        ]
    );
    assert_eq!(
        places(&program, "r"),
        [
            "head",
            "head->next",
            "a->next",
            "a->next->balance[1]",
            "*pp",
            "**pp",
            "pp[h]",
            "*pp[h]",
            "idx",
            "table[idx]",
            "head",
            "n->id",
        ]
    );
}

#[test]
fn places_of_calls() {
    let program = c("#include <pthread.h>\n#include <semaphore.h>
         struct acc { pthread_mutex_t lock; int n; } acc, accs[3]; sem_t sem; pthread_mutex_t m;
         void f(struct acc *a, int i) { pthread_mutex_lock(&m); pthread_mutex_lock(&acc.lock);
           pthread_mutex_lock(&a->lock); pthread_mutex_unlock(&accs[i].lock); sem_wait(&sem); }");
    assert_eq!(places(&program, "f"), ["m", "acc.lock", "a->lock", "accs[i].lock", "sem"]);
}

#[test]
fn a_typed_pointer_names_better_than_void() {
    let program = c("void *f(void *arg) { int *p = arg; *p = 1; p[2] = 3; return 0; }");
    assert_eq!(places(&program, "f"), ["*p", "p[2]"]);
}

#[test]
fn places_carry_types() {
    let program = c("struct { char tag; long value; } x; void f(void) { x.value = 1; }");
    let place = program.places.iter().find(|p| p.text == "x.value").unwrap();
    assert_eq!(*get(&program, place.ty.unwrap()), DebugType::Signed { bytes: 8 });
}

#[test]
fn inlined_headers_count_as_the_line_that_uses_them() {
    let files =
        Files::new(&[("a.cpp", "#include <atomic>\nstd::atomic<int> a;\nvoid f() {\n  a++;\n}\n")]);
    let program = accept(files.compile());
    let rmw = program.functions.iter().flat_map(|f| f.blocks.iter().flat_map(|b| &b.insts));
    let rmw = { rmw }.rfind(|i| matches!(i.op, heddle_ir::Op::Rmw { .. }));
    let header = |span: heddle_ir::Span| !program.files[span.file as usize].path.ends_with("a.cpp");
    // Either clang inlined it, or it is in a function of the header.
    if let Some(inst) = rmw {
        assert!(header(inst.span) || inst.span.line == 4);
    }
}

#[test]
fn uninitialised_variables_are_one_input_where_they_are_used() {
    let program = c("int c, g; int f(void) { int u; if (c) u = 3; return u; }
         void twice(void) { int u; if (u > 3) g = u; else g = -u; }
         int never(int x) { int u; if (x) u = 1; else u = 2; return u; }
         int loop(void) { int s; for (int i = 0; i < 3; i++) s += i; return s; }");
    for (name, count) in [("f", 1), ("twice", 1), ("never", 0), ("loop", 1)] {
        let text = text(&program, name);
        assert_eq!(text.matches("nondet").count(), count, "{text}");
    }
}
