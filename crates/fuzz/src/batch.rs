//! Many programs in one C file: the compiler starts once for all of them.

use std::io::Write;
use std::path::Path;

use heddle_ir::{FuncId, Program};

use crate::ast::{Stmt, Test};
use crate::print::{HEADER, Waits, print};

/// A compiled program with its place in the file it stands in.
pub struct Compiled {
    pub program: Program,
    pub entry: FuncId,
    /// Line of the file before its first one.
    pub line: u32,
    /// It has heap blocks, and asks of each whether the allocation has failed.
    pub asks_for_blocks: bool,
}

/// Compiles all programs, each in two ways if there are two: see [`Waits`].
pub fn compile(tests: &[(&Test, Waits)], spurious: bool) -> Vec<Compiled> {
    let mut text = HEADER.to_string();
    let mut lines = Vec::new();
    for (index, (test, waits)) in tests.iter().enumerate() {
        lines.push(text.lines().count() as u32);
        text += &print(test, &prefix(index), *waits);
    }
    let whole = compile_text(&text, spurious);
    let only = |index: usize| {
        let prefix = prefix(index);
        let program = focus(&whole, &prefix);
        let entry = program.find_function(&format!("{prefix}main")).expect("just printed");
        let asks_for_blocks = asks_for_blocks(tests[index].0);
        Compiled { program, entry, line: lines[index], asks_for_blocks }
    };
    (0..tests.len()).map(only).collect()
}

fn asks_for_blocks(test: &Test) -> bool {
    let asks = |stmt: &Stmt| matches!(stmt, Stmt::AllocateOr { .. });
    let takes =
        |stmt: &Stmt| matches!(stmt, Stmt::Allocate { .. } | Stmt::Reallocate | Stmt::Partly(_));
    test.any(asks) && !test.any(takes)
}

fn prefix(index: usize) -> String {
    format!("p{index}_")
}

/// The same program with everything of the others emptied, so that a machine
/// for it is small and final states are about its own variables.
fn focus(whole: &Program, prefix: &str) -> Program {
    let mut program = whole.clone();
    for function in &mut program.functions {
        if is_prefixed(&function.name) && !function.name.starts_with(prefix) {
            function.blocks.clear();
        }
    }
    for global in &mut program.globals {
        if is_prefixed(&global.name) && !global.name.starts_with(prefix) {
            global.constant = true;
        }
    }
    program
}

fn is_prefixed(name: &str) -> bool {
    let number = name.strip_prefix('p').and_then(|rest| rest.split_once('_'));
    number.is_some_and(|(number, _)| number.parse::<usize>().is_ok())
}

/// Compiles a file of our own making: that it does not compile is a mistake here.
pub fn compile_text(text: &str, spurious: bool) -> Program {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("fuzz.c");
    write(&path, text);
    let mut flags = vec!["-w".to_string()];
    if spurious {
        flags.extend(heddle_frontend::SPURIOUS_WAKEUPS.iter().map(ToString::to_string));
    }
    let wakeups = text.contains("pthread_cond_wait") && !spurious;
    let options =
        heddle_frontend::Options { inputs: vec![path], flags, wakeups, ..Default::default() };
    heddle_frontend::compile(&options).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

pub fn write(path: &Path, text: &str) {
    let written = std::fs::File::create(path).and_then(|mut file| file.write_all(text.as_bytes()));
    if let Err(error) = written {
        panic!("{}: {error}", path.display());
    }
}
