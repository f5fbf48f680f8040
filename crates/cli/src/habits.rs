//! `heddle completions` and `heddle man`: what shells and `man` want to know of the command
//! line, made from the command line itself.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::args::Cli;
use crate::error::CliError;
use crate::output;

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  heddle completions bash > ~/.local/share/bash-completion/completions/heddle")]
pub struct CompletionsArgs {
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Print a manual page
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  heddle man check > heddle-check.1")]
pub struct ManArgs {
    /// Of this command [default: of heddle itself]
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

pub fn completions(args: &CompletionsArgs) -> Result<ExitCode, CliError> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "heddle", &mut text);
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(ExitCode::SUCCESS)
}

pub fn man(args: &ManArgs) -> Result<ExitCode, CliError> {
    let all = Cli::command();
    let page = match &args.command {
        None => clap_mangen::Man::new(all),
        Some(name) => {
            let found = all.find_subcommand(name);
            let command = found.ok_or_else(|| CliError::new(format!("there is no {name}")))?;
            clap_mangen::Man::new(command.clone()).title(format!("heddle-{name}"))
        }
    };
    let mut text = Vec::new();
    page.render(&mut text).map_err(|error| CliError::new(error.to_string()))?;
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(ExitCode::SUCCESS)
}
