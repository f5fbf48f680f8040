//! Places in a program: every instruction and terminator has a number.

use heddle_ir::{FuncId, Inst, Op, Program, Span};

/// An instruction, or the terminator of a block if `index` is behind the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    pub function: FuncId,
    pub block: u32,
    pub index: u32,
}

/// The numbering: sites of a block are consecutive, and blocks of a function are.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    /// For each function and block, the number of its first instruction.
    starts: Vec<Vec<u32>>,
    count: u32,
}

impl Sites {
    pub fn of(program: &Program) -> Sites {
        let mut sites = Sites::default();
        for function in &program.functions {
            let mut starts = Vec::with_capacity(function.blocks.len());
            for block in &function.blocks {
                starts.push(sites.count);
                sites.count += block.insts.len() as u32 + 1;
            }
            sites.starts.push(starts);
        }
        sites
    }

    pub fn len(&self) -> usize {
        self.count as usize
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    #[inline]
    pub fn number(&self, site: Site) -> usize {
        (self.starts[site.function.0 as usize][site.block as usize] + site.index) as usize
    }

    /// For each function and block, the number of its first instruction.
    pub fn starts(&self) -> &[Vec<u32>] {
        &self.starts
    }
}

impl Site {
    /// The instruction, unless it is a terminator.
    pub fn inst(self, program: &Program) -> Option<&Inst> {
        program.function(self.function).blocks[self.block as usize].insts.get(self.index as usize)
    }

    pub fn op(self, program: &Program) -> Option<&Op> {
        self.inst(program).map(|inst| &inst.op)
    }

    pub fn span(self, program: &Program) -> Span {
        let block = &program.function(self.function).blocks[self.block as usize];
        block.insts.get(self.index as usize).map_or(block.term_span, |inst| inst.span)
    }
}

/// All instructions of a function, without terminators.
pub fn instructions(program: &Program, function: FuncId) -> impl Iterator<Item = (Site, &Inst)> {
    let blocks = program.function(function).blocks.iter().enumerate();
    blocks.flat_map(move |(block, body)| {
        body.insts.iter().enumerate().map(move |(index, inst)| {
            (Site { function, block: block as u32, index: index as u32 }, inst)
        })
    })
}
