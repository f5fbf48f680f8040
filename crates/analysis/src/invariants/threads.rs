//! Rounds over all threads, how they start and end, and what locks let through.

use std::collections::BTreeSet;

use heddle_ir::{FuncId, Init, Symbol};

use super::facts::Start;
use super::flow::Frame;
use super::objects::{CellId, ClassId, ContextId, Field, Kind, Object};
use super::state::{Lock, State, as_cell, cell_var, register_var};
use super::value::Value;
use super::{Analysis, Check, Stop};
use crate::numeric::{Lattice, Word};
use crate::site::Site;

/// What the machine calls when a thread, or the process, ends.
const AT_THREAD_END: &str = "__heddle_end_thread";
const AT_PROCESS_END: &str = "__heddle_end_process";

impl Analysis<'_> {
    /// All threads once, under what was told.
    pub(super) fn round(&mut self) -> Result<(), Stop> {
        self.obligations.clear();
        self.accesses.clear();
        self.deeds.clear();
        self.claims = Default::default();
        self.waits = Default::default();
        self.run_or_reuse(ClassId::MAIN, |this| this.run_main())?;
        for (class, start) in self.facts.starts.clone() {
            self.run_or_reuse(class, |this| this.run_class(class, &start))?;
        }
        Ok(())
    }

    pub(super) fn context(&mut self, function: FuncId) -> ContextId {
        let key = (self.class, self.path.clone(), function);
        let next = ContextId(self.contexts.len() as u32);
        let context = *self.contexts.entry(key).or_insert(next);
        if context == next {
            self.context_classes.push(self.class);
        }
        context
    }

    fn begin(&mut self, class: ClassId) {
        self.class = class;
        self.path.clear();
        self.recording = true;
    }

    /// Memory when the program starts.
    pub(super) fn initial_state(&mut self) -> State {
        let mut state = State::default();
        for cell in (0..self.objects.cell_count()).map(CellId) {
            if matches!(self.objects.get(self.objects.cell(cell).0), Object::Global(_)) {
                state.values.insert(cell_var(cell), self.initial(cell));
            }
        }
        self.add_locals(&mut state);
        state
    }

    fn run_main(&mut self) -> Result<(), Stop> {
        self.begin(ClassId::MAIN);
        let mut running = Some(self.initial_state());
        for constructor in self.program.constructors.clone() {
            let Some(state) = running else { return Ok(()) };
            running = self.run_entry(constructor, &[], state)?.map(|(state, _)| state);
        }
        let Some(state) = running else { return Ok(()) };
        let params = self.program.function(self.entry).params.len();
        // What it is started with; that there is nothing is a bound of whoever says so.
        let arguments = vec![Value::Any; params];
        let Some((state, _)) = self.run_entry(self.entry, &arguments, state)? else {
            return Ok(());
        };
        self.end_process(state)
    }

    /// What the machine does as the process ends.
    pub(super) fn end_process(&mut self, state: State) -> Result<(), Stop> {
        match self.program.find_function(AT_PROCESS_END) {
            Some(id) if !self.program.function(id).is_declaration() => {
                self.run_entry(id, &[], state).map(|_| ())
            }
            _ => Ok(()),
        }
    }

    fn run_class(&mut self, class: ClassId, start: &Start) -> Result<(), Stop> {
        self.begin(class);
        let mut state = start.state.clone();
        state.others = self.facts.with_created(state.others);
        if !start.many {
            state.others.remove(&class);
        } else {
            state.others.insert(class);
        }
        self.drop_unsteady(&mut state);
        self.add_locals(&mut state);
        let argument = [start.argument.clone()];
        if let Some((state, result)) = self.run_entry(start.entry, &argument, state)? {
            self.end_thread(state, result)?;
        }
        Ok(())
    }

    /// A thread returns from its function, or is told to end.
    pub(super) fn end_thread(&mut self, mut state: State, result: Value) -> Result<(), Stop> {
        if let Some(id) = self.program.find_function(AT_THREAD_END)
            && !self.program.function(id).is_declaration()
        {
            let Some((ended, _)) = self.run_entry(id, &[], state)? else { return Ok(()) };
            state = ended;
        }
        if !self.recording {
            return Ok(());
        }
        if !state.may.is_empty() {
            self.waits.fail(self.at, "a thread may end with a lock");
        }
        for lock in state.may.clone() {
            self.told.release(lock, &state, &self.facts, &self.objects);
        }
        let result = self.older(&result);
        self.make_older(&mut state, None);
        let escaping: Vec<_> = result.objects().collect();
        escaping.into_iter().for_each(|object| self.escape(object));
        state.values.retain(|var, _| as_cell(*var).is_some());
        state.octagon = Default::default();
        let all = match self.told.exits.get(&self.class) {
            Some((old, value)) => (old.join(&state), value.join(&result)),
            None => (state, result),
        };
        self.told.exits.insert(self.class, all);
        Ok(())
    }

    /// Runs a function that nobody calls, and notes what it does.
    pub(super) fn run_entry(
        &mut self,
        function: FuncId,
        arguments: &[Value],
        mut state: State,
    ) -> Result<Option<(State, Value)>, Stop> {
        let (path, at) = (std::mem::take(&mut self.path), self.at);
        self.at = Site { function, block: 0, index: 0 };
        let returns = self.program.function(function).returns.clone();
        let results: Vec<u32> = (0..returns.len() as u32).map(register_var).collect();
        let widths: Vec<u8> = returns.iter().map(|ty| self.bits(*ty)).collect();
        let base = returns.len() as u32;
        let context = self.context(function);
        let frame = Frame { function, context, base, results, widths };
        let params = self.program.function(function).params.clone();
        for (at, param) in params.into_iter().enumerate() {
            let value = arguments.get(at).cloned().unwrap_or(Value::Any);
            state.set(frame.register(param), value);
        }
        let exit = self.run(&frame, state);
        (self.path, self.at) = (path, at);
        Ok(exit?.map(|mut state| {
            let value = match frame.results.first() {
                Some(&var) => state.value(var),
                None => Value::number(32, 0),
            };
            frame.results.iter().for_each(|&var| state.forget(var));
            (state, value)
        }))
    }

    /// A thread has its own instances of thread-local variables.
    pub(super) fn add_locals(&mut self, state: &mut State) {
        for cell in (0..self.objects.cell_count()).map(CellId) {
            if let Object::Local(class, _) = self.objects.get(self.objects.cell(cell).0)
                && class == self.class
            {
                let initial = self.initial(cell);
                state.set(cell_var(cell), initial);
            }
        }
    }

    /// What a cell holds when the program starts.
    pub(super) fn initial(&self, cell: CellId) -> Value {
        let (id, field) = self.objects.cell(cell);
        let global = match self.objects.get(id) {
            Object::Global(global) | Object::Local(_, global) => self.program.global(global),
            _ => return Value::Number(Word::bottom(1)),
        };
        let Some(init) = &global.init else { return Value::Any };
        match field.kind {
            Kind::Alive => Value::number(1, 1),
            Kind::Blob => Value::Any,
            Kind::Sync => {
                let bytes = (field.start..field.end()).map(|at| byte(init, at));
                let plain = !init.relocations.iter().any(|r| overlaps(r.offset, 8, &field));
                Value::number(1, u64::from(plain && bytes.into_iter().all(|byte| byte == 0)))
            }
            Kind::Plain => {
                let all = (0..field.count).map(|at| self.element(init, &field, at));
                all.reduce(|a, b| a.join(&b)).unwrap_or(Value::Any)
            }
        }
    }

    fn element(&self, init: &Init, field: &Field, at: u64) -> Value {
        let start = field.start + at * field.stride;
        let here = Field { start, count: 1, ..*field };
        let width = (field.size * 8) as u8;
        if field.size > 8 {
            return Value::Any;
        }
        let found = init
            .relocations
            .iter()
            .find(|r| overlaps(r.offset, u64::from(self.program.pointer_bytes), &here));
        let Some(relocation) = found else {
            let bits = (0..field.size).map(|k| u64::from(byte(init, start + k)) << (8 * k)).sum();
            return Value::number(width, bits);
        };
        let object = match relocation.symbol {
            Symbol::Global(id) => self.objects.find(Object::Global(id)),
            Symbol::Function(id) => self.objects.find(Object::Function(id)),
        };
        match object {
            Some(object) if relocation.offset == start && width == self.pointer_bits() => {
                Value::to(object, Word::constant(width, relocation.addend as u64))
            }
            _ => Value::Any,
        }
    }

    /// Forgets relations of cells that somebody else may change. Needed after joins too: one
    /// side may have none, and what the thread itself has written there speaks for them.
    pub(super) fn drop_unsteady(&self, state: &mut State) {
        let cells: BTreeSet<CellId> = state
            .octagon
            .entries()
            .flat_map(|(x, y, ..)| [as_cell(x), as_cell(y)])
            .flatten()
            .collect();
        for cell in cells {
            if !self.is_steady(state, cell) {
                state.octagon.forget(cell_var(cell));
            }
        }
    }

    /// A lock is taken: what it guards is as it was given back.
    /// False as long as nobody was seen to give it back.
    pub(super) fn acquire(&mut self, state: &mut State, lock: Lock) -> bool {
        if self.recording {
            self.waits.order(&state.may, lock, self.at);
            self.deeds.entry((self.class, self.at)).or_default().takes.insert(lock);
        }
        if !state.others.is_empty() && !self.import(state, lock) {
            return false;
        }
        state.must.insert(lock);
        state.may.insert(lock);
        true
    }

    fn import(&mut self, state: &mut State, lock: Lock) -> bool {
        self.asked.locks.insert(lock);
        let guarded = |cell: &CellId| {
            self.facts.guards.get(cell).is_some_and(|guard| {
                guard.contains(&lock) && !guard.iter().any(|other| state.must.contains(other))
            })
        };
        let cells: Vec<CellId> = self
            .facts
            .guards
            .keys()
            .copied()
            .filter(guarded)
            .filter(|c| self.is_shared(*c))
            .collect();
        let Some(released) = self.facts.released.get(&lock) else { return cells.is_empty() };
        for &cell in &cells {
            let var = cell_var(cell);
            match released.values.get(&var) {
                Some(value) => state.set(var, self.older(value)),
                // Nobody was ever seen to give it back: it is as it was.
                None => state.octagon.forget(var),
            }
        }
        let vars: BTreeSet<u32> = cells.iter().map(|&cell| cell_var(cell)).collect();
        // All that is known of these is from there, with what it implies.
        let both = |x, y| vars.contains(&x) && vars.contains(&y);
        state.octagon.take_over(&released.octagon, both);
        true
    }

    /// A lock is given back.
    pub(super) fn release(&mut self, state: &mut State, lock: Lock) {
        if self.recording {
            self.told.release(lock, state, &self.facts, &self.objects);
        }
        state.must.remove(&lock);
        state.may.remove(&lock);
    }

    /// The class of threads that are created at the current place.
    pub(super) fn class_here(&mut self, entry: FuncId) -> ClassId {
        let next = ClassId(self.classes.len() as u32 + 1);
        *self.classes.entry((self.at, entry)).or_insert(next)
    }

    /// A thread is created at the current place.
    pub(super) fn create(
        &mut self,
        state: &mut State,
        entry: FuncId,
        argument: Value,
    ) -> Result<ClassId, Stop> {
        let class = self.class_here(entry);
        if self.recording {
            self.deeds.entry((self.class, self.at)).or_default().creates.insert(class);
        }
        if self.program.function(entry).is_declaration() {
            return Err(self.give_up("a thread starts in a library function"));
        }
        let again = state.created.contains_key(&class);
        let known = |class: &ClassId| self.facts.starts.get(class);
        let by_many = known(&self.class).is_some_and(|start| start.many);
        let by_others =
            self.facts.creates.iter().any(|(by, all)| *by != self.class && all.contains(&class));
        let many = again || by_many || by_others || known(&class).is_some_and(|start| start.many);
        let repeated = many
            || state.begun.contains(&class)
            || [self.class, class].iter().any(|it| known(it).is_some_and(|it| it.repeated));
        state.begun.insert(class);
        let escaping: Vec<_> = argument.objects().collect();
        escaping.into_iter().for_each(|object| self.escape(object));
        let mut others = state.others.clone();
        others.insert(self.class);
        let started = State { others, ..state.clone() };
        state.created.insert(class, many);
        let mut new = self.facts.with_created(BTreeSet::from([class]));
        if self.class == ClassId::MAIN
            || !self.facts.starts.get(&self.class).is_some_and(|s| s.many)
        {
            new.remove(&self.class);
        }
        if self.recording {
            self.told.creates.entry(self.class).or_default().insert(class);
            self.note_start(class, entry, argument, started, (many, repeated));
            // What a lock guards is as it is now for who takes it first. In a loop that creates
            // threads there are others already in what is known, though not in the first turn.
            for lock in self.locks() {
                self.told.release(lock, state, &self.facts, &self.objects);
            }
        }
        state.others.extend(new);
        Ok(class)
    }

    fn note_start(
        &mut self,
        class: ClassId,
        entry: FuncId,
        argument: Value,
        mut state: State,
        (many, repeated): (bool, bool),
    ) {
        self.make_older(&mut state, None);
        let argument = self.older(&argument);
        state.values.retain(|var, _| as_cell(*var).is_some());
        state.octagon.retain(|var| as_cell(var).is_some());
        state.must.clear();
        state.may.clear();
        state.created.clear();
        state.made.clear();
        state.begun.clear();
        state.changed = false;
        let start = match self.told.starts.get(&class) {
            Some(old) => Start {
                entry,
                argument: old.argument.join(&argument),
                state: old.state.join(&state),
                many: old.many || many,
                repeated: old.repeated || repeated,
            },
            None => Start { entry, argument, state, many, repeated },
        };
        self.told.starts.insert(class, start);
    }

    /// All locks that guard anything.
    fn locks(&self) -> BTreeSet<Lock> {
        self.facts.guards.values().flatten().copied().collect()
    }

    /// A thread was joined: what it wrote is there. Gives its result.
    pub(super) fn join(&mut self, state: &mut State, class: ClassId) -> Option<Value> {
        self.asked.exits.insert(class);
        let Some((exit, result)) = self.facts.exits.get(&class).cloned() else {
            // It was never seen to end, so this never returns.
            return None;
        };
        let single = state.created.get(&class) == Some(&false)
            && self.facts.starts.get(&class).is_some_and(|start| !start.many);
        let below = self.facts.with_created(BTreeSet::from([class]));
        let written: BTreeSet<CellId> = below
            .iter()
            .filter_map(|class| self.facts.writes.get(class))
            .flatten()
            .copied()
            .collect();
        for cell in written {
            let var = cell_var(cell);
            if let Some(value) = exit.values.get(&var) {
                let own = state.values.get(&var).cloned();
                let own = own.unwrap_or(Value::Number(Word::bottom(1)));
                state.set(var, own.join(value));
            }
        }
        if single {
            state.others.remove(&class);
            // Those that only it creates, and that have ended when it ends.
            for gone in below.into_iter().filter(|c| *c != class && !exit.others.contains(c)) {
                let creators = self.facts.creates.iter().filter(|(_, all)| all.contains(&gone));
                if creators.map(|(by, _)| *by).eq([class]) {
                    state.others.remove(&gone);
                }
            }
            // Another one may have left threads behind.
            if exit.created.is_empty() {
                state.created.remove(&class);
            }
        }
        Some(result)
    }

    /// Notes that a lock is used as it may be.
    pub(super) fn check_lock(&mut self, what: &'static str, holds: bool) {
        self.oblige(Check::Memory, what, holds, || "locks held".to_string());
    }
}

fn byte(init: &Init, at: u64) -> u8 {
    init.bytes.get(at as usize).copied().unwrap_or(0)
}

fn overlaps(offset: u64, bytes: u64, field: &Field) -> bool {
    offset < field.end() && field.start < offset + bytes
}
