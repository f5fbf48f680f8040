//! Threads of the unfolding: creation, end, join.
//!
//! A thread keeps an internal object: whether it was created (offset 0), whether it
//! has ended (1), whether it was joined (2) and what it returned (8).

use heddle_sat::Term;
use smallvec::smallvec;

use crate::bounded::{Action, Goal, Site, Test, ThreadCode, Wait};
use crate::unfold::facts::Cell;
use crate::unfold::memory::Manner;
use crate::unfold::objects::{Contents, Identity, Kind, Object};
use crate::unfold::{Dead, Start, Unfolder};

pub(super) const CREATED: u32 = 0;
pub(super) const ENDED: u32 = 1;
const JOINED: u32 = 2;
pub(super) const RESULT: u32 = 8;
/// Threads that can be told apart.
const MOST_THREADS: usize = 4096;
const ESRCH: u64 = 3;
const EDEADLK: u64 = 35;

impl Unfolder<'_> {
    /// The arguments of `main`: a count, a vector with a name, an environment.
    pub(crate) fn main_arguments(&mut self) -> [Term; 3] {
        let width = usize::from(self.program.pointer_bytes);
        let object = |this: &mut Self, nth: u32, data: Vec<u8>| {
            let object = Object {
                base: 0,
                bytes: data.len() as u64,
                kind: Kind::ThreadLocal,
                owner: 0,
                constant: false,
                contents: Contents::Bytes(data),
                undefined: false,
                name: "argv".to_string(),
            };
            let id = this.objects.intern(Identity::Arguments(nth), object);
            this.objects.base(id)
        };
        let mut argv = Vec::new();
        let words = heddle_semantics::words(self.program);
        for (nth, word) in words.iter().enumerate() {
            let text = object(self, nth as u32 + 2, word.clone());
            argv.extend_from_slice(&text.to_le_bytes()[..width]);
        }
        argv.resize(argv.len() + width, 0);
        let argv = object(self, 0, argv);
        let envp = object(self, 1, vec![0u8; width]);
        let bits = self.program.pointer_bits();
        let terms = &mut self.symbolic.terms;
        [
            terms.constant(words.len() as u64, 32),
            terms.constant(argv, bits),
            terms.constant(envp, bits),
        ]
    }

    fn thread_cell(&mut self, thread: u32, offset: u32) -> Cell {
        let object = Object {
            base: 0,
            bytes: 16,
            kind: Kind::Internal,
            owner: thread,
            constant: false,
            contents: Contents::Zero,
            undefined: false,
            name: format!("thread {thread}"),
        };
        let object = self.objects.intern(Identity::Thread(thread), object);
        let len = if offset == RESULT { u32::from(self.program.pointer_bytes) } else { 1 };
        self.facts.access(object, offset, offset + len);
        Cell { object, offset }
    }

    /// The thread that this instruction creates.
    pub(crate) fn intern_thread(&mut self) -> u32 {
        let identity = Identity::Allocation(self.current, self.here(), u32::MAX);
        let next = self.known_threads + 1;
        let thread = match self.interned.get(&identity) {
            Some(&thread) => thread,
            None => {
                self.interned.insert(identity, next);
                self.known_threads = next;
                self.grown = true;
                next
            }
        };
        while self.threads.len() <= thread as usize {
            self.threads.push(ThreadCode::default());
            self.starts.push(None);
        }
        thread
    }

    pub(crate) fn handle(&mut self, thread: u32) -> Term {
        let width = self.program.pointer_bits();
        self.symbolic.terms.constant(u64::from(thread) + 1, width)
    }

    pub(crate) fn code(&mut self) -> Term {
        self.symbolic.terms.constant(u64::from(self.current) + 1, 32)
    }

    pub(crate) fn spawn_thread(&mut self, entry: Term, arg: Term) -> Result<Term, Dead> {
        let constant = self.symbolic.terms.as_constant(entry);
        let Some(function) = constant.and_then(|addr| self.function_at(addr)) else {
            self.note_unsupported("a thread whose function is not known".to_string());
            return Err(Dead);
        };
        if self.program.function(function).is_declaration() {
            self.note_unsupported("a thread that starts in a library function".to_string());
            return Err(Dead);
        }
        let thread = self.intern_thread();
        if thread as usize >= MOST_THREADS {
            self.note_unsupported("more threads than can be told apart".to_string());
            return Err(Dead);
        }
        let placeholder = crate::unfold::state::State::new(self.state.guard);
        let mut state = std::mem::replace(&mut self.state, placeholder);
        self.open(&mut state);
        self.state = state;
        self.publish(arg, true);
        self.starts[thread as usize] = Some(Start { entry: function, arg });
        self.threads[thread as usize].parent = self.current;
        let guard = self.state.guard;
        self.threads[self.current as usize].children.push((thread, guard));
        self.note_child(thread);
        self.begin_operation();
        let point = self.point();
        self.push_plain(point, Action::Drain);
        let cell = self.thread_cell(thread, CREATED);
        let (one, always) = (self.symbolic.terms.constant(1, 8), self.symbolic.terms.truth(true));
        self.write_cell(cell, one, Some(point), always, Manner::DIRECT);
        self.note_effect(always);
        self.note_operation(None);
        Ok(self.handle(thread))
    }

    /// A thread waits until the cell has this value. Can any run go on?
    fn wait_for(&mut self, point: u32, cell: Cell, wanted: u64, when: Term) -> bool {
        let always = self.symbolic.terms.truth(true);
        let value = self.read_cell(cell, Some(point), when);
        let width = self.symbolic.terms.width(value);
        let wanted = self.symbolic.terms.constant(wanted, width);
        let cells = smallvec![(cell, self.facts.length(cell))];
        let targets = vec![(cells, always)];
        let test = Test { targets, value, any: smallvec![wanted], not: None, apart: None };
        let guard = self.symbolic.terms.and(self.state.guard, when);
        let open = test.holds(&mut self.symbolic, value);
        self.threads[self.current as usize].waits.push(Wait {
            point,
            guard,
            tests: vec![test],
            ordered: false,
        });
        self.go_on(when, open)
    }

    /// After a wait of those runs in which `when` holds: those that surely wait for ever
    /// are not followed. Are there others?
    pub(crate) fn go_on(&mut self, when: Term, open: Term) -> bool {
        let terms = &mut self.symbolic.terms;
        if terms.as_constant(open) == Some(0) {
            let free = terms.not(when);
            self.state.guard = terms.and(self.state.guard, free);
        }
        terms.as_constant(self.state.guard) != Some(0)
    }

    pub(crate) fn wait_for_birth(&mut self, thread: u32) {
        let point = self.point();
        let cell = self.thread_cell(thread, CREATED);
        let always = self.symbolic.terms.truth(true);
        self.wait_for(point, cell, 1, always);
    }

    /// The thread ends with a result.
    pub(crate) fn note_end(&mut self, result: Term, site: Site) {
        self.begin_operation();
        let point = self.point();
        self.push_plain(point, Action::Drain);
        let always = self.symbolic.terms.truth(true);
        let one = self.symbolic.terms.constant(1, 8);
        let ended = self.thread_cell(self.current, ENDED);
        let cell = self.thread_cell(self.current, RESULT);
        let width = self.program.pointer_bits();
        let result = match self.symbolic.terms.width(result) {
            bits if bits < width => self.symbolic.terms.zero_extend(result, width),
            _ => result,
        };
        self.write_cell(cell, result, Some(point), always, Manner::DIRECT);
        self.write_cell(ended, one, Some(point), always, Manner::DIRECT);
        self.end_all_events(point);
        self.note_operation_at(site, None);
        let guard = self.state.guard;
        self.threads[self.current as usize].ends.push((Some(point), guard));
    }

    pub(crate) fn note_exit(&mut self) {
        let point = self.latest_point();
        let guard = self.state.guard;
        self.threads[self.current as usize].exits.push((point, guard));
    }

    pub(crate) fn leave_section(&mut self) {
        self.state.atomic = self.state.atomic.saturating_sub(1);
        if self.state.atomic == 0 {
            self.state.section = None;
        }
    }

    pub(crate) fn join_thread(&mut self, handle: Term) -> Result<Result<Term, Term>, Dead> {
        let Some(values) = self.symbolic.terms.values(handle).map(|values| values.to_vec()) else {
            self.note_unsupported("a join of a thread that is not known".to_string());
            return Err(Dead);
        };
        let threads = self.threads.len() as u64;
        let known = |value: &u64| (1..=threads).contains(value);
        if let [value] = values.as_slice() {
            let error = match *value {
                value if !known(&value) => Some(ESRCH),
                value if value == u64::from(self.current) + 1 => Some(EDEADLK),
                _ => None,
            };
            if let Some(error) = error {
                return Ok(Err(self.symbolic.terms.constant(error, 32)));
            }
        }
        let single = values.len() == 1;
        let mut targets = Vec::new();
        for value in values {
            let when = match single {
                true => self.symbolic.terms.truth(true),
                false => self.symbolic.equals(handle, value),
            };
            let detached = self.detached.contains(&value);
            if !known(&value) || detached || value == u64::from(self.current) + 1 {
                let bad = self.symbolic.terms.and(self.state.guard, when);
                let what = "a join of something that may not be a thread to be joined".to_string();
                self.note_check(bad, Goal::Unsupported(what), self.span());
                continue;
            }
            targets.push((value as u32 - 1, when));
        }
        if targets.is_empty() {
            return Err(Dead);
        }
        self.join_one_of(&targets).map(Ok)
    }

    /// The error number, 0 where a thread is detached for the first time. Whether others
    /// have done so before is not followed.
    pub(crate) fn detach_thread(&mut self, handle: Term) -> Result<Term, Dead> {
        let Some(values) = self.symbolic.terms.values(handle).map(|values| values.to_vec()) else {
            self.note_unsupported("a detach of a thread that is not known".to_string());
            return Err(Dead);
        };
        let threads = self.threads.len() as u64;
        for value in values {
            let again = !self.released.insert(value);
            if again || !(1..=threads).contains(&value) {
                let when = self.symbolic.equals(handle, value);
                let bad = self.symbolic.terms.and(self.state.guard, when);
                let what = "a detach of something that may not be a thread to be detached";
                self.note_check(bad, Goal::Unsupported(what.to_string()), self.span());
                // What it would say is not known, so nothing follows from it.
                let fine = self.symbolic.terms.not(bad);
                self.state.guard = self.symbolic.terms.and(self.state.guard, fine);
            }
            self.grown |= self.detached.insert(value);
        }
        match self.symbolic.terms.as_constant(self.state.guard) {
            Some(0) => Err(Dead),
            _ => Ok(self.symbolic.terms.constant(0, 32)),
        }
    }

    fn join_one_of(&mut self, targets: &[(u32, Term)]) -> Result<Term, Dead> {
        self.begin_event()?;
        self.begin_operation();
        let point = self.point();
        self.push_plain(point, Action::Drain);
        let mut result = self.symbolic.terms.constant(0, self.program.pointer_bits());
        let one = self.symbolic.terms.constant(1, 8);
        let mut first = self.symbolic.terms.truth(true);
        for &(thread, when) in targets {
            let ended = self.thread_cell(thread, ENDED);
            if !self.wait_for(point, ended, 1, when) {
                self.note_operation(None);
                return Err(Dead);
            }
            let joined = self.thread_cell(thread, JOINED);
            let before = self.read_cell(joined, Some(point), when);
            let again = self.symbolic.equals(before, 1);
            let again = self.symbolic.terms.and(when, again);
            let again = self.symbolic.terms.and(self.state.guard, again);
            let what = "a second join of a thread".to_string();
            self.note_check(again, Goal::Unsupported(what), self.span());
            let fresh = self.symbolic.terms.not(again);
            first = self.symbolic.terms.and(first, fresh);
            self.write_cell(joined, one, Some(point), when, Manner::DIRECT);
            let cell = self.thread_cell(thread, RESULT);
            let value = self.read_cell(cell, Some(point), when);
            result = self.symbolic.terms.select(when, value, result);
        }
        let always = self.symbolic.terms.truth(true);
        self.note_effect(always);
        self.note_operation(None);
        self.end_event();
        // What a second join would give is not known, so nothing follows from it.
        self.state.guard = self.symbolic.terms.and(self.state.guard, first);
        match self.symbolic.terms.as_constant(self.state.guard) {
            Some(0) => Err(Dead),
            _ => Ok(result),
        }
    }
}
