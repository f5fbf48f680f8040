//! Facts about a program, found without running it: control flow, points-to,
//! dependence, and the slice of what can influence a property.

mod address;
mod constraints;
mod essential;
mod facts;
mod flow;
mod guide;
mod library;
mod needed;
mod object;
mod overwritten;
mod points_to;
mod range;
mod reach;
mod site;
mod slice;
mod solver;
mod visible;

pub use essential::{Loop, Property, of_property};
pub use facts::Facts;
pub use guide::{Guidance, Role, guide};
pub use object::Object;
pub use reach::{Reach, callees, reaches};
pub use site::{Site, Sites};
pub use slice::Slice;
pub use visible::Visible;
