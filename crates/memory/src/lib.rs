//! The shared memory abstractions (SMAs): what reads and writes of shared memory
//! mean, one model a file behind `heddle_semantics::MemoryModel`.

mod pso;
mod sc;
mod tso;

use std::fmt;
use std::str::FromStr;

pub use pso::Pso;
pub use sc::Sc;
pub use tso::Tso;

/// A memory model by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Model {
    #[default]
    Sc,
    Tso,
    Pso,
}

impl Model {
    pub const ALL: &[Model] = &[Model::Sc, Model::Tso, Model::Pso];

    pub fn name(self) -> &'static str {
        match self {
            Model::Sc => "sc",
            Model::Tso => "tso",
            Model::Pso => "pso",
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Model {
    type Err = String;

    fn from_str(text: &str) -> Result<Model, String> {
        let known = Model::ALL.iter().find(|model| model.name() == text);
        known.copied().ok_or_else(|| format!("unknown memory model '{text}'"))
    }
}
