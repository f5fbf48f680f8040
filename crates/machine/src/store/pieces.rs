//! Objects as parts of a state (see `crate::state`), in pieces, so that a write to a large
//! one changes a small part.

use heddle_ir::{FuncId, GlobalId, Span};

use heddle_semantics::{Site, ThreadId};

use super::{Life, Object, ObjectId, Origin, Store, Undo};
use crate::state::{HEAD, PIECE, Part, SHARED, mention, mentioned, pair};

impl Store {
    pub(crate) fn all_pieces(&self, parts: &mut Vec<Part>) {
        for (index, object) in self.objects.iter().enumerate() {
            if object.changes() && object.life != Life::Unborn {
                let id = ObjectId(index as u32);
                parts.extend((0..pieces(object.bytes)).map(|piece| Part::Object(id, piece)));
            }
        }
    }

    /// Pieces that changed since `mark`.
    pub(crate) fn changed_since(&self, mark: usize, parts: &mut Vec<Part>) {
        for entry in &self.log[mark..] {
            match *entry {
                Undo::Bytes { object, offset, len, .. }
                | Undo::Undefined { object, offset, len, .. } => {
                    let last = (offset + u32::from(len) - 1) / PIECE;
                    let touched = offset / PIECE..=last;
                    parts.extend(touched.map(|piece| Part::Object(ObjectId(object), piece)));
                }
                Undo::Life { object, .. } => {
                    let pieces = pieces(self.objects[object as usize].bytes);
                    parts.extend((0..pieces).map(|piece| Part::Object(ObjectId(object), piece)));
                }
                Undo::Shared { object } => parts.push(Part::Object(ObjectId(object), 0)),
            }
        }
    }

    /// The words of a piece. The first one begins with what the object is; an object
    /// that is gone has no contents, one that does not exist has no words.
    pub(crate) fn piece(&self, id: ObjectId, piece: u32, words: &mut Vec<u64>) {
        let object = &self.objects[id.0 as usize];
        if object.life == Life::Unborn {
            return;
        }
        if piece == 0 {
            let life = match object.life {
                Life::Unborn | Life::Live => 0,
                Life::Freed => 1,
                Life::OutOfScope => 2,
            };
            let shared = if object.shared { SHARED } else { 0 };
            words.push(life | shared | object.bytes << 3);
            // Of what is gone nobody will ask.
            let made_at = if object.life == Life::Live { object.made_at } else { Site::default() };
            put_origin(object, made_at, words);
            let maker = object.maker.map_or(0, |maker| u64::from(maker) + 1);
            words.push(maker << 1 | u64::from(object.escapes));
            words.push(pair(made_at.block, made_at.pc));
        }
        if object.life != Life::Live {
            return;
        }
        let from = (piece * PIECE) as usize;
        let to = object.data.len().min(from + PIECE as usize);
        put_bytes(&object.data[from..to], words);
        if let Some(masks) = object.undefined.as_ref().map(|masks| &masks[from..to])
            && masks.iter().any(|&mask| mask != 0)
        {
            put_bytes(masks, words);
        }
    }

    /// Puts a piece back, the first one of an object first.
    pub(crate) fn put_piece(&mut self, id: ObjectId, piece: u32, words: &[u64]) {
        let object = &mut self.objects[id.0 as usize];
        if words.is_empty() {
            if piece == 0 {
                if object.life != Life::Unborn {
                    self.allocated -= object.bytes;
                }
                object.life = Life::Unborn;
            }
            return;
        }
        let mut rest = words;
        if piece == 0 {
            let word = words[0];
            let before = if object.life == Life::Unborn { 0 } else { object.bytes };
            object.life = [Life::Live, Life::Freed, Life::OutOfScope][(word & 3) as usize];
            object.shared = word & SHARED != 0;
            object.bytes = word >> 3;
            self.allocated = self.allocated + object.bytes - before;
            object.made_in = 0;
            if object.life == Life::Live && object.data.len() as u64 != object.bytes {
                object.data.resize(object.bytes as usize, 0);
                if let Some(masks) = &mut object.undefined {
                    masks.resize(object.data.len(), 0);
                }
            }
            let (origin, owner) = take_origin(words[1], mentioned(words[2]));
            object.owner = owner;
            object.origin = origin;
            object.escapes = words[3] & 1 != 0;
            object.maker = (words[3] >> 1).checked_sub(1).map(|maker| maker as u32);
            let function = (words[1] >> 8) as u32;
            object.made_at = Site { function, block: (words[4] >> 32) as u32, pc: words[4] as u32 };
            rest = &words[HEAD..];
        }
        if object.life == Life::Live {
            object.put_contents((piece * PIECE) as usize, rest);
        }
    }
}

fn pieces(bytes: u64) -> u32 {
    (bytes as u32).div_ceil(PIECE).max(1)
}

/// What an object is, without what only messages need. Whose it was does not matter once
/// others can see it.
fn put_origin(object: &Object, made_at: Site, words: &mut Vec<u64>) {
    let (tag, which, thread) = match &object.origin {
        Origin::Global(id) => (0, u64::from(id.0), ThreadId::MAIN),
        Origin::ThreadLocal(id, thread) => (1, u64::from(id.0), *thread),
        // Where it was allocated shows in messages only, and these are made again.
        Origin::Heap { thread, .. } => (2, u64::from(made_at.function), *thread),
        Origin::Stack { function, thread, .. } => (3, u64::from(function.0), *thread),
        Origin::Function(id) => (4, u64::from(id.0), ThreadId::MAIN),
    };
    let statics = matches!(object.origin, Origin::Global(_) | Origin::Function(_));
    let nobody = object.shared || statics;
    words.extend([tag | which << 8, if nobody { 0 } else { mention(thread) }]);
}

fn take_origin(word: u64, thread: ThreadId) -> (Origin, ThreadId) {
    let (tag, which) = (word as u8, word >> 8);
    let origin = match tag {
        0 => Origin::Global(GlobalId(which as u32)),
        1 => Origin::ThreadLocal(GlobalId(which as u32), thread),
        2 => Origin::Heap { span: Span::UNKNOWN, thread, nth: 0 },
        3 => Origin::Stack { function: FuncId(which as u32), name: None, ty: None, thread },
        _ => Origin::Function(FuncId(which as u32)),
    };
    (origin, thread)
}

impl Object {
    /// Can its contents be other ones than at the start?
    #[inline]
    pub(crate) fn changes(&self) -> bool {
        !self.constant && !self.idle
    }

    /// Bytes from `from` on, then, unless all of them are defined, which bits are not.
    fn put_contents(&mut self, from: usize, words: &[u64]) {
        let to = self.data.len().min(from + PIECE as usize);
        let (data, masks) = words.split_at((to - from).div_ceil(8));
        take_bytes(&mut self.data[from..to], data);
        if masks.is_empty() {
            if let Some(undefined) = &mut self.undefined {
                undefined[from..to].fill(0);
            }
            return;
        }
        let undefined = self.undefined.get_or_insert_with(|| vec![0; self.data.len()]);
        take_bytes(&mut undefined[from..to], masks);
    }
}

fn put_bytes(bytes: &[u8], words: &mut Vec<u64>) {
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        words.push(u64::from_le_bytes(word));
    }
}

fn take_bytes(bytes: &mut [u8], words: &[u64]) {
    for (chunk, word) in bytes.chunks_mut(8).zip(words) {
        chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
    }
}
