//! The state of a machine in parts, each a list of words: the threads with their
//! stores that wait, the objects in pieces, and the rest. Parts can be taken out and put
//! back, and a step tells which of them it changed.
//!
//! What can't be observed any more is not part of the state: registers that nobody will
//! read, the contents of objects that are gone, how many steps, stores and allocations
//! there were, which stores have reached memory. A machine for this has
//! [`Config::stateful`](crate::Config) set: loops are not counted or taken for waiting
//! (whoever keeps states notices that a state comes back), and an allocation takes the
//! first number of its thread that is free.

mod digest;

use heddle_ir::{FuncId, GlobalId, Span};
use smallvec::SmallVec;

use heddle_semantics::{
    Gate, Holder, InputKind, MemoryModel, ObjectId, Site, Source, ThreadId, Unwritten,
};

use crate::Machine;
use crate::store::needs::Need;
use crate::threads::ProcessEnd;
use crate::threads::liveness::Place;
use crate::threads::thread::{
    Fate, Frame, Halt, Pending, Stage, Status, Thread, UndefinedReg, may_be_code, may_be_handle,
};

/// A part of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// How many threads there are to see anything, and how the process ended.
    Rest,
    Thread(ThreadId),
    /// A piece of an object, of [`PIECE`] bytes. The first one also says whether the
    /// object lives.
    Object(ObjectId, u32),
}

/// Bytes of an object in one part.
pub const PIECE: u32 = 256;
/// Words before the contents in the first piece of an object.
pub const HEAD: usize = 5;
/// In the first of these: others can see it.
pub(crate) const SHARED: u64 = 4;

/// Reads words one by one. They are what this module wrote, so they are there.
pub(crate) struct Words<'a> {
    words: &'a [u64],
    at: usize,
}

impl<'a> Words<'a> {
    pub(crate) fn new(words: &'a [u64]) -> Words<'a> {
        Words { words, at: 0 }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.at += 1;
        self.words[self.at - 1]
    }

    /// Two halves of a word, the upper one first.
    pub(crate) fn pair(&mut self) -> (u32, u32) {
        let word = self.next();
        ((word >> 32) as u32, word as u32)
    }

    pub(crate) fn span(&mut self) -> Span {
        let (file, line) = self.pair();
        let column = self.next() as u32;
        Span { file, line, column }
    }
}

pub(crate) fn pair(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

pub(crate) fn put_span(span: Span, words: &mut Vec<u64>) {
    words.extend([pair(span.file, span.line), u64::from(span.column)]);
}

/// How a thread stands in a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stands {
    Ready,
    /// It can't go on, unless stores of its own get to memory.
    #[default]
    Still,
    Finished,
    /// What it does next depends on an input.
    Input,
    /// It waits for an object in memory.
    Gate,
    Join(ThreadId),
    /// It waits for all threads that are awaited by it.
    Joins,
}

/// A thread as a word of a part, that can be told from other words.
const MENTION: u64 = 0x7ead_a5c0 << 32;

pub(crate) fn mention(thread: ThreadId) -> u64 {
    MENTION | u64::from(thread.0)
}

pub(crate) fn mentioned(word: u64) -> ThreadId {
    ThreadId(word as u32)
}

/// The thread that alone can see an object, by the words of its first piece.
pub fn holder_of(words: &[u64]) -> Option<ThreadId> {
    let private = words.first().is_some_and(|word| word & SHARED == 0);
    words.get(2).filter(|word| private && **word != 0).map(|&word| mentioned(word))
}

/// The threads that a word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mention {
    None,
    /// A thread, as a machine knows it.
    Thread(ThreadId),
    /// A thread, as the program knows it.
    Handle(ThreadId),
    /// In the lower half and in the upper half, as locks know them.
    Codes(Option<ThreadId>, Option<ThreadId>),
}

impl<M: MemoryModel> Machine<'_, M> {
    /// The threads that a word of a part stands for.
    pub fn mentions(&self, word: u64) -> Mention {
        if word >> 32 == MENTION >> 32 {
            return Mention::Thread(mentioned(word));
        }
        if may_be_handle(word)
            && let Some(thread) = self.thread_with_code(word as u32)
        {
            return Mention::Handle(thread);
        }
        match (self.thread_with_code(word as u32), self.thread_with_code((word >> 32) as u32)) {
            (None, None) => Mention::None,
            (low, high) => Mention::Codes(low, high),
        }
    }

    /// How a thread stands, which depends on nothing but its part.
    pub fn stands(&self, thread: ThreadId) -> Stands {
        let Status::Waiting(pending) = self.status(thread) else {
            let finished = *self.status(thread) == Status::Finished;
            return if finished { Stands::Finished } else { Stands::Still };
        };
        match pending {
            Pending::Input(_) => Stands::Input,
            Pending::Ready | Pending::Drained | Pending::Clear { .. } => {
                if self.enabled(thread) {
                    Stands::Ready
                } else {
                    Stands::Still
                }
            }
            _ if !self.is_drained(thread) => Stands::Still,
            Pending::Gate { .. } => Stands::Gate,
            Pending::Join { target } => Stands::Join(*target),
            Pending::Joins => Stands::Joins,
        }
    }

    /// Begins to note what is looked at.
    pub fn note_needs(&mut self) {
        self.store.needs.begin();
    }

    /// What was looked at beside the thread that moved and [`Part::Rest`]. Nothing if it
    /// was more than can be said.
    pub fn needs(&mut self) -> Option<&[Need]> {
        self.store.needs.end()
    }

    /// Bytes that the last step wrote.
    pub fn written_bytes(&self) -> impl Iterator<Item = (ObjectId, u32, u32)> + '_ {
        let mark = self.last_step().map_or_else(|| self.store.mark(), |step| step.store);
        self.store.written_since(mark)
    }

    /// The thread that locks know by this number.
    #[inline]
    pub fn thread_with_code(&self, code: u32) -> Option<ThreadId> {
        if !may_be_code(code) {
            return None;
        }
        self.threads.codes.get(&code).copied()
    }

    /// Writes the words of a part; none for what does not exist.
    pub fn part(&mut self, part: Part, words: &mut Vec<u64>) {
        match part {
            Part::Rest => {
                let exited = match self.threads.exited {
                    None => 0,
                    Some(ProcessEnd::Aborted) => 1,
                    Some(ProcessEnd::Exited) => 2,
                };
                words.push(pair(self.threads.unjoined, exited));
            }
            Part::Thread(thread) => self.thread_part(thread, words),
            Part::Object(object, piece) => self.store.piece(object, piece, words),
        }
    }

    /// Puts a part back.
    pub fn put_part(&mut self, part: Part, words: &[u64]) {
        match part {
            Part::Rest => {
                let (unjoined, exited) = Words::new(words).pair();
                self.threads.unjoined = unjoined;
                self.threads.exited = match exited {
                    0 => None,
                    1 => Some(ProcessEnd::Aborted),
                    _ => Some(ProcessEnd::Exited),
                };
            }
            Part::Thread(thread) => self.put_thread_part(thread, words),
            Part::Object(object, piece) => self.store.put_piece(object, piece, words),
        }
    }

    /// The parts that the last step changed, some perhaps twice.
    pub fn changed_parts(&self, parts: &mut Vec<Part>) {
        parts.push(Part::Rest);
        let Some(step) = self.last_step() else { return };
        let thread = self.queue_owner(step.thread).unwrap_or(step.thread);
        parts.push(Part::Thread(thread));
        parts.extend(step.born.iter().map(|&child| Part::Thread(child)));
        parts.extend(step.joined.iter().map(|joined| Part::Thread(joined.0)));
        self.store.changed_since(step.store, parts);
    }

    /// The object that the program made as it ran which a word leads to, and the offset.
    /// With pointers of four bytes there is no telling.
    #[inline]
    pub fn dynamic_object(&self, word: u64) -> Option<(ObjectId, u64)> {
        self.store.dynamic_at(word)
    }

    /// All parts that exist, constants aside.
    pub fn all_parts(&self, parts: &mut Vec<Part>) {
        parts.push(Part::Rest);
        let all = (0..self.threads.len() as u32).map(ThreadId);
        let born = all.filter(|&thread| *self.status(thread) != Status::Unborn);
        parts.extend(born.map(Part::Thread));
        self.store.all_pieces(parts);
    }

    fn thread_part(&mut self, thread: ThreadId, words: &mut Vec<u64>) {
        let index = thread.index();
        if self.threads[index].scalars.status == Status::Unborn {
            return;
        }
        let scalars = &self.threads[index].scalars;
        let fate = scalars.fate;
        let flag = |set: bool, flag: u64| if set { flag } else { 0 };
        let flags = flag(fate.joined, Fate::JOINED)
            | u64::from(fate.detached) << 1
            | flag(fate.awaited_by.is_some(), Fate::AWAITED)
            | u64::from(scalars.unfenced) << 2
            | u64::from(scalars.ending) << 3
            | u64::from(scalars.no_result.is_some()) << 8
            | u64::from(scalars.atomic) << 32;
        words.push(flags);
        words.extend(fate.awaited_by.map(mention));
        put_status(&scalars.status, words);
        words.push(scalars.result);
        if let Some(unwritten) = scalars.no_result {
            put_unwritten(unwritten, words);
        }
        put_stage(scalars.stage, words);
        words.push(scalars.done.len() as u64);
        words.extend_from_slice(&scalars.done);
        words.push(scalars.held.len() as u64);
        words.extend_from_slice(&scalars.held);
        words.push(pair(self.threads[index].entry.0, scalars.children));
        put_span(self.threads[index].created_at, words);
        self.put_queues(thread, words);
        // Of threads that wait for ever one wants to know where.
        let over = match scalars.status {
            Status::Halted(halt) => !matches!(halt, Halt::Wait | Halt::Diverged),
            _ => scalars.status == Status::Finished,
        };
        let frames = if over { 0 } else { self.threads[index].frames.len() };
        words.push(frames as u64);
        if over {
            return;
        }
        words.push(self.threads[index].locals.len() as u64);
        for &(global, object) in &self.threads[index].locals {
            words.extend([u64::from(global.0), self.store.base(object)]);
        }
        let mut live = std::mem::take(&mut self.image.live);
        for depth in 0..frames {
            let state = &self.threads[index];
            let frame = state.frames[depth];
            let next = state.frames.get(depth + 1);
            let objects = next.map_or(state.objects.len() as u32, |next| next.objects);
            words.push(pair(frame.function.0, frame.block));
            words.push(pair(frame.pc, objects - frame.objects));
            let callee = next.map(|next| next.function);
            let place = self.place_of(frame, callee);
            let base = frame.regs as usize;
            let regs = live.at(self.program, place);
            let undefined = undefined_of(state, frame.regs, regs);
            words.push(pair(undefined.len() as u32, callee.map_or(0, |callee| callee.0 + 1)));
            words.extend(regs.iter().map(|&reg| state.regs[base + reg as usize]));
            for entry in undefined {
                words.extend([u64::from(entry.at - frame.regs), entry.bits]);
                put_unwritten(entry.source.unwritten, words);
            }
            let own = &state.objects[frame.objects as usize..objects as usize];
            words.extend(own.iter().map(|&object| self.store.base(object)));
        }
        self.image.live = live;
    }

    /// The registers of a thread that it will read again, by name.
    pub fn live_registers(&mut self, thread: ThreadId) -> Vec<(String, u64)> {
        let mut live = std::mem::take(&mut self.image.live);
        let mut all = Vec::new();
        let state = &self.threads[thread.index()];
        for (depth, &frame) in state.frames.iter().enumerate() {
            let callee = state.frames.get(depth + 1).map(|next| next.function);
            let place = self.place_of(frame, callee);
            let name = self.program.function(frame.function).display_name();
            for &reg in live.at(self.program, place) {
                let value = state.regs[(frame.regs + reg) as usize];
                all.push((format!("%{reg} of {name}"), value));
            }
        }
        self.image.live = live;
        all
    }

    /// Where a frame stands that has called a function, or none. What runs before the end
    /// of a thread was not called by an instruction and returns nothing.
    fn place_of(&self, frame: Frame, callee: Option<FuncId>) -> Place {
        let calls = callee.is_some_and(|id| !self.program.function(id).returns.is_empty());
        Place { function: frame.function.0, block: frame.block, pc: frame.pc, calls }
    }

    fn put_thread_part(&mut self, thread: ThreadId, words: &[u64]) {
        let index = thread.index();
        self.threads[index].reset();
        self.reset_queues(thread);
        if words.is_empty() {
            return;
        }
        let mut words = Words::new(words);
        let mut scalars = Thread::unborn().scalars;
        let flags = words.next();
        scalars.fate.joined = flags & Fate::JOINED != 0;
        scalars.fate.detached = flags & 2 != 0;
        scalars.fate.awaited_by = (flags & Fate::AWAITED != 0).then(|| mentioned(words.next()));
        scalars.status = take_status(&mut words);
        scalars.unfenced = flags & 4 != 0;
        scalars.ending = flags & 8 != 0;
        scalars.atomic = (flags >> 32) as u32;
        scalars.result = words.next();
        scalars.no_result = (flags >> 8 & 1 != 0).then(|| take_unwritten(&mut words));
        scalars.stage = take_stage(&mut words);
        scalars.done = (0..words.next()).map(|_| words.next()).collect();
        scalars.held = (0..words.next()).map(|_| words.next()).collect();
        let (entry, children) = words.pair();
        scalars.children = children;
        let created_at = words.span();
        (scalars.stores, scalars.ordered) = self.take_queues(thread, &mut words);
        let state = &mut self.threads[index];
        state.scalars = scalars;
        state.entry = FuncId(entry);
        state.created_at = created_at;
        let frames = words.next() as usize;
        if frames == 0 {
            return;
        }
        for _ in 0..words.next() {
            let global = GlobalId(words.next() as u32);
            let object = self.store.reserved_at(words.next());
            self.threads[index].locals.push((global, object));
        }
        let mut live = std::mem::take(&mut self.image.live);
        for _ in 0..frames {
            let (function, block) = words.pair();
            let (pc, objects) = words.pair();
            let (undefined, callee) = words.pair();
            let callee = callee.checked_sub(1).map(FuncId);
            let state = &mut self.threads[index];
            let frame = Frame {
                function: FuncId(function),
                block,
                pc,
                regs: state.regs.len() as u32,
                loops: 0,
                objects: state.objects.len() as u32,
            };
            state.frames.push(frame);
            let regs = self.program.functions[function as usize].regs.len();
            state.regs.resize(frame.regs as usize + regs, 0);
            let place = self.place_of(frame, callee);
            let state = &mut self.threads[index];
            for &reg in live.at(self.program, place) {
                state.regs[(frame.regs + reg) as usize] = words.next();
            }
            for _ in 0..undefined {
                let at = frame.regs + words.next() as u32;
                let bits = words.next();
                let unwritten = take_unwritten(&mut words);
                // Messages are made again.
                let source = Source { unwritten, site: Site::default(), object: None };
                state.undefined.push(UndefinedReg { at, bits, source });
            }
            for _ in 0..objects {
                let object = self.store.reserved_at(words.next());
                self.threads[index].objects.push(object);
            }
        }
        self.image.live = live;
    }
}

/// The registers of a frame that are undefined, of those that still matter.
fn undefined_of<'t>(
    thread: &'t Thread,
    base: u32,
    live: &[u32],
) -> SmallVec<[&'t UndefinedReg; 2]> {
    let matters = |entry: &&UndefinedReg| {
        entry.at.checked_sub(base).is_some_and(|reg| live.binary_search(&reg).is_ok())
    };
    let mut found: SmallVec<[&UndefinedReg; 2]> = thread.undefined.iter().filter(matters).collect();
    found.sort_unstable_by_key(|entry| entry.at);
    found
}

fn put_unwritten(unwritten: Unwritten, words: &mut Vec<u64>) {
    let Unwritten { holder, offset, bits } = unwritten;
    match holder {
        Holder::Made(Site { function, block, pc }) => {
            words.extend([pair(function, 0), pair(block, pc)]);
        }
        Holder::Global(global) => words.extend([pair(global.0, 1), 0]),
    }
    words.extend([u64::from(offset), bits]);
}

fn take_unwritten(words: &mut Words<'_>) -> Unwritten {
    let ((which, tag), (block, pc)) = (words.pair(), words.pair());
    let holder = match tag {
        0 => Holder::Made(Site { function: which, block, pc }),
        _ => Holder::Global(GlobalId(which)),
    };
    Unwritten { holder, offset: words.next() as u32, bits: words.next() }
}

fn put_status(status: &Status, words: &mut Vec<u64>) {
    match status {
        Status::Unborn => words.push(0),
        Status::Finished => words.push(1),
        Status::Halted(halt) => words.push(pair(halt_number(*halt), 2)),
        Status::Waiting(pending) => match pending {
            Pending::Ready => words.push(3),
            Pending::Drained => words.push(4),
            Pending::Clear { addr, len } => words.extend([pair(*len, 5), *addr]),
            Pending::Gate { addr, gate } => {
                let (kind, with) = gate_numbers(*gate);
                words.extend([pair(kind, 6), pair(0, with), *addr]);
            }
            Pending::Join { target } => words.extend([7, mention(*target)]),
            Pending::Joins => words.push(9),
            Pending::Input(kind) => {
                let flags = u32::from(kind.signed) | u32::from(kind.uninitialised) << 1;
                words.extend([pair(kind.width << 2 | flags, 8), kind.open, kind.known]);
            }
        },
    }
}

fn take_status(words: &mut Words<'_>) -> Status {
    let (with, tag) = words.pair();
    match tag {
        1 => Status::Finished,
        2 => Status::Halted(HALTS[with as usize]),
        3 => Status::Waiting(Pending::Ready),
        4 => Status::Waiting(Pending::Drained),
        5 => Status::Waiting(Pending::Clear { addr: words.next(), len: with }),
        6 => {
            let gate = gate_of(with, words.next() as u32);
            Status::Waiting(Pending::Gate { addr: words.next(), gate })
        }
        7 => Status::Waiting(Pending::Join { target: mentioned(words.next()) }),
        9 => Status::Waiting(Pending::Joins),
        8 => Status::Waiting(Pending::Input(InputKind {
            width: with >> 2,
            signed: with & 1 != 0,
            uninitialised: with & 2 != 0,
            open: words.next(),
            known: words.next(),
        })),
        _ => Status::Unborn,
    }
}

const HALTS: [Halt; 6] =
    [Halt::Assumption, Halt::Cut, Halt::Wait, Halt::Diverged, Halt::Failed, Halt::Exited];

fn halt_number(halt: Halt) -> u32 {
    HALTS.iter().position(|&other| other == halt).expect("all are there") as u32
}

fn gate_numbers(gate: Gate) -> (u32, u32) {
    match gate {
        Gate::Mutex => (0, 0),
        Gate::Spin => (1, 0),
        Gate::Semaphore => (2, 0),
        Gate::ReadLock => (3, 0),
        Gate::WriteLock => (4, 0),
        Gate::Barrier { generation } => (5, generation),
        Gate::Condition { arrival } => (6, u32::from(arrival)),
        Gate::Once => (7, 0),
    }
}

fn gate_of(kind: u32, with: u32) -> Gate {
    match kind {
        0 => Gate::Mutex,
        1 => Gate::Spin,
        2 => Gate::Semaphore,
        3 => Gate::ReadLock,
        4 => Gate::WriteLock,
        5 => Gate::Barrier { generation: with },
        6 => Gate::Condition { arrival: with as u8 },
        _ => Gate::Once,
    }
}

fn put_stage(stage: Stage, words: &mut Vec<u64>) {
    match stage {
        Stage::Start => words.push(0),
        Stage::Arrived { generation } => words.push(pair(generation, 1)),
        Stage::Waits { arrival } => words.push(pair(u32::from(arrival), 2)),
        Stage::Woken { result } => words.extend([3, result]),
    }
}

fn take_stage(words: &mut Words<'_>) -> Stage {
    match words.pair() {
        (_, 0) => Stage::Start,
        (generation, 1) => Stage::Arrived { generation },
        (arrival, 2) => Stage::Waits { arrival: arrival as u8 },
        _ => Stage::Woken { result: words.next() },
    }
}
