//! The wait-for graph of a deadlock as SVG: threads, what they wait for, and who has it.
//!
//! Threads that wait for each other stand in a ring with their locks between them, so that
//! the cycle is a circle. Who waits for them stands below, as many beside each other as fit.

use std::collections::HashMap;
use std::f64::consts::TAU;
use std::fmt::Write;

use heddle_semantics::ThreadId;

use crate::deadlock::{DeadlockReport, Waiting};
use crate::text::thread_title;
use crate::trace::Trace;
use crate::xml::escape;

const WIDTH: f64 = 720.0;
/// Half the sizes of a node.
const HALF: (f64, f64) = (74.0, 19.0);
const BESIDE: usize = 4;

/// A node by what it stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Node {
    Thread(ThreadId),
    Object(String),
}

pub(super) fn wait_for(trace: &Trace, report: &DeadlockReport) -> String {
    let (places, height) = layout(report);
    let mut out = format!(
        "<svg class=\"graph\" role=\"img\" aria-label=\"wait-for graph\" viewBox=\"0 0 {WIDTH} \
         {height:.0}\">\n<defs>{}{}</defs>\n",
        tip("waits"),
        tip("has")
    );
    for waiting in &report.waiting {
        let me = Node::Thread(waiting.thread);
        let object = object_of(waiting);
        edge(&mut out, &places, &me, &object, "waits");
        for holder in &waiting.holders {
            edge(&mut out, &places, &object, &Node::Thread(holder.thread), "has");
        }
    }
    let mut nodes: Vec<_> = places.iter().collect();
    nodes.sort_by(|a, b| a.1.partial_cmp(b.1).unwrap_or(std::cmp::Ordering::Equal));
    for (node, place) in nodes {
        draw(&mut out, trace, node, *place);
    }
    out.push_str("</svg>\n");
    out
}

/// What a thread waits for; a thread stands for itself.
fn object_of(waiting: &Waiting) -> Node {
    match (&waiting.object, waiting.kind) {
        (Some(name), _) => Node::Object(name.clone()),
        (None, "thread") => {
            let words = waiting.what.split(' ');
            let id = words.filter_map(|word| word.strip_prefix('T')?.parse().ok()).next();
            id.map_or_else(|| Node::Object(waiting.what.clone()), |id| Node::Thread(ThreadId(id)))
        }
        (None, _) => Node::Object(waiting.what.clone()),
    }
}

fn layout(report: &DeadlockReport) -> (HashMap<Node, (f64, f64)>, f64) {
    let mut ring: Vec<Node> = Vec::new();
    let mut below: Vec<Node> = Vec::new();
    let in_root = |waiting: &&Waiting| report.root.contains(&waiting.thread);
    for waiting in report.waiting.iter().filter(in_root) {
        for node in [Node::Thread(waiting.thread), object_of(waiting)] {
            if !ring.contains(&node) {
                ring.push(node);
            }
        }
    }
    let holders = |waiting: &Waiting| {
        let threads: Vec<Node> = waiting.holders.iter().map(|h| Node::Thread(h.thread)).collect();
        threads
    };
    for waiting in &report.waiting {
        let nodes = [Node::Thread(waiting.thread), object_of(waiting)];
        for node in nodes.into_iter().chain(holders(waiting)) {
            if !ring.contains(&node) && !below.contains(&node) {
                below.push(node);
            }
        }
    }
    let mut places = HashMap::new();
    let bottom = if ring.len() <= 2 {
        let gap = WIDTH / (ring.len() + 1) as f64;
        for (at, node) in ring.into_iter().enumerate() {
            places.insert(node, (gap * (at + 1) as f64, 40.0));
        }
        80.0
    } else {
        let (across, down) = (250.0, 26.0 * ring.len() as f64);
        let count = ring.len() as f64;
        for (at, node) in ring.into_iter().enumerate() {
            // From the left, clockwise.
            let angle = TAU * (at as f64 / count + 0.5);
            let place = (WIDTH / 2.0 + across * angle.cos(), down + 30.0 + down * angle.sin());
            places.insert(node, place);
        }
        2.0 * down + 60.0
    };
    let rows = below.len().div_ceil(BESIDE);
    for (at, node) in below.into_iter().enumerate() {
        let step = WIDTH / BESIDE as f64;
        let x = step * ((at % BESIDE) as f64 + 0.5);
        places.insert(node, (x, bottom + 50.0 + 76.0 * (at / BESIDE) as f64));
    }
    (places, bottom + if rows > 0 { 20.0 + 76.0 * rows as f64 } else { 0.0 })
}

fn draw(out: &mut String, trace: &Trace, node: &Node, (x, y): (f64, f64)) {
    let (class, text, radius, hue) = match node {
        Node::Thread(thread) => {
            let lane = trace.threads.iter().position(|info| info.id == *thread).unwrap_or(0);
            ("thread", thread_title(trace, *thread), HALF.1, hue(lane))
        }
        Node::Object(name) => ("object", name.clone(), 4.0, 0),
    };
    let short: String = match text.chars().count() {
        0..=20 => text.clone(),
        _ => text.chars().take(19).chain(['…']).collect(),
    };
    let _ = writeln!(
        out,
        "<g style=\"--hue:{hue}\"><title>{}</title><rect class=\"{class}\" x=\"{:.1}\" \
         y=\"{:.1}\" width=\"{}\" height=\"{}\" rx=\"{radius}\"/><text x=\"{x:.1}\" \
         y=\"{y:.1}\">{}</text></g>",
        escape(&text),
        x - HALF.0,
        y - HALF.1,
        2.0 * HALF.0,
        2.0 * HALF.1,
        escape(&short)
    );
}

/// The same hues as the lanes of the script.
fn hue(lane: usize) -> u32 {
    [212, 24, 152, 318, 48, 262, 182, 0, 96, 232][lane % 10]
}

fn edge(out: &mut String, places: &HashMap<Node, (f64, f64)>, from: &Node, to: &Node, class: &str) {
    let (Some(&a), Some(&b)) = (places.get(from), places.get(to)) else { return };
    let label = if class == "waits" { "waits for" } else { "held by" };
    // A lock that its own thread waits for: one edge there, another back.
    let bend = if class == "waits" { -16.0 } else { 16.0 };
    let length = (b.0 - a.0).hypot(b.1 - a.1).max(1.0);
    let (nx, ny) = ((a.1 - b.1) / length, (b.0 - a.0) / length);
    let middle = ((a.0 + b.0) / 2.0 + nx * bend, (a.1 + b.1) / 2.0 + ny * bend);
    let (start, end) = (border(a, middle), border(b, middle));
    let _ = writeln!(
        out,
        "<path class=\"edge {class}\" marker-end=\"url(#tip-{class})\" d=\"M{:.1} {:.1} Q{:.1} \
         {:.1} {:.1} {:.1}\"/><text class=\"note\" x=\"{:.1}\" y=\"{:.1}\">{label}</text>",
        start.0,
        start.1,
        middle.0,
        middle.1,
        end.0,
        end.1,
        middle.0 + nx * bend.signum() * 16.0,
        middle.1 + ny * bend.signum() * 6.0
    );
}

/// Where the way from a node's middle to a point leaves its rectangle.
fn border(node: (f64, f64), to: (f64, f64)) -> (f64, f64) {
    let (dx, dy) = (to.0 - node.0, to.1 - node.1);
    let room = |half: f64, d: f64| if d == 0.0 { f64::INFINITY } else { (half + 3.0) / d.abs() };
    let share = room(HALF.0, dx).min(room(HALF.1, dy)).min(1.0);
    (node.0 + dx * share, node.1 + dy * share)
}

fn tip(class: &str) -> String {
    format!(
        "<marker id=\"tip-{class}\" viewBox=\"0 0 10 10\" refX=\"8\" refY=\"5\" \
         markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path class=\"tip {class}\" \
         d=\"M0 0L10 5L0 10z\"/></marker>"
    )
}
