//! Models of library functions: one handler each, in one table, over any
//! [`Host`].
//!
//! A handler runs from its start again when its thread is scheduled after it
//! stopped before a visible step. So whatever it does before the first operation
//! that can stop must change nothing, and later operations that touch memory
//! belong to the same step ([`Host::store_now`]).
//!
//! String functions and the like are plain C in the front end's support file,
//! where every byte they touch is an ordinary access.

mod c11;
mod cxx;
mod format;
mod math;
mod pthread;
mod semaphore;
mod stdio;
mod stdlib;
mod sync;
mod verifier;

use heddle_ir::Ty;
use rustc_hash::FxHashMap;

use crate::Domain;
use crate::host::{Host, Val};

/// What a call gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome<V> {
    Void,
    Value(V),
}

pub type Result<H> = std::result::Result<Outcome<Val<H>>, <H as Host>::Stop>;

/// A model of one function: its arguments and their types.
pub type Handler<H> = fn(&mut H, &[Val<H>], &[Ty]) -> Result<H>;

type Entry<H> = (&'static str, Handler<H>);

/// All models by name.
pub fn table<H: Host>() -> FxHashMap<&'static str, Handler<H>> {
    entries::<H>().into_iter().collect()
}

/// Functions whose call is a violation even when the program gives them a body.
pub fn overrides_body(name: &str) -> bool {
    matches!(name, "reach_error" | "__VERIFIER_error")
}

fn entries<H: Host>() -> Vec<Entry<H>> {
    let mut all = Vec::new();
    all.extend(pthread::entries::<H>());
    all.extend(c11::entries::<H>());
    all.extend(sync::entries::<H>());
    all.extend(semaphore::entries::<H>());
    all.extend(stdio::entries::<H>());
    all.extend(stdlib::entries::<H>());
    all.extend(cxx::entries::<H>());
    all.extend(math::entries::<H>());
    all.extend(verifier::entries::<H>());
    all
}

/// An `int` result.
fn int<H: Host>(host: &mut H, value: u64) -> Result<H> {
    Ok(Outcome::Value(host.domain().constant(value, 32)))
}

/// The argument at `index`; a call with too few arguments stops.
fn arg<H: Host>(
    host: &mut H,
    args: &[Val<H>],
    index: usize,
) -> std::result::Result<Val<H>, H::Stop> {
    match args.get(index) {
        Some(value) => Ok(value.clone()),
        None => Err(host.unsupported("a library call with too few arguments".to_string())),
    }
}

/// The type of a `long` or pointer-sized integer.
fn word<H: Host>(host: &H) -> Ty {
    Ty::Int(host.pointer_bits() as u8)
}

/// Does nothing and returns 0.
fn succeed<H: Host>(host: &mut H, _: &[Val<H>], _: &[Ty]) -> Result<H> {
    int(host, 0)
}
