//! Puts calls of the runtime at events.

use std::collections::BTreeMap;

use heddle_ir::{FuncId, Function, Op, Program};
use inkwell::context::Context;
use inkwell::module::Module;
use rustc_hash::FxHashSet;

use super::Plan;
use super::edit::{Editor, erase, make_atomic, replace_by_zero};
use crate::error::Error;
use crate::llvm::{Layout, Opcode, Type, Value, ValueKind, View};
use crate::lower::numbered;
use crate::uninitialised::MARKER;

/// Stands for the instruction of an event that ends the scope of variables.
const SCOPE: u32 = u32::MAX;

const BEFORE: &str = "heddle_before";
const BEFORE_ACCESS: &str = "heddle_before_access";
const AFTER: &str = "heddle_after";

pub(super) fn instrument<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    program: &Program,
    plan: &Plan,
) -> Result<(), Error> {
    let view = View::new(module);
    let editor = Editor::new(context, module);
    let layout = view.layout();
    let markers: FxHashSet<Value<'_>> =
        view.functions().into_iter().filter(|f| f.name().starts_with(MARKER)).collect();
    for function in view.functions() {
        let Some(id) = program.find_function(&function.name()) else { continue };
        if function.is_declaration() {
            continue;
        }
        // Numbers are those of the module as it was lowered, so they come first.
        let instructions = numbered(function);
        if plan.scopes[id.0 as usize] {
            ends(&editor, &instructions);
        }
        if function.name().starts_with("__VERIFIER_atomic_") {
            atomic_body(&editor, &instructions);
        }
        failures(&editor, &instructions, program, id);
        // From here on, instructions are erased; none that is looked at later.
        drop_markers(&instructions, &markers);
        accesses(&editor, layout, &instructions, program, id, plan)?;
    }
    Ok(())
}

/// The accesses of a function that are events: for each number of an LLVM instruction,
/// the sites that it became, several for a structure. `None` for those that are none.
fn events(function: &Function, id: FuncId, plan: &Plan) -> BTreeMap<u32, Vec<Option<u32>>> {
    let mut found: BTreeMap<u32, Vec<Option<u32>>> = BTreeMap::new();
    for (block, body) in function.blocks.iter().enumerate() {
        for (index, inst) in body.insts.iter().enumerate() {
            let accesses = matches!(
                inst.op,
                Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::CmpXchg { .. }
            );
            if accesses {
                let site = plan.starts[id.0 as usize][block] + index as u32;
                let event = plan.sites[site as usize].then_some(site);
                found.entry(inst.origin).or_default().push(event);
            }
        }
    }
    found.retain(|_, sites| sites.iter().any(Option::is_some));
    found
}

/// An access to a structure: an event for each member.
fn structure(
    editor: &Editor<'_, '_>,
    layout: Layout<'_>,
    inst: Value<'_>,
    sites: &[Option<u32>],
) -> Result<(), Error> {
    let whole = accessed(inst);
    let around = |member: u32, before: Option<_>| match (sites[member as usize], before) {
        (None, _) => {}
        (Some(site), Some(address)) => {
            let bytes = layout.size(whole.field(member)) as u32;
            editor.call_access(BEFORE_ACCESS, site, address, bytes);
        }
        (Some(site), None) => editor.call_number(AFTER, site),
    };
    match editor.split(inst, sites.len() as u32, around) {
        true => Ok(()),
        false => {
            Err(Error::Native("an access to a structure of structures in shared memory".to_owned()))
        }
    }
}

/// The type of what an access reads or writes.
fn accessed(inst: Value<'_>) -> Type<'_> {
    match inst.opcode() {
        Opcode::LLVMStore => inst.operand(0).ty(),
        Opcode::LLVMAtomicCmpXchg => inst.operand(1).ty(),
        _ => inst.ty(),
    }
}

fn accesses(
    editor: &Editor<'_, '_>,
    layout: Layout<'_>,
    instructions: &[(u32, Value<'_>)],
    program: &Program,
    id: FuncId,
    plan: &Plan,
) -> Result<(), Error> {
    let events = events(program.function(id), id, plan);
    for (number, inst) in instructions {
        let site = match events.get(number).map(Vec::as_slice) {
            None => continue,
            Some(_) if is_assembly(*inst) => {
                let what = "inline assembly on memory that other threads can reach";
                return Err(Error::Native(what.to_owned()));
            }
            // The system's way to pass them is another than the interpreter's.
            Some(_) if inst.opcode() == Opcode::LLVMCall => {
                let what = "arguments of a variadic function that other threads can reach";
                return Err(Error::Native(what.to_owned()));
            }
            Some(&[Some(site)]) => site,
            Some(sites) => {
                structure(editor, layout, *inst, sites)?;
                continue;
            }
        };
        let address = inst.operand(u32::from(inst.opcode() == Opcode::LLVMStore));
        let bytes = layout.size(accessed(*inst));
        if let Some(problem) = make_atomic(*inst, bytes) {
            return Err(Error::Native(problem.to_owned()));
        }
        editor.before(*inst);
        editor.call_access(BEFORE_ACCESS, site, address.raw(), bytes as u32);
        if let Some(next) = inst.next_instruction() {
            editor.before(next);
            editor.call_number(AFTER, site);
        }
    }
    Ok(())
}

fn is_assembly(inst: Value<'_>) -> bool {
    matches!(inst.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
        && inst.called_value().kind() == ValueKind::LLVMInlineAsmValueKind
}

/// Returns of a function whose variables others may still use.
fn ends(editor: &Editor<'_, '_>, instructions: &[(u32, Value<'_>)]) {
    for (_, inst) in instructions.iter().filter(|(_, i)| i.opcode() == Opcode::LLVMRet) {
        editor.before(*inst);
        editor.call_number(BEFORE, SCOPE);
        editor.call_number(AFTER, SCOPE);
    }
}

/// A function that is one atomic section.
fn atomic_body(editor: &Editor<'_, '_>, instructions: &[(u32, Value<'_>)]) {
    let first = instructions.iter().find(|(_, inst)| inst.opcode() != Opcode::LLVMPHI);
    if let Some((_, first)) = first {
        editor.before(*first);
        editor.call_plain("heddle_w___VERIFIER_atomic_begin");
    }
    for (_, inst) in instructions.iter().filter(|(_, i)| i.opcode() == Opcode::LLVMRet) {
        editor.before(*inst);
        editor.call_plain("heddle_w___VERIFIER_atomic_end");
    }
}

/// Calls that are violations: the runtime is told where they stand.
fn failures(
    editor: &Editor<'_, '_>,
    instructions: &[(u32, Value<'_>)],
    program: &Program,
    id: FuncId,
) {
    let calls: BTreeMap<u32, &heddle_ir::Inst> = program
        .function(id)
        .blocks
        .iter()
        .flat_map(|block| &block.insts)
        .filter(|inst| matches!(inst.op, Op::Call { .. }))
        .map(|inst| (inst.origin, inst))
        .collect();
    for (number, inst) in instructions {
        if !matches!(inst.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke) {
            continue;
        }
        let called = inst.called_value();
        if called.kind() != ValueKind::LLVMFunctionValueKind {
            continue;
        }
        let name = called.name();
        if matches!(&*name, "reach_error" | "__VERIFIER_error" | "__VERIFIER_assert") {
            let position = calls.get(number).and_then(|inst| program.position(inst.span));
            editor.before(*inst);
            editor.call_text("heddle_at", &position.unwrap_or_default());
        }
    }
}

/// Uninitialised variables hold zero.
fn drop_markers(instructions: &[(u32, Value<'_>)], markers: &FxHashSet<Value<'_>>) {
    let is_marker = |value: Value<'_>| {
        value.kind() == ValueKind::LLVMInstructionValueKind
            && value.opcode() == Opcode::LLVMCall
            && markers.contains(&value.called_value())
    };
    let all = || instructions.iter().map(|&(_, inst)| inst);
    let stores = |inst: &Value<'_>| {
        inst.opcode() == Opcode::LLVMStore
            && is_marker(inst.operand(0))
            && inst.operand(0).next_instruction() == Some(*inst)
    };
    let stores: Vec<_> = all().filter(stores).collect();
    let calls: Vec<_> = all().filter(|&inst| is_marker(inst)).collect();
    stores.into_iter().for_each(erase);
    for call in calls {
        replace_by_zero(call);
        erase(call);
    }
}
