//! The source line behind a position, with a caret under its column.

use std::path::Path;

use heddle_ir::{Program, Span};

use super::Style;

/// Longer lines are cut; generated code has lines of any length.
const LONGEST_LINE: usize = 160;

pub(super) fn excerpt(program: &Program, span: Span, style: Style) -> Option<String> {
    let text = read_source(program, span.file).filter(|_| span.is_known())?;
    let line = text.lines().nth(span.line as usize - 1)?;
    Some(draw(line, span, style))
}

/// The text of a file of the program, by its number.
pub(crate) fn read_source(program: &Program, file: u32) -> Option<String> {
    let file = program.files.get(file as usize)?;
    let path = Path::new(&file.directory).join(&file.path);
    let text = std::fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

fn draw(line: &str, span: Span, style: Style) -> String {
    let number = span.line.to_string();
    let margin = " ".repeat(number.len());
    // Columns count bytes; tabs become spaces so that the caret fits below.
    let column = (span.column as usize).saturating_sub(1).min(line.len());
    let before = String::from_utf8_lossy(&line.as_bytes()[..column]).replace('\t', "    ");
    let shown: String = line.replace('\t', "    ").chars().take(LONGEST_LINE).collect();
    let bar = style.dim("|");
    let mut out = format!("{margin} {bar}\n{} {bar} {}\n", style.dim(&number), shown.trim_end());
    let indent = before.chars().count();
    if span.column > 0 && indent < LONGEST_LINE {
        let caret = style.error("^");
        out.push_str(&format!("{margin} {bar} {}{caret}\n", " ".repeat(indent)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, column: u32) -> Span {
        Span { file: 0, line, column }
    }

    #[test]
    fn the_caret_stands_below_its_column() {
        assert_eq!(
            draw("    assert(x);", at(31, 5), Style::PLAIN),
            "   |\n31 |     assert(x);\n   |     ^\n"
        );
        assert_eq!(
            draw("\tx = ä + 1;", at(7, 9), Style::PLAIN),
            "  |\n7 |     x = ä + 1;\n  |           ^\n"
        );
    }

    #[test]
    fn long_lines_and_wrong_columns_do_no_harm() {
        let long = "x".repeat(1000);
        assert!(draw(&long, at(1, 900), Style::PLAIN).lines().all(|l| l.len() < 200));
        assert!(draw("short", at(1, 900), Style::PLAIN).contains("short"));
    }
}
