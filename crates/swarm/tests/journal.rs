//! The journal, whatever happens to its file.

mod common;

use common::{Fake, answered, clear, header, options, swarm, threads, windows};
use heddle_swarm::Journal;

/// A whole journal, of some instances.
fn example(folder: &std::path::Path) -> Vec<u8> {
    let mut runner = Fake::new(3, |_| clear());
    let options = options(Some(windows(1, 2, None)));
    let conclusion = swarm(folder, &mut runner, &options, &threads(&[4, 3])).expect("runs");
    assert!(conclusion.decided);
    std::fs::read(Journal::path(folder)).expect("readable")
}

/// Ended at any byte: what is whole stays, the rest is asked again, nothing twice.
#[test]
fn cut_off_anywhere() {
    let whole = tempfile::tempdir().expect("a folder");
    let bytes = example(whole.path());
    let all = answered(whole.path());
    assert_eq!(all.len(), 6 * 3);
    for end in 0..bytes.len() {
        // Every byte of the last line, some of the others.
        if end % 29 != 0 && end + 130 < bytes.len() {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = Journal::path(folder.path());
        std::fs::write(&path, &bytes[..end]).expect("written");
        let mut runner = Fake::new(2, |_| clear());
        let options = options(Some(windows(1, 2, None)));
        swarm(folder.path(), &mut runner, &options, &threads(&[4, 3])).expect("goes on");
        assert_eq!(answered(folder.path()), all, "cut after {end} bytes");
        let known = bytes[..end].split_inclusive(|&byte| byte == b'\n');
        let known = known.filter(|line| line.ends_with(b"\n") && line.starts_with(b"{\"done"));
        assert_eq!(runner.answered, all.len() - known.count(), "cut after {end} bytes");
    }
}

/// What is changed in the middle is damage, and is not taken for an end.
#[test]
fn damage_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut bytes = example(folder.path());
    let place = bytes.len() / 2;
    bytes[place] ^= 1;
    std::fs::write(Journal::path(folder.path()), &bytes).expect("written");
    let error = Journal::open(folder.path(), &header(1)).expect_err("is damaged").to_string();
    assert!(error.contains("damaged"), "{error}");
    let after = std::fs::read(Journal::path(folder.path())).expect("readable");
    assert_eq!(after, bytes, "nothing is changed");
}

#[test]
fn others_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let (journal, _) = Journal::open(folder.path(), &header(1)).expect("new");
    let error = Journal::open(folder.path(), &header(1)).expect_err("is locked").to_string();
    assert!(error.contains("another heddle"), "{error}");
    drop(journal);
    let error = Journal::open(folder.path(), &header(2)).expect_err("other size").to_string();
    assert!(error.contains("--tile-size 1, not 2"), "{error}");
    let other = heddle_swarm::Header { program: "q".to_string(), ..header(1) };
    let error = Journal::open(folder.path(), &other).expect_err("other program").to_string();
    assert!(error.contains("another program"), "{error}");
    let newer = heddle_swarm::Header { schema: 9, ..header(1) };
    let second = tempfile::tempdir().expect("a folder");
    drop(Journal::open(second.path(), &newer).expect("new"));
    let error = Journal::open(second.path(), &header(1)).expect_err("newer").to_string();
    assert!(error.contains("schema 9"), "{error}");
}
