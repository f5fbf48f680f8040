//! Models of library functions: one handler each, in one table, over any
//! [`Host`].
//!
//! A handler is a sequence of operations of its host, and touches memory by
//! [`Host::load`] and [`Host::store`] only, so that each of its accesses is checked and
//! scheduled like one of the program's. It runs from its start again when its thread
//! is scheduled after it stopped before a visible step; operations that it has done by
//! then give the result that they gave, and are not done again. So the operations of a
//! call, and their order, may depend on nothing but its arguments and on what earlier
//! operations gave.
//!
//! String functions and the like are plain C in the front end's support file,
//! where every byte they touch is an ordinary access.

mod c11;
mod cxx;
mod math;
pub mod number;
mod pthread;
mod semaphore;
mod stdio;
mod stdlib;
mod sync;
mod verifier;

use heddle_ir::Ty;
use rustc_hash::FxHashMap;

use crate::Domain;
use crate::host::{Host, Processor, Val};

/// What a call gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome<V> {
    Void,
    Value(V),
}

pub type Result<H> = std::result::Result<Outcome<Val<H>>, <H as Processor>::Stop>;

/// A model of one function: its arguments and their types.
pub type Handler<H> = fn(&mut H, &[Val<H>], &[Ty]) -> Result<H>;

type Entry<H> = (&'static str, Handler<H>);

/// All models by name.
pub fn table<H: Host>() -> FxHashMap<&'static str, Handler<H>> {
    groups::<H>().into_iter().flat_map(|(_, entries)| entries).collect()
}

/// Functions whose call is a violation even when the program gives them a body.
pub fn overrides_body(name: &str) -> bool {
    matches!(name, "reach_error" | "__VERIFIER_error")
}

/// Functions of numbers whose only effect is output. What they are given may be undefined:
/// then so is what they give.
pub fn is_pure(name: &str) -> bool {
    ["__heddle_put", "__heddle_number_"].iter().any(|prefix| name.starts_with(prefix))
}

/// The names of all models by what they belong to, for people.
pub fn names<H: Host>() -> Vec<(&'static str, Vec<&'static str>)> {
    let names = |entries: Vec<Entry<H>>| entries.into_iter().map(|(name, _)| name).collect();
    groups::<H>().into_iter().map(|(group, entries)| (group, names(entries))).collect()
}

fn groups<H: Host>() -> Vec<(&'static str, Vec<Entry<H>>)> {
    vec![
        ("pthread.h", pthread::entries::<H>()),
        ("threads.h", c11::entries::<H>()),
        ("pthread.h", sync::entries::<H>()),
        ("semaphore.h", semaphore::entries::<H>()),
        ("stdio.h", stdio::entries::<H>()),
        ("stdlib.h, unistd.h, time.h", stdlib::entries::<H>()),
        ("C++", cxx::entries::<H>()),
        ("math.h", math::entries::<H>()),
        ("SV-COMP", verifier::entries::<H>()),
    ]
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

/// `to` where `value` (an `int`) is `from`, else `value`.
fn replace<H: Host>(host: &mut H, value: &Val<H>, from: u64, to: u64) -> Val<H> {
    let domain = host.domain();
    let (from, to) = (domain.constant(from, 32), domain.constant(to, 32));
    let is = domain.compare(heddle_ir::Compare::Eq, 32, value, &from);
    domain.select(&is, &to, value)
}
