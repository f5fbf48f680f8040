//! Says again what a certificate says, if it does: the program is unfolded and encoded as for a
//! check, but the answers to its questions come from the certificate, and are believed only
//! where they follow.
//!
//! So what is trusted is the front end, the unfolding and the encoding, and neither the solver
//! nor its theory of orders.

use std::io::BufRead;

use heddle_ir::{FuncId, Program};
use heddle_memory::{Model, ModelVisitor};
use heddle_sat::proof::{Check, Counts};
use heddle_semantics::{MemoryModel, Verdict, ViolationKind};

use crate::encodings::{Formula, Stores};
use crate::solve::engine::{Engine, Next, Options};
use crate::solve::method::{Keeping, Method};
use crate::solve::session::{Outcome, Pass};
use crate::watch::Stop;

/// What a certificate shows.
#[derive(Debug)]
pub struct Certified {
    pub verdict: Verdict,
    pub counts: Counts,
    pub unwind: u32,
}

#[derive(Debug, thiserror::Error)]
pub enum CertifyError {
    /// It does not show what it says.
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Stopped(Stop),
    #[error("{0}")]
    Program(String),
}

/// Reads the lines of a certificate, of which some were read before. `options` are those of the
/// check, with its turns of loops.
pub fn certify(
    program: &Program,
    entry: FuncId,
    model: Model,
    options: &Options,
    lines: (Box<dyn BufRead>, u64),
) -> Result<Certified, CertifyError> {
    model.with(Certify { program, entry, options, lines })
}

struct Certify<'p, 'o> {
    program: &'p Program,
    entry: FuncId,
    options: &'o Options,
    lines: (Box<dyn BufRead>, u64),
}

impl ModelVisitor for Certify<'_, '_> {
    type Output = Result<Certified, CertifyError>;

    fn visit<M: MemoryModel>(self, model: M) -> Self::Output {
        let Certify { program, entry, options, lines } = self;
        let method = Method::Order(Keeping::Theory);
        let unwind = options.unwind.unwrap_or(1);
        let mut engine = Engine::new((program, entry), model.clone(), options);
        let unfolded = engine.unfold(unwind);
        let (bounded, symbolic, objects) =
            unfolded.map_err(|error| CertifyError::Program(error.to_string()))?;
        let counts = |kind: ViolationKind| !options.ignored.contains(&kind);
        let watch = engine.watch.clone();
        let formula = Formula::new(&bounded, &objects, symbolic, model, &watch);
        let solver = Check::new(lines.0, lines.1);
        let mut pass = formula
            .and_then(|formula| Pass::by(solver, (program, entry), formula, method, &counts))
            .map_err(CertifyError::Stopped)?;
        let bound = method.first_bound();
        let outcome = pass.ask(bound, &mut engine.stats);
        let checked = pass.session.solver_mut().finish();
        let counts = match (&outcome, checked) {
            (Outcome::Stopped(stop), Ok(_)) => return Err(CertifyError::Stopped(*stop)),
            (_, Err(why)) => return Err(CertifyError::Refused(why)),
            (_, Ok(counts)) => counts,
        };
        let Outcome::Clear(clear) = outcome else {
            return Err(CertifyError::Refused("it shows a violation".to_string()));
        };
        let mixed = pass.formula.stores.iter().any(Stores::are_mixed);
        match engine.after(&bounded, (unwind, bound), clear, mixed) {
            Next::Verdict(verdict) => Ok(Certified { verdict, counts, unwind }),
            Next::Bound(_) | Next::Unwind => {
                Err(CertifyError::Refused("it leaves something open".to_string()))
            }
        }
    }
}
