//! Prints the IR of C files: `cargo run -p heddle-frontend --example dump -- a.c`.

fn main() {
    let mut options = heddle_frontend::Options::default();
    for argument in std::env::args().skip(1) {
        if argument == "--32" {
            options.ilp32 = true;
        } else if argument.starts_with('-') {
            options.flags.push(argument);
        } else {
            options.inputs.push(argument.into());
        }
    }
    match heddle_frontend::compile(&options) {
        Ok(program) => print!("{}", heddle_ir::print_program(&program)),
        Err(error) => {
            eprintln!("{error}");
            if let heddle_frontend::Error::Compiler { stderr, .. } = error {
                eprint!("{stderr}");
            }
            std::process::exit(2);
        }
    }
}
