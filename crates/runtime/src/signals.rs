//! Signals that are meant for the program that runs natively.
#![allow(unsafe_code, reason = "signal handlers")]

use std::io;
use std::sync::atomic::{AtomicI32, Ordering};

const PASSED_ON: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// The process that gets them, 0 as long as it is not there. A handler has no other way to
/// know.
static CHILD: AtomicI32 = AtomicI32::new(0);
/// The last signal that came before the process was there.
static EARLY: AtomicI32 = AtomicI32::new(0);

/// What this process was told to do, and is told from now on, is told to `child`. Needs
/// [`hold_signals`].
pub fn pass_on_signals(child: u32) {
    CHILD.store(child as i32, Ordering::SeqCst);
    let early = EARLY.swap(0, Ordering::SeqCst);
    if early != 0 {
        // SAFETY: sending a signal is harmless if the process is gone.
        unsafe { libc::kill(child as i32, early) };
    }
}

/// What this process is told to do from now on is for a process that will be started.
/// A signal from the terminal goes to both anyway.
pub fn hold_signals() -> io::Result<()> {
    for signal in PASSED_ON {
        // SAFETY: a zeroed `sigaction` is a valid one, which is then filled in; the handler
        // calls only what may be called in one.
        let result = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = pass_on as extern "C" fn(_, _, _) as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut())
        };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

extern "C" fn pass_on(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    // SAFETY: the kernel passes a valid pointer with SA_SIGINFO.
    let from_terminal = unsafe { (*info).si_code } == libc::SI_KERNEL;
    let child = CHILD.load(Ordering::SeqCst);
    if child == 0 {
        EARLY.store(signal, Ordering::SeqCst);
    } else if !from_terminal {
        // SAFETY: sending a signal is allowed in a handler, and harmless if the process is gone.
        unsafe { libc::kill(child, signal) };
    }
}
