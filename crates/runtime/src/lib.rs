//! The runtime that native programs are linked with.
//!
//! It is C, and its text is part of the binary: `heddle build` compiles it together with
//! the program, by the clang that the program needs anyway. So it works from a clean
//! checkout, for whatever the system's C library is, and the optimiser sees both sides
//! of the few instructions that an event costs.

mod control;
mod end;
mod signals;

pub use control::Control;
pub use end::end_process;
pub use signals::{hold_signals, pass_on_signals};

/// File names and texts; the first one is compiled and includes the others.
pub const FILES: &[(&str, &str)] = &[
    ("runtime.c", include_str!("../c/runtime.c")),
    ("schedule.h", include_str!("../c/schedule.h")),
    ("self.h", include_str!("../c/self.h")),
    ("order.h", include_str!("../c/order.h")),
    ("control.h", include_str!("../c/control.h")),
    ("input.h", include_str!("../c/input.h")),
    ("repeat.h", include_str!("../c/repeat.h")),
    ("begin.h", include_str!("../c/begin.h")),
    ("events.h", include_str!("../c/events.h")),
    ("create.h", include_str!("../c/create.h")),
    ("sync.h", include_str!("../c/sync.h")),
    ("condition.h", include_str!("../c/condition.h")),
    ("heap.h", include_str!("../c/heap.h")),
    ("print.h", include_str!("../c/print.h")),
];
