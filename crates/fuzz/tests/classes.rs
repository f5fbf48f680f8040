//! On these shapes every search takes one execution for each class.

use std::path::Path;

use heddle_fuzz::classes::count;

/// Programs, and their classes under sc, tso and pso.
const SHAPES: &[(&str, [u64; 3])] = &[
    ("sb", [3, 4, 4]),
    ("mp", [3, 3, 4]),
    ("lb", [3, 3, 3]),
    ("2+2w", [3, 3, 4]),
    ("coww", [6, 6, 6]),
    ("cowr", [3, 3, 3]),
    ("own_store", [3, 4, 4]),
    ("order_lock", [3, 4, 4]),
    ("wrc", [7, 7, 7]),
    ("parker", [4, 5, 5]),
];

#[test]
fn one_execution_for_each_class() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/litmus");
    for (name, expected) in SHAPES {
        let rows = count(&folder.join(format!("{name}.c")), &[], 300_000).expect("compiles");
        for (row, expected) in rows.iter().zip(expected) {
            let all = [row.classes, row.dpor, row.optimal];
            assert_eq!(all, [Some(*expected); 3], "{row}");
        }
    }
}
