//! The interleaving as a table: one row a step, one column a thread.
//!
//! Three layouts, the first that fits: natural widths; columns of equal width
//! with wrapped cells; and, for very many threads, one narrow lane a thread with
//! the text beside.

use std::collections::HashSet;

use heddle_ir::{Program, Span};
use heddle_semantics::{ThreadId, ViolationKind};

use super::fold::{Detail, Item, fold};
use super::{Style, WIDTH, thread_title};
use crate::trace::{Step, Trace};

/// A column that is narrower cannot be read.
const NARROWEST: usize = 16;
const GAP: usize = 2;
/// Longer runs are shown from both ends.
const MOST_ROWS: usize = 400;
/// So many threads in a row that are created and do nothing have rows of their own.
const FEW_IDLE: usize = 3;

struct Row {
    place: String,
    /// Index of the column.
    column: usize,
    text: String,
    switch: bool,
}

pub(super) fn interleaving(
    program: &Program,
    trace: &Trace,
    detail: Detail,
    style: Style,
) -> String {
    let threads = columns(trace);
    let (rows, left_out) = rows(program, trace, &threads, detail);
    let switches = rows.iter().filter(|row| row.switch).count();
    let title = match switches {
        0 => "the run:".to_string(),
        1 => "the interleaving (1 context switch, marked >):".to_string(),
        n => format!("the interleaving ({n} context switches, marked >):"),
    };
    let mut out = format!("{}\n", style.strong(&title));
    if rows.is_empty() {
        out.push_str("  no visible step before the violation\n");
        return out;
    }
    let titles: Vec<String> = threads.iter().map(|&t| thread_title(trace, t)).collect();
    let places = rows.iter().map(|row| width(&row.place)).max().unwrap_or(0);
    let room = WIDTH.saturating_sub(2 + places);
    let natural: Vec<usize> = (0..threads.len())
        .map(|column| {
            let cells = rows.iter().filter(|row| row.column == column);
            cells.map(|row| width(&row.text)).max().unwrap_or(0).max(width(&titles[column]))
        })
        .collect();
    let grid = if natural.iter().map(|w| w + GAP).sum::<usize>() <= room {
        Some(natural)
    } else {
        fit(&natural, room)
    };
    match grid {
        Some(widths) => draw_grid(&mut out, &titles, &rows, places, &widths, style),
        None => draw_lanes(&mut out, &threads, &rows, places, style),
    }
    if left_out > 0 {
        let told = format!("{left_out} steps are folded or left out; --full shows them");
        out.push_str(&format!("  {}\n", style.dim(&told)));
    }
    out
}

/// Threads that do something in the run, plus the one that fails.
fn columns(trace: &Trace) -> Vec<ThreadId> {
    let acts = |id: ThreadId| trace.steps.iter().any(|step| step.thread == id);
    trace
        .threads
        .iter()
        .map(|info| info.id)
        .filter(|&id| acts(id) || id == trace.violation.thread)
        .collect()
}

fn rows(
    program: &Program,
    trace: &Trace,
    threads: &[ThreadId],
    detail: Detail,
) -> (Vec<Row>, usize) {
    let column = |thread| threads.iter().position(|&t| t == thread).unwrap_or(0);
    let row = |thread, span, text| Row {
        place: short_position(program, span),
        column: column(thread),
        text,
        switch: false,
    };
    // That a thread ends is not shown; a join tells when it matters.
    let steps: Vec<&Step> =
        trace.steps.iter().filter(|step| step.operation.verb != "end").collect();
    let acts: HashSet<String> = steps.iter().map(|step| step.thread.to_string()).collect();
    let idle = |step: &Step| {
        let child = step.operation.place.as_ref().filter(|_| step.operation.verb == "create");
        child.is_some_and(|child| !acts.contains(child))
    };
    let alike = |a: &Item<'_>, b: &Item<'_>| match (a, b) {
        (Item::Step(a), Item::Step(b)) => {
            idle(a) && idle(b) && (a.thread, a.span) == (b.thread, b.span)
        }
        _ => false,
    };
    let (items, left_out) = fold(program, steps, detail);
    let mut rows: Vec<Row> = Vec::new();
    for group in items.chunk_by(alike) {
        match group {
            [Item::Step(first), .., Item::Step(last)] if group.len() > FEW_IDLE => {
                let last = last.operation.place.as_deref().unwrap_or_default();
                let text = format!("{} and others, to {last}", first.operation);
                rows.push(row(first.thread, first.span, text));
            }
            _ => rows.extend(group.iter().map(|item| match item {
                Item::Step(step) => row(step.thread, step.span, step.operation.to_string()),
                Item::Fold(step, text) => row(step.thread, step.span, text.clone()),
            })),
        }
    }
    // What a deadlock or a leak is does not happen in a step.
    let late = matches!(trace.violation.kind, ViolationKind::Deadlock | ViolationKind::Leak);
    if !late {
        let violation = &trace.violation;
        rows.push(row(violation.thread, violation.span, format!("fails: {}", violation.kind)));
    }
    for index in 1..rows.len() {
        rows[index].switch = rows[index].column != rows[index - 1].column;
    }
    (rows, left_out)
}

/// `bank.c:31`: the folder is in the headline.
fn short_position(program: &Program, span: Span) -> String {
    match program.files.get(span.file as usize).filter(|_| span.is_known()) {
        Some(file) => {
            let name = file.path.rsplit('/').next().unwrap_or(&file.path);
            format!("{}:{}", shorten(name, 30), span.line)
        }
        None => String::new(),
    }
}

/// Narrows the widest columns until all fit; `None` if that leaves one too narrow.
fn fit(natural: &[usize], room: usize) -> Option<Vec<usize>> {
    let mut widths = natural.to_vec();
    let mut excess = (widths.iter().sum::<usize>() + GAP * widths.len()).saturating_sub(room);
    while excess > 0 {
        let widest = widths.iter_mut().max()?;
        if *widest <= NARROWEST {
            return None;
        }
        *widest -= 1;
        excess -= 1;
    }
    Some(widths)
}

fn draw_grid(
    out: &mut String,
    titles: &[String],
    rows: &[Row],
    places: usize,
    widths: &[usize],
    style: Style,
) {
    let line =
        |cells: &[(usize, &str)], place: &str, mark: &str, paint: fn(Style, &str) -> String| {
            let mut text = format!("{} {}", style.mark(mark), style.dim(&pad(place, places)));
            let mut at = 0;
            for &(column, cell) in cells {
                let skip: usize = widths[at..column].iter().map(|w| w + GAP).sum();
                text.push_str(&" ".repeat(GAP + skip));
                text.push_str(&paint(style, cell));
                if Some(&(column, cell)) != cells.last() {
                    text.push_str(&" ".repeat(widths[column].saturating_sub(width(cell))));
                }
                at = column + 1;
            }
            text.trim_end().to_string() + "\n"
        };
    let heads: Vec<String> = titles.iter().zip(widths).map(|(t, w)| shorten(t, *w)).collect();
    let heads: Vec<(usize, &str)> = heads.iter().map(String::as_str).enumerate().collect();
    out.push_str(&line(&heads, "", " ", Style::strong));
    for item in shown(rows) {
        let row = match item {
            Ok(row) => row,
            Err(hidden) => {
                out.push_str(&format!("  … {hidden} steps …\n"));
                continue;
            }
        };
        let mark = if row.switch { ">" } else { " " };
        for (nth, part) in wrap(&row.text, widths[row.column]).iter().enumerate() {
            let (place, mark) = if nth == 0 { (row.place.as_str(), mark) } else { ("", " ") };
            out.push_str(&line(&[(row.column, part)], place, mark, |_, text| text.to_string()));
        }
    }
}

/// A lane is as wide as the largest thread number.
fn draw_lanes(out: &mut String, threads: &[ThreadId], rows: &[Row], places: usize, style: Style) {
    let names: Vec<String> = threads.iter().map(|t| t.0.to_string()).collect();
    let lane = names.iter().map(String::len).max().unwrap_or(1);
    let lanes = |f: &dyn Fn(usize) -> String| -> String {
        (0..threads.len()).map(|column| format!("{:>lane$} ", f(column))).collect()
    };
    let head = lanes(&|column| names[column].clone());
    out.push_str(&format!("  {}  {}\n", pad("thread", places), style.strong(head.trim_end())));
    for item in shown(rows) {
        let row = match item {
            Ok(row) => row,
            Err(hidden) => {
                out.push_str(&format!("  … {hidden} steps …\n"));
                continue;
            }
        };
        let mark = style.mark(if row.switch { ">" } else { " " });
        let dots = lanes(&|column| if column == row.column { "*" } else { "." }.to_string());
        let place = style.dim(&pad(&row.place, places));
        let text = format!("{} {}", threads[row.column], row.text);
        out.push_str(&format!("{mark} {place}  {dots} {}\n", shorten(&text, WIDTH)));
    }
}

/// The rows to draw; `Err` stands for that many hidden ones.
fn shown(rows: &[Row]) -> Vec<Result<&Row, usize>> {
    if rows.len() <= MOST_ROWS {
        return rows.iter().map(Ok).collect();
    }
    let half = MOST_ROWS / 2;
    let first = rows[..half].iter().map(Ok);
    let last = rows[rows.len() - half..].iter().map(Ok);
    first.chain([Err(rows.len() - 2 * half)]).chain(last).collect()
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn pad(text: &str, to: usize) -> String {
    format!("{text:<to$}")
}

/// Cuts the middle out of a text that is too long: both ends tell most.
fn shorten(text: &str, to: usize) -> String {
    let length = width(text);
    if length <= to {
        return text.to_string();
    }
    let tail = to.saturating_sub(1) / 2;
    let head = to.saturating_sub(1) - tail;
    let first: String = text.chars().take(head).collect();
    let last: String = text.chars().skip(length - tail).collect();
    format!("{first}…{last}")
}

/// Breaks at spaces; a single word that is too long is shortened. What follows
/// the first line is indented.
fn wrap(text: &str, to: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let indent = if lines.len() > 1 { 2 } else { 0 };
        let last = lines.last_mut().expect("never empty");
        let blank = last.trim().is_empty();
        if !blank && width(last) + 1 + width(word) > to {
            lines.push(format!("  {}", shorten(word, to.saturating_sub(2))));
        } else if blank {
            last.push_str(&shorten(word, to.saturating_sub(indent)));
        } else {
            last.push(' ');
            last.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_keep_both_ends() {
        assert_eq!(shorten("short", 10), "short");
        assert_eq!(shorten("accounts[12].balance", 11), "accou…lance");
    }

    #[test]
    fn cells_wrap_at_spaces() {
        assert_eq!(wrap("read x = 1", 20), ["read x = 1"]);
        assert_eq!(
            wrap("write accounts[12].balance = 100", 20),
            ["write", "  accounts[….balance", "  = 100"].map(|s| s.to_string())
        );
    }

    #[test]
    fn the_widest_columns_give_way() {
        assert_eq!(fit(&[10, 60, 20], 70), Some(vec![10, 34, 20]));
        assert_eq!(fit(&[40; 10], 90), None);
    }
}
