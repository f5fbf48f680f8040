//! The table of docs/memory-models.md that says what orders what, made from the rules that
//! the engines go by.

use std::fmt::Write;

use heddle_ir::Ordering;
use heddle_semantics::{Draining, FenceRule, MemoryModel, StoreRule, draining};

use crate::{Model, ModelVisitor};

/// Stores: how the page calls them, their order, programs that show it.
const STORES: &[(&str, Option<Ordering>, &str)] = &[
    ("plain or `volatile` store", None, "`sb.c`, `mp.c`, `coww.c`"),
    ("relaxed store", Some(Ordering::Relaxed), "`sb.c`, `mp.c` (RELAXED)"),
    ("release store", Some(Ordering::Release), "`mp.c`, `s.c` (RELACQ), `order_release_later.c`"),
    ("seq_cst store", Some(Ordering::SeqCst), "`sb.c`, `2+2w.c` (SEQCST)"),
];

const FENCES: &[(&str, Ordering, &str)] = &[
    ("acquire fence", Ordering::Acquire, "`sb.c`, `mp.c` (A=acquire)"),
    (
        "release or acq_rel fence",
        Ordering::Release,
        "`mp.c`, `isa2.c`, `sb.c` (A=release, A=acqrel), `order_release_later.c`",
    ),
    (
        "seq_cst fence, `mfence`, `__sync_synchronize`",
        Ordering::SeqCst,
        "`sb.c`, `r.c`, `z6.5.c` (A=full, A=mfence, A=sync)",
    ),
];

/// What a model does, in a cell of the table.
enum Cell {
    Store(Option<Ordering>),
    Fence(Ordering),
    Library(Draining),
}

impl ModelVisitor for Cell {
    type Output = &'static str;

    fn visit<M: MemoryModel>(self, model: M) -> &'static str {
        // Under TSO stores keep their order anyway.
        let in_order = model.queue(0, 8) == model.queue(8, 8);
        match self {
            _ if !model.buffers() => "–",
            Cell::Store(order) => match model.store(order) {
                StoreRule::Direct => "–",
                StoreRule::Drain => "drains, itself included",
                StoreRule::Buffer { .. } if in_order => "waits; after earlier stores",
                StoreRule::Buffer { ordered: true } => {
                    "waits; after all earlier stores; later ones may overtake it"
                }
                StoreRule::Buffer { ordered: false } => {
                    "waits; after earlier stores to the same location"
                }
            },
            Cell::Fence(order) => match model.fence(order) {
                FenceRule::Nothing => "–",
                FenceRule::Order => "later stores come after all earlier ones",
                FenceRule::Drain => "drains",
            },
            Cell::Library(Draining::Drains) => "drains",
            Cell::Library(Draining::Plain) => "as plain loads and stores",
            Cell::Library(Draining::Release) if in_order => "waits; after earlier stores",
            Cell::Library(Draining::Release) => {
                "waits; after all earlier stores; later ones may overtake it"
            }
        }
    }
}

/// The lines of the table.
pub fn table() -> String {
    let mut text =
        String::from("| operation | SC | TSO | PSO | shown by |\n|---|---|---|---|---|\n");
    let mut row = |name: &str, cell: &dyn Fn() -> Cell, shown: &str| {
        let cells: Vec<&str> = Model::ALL.iter().map(|model| model.with(cell())).collect();
        let _ = writeln!(text, "| {name} | {} | {shown} |", cells.join(" | "));
    };
    for &(name, order, shown) in STORES {
        row(name, &|| Cell::Store(order), shown);
    }
    for &(name, order, shown) in FENCES {
        row(name, &|| Cell::Fence(order), shown);
    }
    for (name, draining, shown) in draining::rows() {
        row(name, &|| Cell::Library(draining), shown);
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_has_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/memory-models.md");
        let page = std::fs::read_to_string(path).unwrap_or_default();
        let table = super::table();
        assert!(page.contains(&table), "docs/memory-models.md should have:\n{table}");
    }
}
