//! Workers and coordinators that are killed at random moments: no instance is lost, none is
//! answered twice.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::{answered, common, counters};

/// A few random bits.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn start(program: &str, kept: &str, instances: u64) -> Child {
    let instances = instances.to_string();
    let args = ["swarm", program, "--tiles", "2", "--tile-size", "1", "--dir", kept, "--jobs", "2"];
    let mut command = common::command(&args);
    command.args(["--instances", &instances]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts")
}

/// Children of a process.
fn workers(of: u32) -> Vec<String> {
    let path = format!("/proc/{of}/task/{of}/children");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().map(str::to_string).collect()
}

fn kill(process: &str) {
    let _ = Command::new("kill").args(["-9", process]).stderr(Stdio::null()).status();
}

/// Kills so many processes; half of them are workers. Gives how often a swarm was begun.
fn campaign(kills: u64, instances: u64, seed: u64) -> u64 {
    let (folder, program) = counters();
    let kept = folder.path().join("kept");
    let kept = kept.to_string_lossy().into_owned();
    let mut random = Random(seed);
    let (mut killed, mut begun) = (0, 0);
    while killed < kills {
        let mut swarm = start(&program, &kept, instances);
        begun += 1;
        loop {
            std::thread::sleep(Duration::from_millis(20 + random.below(150)));
            if swarm.try_wait().expect("can be waited for").is_some() {
                break;
            }
            let workers = workers(swarm.id());
            if random.below(2) == 0 && !workers.is_empty() {
                kill(&workers[random.below(workers.len() as u64) as usize]);
                killed += 1;
            } else {
                let _ = swarm.kill();
                let _ = swarm.wait();
                killed += 1;
                break;
            }
        }
        let journal = Path::new(&kept).join("journal.jsonl");
        if answered_so_far(&journal) >= instances as usize {
            std::fs::remove_dir_all(&kept).expect("removed");
        }
    }
    let mut last = start(&program, &kept, instances);
    assert_eq!(last.wait().expect("ends").code(), Some(20));
    let names = answered(Path::new(&kept));
    let expected: std::collections::BTreeSet<String> =
        (0..instances).map(|number| format!("0.{number}")).collect();
    let roots: std::collections::BTreeSet<String> =
        names.into_iter().filter(|id| id.ends_with(|c: char| c.is_ascii_digit())).collect();
    assert_eq!(roots, expected);
    begun
}

/// Answers are never there twice, whenever one looks.
fn answered_so_far(journal: &Path) -> usize {
    let text = std::fs::read_to_string(journal).unwrap_or_default();
    let ids = text.lines().filter_map(|line| line.strip_prefix("{\"done\":{\"id\":\""));
    let ids: Vec<&str> = ids.filter_map(|rest| rest.split('"').next()).collect();
    let distinct: std::collections::BTreeSet<&&str> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len(), "answered twice");
    ids.len()
}

#[test]
fn nothing_is_lost_or_done_twice() {
    campaign(24, 600, 0x5eed);
}

/// `cargo test -p heddle-cli --test swarm a_thousand_kills -- --ignored --nocapture`
#[test]
#[ignore = "minutes"]
fn a_thousand_kills() {
    let begun = campaign(1000, 1600, 0xfeed);
    println!("1000 kills, {begun} times begun");
}
