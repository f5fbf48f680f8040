//! Mutexes, in the bytes of a `pthread_mutex_t`: the first word is 0 when free, else the
//! owner's code; the second counts how often the owner of a recursive mutex has locked it;
//! the kind stands where glibc's static initialisers put it.

use heddle_ir::{BinOp, Compare};

use super::{DESTROYED, EBUSY, EDEADLK, EPERM, Ending, Outcome, SyncHost, Value, Word};
use crate::event::AccessKind;
use crate::host::MutexOp;
use crate::{Domain, Gate};

pub(crate) const OWNER: Word = Word::at(0);
const COUNT: Word = Word::at(4);
const RECURSIVE: u64 = 1;
const ERROR_CHECKING: u64 = 2;

/// `__kind` in glibc's `pthread_mutex_t`.
pub(crate) fn kind(pointer_bytes: u32) -> Word {
    Word::at(if pointer_bytes == 8 { 16 } else { 12 })
}

pub fn operate<S: SyncHost>(s: &mut S, op: MutexOp) -> Outcome<S> {
    match op {
        MutexOp::Init(kind) => init(s, kind),
        MutexOp::Lock => lock(s),
        MutexOp::TryLock => try_lock(s),
        MutexOp::Unlock => unlock(s),
        MutexOp::Destroy => destroy(s),
    }
}

pub(super) fn init<S: SyncHost>(s: &mut S, number: u32) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    if s.may_be_made(OWNER.bytes)? {
        let owner = s.read(OWNER)?;
        let held = s.is_thread(&owner);
        s.misuse_if(&held, "initialisation of a mutex that is held")?;
    }
    let kind = kind(s.pointer_bytes());
    s.clear(kind.at)?;
    s.write_number(kind, u64::from(number))?;
    Ok(s.number(0))
}

pub(super) fn destroy<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    let owner = owner(s)?;
    let held = s.is_not(&owner, 0);
    s.misuse_if(&held, "destruction of a mutex that is held")?;
    s.write_number(OWNER, u64::from(DESTROYED))?;
    Ok(s.number(0))
}

fn lock<S: SyncHost>(s: &mut S) -> Outcome<S> {
    let kind = Kind::of(s)?;
    // Its owner need not wait for a polite one. Told by the owner's word only, which may
    // be another one when the thread passes.
    let (me, nobody) = (s.me(), s.number(0));
    let own = s.choose(&kind.polite, &me, &nobody);
    s.wait(Gate::Mutex, Some(&own))?;
    let owner = owner(s)?;
    let mine = s.same(&owner, &me);
    let through = s.and(&mine, &kind.polite);
    let taken = s.not(&through);
    take(s, &kind, &mine, &taken, Ending::OwnFault, EDEADLK)
}

fn try_lock<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    let owner = owner(s)?;
    let kind = Kind::of(s)?;
    let me = s.me();
    let mine = s.same(&owner, &me);
    let free = s.is(&owner, 0);
    take(s, &kind, &mine, &free, Ending::Busy, EBUSY)
}

/// The thread gets the mutex, or gets it once more, or fails.
fn take<S: SyncHost>(
    s: &mut S,
    kind: &Kind<Value<S>>,
    mine: &Value<S>,
    taken: &Value<S>,
    failure: Ending,
    error: u64,
) -> Outcome<S> {
    let again = s.and(mine, &kind.recursive);
    let succeeds = s.or(taken, &again);
    let fails = s.not(&succeeds);
    s.ends_if(&again, Ending::Counted);
    s.ends_if(&fails, failure);
    let me = s.me();
    s.write_if(taken, OWNER, &me)?;
    if kind.may_count(s) {
        let count = s.read(COUNT)?;
        let (more, one) = (s.plus_one(&count), s.number(1));
        let next = s.choose(&again, &more, &one);
        s.write_if(&succeeds, COUNT, &next)?;
    }
    Ok(s.success_if(&succeeds, error))
}

fn unlock<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    let owner = owner(s)?;
    let kind = Kind::of(s)?;
    let me = s.me();
    let mine = s.same(&owner, &me);
    let not_mine = s.not(&mine);
    s.ends_if(&not_mine, Ending::Refused);
    let rude = s.not(&kind.polite);
    let bad = s.and(&not_mine, &rude);
    let free = s.is(&owner, 0);
    let problem = match s.is_never(&free) {
        true => "unlock of a mutex that another thread holds",
        false => "unlock of a mutex that is not locked",
    };
    s.misuse_if(&bad, problem)?;
    let mut last = mine.clone();
    if kind.may_count(s) {
        let count = s.read(COUNT)?;
        let several = exceeds_one(s, &count);
        let nested = s.and(&several, &kind.recursive);
        let outermost = s.not(&nested);
        last = s.and(&mine, &outermost);
        let stays = s.and(&mine, &nested);
        s.ends_if(&stays, Ending::Counted);
        let less = s.minus_one(&count);
        s.write_if(&mine, COUNT, &less)?;
    }
    let nobody = s.number(0);
    s.write_if(&last, OWNER, &nobody)?;
    Ok(s.success_if(&mine, EPERM))
}

/// What a wait for a condition variable does to the mutex as it begins.
pub fn release<S: SyncHost>(s: &mut S) -> Result<(), S::Stop> {
    let not_held = "wait for a condition variable without holding the mutex";
    s.check_made(8, not_held)?;
    let (owner, me) = (s.read(OWNER)?, s.me());
    let mine = s.same(&owner, &me);
    let not_mine = s.not(&mine);
    s.misuse_if(&not_mine, not_held)?;
    let kind = Kind::of(s)?;
    if kind.may_count(s) {
        let count = s.read(COUNT)?;
        let several = exceeds_one(s, &count);
        let nested = s.and(&several, &kind.recursive);
        s.misuse_if(&nested, "wait for a condition variable with a mutex that is locked twice")?;
        s.write_number(COUNT, 0)?;
    }
    s.write_number(OWNER, 0)
}

/// The owner of a mutex that can be used.
fn owner<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.check_made(OWNER.bytes, "use of a mutex that was never initialised")?;
    let owner = s.read(OWNER)?;
    let destroyed = s.is(&owner, u64::from(DESTROYED));
    s.misuse_if(&destroyed, "use of a mutex that was destroyed")?;
    Ok(owner)
}

fn exceeds_one<S: SyncHost>(s: &mut S, count: &Value<S>) -> Value<S> {
    let one = s.number(1);
    s.domain().compare(Compare::UGt, 32, count, &one)
}

struct Kind<V> {
    recursive: V,
    /// What other mutexes take for misuse is an error that is reported to the caller.
    polite: V,
}

impl<V> Kind<V> {
    fn of<S: SyncHost<Dom: Domain<Value = V>>>(s: &mut S) -> Result<Kind<V>, S::Stop> {
        let kind = s.read(kind(s.pointer_bytes()))?;
        let three = s.number(3);
        let kind = s.domain().binary(BinOp::And, 32, &kind, &three);
        let recursive = s.is(&kind, RECURSIVE);
        let checking = s.is(&kind, ERROR_CHECKING);
        let polite = s.or(&recursive, &checking);
        Ok(Kind { recursive, polite })
    }

    /// Only recursive mutexes count.
    fn may_count<S: SyncHost<Dom: Domain<Value = V>>>(&self, s: &mut S) -> bool {
        !s.is_never(&self.recursive)
    }
}
