//! `--32` works without the 32-bit C library installed.

mod common;

use common::{c32, expect, globals, text};

#[test]
fn headers_are_found() {
    let program = c32("#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>
         #include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <semaphore.h>
         #include <stdint.h>\n#include <unistd.h>\n#include <errno.h>\n#include <limits.h>
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; atomic_int a;
         int main(int c, char **v) { char *p = malloc(strlen(v[0]) + 1); assert(p); a++;
           printf(\"%d\", (int)sizeof(void *)); return (int)sizeof(long); }");
    assert_eq!(program.pointer_bytes, 4);
    expect(&text(&program, "main"), &["call @malloc(i32", "return 4"]);
    assert!(!program.function(program.find_function("strlen").unwrap()).is_declaration());
}

#[test]
fn layout_is_that_of_the_target() {
    let program = c32("struct s { char c; void *p; long l; } s; void *q = &s.l;
         long *f(long *p, int i) { return p + i; }");
    let globals = globals(&program);
    expect(&globals, &["global @s: 12 bytes"]);
    assert!(globals.contains("global @q: 4 bytes, align 4, [0] = @s+8"), "{globals}");
    expect(&text(&program, "f"), &["ptradd %0.p, i32 %1.i * 4"]);
}
