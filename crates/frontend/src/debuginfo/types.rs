//! Source types.

use std::marker::PhantomData;

use heddle_ir::{DebugType, DebugTypeId};
use rustc_hash::FxHashMap;

use crate::llvm::Metadata;

#[derive(Default)]
pub(crate) struct TypeTable<'m> {
    types: Vec<DebugType>,
    ids: FxHashMap<usize, DebugTypeId>,
    module: PhantomData<&'m ()>,
}

impl<'m> TypeTable<'m> {
    pub fn finish(self) -> Vec<DebugType> {
        self.types
    }

    pub fn id(&mut self, node: Metadata<'m>) -> DebugTypeId {
        if let Some(&known) = self.ids.get(&node.address()) {
            return known;
        }
        let id = DebugTypeId(self.types.len() as u32);
        self.types.push(DebugType::Opaque);
        self.ids.insert(node.address(), id);
        id
    }
}
