//! The transaction graph of a program as a drawing: DOT, or SVG drawn here.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::ValueEnum;
use heddle_analysis::invariants::{Graph, GraphOptions, Standing, transactions};
use heddle_ir::{FuncId, Program, Span};

use crate::error::CliError;
use crate::invariants::at;

/// How a graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Drawing {
    /// For Graphviz
    Dot,
    /// A picture, by layers
    Svg,
}

pub fn page(
    program: &Program,
    entry: FuncId,
    (drawing, insensitive): (Drawing, bool),
) -> Result<String, CliError> {
    let options = GraphOptions {
        insensitive,
        interrupt: Arc::new(AtomicBool::new(false)),
        ..GraphOptions::default()
    };
    let graph = transactions(program, entry, &options).map_err(|why| {
        CliError::new(format!("no transaction graph: {}", at(program, &why.why, why.span)))
    })?;
    Ok(match drawing {
        Drawing::Dot => dot(program, &graph),
        Drawing::Svg => svg(program, &graph),
    })
}

/// Colours of threads, which those who can't tell some of them apart can.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"];

fn colour(thread: usize) -> &'static str {
    COLOURS[thread % COLOURS.len()]
}

fn line(program: &Program, span: Span) -> String {
    match program.files.get(span.file as usize).filter(|_| span.is_known()) {
        Some(file) if program.files.len() > 1 && several_files(program) => {
            let name = file.path.rsplit('/').next().unwrap_or(&file.path);
            format!("{name}:{}", span.line)
        }
        Some(_) => span.line.to_string(),
        None => "?".to_string(),
    }
}

/// Are there lines of more than one file of the user's?
fn several_files(program: &Program) -> bool {
    let users = program.files.iter().filter(|file| file.whose() == heddle_ir::Whose::User);
    users.count() > 1
}

/// Where the threads of a node are: a line of text for each that has begun.
fn label(program: &Program, graph: &Graph, node: usize) -> Vec<String> {
    let standing = |(thread, at): (usize, &Standing)| match at {
        Standing::Unborn => None,
        Standing::Ended => Some(format!("T{thread} ended")),
        Standing::At { span, held, waits, .. } => {
            let waits = if *waits { " waits" } else { "" };
            let held = match held.is_empty() {
                true => String::new(),
                false => format!(" [{}]", held.join(", ")),
            };
            Some(format!("T{thread} {}{waits}{held}", line(program, *span)))
        }
    };
    graph.nodes[node].threads.iter().enumerate().filter_map(standing).collect()
}

fn title(graph: &Graph) -> String {
    let names = graph.threads.iter().enumerate().map(|(nth, name)| format!("T{nth} {name}"));
    let more = if graph.more_threads { "; there may be more threads" } else { "" };
    let (nodes, edges) = (graph.nodes.len(), graph.edges.len());
    let names: Vec<String> = names.collect();
    format!("{nodes} states, {edges} edges; {}{more}", names.join(", "))
}

fn dot(program: &Program, graph: &Graph) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut out = String::from("digraph transactions {\n");
    let _ = writeln!(out, "  label=\"{}\";", quoted(&title(graph)));
    out.push_str("  node [shape=box, fontname=\"monospace\", fontsize=10];\n");
    for node in 0..graph.nodes.len() {
        let lines: Vec<String> =
            label(program, graph, node).iter().map(|line| quoted(line)).collect();
        let _ = writeln!(out, "  n{node} [label=\"{}\"];", lines.join("\\n"));
    }
    for edge in &graph.edges {
        let (from, to, thread) = (edge.from, edge.to, edge.thread);
        let colour = colour(thread);
        let _ = writeln!(
            out,
            "  n{from} -> n{to} [label=\"T{thread}\", color=\"{colour}\", fontcolor=\"{colour}\"];"
        );
    }
    out.push_str("}\n");
    out
}

/// Distance of each node from the first one.
fn layers(graph: &Graph) -> Vec<usize> {
    let mut layers = vec![usize::MAX; graph.nodes.len()];
    let mut todo = std::collections::VecDeque::new();
    if let Some(first) = layers.first_mut() {
        *first = 0;
        todo.push_back(0);
    }
    while let Some(node) = todo.pop_front() {
        for edge in graph.edges.iter().filter(|edge| edge.from == node) {
            if layers[edge.to] == usize::MAX {
                layers[edge.to] = layers[node] + 1;
                todo.push_back(edge.to);
            }
        }
    }
    layers
}

/// A box in the drawing.
struct Placed {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    lines: Vec<String>,
}

const CHARACTER: f64 = 7.0;
const LINE: f64 = 14.0;
const GAP: f64 = 24.0;
const LAYER_GAP: f64 = 36.0;
const MARGIN: f64 = 12.0;

/// Boxes in layers, those of a layer in the order of what leads to them, which keeps crossings
/// few.
fn place(program: &Program, graph: &Graph) -> Vec<Placed> {
    let layers = layers(graph);
    let deepest = layers.iter().filter(|&&layer| layer != usize::MAX).max().copied().unwrap_or(0);
    let mut boxes: Vec<Placed> = (0..graph.nodes.len())
        .map(|node| {
            let lines = label(program, graph, node);
            let widest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(1);
            let width = widest as f64 * CHARACTER + 12.0;
            let height = lines.len().max(1) as f64 * LINE + 8.0;
            Placed { x: 0.0, y: 0.0, width, height, lines }
        })
        .collect();
    let mut y = MARGIN + LINE * 2.0;
    for layer in 0..=deepest {
        let mut nodes: Vec<usize> = (0..layers.len()).filter(|&n| layers[n] == layer).collect();
        let middle = |node: usize| {
            let before = graph.edges.iter().filter(|edge| edge.to == node);
            let before = before.filter(|edge| layers[edge.from] < layer);
            // The thread that moves keeps to its side.
            let all: Vec<f64> =
                before.map(|edge| boxes[edge.from].x + edge.thread as f64 * GAP / 4.0).collect();
            all.iter().sum::<f64>() / all.len().max(1) as f64
        };
        let keys: Vec<f64> = nodes.iter().map(|&node| middle(node)).collect();
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
        nodes = order.into_iter().map(|at| nodes[at]).collect();
        let total: f64 = nodes.iter().map(|&node| boxes[node].width + GAP).sum::<f64>() - GAP;
        let mut x = -total / 2.0;
        let mut tallest: f64 = 0.0;
        for node in nodes {
            let place = &mut boxes[node];
            place.x = x + place.width / 2.0;
            place.y = y;
            x += place.width + GAP;
            tallest = tallest.max(place.height);
        }
        y += tallest + LAYER_GAP;
    }
    boxes
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn svg(program: &Program, graph: &Graph) -> String {
    let boxes = place(program, graph);
    let title = title(graph);
    let left = boxes.iter().map(|b| b.x - b.width / 2.0).fold(0.0, f64::min) - MARGIN - LAYER_GAP;
    let right = boxes.iter().map(|b| b.x + b.width / 2.0).fold(0.0, f64::max) + MARGIN + LAYER_GAP;
    let right = right.max(left + title.chars().count() as f64 * CHARACTER + 2.0 * MARGIN);
    let bottom = boxes.iter().map(|b| b.y + b.height).fold(0.0, f64::max) + MARGIN;
    let width = right - left;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{left:.0} 0 {width:.0} {bottom:.0}\" \
         width=\"{width:.0}\" height=\"{bottom:.0}\" font-family=\"monospace\" font-size=\"11\">\n"
    );
    let _ = writeln!(
        out,
        "<rect x=\"{left:.0}\" y=\"0\" width=\"{width:.0}\" height=\"{bottom:.0}\" fill=\"#fff\"/>"
    );
    let _ = writeln!(
        out,
        "<text x=\"{:.0}\" y=\"{:.0}\">{}</text>",
        left + MARGIN,
        MARGIN + LINE / 2.0,
        escape(&title)
    );
    for edge in &graph.edges {
        arrow(&mut out, (&boxes[edge.from], &boxes[edge.to]), edge.thread);
    }
    for place in &boxes {
        let (x, y) = (place.x - place.width / 2.0, place.y);
        let _ = writeln!(
            out,
            "<rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{:.0}\" height=\"{:.0}\" rx=\"3\" \
             fill=\"#f6f6f6\" stroke=\"#555\"/>",
            place.width, place.height
        );
        for (nth, text) in place.lines.iter().enumerate() {
            let _ = writeln!(
                out,
                "<text x=\"{:.0}\" y=\"{:.0}\">{}</text>",
                x + 6.0,
                y + LINE * (nth as f64 + 1.0),
                escape(text)
            );
        }
    }
    out.push_str("</svg>\n");
    out
}

/// From box to box in the colour of the thread that moves; back up around the side.
fn arrow(out: &mut String, (from, to): (&Placed, &Placed), thread: usize) {
    let colour = colour(thread);
    let (x, y) = (from.x, from.y + from.height);
    if to.y > from.y {
        let (tx, ty) = (to.x, to.y);
        let _ = writeln!(
            out,
            "<line x1=\"{x:.0}\" y1=\"{y:.0}\" x2=\"{tx:.0}\" y2=\"{ty:.0}\" stroke=\"{colour}\"/>"
        );
        head(out, (tx, ty), (tx - x, ty - y), colour);
    } else {
        let (sx, sy) = (from.x + from.width / 2.0, from.y + from.height / 2.0);
        let (tx, ty) = (to.x + to.width / 2.0, to.y + to.height / 2.0);
        let side = sx.max(tx) + LAYER_GAP;
        let _ = writeln!(
            out,
            "<path d=\"M {sx:.0} {sy:.0} C {side:.0} {sy:.0} {side:.0} {ty:.0} {tx:.0} {ty:.0}\" \
             fill=\"none\" stroke=\"{colour}\"/>"
        );
        head(out, (tx, ty), (-1.0, 0.0), colour);
    }
    let (mx, my) = ((x + to.x) / 2.0, (y + to.y) / 2.0);
    if to.y > from.y {
        let _ = writeln!(
            out,
            "<text x=\"{:.0}\" y=\"{my:.0}\" fill=\"{colour}\" font-size=\"9\">T{thread}</text>",
            mx + 5.0
        );
    }
}

/// The tip of an arrow that comes from a direction.
fn head(out: &mut String, (x, y): (f64, f64), (dx, dy): (f64, f64), colour: &str) {
    let length = (dx * dx + dy * dy).sqrt().max(1.0);
    let (ux, uy) = (dx / length * 7.0, dy / length * 7.0);
    let (ax, ay) = (x - ux - uy / 2.0, y - uy + ux / 2.0);
    let (bx, by) = (x - ux + uy / 2.0, y - uy - ux / 2.0);
    let _ = writeln!(
        out,
        "<polygon points=\"{x:.1},{y:.1} {ax:.1},{ay:.1} {bx:.1},{by:.1}\" fill=\"{colour}\"/>"
    );
}
