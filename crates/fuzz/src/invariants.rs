//! Invariants against the naive search: whatever a register or a global holds in any state
//! that is reached is among the values that are claimed there, and what is said not to fail
//! does not.

use std::cell::RefCell;

use heddle_analysis::Site;
use heddle_analysis::invariants::{Check, Claims, Invariants, Options, Term, invariants};
use heddle_analysis::numeric::Word;
use heddle_explore::Report;
use heddle_ir::{Callee, Op};
use heddle_machine::{Config, Machine, Status};
use heddle_semantics::{MemoryModel, ThreadId, ViolationKind};

use crate::batch::Compiled;
use crate::outcome::{Disagreement, Limits, Respect};
use crate::reference::watch;

/// Looks at states and keeps the first one that is not as claimed.
pub struct Watch {
    claims: Claims,
    wrong: RefCell<Option<String>>,
}

/// `Some` if invariants were found: whether they say that nothing fails.
pub fn agree(
    test: &Compiled,
    naive: &Report,
    config: &Config,
    limits: &Limits,
) -> Result<Option<bool>, Disagreement> {
    let options = Options { claims: true, ..Options::default() };
    let Ok(found) = invariants(&test.program, test.entry, &options) else { return Ok(None) };
    let deadlock = |kind: &ViolationKind| *kind == ViolationKind::Deadlock;
    let kinds = || naive.findings.violations.iter().map(|(kind, _)| *kind);
    let broken = |check: Check| match check {
        Check::Deadlock => kinds().any(|kind| deadlock(&kind)),
        Check::Race => limits.races && kinds().any(|kind| kind == ViolationKind::DataRace),
        _ => kinds().any(|kind| kind != ViolationKind::DataRace && !deadlock(&kind)),
    };
    // Whatever fails elsewhere may keep a run from coming to where this would.
    let others =
        holds(&found, |check| !matches!(check, Check::Deadlock | Check::Race | Check::Overflow));
    for check in [Check::Memory, Check::Deadlock, Check::Race] {
        let this = match check {
            Check::Memory => others,
            check => others && holds(&found, |other| other == check),
        };
        if this && broken(check) {
            let seen: Vec<_> = kinds().collect();
            return fail(format!("{check:?} is said not to fail; naive found {seen:?}"));
        }
    }
    let watcher = Watch { claims: found.claims.clone(), wrong: RefCell::new(None) };
    watch(test, config, limits.naive * 2, &watcher);
    match watcher.wrong.into_inner() {
        Some(wrong) => fail(wrong),
        None => Ok(Some(others)),
    }
}

fn holds(found: &Invariants, which: impl Fn(Check) -> bool) -> bool {
    found.obligations.iter().filter(|one| which(one.check)).all(|one| one.holds)
}

impl Watch {
    pub fn look<M: MemoryModel>(&self, machine: &Machine<M>) {
        if self.wrong.borrow().is_some() {
            return;
        }
        for thread in (0..machine.thread_count() as u32).map(ThreadId) {
            if !matches!(machine.status(thread), Status::Waiting(_)) {
                continue;
            }
            let Some((function, block, index)) = machine.stands_at(thread) else { continue };
            if let Err(what) = self.check(machine, thread, Site { function, block, index }) {
                *self.wrong.borrow_mut() = Some(format!("{thread:?}: {what}"));
            }
        }
    }

    fn check<M: MemoryModel>(
        &self,
        machine: &Machine<M>,
        thread: ThreadId,
        site: Site,
    ) -> Result<(), String> {
        let Some(claim) = self.claims.get(&site) else {
            return Err(format!("{site:?} is reached"));
        };
        let values = |term: &Term| -> Vec<u64> {
            match *term {
                Term::Register(reg) => machine.register_of(thread, reg).into_iter().collect(),
                Term::Global { global, start, bytes, stride, count } => (0..count)
                    .filter_map(|at| machine.global_word(global, start + at * stride, bytes as u32))
                    .collect(),
            }
        };
        // Who waits for a condition variable has given its lock back; what is claimed is from
        // before.
        let shared = !waits(machine, site);
        let known = |term: &Term| shared || matches!(term, Term::Register(_));
        let fits = |word: &Word, value: u64| word.contains(value & mask(word.width()));
        for (term, word) in claim.values.iter().filter(|(term, _)| known(term)) {
            for value in values(term) {
                if !fits(word, value) {
                    return Err(format!("{site:?}: {term:?} is {value}, claimed {word:?}"));
                }
            }
        }
        for term in claim.pointers.keys().filter(|term| known(term)) {
            if values(term).contains(&0) {
                return Err(format!("{site:?}: {term:?} is null"));
            }
        }
        for ((x, y), (difference, sum)) in &claim.relations {
            if !known(x) || !known(y) {
                continue;
            }
            for (a, b) in values(x).into_iter().zip(values(y)) {
                if !fits(difference, a.wrapping_sub(b)) || !fits(sum, a.wrapping_add(b)) {
                    return Err(format!(
                        "{site:?}: {x:?} is {a}, {y:?} is {b}; difference {difference:?}, sum {sum:?}"
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Is the instruction a wait for a condition variable?
fn waits<M: MemoryModel>(machine: &Machine<M>, site: Site) -> bool {
    let program = machine.program();
    let block = &program.function(site.function).blocks[site.block as usize];
    match block.insts.get(site.index as usize).map(|inst| &inst.op) {
        Some(Op::Call { callee: Callee::Direct(id), .. }) => {
            let name = program.function(*id).name.as_str();
            name.contains("cond") && name.contains("wait") || name == "__heddle_timed_wait"
        }
        _ => false,
    }
}

fn mask(width: u8) -> u64 {
    u64::MAX >> (64 - u32::from(width))
}

fn fail<T>(detail: String) -> Result<T, Disagreement> {
    Err(Disagreement { respect: Respect::Invariants, detail })
}
