//! What `main` is called with.

use heddle_ir::{Arguments, Program};

/// The program's name and its arguments, each with the zero at its end.
pub fn words(program: &Program) -> Vec<Vec<u8>> {
    let given: &[String] = match &program.arguments {
        Arguments::Given(words) => words,
        Arguments::Unsaid | Arguments::Any => &[],
    };
    let names = std::iter::once("program").chain(given.iter().map(String::as_str));
    names.map(|word| [word.as_bytes(), &[0]].concat()).collect()
}
