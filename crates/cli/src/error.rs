//! What goes wrong before there is a verdict: one line, exit code 2.

use std::fmt;

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

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(output) = &self.compiler_output {
            writeln!(f, "{}", output.trim_end())?;
        }
        let line: Vec<&str> = self.message.lines().map(str::trim).collect();
        write!(f, "heddle: {}", line.join(" "))
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
        CliError::new(format!("{message} (see heddle --help)"))
    }
}
