//! What a worker has used up so far: processor time and memory.

use heddle_explore::resident_bytes;
use heddle_swarm::worker::Usage;
use rustix::time::{ClockId, clock_gettime};

/// Of this process and of tools that it waited for.
pub fn usage() -> Usage {
    let own = clock_gettime(ClockId::ProcessCPUTime);
    let own = own.tv_sec as f64 + own.tv_nsec as f64 * 1e-9;
    let bytes = resident_bytes().unwrap_or(0);
    Usage { bytes, processor: Some(own + children().unwrap_or(0.0)) }
}

/// Children that have ended: `cutime` and `cstime` of proc(5), in ticks.
fn children() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program is in brackets, and may have any characters.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(13);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time_and_sleep_does_not() {
        let processor = || usage().processor.expect("told");
        let before = processor();
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]);
        assert!(command.status().expect("a shell").success());
        let worked = processor() - before;
        assert!(worked > 0.0, "{worked}");
        assert!(usage().bytes > 0);
    }
}
