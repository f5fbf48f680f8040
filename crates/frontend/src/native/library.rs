//! Which functions of the library come from where in a native program.

use heddle_ir::{Callee, FuncId, Op, Program};
use inkwell::context::Context;
use inkwell::module::Module;
use rustc_hash::FxHashSet;

use super::Plan;
use super::edit::{
    Editor, leave_to_system, make_declaration, make_external, make_internal, rename, use_instead,
};
use crate::error::Error;
use crate::llvm::{Opcode, Value, ValueKind, View, attribute_kind};

/// The runtime's version of a function starts like this.
const WRAPPER: &str = "heddle_w_";
/// What the runtime calls in the support files.
const CALLED_BACK: &[&str] = &["__heddle_end_thread", "__heddle_end_process"];
/// What is there only in programs that do something which is not followed natively.
const NOT_NATIVE: &[(&str, &str)] = &[
    ("__heddle_setjmp", "setjmp, or what pthread_cleanup_push makes of it"),
    ("__heddle_note_end", "pthread_cancel"),
    ("__heddle_leave", "a thread that ends from within, in a program that cleans up"),
];
/// The system's functions set the system's variable.
const ERRNO: &str = "__errno_location";
/// Clocks and random numbers, as the support files have them: they are inputs.
const INPUTS: &[&str] = &["<heddle>/runtime/clock.c", "<heddle>/runtime/random.c"];

pub(super) fn redirect<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    program: &Program,
    runtime: &Module<'ctx>,
    plan: &Plan,
) -> Result<(), Error> {
    let view = View::new(module);
    for (name, what) in NOT_NATIVE {
        if view.functions().iter().any(|f| f.name() == *name && !f.is_declaration()) {
            return Err(Error::Native((*what).to_owned()));
        }
    }
    copies(context, module, program, plan)?;
    let offered = offered(runtime);
    for function in view.functions() {
        let name = function.name();
        if function.is_intrinsic() || name.starts_with("heddle_") {
            continue;
        }
        let violates = matches!(&*name, "reach_error" | "__VERIFIER_error");
        if function.is_declaration() || violates {
            if offered.contains(&*name) {
                use_instead(module, function, &format!("{WRAPPER}{name}"));
            }
            continue;
        }
        if name == "main" {
            rename(function, "heddle_user_main");
        } else if name == ERRNO {
            leave_to_system(module, function);
        } else if !plan.given_inputs
            && !function.is_internal()
            && INPUTS.iter().any(|file| comes_from(program, &name, file))
        {
            match offered.contains(&*name) {
                true => use_instead(module, function, &format!("{WRAPPER}{name}")),
                false => leave_to_system(module, function),
            }
        } else if is_systems(program, &name) {
            match offered.contains(&*name) {
                true => {
                    use_instead(module, function, &format!("{WRAPPER}{name}"));
                    make_internal(function);
                }
                false => leave_to_system(module, function),
            }
        } else if CALLED_BACK.contains(&&*name) {
            make_external(function);
        } else if comes_from(program, &name, "<heddle>/") {
            rename(function, &format!("heddle.s.{name}"));
            make_internal(function);
        }
    }
    for global in view.globals() {
        // Variables of the support files, such as `__libc_single_threaded`, must not
        // stand in for those of the system's libraries.
        if global.is_weak_definition() {
            // Those of types and their tables, which both must agree on, are the system's.
            match ["_ZTI", "_ZTV"].iter().any(|start| global.name().starts_with(start)) {
                true => make_declaration(global),
                false => make_internal(global),
            }
        }
    }
    Ok(())
}

/// Functions that the runtime has of its own.
fn offered(runtime: &Module<'_>) -> FxHashSet<String> {
    let functions = View::new(runtime).functions().into_iter().filter(|f| !f.is_declaration());
    let names = functions.map(Value::name);
    names.filter_map(|name| name.strip_prefix(WRAPPER).map(str::to_owned)).collect()
}

/// A native program has the system's version of the function.
fn is_systems(program: &Program, name: &str) -> bool {
    let Some(id) = program.find_function(name) else { return false };
    let span = program.function(id).span;
    let file = program.files.get(span.file as usize).filter(|_| span.is_known());
    file.is_some_and(heddle_ir::SourceFile::is_systems)
}

fn comes_from(program: &Program, name: &str, folder: &str) -> bool {
    let Some(id) = program.find_function(name) else { return false };
    let file = program.files.get(program.function(id).span.file as usize);
    program.function(id).span.is_known() && file.is_some_and(|file| file.path.starts_with(folder))
}

/// Copies of memory that may be shared go through the support functions, whose accesses
/// count.
fn copies<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    program: &Program,
    plan: &Plan,
) -> Result<(), Error> {
    let editor = Editor::new(context, module);
    let view = View::new(module);
    let find = |name: &str| view.functions().into_iter().find(|f| f.name() == name);
    for name in ["memcpy", "memmove", "memset"] {
        let Some(id) = program.find_function(name) else { continue };
        if !has_events(program, id, plan) {
            continue;
        }
        let Some(function) = find(name) else { continue };
        let prefix = format!("llvm.{name}.");
        let intrinsics = view.functions().into_iter().filter(|f| f.name().starts_with(&prefix));
        for call in intrinsics.flat_map(Value::users) {
            if call.kind() == ValueKind::LLVMInstructionValueKind {
                editor.replace_intrinsic(call, function);
            }
        }
        if name == "memcpy" {
            no_hidden_copies(view)?;
        }
    }
    Ok(())
}

/// Structures that are passed by value are copied by whoever compiles the call.
fn no_hidden_copies(view: View<'_>) -> Result<(), Error> {
    let byval = attribute_kind("byval");
    for function in view.functions() {
        for inst in function.blocks().into_iter().flat_map(|block| block.instructions()) {
            let calls = matches!(inst.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke);
            let count = if calls { inst.argument_count() } else { 0 };
            if (0..count).any(|at| inst.argument_type(at, byval).is_some()) {
                let what = "a structure that is passed by value, beside shared structures";
                return Err(Error::Native(what.to_owned()));
            }
        }
    }
    Ok(())
}

/// Does the function, or one that it calls, count events?
fn has_events(program: &Program, id: FuncId, plan: &Plan) -> bool {
    let mut seen = FxHashSet::default();
    let mut todo = vec![id];
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        for (block, body) in program.function(id).blocks.iter().enumerate() {
            for (index, inst) in body.insts.iter().enumerate() {
                let site = plan.starts[id.0 as usize][block] as usize + index;
                if plan.sites[site] {
                    return true;
                }
                if let Op::Call { callee: Callee::Direct(callee), .. } = &inst.op {
                    todo.push(*callee);
                }
            }
        }
    }
    false
}
