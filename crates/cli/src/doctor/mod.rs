//! `heddle doctor`: is everything there that Heddle needs, and does it work?

mod limits;
mod programs;
mod trial;

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use crate::args::Format;
use crate::error::CliError;
use crate::json::{SCHEMA, to_line};
use crate::{output, version};

/// Something that is needed is missing or does not work.
const EXIT_BROKEN: u8 = 2;

/// Look whether everything is there that Heddle needs, and try it
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes:
  0    what is needed is there and works; what only some commands need may be missing
  2    something that is needed is missing or does not work")]
pub struct DoctorArgs {
    /// `text` for people, `json` for programs
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    Good,
    /// Some command needs it, but not every one.
    Missing,
    Broken,
}

/// What was looked at, and what was seen.
#[derive(Debug, Serialize)]
pub struct Finding {
    pub name: &'static str,
    pub state: State,
    pub what: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Finding {
    pub fn good(name: &'static str, what: impl Into<String>) -> Finding {
        Finding { name, state: State::Good, what: what.into(), advice: None }
    }

    pub fn bad(name: &'static str, state: State, (what, advice): (String, &str)) -> Finding {
        Finding { name, state, what, advice: Some(advice.to_string()) }
    }
}

#[derive(Serialize)]
struct Diagnosis<'a> {
    schema: u32,
    version: &'static str,
    commit: &'static str,
    works: bool,
    findings: &'a [Finding],
}

pub fn run(args: &DoctorArgs) -> Result<ExitCode, CliError> {
    let mut findings = programs::look();
    findings.extend(limits::look());
    let works = |findings: &[Finding]| findings.iter().all(|it| it.state != State::Broken);
    // Without a compiler there is nothing to try.
    if works(&findings) {
        findings.extend(trial::all());
    }
    let works = works(&findings);
    output::print(&match args.format {
        Format::Text => text(&findings, works),
        Format::Json => to_line(&Diagnosis {
            schema: SCHEMA,
            version: version::NUMBER,
            commit: version::COMMIT,
            works,
            findings: &findings,
        }),
    })?;
    Ok(if works { ExitCode::SUCCESS } else { ExitCode::from(EXIT_BROKEN) })
}

fn text(findings: &[Finding], works: bool) -> String {
    let mut out = format!("heddle {}\n\n", version::long().replace('\n', ", "));
    for Finding { name, state, what, advice } in findings {
        let mark = match state {
            State::Good => "good",
            State::Missing => "none",
            State::Broken => "BAD ",
        };
        out.push_str(&format!("{mark}  {name:<12} {what}\n"));
        if let Some(advice) = advice {
            out.push_str(&format!("      {:<12} {advice}\n", ""));
        }
    }
    let all = if works { "Heddle works here." } else { "Heddle does not work here." };
    out.push_str(&format!("\n{all}\n"));
    out
}
