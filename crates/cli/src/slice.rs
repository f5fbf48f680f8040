//! `heddle dump --slice`: the source, with the lines marked that can influence each
//! property.

use std::collections::BTreeMap;
use std::path::Path;

use heddle_analysis::{Facts, Property, Site, Slice, of_property};
use heddle_ir::{FuncId, Program, SourceFile, Whose};

/// Properties in the order of their columns.
const COLUMNS: &[(Property, char, &str)] = &[
    (Property::Assert, 'A', "an assertion, or a call of abort"),
    (Property::Deadlock, 'D', "whether threads wait for ever"),
    (Property::Memory, 'M', "whether an access, a lock or a division is bad"),
];

/// For each file and line, a mark for each column.
type Marks = BTreeMap<u32, BTreeMap<u32, Vec<bool>>>;

pub fn page(program: &Program, entry: FuncId) -> String {
    let facts = Facts::of(program, entry);
    let mut marks = Marks::new();
    for (column, &(property, ..)) in COLUMNS.iter().enumerate() {
        mark(&facts, &of_property(&facts, property), column, &mut marks);
    }
    let mut out = String::from("Lines that can influence\n");
    for (_, letter, what) in COLUMNS {
        out.push_str(&format!("  {letter}  {what}\n"));
    }
    for (file, lines) in marks {
        let file = &program.files[file as usize];
        out.push_str(&format!("\n{}\n", file.path));
        print_file(file, &lines, &mut out);
    }
    out
}

fn mark(facts: &Facts, slice: &Slice, column: usize, marks: &mut Marks) {
    for function in facts.functions() {
        for (block, body) in facts.program.function(function).blocks.iter().enumerate() {
            for index in 0..=body.insts.len() {
                let site = Site { function, block: block as u32, index: index as u32 };
                let span = site.span(facts.program);
                if !span.is_known() || facts.program.whose(span) != Whose::User {
                    continue;
                }
                let lines = marks.entry(span.file).or_default();
                let line = lines.entry(span.line).or_insert_with(|| vec![false; COLUMNS.len()]);
                line[column] |= slice.contains(site);
            }
        }
    }
}

fn print_file(file: &SourceFile, lines: &BTreeMap<u32, Vec<bool>>, out: &mut String) {
    let text = std::fs::read_to_string(Path::new(&file.directory).join(&file.path));
    let letters = |line: u32| -> String {
        let none = vec![false; COLUMNS.len()];
        let marks = lines.get(&line).unwrap_or(&none);
        marks.iter().zip(COLUMNS).map(|(&on, column)| if on { column.1 } else { '.' }).collect()
    };
    match text {
        Ok(text) => {
            for (at, source) in text.lines().enumerate() {
                let line = at as u32 + 1;
                let marks = match lines.contains_key(&line) {
                    true => letters(line),
                    false => " ".repeat(COLUMNS.len()),
                };
                out.push_str(format!("{line:>5} {marks}  {source}").trim_end());
                out.push('\n');
            }
        }
        // Without the text, at least the numbers.
        Err(_) => {
            for &line in lines.keys() {
                out.push_str(&format!("{line:>5} {}\n", letters(line)));
            }
        }
    }
}
