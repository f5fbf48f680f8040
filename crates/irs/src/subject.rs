//! A program and its events: the same for the verifier and the native run.

use std::sync::Arc;

use heddle_analysis::Visible;
use heddle_constraint::{ANY_SITE, LIBRARY_SITE, SCOPE_SITE};
use heddle_ir::{Callee, FuncId, Op, Operand, Program, Span, Whose, print_program};
use heddle_machine::{Passed, VisibleSites};

pub struct Subject<'p> {
    pub program: &'p Program,
    pub entry: FuncId,
    pub sites: Arc<VisibleSites>,
    /// Identifies the program and its events.
    pub hash: u64,
}

impl<'p> Subject<'p> {
    pub fn new(program: &'p Program, entry: FuncId) -> Subject<'p> {
        let Visible { starts, sites, scopes } = Visible::of(program, entry);
        let hash = hash(program, &sites, &scopes);
        let sites = Arc::new(VisibleSites { starts, visible: sites, scopes });
        Subject { program, entry, sites, hash }
    }

    /// The program has atomic sections of its own. In a native run they exclude each
    /// other, but no other accesses, so what is proven of them would not hold.
    pub fn has_sections(&self) -> bool {
        let program = self.program;
        let begin = program.find_function("__VERIFIER_atomic_begin");
        let users = |span: Span| program.whose(span) == Whose::User;
        let begins = |inst: &heddle_ir::Inst| match &inst.op {
            Op::Call { callee: Callee::Direct(callee), .. } => Some(*callee) == begin,
            _ => false,
        };
        program.functions.iter().filter(|function| users(function.span)).any(|function| {
            let insts = || function.blocks.iter().flat_map(|block| &block.insts);
            let named = function.name.starts_with("__VERIFIER_atomic_");
            named && !function.is_declaration() || insts().any(begins)
        })
    }

    /// What stands for the instruction of an event in a schedule.
    pub fn site_code(&self, passed: Passed) -> u32 {
        self.code_of(passed.site)
    }

    pub(crate) fn code_of(&self, site: u32) -> u32 {
        match self.instruction(site) {
            None => SCOPE_SITE,
            Some(Op::Call { .. }) => LIBRARY_SITE,
            Some(_) => site,
        }
    }

    /// May the instructions of two events touch different memory, as far as one can see?
    pub(crate) fn may_differ(&self, one: u32, other: u32) -> bool {
        let codes = [one, other];
        let accesses = !codes.contains(&LIBRARY_SITE) && !codes.contains(&SCOPE_SITE);
        accesses && codes.iter().any(|&site| !self.is_fixed(site))
    }

    /// It always touches the same variable.
    fn is_fixed(&self, site: u32) -> bool {
        let known = if site == ANY_SITE { None } else { self.instruction(site) };
        matches!(
            known,
            Some(
                Op::Load { addr: Operand::Global(..), .. }
                    | Op::Store { addr: Operand::Global(..), .. }
                    | Op::Rmw { addr: Operand::Global(..), .. }
                    | Op::CmpXchg { addr: Operand::Global(..), .. }
            )
        )
    }

    fn instruction(&self, site: u32) -> Option<&'p Op> {
        let (block, index) = self.locate(site)?;
        block.insts.get(index).map(|inst| &inst.op)
    }

    fn locate(&self, site: u32) -> Option<(&'p heddle_ir::Block, usize)> {
        let starts = &self.sites.starts;
        // Functions without a body have no blocks, and no instructions.
        let function =
            starts.iter().rposition(|blocks| blocks.first().is_some_and(|&first| first <= site))?;
        let block = starts[function].partition_point(|&first| first <= site).checked_sub(1)?;
        let body = &self.program.functions[function].blocks[block];
        Some((body, (site - starts[function][block]) as usize))
    }

    /// Where an event stands in the source.
    pub fn position(&self, site: u32) -> Option<String> {
        let (block, index) = self.locate(site)?;
        let span: Span = block.insts.get(index).map_or(block.term_span, |inst| inst.span);
        self.program.position(span)
    }
}

/// FNV-1a over the printed program, with the folders of its files left out, and its
/// events.
fn hash(program: &Program, sites: &[bool], scopes: &[bool]) -> u64 {
    let mut program = program.clone();
    for file in &mut program.files {
        file.directory.clear();
        file.path = file.path.rsplit('/').next().unwrap_or_default().to_string();
    }
    let flags = sites.iter().chain(scopes).map(|&flag| u8::from(flag));
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    print_program(&program).bytes().chain(flags).fold(0xcbf2_9ce4_8422_2325, step)
}
