//! `heddle dump --library`: the library functions that are modelled, as a page
//! (`docs/library.md`), from the tables by which calls find their models.

use std::collections::BTreeMap;
use std::fmt::Write;

use heddle_machine::Machine;
use heddle_memory::Sc;
use heddle_semantics::library;

const OPENING: &str = "\
# Library functions

What programs may call. A *handler* is a model in the checker
(`crates/semantics/src/library`); *C source* is compiled with the program
(`crates/frontend/support`), so that its accesses are checked and scheduled like the
program's own. For bitcode alone there are only handlers. A function of the program
itself wins over both. Any other stops the check where it is called, by name.

`heddle dump --library` prints this page.

";

/// What is to be said of functions whose names start so; the longest counts.
const NOTES: &[(&str, &str)] = &[
    ("aligned_alloc", "a request below 1 GiB succeeds, unless `--malloc-fails`"),
    ("calloc", "a request below 1 GiB succeeds, unless `--malloc-fails`"),
    ("clock", "an input; per thread, never backwards"),
    ("cnd_timedwait", "may give up at any time"),
    ("cnd_wait", "spurious wake-ups, unless `--no-spurious`"),
    ("get_nprocs", "2"),
    ("getchar", "an input"),
    ("getpagesize", "4096"),
    ("getpid", "1000"),
    ("getppid", "1"),
    ("gettimeofday", "an input; per thread, never backwards"),
    ("malloc", "a request below 1 GiB succeeds, unless `--malloc-fails`"),
    ("memalign", "a request below 1 GiB succeeds, unless `--malloc-fails`"),
    ("mtx_timedlock", "may give up at any time"),
    ("clock_getres", "a nanosecond"),
    ("clock_nanosleep", "moves the thread's clock; other threads may run"),
    ("nanosleep", "moves the thread's clock; other threads may run"),
    ("posix_memalign", "a request below 1 GiB succeeds"),
    ("fprintf", "to `stdout` and `stderr`"),
    ("printf", "shown in a trace only; a null pointer for `%s` gives \"(null)\""),
    ("pthread_cancel", "deferred; not while a thread waits in `read` or `poll`"),
    ("pthread_cond_clockwait", "may give up at any time"),
    ("pthread_cond_timedwait", "may give up at any time"),
    ("pthread_cond_wait", "spurious wake-ups, unless `--no-spurious`"),
    ("pthread_mutex_clocklock", "may give up at any time"),
    ("pthread_mutex_timedlock", "may give up at any time"),
    ("pthread_rwlock_clock", "may give up at any time"),
    ("pthread_rwlock_timed", "may give up at any time"),
    ("arc4random", "an input"),
    ("drand48", "an input"),
    ("erand48", "an input"),
    ("jrand48", "an input"),
    ("lrand48", "an input"),
    ("mrand48", "an input"),
    ("nrand48", "an input"),
    ("rand", "an input"),
    ("realloc", "a request below 1 GiB succeeds"),
    ("__isoc23_scanf", "what is read is an input"),
    ("__isoc99_scanf", "what is read is an input"),
    ("scanf", "what is read is an input; no words without a width"),
    ("sched_getaffinity", "two processors"),
    ("sscanf", "integers and text"),
    ("strerror", "of common numbers"),
    ("sysconf", "two processors, pages of 4096 bytes, 100 ticks, 1024 files; nothing else"),
    ("vscanf", "what is read is an input"),
    ("vsscanf", "integers and text"),
    ("sem_clockwait", "may give up at any time"),
    ("sem_timedwait", "may give up at any time"),
    ("sleep", "moves the thread's clock; other threads may run"),
    ("srand", "changes nothing: random numbers are inputs"),
    ("std::chrono::", "an input; per thread, never backwards"),
    ("std::condition_variable::wait", "spurious wake-ups, unless `--no-spurious`"),
    ("std::ostream", "shown in a trace only"),
    ("std::thread::hardware_concurrency", "2"),
    ("syscall", "futex waits and wake-ups only"),
    ("time", "an input; per thread, never backwards"),
    ("usleep", "moves the thread's clock; other threads may run"),
    ("void std::lock<", "backs off at most once a mutex: more changes nothing"),
    ("__VERIFIER_nondet_", "an input"),
    ("__VERIFIER_nondet_charp", "null, or an address of nothing"),
    ("__VERIFIER_nondet_const_char_pointer", "null, or an address of nothing"),
    ("__VERIFIER_nondet_pchar", "null, or an address of nothing"),
    ("__VERIFIER_nondet_pointer", "null, or an address of nothing"),
    ("__VERIFIER_nondet_ptr", "null, or an address of nothing"),
];

#[derive(Default)]
struct Model {
    group: &'static str,
    handler: bool,
    source: Option<&'static str>,
}

/// By the name that people know.
fn models() -> BTreeMap<String, Model> {
    let mut models: BTreeMap<String, Model> = BTreeMap::new();
    for (group, names) in library::names::<Machine<'static, Sc>>() {
        for name in shown(&names) {
            let model = models.entry(name).or_default();
            (model.group, model.handler) = (group, true);
        }
    }
    for (group, file, names) in heddle_frontend::library() {
        for name in shown(&names) {
            let model = models.entry(name).or_default();
            if !model.handler {
                model.group = group;
            }
            model.source = Some(file);
        }
    }
    models
}

/// Without what only our own sources call.
fn shown(names: &[&str]) -> Vec<String> {
    let own = |name: &&&str| !name.starts_with("__heddle_");
    let known_as = |name: &&str| heddle_frontend::demangle(name).unwrap_or(name.to_string());
    names.iter().filter(own).map(known_as).collect()
}

fn note(name: &str) -> &'static str {
    let fitting = NOTES.iter().filter(|(start, _)| name.starts_with(start));
    fitting.max_by_key(|(start, _)| start.len()).map_or("", |(_, note)| note)
}

/// The page.
pub fn page() -> String {
    let models = models();
    let mut rows: Vec<(&String, &Model)> = models.iter().collect();
    rows.sort_by_key(|(name, model)| (model.group, *name));
    let mut page = OPENING.to_string();
    page.push_str("| function | header or group | model | note |\n|---|---|---|---|\n");
    for (name, model) in rows {
        let how = match (model.handler, model.source) {
            (_, None) => "handler".to_string(),
            (false, Some(file)) => format!("C source `{file}`"),
            (true, Some(file)) => format!("C source `{file}`; handler for bitcode"),
        };
        let _ = writeln!(page, "| `{name}` | {} | {how} | {} |", model.group, note(name));
    }
    let _ = write!(page, "\n{} functions.\n", models.len());
    page
}

#[cfg(test)]
mod tests {
    use super::{NOTES, models, page};

    #[test]
    fn every_note_is_about_something() {
        let models = models();
        for (start, _) in NOTES {
            assert!(models.keys().any(|name| name.starts_with(start)), "{start}");
        }
    }

    #[test]
    fn the_page_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/library.md");
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(kept == page(), "run `heddle dump --library > docs/library.md`");
    }
}
