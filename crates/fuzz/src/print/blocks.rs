//! Blocks that a thread keeps, as C.

use super::Printer;
use crate::ast::Blocks;

pub(super) const MAKE: &str = "static int *@make(int value) \
     { int *block = malloc(sizeof(int)); *block = value; return block; }";
/// Before what speaks of them.
pub(super) const VARIABLES: &str = "int *kept0 = 0, *kept1 = 0;";

impl Printer<'_> {
    pub(super) fn blocks(&self, blocks: Blocks) -> String {
        let prefix = self.prefix;
        match blocks {
            Blocks::New(value) => {
                format!("kept1 = kept0; kept0 = malloc(sizeof(int)); *kept0 = {value};")
            }
            Blocks::Zero => "kept1 = kept0; kept0 = calloc(1, sizeof(int));".to_string(),
            Blocks::Made(value) => format!("kept1 = kept0; kept0 = {prefix}make({value});"),
            Blocks::Free(n) => format!("free(kept{n});"),
            Blocks::Show(n) => format!("{prefix}ptr{n} = kept{n};"),
            Blocks::Return if self.thread == 0 => "return 0;".to_string(),
            Blocks::Return => "return kept0;".to_string(),
        }
    }
}
