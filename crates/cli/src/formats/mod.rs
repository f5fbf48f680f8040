//! Reports other than text and JSON, one a file.

pub mod page;
