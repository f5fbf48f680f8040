//! A cluster of one node, started by `tests/cluster/one_node.sh`; without Slurm, or not as
//! root, nothing is tested here but that heddle says so.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{self, finish, root};
use crate::{answered, counters};

const LIMIT: Duration = Duration::from_secs(300);

struct Cluster {
    folder: tempfile::TempDir,
    conf: PathBuf,
}

impl Cluster {
    fn start() -> Option<Cluster> {
        let folder = tempfile::tempdir().expect("a folder");
        let output = Cluster::script("start", folder.path()).output().expect("bash");
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            eprintln!("NOT TESTED: no cluster: {}", why.trim());
            return None;
        }
        let conf = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        Some(Cluster { folder, conf })
    }

    fn script(what: &str, folder: &Path) -> Command {
        let mut command = Command::new(root().join("tests/cluster/one_node.sh"));
        command.arg(what).arg(folder);
        command
    }

    fn slurm(&self, program: &str, args: &[&str]) -> String {
        let output = Command::new(program).args(args).env("SLURM_CONF", &self.conf).output();
        String::from_utf8_lossy(&output.expect("runs").stdout).into_owned()
    }

    fn swarm(&self, program: &str, kept: &str) -> Child {
        let args = ["swarm", program, "--tiles", "2", "--tile-size", "1", "--runner", "slurm"];
        let mut command = common::command(&args);
        command.args(["--instances", "500", "--jobs", "8", "--dir", kept]);
        command.env("SLURM_CONF", &self.conf).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("starts")
    }

    /// Waits until so many instances are answered.
    fn wait_for(&self, kept: &str, most: usize) {
        let begun = Instant::now();
        let journal = Path::new(kept).join("journal.jsonl");
        let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
        while lines() < most && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.slurm("scancel", &["--name", "heddle"]);
        let _ = Cluster::script("stop", self.folder.path()).status();
    }
}

/// 500 instances, while a worker is killed, the node drained and resumed, a job requeued, and
/// everything cancelled; the coordinator is killed too, and begun again.
#[test]
fn five_hundred_instances_through_a_cluster() {
    let Some(cluster) = Cluster::start() else { return };
    let (folder, program) = counters();
    let kept = folder.path().join("kept").to_string_lossy().into_owned();
    let mut first = cluster.swarm(&program, &kept);
    cluster.wait_for(&kept, 3);
    let jobs = cluster.slurm("squeue", &["--noheader", "--array", "--format", "%i %t"]);
    let running = jobs.lines().find(|line| line.ends_with(" R"));
    if let Some(job) = running.and_then(|line| line.split(' ').next()) {
        cluster.slurm("scancel", &["--signal=KILL", "--full", job]);
    }
    let node = cluster.slurm("sinfo", &["--noheader", "--format", "%n"]);
    let node = format!("NodeName={}", node.trim());
    cluster.slurm("scontrol", &["update", &node, "State=DRAIN", "Reason=test"]);
    std::thread::sleep(Duration::from_millis(500));
    cluster.slurm("scontrol", &["update", &node, "State=RESUME"]);
    let jobs = cluster.slurm("squeue", &["--noheader", "--array", "--format", "%i"]);
    if let Some(job) = jobs.lines().next() {
        cluster.slurm("scontrol", &["requeue", job.trim()]);
    }
    cluster.wait_for(&kept, 60);
    let _ = first.kill();
    let _ = first.wait();
    let second = cluster.swarm(&program, &kept);
    cluster.wait_for(&kept, 120);
    cluster.slurm("scancel", &["--name", "heddle"]);
    let run = finish(second, LIMIT).expect("in time");
    assert!(run.stdout.contains("500 of"), "{}{}", run.stdout, run.stderr);
    let roots = answered(Path::new(&kept));
    let roots = roots.iter().filter(|id| id.ends_with(|c: char| c.is_ascii_digit()));
    assert_eq!(roots.count(), 500);
    assert_eq!(cluster.slurm("squeue", &["--noheader", "--name", "heddle"]), "");
}
