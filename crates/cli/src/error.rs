//! What goes wrong before there is a verdict: one line, exit code 2; for `--format json` an object
//! on standard output as well.

use std::ffi::OsString;
use std::fmt;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use serde::Serialize;

use crate::json::{SCHEMA, to_line};

/// An error of usage or input. The message is one line; what the compiler said
/// goes before it, unchanged.
#[derive(Debug)]
pub struct CliError {
    pub compiler_output: Option<String>,
    pub message: String,
}

impl CliError {
    pub fn new(message: impl Into<String>) -> CliError {
        CliError { compiler_output: None, message: message.into() }
    }
}

/// Does a command line ask for JSON? Of the words, since it may be wrong in another place.
pub fn asks_for_json(words: &[OsString]) -> bool {
    let own = words.iter().take_while(|word| *word != "--");
    let words: Vec<&OsString> = own.collect();
    let pair = |pair: &[&OsString]| pair[0] == "--format" && pair[1] == "json";
    words.windows(2).any(pair) || words.iter().any(|word| *word == "--format=json")
}

/// An error for machines.
#[derive(Serialize)]
struct JsonError<'a> {
    schema: u32,
    error: &'a str,
    /// What the compiler said.
    #[serde(skip_serializing_if = "Option::is_none")]
    compiler: Option<&'a str>,
}

impl CliError {
    pub fn to_json(&self) -> String {
        let compiler = self.compiler_output.as_deref().map(str::trim_end);
        to_line(&JsonError { schema: SCHEMA, error: &self.line(), compiler })
    }

    fn line(&self) -> String {
        let line: Vec<&str> = self.message.lines().map(str::trim).collect();
        line.join(" ")
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(output) = &self.compiler_output {
            writeln!(f, "{}", output.trim_end())?;
        }
        write!(f, "heddle: {}", self.line())
    }
}

impl From<heddle_frontend::Error> for CliError {
    fn from(error: heddle_frontend::Error) -> CliError {
        let message = error.to_string();
        match error {
            heddle_frontend::Error::Compiler { stderr, .. }
            | heddle_frontend::Error::NativeLink { stderr } => {
                CliError { compiler_output: Some(stderr), message }
            }
            _ => CliError::new(message),
        }
    }
}

impl From<clap::Error> for CliError {
    /// The first paragraph of what clap says, in one line.
    fn from(error: clap::Error) -> CliError {
        let text = error.render().to_string();
        let paragraph: Vec<&str> =
            text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
        let message = paragraph.join(" ");
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        let hint = hint(&error).unwrap_or_else(|| "see heddle --help".to_string());
        CliError::new(format!("{message} ({hint})"))
    }
}

/// What may have been meant.
fn hint(error: &clap::Error) -> Option<String> {
    let text = |kind: ContextKind| match error.get(kind)? {
        ContextValue::String(text) => Some(vec![text.clone()]),
        ContextValue::Strings(texts) => Some(texts.clone()),
        _ => None,
    };
    let similar =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    if let Some(names) = similar.into_iter().find_map(text) {
        return Some(format!("did you mean {}?", names.join(" or ")));
    }
    let word = text(ContextKind::InvalidArg)?.pop()?;
    let known =
        ["-D", "-I", "-U", "-s", "-W", "-O", "-f", "-m", "-l", "-L", "-p", "-x", "-g", "-i"];
    let is_compilers = error.kind() == ErrorKind::UnknownArgument && known.contains(&&*word);
    is_compilers.then(|| {
        "flags of the compiler go to the end, behind `--`: heddle check prog.c -- -DN=3".to_string()
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn errors_say_what_may_have_been_meant() {
        for (line, hint) in [
            ("heddle chek prog.c", "(did you mean check?)"),
            ("heddle check --unwnd 3 prog.c", "(did you mean --unwind?)"),
            ("heddle check --format jsn prog.c", "(did you mean json?)"),
            ("heddle check -DN=3 prog.c", "behind `--`"),
            ("heddle check prog.c -Iinclude", "behind `--`"),
            ("heddle races prog.c -std=c11", "behind `--`"),
            ("heddle swarm prog.c -lpthread", "behind `--`"),
            ("heddle check", "(see heddle --help)"),
        ] {
            let error = Cli::try_parse_from(line.split_whitespace()).expect_err(line);
            let error = CliError::from(error).to_string();
            assert!(error.contains(hint), "{line}: {error}");
        }
    }
}
