//! The binary `heddle`: the only place that joins engines and parses flags.

mod again;
mod args;
mod build;
mod cache;
mod certificate;
mod check;
mod compile;
mod contest;
mod doctor;
mod dump;
mod effort;
mod emit;
mod engines;
mod error;
mod formats;
mod habits;
mod hint;
mod interrupt;
mod invariants;
mod json;
mod known;
mod last_words;
mod library;
mod measure;
mod missing;
mod native;
mod output;
mod progress;
mod property;
mod prove;
mod proven;
mod races;
mod replay;
mod report;
mod run;
mod settings;
mod slice;
mod swarm;
mod tiles;
mod trace_path;
mod transactions;
mod units;
mod unknown_calls;
mod verdict;
mod version;
mod watch;
mod watchdog;
mod whole_file;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use heddle_runtime::end_process;
use heddle_witness::text::Style;

use args::{Cli, Command};
use error::{CliError, asks_for_json};

/// Wrong usage, unreadable input, or an error of the compiler.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    // Who types nothing wants to know what there is.
    let mut words: Vec<OsString> = std::env::args_os().collect();
    if words.len() <= 1 {
        words = vec!["heddle".into(), "--help".into()];
    }
    let json = asks_for_json(&words);
    let fail = |error: &CliError| fail(error, json);
    let end = |result: Result<ExitCode, CliError>| {
        result.unwrap_or_else(|error| ExitCode::from(fail(&error)))
    };
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => {
            // --help and --version.
            let text = error.render();
            let coloured = Style::for_stdout().colour;
            let text = if coloured { text.ansi().to_string() } else { text.to_string() };
            return end(output::print(&text).map(|()| ExitCode::SUCCESS));
        }
        Err(error) => return end(Err(error.into())),
    };
    // As asked for, from here on; nobody below looks at flags.
    let style = Style::or_asked(cli.color.asked());
    end(match cli.command {
        // Engines that nobody waits for may still be at work.
        Command::Check(args) => end_process(
            settings::Check::try_from(*args)
                .and_then(|check| check::run(settings::Check { style, ..check }))
                .unwrap_or_else(|error| fail(&error)),
        ),
        Command::Watch(args) => watch::run(args, &words),
        Command::Races(args) => end_process(
            races::args::Races::try_from(*args)
                .and_then(|races| races::run(races.with(style)))
                .unwrap_or_else(|error| fail(&error)),
        ),
        Command::Replay(args) => settings::Replay::try_from(args)
            .and_then(|replay| replay::run(settings::Replay { style, ..replay })),
        Command::Explain(args) => settings::explain(args)
            .and_then(|explain| replay::explain(settings::Explain { style, ..explain })),
        Command::Certify(args) => certificate::certify(args),
        Command::Build(args) => settings::build(args).and_then(|s| build::run(&s)),
        Command::Prove(args) => settings::prove(args).and_then(prove::run),
        Command::Run(args) => settings::run(args).and_then(run::run),
        Command::Report(args) => report::run(&settings::report(args)),
        // Workers that nobody waits for may still be at work.
        Command::Swarm(args) => {
            end_process(swarm::run(*args, style).unwrap_or_else(|error| fail(&error)))
        }
        Command::Worker(args) => swarm::worker::run(&args),
        Command::Emit(args) => settings::emit(args).and_then(|settings| emit::run(&settings)),
        Command::Doctor(args) => doctor::run(&args),
        Command::Completions(args) => habits::completions(&args),
        Command::Man(args) => habits::man(&args),
        Command::Dump(args) if args.library => dump::library(),
        Command::Dump(args) => settings::dump(args).and_then(|settings| dump::run(&settings)),
    })
}

/// Tells what is wrong; gives the exit code.
fn fail(error: &CliError, json: bool) -> u8 {
    output::print_error(&error.to_string());
    if json {
        // Who does not take it is told nothing more.
        let _ = output::print(&error.to_json());
    }
    EXIT_USAGE
}
