//! Expected time to a violation against cores, as SVG: Figure 6 of Nguyen et al. (ASE 2017;
//! `docs/papers.md`). Both axes are logarithmic.

use std::fmt::Write;

use crate::statistics::Statistics;

pub const MOST_CORES: usize = 2000;
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 56.0;
const COLOURS: [&str; 6] = ["#3465a4", "#a40000", "#4e9a06", "#75507b", "#c17d11", "#555753"];

/// A curve and its name.
pub struct Curve<'a> {
    pub name: String,
    pub statistics: &'a Statistics,
}

/// Where values fall.
struct Axes {
    low: f64,
    high: f64,
}

impl Axes {
    fn x(&self, cores: usize) -> f64 {
        let share = (cores as f64).ln() / (MOST_CORES as f64).ln();
        LEFT + share * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, seconds: f64) -> f64 {
        let share = (seconds / self.low).ln() / (self.high / self.low).ln();
        HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
    }
}

pub fn draw(title: &str, curves: &[Curve<'_>]) -> String {
    let times = curves.iter().flat_map(|curve| {
        [1, MOST_CORES].into_iter().filter_map(|n| Some(curve.statistics.expectation(n)?.0))
    });
    let times: Vec<f64> = times.map(|time| time.max(1e-4)).collect();
    let low = times.iter().copied().fold(f64::INFINITY, f64::min);
    let high = times.iter().copied().fold(0.0, f64::max);
    let mut svg = head(title);
    if times.is_empty() {
        svg.push_str("<text x=\"80\" y=\"90\">no instance with a violation</text>\n</svg>\n");
        return svg;
    }
    // Whole powers of ten, at least one.
    let low = 10f64.powf(low.log10().floor());
    let high = 10f64.powf(high.log10().ceil()).max(low * 10.0);
    let axes = Axes { low, high };
    grid(&mut svg, &axes);
    for (at, curve) in curves.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        line(&mut svg, &axes, curve.statistics, colour);
        let y = TOP + 18.0 + at as f64 * 17.0;
        let x = WIDTH - RIGHT - 290.0;
        let _ = writeln!(
            svg,
            "<line x1=\"{x}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{colour}\" \
             stroke-width=\"2\"/><text x=\"{}\" y=\"{}\">{}</text>",
            x + 22.0,
            x + 28.0,
            y + 4.0,
            escape(&curve.name)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn head(title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\">\n\
         <style>text {{ font: 12px sans-serif; fill: #222 }} .title {{ font-size: 15px }} \
         .right {{ text-anchor: end }} .middle {{ text-anchor: middle }} \
         .grid {{ stroke: #ddd }}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text class=\"title\" x=\"16\" y=\"24\">{}</text>\n\
         <text x=\"16\" y=\"42\">● 0.95, ■ 0.99 likely to find a violation with so many \
         cores</text>\n",
        escape(title)
    )
}

fn grid(svg: &mut String, axes: &Axes) {
    let mut time = axes.low;
    while time <= axes.high * 1.0001 {
        let y = axes.y(time);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{}\" y2=\"{y:.1}\"/>\
             <text class=\"right\" x=\"{}\" y=\"{:.1}\">{} s</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y + 4.0,
            shown(time)
        );
        time *= 10.0;
    }
    let foot = HEIGHT - BOTTOM;
    for cores in [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000] {
        let x = axes.x(cores);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{foot}\"/>\
             <text class=\"middle\" x=\"{x:.1}\" y=\"{}\">{cores}</text>",
            foot + 16.0
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"middle\" x=\"{}\" y=\"{}\">cores</text>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        foot + 38.0
    );
}

fn line(svg: &mut String, axes: &Axes, statistics: &Statistics, colour: &str) {
    let place = |cores: usize| {
        let (time, _) = statistics.expectation(cores)?;
        Some((axes.x(cores), axes.y(time.max(1e-4))))
    };
    let mut path = String::new();
    let mut cores = 1;
    while cores <= MOST_CORES {
        if let Some((x, y)) = place(cores) {
            let _ = write!(path, "{x:.1},{y:.1} ");
        }
        cores += (cores / 12).max(1);
    }
    let _ = writeln!(
        svg,
        "<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"
    );
    for (chance, round) in [(0.95, true), (0.99, false)] {
        let Some(cores) = statistics.cores_for(chance).filter(|&n| n <= MOST_CORES) else {
            continue;
        };
        let Some((x, y)) = place(cores) else { continue };
        let _ = match round {
            true => {
                writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"{colour}\"/>")
            }
            false => writeln!(
                svg,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"9\" height=\"9\" fill=\"{colour}\"/>",
                x - 4.5,
                y - 4.5
            ),
        };
    }
}

fn shown(time: f64) -> String {
    match time >= 1.0 {
        true => format!("{time:.0}"),
        false => format!("{}", (time * 1e4).round() / 1e4),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
