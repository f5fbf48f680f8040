//! Global variables and constructors.

use heddle_ir::{FuncId, Global, GlobalId, Span};

use super::Lowering;
use crate::demangle::demangle;
use crate::llvm::{Value, ValueKind};

impl<'m> Lowering<'m> {
    /// Enters all globals, then their contents (which may point at each other).
    pub(super) fn lower_globals(&mut self, globals: &[Value<'m>]) {
        let mut entered = Vec::new();
        for &global in globals {
            let name = global.name();
            if name == "llvm.global_ctors" {
                self.program.constructors = self.constructors(global);
                continue;
            }
            // Other `llvm.` globals (`llvm.used`, `llvm.global_dtors`) are notes to
            // the linker.
            if name.starts_with("llvm.") {
                continue;
            }
            let id = GlobalId(u32::try_from(self.program.globals.len()).unwrap_or(u32::MAX));
            let described = self.enter_global(global, name);
            self.program.globals.push(described);
            self.constants.globals.insert(global, id);
            entered.push((global, id));
        }
        for (global, id) in entered {
            let init = global.initializer().and_then(|value| self.constants.initial(value));
            self.program.globals[id.0 as usize].init = init;
        }
    }

    fn enter_global(&mut self, global: Value<'m>, name: String) -> Global {
        let ty = global.value_type();
        let align = match global.alignment() {
            0 => self.layout.align(ty),
            given => given,
        };
        let variable = self.debug.global_variable(global);
        let (source_name, debug_type, span) = match variable {
            // clang calls them all `_vtable$`.
            Some(found) if name.starts_with("_ZTV") => (demangle(&name), None, found.span),
            Some(found) => (Some(found.name).filter(|n| *n != name), found.ty, found.span),
            None => (demangle(&name), None, Span::UNKNOWN),
        };
        Global {
            name,
            source_name,
            bytes: self.layout.size(ty),
            align: align.max(1),
            constant: global.is_constant_global(),
            thread_local: global.is_thread_local(),
            init: None,
            ty: debug_type,
            span,
        }
    }

    /// `llvm.global_ctors` is an array of `{ priority, function, data }`.
    fn constructors(&self, list: Value<'m>) -> Vec<FuncId> {
        let Some(entries) = list.initializer() else { return Vec::new() };
        let mut found = Vec::new();
        for index in 0..entries.operand_count() {
            let entry = entries.operand(index);
            let (Some(priority), Some(function)) =
                (entry.aggregate_element(0), entry.aggregate_element(1))
            else {
                continue;
            };
            let target = match function.kind() {
                ValueKind::LLVMGlobalAliasValueKind => function.aliasee(),
                _ => function,
            };
            if let Some(&id) = self.constants.functions.get(&target) {
                found.push((priority.unsigned(), id));
            }
        }
        found.sort_by_key(|&(priority, _)| priority);
        found.into_iter().map(|(_, id)| id).collect()
    }
}
