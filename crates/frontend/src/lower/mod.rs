//! From an LLVM module to a [`Program`].

mod arith;
mod asm;
mod calls;
mod conventions;
mod function;
mod globals;
mod indeterminate;
mod intrinsics;
mod jumps;
mod labels;
mod memory;
mod operands;
mod places;
mod print;
mod split;
mod terminators;
mod thread_pointer;
mod tidy;
mod uninitialised;
mod unwind;
mod unwinding;
mod variadic;
mod vectors;
mod wide;

pub(crate) use arith::{binary, cast};
pub(crate) use function::numbered;
pub(crate) use jumps::{calls_setjmp, is_setjmp};
pub(crate) use unwind::has_filter;
pub(crate) use wide::wide_atomic;

use std::path::PathBuf;

use heddle_ir::{FuncId, Function, GlobalId, Place, PlaceId, Program, Reg, Span, Ty};
use inkwell::module::Module;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::constants::Constants;
use crate::debuginfo::DebugInfo;
use crate::demangle::demangle_function;
use crate::error::Error;
use crate::leaves::LeafTable;
use crate::llvm::{Layout, Opcode, Type, Value, ValueKind, View, attribute_kind};
use crate::uninitialised::MARKER;

/// What is shared by all functions while a module is lowered.
pub(crate) struct Lowering<'m> {
    pub layout: Layout<'m>,
    pub leaves: LeafTable<'m>,
    pub constants: Constants<'m>,
    pub debug: DebugInfo<'m>,
    pub program: Program,
    /// Functions by linkage name, to declare what intrinsics become only once.
    by_name: FxHashMap<String, FuncId>,
    place_ids: FxHashMap<Place, PlaceId>,
    byval: u32,
    align: u32,
    element_type: u32,
    abi: variadic::Abi,
    /// Variadic functions that have a body, and how many parameters have a name.
    variadic: FxHashMap<FuncId, u32>,
    /// What stands for the block of each thread that its pointer leads to.
    thread_block: Option<GlobalId>,
    /// Functions whose result stands for an uninitialised variable.
    markers: FxHashSet<Value<'m>>,
    /// Which calls may end with an exception.
    unwinding: unwinding::Unwinding<'m>,
    nounwind: u32,
    /// Numbers by which landing pads tell types of exceptions apart.
    type_numbers: FxHashMap<Value<'m>, u32>,
}

/// Lowers a linked module. Positions show `inputs` as they are written there.
pub(crate) fn lower(module: &Module<'_>, inputs: &[PathBuf]) -> Result<Program, Error> {
    let view = View::new(module);
    let layout = view.layout();
    if !layout.is_little_endian() {
        return Err(Error::Target("big-endian".to_owned()));
    }
    let pointer_bytes = match layout.pointer_bytes() {
        bytes @ (4 | 8) => u8::try_from(bytes).unwrap_or(8),
        other => return Err(Error::Target(format!("pointers of {other} bytes"))),
    };
    let mut lowering = Lowering {
        layout,
        leaves: LeafTable::new(layout),
        constants: Constants {
            layout,
            functions: FxHashMap::default(),
            globals: FxHashMap::default(),
            labels: FxHashMap::default(),
        },
        debug: DebugInfo::new(inputs),
        program: Program { pointer_bytes, ..Program::default() },
        by_name: FxHashMap::default(),
        place_ids: FxHashMap::default(),
        byval: attribute_kind("byval"),
        align: attribute_kind("align"),
        element_type: attribute_kind("elementtype"),
        abi: variadic::Abi::of(&module.get_triple().as_str().to_string_lossy(), pointer_bytes),
        variadic: FxHashMap::default(),
        thread_block: None,
        markers: FxHashSet::default(),
        unwinding: unwinding::Unwinding::default(),
        nounwind: attribute_kind("nounwind"),
        type_numbers: FxHashMap::default(),
    };
    let mut functions = view.functions();
    functions.retain(|function| !function.is_intrinsic());
    lowering.markers = functions.iter().copied().filter(|f| f.name().starts_with(MARKER)).collect();
    functions.retain(|function| !lowering.markers.contains(function));
    for &function in &functions {
        lowering.declare(function);
    }
    lowering.find_unwinding(&functions);
    lowering.enter_labels(&functions);
    let globals = view.globals();
    lowering.lower_globals(&globals);
    for &function in &functions {
        if !function.is_declaration() {
            let id = lowering.constants.functions[&function];
            let lowered = function::lower(&mut lowering, function, id);
            lowering.program.functions[id.0 as usize] = lowered;
        }
    }
    let mut program = lowering.program;
    lowering.debug.finish(&mut program);
    Ok(program)
}

impl<'m> Lowering<'m> {
    /// Enters the signature of a function.
    fn declare(&mut self, function: Value<'m>) {
        let ty = function.value_type();
        let params: Vec<Ty> =
            function.params().into_iter().flat_map(|p| self.types_of(p.ty())).collect();
        let returns = self.types_of(ty.result());
        let id = self.declare_named(&function.name(), params, returns, ty.is_variadic());
        self.constants.functions.insert(function, id);
        self.note_variadic(function, id);
        if let Some(subprogram) = function.subprogram() {
            let source_name = self.debug.subprogram_name(subprogram);
            let entry = &mut self.program.functions[id.0 as usize];
            entry.span = self.debug.span_of_subprogram(subprogram);
            entry.source_name = source_name.filter(|name| *name != entry.name);
        }
        let entry = &mut self.program.functions[id.0 as usize];
        if entry.source_name.is_none() {
            entry.source_name = demangle_function(&entry.name);
        }
        if function.is_declaration()
            && let Some(name) = conventions::standard_name(entry)
        {
            let theirs = std::mem::replace(&mut entry.name, name);
            entry.source_name.get_or_insert(theirs);
        }
    }

    /// Whether `value` stands for an uninitialised variable.
    fn is_marker(&self, value: Value<'m>) -> bool {
        value.kind() == ValueKind::LLVMInstructionValueKind
            && value.opcode() == Opcode::LLVMCall
            && self.markers.contains(&value.called_value())
    }

    /// Whether `store` marks a slot that stayed in memory: slot, marker and store
    /// still stand in a row.
    fn is_marking_store(&self, store: Value<'m>) -> bool {
        let (marker, slot) = (store.operand(0), store.operand(1));
        self.is_marker(marker)
            && slot.kind() == ValueKind::LLVMInstructionValueKind
            && slot.opcode() == Opcode::LLVMAlloca
            && slot.allocated_type() == marker.ty()
            && slot.next_instruction() == Some(marker)
            && marker.next_instruction() == Some(store)
    }

    /// Scalars of a type; none for an unsupported one (its uses stop).
    fn types_of(&mut self, ty: Type<'m>) -> Vec<Ty> {
        match self.leaves.of(ty) {
            Ok(leaves) => leaves.iter().map(|leaf| leaf.ty).collect(),
            Err(_) => Vec::new(),
        }
    }

    /// A function that the lowering itself calls, such as `memcpy`.
    fn library_function(&mut self, name: &str, params: &[Ty], returns: &[Ty]) -> FuncId {
        match self.by_name.get(name) {
            Some(&id) => id,
            None => self.declare_named(name, params.to_vec(), returns.to_vec(), false),
        }
    }

    fn declare_named(
        &mut self,
        name: &str,
        params: Vec<Ty>,
        returns: Vec<Ty>,
        variadic: bool,
    ) -> FuncId {
        let id = FuncId(u32::try_from(self.program.functions.len()).unwrap_or(u32::MAX));
        self.program.functions.push(Function {
            name: name.to_owned(),
            source_name: None,
            params: (0..params.len()).map(|i| Reg(i as u32)).collect(),
            variadic,
            returns,
            unwinds: false,
            reg_names: vec![None; params.len()],
            regs: params,
            blocks: Vec::new(),
            span: Span::UNKNOWN,
        });
        self.by_name.insert(name.to_owned(), id);
        id
    }
}
