//! Functions of `string.h`, `stdlib.h` and `ctype.h` compute what those of the system's C
//! library do, on generated arguments.
//!
//! A program calls one helper for each row of a table and keeps a number that tells
//! everything about the call. Compiled by the system it prints these numbers; they become
//! part of the table, and Heddle has to find the program that asserts them safe.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use heddle_explore::Options;
use heddle_memory::Model;
use heddle_semantics::{Bounds, Verdict};

const ROWS: usize = 200;

/// Functions that take two strings, a number of bytes and a character, or some of that.
const STRINGS: &[(&str, &str)] = &[
    ("memcpy", "char to[24] = {0}; return sum(to, memcpy(to + 1, a, n % 16), 24) + sum(a, a, 16);"),
    (
        "memmove",
        "char to[40] = {0}; memcpy(to, a, 16); return sum(to, memmove(to + (unsigned)c % 16, to + n % 16, 9), 40);",
    ),
    ("memset", "char to[24] = {0}; return sum(to, memset(to + (unsigned)c % 8, c, n % 16), 24);"),
    ("memcmp", "return sign(memcmp(a, b, n % 16));"),
    ("memchr", "return at(a, memchr(a, c, n % 16));"),
    ("strlen", "return (long long)strlen(a);"),
    ("strnlen", "return (long long)strnlen(a, n);"),
    ("strcpy", "char to[24] = {0}; return sum(to, strcpy(to + n % 8, a), 24);"),
    ("stpcpy", "char to[24] = {0}; return sum(to, stpcpy(to + n % 8, a), 24);"),
    ("strncpy", "char to[24]; memset(to, '#', 24); return sum(to, strncpy(to, a, n % 24), 24);"),
    (
        "strcat",
        "char to[40]; memset(to, '#', 40); strcpy(to, a); return sum(to, strcat(to, b), 40);",
    ),
    (
        "strncat",
        "char to[40]; memset(to, '#', 40); strcpy(to, a); return sum(to, strncat(to, b, n), 40);",
    ),
    ("strcmp", "return sign(strcmp(a, b));"),
    ("strncmp", "return sign(strncmp(a, b, n));"),
    ("strcasecmp", "return sign(strcasecmp(a, b));"),
    ("strncasecmp", "return sign(strncasecmp(a, b, n));"),
    ("strchr", "return at(a, strchr(a, c));"),
    ("strrchr", "return at(a, strrchr(a, c));"),
    ("strstr", "return at(a, strstr(a, b));"),
    ("strspn", "return (long long)strspn(a, b);"),
    ("strcspn", "return (long long)strcspn(a, b);"),
    ("strpbrk", "return at(a, strpbrk(a, b));"),
    ("strchrnul", "return at(a, strchrnul(a, c));"),
    ("strcasestr", "return at(a, strcasestr(a, b));"),
    ("mempcpy", "char to[24] = {0}; return sum(to, mempcpy(to + 1, a, n % 16), 24);"),
    ("memrchr", "return at(a, memrchr(a, c, strlen(a)));"),
    ("memmem", "return at(a, memmem(a, strlen(a), b, strlen(b) % 3));"),
    ("bzero", "char to[16]; memset(to, '#', 16); bzero(to + 2, n % 12); return sum(to, to, 16);"),
    ("ffs", "return ffs((int)n - 500) * 100 + ffsl((long)n << c % 50) + ffsll(c);"),
    (
        "strsep",
        "char to[24], *rest = strcpy(to, a); long long all = 0; for (char *s; (s = strsep(&rest, \"ab\"));) all = all * 31 + (s - to); return all + sum(to, to, strlen(a) + 1);",
    ),
    (
        "strtok_r",
        "char to[24], *rest, *s = strcpy(to, a); long long all = 0; for (; (s = strtok_r(s, \"ab\", &rest)); s = 0) all = all * 31 + (s - to); return all + sum(to, to, strlen(a) + 1);",
    ),
    (
        "strtok",
        "char to[24], *s = strcpy(to, a); long long all = 0; for (; (s = strtok(s, \"abA\")); s = 0) all = all * 31 + (s - to); return all;",
    ),
    (
        "sscanf",
        "char to[20] = \"#\", set[20] = \"#\"; int last = -1, found = sscanf(a, n % 2 ? \" %3[a-cA]%s%n\" : \"%2c%[^b]%n\", to, set, &last); return sum(to, to, 20) * 7 + sum(set, set, 20) * 3 + found;",
    ),
    (
        "strdup",
        "char *copy = strdup(a); long long found = sum(copy, copy, strlen(a) + 1); free(copy); return found;",
    ),
    (
        "strndup",
        "char *copy = strndup(a, n); long long found = sum(copy, copy, strlen(copy) + 1); free(copy); return found;",
    ),
];

/// Functions that read a number, in a base or not.
const NUMBERS: &[(&str, &str)] = &[
    ("strtol", "return parsed((long long)strtol(a, &end, c), a, end);"),
    ("strtoll", "return parsed(strtoll(a, &end, c), a, end);"),
    ("strtoul", "return parsed((long long)strtoul(a, &end, c), a, end);"),
    ("strtoull", "return parsed((long long)strtoull(a, &end, c), a, end);"),
    ("atoi", "return atoi(a);"),
    ("atol", "return atol(a);"),
    ("atoll", "return atoll(a);"),
    ("abs", "return abs((int)n - 500);"),
    ("labs", "return labs((long)n - 500);"),
    ("llabs", "return llabs((long long)n - 500);"),
    (
        "sscanf_numbers",
        "int i = -7, count; long l = -7; unsigned char h = 9; const char *formats[] = {\"%d %li%hhu\", \"%i%lx %hhx\", \"%3d%2li%hho\", \"%x,%lu\"}; count = sscanf(a, formats[n % 4], &i, &l, &h); errno = 0; return count * 1000003 + i * 31 + l * 7 + h;",
    ),
    (
        "qsort",
        "char to[40] = {0}; strcpy(to, a); qsort(to, strlen(to), 1, order); return sum(to, to, 40);",
    ),
    ("bsearch", "char key = (char)c; return bsearch(&key, \"acegikmoqsuwy\", 13, 1, order) != 0;"),
];

const CLASSES: &[&str] = &[
    "isalnum", "isalpha", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint",
    "ispunct", "isspace", "isupper", "isxdigit",
];

/// Requests for memory: what is given, and what `errno` says.
const BLOCKS: &[(&str, &str)] = &[
    ("malloc", "return given(malloc(large(n)));"),
    ("calloc", "return given(calloc(large(n), large((unsigned)c)));"),
    ("aligned_alloc", "return given(aligned_alloc((size_t)1 << (unsigned)c % 12, large(n)));"),
    (
        "posix_memalign",
        "void *p = 0; int e = posix_memalign(&p, n % 3 ? (size_t)1 << (unsigned)c % 12 : n, large(n)); errno = 0; return e * 4 + given(p);",
    ),
    ("realloc", "return given(realloc(malloc(5), large(n) + 1));"),
    (
        "reallocarray",
        "return given(reallocarray(malloc(5), large(n) + 1, large((unsigned)c) + 1));",
    ),
];

const OPENING: &str = r#"
#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct {
  const char *a, *b;
  size_t n;
  int c;
  long long expected;
} Row;

static int sign(int n) { return n < 0 ? -1 : n > 0; }
static long long at(const char *from, const void *found) {
  return found ? (const char *)found - from : -1;
}
static long long sum(const char *from, const void *returned, size_t bytes) {
  unsigned long long all = (unsigned long long)((const char *)returned - from);
  for (size_t i = 0; i < bytes; i++) all = all * 31 + (unsigned char)from[i];
  return (long long)all;
}
static long long parsed(long long value, const char *from, const char *end) {
  long long all = value * 31 + (end ? end - from : -1) * 7 + errno;
  errno = 0;
  return all;
}
static int order(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
static size_t large(size_t n) {
  switch (n % 5) {
    case 0: return (size_t)1 << (48 + n % 15);
    case 1: return (size_t)-1 - n;
    default: return n % 64;
  }
}
static int given(void *block) {
  int error = errno;
  errno = 0;
  free(block);
  return block ? 1 : error == 0 ? 2 : -error;
}
"#;

/// Random numbers that are the same everywhere (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }

    /// A literal of at most 15 characters, often with letters that others have too.
    fn text(&mut self) -> String {
        let length = self.below(16);
        let byte = |random: &mut Random| match random.below(8) {
            0 => format!("\\{:03o}", 1 + random.below(255)),
            _ => random.one_of(&["a", "b", "A", "B", "c", "Z", "z"]).to_string(),
        };
        (0..length).map(|_| byte(self)).collect()
    }

    fn numeral(&mut self) -> String {
        const PREFIXES: &[&str] =
            &["", "", "0", "0x", "0X", "0b", " ", "\\t\\n", "  +", "-", "+-", "--"];
        const LIMITS: &[&str] = &[
            "9223372036854775807",
            "9223372036854775808",
            "9223372036854775809",
            "18446744073709551615",
            "18446744073709551616",
            "2147483647",
            "2147483648",
            "7fffffffffffffff",
            "8000000000000000",
            "ffffffffffffffff",
            "10000000000000000",
            "1y2p0ij32e8e7",
            "1y2p0ij32e8e8",
            "0",
            "",
        ];
        let middle = match self.below(3) {
            0 => self.one_of(LIMITS).to_string(),
            _ => (0..self.below(8))
                .map(|_| self.one_of(&["0", "1", "7", "8", "9", "a", "f", "g", "Z"]))
                .collect(),
        };
        let sign = self.one_of(&["", "", "-", "+"]);
        let (start, end) = (self.one_of(PREFIXES), self.one_of(&["", "", "x", " 1", "\\377", "_"]));
        format!("{sign}{start}{middle}{end}")
    }
}

type Texts = fn(&mut Random) -> String;

/// The program, with what its rows have to give as far as that is known.
fn program(
    functions: &[(String, String)],
    text: Texts,
    numbers: fn(&mut Random) -> u64,
    expected: &[i64],
) -> String {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut all = OPENING.to_string();
    let mut main = "int main(void) {\n  errno = 0;\n".to_string();
    for (at, (name, body)) in functions.iter().enumerate() {
        let _ = writeln!(
            all,
            "static long long t_{name}(const char *a, const char *b, size_t n, int c) {{\n  char *end = 0; (void)end; (void)a; (void)b; (void)n; (void)c;\n  {body}\n}}\nstatic const Row r_{name}[] = {{"
        );
        for row in 0..ROWS {
            let (a, b) = (text(&mut random), text(&mut random));
            let c = match random.below(4) {
                0 => random.below(300) as i64 - 2,
                1 => random.below(40) as i64,
                2 => [0, 2, 8, 10, 16, 36][random.below(6) as usize],
                _ => i64::from(b'a') + random.below(26) as i64,
            };
            let want = expected.get(at * ROWS + row).copied().unwrap_or(0);
            let want = if want == i64::MIN {
                "-9223372036854775807LL - 1".to_string()
            } else {
                format!("{want}LL")
            };
            // Longer than what functions that count bytes look at.
            let _ = writeln!(
                all,
                "  {{(const char[40]){{\"{a}\"}}, (const char[40]){{\"{b}\"}}, {}u, {c}, {want}}},",
                numbers(&mut random)
            );
        }
        all.push_str("};\n");
        let call = format!("t_{name}(r_{name}[i].a, r_{name}[i].b, r_{name}[i].n, r_{name}[i].c)");
        let _ = writeln!(
            main,
            "#ifdef TELL\n  for (int i = 0; i < {ROWS}; i++) printf(\"%lld\\n\", {call});\n#else\n  for (int i = 0; i < {ROWS}; i++) assert({call} == r_{name}[i].expected); // {name}\n#endif"
        );
    }
    all + &main + "  return 0;\n}\n"
}

/// What the system's library gives for each row.
fn told(source: &Path, folder: &Path) -> Vec<i64> {
    let binary = folder.join("native");
    let named = std::env::var("HEDDLE_CLANG").ok();
    let compilers = named.iter().map(String::as_str).chain(["clang-22", "clang"]);
    let compile = |compiler: &str| {
        let mut command = Command::new(compiler);
        command.args(["-O0", "-w", "-fno-builtin", "-DTELL", "-o"]).args([&binary, source]);
        command.status().ok()
    };
    let built = compilers.map(compile).find_map(|status| status).expect("a compiler");
    assert!(built.success());
    let run = Command::new(&binary).output().expect("it runs");
    assert!(run.status.success());
    let text = String::from_utf8(run.stdout).expect("numbers");
    text.lines().map(|line| line.parse().expect("a number")).collect()
}

fn compare(functions: &[(String, String)], text: Texts, numbers: fn(&mut Random) -> u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("program.c");
    std::fs::write(&source, program(functions, text, numbers, &[])).expect("it is written");
    let expected = told(&source, folder.path());
    assert_eq!(expected.len(), functions.len() * ROWS);
    std::fs::write(&source, program(functions, text, numbers, &expected)).expect("it is written");
    let flags = vec!["-w".to_string(), "-fno-builtin".to_string()];
    let options =
        heddle_frontend::Options { inputs: vec![source.clone()], flags, ..Default::default() };
    let program = heddle_frontend::compile(&options).expect("it compiles");
    let main = program.find_function("main").expect("main");
    let report = heddle_explore::check(&program, main, Model::Sc, &Options::default());
    let verdict = report.expect("it starts").verdict;
    let line = match &verdict {
        Verdict::Unsafe(failure) => failure.violation.span.line as usize,
        _ => 0,
    };
    let text = std::fs::read_to_string(&source).expect("it is there");
    let here = text.lines().nth(line.wrapping_sub(1)).unwrap_or("");
    // What no allocator would be asked for fails here as it does there.
    let large = Bounds { large: true, ..Bounds::default() };
    let right = matches!(&verdict, Verdict::Bounded(bounds) if *bounds == large);
    assert!(right || verdict == Verdict::Safe, "{verdict:?}\n{here}");
}

fn named(functions: &[(&str, &str)]) -> Vec<(String, String)> {
    functions.iter().map(|(name, body)| (name.to_string(), body.to_string())).collect()
}

#[test]
fn strings() {
    compare(&named(STRINGS), Random::text, |random| random.below(24));
}

#[test]
fn numbers() {
    compare(&named(NUMBERS), Random::numeral, |random| random.below(1000));
}

#[test]
fn characters() {
    let yes_or_no =
        |name: &&str| (name.to_string(), format!("return {name}(c < -1 ? 0 : c % 256) != 0;"));
    let mut functions: Vec<_> = CLASSES.iter().map(yes_or_no).collect();
    for name in ["tolower", "toupper"] {
        functions.push((name.to_string(), format!("return {name}(c < -1 ? 0 : c % 256);")));
    }
    compare(&functions, |_| String::new(), |random| random.below(2));
}

#[test]
fn blocks() {
    compare(&named(BLOCKS), |_| String::new(), |random| random.below(1000));
}
