//! `heddle swarm report`: what the journal of a swarm says.

use std::fmt::Write;

use heddle_swarm::journal::{Journal, Outcome, Record};
use heddle_swarm::plot::{Curve, MOST_CORES, draw};
use heddle_swarm::statistics::{Spread, Statistics};
use heddle_swarm::{Header, Plan};
use serde::Serialize;

use crate::args::Format;
use crate::error::CliError;
use crate::json::{SCHEMA, to_line};
use crate::swarm::args::SwarmReportArgs;
use crate::units::{show_bytes, show_count};
use crate::{output, whole_file};

/// For which the expected time is told.
const CORES: [usize; 10] = [1, 2, 5, 10, 20, 50, 100, 500, 1000, MOST_CORES];

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    program: &'a str,
    parameters: &'a serde_json::Map<String, serde_json::Value>,
    plans: Vec<Row>,
}

/// A plan, and what its instances have shown.
#[derive(Serialize)]
struct Row {
    name: String,
    plan: Plan,
    /// Instances at the top, and those that others were split into.
    roots: usize,
    below: usize,
    violations: usize,
    discharged: usize,
    undecided: usize,
    /// Workers that died.
    lost: u32,
    share: f64,
    /// Of the processor; `by_wall` of all instances have told that of the clock only.
    seconds: Option<Spread>,
    by_wall: usize,
    bytes: Option<Spread>,
    expected: Vec<Expected>,
    cores_95: Option<usize>,
    cores_99: Option<usize>,
    #[serde(skip)]
    statistics: Statistics,
}

#[derive(Serialize)]
struct Expected {
    cores: usize,
    /// Of the quickest violation, if there is one among the first instances.
    seconds: f64,
    chance: f64,
    /// In the mean, if they go on until there is one.
    until_found: f64,
}

pub fn run(args: &SwarmReportArgs) -> Result<(), CliError> {
    let (header, records) =
        Journal::read(&args.folder).map_err(|error| CliError::new(error.to_string()))?;
    let rows = rows(&records);
    let curves: Vec<Curve<'_>> = rows
        .iter()
        .filter(|row| row.violations > 0)
        .map(|row| Curve { name: row.name.clone(), statistics: &row.statistics })
        .collect();
    let drawing = draw("expected time to a violation", &curves);
    let path = args.output.clone().unwrap_or_else(|| args.folder.join("plot.svg"));
    whole_file::write(&path, drawing.as_bytes())
        .map_err(|error| CliError::new(format!("cannot write {}: {error}", path.display())))?;
    match args.format {
        Format::Json => output::print(&to_line(&Report {
            schema: SCHEMA,
            program: &header.program,
            parameters: &header.parameters,
            plans: rows,
        })),
        Format::Text => {
            let plot = path.display();
            output::print(&format!("{}plot: {plot}\n", text(&header, &rows)))
        }
    }
}

fn rows(records: &[Record]) -> Vec<Row> {
    let plans = records.iter().filter_map(|record| match record {
        Record::Plan(plan) => Some(plan),
        Record::Done(_) | Record::Jobs(_) => None,
    });
    plans.enumerate().map(|(at, plan)| row(records, at, plan)).collect()
}

fn row(records: &[Record], at: usize, plan: &Plan) -> Row {
    let statistics = Statistics::of(records, at);
    let expected = CORES.iter().filter_map(|&cores| {
        let (seconds, chance) = statistics.expectation(cores)?;
        let until_found = statistics.time_to_violation(cores)?;
        Some(Expected { cores, seconds, chance, until_found })
    });
    let mine = |id: &str| id.split(|c: char| !c.is_ascii_digit()).next() == Some(&at.to_string());
    let (mut below, mut lost, mut undecided) = (0, 0, 0);
    for record in records {
        if let Record::Done(done) = record
            && mine(&done.id)
        {
            below += usize::from(done.id.ends_with(|c: char| c.is_ascii_alphabetic()));
            lost += done.lost;
            let given_up = matches!(done.outcome, Outcome::Undecided { split: None, .. });
            undecided += usize::from(given_up);
        }
    }
    Row {
        name: name(plan),
        plan: plan.clone(),
        roots: statistics.count(),
        below,
        violations: statistics.violations.len(),
        discharged: statistics.clear.len(),
        undecided,
        lost,
        share: statistics.share(),
        seconds: statistics.times(),
        by_wall: statistics.by_wall,
        bytes: statistics.memory(),
        expected: expected.collect(),
        cores_95: statistics.cores_for(0.95),
        cores_99: statistics.cores_for(0.99),
        statistics,
    }
}

fn name(plan: &Plan) -> String {
    let depth = plan.depth;
    match &plan.sample {
        None => format!("{depth}, all at once"),
        Some(sample) if sample.tiling == "windows" => {
            format!("{depth}, {} tiles of {} points", sample.tiles, sample.size)
        }
        Some(sample) => format!("{depth}, {} tiles by {}", sample.tiles, sample.tiling),
    }
}

fn text(header: &Header, rows: &[Row]) -> String {
    let mut out = format!("program {}\n", header.program);
    for row in rows {
        let _ = writeln!(
            out,
            "\n{}\n  {} instances ({} more by splitting): {} with a violation ({:.2} %), {} \
             without, {} undecided; {} workers died",
            row.name,
            show_count(row.roots as u64),
            show_count(row.below as u64),
            show_count(row.violations as u64),
            row.share * 100.0,
            show_count(row.discharged as u64),
            show_count(row.undecided as u64),
            row.lost
        );
        if row.by_wall > 0 {
            let some = show_count(row.by_wall as u64);
            let _ = writeln!(out, "  times by the clock on the wall: {some}; else the processor's");
        }
        let (Some(seconds), Some(bytes)) = (&row.seconds, &row.bytes) else { continue };
        let _ = writeln!(out, "  with a violation        time      memory");
        for (what, time, bytes) in [
            ("min", seconds.min, bytes.min),
            ("max", seconds.max, bytes.max),
            ("mean", seconds.mean, bytes.mean),
            ("deviation", seconds.deviation, bytes.deviation),
        ] {
            let memory = show_bytes(bytes as u64);
            let _ = writeln!(out, "    {what:<12}{time:>10.2} s {memory:>11}");
        }
        let _ = writeln!(out, "  cores   expected time   with a chance of   until found");
        for Expected { cores, seconds, chance, until_found } in &row.expected {
            let _ = writeln!(
                out,
                "  {cores:>5}  {seconds:>12.2} s   {chance:>16.3}  {until_found:>10.2} s"
            );
        }
        if let (Some(most), Some(all)) = (row.cores_95, row.cores_99) {
            let _ = writeln!(out, "  0.95 with {most} cores, 0.99 with {all}");
        }
    }
    out.push('\n');
    out
}
