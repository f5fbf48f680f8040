//! Programs in the style of Table 1 of Kahlon's paper (`docs/papers.md`), with what it gives.

use heddle_ir::Program;

/// A driver's program, and how often each of its threads goes round.
#[derive(Clone, Copy, Debug)]
pub struct Driver {
    pub name: &'static str,
    file: &'static str,
    pub turns: u32,
    /// The paper's shared and relevant variables, seconds and megabytes of MPOR and of SIR.
    pub paper: (u32, u32, [f64; 2], [f64; 2]),
}

const fn driver(
    name: &'static str,
    file: &'static str,
    turns: u32,
    paper: (u32, u32, [f64; 2], [f64; 2]),
) -> Driver {
    Driver { name, file, turns, paper }
}

pub const DRIVERS: &[Driver] = &[
    driver("jfs_dmap : 1", "sir/jfs.c", 1, (6, 1, [0.02, 59.0], [0.01, 12.0])),
    driver("ctrace : 1", "sir/ctrace.c", 1, (19, 12, [2.0, 62.0], [1.0, 43.0])),
    driver("ctrace : 3", "sir/ctrace.c", 2, (19, 12, [2303.0, 733.0], [1800.0, 560.0])),
    driver("autofs : 1", "sir/autofs.c", 1, (7, 2, [1.14, 60.0], [0.5, 30.0])),
    driver("autofs : 2", "sir/autofs.c", 2, (7, 2, [128.0, 144.0], [43.0, 85.0])),
    driver("ptrace : 1", "sir/ptrace.c", 2, (3, 1, [844.0, 249.0], [502.0, 191.0])),
    driver("raid : 1", "sir/raid.c", 1, (6, 0, [26.13, 75.0], [7.1, 21.0])),
    driver("raid : 2", "sir/raid.c", 2, (6, 0, [179.0, 156.0], [20.0, 41.0])),
    driver("ipoib : 1", "sir/ipoib.c", 1, (10, 2, [0.1, 58.0], [0.1, 58.0])),
    driver("ipoib : 4", "sir/ipoib.c", 2, (10, 2, [0.3, 59.0], [0.3, 59.0])),
];

impl Driver {
    /// # Panics
    /// When the program does not compile.
    pub fn compile(self, broken: bool) -> Program {
        let mut flags = vec![format!("-DN={}", self.turns)];
        flags.extend(broken.then(|| "-DBROKEN".to_string()));
        crate::compile(self.file, flags)
    }
}
