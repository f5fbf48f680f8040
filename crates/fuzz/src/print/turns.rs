//! Loops whose turns leave nothing behind, or nearly.

use super::{Printer, Waits};
use crate::ast::{Turn, Turns};

pub const CAS: &str = "static _Bool @cas(int *p, int old, int new) { \
    return __sync_bool_compare_and_swap(p, old, new); }";
pub const EXCHANGE: &str = "static _Bool @cex(int *p, int *e, int new) { \
    return __atomic_compare_exchange_n(p, e, new, 0, 5, 5); }";
pub const SWAP: &str =
    "static int @swap(int *p, int new) { return __atomic_exchange_n(p, new, 5); }";
pub const LOOK: &str = "static int @look(int *p) { return __atomic_load_n(p, 5); }";

impl Printer<'_> {
    pub(super) fn turns(&self, turns: Turns) -> String {
        let p = self.prefix;
        let Turns { way, scalar, expected: e, new: n } = turns;
        let x = format!("&{p}x{scalar}");
        let plain = "l1 = 0;";
        let (before, condition, body, after) = match way {
            Turn::Cas => ("", format!("!{p}cas({x}, {e}, {n})"), "", plain),
            Turn::Reset => ("int e = E;", format!("!{p}cex({x}, &e, {n})"), "e = E;", "l1 = e;"),
            Turn::ResetFirst => ("int e;", format!("(e = {e}, !{p}cex({x}, &e, {n}))"), "", plain),
            Turn::Rotated => ("int e = LOOK;", format!("!{p}cex({x}, &e, e + {n})"), "", "l1 = e;"),
            Turn::RotatedHere => (
                "int e = __atomic_load_n(X, 5);",
                format!("!__atomic_compare_exchange_n({x}, &e, e + {n}, 0, 5, 5)"),
                "",
                "l1 = e;",
            ),
            Turn::Exchange => ("", format!("{p}swap({x}, {n}) != {e}"), "", plain),
            Turn::FetchOr => {
                ("", format!("(__atomic_fetch_or({x}, 1, 5) & 1) != {}", e & 1), "", plain)
            }
            Turn::First => (
                "int e = E, again = 0; int *look = &again;",
                format!("!{p}cex({x}, &e, {n})"),
                "e = E; again = 1;",
                "l1 = *look;",
            ),
            Turn::Odd => (
                "int e = E, odd = 0; int *look = &odd;",
                format!("!{p}cex({x}, &e, {n})"),
                "e = E; *look = !*look;",
                "l1 = odd;",
            ),
            Turn::Scratch => (
                "int kept[2] = {0, 0};",
                format!("{p}look({x}) != {e}"),
                "kept[0] = 1; kept[kept[0]] = 0; kept[0] = 0;",
                "l1 = kept[1];",
            ),
            Turn::Block => (
                "int *seen = malloc(sizeof(int)); *seen = 3;",
                format!("(*seen = {p}look({x})) != {e}"),
                "",
                "l1 = *seen; free(seen);",
            ),
        };
        let look = format!("{p}look({x})");
        let fill =
            |text: &str| text.replace("LOOK", &look).replace('E', &e.to_string()).replace('X', &x);
        let (before, body) = (fill(before), fill(body));
        match self.waits {
            Waits::Plain => format!("{{ {before} while ({condition}) {{ {body} }} {after} }}"),
            Waits::Counted(most) => format!(
                "{{ {before} for (int w = 0; {condition}; w++) {{ __VERIFIER_assume(w < {most}); \
                 {body} }} {after} }}"
            ),
        }
    }
}
