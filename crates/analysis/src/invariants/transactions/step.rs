//! One transaction: a thread goes on from where it stops until it stops again.

use std::collections::BTreeSet;

use heddle_ir::{Callee, FuncId, Op, Operand, Reg, Ty};

use super::search::{Search, Setting};
use super::{Next, Place, REGISTERS, Slot, Thread};
use crate::invariants::flow::Frame;
use crate::invariants::objects::ClassId;
use crate::invariants::state::{Lock, State, as_cell, register_var};
use crate::invariants::value::Value;
use crate::invariants::{Analysis, Stop};
use crate::library::is_library;
use crate::site::Site;

/// Where all threads are, and what is known there.
pub type Arrival = (Vec<Thread>, State);

const TAKE: &[&str] = &["pthread_mutex_lock", "mtx_lock", "pthread_spin_lock"];
const WAIT: &[&str] = &[
    "pthread_cond_wait",
    "cnd_wait",
    "pthread_cond_timedwait",
    "cnd_timedwait",
    "__heddle_timed_wait",
    "pthread_cond_clockwait",
];

/// A thread under way.
#[derive(Clone)]
struct Run {
    slot: usize,
    threads: Vec<Thread>,
    frames: Vec<(Frame, u32, u32)>,
    held: BTreeSet<Lock>,
    state: State,
    /// The instruction at which it stopped is still to be executed.
    first: Option<Next>,
}

impl Run {
    fn class(&self, setting: &Setting) -> ClassId {
        setting.slots[self.slot].class
    }

    fn stop(mut self, next: Next) -> Arrival {
        let place = Place { frames: self.frames, held: self.held, next };
        self.threads[self.slot] = Thread::At(place);
        (self.threads, self.state)
    }

    fn end(mut self) -> Arrival {
        self.threads[self.slot] = Thread::Ended;
        (self.threads, self.state)
    }

    fn advance(&mut self) {
        if let Some((_, _, index)) = self.frames.last_mut() {
            *index += 1;
        }
    }
}

/// Registers of other slots.
fn set_aside(state: &mut State, slot: &Slot) -> Vec<(u32, Value)> {
    let own = register_var(slot.base)..register_var(slot.base + REGISTERS);
    let others = |var: &u32| as_cell(*var).is_none() && !own.contains(var);
    let vars: Vec<u32> = state.values.keys().copied().filter(others).collect();
    vars.into_iter()
        .map(|var| {
            let value = state.value(var);
            state.forget(var);
            (var, value)
        })
        .collect()
}

impl Search {
    /// Where `main` stops first.
    pub fn begin(
        &mut self,
        analysis: &mut Analysis,
        setting: &Setting,
    ) -> Result<Vec<Arrival>, Stop> {
        analysis.class = ClassId::MAIN;
        analysis.path.clear();
        let Some(state) = analysis.first_state()? else { return Ok(Vec::new()) };
        let function = analysis.entry;
        let frame = first_frame(analysis, &setting.slots[0], function);
        let mut state = state;
        for &param in &analysis.program.function(function).params.clone() {
            state.set(frame.register(param), Value::Any);
        }
        let threads = vec![Thread::Unborn; setting.slots.len()];
        let frames = vec![(frame, 0, 0)];
        let held = BTreeSet::new();
        self.go_on(analysis, setting, Run { slot: 0, threads, frames, held, state, first: None })
    }

    /// The next transaction of a thread.
    pub fn execute(
        &mut self,
        analysis: &mut Analysis,
        setting: &Setting,
        (at, slot): (usize, usize),
    ) -> Result<Vec<Arrival>, Stop> {
        let node = &self.nodes[at];
        let Thread::At(place) = &node.threads[slot] else { return Ok(Vec::new()) };
        let mut state = node.state.clone();
        let aside = set_aside(&mut state, &setting.slots[slot]);
        let run = Run {
            slot,
            threads: node.threads.clone(),
            frames: place.frames.clone(),
            held: place.held.clone(),
            state,
            first: (place.next != Next::Go).then(|| place.next.clone()),
        };
        self.nodes[at].outcomes.retain(|(by, _), _| *by != slot);
        let mut outcomes = Vec::new();
        let mut arrivals = self.follow(analysis, setting, run, &mut outcomes)?;
        for (condition, number) in outcomes {
            self.nodes[at].outcomes.entry((slot, condition)).or_default().insert(number);
        }
        for (_, state) in &mut arrivals {
            for (var, value) in &aside {
                state.set(*var, value.clone());
            }
        }
        Ok(arrivals)
    }

    fn go_on(
        &mut self,
        analysis: &mut Analysis,
        setting: &Setting,
        run: Run,
    ) -> Result<Vec<Arrival>, Stop> {
        self.follow(analysis, setting, run, &mut Vec::new())
    }

    /// All ways to the next stops.
    fn follow(
        &mut self,
        analysis: &mut Analysis,
        setting: &Setting,
        run: Run,
        outcomes: &mut Vec<(Site, usize)>,
    ) -> Result<Vec<Arrival>, Stop> {
        let mut arrivals: Vec<Arrival> = Vec::new();
        let mut todo = vec![run];
        while let Some(mut run) = todo.pop() {
            let Some((frame, block, index)) = run.frames.last().cloned() else {
                arrivals.push(run.end());
                continue;
            };
            let program = analysis.program;
            let body = &program.function(frame.function).blocks[block as usize];
            let site = Site { function: frame.function, block, index };
            self.enter(analysis, setting, &mut run, site)?;
            if let Some(inst) = body.insts.get(index as usize) {
                if run.first.is_none()
                    && let Some(next) = self.stops_at(analysis, setting, &mut run, &inst.op)?
                {
                    arrivals.push(run.stop(next));
                    continue;
                }
                let first = run.first.take();
                match &inst.op {
                    Op::Call { dsts, callee, args, arg_tys, .. } => {
                        let call = (&dsts[..], callee, &args[..], &arg_tys[..]);
                        self.call(
                            analysis,
                            setting,
                            (run, first),
                            call,
                            (&mut todo, &mut arrivals),
                        )?;
                    }
                    op => {
                        if let Some(state) = analysis.transfer(&frame, run.state.clone(), op)? {
                            run.state = state;
                            run.advance();
                            todo.push(run);
                        }
                    }
                }
                continue;
            }
            let ways = analysis.leave(&frame, run.state.clone(), &body.term)?;
            let edges = body.term.edges();
            let live = analysis.live(frame.function);
            for (number, state) in ways.edges {
                if edges.len() > 1 {
                    outcomes.push((site, number));
                }
                let Some(edge) = edges.get(number) else { continue };
                let target = edge.target.0;
                let mut next = run.clone();
                next.state = analysis.arrive((&frame, &live), state, edge);
                if let Some(top) = next.frames.last_mut() {
                    (top.1, top.2) = (target, 0);
                }
                let atomic = next.held.contains(&Lock::Atomic);
                match live.flow.back_edges.contains(&(block, target)) {
                    true if atomic => {
                        return Err(analysis.give_up("a loop in an atomic section"));
                    }
                    true => arrivals.push(next.stop(Next::Go)),
                    false => todo.push(next),
                }
            }
            if let Some(state) = ways.exit {
                run.frames.pop();
                run.state = state;
                if program.function(frame.function).name.starts_with("__VERIFIER_atomic_") {
                    run.held.remove(&Lock::Atomic);
                }
                run.advance();
                todo.push(run);
            }
        }
        Ok(arrivals)
    }

    /// The analysis is to look at an instruction as a thread of a slot.
    fn enter(
        &mut self,
        analysis: &mut Analysis,
        setting: &Setting,
        run: &mut Run,
        site: Site,
    ) -> Result<(), Stop> {
        analysis.class = run.class(setting);
        let outer = &run.frames[..run.frames.len() - 1];
        analysis.path = outer
            .iter()
            .map(|(frame, block, index)| Site {
                function: frame.function,
                block: *block,
                index: *index,
            })
            .collect();
        analysis.at = site;
        self.reached.insert((analysis.class, site));
        run.state.must = run.held.clone();
        run.state.may = run.held.clone();
        run.state.others.clear();
        analysis.spend()
    }

    /// Does a thread stop before an instruction?
    fn stops_at(
        &mut self,
        analysis: &mut Analysis,
        setting: &Setting,
        run: &mut Run,
        op: &Op,
    ) -> Result<Option<Next>, Stop> {
        // Nobody comes between before there is somebody.
        let others = run.threads.iter().enumerate();
        let alone = others.into_iter().all(|(s, t)| s == run.slot || *t == Thread::Unborn);
        let inside = run.held.contains(&Lock::Atomic);
        if let Op::Call { callee, args, arg_tys, .. } = op {
            let (frame, ..) = run.frames.last().cloned().expect("it is at an instruction");
            let targets = targets(analysis, &frame, &run.state, callee)?;
            for &target in &targets {
                let function = analysis.program.function(target);
                let name = function.name.clone();
                let body = !is_library(function);
                let section = name == "__VERIFIER_atomic_begin"
                    || body && name.starts_with("__VERIFIER_atomic_");
                if section && !alone && !inside {
                    return Ok(Some(Next::Take(Lock::Atomic)));
                }
                if TAKE.contains(&name.as_str()) && !alone {
                    let arguments = (&args[..], &arg_tys[..], 0);
                    let lock = analysis.lock_of(&run.state, &frame, &name, arguments)?;
                    return Ok(Some(Next::Take(lock)));
                }
                if WAIT.contains(&name.as_str()) {
                    let arguments = (&args[..], &arg_tys[..], 1);
                    let lock = analysis.lock_of(&run.state, &frame, &name, arguments)?;
                    run.held.remove(&lock);
                    return Ok(Some(Next::Retake(lock)));
                }
                if matches!(name.as_str(), "pthread_join" | "thrd_join") {
                    return joined(analysis, run, &frame, args[0]).map(Some);
                }
            }
        }
        if alone || inside {
            return Ok(None);
        }
        let deeds = analysis.deeds.get(&(analysis.class, analysis.at));
        let contested = |cells: &BTreeSet<_>| !cells.is_disjoint(&setting.contested);
        let touches = deeds.is_some_and(|d| contested(&d.reads) || contested(&d.writes));
        Ok(touches.then_some(Next::Touch))
    }

    fn call(
        &mut self,
        analysis: &mut Analysis,
        setting: &Setting,
        (run, first): (Run, Option<Next>),
        (dsts, callee, args, types): (&[Reg], &Callee, &[Operand], &[Ty]),
        (todo, arrivals): (&mut Vec<Run>, &mut Vec<Arrival>),
    ) -> Result<(), Stop> {
        let (frame, ..) = run.frames.last().cloned().expect("it is at an instruction");
        for target in targets(analysis, &frame, &run.state, callee)? {
            let mut run = run.clone();
            let function = analysis.program.function(target);
            if !is_library(function) {
                if function.name.starts_with("__VERIFIER_atomic_") {
                    run.held.insert(Lock::Atomic);
                }
                analysis.enter_call(&mut run.frames, &mut run.state, target, (dsts, args))?;
                todo.push(run);
                continue;
            }
            let name = function.name.as_str();
            if matches!(name, "pthread_exit" | "thrd_exit") {
                arrivals.push(run.end());
                continue;
            }
            if let Some(Next::Retake(lock)) = &first {
                run.held.insert(*lock);
                run.state.must.insert(*lock);
                run.state.may.insert(*lock);
            }
            let before = run.state.clone();
            let after =
                analysis.library_call(&frame, run.state.clone(), target, dsts, (args, types))?;
            let Some(mut after) = after else { continue };
            if let Some(Next::Join(_)) = &first {
                after = without_exits(before, after, &frame, dsts, args.get(1));
            }
            run.held = after.must.clone();
            after.others.clear();
            run.state = after;
            run.advance();
            match self.created(analysis, setting, &mut run) {
                true => todo.push(run),
                false => self.more_threads = true,
            }
        }
        Ok(())
    }

    /// Starts what the call has created. False if there is no slot for it.
    fn created(&mut self, analysis: &mut Analysis, setting: &Setting, run: &mut Run) -> bool {
        let (class, at) = (analysis.class, analysis.at);
        let Some(deeds) = analysis.deeds.get(&(class, at)) else { return true };
        for created in deeds.creates.clone() {
            let free = (0..setting.slots.len()).find(|&slot| {
                setting.slots[slot].class == created && run.threads[slot] == Thread::Unborn
            });
            let Some(slot) = free else { return false };
            let Some(start) = analysis.facts.starts.get(&created).cloned() else { return false };
            self.more_threads |= setting.slots[slot].last_of_many;
            (analysis.class, analysis.path) = (created, Vec::new());
            let frame = first_frame(analysis, &setting.slots[slot], start.entry);
            analysis.add_locals(&mut run.state);
            for &param in &analysis.program.function(start.entry).params {
                run.state.set(frame.register(param), start.argument.clone());
            }
            let place =
                Place { frames: vec![(frame, 0, 0)], held: BTreeSet::new(), next: Next::Go };
            run.threads[slot] = Thread::At(place);
        }
        true
    }
}

fn targets(
    analysis: &mut Analysis,
    frame: &Frame,
    state: &State,
    callee: &Callee,
) -> Result<Vec<FuncId>, Stop> {
    match callee {
        Callee::Direct(id) => Ok(vec![*id]),
        Callee::Indirect(operand) => analysis.functions(frame, state, *operand),
    }
}

/// Whom a thread waits for.
fn joined(
    analysis: &mut Analysis,
    run: &Run,
    frame: &Frame,
    handle: Operand,
) -> Result<Next, Stop> {
    let bits = analysis.pointer_bits();
    let value = analysis.operand(frame, &run.state, handle, bits);
    let handles = value.objects().filter_map(|id| analysis.handle(analysis.objects.get(id)));
    let classes: BTreeSet<ClassId> = handles.map(|(class, _)| class).collect();
    match classes.is_empty() {
        // Nobody knows who: any thread that has ended will do.
        true => Ok(Next::Join(analysis.facts.starts.keys().copied().collect())),
        false => Ok(Next::Join(classes)),
    }
}

/// After a join memory is as it was: the state knows what the other thread has done.
fn without_exits(
    before: State,
    after: State,
    frame: &Frame,
    dsts: &[Reg],
    slot: Option<&Operand>,
) -> State {
    if slot != Some(&Operand::Const(0)) {
        return after;
    }
    let mut state = before;
    for &dst in dsts {
        let var = frame.register(dst);
        state.set(var, after.value(var));
    }
    state.created = after.created;
    state
}

/// The outermost frame of a thread.
fn first_frame(analysis: &mut Analysis, slot: &Slot, function: FuncId) -> Frame {
    let returns = analysis.program.function(function).returns.clone();
    let results = (0..returns.len() as u32).map(|at| register_var(slot.base + at)).collect();
    let widths: Vec<u8> = returns.iter().map(|ty| analysis.bits(*ty)).collect();
    let context = analysis.context(function);
    Frame { function, context, base: slot.base + returns.len() as u32, results, widths }
}

impl Analysis<'_> {
    /// The state before `main`, if it is reached.
    fn first_state(&mut self) -> Result<Option<State>, Stop> {
        let mut running = Some(self.initial_state());
        for constructor in self.program.constructors.clone() {
            let Some(state) = running else { return Ok(None) };
            running = self.run_entry(constructor, &[], state)?.map(|(state, _)| state);
        }
        Ok(running)
    }

    /// A function of the program is called: its frame is the innermost one.
    fn enter_call(
        &mut self,
        frames: &mut Vec<(Frame, u32, u32)>,
        state: &mut State,
        target: FuncId,
        (dsts, args): (&[Reg], &[Operand]),
    ) -> Result<(), Stop> {
        let function = self.program.function(target);
        let (frame, ..) = frames.last().cloned().expect("somebody calls");
        if function.variadic || args.len() != function.params.len() {
            return Err(self.give_up("a call with a variable number of arguments"));
        }
        let base = frame.base + self.program.function(frame.function).regs.len() as u32;
        self.path.push(self.at);
        let context = self.context(target);
        self.path.pop();
        let callee = Frame {
            function: target,
            context,
            base,
            results: dsts.iter().map(|reg| frame.register(*reg)).collect(),
            widths: dsts.iter().map(|reg| self.width_of(&frame, *reg)).collect(),
        };
        for (param, argument) in function.params.iter().zip(args) {
            let width = self.bits(function.regs[param.0 as usize]);
            self.copy(&frame, state, callee.register(*param), *argument, width);
        }
        frames.push((callee, 0, 0));
        Ok(())
    }
}
