//! Control files: through one, a running program gets schedules with fewer constraints.
//!
//! The file is mapped by both sides; the program's is `c/control.h`. It begins with a
//! header, then come the slots in which threads wait, then schedules, one behind the
//! other. A new schedule is written behind the last one before its place is announced,
//! and nothing is ever overwritten, so nobody needs a lock.
#![allow(unsafe_code, reason = "memory that another process sees")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const MAGIC: u64 = u64::from_le_bytes(*b"DCONTROL");
/// Bytes of a slot, as the runtime has it.
const SLOT: u64 = 128;
const LINE: u64 = 64;
/// Room for schedules.
const SCHEDULES: u64 = 64 << 20;

#[repr(C)]
struct Header {
    magic: u64,
    bytes: u64,
    slots: u32,
    unused: u32,
    slots_at: u64,
    schedule_at: AtomicU64,
    updates: AtomicU32,
    watched: AtomicU32,
}

/// The side of whoever writes schedules.
pub struct Control {
    header: NonNull<Header>,
    bytes: u64,
    /// Where the next schedule goes.
    next: u64,
}

// SAFETY: the mapping belongs to this value alone on this side, and what both sides
// change is atomic.
unsafe impl Send for Control {}

impl Control {
    /// Makes a control file for a program with as many threads.
    pub fn create(path: &Path, threads: u32) -> io::Result<Control> {
        let slots_at = (size_of::<Header>() as u64).next_multiple_of(LINE);
        let next = slots_at + SLOT * u64::from(threads);
        let bytes = next + SCHEDULES;
        let file = File::options().read(true).write(true).create_new(true).open(path)?;
        file.set_len(bytes)?;
        // SAFETY: a fresh shared mapping of a file of this length.
        let at = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let header = NonNull::new(at.cast::<Header>()).ok_or_else(io::Error::last_os_error)?;
        let first = Header {
            magic: MAGIC,
            bytes,
            slots: threads,
            unused: 0,
            slots_at,
            schedule_at: AtomicU64::new(0),
            updates: AtomicU32::new(0),
            watched: AtomicU32::new(0),
        };
        // SAFETY: the mapping is large enough and aligned to a page.
        unsafe { header.write(first) };
        Ok(Control { header, bytes, next })
    }

    fn header(&self) -> &Header {
        // SAFETY: written in `create`, mapped until this is dropped, and changed by
        // others only where it is atomic.
        unsafe { self.header.as_ref() }
    }

    /// The program keeps to this schedule from now on. The caller sees to it that it asks
    /// for no more than the one before.
    pub fn publish(&mut self, schedule: &[u8]) -> io::Result<()> {
        let end = self.next + (schedule.len() as u64).next_multiple_of(8);
        if end > self.bytes {
            return Err(io::Error::other("no room for another schedule"));
        }
        // SAFETY: the range lies in the mapping, behind everything that was announced.
        unsafe {
            let to = self.header.as_ptr().cast::<u8>().add(self.next as usize);
            std::ptr::copy_nonoverlapping(schedule.as_ptr(), to, schedule.len());
        }
        self.header().schedule_at.store(self.next, Ordering::SeqCst);
        self.next = end;
        self.wake();
        Ok(())
    }

    fn wake(&self) {
        let updates = &self.header().updates;
        updates.fetch_add(1, Ordering::SeqCst);
        // SAFETY: a futex operation on a live word; waking nobody is fine.
        unsafe {
            libc::syscall(libc::SYS_futex, updates.as_ptr(), libc::FUTEX_WAKE, i32::MAX);
        }
    }

    /// How many of the schedules that were published the program has taken up. The first
    /// one is taken up when it starts.
    pub fn taken_up(&self) -> u32 {
        self.header().watched.load(Ordering::SeqCst)
    }

    /// How many schedules were published.
    pub fn published(&self) -> u32 {
        self.header().updates.load(Ordering::SeqCst)
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        // SAFETY: the mapping that `create` made; nothing refers to it any more.
        unsafe { libc::munmap(self.header.as_ptr().cast(), self.bytes as usize) };
    }
}
