//! Shared by the tests: source text in, printed IR out.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::PathBuf;

use heddle_frontend::{Error, Options, compile};
use heddle_ir::{FuncId, Program, print_function, print_program};

/// A folder with input files, removed when dropped.
pub struct Files {
    folder: tempfile::TempDir,
    pub options: Options,
}

impl Files {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut options = Options::default();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            options.inputs.push(path);
        }
        Files { folder, options }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn compile(&self) -> Result<Program, Error> {
        compile(&self.options)
    }
}

pub fn try_c(text: &str) -> Result<Program, Error> {
    Files::new(&[("test.c", text)]).compile()
}

/// Compiles C, or fails the test with what the compiler said.
pub fn c(text: &str) -> Program {
    accept(try_c(text))
}

pub fn cpp(text: &str) -> Program {
    accept(Files::new(&[("test.cpp", text)]).compile())
}

pub fn ll(text: &str) -> Program {
    accept(Files::new(&[("test.ll", text)]).compile())
}

pub fn c32(text: &str) -> Program {
    let mut files = Files::new(&[("test.c", text)]);
    files.options.ilp32 = true;
    accept(files.compile())
}

pub fn accept(result: Result<Program, Error>) -> Program {
    match result {
        Ok(program) => program,
        Err(Error::Compiler { stderr, .. }) => panic!("{stderr}"),
        Err(error) => panic!("{error}"),
    }
}

/// A function's text without positions.
pub fn text(program: &Program, name: &str) -> String {
    let id: FuncId = program.find_function(name).unwrap_or_else(|| panic!("no function {name}"));
    without_comments(&print_function(program, id))
}

pub fn globals(program: &Program) -> String {
    let all = print_program(program);
    all.lines()
        .filter(|line| line.starts_with("global "))
        .map(|line| line.split("  ;").next().unwrap_or(line).to_owned() + "\n")
        .collect()
}

/// Texts of the places of all accesses and calls of a function, in order.
pub fn places(program: &Program, name: &str) -> Vec<String> {
    let id = program.find_function(name).unwrap();
    let insts = program.function(id).blocks.iter().flat_map(|block| &block.insts);
    insts.filter_map(|inst| Some(program.place(inst.place?).text.clone())).collect()
}

fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("  ;").next().unwrap_or(line).to_owned() + "\n").collect()
}

/// Fails unless all parts occur in the text, in this order.
pub fn expect(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => panic!("expected {part:?} in order in\n{text}"),
        }
    }
}
