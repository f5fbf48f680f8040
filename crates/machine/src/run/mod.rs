//! Executing instructions.

pub(crate) mod access;
mod chosen;
mod control;
mod host;
mod objects;
mod uncaught;
pub(crate) mod undefined;
mod update;
