//! Building a machine and bringing it to its first visible step.

use std::sync::Arc;

use heddle_ir::{Arguments, FuncId, GlobalId, Program, Symbol};
use heddle_semantics::{Concrete, Event, MemoryModel, ThreadId, capture, library};

use crate::findings::Findings;
use crate::image::Image;
use crate::observers::Observers;
use crate::observers::order::announces;
use crate::running::Running;
use crate::store::{Contents, Origin, Store};
use crate::threads::Threads;
use crate::threads::liveness::Liveness;
use crate::threads::loops::Loops;
use crate::threads::thread::{Pending, Status};
use crate::undo::UndoLog;
use crate::{Config, Machine};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    #[error("global '{name}' of {bytes} bytes is beyond the modelled address space")]
    GlobalTooLarge { name: String, bytes: u64 },
    #[error("entry function '{0}' has no body")]
    NoBody(String),
}

impl<'p, M: MemoryModel> Machine<'p, M> {
    /// A machine at its start: all threads that exist stand before their first
    /// visible step.
    pub fn new(
        program: &'p Program,
        entry: FuncId,
        config: Config,
        model: M,
    ) -> Result<Self, SetupError> {
        Machine::with_threads(program, entry, config, model, &[])
    }

    /// As [`Machine::new`], with thread ids as in a recorded schedule.
    pub fn with_threads(
        program: &'p Program,
        entry: FuncId,
        config: Config,
        model: M,
        paths: &[heddle_semantics::ThreadPath],
    ) -> Result<Self, SetupError> {
        if program.function(entry).is_declaration() {
            return Err(SetupError::NoBody(program.function(entry).name.clone()));
        }
        let table = library::table();
        let mut config = config;
        config.share_everything |= model.reorders_publication();
        let captured = match config.share_everything {
            true => capture::captured(program),
            false => Vec::new(),
        };
        let guide = config.guide.as_ref().filter(|_| config.stateful);
        let needed = guide.map(|guide| Arc::clone(&guide.needed));
        let store = Store::new(program.pointer_bytes, config.names.clone());
        let visits = config.count_visits.then(Default::default);
        let image = Image {
            library: program
                .functions
                .iter()
                .map(|f| {
                    let modelled = f.is_declaration() || library::overrides_body(&f.name);
                    modelled.then(|| table.get(f.name.as_str()).copied()).flatten()
                })
                .collect(),
            loops: program.functions.iter().map(Loops::of).collect(),
            live: needed.map_or_else(Default::default, Liveness::of),
            captured,
            atomic_functions: program
                .functions
                .iter()
                .map(|f| f.name.starts_with("__VERIFIER_atomic_") && !f.is_declaration())
                .collect(),
            global_addrs: Vec::new(),
            function_addrs: Vec::new(),
            errno: errno(program),
            at_end: support_function(program, "__heddle_end_thread"),
            at_exit: support_function(program, "__heddle_end_process"),
            uncaught: support_function(program, "__heddle_uncaught"),
            files: program.files.iter().map(heddle_ir::SourceFile::whose).collect(),
            announcing: program.functions.iter().map(|f| announces(&f.name)).collect(),
        };
        let mut machine = Machine {
            program,
            config,
            model,
            image,
            threads: Threads::new(),
            store,
            buffers: Default::default(),
            undo: UndoLog::default(),
            running: Running::default(),
            event: Event::new(ThreadId::MAIN),
            domain: Concrete,
            watch: Observers { visits, ..Default::default() },
            findings: Findings::default(),
        };
        machine.intern_threads(paths);
        machine.place_statics()?;
        machine.start(entry);
        machine.store.starting = false;
        Ok(machine)
    }

    fn place_statics(&mut self) -> Result<(), SetupError> {
        for (index, global) in self.program.globals.iter().enumerate() {
            // A declaration without a definition gets no bytes; `spot` stops loudly
            // when it is touched.
            let bytes = if global.init.is_some() { global.bytes } else { 0 };
            let origin = Origin::Global(GlobalId(index as u32));
            let data = vec![0; bytes as usize];
            let id = self.store.add_static(bytes, origin, global.constant, data);
            let Some(id) = id else {
                return Err(SetupError::GlobalTooLarge { name: global.name.clone(), bytes });
            };
            self.store.objects[id.0 as usize].idle = self.is_idle(index);
            self.image.global_addrs.push(self.store.object(id).base);
        }
        for index in 0..self.program.functions.len() {
            let origin = Origin::Function(FuncId(index as u32));
            let id = self.store.add_static(0, origin, true, Vec::new());
            let name = || self.program.functions[index].name.clone();
            let id = id.ok_or_else(|| SetupError::GlobalTooLarge { name: name(), bytes: 0 })?;
            self.image.function_addrs.push(self.store.object(id).base);
        }
        for index in 0..self.program.globals.len() {
            let id = GlobalId(index as u32);
            if let Some(data) = self.initial_bytes(id) {
                self.store.fill_static(self.image.global_addrs[index], &data);
            }
        }
        Ok(())
    }

    /// A variable that is no part of a state.
    fn is_idle(&self, global: usize) -> bool {
        let guide = self.config.guide.as_ref().filter(|_| self.config.stateful);
        guide.is_some_and(|guide| guide.idle.get(global) == Some(&true))
    }

    /// Initial contents of a global with addresses filled in.
    pub(crate) fn initial_bytes(&self, id: GlobalId) -> Option<Vec<u8>> {
        let global = self.program.global(id);
        let init = global.init.as_ref()?;
        let mut data = init.bytes.clone();
        data.resize(global.bytes as usize, 0);
        let width = usize::from(self.program.pointer_bytes);
        for relocation in &init.relocations {
            let base = match relocation.symbol {
                Symbol::Global(id) => self.image.global_addrs[id.0 as usize],
                Symbol::Function(id) => self.image.function_addrs[id.0 as usize],
            };
            let address = base.wrapping_add(relocation.addend as u64).to_le_bytes();
            let at = relocation.offset as usize;
            if at + width <= data.len() {
                data[at..at + width].copy_from_slice(&address[..width]);
            }
        }
        Some(data)
    }

    /// `argc`, `argv` with a name and the arguments that are given, and no environment.
    fn main_arguments(&mut self) -> [u64; 3] {
        let width = usize::from(self.program.pointer_bytes);
        let mut argv = Vec::new();
        let words = heddle_semantics::words(self.program);
        for word in &words {
            let text = self.argument_object(word);
            argv.extend_from_slice(&text.to_le_bytes()[..width]);
        }
        argv.resize(argv.len() + width, 0);
        let argv = self.argument_object(&argv);
        let envp = self.argument_object(&vec![0u8; width]);
        [words.len() as u64, argv, envp]
    }

    fn argument_object(&mut self, data: &[u8]) -> u64 {
        let nth = self.threads[0].scalars.allocations;
        self.threads[0].scalars.allocations += 1;
        let origin = Origin::Stack {
            function: FuncId(0),
            name: Some("argv".to_string()),
            ty: None,
            thread: ThreadId::MAIN,
        };
        let id = self
            .store
            .allocate(ThreadId::MAIN, nth, data.len() as u64, origin, Contents::Bytes(data))
            .expect("room for the arguments of main");
        self.store.object(id).base
    }

    fn start(&mut self, entry: FuncId) {
        let args = self.main_arguments();
        self.findings.bounds.note_start(self.program, entry);
        let main = &mut self.threads[0];
        main.scalars.status = Status::Waiting(Pending::Ready);
        main.entry = shown_entry(self.program, entry);
        // Constructors run on top of main's frame, the first one topmost.
        let pushed = self.push_frame(ThreadId::MAIN, entry, &args).and_then(|()| {
            let constructors = self.program.constructors.iter().rev();
            constructors.clone().try_for_each(|&f| self.push_frame(ThreadId::MAIN, f, &[]))
        });
        if pushed.is_ok() {
            self.run_thread(ThreadId::MAIN);
            self.run_newborn();
        }
    }
}

/// What people take for the function that the program starts with.
fn shown_entry(program: &Program, entry: FuncId) -> FuncId {
    match program.arguments {
        Arguments::Any => program.find_function("main").unwrap_or(entry),
        _ => entry,
    }
}

/// The thread-local variable behind `errno`, as the front end's support file names
/// it.
fn errno(program: &Program) -> Option<GlobalId> {
    let at = program.globals.iter().position(|global| global.name == "__heddle_errno")?;
    Some(GlobalId(at as u32))
}

/// What the support file wants to be called at the end of a thread or the process.
fn support_function(program: &Program, name: &str) -> Option<FuncId> {
    let is_it = |f: &heddle_ir::Function| f.name == name && !f.is_declaration();
    Some(FuncId(program.functions.iter().position(is_it)? as u32))
}
