//! Reports other than text and JSON, one a file.

pub mod args;
mod junit;
pub mod page;
pub mod svcomp;

use heddle_ir::Program;
use heddle_witness::sarif;

use crate::effort::Effort;
use crate::error::CliError;
use crate::hint;
use crate::known::Who;
use crate::settings::Check;
use crate::trace_path::TracePath;
use crate::verdict::Outcome;

/// All that is to be told of a check.
pub struct Told<'a> {
    pub settings: &'a Check,
    pub who: Who,
    pub program: &'a Program,
    pub outcome: &'a Outcome,
    pub effort: &'a Effort,
}

impl Told<'_> {
    /// The command that shows a violation again.
    pub fn replay(&self) -> String {
        match &self.settings.trace {
            Some(path) => hint::replay(path, &self.settings.program),
            None => hint::record(self.settings),
        }
    }
}

/// Files to write, which could be written when they were tried.
pub struct Files {
    html: Option<TracePath>,
    sarif: Option<TracePath>,
    junit: Option<TracePath>,
    witness: Option<TracePath>,
}

impl Files {
    pub fn reserve(args: &args::FileArgs) -> Result<Files, CliError> {
        let reserve = |path: &Option<std::path::PathBuf>, what| {
            path.as_deref().map(|path| TracePath::reserve(path, what)).transpose()
        };
        Ok(Files {
            html: reserve(&args.html, "report")?,
            sarif: reserve(&args.sarif, "report")?,
            junit: reserve(&args.junit, "report")?,
            witness: reserve(&args.witness, "witness")?,
        })
    }

    pub fn write(&self, told: &Told<'_>) -> Result<(), CliError> {
        let trace = told.outcome.evidence.as_ref().map(|(_, trace)| trace);
        if let Some(path) = &self.html {
            path.write(&page::of_check(told))?;
        }
        if let Some(path) = &self.sarif {
            let version = env!("CARGO_PKG_VERSION");
            let word = told.outcome.verdict.word();
            path.write(&sarif::log(told.program, trace, word, version))?;
        }
        if let Some(path) = &self.junit {
            path.write(&junit::suite(told))?;
        }
        if let Some(path) = &self.witness
            && let Some(text) = svcomp::witness(told, path.path())
        {
            path.write(&text)?;
        }
        Ok(())
    }
}
