//! What pointers point to, and with it which functions call which.
//!
//! Every instruction of every function that can be reached becomes inclusion
//! constraints (see `constraints` and `solver`). Flow, context and thread do not count: a
//! register has one set for all its executions. A number that is cast to a pointer, and
//! was never made from one, may point to anything. Numbers that reach a pointer through
//! memory, without a cast, are taken to point nowhere: whoever relies on these sets must
//! compare them with what runs do (see `reach`).

use heddle_ir::{FuncId, Operand, Program};
use rustc_hash::FxHashMap;

use crate::constraints::Builder;
use crate::object::{Object, ObjectId, Objects, Offset};
use crate::site::Site;
use crate::solver::{Node, Solver};

pub struct PointsTo {
    pub(crate) solver: Solver,
    pub(crate) registers: Vec<Node>,
    /// Functions that a call may lead to, library functions too.
    pub(crate) callees: FxHashMap<Site, Vec<FuncId>>,
    /// For each function, the calls and thread creations that may lead to it.
    pub(crate) callers: Vec<Vec<Site>>,
    /// Functions that may run.
    pub reachable: Vec<bool>,
    /// Functions that threads start in.
    pub entries: Vec<FuncId>,
    /// What threads return.
    pub(crate) results: Node,
    /// What new threads are given.
    pub(crate) handed: Node,
}

impl PointsTo {
    /// `patience`: see `Solver`.
    pub fn of(program: &Program, entry: FuncId, patience: Option<u64>) -> PointsTo {
        let mut build = Builder::new(program, patience);
        build.initial_contents();
        build.start(entry);
        build.run();
        build.finish()
    }

    /// It was given up, or something is called through a pointer made from a number.
    pub fn lost(&self) -> bool {
        self.solver.lost
    }

    pub fn objects(&self) -> &Objects {
        &self.solver.objects
    }

    /// What an operand may point to.
    pub fn targets(&self, function: FuncId, operand: Operand) -> Vec<(ObjectId, Offset)> {
        let find = |object| self.solver.objects.find(object);
        match operand {
            Operand::Reg(reg) => {
                let node = Node(self.registers[function.0 as usize].0 + reg.0);
                self.solver.pointers(node).iter().collect()
            }
            Operand::Global(id, offset) => {
                find(Object::Global(id)).map(|object| (object, Some(offset))).into_iter().collect()
            }
            Operand::Function(id) => {
                find(Object::Function(id)).map(|object| (object, Some(0))).into_iter().collect()
            }
            Operand::Const(_) => Vec::new(),
        }
    }

    pub fn callees(&self, site: Site) -> &[FuncId] {
        self.callees.get(&site).map_or(&[], Vec::as_slice)
    }

    pub fn callers(&self, function: FuncId) -> &[Site] {
        &self.callers[function.0 as usize]
    }

    /// Objects that more than one thread may reach.
    pub fn escaping(&mut self) -> Vec<bool> {
        let mut escapes = vec![false; self.solver.objects.len()];
        let mut todo: Vec<ObjectId> = Vec::new();
        let wild = self.solver.wild();
        for node in [self.results, self.handed, wild] {
            todo.extend(self.solver.pointers(node).objects.keys());
        }
        let shared =
            |object| matches!(object, Object::Global(_) | Object::Arguments | Object::Wild);
        let objects = &self.solver.objects;
        todo.extend(objects.ids().filter(|&id| shared(objects.get(id))));
        while let Some(object) = todo.pop() {
            if !std::mem::replace(&mut escapes[object.0 as usize], true) {
                let contents = self.solver.contents(object);
                todo.extend(self.solver.pointers(contents).objects.keys());
            }
        }
        escapes
    }
}
