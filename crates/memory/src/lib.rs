//! The shared memory abstractions (SMAs): what reads and writes of shared memory
//! mean, one model a file behind `heddle_semantics::MemoryModel`.

pub mod arrival;
pub mod page;
mod pso;
mod sc;
mod tso;

use std::fmt;
use std::str::FromStr;

use heddle_semantics::MemoryModel;

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

/// Work that is the same under every model.
pub trait ModelVisitor {
    type Output;
    fn visit<M: MemoryModel>(self, model: M) -> Self::Output;
}

impl Model {
    /// The one place where a name becomes a model.
    pub fn with<V: ModelVisitor>(self, visitor: V) -> V::Output {
        match self {
            Model::Sc => visitor.visit(Sc),
            Model::Tso => visitor.visit(Tso),
            Model::Pso => visitor.visit(Pso),
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
