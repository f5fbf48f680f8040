//! What library functions do with their pointers, and what they compute.
//!
//! `pointers` gives every function that the tables of models know bad pointers, and has
//! another thread at what they point to. `native` compares results with those of the
//! system's C library.

mod calls;
mod native;
mod pointers;
