//! Taking steps back.
//!
//! A step changes the top of one thread's stacks, that thread's scalars, and the
//! store. Before the step the top frame's position, loops and objects are saved;
//! when a step returns into a deeper frame, that one's too. Registers of frames
//! that were there before the step are logged as they are written, until the log
//! is as long as the frame; then the frame is copied once and logging stops. So a
//! step and its undoing cost what the step touched, whether a function has ten
//! registers or a hundred thousand, and whether it loops or not.

use heddle_semantics::{MemoryModel, ObjectId, ThreadId};

use crate::Machine;
use crate::threads::thread::{Fate, Frame, LoopMark, Scalars, UndefinedReg};

struct Checkpoint {
    thread: ThreadId,
    store: usize,
    buffers: usize,
    records: u32,
    /// What a step of a thread changes beside; a store queue has none of it.
    thread_part: Option<ThreadPart>,
}

struct ThreadPart {
    scalars: Scalars,
    undefined: Vec<UndefinedReg>,
    locals: u32,
    reads: u32,
    /// Lowest frame that was saved.
    low: u32,
    /// How many of the frames before the step are still there, and how many
    /// registers they have.
    survivors: u32,
    surviving_regs: u32,
    /// Where this step's part of the register log begins.
    regs: u32,
    /// Where this step's part of each log begins.
    frames: u32,
    births: u32,
    joins: u32,
    unjoined: u32,
    exited: Option<crate::threads::ProcessEnd>,
}

struct SavedFrame {
    frame: Frame,
    /// Where its contents begin in the logs below.
    loops: u32,
    objects: u32,
}

/// An entry of the register log.
#[derive(Clone, Copy)]
enum RegUndo {
    /// The register at this place in the thread's stack held this.
    Write(u32, u64),
    /// From this place on, as many registers as given held what stands at the end
    /// of `UndoLog::contents`.
    Copy(u32, u32),
    /// A frame with as many registers was dropped; their contents likewise.
    Drop(u32),
}

/// Frames up to this size are copied at once.
const SMALL_FRAME: u32 = 24;

#[derive(Default)]
pub(crate) struct UndoLog {
    checkpoints: Vec<Checkpoint>,
    frames: Vec<SavedFrame>,
    regs: Vec<RegUndo>,
    contents: Vec<u64>,
    /// Writes to log until the running frame is copied; 0 when it was, or when
    /// it is new.
    pub(crate) budget: u32,
    /// The budget of the topmost surviving frame while calls run above it.
    parked: u32,
    loops: Vec<LoopMark>,
    objects: Vec<ObjectId>,
    /// Threads created.
    births: Vec<ThreadId>,
    /// Threads joined or detached, with what they were before.
    joins: Vec<(ThreadId, Fate)>,
}

impl UndoLog {
    pub fn depth(&self) -> usize {
        self.checkpoints.len()
    }

    pub fn heap_bytes(&self) -> u64 {
        (self.checkpoints.capacity() * size_of::<Checkpoint>()
            + self.frames.capacity() * size_of::<SavedFrame>()
            + self.regs.capacity() * size_of::<RegUndo>()
            + self.contents.capacity() * 8) as u64
    }

    pub fn note_birth(&mut self, thread: ThreadId) {
        self.births.push(thread);
    }

    pub fn note_fate(&mut self, thread: ThreadId, before: Fate) {
        self.joins.push((thread, before));
    }
}

/// What the last step did to others than its thread.
pub(crate) struct LastStep<'a> {
    pub thread: ThreadId,
    /// Where its part of the store's log begins.
    pub store: usize,
    pub born: &'a [ThreadId],
    pub joined: &'a [(ThreadId, Fate)],
}

impl<M: MemoryModel> Machine<'_, M> {
    pub(crate) fn last_step(&self) -> Option<LastStep<'_>> {
        let checkpoint = self.undo.checkpoints.last()?;
        let (births, joins) = match &checkpoint.thread_part {
            Some(part) => (part.births as usize, part.joins as usize),
            None => (self.undo.births.len(), self.undo.joins.len()),
        };
        Some(LastStep {
            thread: checkpoint.thread,
            store: checkpoint.store,
            born: &self.undo.births[births..],
            joined: &self.undo.joins[joins..],
        })
    }

    pub(crate) fn begin_step(&mut self, thread: ThreadId) {
        let state = &self.threads[thread.index()];
        let depth = state.frames.len() as u32;
        let part = ThreadPart {
            scalars: state.scalars.clone(),
            undefined: state.undefined.clone(),
            locals: state.locals.len() as u32,
            reads: state.reads.len() as u32,
            low: depth,
            survivors: depth,
            surviving_regs: state.regs.len() as u32,
            regs: self.undo.regs.len() as u32,
            frames: self.undo.frames.len() as u32,
            births: self.undo.births.len() as u32,
            joins: self.undo.joins.len() as u32,
            unjoined: self.threads.unjoined,
            exited: self.threads.exited,
        };
        self.checkpoint(thread, Some(part));
        self.save_frame(thread, depth - 1);
        self.watch_top();
    }

    pub(crate) fn begin_flush(&mut self, actor: ThreadId) {
        self.checkpoint(actor, None);
    }

    fn checkpoint(&mut self, thread: ThreadId, thread_part: Option<ThreadPart>) {
        self.undo.checkpoints.push(Checkpoint {
            thread,
            store: self.store.begin_step(),
            buffers: self.buffers.mark(),
            records: self.watch.records.len() as u32,
            thread_part,
        });
    }

    /// Starts logging the registers of the top frame, which was there before the
    /// step.
    fn watch_top(&mut self) {
        let Some(checkpoint) = self.undo.checkpoints.last() else { return };
        let state = &self.threads[checkpoint.thread.index()];
        let Some(top) = state.frames.last() else { return };
        let size = state.regs.len() as u32 - top.regs;
        self.undo.budget = size;
        if size <= SMALL_FRAME {
            self.copy_top();
        }
    }

    /// Copies the registers of the top frame and stops logging them.
    fn copy_top(&mut self) {
        let Some(checkpoint) = self.undo.checkpoints.last() else { return };
        let state = &self.threads[checkpoint.thread.index()];
        let Some(top) = state.frames.last() else { return };
        let contents = &state.regs[top.regs as usize..];
        self.undo.contents.extend_from_slice(contents);
        self.undo.regs.push(RegUndo::Copy(top.regs, contents.len() as u32));
        self.undo.budget = 0;
    }

    /// Before a register of the running thread changes, while there is a budget.
    #[cold]
    pub(crate) fn log_register(&mut self, index: usize) {
        let old = self.threads[self.running.thread.index()].regs[index];
        self.undo.regs.push(RegUndo::Write(index as u32, old));
        self.undo.budget -= 1;
        if self.undo.budget == 0 {
            self.copy_top();
        }
    }

    /// The running thread is about to call; the new frame needs no log.
    pub(crate) fn park_log(&mut self) {
        if self.undo.budget != 0 {
            self.undo.parked = std::mem::take(&mut self.undo.budget);
        }
    }

    /// The stepping thread has stopped; newborn threads run next.
    pub(crate) fn stop_log(&mut self) {
        (self.undo.budget, self.undo.parked) = (0, 0);
    }

    /// The running thread is about to drop its top frame.
    pub(crate) fn log_drop(&mut self) {
        let current = self.running.thread;
        let Some(checkpoint) = self.undo.checkpoints.last_mut() else { return };
        let Some(part) = &mut checkpoint.thread_part else { return };
        let state = &self.threads[current.index()];
        let depth = state.frames.len() as u32;
        if checkpoint.thread != current || depth > part.survivors {
            return;
        }
        let base = state.frames[depth as usize - 1].regs;
        let contents = &state.regs[base as usize..];
        self.undo.contents.extend_from_slice(contents);
        self.undo.regs.push(RegUndo::Drop(contents.len() as u32));
        part.survivors = depth - 1;
        part.surviving_regs = base;
        self.undo.budget = 0;
        self.undo.parked = u32::MAX;
    }

    /// The running thread has returned into the frame that is now on top.
    pub(crate) fn resume_log(&mut self) {
        let current = self.running.thread;
        let Some(checkpoint) = self.undo.checkpoints.last() else { return };
        let Some(part) = &checkpoint.thread_part else { return };
        let depth = self.threads[current.index()].frames.len() as u32;
        if checkpoint.thread != current || depth != part.survivors {
            return;
        }
        match std::mem::take(&mut self.undo.parked) {
            u32::MAX => self.watch_top(),
            budget => self.undo.budget = budget,
        }
    }

    /// Saves a frame of the stepping thread unless this step has done so.
    /// Everything above `depth` must have been saved or be new in this step.
    pub(crate) fn save_frame(&mut self, thread: ThreadId, depth: u32) {
        let Some(checkpoint) = self.undo.checkpoints.last_mut() else { return };
        let Some(part) = &mut checkpoint.thread_part else { return };
        if checkpoint.thread != thread || part.low <= depth {
            return;
        }
        part.low = depth;
        let state = &self.threads[thread.index()];
        let frame = state.frames[depth as usize];
        // A caller's part of each stack ends where the frame above began; that
        // frame is gone by now, so the stacks end with this one.
        self.undo.frames.push(SavedFrame {
            frame,
            loops: self.undo.loops.len() as u32,
            objects: self.undo.objects.len() as u32,
        });
        self.undo.loops.extend_from_slice(&state.loops[frame.loops as usize..]);
        self.undo.objects.extend_from_slice(&state.objects[frame.objects as usize..]);
    }

    /// Takes the last step back.
    pub fn undo(&mut self) {
        let checkpoint = self.undo.checkpoints.pop().expect("a step to undo");
        (self.undo.budget, self.undo.parked) = (0, 0);
        self.store.undo_to(checkpoint.store);
        self.buffers.undo_to(checkpoint.buffers);
        self.watch.records.truncate(checkpoint.records as usize);
        let Some(part) = checkpoint.thread_part else { return };
        while self.undo.births.len() > part.births as usize {
            let child = self.undo.births.pop().expect("a birth");
            self.threads[child.index()].reset();
        }
        while self.undo.joins.len() > part.joins as usize {
            let (thread, fate) = self.undo.joins.pop().expect("a join");
            self.threads[thread.index()].scalars.fate = fate;
        }
        self.threads.unjoined = part.unjoined;
        self.threads.exited = part.exited;

        let log = &mut self.undo;
        let state = &mut self.threads[checkpoint.thread.index()];
        state.scalars = part.scalars;
        state.undefined = part.undefined;
        state.locals.truncate(part.locals as usize);
        state.reads.truncate(part.reads as usize);
        state.frames.truncate(part.low as usize);
        state.regs.truncate(part.surviving_regs as usize);
        while log.regs.len() > part.regs as usize {
            match log.regs.pop().expect("a logged register") {
                RegUndo::Write(index, old) => state.regs[index as usize] = old,
                RegUndo::Copy(base, count) => {
                    let from = log.contents.len() - count as usize;
                    let contents = &log.contents[from..];
                    state.regs[base as usize..][..contents.len()].copy_from_slice(contents);
                    log.contents.truncate(from);
                }
                RegUndo::Drop(count) => {
                    let from = log.contents.len() - count as usize;
                    state.regs.extend_from_slice(&log.contents[from..]);
                    log.contents.truncate(from);
                }
            }
        }
        let lowest = log.frames.last().expect("the top frame was saved").frame;
        state.loops.truncate(lowest.loops as usize);
        state.objects.truncate(lowest.objects as usize);
        while log.frames.len() > part.frames as usize {
            let saved = log.frames.pop().expect("a saved frame");
            state.frames.push(saved.frame);
            state.loops.extend_from_slice(&log.loops[saved.loops as usize..]);
            state.objects.extend_from_slice(&log.objects[saved.objects as usize..]);
            log.loops.truncate(saved.loops as usize);
            log.objects.truncate(saved.objects as usize);
        }
    }
}
