//! `heddle report`: the trace graph of a schedule as SVG.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::ExitCode;

use heddle_constraint::{Event, Purpose, Schedule};

use crate::error::CliError;
use crate::settings::Report;
use crate::{output, whole_file};

/// Distances, in pixels.
const COLUMN: u32 = 120;
const ROW: u32 = 36;
const TOP: u32 = 96;
const LEFT: u32 = 70;
const RADIUS: u32 = 11;

pub fn run(settings: &Report) -> Result<ExitCode, CliError> {
    let about = |error: &dyn std::fmt::Display| {
        CliError::new(format!("{}: {error}", settings.schedule.display()))
    };
    let bytes = std::fs::read(&settings.schedule).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => about(&"no such file"),
        std::io::ErrorKind::IsADirectory => about(&"is a directory"),
        _ => about(&error),
    })?;
    let schedule = Schedule::from_bytes(&bytes).map_err(|error| about(&error))?;
    let drawing = draw(&schedule);
    match &settings.output {
        None => output::print(&drawing)?,
        Some(path) => whole_file::write(path, drawing.as_bytes())
            .map_err(|error| CliError::new(format!("{}: {error}", path.display())))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Threads side by side, events from top to bottom so that edges never point up.
fn draw(schedule: &Schedule) -> String {
    let order = schedule.trace.order().unwrap_or_default();
    let columns = columns(schedule);
    let rows = rows(schedule, &order);
    let place = |event: Event| {
        let column = columns.get(&event.thread).copied().unwrap_or(0);
        (LEFT + column * COLUMN, TOP + rows.get(&event).copied().unwrap_or(0) * ROW)
    };
    let height = TOP + (rows.values().max().copied().unwrap_or(0) + 2) * ROW;
    let width = (2 * LEFT + columns.len().saturating_sub(1) as u32 * COLUMN).max(420);
    let mut svg = head(schedule, width, height);
    for (&thread, &column) in &columns {
        let x = LEFT + column * COLUMN;
        let name = thread_name(schedule, thread);
        let _ = writeln!(
            svg,
            "<text class=\"thread\" x=\"{x}\" y=\"{}\">{name}</text>\n\
             <line class=\"life\" x1=\"{x}\" y1=\"{}\" x2=\"{x}\" y2=\"{}\"/>",
            TOP - 34,
            TOP - 26,
            height - ROW
        );
    }
    for edge in schedule.trace.edges() {
        svg.push_str(&arrow(place(edge.first), place(edge.second), edge.condition.is_some()));
    }
    for &event in &order {
        let (x, y) = place(event);
        let _ = writeln!(
            svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\"/>\
             <text class=\"event\" x=\"{x}\" y=\"{}\">{}</text>",
            y + 4,
            event.index
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// The column of each thread that a constraint speaks of.
fn columns(schedule: &Schedule) -> BTreeMap<u32, u32> {
    let mut columns = BTreeMap::new();
    for thread in 0..=schedule.threads.len() as u32 {
        if schedule.trace.events().any(|event| event.thread == thread) {
            columns.insert(thread, columns.len() as u32);
        }
    }
    columns
}

/// Each event stands below all that come before it.
fn rows(schedule: &Schedule, order: &[Event]) -> BTreeMap<Event, u32> {
    let mut rows: BTreeMap<Event, u32> = BTreeMap::new();
    let mut last: BTreeMap<u32, u32> = BTreeMap::new();
    for &event in order {
        let own = last.get(&event.thread).map_or(0, |row| row + 1);
        let edges = schedule.trace.edges().filter(|edge| edge.second == event);
        let others = edges.map(|edge| rows.get(&edge.first).map_or(0, |row| row + 1));
        let row = others.max().unwrap_or(0).max(own);
        rows.insert(event, row);
        last.insert(event.thread, row);
    }
    rows
}

fn thread_name(schedule: &Schedule, thread: u32) -> String {
    match thread.checked_sub(1) {
        None => "main".to_string(),
        Some(at) => {
            let path = schedule.threads[at as usize];
            format!("{}.{}", thread_name(schedule, path.parent), path.nth)
        }
    }
}

fn head(schedule: &Schedule, width: u32, height: u32) -> String {
    let count = schedule.trace.constraints();
    let plural = if count == 1 { "" } else { "s" };
    let purpose = match schedule.purpose {
        Purpose::Proven => "proven",
        Purpose::Replay { .. } => "replay of a violation",
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n\
         <style>\n\
         text {{ font: 13px sans-serif; text-anchor: middle; fill: #222 }}\n\
         .title {{ font-size: 15px; text-anchor: start }}\n\
         .thread {{ font-weight: bold }}\n\
         .event {{ font-size: 11px }}\n\
         .life {{ stroke: #ccc; stroke-width: 2 }}\n\
         circle {{ fill: #eef4ff; stroke: #3465a4; stroke-width: 1.5 }}\n\
         .edge {{ stroke: #a40000; stroke-width: 1.5; fill: none; marker-end: url(#tip) }}\n\
         .conditional {{ stroke-dasharray: 5 3 }}\n\
         </style>\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" \
         markerWidth=\"7\" markerHeight=\"7\" orient=\"auto-start-reverse\">\
         <path d=\"M 0 0 L 10 5 L 0 10 z\" fill=\"#a40000\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text class=\"title\" x=\"16\" y=\"28\">{count} constraint{plural}, {purpose}</text>\n"
    )
}

/// From the edge of one circle to that of the other.
fn arrow(from: (u32, u32), to: (u32, u32), conditional: bool) -> String {
    let (x1, y1, x2, y2) = (f64::from(from.0), f64::from(from.1), f64::from(to.0), f64::from(to.1));
    let length = ((x2 - x1).powi(2) + (y2 - y1).powi(2)).sqrt().max(1.0);
    let (dx, dy) = ((x2 - x1) / length, (y2 - y1) / length);
    let gap = f64::from(RADIUS) + 1.0;
    let class = if conditional { "edge conditional" } else { "edge" };
    format!(
        "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>\n",
        x1 + dx * gap,
        y1 + dy * gap,
        x2 - dx * gap,
        y2 - dy * gap
    )
}
