//! Taking steps back.
//!
//! A step changes the top of one thread's stacks, that thread's scalars, and the
//! store. Before the step the top frame is saved; when a step returns into a
//! deeper frame, that frame is saved too before it changes. So the cost of a
//! step and of its undoing is the part of the stack that it touched.

use crate::ThreadId;
use crate::model::MemoryModel;
use crate::store::ObjectId;
use crate::thread::{Frame, LoopMark, Scalars};

use super::Machine;

struct Checkpoint {
    thread: ThreadId,
    store: usize,
    scalars: Scalars,
    locals: u32,
    reads: u32,
    /// Lowest frame that was saved.
    low: u32,
    /// Where this step's part of each log begins.
    frames: u32,
    births: u32,
    joins: u32,
    unjoined: u32,
    exited: bool,
    records: u32,
}

struct SavedFrame {
    frame: Frame,
    /// Where its contents begin in the logs below.
    regs: u32,
    loops: u32,
    objects: u32,
}

#[derive(Default)]
pub(super) struct UndoLog {
    checkpoints: Vec<Checkpoint>,
    frames: Vec<SavedFrame>,
    regs: Vec<u64>,
    loops: Vec<LoopMark>,
    objects: Vec<ObjectId>,
    /// Threads created.
    births: Vec<ThreadId>,
    /// Threads joined or detached, with what they were before.
    joins: Vec<(ThreadId, bool, bool)>,
}

impl UndoLog {
    pub fn depth(&self) -> usize {
        self.checkpoints.len()
    }

    pub fn heap_bytes(&self) -> u64 {
        (self.checkpoints.capacity() * size_of::<Checkpoint>()
            + self.frames.capacity() * size_of::<SavedFrame>()
            + self.regs.capacity() * 8) as u64
    }

    pub fn note_birth(&mut self, thread: ThreadId) {
        self.births.push(thread);
    }

    pub fn note_join(&mut self, thread: ThreadId, joined: bool, detached: bool) {
        self.joins.push((thread, joined, detached));
    }
}

impl<M: MemoryModel> Machine<'_, M> {
    pub(super) fn begin_step(&mut self, thread: ThreadId) {
        let state = &self.threads[thread.index()];
        let depth = state.frames.len() as u32;
        self.undo.checkpoints.push(Checkpoint {
            thread,
            store: self.store.mark(),
            scalars: state.scalars.clone(),
            locals: state.locals.len() as u32,
            reads: state.reads.len() as u32,
            low: depth,
            frames: self.undo.frames.len() as u32,
            births: self.undo.births.len() as u32,
            joins: self.undo.joins.len() as u32,
            unjoined: self.unjoined,
            exited: self.exited,
            records: self.records.len() as u32,
        });
        self.save_frame(thread, depth - 1);
    }

    /// Saves a frame of the stepping thread unless this step has done so.
    /// Everything above `depth` must have been saved or be new in this step.
    pub(super) fn save_frame(&mut self, thread: ThreadId, depth: u32) {
        let Some(checkpoint) = self.undo.checkpoints.last_mut() else { return };
        if checkpoint.thread != thread || checkpoint.low <= depth {
            return;
        }
        checkpoint.low = depth;
        let state = &self.threads[thread.index()];
        let frame = state.frames[depth as usize];
        // A caller's part of each stack ends where the frame above began; that
        // frame is gone by now, so the stacks end with this one.
        self.undo.frames.push(SavedFrame {
            frame,
            regs: self.undo.regs.len() as u32,
            loops: self.undo.loops.len() as u32,
            objects: self.undo.objects.len() as u32,
        });
        self.undo.regs.extend_from_slice(&state.regs[frame.regs as usize..]);
        self.undo.loops.extend_from_slice(&state.loops[frame.loops as usize..]);
        self.undo.objects.extend_from_slice(&state.objects[frame.objects as usize..]);
    }

    /// Takes the last step back.
    pub fn undo(&mut self) {
        let checkpoint = self.undo.checkpoints.pop().expect("a step to undo");
        self.store.undo_to(checkpoint.store);
        while self.undo.births.len() > checkpoint.births as usize {
            let child = self.undo.births.pop().expect("a birth");
            self.threads[child.index()].reset();
        }
        while self.undo.joins.len() > checkpoint.joins as usize {
            let (thread, joined, detached) = self.undo.joins.pop().expect("a join");
            let scalars = &mut self.threads[thread.index()].scalars;
            (scalars.joined, scalars.detached) = (joined, detached);
        }
        self.unjoined = checkpoint.unjoined;
        self.exited = checkpoint.exited;
        self.records.truncate(checkpoint.records as usize);

        let log = &mut self.undo;
        let state = &mut self.threads[checkpoint.thread.index()];
        state.scalars = checkpoint.scalars;
        state.locals.truncate(checkpoint.locals as usize);
        state.reads.truncate(checkpoint.reads as usize);
        state.frames.truncate(checkpoint.low as usize);
        let lowest = log.frames.last().expect("the top frame was saved").frame;
        state.regs.truncate(lowest.regs as usize);
        state.loops.truncate(lowest.loops as usize);
        state.objects.truncate(lowest.objects as usize);
        while log.frames.len() > checkpoint.frames as usize {
            let saved = log.frames.pop().expect("a saved frame");
            state.frames.push(saved.frame);
            state.regs.extend_from_slice(&log.regs[saved.regs as usize..]);
            state.loops.extend_from_slice(&log.loops[saved.loops as usize..]);
            state.objects.extend_from_slice(&log.objects[saved.objects as usize..]);
            log.regs.truncate(saved.regs as usize);
            log.loops.truncate(saved.loops as usize);
            log.objects.truncate(saved.objects as usize);
        }
    }
}
