//! Tells the binary which commit it is built from.

use std::process::Command;

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok().filter(|it| it.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

fn main() {
    println!("cargo::rerun-if-env-changed=HEDDLE_COMMIT");
    println!("cargo::rerun-if-changed=build.rs");
    // Where the name of the branch is, and where its commit is; several commits are in one file.
    let branch = git(&["symbolic-ref", "-q", "HEAD"]);
    let files = ["HEAD", "packed-refs"].map(str::to_string).into_iter().chain(branch);
    for file in files {
        let path = git(&["rev-parse", "--git-path", &file]);
        if let Some(path) = path.filter(|path| std::path::Path::new(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    // Who packs sources without their history can say it.
    let commit = std::env::var("HEDDLE_COMMIT").ok().filter(|it| !it.is_empty());
    let commit = commit.or_else(|| git(&["rev-parse", "--short=12", "HEAD"]));
    println!("cargo::rustc-env=HEDDLE_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
}
