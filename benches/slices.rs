//! Programs of any size, to see how the time of the analysis grows.

use std::fmt::Write;

/// A program of about as many lines: functions with a loop, a branch, a list, calls of
/// their neighbours, and a few threads that start in them.
pub fn source(lines: usize) -> String {
    const EACH: usize = 20;
    let count = (lines / EACH).max(2);
    let mut text = String::from(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n\
         struct node { struct node *next; int key, value; };\n",
    );
    for at in 0..count {
        let _ = writeln!(text, "static int total{at};\nstatic struct node *list{at};");
    }
    for at in 0..count {
        function(&mut text, at);
    }
    text.push_str("int main(void) {\n    pthread_t t;\n");
    for at in (0..count).step_by(count.div_ceil(8)) {
        let _ = writeln!(text, "    pthread_create(&t, 0, run{at}, &total{at});");
    }
    text.push_str("    assert(total0 >= 0);\n    return 0;\n}\n");
    text
}

fn function(text: &mut String, at: usize) {
    let before = at.saturating_sub(1);
    let call = match at {
        0 => "(void)arg".to_string(),
        _ => format!("run{before}(&total{before})"),
    };
    let _ = write!(
        text,
        "static void *run{at}(void *arg) {{
    int *sum = arg;
    struct node *node = malloc(sizeof *node);
    if (!node)
        return 0;
    node->key = {at};
    node->value = *sum;
    node->next = list{at};
    list{at} = node;
    for (struct node *n = list{at}; n; n = n->next) {{
        if (n->key > total{before})
            *sum += n->value;
        else
            total{at} = n->key;
    }}
    {call};
    return node;
}}
"
    );
}
