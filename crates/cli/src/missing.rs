//! Says before a search which functions it would stop at: those that can be reached from the
//! entry and have neither a body nor a model.

use std::collections::BTreeSet;

use heddle_ir::{BlockId, Callee, FuncId, Function, GlobalId, Inst, Op, Operand, Program, Symbol};
use heddle_machine::Machine;
use heddle_memory::Sc;
use heddle_semantics::library;

/// The warning, if there is such a function.
pub fn warning(program: &Program, entry: FuncId) -> Option<String> {
    let names = missing(program, entry);
    let names: Vec<String> = names.iter().map(|name| format!("{name}()")).collect();
    let (these, where_called) = match names.len() {
        0 => return None,
        1 => ("this function has", "it is called"),
        _ => ("these functions have", "one of them is called"),
    };
    Some(format!(
        "{these} no body and no model: {}; the search stops where {where_called}. \
         Add the files that define them, or a file with bodies that do what matters here; or \
         let them do nothing and give any value (--unknown-calls input) or zero (ignore).",
        names.join(", ")
    ))
}

/// By the names that people know.
fn missing(program: &Program, entry: FuncId) -> BTreeSet<&str> {
    let found = Reached::from(program, entry).functions;
    let functions = found.into_iter().map(|id| program.function(id));
    let unknown = is_unknown();
    functions.filter(|function| unknown(function)).map(Function::display_name).collect()
}

/// Tells which functions have neither a body nor a model.
pub fn is_unknown() -> impl Fn(&Function) -> bool {
    let models = library::table::<Machine<'static, Sc>>();
    move |function| {
        function.is_declaration()
            && !function.name.starts_with("__heddle_")
            && !models.contains_key(&*function.name)
    }
}

/// What can be reached, by calls and by addresses.
struct Reached<'p> {
    program: &'p Program,
    functions: BTreeSet<FuncId>,
    globals: BTreeSet<GlobalId>,
    todo: Vec<FuncId>,
}

impl<'p> Reached<'p> {
    fn from(program: &'p Program, entry: FuncId) -> Reached<'p> {
        let (functions, globals) = (BTreeSet::new(), BTreeSet::new());
        let mut reached = Reached { program, functions, globals, todo: Vec::new() };
        reached.function(entry);
        program.constructors.iter().for_each(|&id| reached.function(id));
        while let Some(next) = reached.todo.pop() {
            reached.body(next);
        }
        reached
    }

    fn function(&mut self, id: FuncId) {
        if self.functions.insert(id) {
            self.todo.push(id);
        }
    }

    fn global(&mut self, id: GlobalId) {
        if !self.globals.insert(id) {
            return;
        }
        let relocations = self.program.global(id).init.iter().flat_map(|init| &init.relocations);
        for relocation in relocations {
            match relocation.symbol {
                Symbol::Function(id) => self.function(id),
                Symbol::Global(id) => self.global(id),
            }
        }
    }

    fn operand(&mut self, operand: Operand) {
        match operand {
            Operand::Function(id) => self.function(id),
            Operand::Global(id, _) => self.global(id),
            Operand::Reg(_) | Operand::Const(_) => {}
        }
    }

    /// What the blocks of a function lead to. Nothing comes after what is unsupported.
    fn body(&mut self, id: FuncId) {
        let function = self.program.function(id);
        let mut seen = BTreeSet::new();
        let mut todo = if function.is_declaration() { vec![] } else { vec![BlockId::ENTRY] };
        while let Some(next) = todo.pop() {
            let block = function.block(next);
            if !seen.insert(next) || !self.instructions(&block.insts) {
                continue;
            }
            block.term.operands().into_iter().for_each(|operand| self.operand(operand));
            for edge in block.term.edges() {
                edge.moves.iter().for_each(|&(_, operand)| self.operand(operand));
                todo.push(edge.target);
            }
        }
    }

    /// Whether their end can be reached.
    fn instructions(&mut self, insts: &[Inst]) -> bool {
        for inst in insts {
            match &inst.op {
                Op::Unsupported { .. } => return false,
                Op::Call { callee: Callee::Direct(id), .. } => self.function(*id),
                Op::ThreadLocal { global, .. } => self.global(*global),
                _ => {}
            }
            inst.op.operands().into_iter().for_each(|operand| self.operand(operand));
        }
        true
    }
}
