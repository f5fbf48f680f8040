//! Source positions, variables and types from debug metadata.

mod types;

use std::path::{Path, PathBuf};

use heddle_ir::{DebugType, DebugTypeId, Program, SourceFile, Span};
use rustc_hash::FxHashMap;

use crate::llvm::{BasicBlock, Metadata, MetadataKind, Value};
use types::TypeTable;

/// A source variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub name: String,
    pub ty: Option<DebugTypeId>,
    pub span: Span,
}

/// Everything read from debug metadata so far. Nodes are known by address.
#[derive(Default)]
pub(crate) struct DebugInfo<'m> {
    /// How the user wrote each input, by absolute path.
    inputs: FxHashMap<PathBuf, String>,
    files: Vec<SourceFile>,
    /// For each of `files`.
    is_input: Vec<bool>,
    file_ids: FxHashMap<(String, String), u32>,
    file_nodes: FxHashMap<usize, u32>,
    scope_files: FxHashMap<usize, Option<u32>>,
    variables: FxHashMap<usize, Option<Variable>>,
    /// Whether an expression node is the empty one.
    empty_expressions: FxHashMap<usize, bool>,
    pub types: TypeTable,
    module: std::marker::PhantomData<&'m ()>,
}

/// Positions of operands in the metadata nodes that the C interface gives no
/// accessors for (see `DIVariable` and `DISubprogram` in LLVM).
const VARIABLE_NAME: usize = 1;
const VARIABLE_TYPE: usize = 3;
const SUBPROGRAM_SCOPE: usize = 1;
const SUBPROGRAM_NAME: usize = 2;
const TYPE_NAME: usize = 2;

impl<'m> DebugInfo<'m> {
    pub fn new(inputs: &[PathBuf]) -> Self {
        let absolute = inputs.iter().filter_map(|input| {
            Some((std::path::absolute(input).ok()?, input.to_string_lossy().into_owned()))
        });
        DebugInfo { inputs: absolute.collect(), ..DebugInfo::default() }
    }

    /// Hands the tables over.
    pub fn finish(self, program: &mut Program) {
        program.files = self.files;
        program.debug_types = self.types.finish();
    }

    /// The position of an instruction. What was inlined from a header (the always
    /// inlined parts of `std::atomic`) counts as the line of the user's that uses it.
    pub fn span_of_location(&mut self, location: Metadata<'m>) -> Span {
        let mut location = location;
        loop {
            let file = location.location_scope().and_then(|scope| self.file_of_scope(scope));
            let foreign = file.is_none_or(|file| !self.is_input[file as usize]);
            match (location.inlined_at(), file) {
                (Some(outer), _) if foreign => location = outer,
                (_, Some(file)) => {
                    return Span { file, line: location.line(), column: location.column() };
                }
                (_, None) => return Span::UNKNOWN,
            }
        }
    }

    /// Is it a place in one of the support files?
    pub fn is_support(&self, span: Span) -> bool {
        let file = self.files.get(span.file as usize);
        span.is_known() && file.is_some_and(|file| file.path.starts_with("<heddle>/"))
    }

    pub fn span_of_subprogram(&mut self, subprogram: Metadata<'m>) -> Span {
        match self.file_of_scope(subprogram) {
            Some(file) => Span { file, line: subprogram.line(), column: 0 },
            None => Span::UNKNOWN,
        }
    }

    /// A member comes with its class, a lambda is known by its line.
    pub fn subprogram_name(&self, subprogram: Metadata<'m>) -> Option<String> {
        let name = operand_node(subprogram, SUBPROGRAM_NAME)?.string()?;
        let class = operand_node(subprogram, SUBPROGRAM_SCOPE)
            .filter(|scope| matches!(scope.kind(), MetadataKind::LLVMDICompositeTypeMetadataKind));
        let Some(class) = class else { return Some(name) };
        match operand_node(class, TYPE_NAME).and_then(Metadata::string) {
            Some(class) => {
                let plain = class.split('<').next().unwrap_or(&class);
                Some(format!("{plain}::{name}"))
            }
            None if name == "operator()" => Some(format!("lambda:{}", subprogram.line())),
            None => Some(name),
        }
    }

    fn file_of_scope(&mut self, scope: Metadata<'m>) -> Option<u32> {
        if let Some(&known) = self.scope_files.get(&scope.address()) {
            return known;
        }
        let id = scope.file().map(|file| self.file_id(file));
        self.scope_files.insert(scope.address(), id);
        id
    }

    fn file_id(&mut self, file: Metadata<'m>) -> u32 {
        if let Some(&known) = self.file_nodes.get(&file.address()) {
            return known;
        }
        let key = file.file_path();
        let id = *self.file_ids.entry(key.clone()).or_insert_with(|| {
            let (path, directory) = key;
            // clang splits an absolute path at the folder it shares with the current
            // one; the user wants to see what they wrote.
            let written = self.inputs.get(&Path::new(&directory).join(&path));
            self.is_input.push(written.is_some());
            let path = written.cloned().unwrap_or(path);
            self.files.push(SourceFile { path, directory });
            self.files.len() as u32 - 1
        });
        self.file_nodes.insert(file.address(), id);
        id
    }

    /// The variable behind a `DILocalVariable` or `DIGlobalVariable` node.
    fn variable(&mut self, node: Metadata<'m>) -> Option<Variable> {
        if let Some(known) = self.variables.get(&node.address()) {
            return known.clone();
        }
        let operands = node.operands();
        let part = |index: usize| operands.get(index).copied().flatten()?.node();
        let found = part(VARIABLE_NAME).and_then(Metadata::string).map(|name| {
            let ty = part(VARIABLE_TYPE).map(|ty| self.types.id(ty));
            let span = match node.variable_file() {
                Some(file) => Span { file: self.file_id(file), line: node.line(), column: 0 },
                None => Span::UNKNOWN,
            };
            Variable { name, ty, span }
        });
        self.variables.insert(node.address(), found.clone());
        found
    }

    pub fn global_variable(&mut self, global: Value<'m>) -> Option<Variable> {
        let expression = global.global_metadata().into_iter().find(|node| {
            matches!(node.kind(), MetadataKind::LLVMDIGlobalVariableExpressionMetadataKind)
        })?;
        self.variable(expression.global_variable()?)
    }

    /// The variable that each value of a function is, from its debug records. When
    /// several variables hold the same value, the first one names it.
    pub fn variables(&mut self, blocks: &[BasicBlock<'m>]) -> FxHashMap<Value<'m>, Variable> {
        let mut found: FxHashMap<Value<'m>, Variable> = FxHashMap::default();
        for block in blocks {
            for inst in block.instructions() {
                for record in inst.debug_records() {
                    if !record.names_variable() {
                        continue;
                    }
                    let (Some(value), Some(node)) = (record.value(), record.variable()) else {
                        continue;
                    };
                    let whole = record.expression().is_none_or(|e| self.is_empty_expression(e));
                    if !whole {
                        continue;
                    }
                    if let Some(variable) = self.variable(node)
                        && found.get(&value).is_none_or(|known| self.is_vague(known))
                    {
                        found.insert(value, variable);
                    }
                }
            }
        }
        found
    }

    /// A `void *` says less about its value than any other variable that holds it.
    fn is_vague(&self, variable: &Variable) -> bool {
        variable.ty.is_some_and(|ty| matches!(self.types.get(ty), DebugType::Pointer { to: None }))
    }

    fn is_empty_expression(&mut self, expression: Metadata<'m>) -> bool {
        let text = || expression.text().contains("!DIExpression()");
        *self.empty_expressions.entry(expression.address()).or_insert_with(text)
    }
}

pub(super) fn operand_node<'m>(node: Metadata<'m>, index: usize) -> Option<Metadata<'m>> {
    node.operands().get(index).copied().flatten()?.node()
}
