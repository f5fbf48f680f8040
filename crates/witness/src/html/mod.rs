//! A report as one page for a browser, without anything from elsewhere: the verdict and what
//! was covered, the run as lanes of threads beside the source, and what each step means.
//!
//! The page is made of three files of this folder and the run as JSON. Whatever comes from
//! the program (source text, names, values, paths) is either escaped here or put in by the
//! script as text, and the page's content security policy allows no request at all.

mod data;
mod graph;
mod sections;

use std::fmt::Write;

use heddle_ir::Program;

use crate::explain::explain;
use crate::text::{self, Detail, Style};
use crate::trace::Trace;
use crate::xml::escape;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What is said about a check beside the run itself.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// `safe`, `bounded`, `unsafe`, `unknown`.
    pub verdict: &'static str,
    /// The verdict in a sentence, for a page without a run.
    pub line: String,
    /// Short facts for the head of the page: the program, the memory model, ….
    pub facts: Vec<(&'static str, String)>,
    /// What was covered and what was not, one item each.
    pub covered: Vec<String>,
    /// The command that shows the run again.
    pub replay: Option<String>,
}

/// The whole page.
pub fn page(program: &Program, facts: &Facts, trace: Option<&Trace>) -> String {
    let title = trace.map_or_else(|| facts.line.clone(), text::message);
    let data = trace.map_or_else(|| "{}".to_string(), |trace| data::json(program, trace));
    let body = body(program, facts, trace, &title);
    let page_title = escape(&format!("{}: {title}", facts.verdict));
    fill(
        PAGE,
        &[
            ("title", &page_title),
            ("style", STYLE),
            ("body", &body),
            ("data", &data),
            ("script", SCRIPT),
        ],
    )
}

fn body(program: &Program, facts: &Facts, trace: Option<&Trace>, title: &str) -> String {
    let mut out = format!(
        "<header class=\"top\">\n<div class=\"brand\"><span>heddle</span><span class=\"badge \
         {0}\">{0}</span></div>\n<h1>{1}</h1>\n",
        facts.verdict,
        escape(title)
    );
    if let Some(place) = trace.and_then(|trace| program.position(trace.violation.span)) {
        let _ = writeln!(out, "<div class=\"mono\">{}</div>", escape(&place));
    }
    out.push_str("<dl class=\"facts\">");
    for (name, value) in &facts.facts {
        let _ = write!(out, "<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(value));
    }
    out.push_str("</dl>\n</header>\n");
    if let Some(trace) = trace {
        sections::why(&mut out, &explain(program, trace));
        sections::race(&mut out, program, trace);
        sections::deadlock(&mut out, program, trace);
    }
    sections::covered(&mut out, &facts.covered);
    if let Some(trace) = trace {
        out.push_str(RUN);
        sections::stack(&mut out, program, trace);
        let replay = facts.replay.as_deref().unwrap_or_default();
        let report = text::report(program, trace, replay, Detail::Full, Style::PLAIN);
        let _ = writeln!(
            out,
            "<details class=\"text\"><summary>as text</summary><pre>{}</pre></details>",
            escape(&report)
        );
        out.push_str(KEYS);
    }
    out
}

const RUN: &str = "<main class=\"run\">\n<div class=\"weave\" id=\"weave\" aria-label=\"the \
run\"></div>\n<div class=\"side\" id=\"side\" hidden>\n<div class=\"source\"><h2 \
id=\"file\"></h2><div class=\"lines\" id=\"lines\"></div></div>\n<div class=\"about\" \
id=\"about\" aria-live=\"polite\"></div>\n</div>\n<noscript>The run is drawn by a script; as \
text it stands below.</noscript>\n</main>\n";

const KEYS: &str = "<footer><kbd>↑</kbd> <kbd>↓</kbd> step · <kbd>←</kbd> <kbd>→</kbd> step of \
the same thread · <kbd>p</kbd> <kbd>n</kbd> context switch · <kbd>Home</kbd> <kbd>End</kbd> · \
<kbd>/</kbd> filter · <kbd>f</kbd> fold · <kbd>a</kbd> arrows · <kbd>o</kbd> \
order</footer>\n";

/// Puts texts where `{{name}}` stands in the template. What is put in is not looked at
/// again, whatever it contains.
fn fill(template: &str, parts: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        let part = parts.iter().find(|(key, _)| *key == name);
        out.push_str(part.map_or("", |(_, text)| text));
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_is_not_looked_at_again() {
        let parts = [("a", "{{b}}"), ("b", "B")];
        assert_eq!(fill("<{{a}}|{{b}}|{{c}}>", &parts), "<{{b}}|B|>");
    }

    #[test]
    fn the_page_asks_for_nothing() {
        let all = [PAGE, STYLE, SCRIPT].concat();
        for word in ["src=", "href=", "@import", "url(http", "fetch(", "XMLHttp", "innerHTML"] {
            assert!(!all.contains(word), "{word}");
        }
    }
}
