//! A formula as a file for any SAT solver: is there a violation within the bounds?

use std::io::{self, Write};

use heddle_ir::{FuncId, Program};
use heddle_memory::{Model, ModelVisitor};
use heddle_sat::Term;
use heddle_semantics::MemoryModel;

use crate::encodings::{Formula, Key, Run};
use crate::solve::method::Method;
use crate::solve::session::Pass;
use crate::unfold::{Limits, UnfoldError, Unfolder};
use crate::watch::Watch;

/// Which formula.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub method: Method,
    pub bound: u32,
    pub unwind: u32,
    pub model: Model,
}

#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    #[error("{0}")]
    Unfold(#[from] UnfoldError),
    #[error("{0}")]
    Write(#[from] io::Error),
}

/// Writes the formula in DIMACS format. Comments in front say which variables tell when a
/// point is passed, and when a store that waits reaches memory.
pub fn dimacs(
    program: &Program,
    entry: FuncId,
    wanted: Wanted,
    out: &mut dyn Write,
) -> Result<(), DumpError> {
    wanted.model.with(Dimacs { program, entry, wanted, out })
}

struct Dimacs<'a> {
    program: &'a Program,
    entry: FuncId,
    wanted: Wanted,
    out: &'a mut dyn Write,
}

impl ModelVisitor for Dimacs<'_> {
    type Output = Result<(), DumpError>;

    fn visit<M: MemoryModel>(self, model: M) -> Self::Output {
        let Dimacs { program, entry, wanted, mut out } = self;
        let Wanted { method, bound, unwind, .. } = wanted;
        let limits = Limits {
            unwind,
            weak: model.buffers(),
            everything: model.reorders_publication(),
            bits: None,
            overflow: false,
        };
        let watch = Watch::default();
        let unfolder = Unfolder::new(program, entry, limits, watch.clone());
        let (bounded, symbolic, objects) = unfolder.unfold()?;
        let name = model.name();
        let stopped = UnfoldError::Stopped;
        let counts = |_| true;
        let mut pass = Formula::new(&bounded, &objects, symbolic, model, &watch)
            .and_then(|formula| Pass::new((program, entry), formula, method, &counts))
            .map_err(stopped)?;
        let (run, question) = pass.extend(bound).map_err(stopped)?;
        let mut assumptions = run.within.clone();
        assumptions.push(question.violation);
        writeln!(
            out,
            "c {} under {name}: unwind {unwind}, {} {bound}",
            method.name(),
            method.unit()
        )?;
        writeln!(out, "c satisfiable if a property is violated within these bounds")?;
        writeln!(
            out,
            "c time T.P: when thread T passes its point P, as a sum of these, each times"
        )?;
        writeln!(out, "c its weight; passed T.P: whether it does; arrival T.S: when a store does")?;
        let terms = &pass.formula.symbolic.terms;
        pass.session.dump(terms, &assumptions, &names(&run), &mut out)?;
        Ok(())
    }
}

fn names(run: &Run) -> Vec<(String, Term)> {
    let mut names = Vec::new();
    let mut times = |what: &str, keys: &[Vec<Key>]| {
        for (thread, keys) in keys.iter().enumerate() {
            for (at, key) in keys.iter().enumerate() {
                for &(term, weight) in &key.parts {
                    names.push((format!("{what} {thread}.{at} weight {weight}"), term));
                }
            }
        }
    };
    times("time", &run.timeline.points);
    times("arrival", &run.timeline.arrivals);
    for (thread, points) in run.passed.iter().enumerate() {
        let named = points.iter().enumerate();
        names.extend(named.map(|(at, &term)| (format!("passed {thread}.{at}"), term)));
    }
    names
}
