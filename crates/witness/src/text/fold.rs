//! Long runs without what tells least: what a library does to its own things in one call is one
//! line, and so is what happens before another thread could see it; reads of what nobody writes
//! are left out. Locks, threads and whatever else others wait for is shown in any case.

use std::collections::{HashMap, HashSet};

use heddle_ir::{Program, Span, Whose};
use heddle_semantics::ThreadId;

use crate::trace::Step;

/// How much of a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// A short run is shown whole.
    Folded,
    Full,
}

/// Runs of no more steps are shown whole.
const SHORT: usize = 40;
/// Fewer steps of a kind in a row are shown.
const FEW: usize = 3;
/// Steps of a turn of a loop.
const LONGEST_TURN: usize = 12;
/// So many of the last steps are shown: they are near the failure.
const LAST: usize = 4;

#[derive(Clone)]
pub(super) enum Item<'t> {
    Step(&'t Step),
    /// A step and those behind it that are one line with it.
    Fold(&'t Step, String),
}

impl<'t> Item<'t> {
    fn step(&self) -> &'t Step {
        match self {
            Item::Step(step) | Item::Fold(step, _) => step,
        }
    }
}

/// They look the same.
impl PartialEq for Item<'_> {
    fn eq(&self, other: &Self) -> bool {
        let at = |step: &Step| (step.thread, step.span);
        match (self, other) {
            (Item::Step(a), Item::Step(b)) => at(a) == at(b) && a.operation == b.operation,
            (Item::Fold(a, text), Item::Fold(b, other)) => at(a) == at(b) && text == other,
            _ => false,
        }
    }
}

/// What is shown of the steps, and how many are not.
pub(super) fn fold<'t>(
    program: &Program,
    steps: Vec<&'t Step>,
    detail: Detail,
) -> (Vec<Item<'t>>, usize) {
    if detail == Detail::Full || steps.len() <= SHORT {
        return (steps.into_iter().map(Item::Step).collect(), 0);
    }
    let touched = Touched::by(&steps);
    let end = steps.len() - LAST;
    let mut left_out = 0;
    let mut kept: Vec<(&Step, Option<Kind>)> = Vec::new();
    let mut alone = true;
    for (at, &step) in steps.iter().enumerate() {
        alone &= step.operation.verb != "create";
        if at >= end || !is_access(step) {
            kept.push((step, None));
        } else if touched.never_changes(step) {
            left_out += 1;
        } else if let Some((name, span)) = library_call(program, step) {
            kept.push((step, Some(Kind::Call(step.thread, name, span))));
        } else if alone && touched.by_one_thread(step) {
            kept.push((step, Some(Kind::Before)));
        } else {
            kept.push((step, None));
        }
    }
    let mut items = Vec::new();
    for group in kept.chunk_by(|a, b| a.1.is_some() && a.1 == b.1) {
        match &group[0] {
            (first, Some(kind)) if group.len() >= FEW => {
                left_out += group.len();
                items.push(Item::Fold(first, kind.text(group.len())));
            }
            _ => items.extend(group.iter().map(|(step, _)| Item::Step(step))),
        }
    }
    let before = items.len();
    let items = without_repetition(items);
    left_out += before - items.len();
    (items, left_out)
}

/// Turns of a loop in which the same happens are shown once.
fn without_repetition(items: Vec<Item<'_>>) -> Vec<Item<'_>> {
    let mut shown = Vec::new();
    let mut rest = &items[..];
    while let [first, tail @ ..] = rest {
        let turns = |period: usize| {
            let turn = &rest[..period];
            rest[period..].chunks_exact(period).take_while(|next| *next == turn).count()
        };
        let longest = LONGEST_TURN.min(rest.len() / 2);
        let found = (1..=longest).map(|period| (period, turns(period)));
        match found.filter(|&(_, more)| more >= FEW).max_by_key(|(period, more)| period * more) {
            Some((period, more)) => {
                shown.extend_from_slice(&rest[..period]);
                let times = format!("and so {more} more times");
                shown.push(Item::Fold(first.step(), times));
                rest = &rest[period * (more + 1)..];
            }
            None => {
                shown.push(first.clone());
                rest = tail;
            }
        }
    }
    shown
}

/// What steps that are one line have in common.
#[derive(PartialEq, Eq)]
enum Kind {
    /// A call of a library, made there.
    Call(ThreadId, String, Span),
    /// There are no other threads yet, and none touches these things later.
    Before,
}

impl Kind {
    fn text(&self, steps: usize) -> String {
        match self {
            Kind::Call(_, name, _) => format!("{name}: {steps} steps"),
            Kind::Before => format!("{steps} steps that no other thread sees"),
        }
    }
}

/// Nobody waits for it.
fn is_access(step: &Step) -> bool {
    matches!(
        step.operation.verb,
        "read"
            | "write"
            | "buffered"
            | "reaches memory"
            | "update"
            | "free"
            | "freed"
            | "out of scope"
    )
}

/// The function of a library that the user's code called there, and where.
fn library_call(program: &Program, step: &Step) -> Option<(String, Span)> {
    let stack = &step.context.stack;
    let users = stack.iter().position(|entry| program.whose(entry.span) == Whose::User)?;
    let callee = stack[..users].last()?;
    let name = program.function(callee.function).display_name();
    Some((short_name(name), stack[users].span))
}

/// `std::vector::push_back` of `std::vector<int, std::allocator<int> >::push_back(int&&)`.
fn short_name(name: &str) -> String {
    let mut depth = 0_u32;
    let mut short = String::new();
    // What stands for an operator is no bracket.
    let (head, tail) = name.split_once("operator").unwrap_or((name, ""));
    for c in head.chars() {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => short.push(c),
            _ => {}
        }
    }
    // The type of what a template gives stands before its name.
    let short = short.trim().rsplit(' ').next().unwrap_or_default().to_string();
    match tail {
        "" => short,
        tail => format!("{short}operator{}", tail.split('(').next().unwrap_or_default()),
    }
}

/// Which things are touched by whom, and which are written.
struct Touched {
    written: HashSet<usize>,
    first: HashMap<usize, ThreadId>,
    several: HashSet<usize>,
}

impl Touched {
    fn by(steps: &[&Step]) -> Touched {
        let mut touched =
            Touched { written: HashSet::new(), first: HashMap::new(), several: HashSet::new() };
        for step in steps {
            let Some(location) = step.context.location else { continue };
            if step.operation.verb != "read" {
                touched.written.insert(location);
            }
            if *touched.first.entry(location).or_insert(step.thread) != step.thread {
                touched.several.insert(location);
            }
        }
        touched
    }

    fn never_changes(&self, step: &Step) -> bool {
        step.operation.verb == "read"
            && step.context.location.is_some_and(|location| !self.written.contains(&location))
    }

    fn by_one_thread(&self, step: &Step) -> bool {
        step.context.location.is_some_and(|location| !self.several.contains(&location))
    }
}

#[cfg(test)]
mod tests {
    use super::short_name;

    #[test]
    fn names_of_calls_are_short() {
        let long = "std::vector<int, std::allocator<int> >::push_back(int&&)";
        assert_eq!(short_name(long), "std::vector::push_back");
        assert_eq!(short_name("memcpy"), "memcpy");
        let operator =
            "std::basic_ostream<char>& std::operator<< <char>(std::basic_ostream<char>&)";
        assert_eq!(short_name(operator), "std::operator<< <char>");
        let template = "void std::lock<std::mutex, std::mutex>(std::mutex&, std::mutex&)";
        assert_eq!(short_name(template), "std::lock");
    }
}
