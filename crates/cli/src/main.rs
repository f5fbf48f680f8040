//! The binary `heddle`: the only place that joins engines and parses flags.

mod args;
mod build;
mod check;
mod compile;
mod dump;
mod effort;
mod engines;
mod error;
mod hint;
mod interrupt;
mod json;
mod library;
mod measure;
mod native;
mod output;
mod progress;
mod prove;
mod replay;
mod report;
mod run;
mod settings;
mod slice;
mod trace_path;
mod units;
mod verdict;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use error::CliError;

/// Wrong usage, unreadable input, or an error of the compiler.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            // --help and --version.
            let text = error.render();
            let coloured = heddle_witness::text::Style::for_stdout().colour;
            output::print(&if coloured { text.ansi().to_string() } else { text.to_string() });
            return ExitCode::SUCCESS;
        }
        Err(error) => return fail(&error.into()),
    };
    let result = match cli.command {
        Command::Check(args) => settings::Check::try_from(args).and_then(check::run),
        Command::Replay(args) => settings::Replay::try_from(args).and_then(replay::run),
        Command::Build(args) => settings::build(args).and_then(|s| build::run(&s)),
        Command::Prove(args) => settings::prove(args).and_then(|s| prove::run(&s)),
        Command::Run(args) => settings::run(args).and_then(|s| run::run(&s)),
        Command::Report(args) => report::run(&settings::report(args)),
        Command::Dump(args) if args.library => dump::library(),
        Command::Dump(args) => settings::dump(args).and_then(|settings| dump::run(&settings)),
    };
    match result {
        Ok(code) => code,
        Err(error) => fail(&error),
    }
}

fn fail(error: &CliError) -> ExitCode {
    output::print_error(&error.to_string());
    ExitCode::from(EXIT_USAGE)
}
