//! The line that shows how a swarm is doing.

use std::time::Duration;

use heddle_swarm::Tally;

use crate::units::{show_bytes, show_count};

pub fn line(tally: &Tally, elapsed: Duration) -> String {
    let (answered, of) = &tally.roots;
    let all = of.to_f64();
    let left = match *answered {
        0 => String::new(),
        some if all > 1.0 => {
            let seconds = elapsed.as_secs_f64() * (all - some as f64) / some as f64;
            format!(", {} left", time(seconds))
        }
        _ => String::new(),
    };
    let depth = tally.depth.map_or(String::new(), |depth| format!("{depth}: "));
    let share = match all > 1.0 {
        true => format!(" ({answered} of {of})"),
        false => String::new(),
    };
    format!(
        "{depth}{} done{share}, {} found, {} discharged, {} timed out, {} running, {} waiting{left}, {}",
        show_count(tally.answered),
        show_count(tally.found),
        show_count(tally.discharged),
        show_count(tally.split + tally.undecided),
        show_count(tally.running),
        show_count(tally.waiting),
        show_bytes(tally.bytes),
    )
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3600.0),
        s if s < 1e9 => format!("{:.0} days", s / 86_400.0),
        _ => "ages".to_string(),
    }
}
