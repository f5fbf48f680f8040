//! What a slice rests on, in a form that a run can be compared with: where each
//! instruction may access memory, and what it may call.

use heddle_ir::{Callee, FuncId, Op, Operand};
use rustc_hash::FxHashMap;

use crate::facts::Facts;
use crate::library::Effect;
use crate::object::{Object, ObjectId, Offset};
use crate::site::Site;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    #[default]
    Anywhere,
    /// At these offsets.
    At(Vec<(Object, Offset)>),
    /// What the arguments of a library function point to.
    Around(Vec<(Object, Offset)>),
}

/// For each site, by its number.
pub fn reaches(facts: &Facts) -> Vec<Reach> {
    let mut all = vec![Reach::Anywhere; facts.sites.len()];
    for (site, inst) in facts.instructions() {
        all[facts.sites.number(site)] = match &inst.op {
            Op::Load { addr, .. }
            | Op::Store { addr, .. }
            | Op::Rmw { addr, .. }
            | Op::CmpXchg { addr, .. } => access(facts, site, *addr),
            Op::Call { args, .. } => call(facts, site, args),
            _ => Reach::Anywhere,
        };
    }
    all
}

fn access(facts: &Facts, site: Site, address: Operand) -> Reach {
    match (address, facts.targets(site.function, address)) {
        // Nothing can be wrong with these.
        (Operand::Global(..), _) | (_, None) => Reach::Anywhere,
        (_, Some(targets)) => Reach::At(named(facts, targets)),
    }
}

fn call(facts: &Facts, site: Site, args: &[Operand]) -> Reach {
    let mut targets: Vec<(ObjectId, Offset)> =
        args.iter().flat_map(|&arg| facts.points.targets(site.function, arg)).collect();
    targets.extend(facts.points.objects().find(Object::Heap(site)).map(|block| (block, None)));
    match targets.iter().any(|target| target.0 == ObjectId::WILD) {
        true => Reach::Anywhere,
        false => Reach::Around(named(facts, targets)),
    }
}

fn named(facts: &Facts, targets: Vec<(ObjectId, Offset)>) -> Vec<(Object, Offset)> {
    let objects = facts.points.objects();
    targets.into_iter().map(|(id, offset)| (objects.get(id), offset)).collect()
}

/// What calls through pointers, and creations of threads, may lead to, by the number of
/// the site.
pub fn callees(facts: &Facts) -> FxHashMap<u32, Vec<FuncId>> {
    let creates = |site| facts.effects(site).any(|e| matches!(e, Effect::Create { .. }));
    let through_pointer = |op: &Op| matches!(op, Op::Call { callee: Callee::Indirect(_), .. });
    facts
        .instructions()
        .filter(|&(site, inst)| through_pointer(&inst.op) || creates(site))
        .map(|(site, _)| (facts.sites.number(site) as u32, facts.points.callees(site).to_vec()))
        .collect()
}
