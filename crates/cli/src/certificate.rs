//! `heddle check --proof`: a file that shows that a verdict is right; `heddle certify`: checks
//! it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use heddle_encode::{self as encode, Certified, CertifyError};
use heddle_ir::{FuncId, Program};
use heddle_memory::Model;
use heddle_semantics::{Verdict, ViolationKind};
use heddle_witness::file::{self, ProgramRef};
use serde::{Deserialize, Serialize};

use crate::args::CompilerArgs;
use crate::check::{find_entry, program_ref};
use crate::compile::recompile;
use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::output;
use crate::replay::options_of;
use crate::settings::{Check, program_of_trace};
use crate::trace_path::TracePath;
use crate::verdict::EXIT_UNKNOWN;
use crate::whole_file::{self, Draft};

/// Raised when the meaning of a line changes.
const SCHEMA: u32 = 1;

/// The first line of a certificate: what it is about.
#[derive(Clone, Serialize, Deserialize)]
struct Header {
    certificate: u32,
    tool: String,
    program: ProgramRef,
    model: String,
    entry: String,
    /// Turns of loops.
    unwind: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bits: Option<u32>,
    /// Kinds of violations that do not count.
    ignored: Vec<ViolationKind>,
    /// Waits end by signals only, which makes a difference.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    signals_only: bool,
}

impl Header {
    /// What the verdict speaks of, since whoever reads it did not choose that.
    fn about(&self) -> String {
        let Header { model, entry, ignored, .. } = self;
        let ignored: Vec<String> = ignored.iter().map(ToString::to_string).collect();
        let left_out = match ignored.is_empty() {
            true => String::new(),
            false => format!("; not looked for: {}", ignored.join(", ")),
        };
        format!("about: --mm {model}, from {entry}{left_out}")
    }
}

/// Where a certificate goes, if the verdict is one that it can show.
pub struct Certificate {
    path: PathBuf,
    draft: Mutex<Option<Draft>>,
    error: Mutex<Option<io::Error>>,
}

impl Certificate {
    pub fn reserve(path: &Path) -> Result<Certificate, CliError> {
        TracePath::reserve(path, "certificate")?;
        Ok(Certificate {
            path: path.to_path_buf(),
            draft: Mutex::default(),
            error: Mutex::default(),
        })
    }

    /// What the engine is to write, about this program.
    pub fn proof(
        self: &Arc<Certificate>,
        settings: &Check,
        program: &Program,
        entry: FuncId,
        ignored: Vec<ViolationKind>,
    ) -> encode::Proof {
        let certificate = Arc::clone(self);
        let header = Header {
            certificate: SCHEMA,
            tool: concat!("heddle ", env!("CARGO_PKG_VERSION")).to_string(),
            program: program_ref(settings, program),
            model: settings.model.to_string(),
            entry: program.function(entry).name.clone(),
            unwind: 0,
            bits: settings.bits,
            ignored,
            signals_only: program.signals_only,
        };
        Box::new(move |unwind| certificate.begin(&Header { unwind, ..header.clone() }))
    }

    fn begin(&self, header: &Header) -> io::Result<Box<dyn Write>> {
        let draft = whole_file::draft_of(&self.path)?;
        let mut out = BufWriter::new(draft.reopen()?);
        serde_json::to_writer(&mut out, header)?;
        out.write_all(b"\n")?;
        *self.draft.lock().unwrap_or_else(PoisonError::into_inner) = Some(draft);
        Ok(Box::new(out))
    }

    /// What the engine says of it.
    pub fn note(&self, written: Option<io::Result<()>>) {
        let error = match written {
            Some(Ok(())) => return,
            Some(Err(error)) => Some(error),
            None => None,
        };
        *self.draft.lock().unwrap_or_else(PoisonError::into_inner) = None;
        *self.error.lock().unwrap_or_else(PoisonError::into_inner) = error;
    }

    /// There is nothing to certify.
    pub fn discard(&self) {
        self.note(None);
    }

    /// Writes it, if there is one. Says whether there is.
    pub fn settle(&self) -> Result<bool, CliError> {
        let cannot = |error: io::Error| {
            CliError::new(format!(
                "cannot write the certificate to {}: {error}",
                self.path.display()
            ))
        };
        if let Some(error) = self.error.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(cannot(error));
        }
        match self.draft.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(draft) => draft.keep(&self.path).map(|()| true).map_err(cannot),
            None => Ok(false),
        }
    }
}

/// Check a certificate, which shows that a program is safe
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  heddle check --proof safe.proof prog.c
  heddle certify safe.proof prog.c

The program is compiled and encoded again; that no violation can happen is believed only as far
as each step of the certificate follows. Neither the solver nor its theory of orders is trusted.

Exit codes:
  0    the certificate shows what it says
  20   it is refused
  2    wrong usage, an unreadable file, another program")]
pub struct CertifyArgs {
    /// File written by `heddle check --proof`
    #[arg(value_name = "CERTIFICATE")]
    pub certificate: PathBuf,

    /// The program [default: the files and flags that the certificate names]
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub compiler: CompilerArgs,

    /// Print the verdict only
    #[arg(long, short)]
    pub quiet: bool,
}

pub fn certify(args: CertifyArgs) -> Result<ExitCode, CliError> {
    let shown = args.certificate.display().to_string();
    let about = |what: &dyn std::fmt::Display| CliError::new(format!("{shown}: {what}"));
    let interrupt = Interrupt::watch()?;
    let given = program_of_trace(args.inputs, args.compiler)?;
    let file = File::open(&args.certificate).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => about(&"no such file"),
        _ => about(&error),
    })?;
    let mut lines = BufReader::new(file);
    let header = read_header(&mut lines).map_err(|what| about(&what))?;
    let mut options = options_of(&header.program, given)?;
    options.interrupt = interrupt.flag.clone();
    let mut program = recompile(&options)?;
    program.signals_only = header.signals_only;
    if file::hash(&program) != header.program.hash {
        return Err(about(&"it is about another program, or the program has changed since"));
    }
    let model: Model = header.model.parse().map_err(|what: String| about(&what))?;
    let entry = find_entry(&program, &header.entry)?;
    let about_what = header.about();
    let options = encode::Options {
        unwind: Some(header.unwind),
        method: encode::Method::Order(encode::Keeping::Theory),
        bits: header.bits,
        ignored: header.ignored,
        interrupt: interrupt.flag.clone(),
        ..encode::Options::default()
    };
    let lines: Box<dyn BufRead> = Box::new(lines);
    match encode::certify(&program, entry, model, &options, (lines, 1)) {
        Ok(certified) => tell(&certified, &about_what, args.quiet),
        Err(CertifyError::Refused(why)) => refuse(&why),
        Err(CertifyError::Stopped(stop)) => refuse(&stop.to_string()),
        Err(CertifyError::Program(what)) => Err(about(&what)),
    }
}

fn read_header(lines: &mut impl BufRead) -> Result<Header, String> {
    // What is no certificate may be one long line.
    let mut line = Vec::new();
    let most = 1 << 24;
    lines.take(most).read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
    let value: serde_json::Value =
        serde_json::from_slice(&line).map_err(|_| "not a certificate of heddle".to_string())?;
    match value.get("certificate").and_then(serde_json::Value::as_u64) {
        Some(schema) if schema == u64::from(SCHEMA) => {}
        Some(schema) => {
            return Err(format!(
                "a certificate of schema {schema}; this version of heddle reads schema {SCHEMA}"
            ));
        }
        None => return Err("not a certificate of heddle".to_string()),
    }
    serde_json::from_value(value).map_err(|error| format!("not a certificate of heddle: {error}"))
}

fn tell(certified: &Certified, about: &str, quiet: bool) -> Result<ExitCode, CliError> {
    let Certified { verdict, counts, unwind } = certified;
    let checked = format!(
        "certified: {} clauses of the formula, {} of the theory, {} that follow; {} questions \
         refuted, {} models",
        counts.clauses, counts.lemmas, counts.derived, counts.refuted, counts.models
    );
    let (line, code) = match verdict {
        Verdict::Safe => {
            let what = format!("no violation in any interleaving; unwind {unwind}, certified");
            (format!("verdict: safe ({what})"), 0)
        }
        Verdict::Bounded(bounds) => {
            (format!("verdict: bounded (no violation with {bounds}; certified)"), 0)
        }
        // It shows no more than that something is not supported.
        Verdict::Unknown(why) => (format!("verdict: unknown ({why})"), EXIT_UNKNOWN),
        Verdict::Unsafe(_) => ("verdict: unknown (it shows a violation)".to_string(), EXIT_UNKNOWN),
    };
    let checked = if quiet { String::new() } else { format!("{about}\n{checked}\n") };
    output::print(&format!("{checked}{line}\n"))?;
    Ok(ExitCode::from(code))
}

fn refuse(why: &str) -> Result<ExitCode, CliError> {
    output::print(&format!("verdict: unknown (the certificate is refused: {why})\n"))?;
    Ok(ExitCode::from(EXIT_UNKNOWN))
}
