//! Random C programs that jump, whose checksum native code has said before: asserting it is
//! safe, asserting another one is not.

mod common;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{heddle, run};

/// What each program begins with. A buffer is live as long as the function is that filled it;
/// `depth` counts the functions under way.
const BEGIN: &str = "\
#include <assert.h>
#include <setjmp.h>
#include <stdio.h>
static jmp_buf buffers[2];
static int live[2], depth, fuel = 8;
static unsigned sum = 1;
static void mix(unsigned x) { sum = sum * 31 + x; }
static void back(int d) {
  depth = d;
  for (int i = 0; i < 2; i++) if (live[i] > d) live[i] = 0;
}
static int f0(int), f1(int), f2(int);
static int (*table[])(int) = {f0, f1, f2};
";

const END: &str = "\
int main(void) {
  for (int i = 0; i < 2; i++) { mix(f0(i)); back(0); }
#ifdef SUM
  assert(sum == SUM);
#else
  printf(\"%u\", sum);
#endif
}
";

/// What is done where a jump leads to. Fuel ends what would go on for ever.
const LAND: &str = "back(d); if (fuel-- < -20) { back(d - 1); return sum & 7; }";

struct Random(u64);

impl Random {
    /// Below `most` (Marsaglia's xorshift).
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % most
    }

    fn statements(&mut self, most: u64, level: u32) -> String {
        let count = 1 + self.below(most);
        (0..count).map(|_| self.statement(level)).collect::<Vec<_>>().join(" ")
    }

    fn statement(&mut self, level: u32) -> String {
        let (n, buffer) = (self.below(5), self.below(2));
        match self.below(9) {
            0 => format!("mix({n} + v);"),
            1 => format!("v += {n};"),
            2 => format!("if (fuel-- > 0) mix(f{}(a + {n}));", self.below(3)),
            3 => format!("if (fuel-- > 0) mix(table[(a + {n}) % 3](v & 7));"),
            4 | 5 => {
                let one_in = 1 + self.below(3);
                format!(
                    "if (live[{buffer}] && (a + v + fuel) % {one_in} == 0) \
                     longjmp(buffers[{buffer}], {n});"
                )
            }
            6 | 7 if level < 2 => self.landing(buffer, level),
            8 if level < 2 => {
                let inner = self.statements(2, level + 1);
                format!("for (volatile int i = 0; i <= {}; i++) {{ {inner} }}", n % 3)
            }
            _ => format!("if (v & {}) mix(a); else v ^= {n};", 1 + n % 2),
        }
    }

    fn landing(&mut self, buffer: u64, level: u32) -> String {
        let (call, land) = (format!("setjmp(buffers[{buffer}])"), LAND);
        let (first, then) = (self.statements(3, level + 1), self.statements(2, level + 1));
        let code = match self.below(4) {
            0 => format!("if ({call} == 0) {{ {first} }} else {{ {land} mix(77); {then} }}"),
            1 => format!(
                "switch ({call}) {{ case 0: {first} break; case 1: {land} mix(5); break; \
                 default: {land} mix(6); {then} }}"
            ),
            2 => {
                format!("if (!{call}) {{ {first} }} else {{ {land} live[{buffer}] = 0; mix(8); }}")
            }
            _ => format!(
                "volatile int r = 0; r = {call}; if (r) {{ {land} }} mix(r); \
                 if (r < 2) {{ {first} }}"
            ),
        };
        format!("{{ live[{buffer}] = d; {code} }}")
    }

    fn program(&mut self) -> String {
        let mut text = BEGIN.to_owned();
        for number in 0..3 {
            let body = self.statements(5, 0);
            let _ = writeln!(
                text,
                "static int f{number}(int a) {{ volatile int v = a, d = ++depth; {body} \
                 back(d - 1); return v & 15; }}"
            );
        }
        text + END
    }
}

fn checksum(folder: &Path, source: &Path) -> String {
    let clang = std::env::var("HEDDLE_CLANG").unwrap_or_else(|_| "clang-22".to_owned());
    let executable = folder.join("native");
    let mut compile = Command::new(clang);
    compile.args(["-w", "-O0", "-o"]).arg(&executable).arg(source);
    let compiled = run(&mut compile, Duration::from_secs(60)).expect("ends");
    assert_eq!(compiled.code, Some(0), "{}", compiled.stderr);
    run(&mut Command::new(&executable), Duration::from_secs(10)).expect("ends").stdout
}

fn check(seed: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("random.c");
    let text = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1).program();
    std::fs::write(&source, &text).expect("can be written");
    let sum = checksum(folder.path(), &source);
    let other = sum.parse::<u32>().expect("a number").wrapping_add(1).to_string();
    let name = source.to_str().expect("UTF-8");
    for (sum, expected) in [(sum, "verdict: safe"), (other, "verdict: unsafe (assertion")] {
        let given = format!("-DSUM={sum}u");
        let args = ["check", "--timeout", "60", name, "--", "-w", &given];
        let checked = heddle(&args, Duration::from_secs(90)).expect("ends");
        let verdict = checked.stdout.lines().last().unwrap_or_default();
        assert!(verdict.starts_with(expected), "seed {seed}: {verdict}\n{text}");
    }
}

#[test]
fn random_jumps_lead_where_native_code_goes() {
    (1..=25).for_each(check);
}

/// As many as `HEDDLE_JUMPS` says, else a thousand.
#[test]
#[ignore = "takes many minutes"]
fn many_random_jumps_lead_where_native_code_goes() {
    let wanted = std::env::var("HEDDLE_JUMPS").ok().and_then(|count| count.parse().ok());
    (1..=wanted.unwrap_or(1000)).for_each(check);
}
