//! Every wrong input is one line of error, never a crash.

mod common;

use common::Files;
use heddle_frontend::{Error, Options, compile};

fn message(files: &Files) -> String {
    let error = files.compile().expect_err("an error");
    let text = error.to_string();
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

fn one_input(path: std::path::PathBuf) -> String {
    let error = compile(&Options { inputs: vec![path], ..Options::default() }).unwrap_err();
    error.to_string()
}

#[test]
fn no_inputs() {
    assert_eq!(compile(&Options::default()).unwrap_err().to_string(), "no input files");
}

#[test]
fn missing_file() {
    assert_eq!(one_input("does-not-exist.c".into()), "does-not-exist.c: no such file");
}

#[test]
fn directory() {
    let files = Files::new(&[]);
    let path = files.path("folder.c");
    std::fs::create_dir(&path).unwrap();
    assert!(one_input(path).ends_with("is a directory"));
}

#[test]
fn unknown_extension() {
    let files = Files::new(&[("notes.txt", "hello")]);
    assert!(message(&files).contains("not a kind of file that can be checked"));
}

#[test]
fn compiler_errors_are_kept_as_they_are() {
    let files = Files::new(&[("bad.c", "int main(void) { return x; }")]);
    match files.compile() {
        Err(Error::Compiler { stderr, .. }) => {
            assert!(stderr.contains("use of undeclared identifier 'x'"), "{stderr}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn junk_bitcode() {
    let files = Files::new(&[("junk.bc", "\u{1}\u{2}\u{3}not bitcode")]);
    assert!(message(&files).contains("not valid LLVM bitcode or IR"));
}

#[test]
fn truncated_bitcode() {
    let files = Files::new(&[("cut.bc", "")]);
    // The magic number of bitcode, and nothing after it.
    std::fs::write(files.path("cut.bc"), [b'B', b'C', 0xC0, 0xDE, 1, 2]).unwrap();
    assert!(message(&files).contains("not valid LLVM bitcode or IR"));
}

#[test]
fn empty_bitcode() {
    let files = Files::new(&[("empty.ll", "")]);
    assert!(message(&files).contains("the file is empty"));
}

#[test]
fn ill_typed_ir() {
    let files = Files::new(&[("bad.ll", "define i32 @main() { ret i64 0 }")]);
    assert!(message(&files).contains("not valid LLVM bitcode or IR"));
}

#[test]
fn flags_that_make_no_bitcode() {
    let mut files = Files::new(&[("a.c", "int main(void) { return 0; }")]);
    files.options.flags = vec!["-fsyntax-only".to_owned()];
    assert!(message(&files).contains("clang made no bitcode"));
}

#[test]
fn big_endian_targets() {
    let files = Files::new(&[("a.ll", "target datalayout = \"E\"\n@x = global i32 1\n")]);
    assert!(message(&files).contains("this target is not supported: big-endian"));
}

#[test]
fn two_mains() {
    let main = "int main(void) { return 0; }";
    let files = Files::new(&[("a.c", main), ("b.c", main)]);
    let text = message(&files);
    assert!(text.contains("cannot be linked") && text.contains("main"), "{text}");
}

#[test]
fn empty_source_is_a_program_without_functions() {
    let program = Files::new(&[("empty.c", "")]).compile().unwrap();
    assert!(program.find_function("main").is_none());
}
