//! Operations on objects that threads wait for, against small models of what POSIX says of
//! them. The interpreter and the unfolding share the operations, so comparing these two
//! shows no error in them.

mod gates;
mod host;
mod locks;
mod meetings;
mod model;
