//! A bar for each number, as SVG.

use std::fmt::Write;

/// A group of bars: its name, and for each bar a label and a percentage.
pub struct Group {
    pub name: String,
    pub bars: Vec<(String, f64)>,
}

const WIDTH: f64 = 760.0;
const LEFT: f64 = 260.0;
const BAR: f64 = 16.0;
const GAP: f64 = 14.0;
const TOP: f64 = 50.0;

/// Bars to the right are costs, to the left gains. The axis is as long as the largest
/// of them, and at least 20 %.
pub fn draw(title: &str, groups: &[Group]) -> String {
    let all = || groups.iter().flat_map(|group| group.bars.iter().map(|bar| bar.1));
    let most = all().fold(20.0, f64::max);
    let least = all().fold(0.0, f64::min).abs();
    let scale = (WIDTH - LEFT - 70.0) / (most + least);
    let zero = LEFT + least * scale;
    let bars: usize = groups.iter().map(|group| group.bars.len()).sum();
    let height = TOP + bars as f64 * BAR + groups.len() as f64 * GAP + 20.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\">\n\
         <style>text {{ font: 12px sans-serif; fill: #222 }} .name {{ font-weight: bold }} \
         .label {{ text-anchor: end }} rect.cost {{ fill: #c4654d }} rect.gain {{ fill: #5b8c5a }}\
         </style>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text class=\"name\" x=\"12\" y=\"24\">{title}</text>\n"
    );
    let mut y = TOP;
    for group in groups {
        let _ =
            writeln!(svg, "<text class=\"name\" x=\"12\" y=\"{}\">{}</text>", y + 12.0, group.name);
        for (label, value) in &group.bars {
            let length = value.abs() * scale;
            let x = if *value < 0.0 { zero - length } else { zero };
            let class = if *value < 0.0 { "gain" } else { "cost" };
            let _ = writeln!(
                svg,
                "<text class=\"label\" x=\"{}\" y=\"{}\">{label}</text>\
                 <rect class=\"{class}\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"{}\"/>\
                 <text x=\"{:.1}\" y=\"{}\">{value:.0} %</text>",
                LEFT - 8.0,
                y + 12.0,
                y + 2.0,
                BAR - 4.0,
                zero.max(x + length) + 6.0,
                y + 12.0
            );
            y += BAR;
        }
        y += GAP;
    }
    let _ = writeln!(
        svg,
        "<line x1=\"{zero:.1}\" y1=\"{}\" x2=\"{zero:.1}\" y2=\"{y}\" stroke=\"#222\"/>\n</svg>",
        TOP - 6.0
    );
    svg
}
