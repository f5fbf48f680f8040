//! Disks that are full or can't be written. Needs file systems of its own, so root.

use std::path::Path;
use std::process::Command;

use crate::common::heddle;
use crate::{LIMIT, answered, counters};

/// A small file system in memory, for as long as this lives.
struct Small<'a>(&'a Path);

impl<'a> Small<'a> {
    fn mount(path: &'a Path, kib: u32) -> Option<Small<'a>> {
        std::fs::create_dir_all(path).expect("a folder");
        let size = format!("size={kib}k");
        let mut command = Command::new("mount");
        let status = command.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(path).status();
        if !status.is_ok_and(|status| status.success()) {
            eprintln!("NOT TESTED: no file system can be mounted here");
            return None;
        }
        Some(Small(path))
    }

    fn remount(&self, how: &str) {
        let _ = Command::new("mount").args(["-o", &format!("remount,{how}")]).arg(self.0).status();
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn a_full_disk_is_told_and_the_journal_stays_whole() {
    let (folder, program) = counters();
    let place = folder.path().join("small");
    let Some(disk) = Small::mount(&place, 24) else { return };
    let kept = place.join("kept");
    let kept = kept.to_string_lossy();
    let flags = ["swarm", &program, "--tiles", "2", "--tile-size", "1", "--instances", "400"];
    let args: Vec<&str> = flags.into_iter().chain(["--dir", &kept]).collect();
    let run = heddle(&args, LIMIT).expect("in time");
    assert_eq!(run.code, Some(2), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("No space left"), "{}", run.stderr);
    let before = answered(Path::new(&*kept));
    assert!(!before.is_empty() && before.len() < 400, "{}", before.len());
    disk.remount("size=4096k");
    let run = heddle(&args, LIMIT).expect("in time");
    assert!(run.stdout.contains("400 of"), "{}{}", run.stdout, run.stderr);
    assert!(answered(Path::new(&*kept)).is_superset(&before));
    disk.remount("ro");
    let run = heddle(&args, LIMIT).expect("in time");
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    assert!(run.stderr.contains("Read-only file system"), "{}", run.stderr);
}
