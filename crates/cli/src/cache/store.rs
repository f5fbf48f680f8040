//! The folder in which answers are kept: a file each, named by its key, and not too many.

use std::path::PathBuf;
use std::time::SystemTime;

use heddle_witness::svcomp::sha256::hex;
use serde::{Deserialize, Serialize};

use crate::whole_file;

/// What all files together may have; the ones that nobody asked for longest go first.
const MOST_BYTES: u64 = 64 << 20;

/// What was printed, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    pub report: String,
    pub code: u8,
}

/// As it is written: with a checksum, since files can be torn.
#[derive(Serialize, Deserialize)]
struct Entry {
    sum: String,
    kept: Kept,
}

#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    most: u64,
}

impl Store {
    /// `$XDG_CACHE_HOME/heddle/answers`, else in `~/.cache`, if there is a home.
    pub fn open() -> Option<Store> {
        let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let cache = named("XDG_CACHE_HOME").filter(|path| path.is_absolute());
        let cache = cache.or_else(|| Some(named("HOME")?.join(".cache")))?;
        Some(Store { folder: cache.join("heddle/answers"), most: MOST_BYTES })
    }

    #[cfg(test)]
    pub fn at(folder: &std::path::Path, most: u64) -> Store {
        Store { folder: folder.to_path_buf(), most }
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }

    /// Whatever is wrong with a file, it is as if it were not there.
    pub fn get(&self, key: &str) -> Option<Kept> {
        let path = self.path(key);
        let entry: Entry = serde_json::from_slice(&std::fs::read(&path).ok()?).ok()?;
        if entry.sum != sum(&entry.kept) {
            return None;
        }
        // It was asked for now.
        let file = std::fs::File::options().append(true).open(&path);
        let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
        Some(entry.kept)
    }

    /// A folder that can't be written keeps nothing, which is no error.
    pub fn put(&self, key: &str, kept: Kept) {
        let entry = Entry { sum: sum(&kept), kept };
        let text = serde_json::to_string(&entry).expect("plain data");
        if text.len() as u64 > self.most || std::fs::create_dir_all(&self.folder).is_err() {
            return;
        }
        if whole_file::write(&self.path(key), text.as_bytes()).is_ok() {
            self.make_room();
        }
    }

    fn make_room(&self) {
        let Ok(files) = std::fs::read_dir(&self.folder) else { return };
        let about = |file: std::fs::DirEntry| {
            let about = file.metadata().ok()?;
            Some((about.modified().ok()?, about.len(), file.path()))
        };
        let mut files: Vec<_> = files.filter_map(Result::ok).filter_map(about).collect();
        files.sort();
        let mut bytes: u64 = files.iter().map(|file| file.1).sum();
        for (_, size, path) in files {
            if bytes <= self.most {
                return;
            }
            let _ = std::fs::remove_file(path);
            bytes -= size;
        }
    }
}

fn sum(kept: &Kept) -> String {
    hex(format!("{}\n{}", kept.code, kept.report).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(size: usize) -> Kept {
        Kept { report: "x".repeat(size), code: 10 }
    }

    #[test]
    fn what_was_put_is_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::at(&folder.path().join("new"), 10_000);
        assert_eq!(store.get("a"), None);
        store.put("a", kept(5));
        assert_eq!(store.get("a"), Some(kept(5)));
        assert_eq!(store.get("b"), None);
    }

    #[test]
    fn files_that_were_changed_are_not_believed() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::at(folder.path(), 10_000);
        store.put("a", kept(5));
        let path = store.path("a");
        let text = std::fs::read_to_string(&path).expect("there");
        for wrong in [text.replace("\"code\":10", "\"code\":0"), text[..20].to_string()] {
            assert_ne!(wrong, text);
            std::fs::write(&path, wrong).expect("written");
            assert_eq!(store.get("a"), None);
        }
    }

    #[test]
    fn the_oldest_make_room() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::at(folder.path(), 1000);
        for key in ["a", "b", "c"] {
            store.put(key, kept(200));
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert!(store.get("a").is_some(), "all fit");
        std::thread::sleep(std::time::Duration::from_millis(20));
        store.put("d", kept(200));
        assert!(store.get("b").is_none(), "nobody asked for it longest");
        assert!(store.get("a").is_some() && store.get("d").is_some());
        store.put("e", kept(2000));
        assert!(store.get("e").is_none(), "larger than all there may be");
    }
}
