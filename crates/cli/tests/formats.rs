//! Whole formats: programs made of random `snprintf` calls, whose results the system's C
//! library has said before, are safe.

mod common;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{heddle, run};

/// A small generator (xorshift), so that a seed tells everything.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 11) % bound
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// What is called with a format and its arguments, written in C.
struct Call {
    format: String,
    arguments: String,
}

/// Any bytes but zero, as C writes them.
fn literal(random: &mut Random, most: u64) -> String {
    let length = random.below(most + 1);
    let bytes = (0..length).map(|_| match random.below(4) {
        0 => format!("\\{:03o}", 1 + random.below(255)),
        _ => char::from(b'a' + random.below(26) as u8).to_string(),
    });
    format!("\"{}\"", bytes.collect::<String>())
}

fn text_argument(random: &mut Random, precision: &mut String) -> String {
    match random.below(8) {
        0 => "(char *)0".to_owned(),
        // No terminator: only as many characters as the precision says may be read.
        1 => {
            let length = 1 + random.below(5);
            *precision = format!(".{}", random.below(length + 1));
            let bytes: Vec<String> = (0..length).map(|at| format!("'{at}'")).collect();
            format!("(const char[]){{{}}}", bytes.join(","))
        }
        _ => literal(random, 12),
    }
}

fn integer_argument(random: &mut Random, signed: bool) -> (&'static str, String) {
    let lengths: [(&str, &str, &str); 8] = [
        ("", "int", "unsigned"),
        ("hh", "int", "unsigned"),
        ("h", "int", "unsigned"),
        ("l", "long", "unsigned long"),
        ("ll", "long long", "unsigned long long"),
        ("j", "intmax_t", "uintmax_t"),
        ("z", "ptrdiff_t", "size_t"),
        ("t", "ptrdiff_t", "size_t"),
    ];
    let (length, with_sign, without) = lengths[random.below(8) as usize];
    let value = random.next() >> random.below(64);
    let value = if random.below(3) == 0 { value.wrapping_neg() } else { value };
    let ty = if signed { with_sign } else { without };
    (length, format!("({ty}){value:#x}ull"))
}

/// A width or a precision: none, a number, or one that is an argument.
fn amount(random: &mut Random, arguments: &mut String, lowest: i64) -> String {
    match random.below(6) {
        0..3 => String::new(),
        3 => {
            let _ = write!(arguments, ", {}", random.below(24) as i64 + lowest);
            "*".to_owned()
        }
        _ => (1 + random.below(20)).to_string(),
    }
}

fn directive(random: &mut Random, call: &mut Call) {
    if random.below(12) == 0 {
        call.format += "%%";
        return;
    }
    if random.below(16) == 0 {
        call.format += "%n";
        call.arguments += ", &counted";
        return;
    }
    let conversion =
        random.pick(&["d", "i", "u", "x", "X", "o", "c", "s", "s", "p", "f", "e", "g", "a"]);
    let takes_flags = !matches!(conversion, "c" | "s" | "p");
    let mut flags: String = "-".repeat(usize::from(random.below(4) == 0));
    for flag in ["0", "+", " ", "#", "'"] {
        if takes_flags && random.below(5) == 0 && !(flag == "'" && conversion == "a") {
            flags += flag;
        }
    }
    let width = amount(random, &mut call.arguments, -12);
    let mut precision = match conversion {
        "c" | "p" => String::new(),
        _ if random.below(2) == 0 => String::new(),
        _ => format!(".{}", amount(random, &mut call.arguments, -3)),
    };
    // An argument that is the precision stands before the text.
    let mut fixed = String::new();
    let (length, argument) = match conversion {
        "c" => ("", random.below(256).to_string()),
        "s" if precision.contains('*') => ("", literal(random, 12)),
        "s" => {
            let argument = text_argument(random, &mut fixed);
            ("", argument)
        }
        "p" => ("", random.pick(&["(void *)0", "(void *)0x1f", "(void *)0xdeadbeef"]).to_owned()),
        "f" | "e" | "g" | "a" => {
            let small = (random.below(100_000) as f64 / 64.0).to_bits();
            let bits = if random.below(3) == 0 { random.next() } else { small };
            ("", format!("real({bits:#x}ull)"))
        }
        _ => integer_argument(random, matches!(conversion, "d" | "i")),
    };
    if !fixed.is_empty() {
        precision = fixed;
    }
    let _ = write!(call.format, "%{flags}{width}{precision}{length}{conversion}");
    let _ = write!(call.arguments, ", {argument}");
}

fn call(random: &mut Random) -> Call {
    let mut call = Call { format: String::new(), arguments: String::new() };
    for _ in 0..=random.below(3) {
        let words = ["", "", "x = ", "|", "\\377", "\\n"];
        call.format += random.pick(&words);
        directive(random, &mut call);
    }
    call
}

/// The program. With `NATIVE` it prints what the calls give; else it asserts that.
fn program(random: &mut Random, count: usize) -> String {
    let mut text = String::from(
        "#include <assert.h>\n#include <stdint.h>\n#include <stddef.h>\n#include <stdio.h>\n\
         static char buffer[64];\nstatic int counted;\n\
         static double real(unsigned long long bits) {\n\
         \x20 union { unsigned long long bits; double real; } value = {bits};\n\
         \x20 return value.real;\n}\n\
         static void clear(void) {\n\
         \x20 for (int i = 0; i < 64; i++) buffer[i] = '~';\n  counted = -1;\n}\n\
         #ifdef NATIVE\n\
         static void look(int at, int count) {\n\
         \x20 printf(\"{%d, %d, \\\"\", count, counted);\n\
         \x20 for (int i = 0; i < 64; i++) printf(\"\\\\%03o\", (unsigned char)buffer[i]);\n\
         \x20 printf(\"\\\"},\\n\");\n}\n#else\n\
         static const struct { int count, counted; char bytes[65]; } expected[] = {\n\
         #include \"expected.h\"\n};\n\
         static void look(int at, int count) {\n\
         \x20 assert(count == expected[at].count);\n\
         \x20 assert(counted == expected[at].counted);\n\
         \x20 for (int i = 0; i < 64; i++) assert(buffer[i] == expected[at].bytes[i]);\n}\n\
         #endif\n\
         // What is printed is another way through the support files.\n\
         #ifdef NATIVE\n#define PRINT(at, ...) (void)0\n#else\n\
         #define PRINT(at, ...) assert(printf(__VA_ARGS__) == expected[at].count)\n#endif\n\
         int main(void) {\n",
    );
    for at in 0..count {
        let Call { format, arguments } = call(random);
        let room = if random.below(3) == 0 { random.below(12) } else { 64 };
        let _ = writeln!(text, "  PRINT({at}, \"{format}\"{arguments});");
        let _ = writeln!(text, "  clear();");
        let _ = writeln!(text, "  look({at}, snprintf(buffer, {room}, \"{format}\"{arguments}));");
    }
    text + "  return 0;\n}\n"
}

fn clang() -> String {
    std::env::var("HEDDLE_CLANG").unwrap_or_else(|_| "clang-22".to_owned())
}

fn write_expected(folder: &Path) {
    let executable = folder.join("native");
    let mut compile = Command::new(clang());
    compile.args(["-w", "-O0", "-DNATIVE", "-o"]).arg(&executable).arg(folder.join("formats.c"));
    let compiled = run(&mut compile, Duration::from_secs(60)).expect("ends");
    assert_eq!(compiled.code, Some(0), "{}", compiled.stderr);
    let printed = Command::new(&executable).output().expect("runs");
    assert!(printed.status.success());
    std::fs::write(folder.join("expected.h"), printed.stdout).expect("can be written");
}

fn compare(count: usize, seed: u64, engine: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let text = program(&mut Random(seed), count);
    let path = folder.path().join("formats.c");
    std::fs::write(&path, &text).expect("can be written");
    write_expected(folder.path());
    let name = path.to_str().expect("UTF-8");
    let args = [&["check", "--timeout", "120"], engine, &[name, "--", "-w"]].concat();
    let checked = heddle(&args, Duration::from_secs(180)).expect("ends");
    assert_eq!(checked.code, Some(0), "{}\n{text}", checked.stdout);
    assert!(checked.stdout.contains("verdict: safe"), "{}\n{text}", checked.stdout);
}

#[test]
fn formats_give_what_the_system_gives() {
    compare(400, 0x9e37_79b9_7f4a_7c15, &[]);
}

#[test]
fn formats_give_the_same_in_formulas() {
    compare(40, 0xd1b5_4a32_d192_ed03, &["--engine", "lazy"]);
}

/// As many as `HEDDLE_FORMATS` says, else ten thousand, in programs of 500.
#[test]
#[ignore = "takes minutes"]
fn many_formats_give_what_the_system_gives() {
    let wanted = std::env::var("HEDDLE_FORMATS").ok().and_then(|count| count.parse().ok());
    for part in 0..wanted.unwrap_or(10_000u64).div_ceil(500) {
        compare(500, 0xa076_1d64_78bd_642f ^ part << 20, &[]);
    }
}
