//! Proofs by invariants: as an engine of `heddle check`, and in the margin of the source.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use heddle_analysis::invariants::{Check, Claim, Invariants, Options, Term, invariants, range};
use heddle_analysis::numeric::Word;
use heddle_ir::{FuncId, Program, Span, Whose};
use heddle_memory::Model;
use heddle_semantics::{Verdict, ViolationKind};

use crate::args::Engine;
use crate::effort::{Effort, InvariantsEffort};
use crate::engines::{Found, Search, panicked};
use crate::error::CliError;

impl Search {
    pub fn invariants(&self, interrupt: Arc<AtomicBool>) -> Found {
        let began = Instant::now();
        let options = Options { interrupt, ..Options::default() };
        let found = catch_unwind(AssertUnwindSafe(|| self.prove(&options)));
        let (verdict, mut effort) = found.unwrap_or_else(|panic| {
            (Verdict::Unknown(panicked(panic.as_ref())), InvariantsEffort::default())
        });
        effort.seconds = began.elapsed().as_secs_f64();
        Found {
            who: (Engine::Invariants, None),
            verdict,
            effort: Effort::Invariants(effort),
            covered: None,
            stopped: None,
            because: None,
        }
    }

    /// Why invariants have nothing to say of what is asked for, if so.
    pub fn provable(&self) -> Result<(), &'static str> {
        let others = [ViolationKind::Leak, ViolationKind::Uninitialised];
        if self.settings.model != Model::Sc {
            return Err("invariants are for --mm sc");
        }
        if others.into_iter().any(|kind| self.settings.checks(kind)) {
            return Err("invariants do not tell of leaks and undefined values");
        }
        match self.program.signals_only {
            true => Err("waits end by signals only"),
            false => Ok(()),
        }
    }

    /// Does the program assume anything? Invariants do not tell whether an execution is left
    /// then.
    pub fn assumes(&self) -> bool {
        let functions = &self.program.functions;
        functions.iter().any(|function| function.name == "__VERIFIER_assume")
    }

    fn prove(&self, options: &Options) -> (Verdict, InvariantsEffort) {
        let unknown = |why: String| (Verdict::Unknown(why), InvariantsEffort::default());
        let checks = |kind| self.settings.checks(kind);
        if let Err(why) = self.provable() {
            return unknown(why.to_string());
        }
        let found = match invariants(&self.program, self.entry, options) {
            Ok(found) => found,
            Err(why) => return unknown(at(&self.program, &why.why, why.span)),
        };
        let wanted = |check: Check| match check {
            // The program ends there, asked for or not.
            Check::Assertion => checks(ViolationKind::Assertion),
            Check::Abort => checks(ViolationKind::Abort),
            // Nothing is as it would be after one of these.
            Check::Memory => true,
            Check::Deadlock => checks(ViolationKind::Deadlock),
            Check::Overflow => checks(ViolationKind::SignedOverflow),
            Check::Race => checks(ViolationKind::DataRace),
        };
        let effort = effort(&self.program, &found, wanted);
        let asked = found.obligations.iter().filter(|one| wanted(one.check));
        let verdict = match asked.into_iter().find(|one| !one.holds) {
            None => Verdict::Safe,
            Some(open) => {
                let why = format!("invariants do not show it: {}", open.what);
                Verdict::Unknown(at(&self.program, &why, open.span))
            }
        };
        (verdict, effort)
    }
}

fn effort(
    program: &Program,
    found: &Invariants,
    wanted: impl Fn(Check) -> bool,
) -> InvariantsEffort {
    let mut proof: Vec<String> = Vec::new();
    let mut checks = 0;
    for one in found.obligations.iter().filter(|one| wanted(one.check)) {
        checks += 1;
        let line = match one.by.is_empty() {
            true => at(program, one.what, one.span),
            false => format!("{}: {}", at(program, one.what, one.span), one.by),
        };
        if one.holds && proof.last() != Some(&line) {
            proof.push(line);
        }
    }
    InvariantsEffort {
        checks,
        rounds: found.rounds,
        classes: found.classes as u64,
        cells: found.cells as u64,
        instructions: found.instructions,
        seconds: 0.0,
        proof,
    }
}

pub fn at(program: &Program, what: &str, span: Span) -> String {
    match program.position(span) {
        Some(position) => format!("{what} at {position}"),
        None => what.to_string(),
    }
}

/// The source of a program with what is known before each line that has code.
pub fn page(program: &Program, entry: FuncId) -> Result<String, CliError> {
    let options = Options { claims: true, ..Options::default() };
    let found = invariants(program, entry, &options).map_err(|why| {
        CliError::new(format!("no invariants: {}", at(program, &why.why, why.span)))
    })?;
    let mut lines: BTreeMap<(u32, u32), String> = BTreeMap::new();
    for (site, claim) in &found.claims {
        let span = site.span(program);
        if span.is_known() && program.whose(span) == Whose::User {
            let text = describe(claim);
            // The last instruction of a line knows what it has read.
            let longer = |old: &String| old.len() < text.len();
            if lines.get(&(span.file, span.line)).is_none_or(longer) {
                lines.insert((span.file, span.line), text);
            }
        }
    }
    let mut out = String::new();
    for (number, file) in program.files.iter().enumerate() {
        if !lines.keys().any(|(of, _)| *of == number as u32) {
            continue;
        }
        let path = std::path::Path::new(&file.directory).join(&file.path);
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let _ = writeln!(out, "{}", file.path);
        for (at, line) in text.lines().enumerate() {
            let known = lines.get(&(number as u32, at as u32 + 1));
            match known.filter(|known| !known.is_empty()) {
                Some(known) => {
                    let _ = writeln!(out, "{:>5} | {line:<60} // {known}", at + 1);
                }
                None => {
                    let _ = writeln!(out, "{:>5} | {line}", at + 1);
                }
            }
        }
    }
    Ok(out)
}

fn describe(claim: &Claim) -> String {
    let named = |term: &Term| claim.names.get(term);
    let mut parts = Vec::new();
    for (term, word) in &claim.values {
        if let Some(name) = named(term).filter(|_| !word.is_top()) {
            parts.push(bounds(name, word));
        }
    }
    for ((x, y), (difference, sum)) in &claim.relations {
        let (Some(a), Some(b)) = (named(x), named(y)) else { continue };
        let sharp = |word: &Word| word.signed().1.abs_diff(word.signed().0) < 1 << 16;
        match difference.only() {
            Some(0) => parts.push(format!("{a} == {b}")),
            _ if sharp(difference) => parts.push(bounds(&format!("{a} - {b}"), difference)),
            _ => {}
        }
        if sum.only().is_some() {
            parts.push(format!("{a} + {b} {}", range(sum)));
        }
    }
    parts.join(", ")
}

fn bounds(name: &str, word: &Word) -> String {
    let (low, high) = word.signed();
    let top = Word::top(word.width()).signed();
    match (word.only(), low > top.0, high < top.1) {
        (Some(_), ..) => format!("{name} == {low}"),
        (_, true, true) => format!("{low} <= {name} <= {high}"),
        (_, true, _) => format!("{name} >= {low}"),
        (_, _, true) => format!("{name} <= {high}"),
        _ => {
            let (modulus, residue) = word.congruence();
            format!("{name} % {modulus} == {residue}")
        }
    }
}
