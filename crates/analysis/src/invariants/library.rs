//! Calls of library functions. One that is not here ends the analysis.

use heddle_ir::{FuncId, Operand, Reg, Ty};

use super::calls::Arguments;
use super::flow::Frame;
use super::objects::{CellId, ClassId, Kind, Object};
use super::state::{Lock, State};
use super::value::{Pointer, Value};
use super::{Analysis, Check, Stop};
use crate::numeric::{Lattice, Word};

/// Larger blocks may not be had.
const LARGEST: u64 = 1 << 30;

/// A call: who calls, with what, and where the result goes.
struct Call<'a> {
    frame: &'a Frame,
    arguments: &'a [Operand],
    types: &'a [Ty],
    results: &'a [Reg],
    /// Sizes of the objects to wait for that its arguments point to.
    bytes: [u64; 2],
}

/// A semaphore that was made: unlike a lock, it is not one when all its bytes are 0.
fn semaphore() -> Value {
    Value::number(2, 1)
}

impl Analysis<'_> {
    pub(super) fn library_call(
        &mut self,
        frame: &Frame,
        state: State,
        callee: FuncId,
        results: &[Reg],
        (arguments, types): Arguments,
    ) -> Result<Option<State>, Stop> {
        let program = self.program;
        let name = program.function(callee).name.as_str();
        let call = Call { frame, arguments, types, results, bytes: self.sync_bytes(name) };
        match name {
            "__assert_fail" | "__assert" | "reach_error" | "__VERIFIER_error" => {
                self.oblige(Check::Assertion, "assertion holds", false, String::new);
                Ok(None)
            }
            "abort" => {
                self.oblige(Check::Abort, "abort is not called", false, String::new);
                Ok(None)
            }
            "_ZSt9terminatev" | "__cxa_pure_virtual" | "__cxa_deleted_virtual" => {
                self.oblige(Check::Memory, "terminate is not called", false, String::new);
                Ok(None)
            }
            "exit" => self.end_process(state).map(|()| None),
            "_exit" | "_Exit" | "quick_exit" => Ok(None),
            "__VERIFIER_assert" => self.assertion(state, &call),
            "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end" => {
                self.atomic(state, name.ends_with("begin"))
            }
            "__VERIFIER_assume" => self.assumption(state, &call),
            "sem_init" => self.sync_init(state, &call, name),
            "sem_wait" | "sem_post" => self.semaphore(state, &call, name),
            "sem_destroy" => self.sync_destroy(state, &call, name),
            // Whoever is detached goes on as before, and a join would not wait for it. It may
            // have been detached before.
            "pthread_detach" | "thrd_detach" if !self.joins() => {
                Ok(Some(self.give(state, &call, Value::top(32))))
            }
            "pthread_create" => self.pthread_create(state, &call, (2, 3)),
            "thrd_create" => self.pthread_create(state, &call, (1, 2)),
            "pthread_join" | "thrd_join" => self.pthread_join(state, &call, name == "thrd_join"),
            "pthread_exit" | "thrd_exit" => {
                let result = self.argument(&state, &call, 0);
                if self.class == ClassId::MAIN {
                    return Err(self.give_up("main ends before the process does"));
                }
                self.abandon_frames()?;
                self.end_locals(&state);
                self.end_thread(state, result).map(|()| None)
            }
            "pthread_mutex_init" | "mtx_init" | "pthread_spin_init" | "pthread_cond_init"
            | "cnd_init" => self.sync_init(state, &call, name),
            "pthread_mutex_lock" | "mtx_lock" | "pthread_spin_lock" => self.lock(state, &call),
            "pthread_mutex_unlock" | "mtx_unlock" | "pthread_spin_unlock" => {
                self.unlock(state, &call)
            }
            "pthread_mutex_destroy"
            | "mtx_destroy"
            | "pthread_spin_destroy"
            | "pthread_cond_destroy"
            | "cnd_destroy" => self.sync_destroy(state, &call, name),
            "pthread_cond_wait" | "cnd_wait" => self.wait(state, &call, false),
            "pthread_cond_timedwait"
            | "cnd_timedwait"
            | "__heddle_timed_wait"
            | "pthread_cond_clockwait" => self.wait(state, &call, true),
            "pthread_cond_signal" | "pthread_cond_broadcast" | "cnd_signal" | "cnd_broadcast" => {
                self.sync_cell(&state, &call, 0, "condition variable can be used")?;
                Ok(Some(self.give(state, &call, Value::number(32, 0))))
            }
            "malloc" => {
                let size = self.size(&state, &call, 0);
                self.new_block(state, &call, size, (false, true))
            }
            "calloc" => {
                let (a, b) = (self.size(&state, &call, 0), self.size(&state, &call, 1));
                let size = Word::binary(heddle_ir::BinOp::Mul, &a, &b);
                let fits = Word::overflows(heddle_ir::OverflowOp::UMul, &a, &b) == Some(false);
                let size = if fits { size } else { Word::top(size.width()) };
                self.new_block(state, &call, size, (true, true))
            }
            "free" => self.free(state, &call),
            "pthread_self" | "thrd_current" => {
                let width = self.pointer_bits();
                Ok(Some(self.give(state, &call, Value::top(width))))
            }
            "sleep" | "usleep" | "nanosleep" | "thrd_sleep" | "pthread_yield" | "sched_yield" => {
                Ok(Some(self.give(state, &call, Value::number(32, 0))))
            }
            "thrd_yield" | "__heddle_keep" => Ok(Some(state)),
            "__heddle_no_more_wakeups" => Ok(Some(self.give(state, &call, Value::top(1)))),
            _ if name.starts_with("__VERIFIER_nondet_") && !name.contains("pointer") => {
                self.input(state, &call)
            }
            _ if name.starts_with("__heddle_put") => self.any_result(state, &call),
            _ if name.starts_with("_Znw") || name.starts_with("_Zna") => {
                let size = self.size(&state, &call, 0);
                self.new_block(state, &call, size, (false, false))
            }
            _ if name.starts_with("_Zdl") || name.starts_with("_Zda") => self.free(state, &call),
            _ => Err(self.give_up(format!("{name} is not followed"))),
        }
    }

    /// The lock that an argument is the address of.
    pub(super) fn lock_of(
        &mut self,
        state: &State,
        frame: &Frame,
        name: &str,
        (arguments, types, at): (&[Operand], &[Ty], usize),
    ) -> Result<Lock, Stop> {
        let bytes = self.sync_bytes(name);
        let call = Call { frame, arguments, types, results: &[], bytes };
        Ok(Lock::At(self.sync_place(state, &call, at)?.0))
    }

    fn sync_bytes(&self, name: &str) -> [u64; 2] {
        let mutex = if self.program.pointer_bytes == 8 { 40 } else { 24 };
        match name {
            _ if name.contains("spin") => [4, 0],
            _ if name.starts_with("sem_") => [if mutex == 40 { 32 } else { 16 }, 0],
            _ if name.contains("cond") || name.contains("cnd") || name.contains("wait") => {
                [48, mutex]
            }
            _ => [mutex, 0],
        }
    }

    fn argument(&self, state: &State, call: &Call, at: usize) -> Value {
        match (call.arguments.get(at), call.types.get(at)) {
            (Some(&operand), Some(&ty)) => self.operand(call.frame, state, operand, self.bits(ty)),
            _ => Value::Any,
        }
    }

    fn size(&self, state: &State, call: &Call, at: usize) -> Word {
        self.argument(state, call, at).word(self.pointer_bits())
    }

    /// The call returns a value, if anybody wants it.
    fn give(&self, mut state: State, call: &Call, value: Value) -> State {
        if let Some(&reg) = call.results.first() {
            let width = self.width_of(call.frame, reg);
            let value = match value {
                Value::Number(word) if word.width() != width => Value::top(width),
                value => value,
            };
            state.set(call.frame.register(reg), value);
        }
        state
    }

    fn any_result(&self, mut state: State, call: &Call) -> Result<Option<State>, Stop> {
        for &reg in call.results {
            let width = self.width_of(call.frame, reg);
            state.set(call.frame.register(reg), Value::top(width));
        }
        Ok(Some(state))
    }

    fn input(&self, state: State, call: &Call) -> Result<Option<State>, Stop> {
        match call.results {
            [_] => self.any_result(state, call),
            _ => Err(self.give_up("an input of several words")),
        }
    }

    fn assertion(&mut self, mut state: State, call: &Call) -> Result<Option<State>, Stop> {
        let (Some(&cond), Some(&ty)) = (call.arguments.first(), call.types.first()) else {
            return Err(self.give_up("an assertion of nothing"));
        };
        let width = self.bits(ty);
        let zero = Operand::Const(0);
        let not = heddle_ir::Compare::Ne;
        let holds = self.decide(call.frame, &state, not, width, (cond, zero)) == Some(true);
        self.oblige(Check::Assertion, "assertion holds", holds, || "the condition".to_string());
        let left = self.assume_given(call.frame, &mut state, (cond, width));
        Ok(left.then_some(state))
    }

    /// Does the program join threads at all?
    fn joins(&self) -> bool {
        ["pthread_join", "thrd_join"].iter().any(|name| self.program.find_function(name).is_some())
    }

    /// What does not hold ends the run.
    fn assumption(&mut self, mut state: State, call: &Call) -> Result<Option<State>, Stop> {
        let (Some(&cond), Some(&ty)) = (call.arguments.first(), call.types.first()) else {
            return Err(self.give_up("an assumption of nothing"));
        };
        match self.assume_given(call.frame, &mut state, (cond, self.bits(ty))) {
            true => Ok(Some(state)),
            // Nothing would be left to be said.
            false => Err(self.give_up("an assumption that does not hold")),
        }
    }

    /// Nothing is taken from the order that a semaphore makes, nor from its count.
    fn semaphore(
        &mut self,
        mut state: State,
        call: &Call,
        name: &str,
    ) -> Result<Option<State>, Stop> {
        self.made_cell(&state, (call, 0), "semaphore can be used", &semaphore())?;
        let posts = name == "sem_post";
        // A post that is refused says why.
        if posts && self.program.find_function("__errno_location").is_some() {
            return Err(self.give_up("a semaphore whose count may be too large"));
        }
        if self.recording && !posts {
            self.waits.fail(self.at, "a post may never come");
        }
        state.changed |= posts;
        let code = if posts { Value::top(32) } else { Value::number(32, 0) };
        Ok(Some(self.give(state, call, code)))
    }

    fn atomic(&mut self, mut state: State, begins: bool) -> Result<Option<State>, Stop> {
        if state.may.contains(&Lock::Atomic) == begins {
            return Err(self.give_up("atomic sections within each other"));
        }
        if begins {
            return Ok(self.acquire(&mut state, Lock::Atomic).then_some(state));
        }
        self.release(&mut state, Lock::Atomic);
        Ok(Some(state))
    }

    fn pthread_create(
        &mut self,
        mut state: State,
        call: &Call,
        (entry, data): (usize, usize),
    ) -> Result<Option<State>, Stop> {
        if entry == 2
            && self.argument(&state, call, 1).pointer().is_none_or(|p| !p.targets.is_empty())
        {
            return Err(self.give_up("a thread is created with attributes"));
        }
        let value = self.argument(&state, call, entry);
        let target = match &value {
            Value::Pointer(Pointer { targets, null: false }) if targets.len() == 1 => {
                targets.keys().next().map(|&id| self.objects.get(id))
            }
            _ => None,
        };
        let Some(Object::Function(function)) = target else {
            return Err(self.give_up("what a thread starts with is not known"));
        };
        let argument = self.argument(&state, call, data);
        let slot = self.argument(&state, call, 0);
        // The handle is there before the thread runs.
        let (class, width) = (self.class_here(function), self.pointer_bits());
        self.make_older(&mut state, Some(class));
        let value = self.new_handle(class);
        self.put(&mut state, &slot, u64::from(width / 8), (&value, None), false)?;
        self.create(&mut state, function, argument)?;
        Ok(Some(self.give(state, call, Value::number(32, 0))))
    }

    fn pthread_join(
        &mut self,
        state: State,
        call: &Call,
        short: bool,
    ) -> Result<Option<State>, Stop> {
        let handle = self.argument(&state, call, 0);
        let slot = self.argument(&state, call, 1);
        let Value::Pointer(Pointer { targets, null: false }) = &handle else {
            return self.join_somebody(state, call, &slot);
        };
        if self.recording && !state.may.is_empty() {
            self.waits.fail(self.at, "a thread is joined while a lock is held");
        }
        let mut after: Option<State> = None;
        let only = targets.len() == 1;
        let mut classes = Vec::new();
        for &id in targets.keys() {
            let Some(handle) = self.handle(self.objects.get(id)) else {
                return Err(self.give_up("what is joined is not known"));
            };
            classes.push(handle);
        }
        if self.recording {
            let deeds = self.deeds.entry((self.class, self.at)).or_default();
            deeds.joins.extend(classes.iter().map(|(class, _)| *class));
        }
        for (class, latest) in classes {
            // Only the one instance that there is is known to be the one that has ended.
            let repeated = self.facts.starts.get(&class).is_some_and(|start| start.repeated);
            let certain = only && state.created.contains_key(&class) && (latest || !repeated);
            let mut joined = state.clone();
            if !certain {
                joined.created.insert(class, true);
            }
            let Some(result) = self.join(&mut joined, class) else { continue };
            let without = (!certain).then(|| joined.clone());
            if !matches!(slot.pointer(), Some(p) if p.targets.is_empty()) {
                let result = if short { Value::top(32) } else { result };
                let bytes = if short { 4 } else { u64::from(self.pointer_bits() / 8) };
                self.put(&mut joined, &slot, bytes, (&result, None), false)?;
            }
            // Whoever joins nobody gets no result.
            if let Some(without) = without {
                joined = joined.join(&without);
            }
            let code = if certain { Value::number(32, 0) } else { Value::top(32) };
            let joined = self.give(joined, call, code);
            after = Some(after.map_or(joined.clone(), |after| after.join(&joined)));
        }
        Ok(after)
    }

    /// Nobody knows who is joined: whoever may run may still run.
    fn join_somebody(
        &mut self,
        mut state: State,
        call: &Call,
        slot: &Value,
    ) -> Result<Option<State>, Stop> {
        if self.recording {
            self.waits.fail(self.at, "it is not known which thread is joined");
        }
        if !matches!(slot.pointer(), Some(p) if p.targets.is_empty()) {
            return Err(self.give_up("what is joined is not known"));
        }
        state.changed = false;
        Ok(Some(self.give(state, call, Value::top(32))))
    }

    /// The cell of an object that threads wait for. It must be a single one that is ready.
    fn sync_cell(
        &mut self,
        state: &State,
        call: &Call,
        at: usize,
        what: &'static str,
    ) -> Result<CellId, Stop> {
        self.made_cell(state, (call, at), what, &Value::number(1, 1))
    }

    /// The same for an object that is ready if it has this value.
    fn made_cell(
        &mut self,
        state: &State,
        (call, at): (&Call, usize),
        what: &'static str,
        made: &Value,
    ) -> Result<CellId, Stop> {
        let (cell, strong) = self.sync_place(state, call, at)?;
        // What orders others is in the way of nobody but who frees it.
        self.note_access(state, cell, true, true);
        let ready = strong && self.read(state, cell) == *made;
        self.check_lock(what, ready);
        // One of another kind tells its caller what is wrong, and goes on.
        match ready {
            true => Ok(cell),
            false => Err(self.give_up("a lock that may not be a plain one, or which is not known")),
        }
    }

    fn sync_place(
        &mut self,
        state: &State,
        call: &Call,
        at: usize,
    ) -> Result<(CellId, bool), Stop> {
        let address = self.argument(state, call, at);
        let spot = self.spot(state, &address, call.bytes[at], Kind::Sync, true)?;
        let cell = spot.cells.first().copied();
        let Some(cell) = cell.filter(|_| spot.cells.len() == 1) else {
            return Err(self.give_up("which lock is meant is not known"));
        };
        let sync = self.objects.cell(cell).1.kind == Kind::Sync;
        Ok((cell, spot.strong && sync))
    }

    fn sync_init(
        &mut self,
        mut state: State,
        call: &Call,
        name: &str,
    ) -> Result<Option<State>, Stop> {
        let plain = match (name, self.argument(&state, call, 1)) {
            // The kind: 0 and 2 (with time) are plain ones.
            ("mtx_init", Value::Number(kind)) => kind.only().is_some_and(|kind| kind & 1 == 0),
            ("pthread_spin_init" | "cnd_init", _) => true,
            // A number that is too large is refused.
            ("sem_init", _) => match self.argument(&state, call, 2) {
                Value::Number(count) => count.unsigned().1 <= i32::MAX as u64,
                _ => false,
            },
            (_, attributes) => attributes.pointer().is_some_and(|p| p.targets.is_empty()),
        };
        if !plain {
            return Err(self.give_up("a lock with attributes"));
        }
        let (cell, strong) = self.sync_place(&state, call, 0)?;
        self.note_access(&state, cell, true, true);
        let free = !state.may.contains(&Lock::At(cell)) && state.others.is_empty();
        self.check_lock("lock that is initialised is free", free && strong);
        let made = if name == "sem_init" { semaphore() } else { Value::number(1, 1) };
        self.write(&mut state, cell, &made, strong);
        Ok(Some(self.give(state, call, Value::number(32, 0))))
    }

    fn sync_destroy(
        &mut self,
        mut state: State,
        call: &Call,
        name: &str,
    ) -> Result<Option<State>, Stop> {
        let cell = match name {
            "sem_destroy" => {
                self.made_cell(&state, (call, 0), "semaphore can be used", &semaphore())?
            }
            _ => self.sync_cell(&state, call, 0, "lock can be used")?,
        };
        let free = !state.may.contains(&Lock::At(cell));
        let quiet = state.others.is_empty();
        self.check_lock("lock that is destroyed is free", free && quiet);
        self.write(&mut state, cell, &Value::number(1, 0), true);
        Ok(Some(match name {
            "mtx_destroy" | "cnd_destroy" => state,
            _ => self.give(state, call, Value::number(32, 0)),
        }))
    }

    fn lock(&mut self, mut state: State, call: &Call) -> Result<Option<State>, Stop> {
        let cell = self.sync_cell(&state, call, 0, "lock can be used")?;
        if !self.acquire(&mut state, Lock::At(cell)) {
            return Ok(None);
        }
        Ok(Some(self.give(state, call, Value::number(32, 0))))
    }

    fn unlock(&mut self, mut state: State, call: &Call) -> Result<Option<State>, Stop> {
        let cell = self.sync_cell(&state, call, 0, "lock can be used")?;
        let held = state.must.contains(&Lock::At(cell));
        self.check_lock("lock is held by the thread that unlocks it", held);
        self.release(&mut state, Lock::At(cell));
        Ok(Some(self.give(state, call, Value::number(32, 0))))
    }

    fn wait(&mut self, mut state: State, call: &Call, timed: bool) -> Result<Option<State>, Stop> {
        self.sync_cell(&state, call, 0, "condition variable can be used")?;
        let cell = self.sync_cell(&state, call, 1, "lock can be used")?;
        let held = state.must.contains(&Lock::At(cell));
        self.check_lock("lock is held by the thread that waits", held);
        if self.recording {
            self.waits.fail(self.at, "a signal may never come");
        }
        self.release(&mut state, Lock::At(cell));
        if !self.acquire(&mut state, Lock::At(cell)) {
            return Ok(None);
        }
        let code = if timed { Value::top(32) } else { Value::number(32, 0) };
        Ok(Some(self.give(state, call, code)))
    }

    fn new_block(
        &mut self,
        mut state: State,
        call: &Call,
        size: Word,
        (zeroed, may_fail): (bool, bool),
    ) -> Result<Option<State>, Stop> {
        let object = self.objects.intern(Object::Heap(call.frame.context, self.at));
        let repeated = self.facts.starts.get(&self.class).is_some_and(|start| start.repeated);
        if repeated || !state.made.insert(object) {
            self.objects.stands_for_several(object);
        }
        // What is too large may not be there, and `new` would throw.
        let fits = size.unsigned().1 <= LARGEST;
        if !fits && !may_fail {
            return Err(self.give_up("a block of unknown size"));
        }
        self.allocate(&mut state, object, size, zeroed)?;
        let pointer = Value::to(object, Word::constant(self.pointer_bits(), 0));
        let null = may_fail && (self.null_tested || !fits);
        let pointer = match null {
            true => pointer.join(&Value::number(self.pointer_bits(), 0)),
            false => pointer,
        };
        Ok(Some(self.give(state, call, pointer)))
    }

    fn free(&mut self, mut state: State, call: &Call) -> Result<Option<State>, Stop> {
        let Some(Pointer { targets, .. }) = self.argument(&state, call, 0).pointer() else {
            return Err(self.give_up("what is freed is not known"));
        };
        let count = targets.len();
        for (id, offset) in targets {
            let Object::Heap(..) = self.objects.get(id) else {
                self.oblige(Check::Memory, "what is freed is a block", false, String::new);
                return Err(self.give_up("what is freed is not a block"));
            };
            let begin = offset.only() == Some(0);
            self.oblige(Check::Memory, "a block is freed by its address", begin, || {
                "offset 0".to_string()
            });
            let alive = self.objects.alive(id);
            let exists = self.read(&state, alive) == Value::number(1, 1);
            self.oblige(Check::Memory, "block is freed once", exists, || {
                "not freed before".to_string()
            });
            let strong = count == 1 && self.is_single(id);
            for cell in self.objects.cells_of(id) {
                self.note_access(&state, cell, true, false);
            }
            self.write(&mut state, alive, &Value::number(1, 0), strong);
        }
        Ok(Some(state))
    }
}
