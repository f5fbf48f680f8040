//! Flags that say what else is written, and in which form.

use std::path::PathBuf;

use clap::Args;

use crate::args::{CompilerArgs, Format};

/// Reports in files, beside what is printed.
#[derive(Clone, Debug, Default, Args)]
pub struct FileArgs {
    /// Write the report to FILE as a page for a browser
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Write the result to FILE as SARIF 2.1.0, for code hosts and editors
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,

    /// Write the result to FILE as JUnit XML, for test reports
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Write a witness as SV-COMP has them to FILE, if the verdict is safe or unsafe: YAML 2.0
    /// for a name that ends in .yml or .yaml, else GraphML 1.0
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
}

/// Say in sentences why a recorded schedule fails
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  heddle check --trace fail.json prog.c
  heddle explain fail.json")]
pub struct ExplainArgs {
    /// File written by `heddle check --trace`
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,

    /// The program [default: the files and flags that the trace names]
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub compiler: CompilerArgs,

    /// `text` for people, `json` for programs
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,
}
