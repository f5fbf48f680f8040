//! Facts about a program, found without running it: control flow, points-to,
//! dependence, and the slice of what can influence a property.

mod address;
mod constraints;
mod contents;
mod essential;
mod facts;
mod flow;
mod guide;
mod idle_branch;
mod input_classes;
pub mod invariants;
mod key;
mod library;
pub mod lockset;
mod needed;
pub mod numeric;
mod object;
mod overwritten;
mod points_to;
mod range;
mod reach;
mod rechecks;
mod side_effects;
mod silent;
mod site;
mod slice;
mod solver;
mod thread_sites;
mod visible;
mod wakeups;

pub use essential::{Loop, Property, of_property};
pub use facts::Facts;
pub use guide::{Guidance, Role, guide};
pub use input_classes::{InputClasses, input_classes};
pub use object::Object;
pub use reach::{Reach, callees, reaches};
pub use site::{Site, Sites};
pub use slice::Slice;
pub use thread_sites::{ThreadSites, thread_sites};
pub use visible::Visible;
pub use wakeups::{waits_matter, wake_spuriously};
