//! The end of this process, whatever its threads do.

#![allow(unsafe_code, reason = "the system's way to end a process")]

/// Ends the process at once. Threads may still be at work: unlike `std::process::exit`, this
/// runs no destructors of libraries beneath them.
pub fn end_process(code: u8) -> ! {
    // SAFETY: it takes a number and does not return.
    unsafe { libc::_exit(i32::from(code)) }
}
