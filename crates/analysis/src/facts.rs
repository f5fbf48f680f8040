//! What is known about a program before any criterion is chosen: control flow,
//! points-to, which objects threads share and which can cease to exist.

use heddle_ir::{FuncId, Op, Operand, Program, Reg};

use crate::address::spans;
use crate::contents::{Contents, LazyContents};
use crate::flow::Flow;
use crate::library::{Effect, effect};
use crate::object::{Object, ObjectId, Offset};
use crate::points_to::PointsTo;
use crate::site::{Site, Sites, instructions};

/// Pointers that are passed on before a slice is given up.
const PATIENCE: u64 = 20_000_000;

/// How a register gets its value.
#[derive(Clone, Debug, Default)]
pub enum Definition {
    #[default]
    Nowhere,
    Inst(Site),
    Param(usize),
    /// On edges.
    Moves(Vec<Move>),
}

/// What an edge assigns to a register.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// Where the edge comes from, and its place among the edges there.
    pub block: u32,
    pub edge: u32,
    pub value: Operand,
}

pub struct Facts<'p> {
    pub program: &'p Program,
    pub sites: Sites,
    /// Empty for functions that can't run.
    pub flows: Vec<Flow>,
    definitions: Vec<Vec<Definition>>,
    pub points: PointsTo,
    /// Objects that more than one thread may reach.
    pub escapes: Vec<bool>,
    /// Objects that may cease to exist while the program runs.
    pub mortal: Vec<bool>,
    /// Something is called through a pointer that is made from a number: nothing
    /// here can be relied on.
    pub lost: bool,
    contents: LazyContents,
}

impl<'p> Facts<'p> {
    pub fn of(program: &'p Program, entry: FuncId) -> Facts<'p> {
        Facts::found(program, PointsTo::of(program, entry, None))
    }

    /// For a slice, if it can be had in a fraction of a second.
    pub fn for_slice(program: &'p Program, entry: FuncId) -> Option<Facts<'p>> {
        let points = PointsTo::of(program, entry, Some(PATIENCE));
        (!points.lost()).then(|| Facts::found(program, points))
    }

    fn found(program: &'p Program, mut points: PointsTo) -> Facts<'p> {
        let escapes = points.escaping();
        let runs = |index: usize| points.reachable[index];
        let functions = || program.functions.iter().enumerate();
        let flows = functions()
            .map(|(index, f)| if runs(index) { Flow::of(f) } else { Flow::default() })
            .collect();
        let definitions = functions()
            .map(|(index, _)| match runs(index) {
                true => definitions(program, FuncId(index as u32)),
                false => Vec::new(),
            })
            .collect();
        let mut facts = Facts {
            program,
            sites: Sites::of(program),
            flows,
            definitions,
            points,
            escapes,
            mortal: Vec::new(),
            lost: false,
            contents: LazyContents::default(),
        };
        facts.mortal = facts.mortal_objects();
        facts.lost = facts.calls_numbers();
        facts
    }

    /// Who writes what to where.
    pub fn contents(&self) -> &Contents {
        self.contents.get(self)
    }

    /// Functions that may run and have a body.
    pub fn functions(&self) -> impl Iterator<Item = FuncId> + use<'_> {
        let all = (0..self.program.functions.len() as u32).map(FuncId);
        all.filter(|f| self.points.reachable[f.0 as usize])
    }

    /// Instructions of functions that may run.
    pub fn instructions(&self) -> impl Iterator<Item = (Site, &'p heddle_ir::Inst)> + use<'_, 'p> {
        let program = self.program;
        self.functions().flat_map(move |function| instructions(program, function))
    }

    pub fn definition(&self, function: FuncId, reg: Reg) -> &Definition {
        &self.definitions[function.0 as usize][reg.0 as usize]
    }

    /// What an address may point to; `None` if that may be anything.
    pub fn targets(&self, function: FuncId, address: Operand) -> Option<Vec<(ObjectId, Offset)>> {
        let targets = self.points.targets(function, address);
        let known = !targets.is_empty() && targets.iter().all(|t| t.0 != ObjectId::WILD);
        known.then_some(targets)
    }

    /// Where in memory an access may go; `None` if that may be anywhere. Indices that are known
    /// to stay in their object lead to some of its bytes only.
    pub fn touched(
        &self,
        function: FuncId,
        address: Operand,
        bytes: u32,
    ) -> Option<Vec<(ObjectId, (Offset, u32))>> {
        let targets = self.targets(function, address)?;
        let known = match targets.iter().any(|target| target.1.is_none()) {
            true => spans(self, function, address, bytes),
            false => None,
        };
        Some(match known {
            Some(spans) => spans.into_iter().map(|(id, (at, len))| (id, (Some(at), len))).collect(),
            None => targets.into_iter().map(|(id, offset)| (id, (offset, bytes))).collect(),
        })
    }

    /// Effects of the library functions that a call may lead to.
    pub fn effects(&self, site: Site) -> impl Iterator<Item = Effect> + use<'_> {
        let callees = self.points.callees(site).iter();
        callees.filter_map(|&callee| effect(self.program, callee))
    }

    fn mortal_objects(&self) -> Vec<bool> {
        let objects = self.points.objects();
        let local = |id| matches!(objects.get(id), Object::Stack(_) | Object::ThreadLocal(_));
        let heap = |id| matches!(objects.get(id), Object::Heap(_));
        let mut mortal: Vec<bool> = objects.ids().map(local).collect();
        for (site, inst) in self.instructions() {
            let Op::Call { args, .. } = &inst.op else { continue };
            let frees = |e| matches!(e, Effect::Free | Effect::Reallocate | Effect::Anything);
            if !self.effects(site).any(frees) {
                continue;
            }
            for &arg in args {
                match (arg, self.targets(site.function, arg)) {
                    (_, Some(targets)) => {
                        for (object, _) in targets {
                            mortal[object.0 as usize] = true;
                        }
                    }
                    (Operand::Const(_), None) => {}
                    (_, None) if self.points.targets(site.function, arg).is_empty() => {}
                    (_, None) => {
                        for id in objects.ids().filter(|&id| heap(id)) {
                            mortal[id.0 as usize] = true;
                        }
                    }
                }
            }
        }
        mortal
    }

    fn calls_numbers(&self) -> bool {
        self.instructions().any(|(site, inst)| match &inst.op {
            Op::Call { callee: heddle_ir::Callee::Indirect(operand), .. } => {
                let targets = self.points.targets(site.function, *operand);
                targets.iter().any(|target| target.0 == ObjectId::WILD)
            }
            _ => false,
        })
    }
}

fn definitions(program: &Program, id: FuncId) -> Vec<Definition> {
    let function = program.function(id);
    let mut all = vec![Definition::Nowhere; function.regs.len()];
    for (at, param) in function.params.iter().enumerate() {
        all[param.0 as usize] = Definition::Param(at);
    }
    for (site, inst) in instructions(program, id) {
        for reg in inst.op.destinations() {
            all[reg.0 as usize] = Definition::Inst(site);
        }
    }
    for (block, body) in function.blocks.iter().enumerate() {
        for (at, edge) in body.term.edges().into_iter().enumerate() {
            for &(reg, value) in &edge.moves {
                let found = Move { block: block as u32, edge: at as u32, value };
                match &mut all[reg.0 as usize] {
                    Definition::Moves(moves) => moves.push(found),
                    other => *other = Definition::Moves(vec![found]),
                }
            }
        }
    }
    all
}

/// Operands that the result of a private computation is made of; `None` for
/// anything that is more than that.
pub fn operands(op: &Op) -> Option<Vec<Operand>> {
    match op {
        Op::Load { .. }
        | Op::Store { .. }
        | Op::Rmw { .. }
        | Op::CmpXchg { .. }
        | Op::Fence { .. }
        | Op::Call { .. }
        | Op::Unsupported { .. } => None,
        _ => Some(op.operands()),
    }
}
