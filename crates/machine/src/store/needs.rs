//! What steps depend on.
//!
//! A step of a thread depends on the thread, on how many others there are, and on what it
//! looks at in memory. Whoever keeps states need not take it again where all that is as it
//! was. So the store notes what is looked at, where all looks pass, and the machine notes
//! that another thread is looked at, which makes a step one that is not worth remembering.

use std::cell::{Cell, RefCell};

use heddle_semantics::ObjectId;

/// Something that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Whether an object lives, its length, and who can see it. Only of objects that
    /// the program made as it ran.
    Object(ObjectId),
    /// Up to eight bytes.
    Bytes { object: ObjectId, offset: u32, len: u32 },
    /// Which bits of up to eight bytes are undefined.
    Undefined { object: ObjectId, offset: u32, len: u32 },
    /// Whether the halves of a word look like ids of threads.
    Codes { object: ObjectId, offset: u32 },
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    on: Cell<bool>,
    others: Cell<bool>,
    list: RefCell<Vec<Need>>,
}

impl Needs {
    #[inline]
    pub fn is_on(&self) -> bool {
        self.on.get()
    }

    #[inline]
    pub fn note(&self, need: Need) {
        if self.on.get() {
            self.list.borrow_mut().push(need);
        }
    }

    /// Other threads are looked at, or changed.
    #[inline]
    pub fn note_others(&self) {
        self.others.set(true);
    }

    pub fn begin(&self) {
        self.on.set(true);
        self.others.set(false);
        self.list.borrow_mut().clear();
    }

    /// What was noted, unless it is not all.
    pub fn end(&mut self) -> Option<&[Need]> {
        self.on.set(false);
        let others = self.others.get();
        let list = self.list.get_mut();
        (!others).then_some(list)
    }
}
