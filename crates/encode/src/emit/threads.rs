//! Threads as functions: points in order, each with its accesses, waits and checks.

use std::fmt::Write;

use heddle_ir::{FuncId, Program};
use heddle_sat::{Node, Term};
use heddle_semantics::{MemoryModel, ViolationKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bounded::{Action, Event, Goal, Site};
use crate::emit::terms::{expression, hex};
use crate::emit::{Code, Emission, EmitError, Sequentialization, comment};
use crate::encodings::{Formula, drains, whole};
use crate::unfold::facts::Cell;

pub(crate) struct Printer<'a, M: MemoryModel> {
    program: &'a Program,
    formula: Formula<'a, M>,
    emission: &'a Emission,
    /// Cells by number.
    cells: Vec<Cell>,
    numbers: FxHashMap<Cell, usize>,
    /// What accesses read, and the thread whose access it is. Other variables are chosen in
    /// the beginning.
    read: FxHashMap<Term, usize>,
    chosen: Vec<Term>,
    known_chosen: FxHashSet<Term>,
    /// Terms that the thread under way has computed.
    computed: FxHashSet<Term>,
    thread: usize,
    globals: String,
    out: String,
    left_out: Vec<String>,
    unfit: Option<String>,
}

impl<'a, M: MemoryModel> Printer<'a, M> {
    pub fn new(program: &'a Program, formula: Formula<'a, M>, emission: &'a Emission) -> Self {
        let mut cells: Vec<Cell> = formula.bounded.initial.keys().copied().collect();
        cells.sort_unstable();
        let numbers = cells.iter().enumerate().map(|(at, &cell)| (cell, at)).collect();
        let mut read = FxHashMap::default();
        for (thread, code) in formula.bounded.threads.iter().enumerate() {
            for event in &code.events {
                if let Action::Read { value } | Action::Look { value } = event.action
                    && is_variable(&formula, value)
                {
                    read.insert(value, thread);
                }
            }
        }
        Printer {
            program,
            formula,
            emission,
            cells,
            numbers,
            read,
            chosen: Vec::new(),
            known_chosen: FxHashSet::default(),
            computed: FxHashSet::default(),
            thread: 0,
            globals: String::new(),
            out: String::new(),
            left_out: Vec::new(),
            unfit: None,
        }
    }

    fn line(&mut self, text: &str) {
        self.out.push_str("    ");
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// All threads, what starts them, and what reaches memory between turns.
    pub fn threads(&mut self) -> Result<(), EmitError> {
        for thread in 0..self.formula.threads() {
            self.thread = thread;
            self.computed.clear();
            self.function(thread);
        }
        let count = self.formula.threads();
        self.out.push_str("static void run(unsigned thread)\n{\n    switch (thread) {\n");
        for thread in 0..count {
            let _ = writeln!(self.out, "    case {thread}: thread_{thread}(); break;");
        }
        self.out.push_str("    }\n}\n\n");
        if self.emission.sequentialization == Sequentialization::Lazy {
            self.arrive();
        }
        self.start();
        match self.unfit.take() {
            Some(what) => Err(EmitError::Unfit(what)),
            None => Ok(()),
        }
    }

    pub fn finish(self) -> Code {
        let name = |cell: &Cell| self.formula.bounded.names.get(cell).cloned().unwrap_or_default();
        let terms = &self.formula.symbolic.terms;
        let width = |cell: &Cell| terms.width(self.formula.bounded.initial[cell]);
        let cells = self.cells.iter().map(|cell| (name(cell), width(cell))).collect();
        let mut globals = String::from("\n");
        let mut variables: Vec<Term> =
            self.read.keys().chain(&self.known_chosen).copied().collect();
        variables.sort_unstable();
        for term in &variables {
            let _ = writeln!(globals, "static UNUSED {} {};", self.ty(*term), variable(*term));
        }
        globals.push_str(&self.globals);
        globals.push('\n');
        Code { cells, globals, functions: self.out, left_out: self.left_out }
    }

    fn ty(&self, term: Term) -> &'static str {
        match self.formula.symbolic.terms.width(term) {
            1 => "_Bool",
            _ => "word",
        }
    }

    fn function(&mut self, thread: usize) {
        let bounded = self.formula.bounded;
        let code = &bounded.threads[thread];
        let name = self.program.function(code.entry).display_name();
        let _ = writeln!(self.out, "/* {} */", comment(name));
        let _ = writeln!(self.out, "static void thread_{thread}(void)\n{{");
        for stores in 0..self.formula.stores[thread].all.len() {
            let _ = writeln!(self.globals, "static unsigned {} = ~0u;", arrival(thread, stores));
        }
        let mut index = 0;
        for point in 0..code.points {
            let from = index;
            while code.events.get(index).is_some_and(|event| event.point == point) {
                index += 1;
            }
            let place = code.events[from..index].first().map(|event| self.position(event.site));
            let _ = writeln!(self.out, "    /* {} */", comment(&place.unwrap_or_default()));
            let _ = writeln!(self.out, "    POINT({thread}, {point}, p{point}, p{});", point + 1);
            self.delays(thread, point, from..index);
            for at in from..index {
                self.event(thread, at);
            }
            self.wait(thread, point);
            self.line(&format!("DONE({thread});"));
            self.checks(thread, Some(point));
        }
        let _ = writeln!(self.out, "    END(p{})\n}}\n", code.points);
    }

    fn position(&self, site: Site) -> String {
        let function = self.program.function(FuncId(site.function));
        let Some(block) = function.blocks.get(site.block as usize) else { return String::new() };
        let span = block.insts.get(site.pc as usize).map_or(block.term_span, |inst| inst.span);
        self.program.position(span).unwrap_or_default()
    }

    /// The name of a term, which is computed where it is not known yet.
    fn value(&mut self, term: Term) -> String {
        let mut waiting = vec![term];
        while let Some(&top) = waiting.last() {
            let node = self.formula.symbolic.terms.node(top);
            if self.is_known(top) {
                waiting.pop();
                continue;
            }
            let needed: Vec<Term> = node.operands().filter(|&at| !self.is_known(at)).collect();
            if !needed.is_empty() {
                waiting.extend(needed);
                continue;
            }
            waiting.pop();
            self.compute(top);
        }
        self.name(term)
    }

    fn is_known(&self, term: Term) -> bool {
        matches!(self.formula.symbolic.terms.node(term), Node::Constant { .. })
            || self.computed.contains(&term)
    }

    fn compute(&mut self, term: Term) {
        self.computed.insert(term);
        if is_variable(&self.formula, term) {
            match self.read.get(&term) {
                None => {
                    if self.known_chosen.insert(term) {
                        self.chosen.push(term);
                    }
                }
                Some(&reader) if reader > self.thread && self.is_eager() => {
                    let text = "a thread needs what a later one reads; use `lazy`";
                    self.unfit = Some(text.to_string());
                }
                Some(_) => {}
            }
            return;
        }
        let name = |term: Term| self.name(term);
        let text = expression(&self.formula.symbolic.terms, term, &name);
        let target = self.name(term);
        let _ = writeln!(self.globals, "static {} {target};", self.ty(term));
        self.line(&format!("{target} = {text};"));
    }

    fn is_eager(&self) -> bool {
        self.emission.sequentialization != Sequentialization::Lazy
    }

    fn name(&self, term: Term) -> String {
        match self.formula.symbolic.terms.as_constant(term) {
            Some(bits) => hex(bits),
            None if is_variable(&self.formula, term) => variable(term),
            None => format!("t{}_{}", self.thread, term.number()),
        }
    }

    fn cell(&self, cell: Cell) -> usize {
        self.numbers[&cell]
    }

    /// The stores of a point that may wait: when they reach memory.
    fn delays(&mut self, thread: usize, point: u32, events: std::ops::Range<usize>) {
        let stores = &self.formula.stores[thread];
        let Some(&store) = events.clone().find_map(|at| stores.of.get(&(at as u32))) else {
            return;
        };
        let guards: Vec<Term> = stores.all[store]
            .events
            .iter()
            .map(|&at| self.formula.event(thread, at).guard)
            .collect();
        let (behind, mixed) = (stores.all[store].behind.clone(), stores.all[store].mixed);
        let made = self.formula.terms().or_all(&guards);
        let made = self.value(made);
        let mine = arrival(thread, store);
        debug_assert_eq!(self.formula.stores[thread].all[store].point, point);
        self.line(&format!("{mine} = {made} ? DELAY({thread}) : 0;"));
        // One that is not made hands on what those before it demand.
        for (earlier, condition) in behind {
            let (behind, theirs) = (self.value(condition), arrival(thread, earlier));
            self.line(&when(&[&behind, &made], &format!("assume({theirs} <= {mine});")));
            let relay = format!("{mine} = {theirs};");
            self.line(&when(
                &[&behind, &format!("!{made}"), &format!("{theirs} > {mine}")],
                &relay,
            ));
        }
        if let Some(mixed) = mixed {
            let mixed = self.value(mixed);
            self.line(&when(&[&mixed, &made], &format!("assume({mine} == NOW({thread}));")));
            let first = events.start;
            for earlier in self.formula.stores[thread].newest_before(first) {
                let waits = waits(thread, earlier);
                self.line(&when(&[&mixed, &made], &format!("assume(!{waits});")));
            }
        }
    }

    fn event(&mut self, thread: usize, index: usize) {
        let event = self.formula.event(thread, index as u32);
        let guard = self.value(event.guard);
        if drains(&self.formula.model, event) {
            for store in self.formula.stores[thread].newest_before(index) {
                let landed = format!("assume(!{});", waits(thread, store));
                self.line(&when(&[&guard], &landed));
            }
        }
        match &event.action {
            Action::Read { value } | Action::Look { value } => {
                self.read(thread, index, event, *value);
            }
            Action::Write { value, .. } => self.write(thread, index, event, *value),
            Action::Clear => self.clear(thread, index, &guard),
            Action::Drain | Action::Fence { .. } => {}
        }
    }

    fn read(&mut self, thread: usize, index: usize, event: &Event, value: Term) {
        let guard = self.value(event.guard);
        for &(cell, is_it) in &event.targets {
            let here = self.value(is_it);
            let seen = self.view(thread, index, cell);
            let number = self.cell(cell);
            let mut look = format!("LOAD({thread}, {number})");
            for (waits, newer) in seen {
                look = format!("({waits}) ? {newer} : ({look})");
            }
            if is_variable(&self.formula, value) {
                let target = variable(value);
                self.line(&when(&[&guard, &here], &format!("{target} = {look};")));
            } else {
                let value = self.value(value);
                let equal = format!("assume({value} == ({look}));");
                self.line(&when(&[&guard, &here], &equal));
            }
        }
        self.computed.insert(value);
    }

    /// The thread's own stores to a cell that wait, oldest first: when, and what.
    fn view(&mut self, thread: usize, index: usize, cell: Cell) -> Vec<(String, String)> {
        let mut seen = Vec::new();
        for store in 0..self.formula.stores[thread].before(index) {
            for at in self.formula.stores[thread].all[store].events.clone() {
                let event = self.formula.event(thread, at);
                let Action::Write { value, .. } = event.action else { continue };
                let targets = event.targets.iter().filter(|target| target.0 == cell);
                for &(_, is_it) in targets {
                    let here = self.formula.and(event.guard, is_it);
                    let (here, value) = (self.value(here), self.value(value));
                    seen.push((format!("{here} && {}", waits(thread, store)), value));
                }
            }
        }
        seen
    }

    fn write(&mut self, thread: usize, index: usize, event: &Event, value: Term) {
        let guard = self.value(event.guard);
        let store = self.formula.stores[thread].of.get(&(index as u32)).copied();
        if self.counts(ViolationKind::UseAfterFree) {
            for &(life, is_it) in &event.lives {
                let Some(&number) = self.numbers.get(&life) else { continue };
                let here = self.value(is_it);
                let gone = match store {
                    None => format!("LOAD({thread}, {number}) == 1"),
                    Some(store) => {
                        format!("LIFE_AT({thread}, {}, {number})", arrival(thread, store))
                    }
                };
                let place = self.position(event.site);
                let text = quoted(&format!("use-after-free at {place}"));
                let fail = if store.is_some() { "FAIL_LATE" } else { "FAIL" };
                self.line(&when(&[&guard, &here, &gone], &format!("{fail}({thread}, {text});")));
            }
        }
        for &(cell, is_it) in &event.targets {
            let (here, value) = (self.value(is_it), self.value(value));
            let number = self.cell(cell);
            let action = match store {
                None => format!("STORE({thread}, {number}, {value});"),
                Some(store) => {
                    let arrival = arrival(thread, store);
                    format!("LAND({thread}, {arrival}, {number}, {value});")
                }
            };
            self.line(&when(&[&guard, &here], &action));
        }
    }

    /// A load of several cells at once: what is left waiting has all of them, or none.
    fn clear(&mut self, thread: usize, index: usize, guard: &str) {
        let count = self.formula.stores[thread].before(index);
        let truths: Vec<Term> = (0..count).map(|_| self.formula.truth()).collect();
        let mut waiting = |_: &mut Formula<'_, M>, store: usize| truths[store];
        let whole = whole(&mut self.formula, thread, index, &mut waiting);
        for (store, &truth) in truths.iter().enumerate() {
            self.read.insert(truth, thread);
            self.computed.insert(truth);
            self.line(&format!("{} = {};", variable(truth), waits(thread, store)));
        }
        let whole = self.value(whole);
        self.line(&when(&[guard], &format!("assume({whole});")));
    }

    fn wait(&mut self, thread: usize, point: u32) {
        let code = &self.formula.bounded.threads[thread];
        for wait in code.waits.iter().filter(|wait| wait.point == point) {
            let guard = self.value(wait.guard);
            for test in &wait.tests {
                let holds = test.holds(&mut self.formula.symbolic, test.value);
                let holds = self.value(holds);
                self.line(&when(&[&guard], &format!("assume({holds});")));
            }
        }
        for require in code.requires.iter().filter(|require| require.point == point) {
            let condition = self.value(require.condition);
            self.line(&format!("assume({condition});"));
        }
    }

    fn counts(&self, kind: ViolationKind) -> bool {
        !self.emission.ignored.contains(&kind)
    }

    fn checks(&mut self, thread: usize, point: Option<u32>) {
        let code = &self.formula.bounded.threads[thread];
        for check in code.checks.iter().filter(|check| check.point == point) {
            let place = self.program.position(check.span).unwrap_or_default();
            let what = match &check.goal {
                Goal::Violation(kind) if self.counts(*kind) => {
                    let condition = self.value(check.condition);
                    let text = quoted(&format!("{kind} at {place}"));
                    self.line(&when(&[&condition], &format!("FAIL({thread}, {text});")));
                    continue;
                }
                Goal::Violation(kind) => format!("{kind} at {place}, which is not checked"),
                Goal::Unwind(turns) => format!("turn {} of a loop at {place}", turns + 1),
                Goal::Unsupported(what) => format!("{what} at {place}, which is not supported"),
            };
            self.left_out.push(what);
            let condition = self.value(check.condition);
            self.line(&format!("assume(!{condition});"));
        }
    }

    /// Stores of earlier turns that reach memory at the start of one.
    fn arrive(&mut self) {
        let mut body = String::new();
        for thread in 0..self.formula.threads() {
            for store in 0..self.formula.stores[thread].all.len() {
                let mine = arrival(thread, store);
                let _ = writeln!(body, "    if ({mine} == turn) {{");
                for at in self.formula.stores[thread].all[store].events.clone() {
                    self.land(thread, at, &mut body);
                }
                let _ = writeln!(body, "    }}");
            }
        }
        let _ = writeln!(self.out, "static void arrive(void)\n{{\n{body}}}\n");
    }

    fn land(&mut self, thread: usize, at: u32, body: &mut String) {
        let event = self.formula.event(thread, at);
        let Action::Write { value, .. } = event.action else { return };
        self.thread = thread;
        // The thread has computed all of it by then.
        let (guard, value) = (self.name(event.guard), self.name(value));
        if self.counts(ViolationKind::UseAfterFree) {
            for &(life, is_it) in &event.lives {
                let Some(&number) = self.numbers.get(&life) else { continue };
                let (here, place) = (self.name(is_it), self.position(event.site));
                let text = quoted(&format!("use-after-free at {place}"));
                let gone = format!("memory[{number}] == 1");
                let told = when(&[&guard, &here, &gone], &format!("violation({text});"));
                let _ = writeln!(body, "        {told}");
            }
        }
        for &(cell, is_it) in &event.targets {
            let (here, number) = (self.name(is_it), self.cell(cell));
            let _ = writeln!(body, "        if ({guard} && {here}) memory[{number}] = {value};");
        }
    }

    /// What holds in the beginning.
    fn start(&mut self) {
        let threads = std::mem::take(&mut self.out);
        self.thread = self.formula.threads();
        self.computed.clear();
        for (at, cell) in self.cells.clone().into_iter().enumerate() {
            let value = self.value(self.formula.bounded.initial[&cell]);
            self.line(&format!("memory[{at}] = {value};"));
        }
        // Main's, before it creates others.
        self.checks(0, None);
        let body = std::mem::replace(&mut self.out, threads);
        let mut choices = String::new();
        for &term in &self.chosen {
            let terms = &self.formula.symbolic.terms;
            let name = variable(term);
            let value = match terms.node(term) {
                Node::Choice { set, .. } => {
                    let values: Vec<String> =
                        terms.set(set).iter().map(|&bits| hex(bits)).collect();
                    let count = values.len();
                    let _ = writeln!(
                        choices,
                        "    static const word of_{name}[] = {{ {} }};",
                        values.join(", ")
                    );
                    format!("of_{name}[choose({count})]")
                }
                _ => format!("bits({})", terms.width(term)),
            };
            let _ = writeln!(choices, "    {name} = {value};");
        }
        let _ = writeln!(self.out, "static void start(void)\n{{\n{choices}{body}}}\n");
    }
}

fn is_variable<M: MemoryModel>(formula: &Formula<'_, M>, term: Term) -> bool {
    let node = formula.symbolic.terms.node(term);
    matches!(node, Node::Variable { .. } | Node::Choice { .. })
}

fn variable(term: Term) -> String {
    format!("x{}", term.number())
}

/// When a store reaches memory.
fn arrival(thread: usize, store: usize) -> String {
    format!("a{thread}_{store}")
}

fn waits(thread: usize, store: usize) -> String {
    format!("WAITS({}, NOW({thread}))", arrival(thread, store))
}

/// A statement under conditions.
fn when(conditions: &[&str], statement: &str) -> String {
    let kept = conditions.iter().copied().filter(|&condition| condition != TRUE);
    let kept: Vec<&str> = kept.collect();
    match kept.is_empty() {
        true => statement.to_string(),
        false => format!("if ({}) {{ {statement} }}", kept.join(" && ")),
    }
}

const TRUE: &str = "1ULL";

/// A string of C.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}
