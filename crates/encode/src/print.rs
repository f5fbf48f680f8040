//! A bounded program for people: each thread's points, with the accesses to shared
//! memory that happen there.

use std::fmt::Write;

use heddle_ir::{FuncId, Program};
use heddle_sat::Term;

use crate::bounded::{Action, Bounded, Event, Goal, Site, Targets, ThreadCode};
use crate::symbolic::Symbolic;

/// Values of a term that are worth listing.
const SHORT: usize = 6;

struct Printer<'a> {
    program: &'a Program,
    bounded: &'a Bounded,
    symbolic: &'a Symbolic,
    out: String,
}

pub fn print(program: &Program, bounded: &Bounded, symbolic: &Symbolic) -> String {
    let mut printer = Printer { program, bounded, symbolic, out: String::new() };
    printer.cells();
    for (at, thread) in bounded.threads.iter().enumerate() {
        printer.thread(at, thread);
    }
    printer.out
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}", text.trim_end());
    }

    /// A constant, the few values it can have, or a name.
    fn term(&self, term: Term) -> String {
        let terms = &self.symbolic.terms;
        if let Some(bits) = terms.as_constant(term) {
            return signed(bits, terms.width(term)).to_string();
        }
        let name = format!("v{}", term.number());
        match terms.values(term) {
            Some(values) if values.len() <= SHORT => {
                let width = terms.width(term);
                let all: Vec<String> =
                    values.iter().map(|&bits| signed(bits, width).to_string()).collect();
                format!("{name} in {{{}}}", all.join(", "))
            }
            _ => name,
        }
    }

    fn condition(&self, term: Term) -> String {
        match self.symbolic.terms.as_constant(term) {
            Some(1) => String::new(),
            _ => format!(" if v{}", term.number()),
        }
    }

    fn position(&self, site: Site) -> String {
        let function = self.program.function(FuncId(site.function));
        let Some(block) = function.blocks.get(site.block as usize) else { return String::new() };
        let span = block.insts.get(site.pc as usize).map_or(block.term_span, |inst| inst.span);
        self.program.position(span).unwrap_or_default()
    }

    fn cells(&mut self) {
        let bounded = self.bounded;
        let mut cells: Vec<(&String, Term)> =
            bounded.names.iter().map(|(cell, name)| (name, bounded.initial[cell])).collect();
        cells.sort();
        self.line(&format!("unwound {} times; shared cells at the start:", bounded.unwind));
        for (name, value) in cells {
            self.line(&format!("  {name} = {}", self.term(value)));
        }
    }

    fn thread(&mut self, at: usize, thread: &ThreadCode) {
        let name = self.program.function(thread.entry).display_name();
        let created = match at {
            0 => String::new(),
            _ => format!(", created by T{}", thread.parent),
        };
        self.line(&format!("\nT{at} {name}{created}: {} points", thread.points));
        let mut last = None;
        for event in &thread.events {
            self.event(event, last != Some(event.point));
            last = Some(event.point);
        }
        for check in &thread.checks {
            let what = match &check.goal {
                Goal::Violation(kind) => kind.to_string(),
                Goal::Unwind(turns) => format!("cut here, after {turns} turns"),
                Goal::Unsupported(what) => format!("unsupported: {what}"),
            };
            let point = check.point.map_or("start".to_string(), |point| format!("point {point}"));
            let place = self.program.position(check.span).unwrap_or_default();
            let when = self.condition(check.condition);
            self.line(&format!("  after {point}: {what}{when}  {place}"));
        }
    }

    fn targets(&self, targets: &Targets) -> String {
        let name = |cell| self.bounded.names.get(cell).cloned().unwrap_or_default();
        let all: Vec<String> = targets
            .iter()
            .map(|(cell, when)| format!("{}{}", name(cell), self.condition(*when)))
            .collect();
        all.join(" or ")
    }

    fn event(&mut self, event: &Event, first: bool) {
        let what = match &event.action {
            Action::Drain | Action::Read { .. } | Action::Look { .. } | Action::Write { .. }
                if event.targets.is_empty() && !first =>
            {
                return;
            }
            Action::Drain => "wait for own stores".to_string(),
            Action::Clear => {
                format!("wait for own stores to parts of {}", self.targets(&event.targets))
            }
            Action::Read { value } => {
                format!("read {} = {}", self.targets(&event.targets), self.term(*value))
            }
            Action::Look { value } => {
                format!("look at {} = {}", self.targets(&event.targets), self.term(*value))
            }
            Action::Write { value, .. } => {
                format!("write {} = {}", self.targets(&event.targets), self.term(*value))
            }
            Action::Fence { order } => format!("fence {order:?}"),
        };
        let point = if first { format!("{:>5}", event.point) } else { "     ".to_string() };
        let (when, place) = (self.condition(event.guard), self.position(event.site));
        self.line(&format!("{point}  {what}{when}  {place}"));
    }
}

fn signed(bits: u64, width: u32) -> i64 {
    heddle_semantics::sign_extend(bits, width)
}
