//! Which numbers may stand in memory, and be handed to a function: who writes to a place, and
//! who calls.
//!
//! Flow does not count. What a fresh object holds counts as anything, unless something is
//! written there before anybody else can look: by a store that dominates all other uses of
//! the address that the object was made with. (A path from the making of the object to a use
//! that avoids the store could be put behind the first way to where it is made, which lies
//! before the store; so there would be a path from the function's entry that avoids it.)

use std::cell::OnceCell;

use heddle_ir::{FuncId, Op, Operand, Reg, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::Facts;
use crate::library::Effect;
use crate::object::{Object, ObjectId, Offset};
use crate::site::Site;

/// A store to one object.
#[derive(Clone, Copy, Debug)]
struct Store {
    site: Site,
    offset: Offset,
    bytes: u32,
    /// `None` if it is more than a store of this operand.
    value: Option<Operand>,
}

/// Stores by object, and functions that may be called otherwise than by name.
#[derive(Debug)]
pub struct Contents {
    stores: Vec<Vec<Store>>,
    /// Something may write anywhere.
    wild: bool,
    /// Functions whose address goes elsewhere than to the creation of a thread.
    passed: FxHashSet<FuncId>,
}

/// A number that may stand somewhere: an operand as it is at a place, or one known before.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    Operand(FuncId, Operand, u32),
    Zero,
}

impl Contents {
    pub fn of(facts: &Facts) -> Contents {
        let mut contents = Contents {
            stores: vec![Vec::new(); facts.points.objects().len()],
            wild: false,
            passed: FxHashSet::default(),
        };
        for (site, inst) in facts.instructions() {
            contents.note_functions(facts, site, &inst.op);
            contents.note_stores(facts, site, &inst.op);
        }
        for function in facts.functions() {
            for block in &facts.program.function(function).blocks {
                let moved = block.term.edges().into_iter().flat_map(|edge| &edge.moves);
                let all = moved.map(|taken| taken.1).chain(block.term.operands());
                contents.passed.extend(all.filter_map(function_of));
            }
        }
        for global in &facts.program.globals {
            for relocation in global.init.iter().flat_map(|init| &init.relocations) {
                if let Symbol::Function(id) = relocation.symbol {
                    contents.passed.insert(id);
                }
            }
        }
        contents
    }

    fn note_functions(&mut self, facts: &Facts, site: Site, op: &Op) {
        let entry = facts.effects(site).find_map(|effect| match effect {
            Effect::Create { entry, .. } => Some(entry),
            _ => None,
        });
        match (op, entry) {
            (Op::Call { args, .. }, Some(entry)) => {
                let others = args.iter().enumerate().filter(|(at, _)| *at != entry);
                self.passed.extend(others.filter_map(|(_, &arg)| function_of(arg)));
            }
            _ => self.passed.extend(op.operands().into_iter().filter_map(function_of)),
        }
    }

    fn note_stores(&mut self, facts: &Facts, site: Site, op: &Op) {
        let pointer = facts.program.pointer_bytes;
        let (addresses, bytes, value) = match op {
            Op::Store { addr, value, ty, .. } => (vec![*addr], ty.bytes(pointer), Some(*value)),
            Op::CmpXchg { addr, new, ty, .. } => (vec![*addr], ty.bytes(pointer), Some(*new)),
            Op::Rmw { addr, ty, .. } => (vec![*addr], ty.bytes(pointer), None),
            Op::Call { args, .. } if facts.effects(site).any(Effect::matters) => {
                let bytes = facts.effects(site).map(|effect| match effect {
                    Effect::Sync { bytes } => bytes,
                    _ => u32::MAX,
                });
                (args.to_vec(), bytes.max().unwrap_or(u32::MAX), None)
            }
            _ => return,
        };
        let is_call = matches!(op, Op::Call { .. });
        let whole = is_call && bytes == u32::MAX;
        for address in addresses {
            match facts.targets(site.function, address) {
                Some(targets) => {
                    for (object, offset) in targets {
                        let offset = offset.filter(|_| !whole);
                        let store = Store { site, offset, bytes, value };
                        self.stores[object.0 as usize].push(store);
                    }
                }
                None => self.wild |= !is_call || !is_number(facts, site.function, address),
            }
        }
    }

    /// All that may stand in these bytes, if that can be told.
    pub fn origins(
        &self,
        facts: &Facts,
        (object, offset): (ObjectId, i64),
        bytes: u32,
    ) -> Option<Vec<Origin>> {
        if self.wild {
            return None;
        }
        let mut origins = Vec::new();
        let mut same: Vec<(Site, Operand)> = Vec::new();
        for store in &self.stores[object.0 as usize] {
            let start = match store.offset {
                Some(start) => start,
                None if self.writes_nothing(facts, store.site, object) => continue,
                None => return None,
            };
            let apart = start >= offset.saturating_add(i64::from(bytes))
                || offset >= start.saturating_add(i64::from(store.bytes));
            if apart {
                continue;
            }
            let value = store.value.filter(|_| (start, store.bytes) == (offset, bytes))?;
            if let Some(Op::Store { addr, .. }) = store.site.op(facts.program) {
                same.push((store.site, *addr));
            }
            origins.push(Origin::Operand(store.site.function, value, store.site.block));
        }
        match facts.points.objects().get(object) {
            Object::Global(id) => {
                let global = facts.program.global(id);
                let init = global.init.as_ref()?;
                let end = usize::try_from(offset).ok()?.checked_add(bytes as usize)?;
                let text = init.bytes.get(offset as usize..end.min(init.bytes.len()));
                let zero = text.is_none_or(|text| text.iter().all(|&byte| byte == 0));
                if !zero || !init.relocations.is_empty() {
                    return None;
                }
                origins.push(Origin::Zero);
            }
            Object::Stack(made) | Object::Heap(made) => {
                written_first(facts, made, offset, &same).then_some(())?;
            }
            _ => return None,
        }
        Some(origins)
    }

    /// A thread is created and given the object, or the object ends: that writes to none of
    /// its bytes.
    fn writes_nothing(&self, facts: &Facts, site: Site, object: ObjectId) -> bool {
        let Some(Op::Call { args, .. }) = site.op(facts.program) else { return false };
        facts.effects(site).all(|effect| match effect {
            Effect::Create { data, .. } => {
                let leads = |&arg: &Operand| {
                    let targets = facts.targets(site.function, arg);
                    targets.is_none_or(|found| found.iter().any(|target| target.0 == object))
                };
                let others = args.iter().enumerate().filter(|(at, _)| *at != data);
                others
                    .filter(|(_, arg)| !is_number(facts, site.function, **arg))
                    .all(|(_, arg)| !leads(arg))
            }
            // After the end nobody may look.
            Effect::Free => true,
            _ => false,
        })
    }

    /// Does a function's address go elsewhere than to the creation of a thread?
    pub fn is_passed(&self, function: FuncId) -> bool {
        self.passed.contains(&function)
    }

    /// What a function is given as its parameter, if every call of it is known.
    pub fn arguments(
        &self,
        facts: &Facts,
        function: FuncId,
        at: usize,
    ) -> Option<Vec<(Site, Operand)>> {
        let callers = facts.points.callers(function);
        if callers.is_empty() || self.passed.contains(&function) {
            return None;
        }
        let mut found = Vec::with_capacity(callers.len());
        for &site in callers {
            let Some(Op::Call { args, .. }) = site.op(facts.program) else { return None };
            let created = facts.effects(site).find_map(|effect| match effect {
                Effect::Create { data, .. } => Some(data),
                _ => None,
            });
            if created.is_none() && facts.effects(site).next().is_some() {
                return None;
            }
            found.push((site, *args.get(created.unwrap_or(at))?));
        }
        Some(found)
    }
}

fn function_of(operand: Operand) -> Option<FuncId> {
    match operand {
        Operand::Function(id) => Some(id),
        _ => None,
    }
}

/// Nothing that is an address.
fn is_number(facts: &Facts, function: FuncId, operand: Operand) -> bool {
    matches!(operand, Operand::Const(_)) || facts.points.targets(function, operand).is_empty()
}

/// Does one of these writes come before every other use of an object that was made here?
pub fn written_first(facts: &Facts, made: Site, offset: i64, writes: &[(Site, Operand)]) -> bool {
    let function = facts.program.function(made.function);
    let Some(op) = made.op(facts.program) else { return false };
    let mut at: FxHashMap<Reg, i64> = op.destinations().into_iter().map(|reg| (reg, 0)).collect();
    let mut uses: Vec<Site> = Vec::new();
    let mut grown = true;
    // Constant places in the object, and where they are used.
    while std::mem::take(&mut grown) {
        uses.clear();
        for (block, body) in function.blocks.iter().enumerate() {
            let site = |index: usize| Site {
                function: made.function,
                block: block as u32,
                index: index as u32,
            };
            for (index, inst) in body.insts.iter().enumerate() {
                let known = |operand: Operand| match operand {
                    Operand::Reg(reg) => at.get(&reg).copied(),
                    _ => None,
                };
                match &inst.op {
                    Op::Compare { .. } => {}
                    Op::Copy { dst, a } if known(*a).is_some() => {
                        let place = known(*a).unwrap_or_default();
                        grown |= at.insert(*dst, place).is_none();
                    }
                    Op::PtrAdd { dst, base, offset, scales }
                        if scales.is_empty() && known(*base).is_some() =>
                    {
                        let place = known(*base).unwrap_or_default().saturating_add(*offset);
                        grown |= at.insert(*dst, place).is_none();
                    }
                    // Stores elsewhere in the object show nothing.
                    Op::Store { addr, value, .. }
                        if known(*addr).is_some() && known(*value).is_none() => {}
                    op => {
                        if op.operands().into_iter().any(|operand| known(operand).is_some()) {
                            uses.push(site(index));
                        }
                    }
                }
            }
            let moved = body.term.edges().into_iter().flat_map(|edge| &edge.moves);
            let mut ends = moved.map(|taken| taken.1).chain(body.term.operands());
            let used = |operand| matches!(operand, Operand::Reg(reg) if at.contains_key(&reg));
            if ends.any(used) {
                uses.push(site(body.insts.len()));
            }
        }
    }
    let flow = &facts.flows[made.function.0 as usize];
    writes.iter().any(|&(write, address)| {
        let Operand::Reg(address) = address else { return false };
        write.function == made.function
            && at.get(&address) == Some(&offset)
            && uses.iter().filter(|&&used| used != write).all(|used| {
                match used.block == write.block {
                    true => write.index < used.index,
                    false => flow.dominates(write.block, used.block),
                }
            })
    })
}

/// Found when it is asked for.
#[derive(Debug, Default)]
pub struct LazyContents(OnceCell<Contents>);

impl LazyContents {
    pub fn get(&self, facts: &Facts) -> &Contents {
        self.0.get_or_init(|| Contents::of(facts))
    }
}
