//! Places that touch memory which threads share, and the lines of the user's that they stand
//! for.

use std::collections::{BTreeMap, BTreeSet};

use heddle_ir::{FuncId, Op, Operand, Span, Terminator, Whose};

use super::held::{Held, Lock, Locks};
use crate::facts::Facts;
use crate::library::Effect;
use crate::object::{Object, ObjectId, Offset};
use crate::site::Site;

/// An object, where in it, and how many bytes, if that is known.
pub type Target = (ObjectId, Offset, Option<u32>);

#[derive(Clone, Debug)]
pub struct Access {
    pub site: Site,
    /// Where the user's lines are that this is executed for.
    pub spans: BTreeSet<Span>,
    pub targets: Vec<Target>,
    pub write: bool,
    pub atomic: bool,
    pub locks: Held,
}

pub fn accesses(facts: &Facts, locks: &Locks) -> Vec<Access> {
    let mut collector = Collector { facts, locks, callers: BTreeMap::new(), all: Vec::new() };
    for (site, inst) in facts.instructions() {
        collector.instruction(site, &inst.op);
    }
    for function in facts.functions() {
        collector.ends(function);
    }
    collector.all
}

struct Collector<'f, 'p> {
    facts: &'f Facts<'p>,
    locks: &'f Locks<'f, 'p>,
    /// Lines of the user's that a function is called for.
    callers: BTreeMap<FuncId, BTreeSet<Span>>,
    all: Vec<Access>,
}

/// How memory is touched.
#[derive(Clone, Copy)]
struct Touch {
    write: bool,
    atomic: bool,
}

impl Collector<'_, '_> {
    fn instruction(&mut self, site: Site, op: &Op) {
        let bytes = |ty: &heddle_ir::Ty| Some(ty.bytes(self.facts.program.pointer_bytes));
        match op {
            Op::Load { addr, ty, order, .. } => {
                let touch = Touch { write: false, atomic: order.is_some() };
                self.access(site, *addr, bytes(ty), touch);
            }
            Op::Store { addr, ty, order, .. } => {
                let touch = Touch { write: true, atomic: order.is_some() };
                self.access(site, *addr, bytes(ty), touch);
            }
            Op::Rmw { addr, ty, .. } | Op::CmpXchg { addr, ty, .. } => {
                self.access(site, *addr, bytes(ty), Touch { write: true, atomic: true });
            }
            Op::Call { args, .. } => self.library(site, args),
            _ => {}
        }
    }

    /// What library functions do to what their arguments point to.
    fn library(&mut self, site: Site, args: &[Operand]) {
        let effects: Vec<Effect> = self.facts.effects(site).collect();
        for effect in effects {
            let write = Touch { write: true, atomic: false };
            match effect {
                Effect::Free | Effect::Reallocate => {
                    for &arg in args.iter().take(1) {
                        self.whole(site, arg, write);
                    }
                }
                // The object itself is what orders; what else is given is looked at.
                Effect::Sync { bytes } => {
                    // The second one of a wait is a lock.
                    let program = self.facts.program;
                    let waits = self.facts.points.callees(site).iter();
                    let waits = waits.copied().any(|f| program.function(f).name.contains("wait"));
                    for (nth, &arg) in args.iter().enumerate() {
                        let atomic = nth == 0 || nth == 1 && waits;
                        let bytes = if atomic { Some(bytes) } else { None };
                        self.pointee(site, arg, bytes, Touch { write: true, atomic });
                    }
                }
                Effect::Join { result } => {
                    for &arg in args.iter().skip(result).take(1) {
                        self.pointee(site, arg, Some(8), write);
                    }
                }
                Effect::AllocateInto | Effect::Create { .. } => {
                    for &arg in args.iter().take(1) {
                        self.pointee(site, arg, Some(8), write);
                    }
                }
                Effect::Anything => {
                    for &arg in args {
                        self.pointee(site, arg, None, write);
                    }
                }
                Effect::ExitThread => self.exit(site),
                Effect::Nothing
                | Effect::Output
                | Effect::Pure
                | Effect::Allocate { .. }
                | Effect::Assert
                | Effect::Stop
                | Effect::Input
                | Effect::Atomic => {}
            }
        }
    }

    fn access(&mut self, site: Site, address: Operand, bytes: Option<u32>, touch: Touch) {
        match self.facts.targets(site.function, address) {
            Some(targets) => {
                let targets = targets.into_iter().map(|(object, at)| (object, at, bytes));
                self.push(site, targets.collect(), touch);
            }
            // A number is null, or what an access to fails at.
            None if matches!(address, Operand::Const(_)) => {}
            None => self.push(site, vec![(ObjectId::WILD, None, None)], touch),
        }
    }

    /// What an argument points to, if it is a pointer.
    fn pointee(&mut self, site: Site, argument: Operand, bytes: Option<u32>, touch: Touch) {
        let targets = self.facts.points.targets(site.function, argument);
        let targets: Vec<Target> =
            targets.into_iter().map(|(object, at)| (object, at, bytes)).collect();
        if !targets.is_empty() {
            self.push(site, targets, touch);
        }
    }

    fn whole(&mut self, site: Site, argument: Operand, touch: Touch) {
        match self.facts.targets(site.function, argument) {
            Some(targets) => {
                let targets = targets.into_iter().map(|(object, _)| (object, None, None));
                self.push(site, targets.collect(), touch);
            }
            None if matches!(argument, Operand::Const(_)) => {}
            None => self.push(site, vec![(ObjectId::WILD, None, None)], touch),
        }
    }

    fn push(&mut self, site: Site, mut targets: Vec<Target>, touch: Touch) {
        let objects = self.facts.points.objects();
        let escapes = &self.facts.escapes;
        targets.retain(|&(object, ..)| {
            let constant = match objects.get(object) {
                Object::Global(id) => self.facts.program.global(id).constant,
                Object::Function(_) => true,
                _ => false,
            };
            object == ObjectId::WILD || escapes[object.0 as usize] && !constant
        });
        if targets.is_empty() {
            return;
        }
        let locks = self.locks.at(site);
        let atomic = touch.atomic || locks.contains_key(&Lock::Atomic);
        let spans = self.lines(site);
        let write = touch.write;
        self.all.push(Access { site, spans, targets, write, atomic, locks });
    }

    /// A thread ends in the middle of calls, and its variables with it.
    fn exit(&mut self, site: Site) {
        let objects = self.facts.points.objects();
        let gone =
            |id: &ObjectId| matches!(objects.get(*id), Object::Stack(_) | Object::ThreadLocal(_));
        let all: Vec<Target> =
            objects.ids().filter(gone).map(|object| (object, None, None)).collect();
        self.push(site, all, Touch { write: true, atomic: false });
    }

    /// Variables of a function end where it returns; those of a thread, where it does.
    fn ends(&mut self, function: FuncId) {
        let objects = self.facts.points.objects();
        let starts = self.facts.points.entries.contains(&function);
        let own = |id: &ObjectId| match objects.get(*id) {
            Object::Stack(site) => site.function == function,
            Object::ThreadLocal(_) => starts,
            _ => false,
        };
        let variables: Vec<Target> =
            objects.ids().filter(own).map(|object| (object, None, None)).collect();
        if variables.is_empty() {
            return;
        }
        let blocks = &self.facts.program.function(function).blocks;
        for (at, block) in blocks.iter().enumerate() {
            if matches!(block.term, Terminator::Return { .. }) {
                let site = Site { function, block: at as u32, index: block.insts.len() as u32 };
                self.push(site, variables.clone(), Touch { write: true, atomic: false });
            }
        }
    }

    /// The user's lines: where the instruction stands, or else who calls its function.
    fn lines(&mut self, site: Site) -> BTreeSet<Span> {
        let span = site.span(self.facts.program);
        match self.whose(span) {
            Whose::User => BTreeSet::from([span]),
            _ => match self.lines_of_callers(site.function) {
                none if none.is_empty() => BTreeSet::from([span]),
                lines => lines,
            },
        }
    }

    fn whose(&self, span: Span) -> Whose {
        let file = self.facts.program.files.get(span.file as usize);
        file.map_or(Whose::User, heddle_ir::SourceFile::whose)
    }

    fn lines_of_callers(&mut self, function: FuncId) -> BTreeSet<Span> {
        if let Some(known) = self.callers.get(&function) {
            return known.clone();
        }
        let mut lines = BTreeSet::new();
        let (mut seen, mut todo) = (BTreeSet::from([function]), vec![function]);
        while let Some(function) = todo.pop() {
            for caller in self.facts.points.callers(function) {
                let span = caller.span(self.facts.program);
                if self.whose(span) == Whose::User {
                    lines.insert(span);
                } else if seen.insert(caller.function) {
                    todo.push(caller.function);
                }
            }
        }
        self.callers.insert(function, lines.clone());
        lines
    }
}
