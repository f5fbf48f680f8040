//! Colours, for terminals that want them.

use std::io::IsTerminal;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    pub colour: bool,
}

impl Style {
    pub const PLAIN: Style = Style { colour: false };

    /// Colours only on a terminal, and not when `NO_COLOR` is set
    /// (<https://no-color.org>).
    pub fn for_stdout() -> Style {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        Style { colour: std::io::stdout().is_terminal() && !refused && !dumb }
    }

    /// What somebody asks for, if anybody does; else as [`Style::for_stdout`].
    pub fn or_asked(asked: Option<bool>) -> Style {
        asked.map_or_else(Style::for_stdout, |colour| Style { colour })
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_string()
        }
    }

    pub fn error(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    pub fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub fn mark(self, text: &str) -> String {
        self.paint("1;33", text)
    }
}
