//! What a program is started with, and whether it looks at that.

use crate::{Edge, FuncId, Function, Operand, Program, Reg};

/// Words in which a program's arguments are given, if they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Arguments {
    /// Nobody has said which; there are none.
    #[default]
    Unsaid,
    /// Exactly these, after the program's name.
    Given(Vec<String>),
    /// Any few short ones; see the front end's support file `start.c`.
    Any,
}

impl Program {
    /// Does the function look at its n-th parameter?
    pub fn looks_at(&self, function: FuncId, nth: usize) -> bool {
        let function = self.function(function);
        function.params.get(nth).is_some_and(|&param| uses(function, param))
    }
}

fn uses(function: &Function, reg: Reg) -> bool {
    let is_it = |operand: &Operand| *operand == Operand::Reg(reg);
    function.blocks.iter().any(|block| {
        block.insts.iter().any(|inst| inst.op.operands().iter().any(is_it))
            || block.term.operands().iter().any(is_it)
            || block
                .term
                .edges()
                .into_iter()
                .any(|edge: &Edge| edge.moves.iter().any(|(_, from)| is_it(from)))
    })
}
