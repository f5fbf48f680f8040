//! Reads and writes, and when they are visible.

use heddle_ir::{Ordering, Span, Ty};

use heddle_semantics::{
    Access, AccessKind, Fences, InputKind, MemoryModel, ObjectId, Partial, StoreRule, Violation,
    ViolationKind,
};

use crate::Machine;
use crate::buffers::Found;
use crate::machine::Stop;
use crate::observers::guide::Role;
use crate::observers::record::Action;
use crate::store::{BadAddress, Life, Origin};
use crate::threads::thread::{Halt, Pending, Status};

/// What an access is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Read,
    Write,
    Update,
    CompareExchange,
    /// An operation on an object that threads wait for, as messages call it.
    Object(&'static str),
}

impl std::fmt::Display for Use {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Use::Read => "read",
            Use::Write => "write",
            Use::Update => "read-modify-write",
            Use::CompareExchange => "compare-and-exchange",
            Use::Object(name) => name,
        })
    }
}

/// A range of memory that was checked.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    pub object: ObjectId,
    pub offset: u32,
    pub addr: u64,
    pub len: u32,
    /// Other threads can see it.
    pub visible: bool,
    /// A guide takes the access for no step, or for one that changes nothing.
    pub role: Role,
}

impl<M: MemoryModel> Machine<'_, M> {
    /// Is anybody there to see anything?
    #[inline]
    pub(crate) fn alone(&self) -> bool {
        self.threads.unjoined == 0
    }

    pub(crate) fn violate(&mut self, kind: ViolationKind, message: String) -> Stop {
        let pc = self.running.pc as u32;
        if let Some(top) = self.threads[self.running.thread.index()].frames.last_mut() {
            top.pc = pc;
        }
        let stack = self.stack(self.running.thread);
        self.findings.violations.push(Violation {
            kind,
            thread: self.running.thread,
            span: self.here(),
            other: Span::UNKNOWN,
            message,
            stack,
        });
        Stop::Halt(Halt::Failed)
    }

    pub(crate) fn bad_address(&mut self, bad: BadAddress, len: u32, doing: Use) -> Stop {
        let doing = match len {
            1 => format!("{doing} of 1 byte"),
            _ => format!("{doing} of {len} bytes"),
        };
        let what = match bad.object.map(|id| self.store.object(id)) {
            None if bad.kind == ViolationKind::NullDereference => {
                format!("{doing} through a null pointer")
            }
            None => format!("{doing} through a wild pointer (0x{:x})", bad.offset),
            Some(object) => {
                let name = self.origin_name(&object.origin);
                match bad.kind {
                    ViolationKind::UseAfterFree => match object.origin {
                        Origin::Heap { .. } => {
                            format!("{doing} at offset {} of {name} after it was freed", bad.offset)
                        }
                        _ => format!(
                            "{doing} at offset {} of {name} after its function returned",
                            bad.offset
                        ),
                    },
                    _ => format!(
                        "{doing} at offset {} of {name}, which has {} byte{}",
                        bad.offset,
                        object.bytes,
                        if object.bytes == 1 { "" } else { "s" }
                    ),
                }
            }
        };
        self.violate(bad.kind, what)
    }

    pub(crate) fn origin_name(&self, origin: &Origin) -> String {
        match origin {
            Origin::Global(id) | Origin::ThreadLocal(id, _) => {
                let global = self.program.global(*id);
                format!("'{}'", global.source_name.as_deref().unwrap_or(&global.name))
            }
            Origin::Heap { span, .. } => match self.program.position(*span) {
                Some(position) => format!("the block allocated at {position}"),
                None => "a heap block".to_string(),
            },
            Origin::Stack { name: Some(name), .. } => format!("'{name}'"),
            Origin::Stack { .. } => "a stack object".to_string(),
            Origin::Function(id) => {
                format!("function '{}'", self.program.function(*id).display_name())
            }
        }
    }

    /// Checks that `len` bytes at `addr` may be accessed.
    #[inline]
    pub(crate) fn spot(&mut self, addr: u64, len: u32, doing: Use) -> Result<Spot, Stop> {
        let (object, offset) = match self.store.resolve(addr, u64::from(len)) {
            Ok(found) => found,
            Err(bad) => return Err(self.reject(bad, addr, len, doing)),
        };
        if self.has_ended(object) {
            return Err(self.reject_ended((object, offset), addr, len, doing));
        }
        let state = self.store.object(object);
        let mut visible = false;
        if self.threads.unjoined != 0 {
            if !state.shared && state.owner != self.running.thread {
                self.findings.smuggled = true;
                return Err(
                    self.stop_unsupported("memory of another thread reached by a hidden pointer")
                );
            }
            visible = self.is_seen(state) && !state.constant;
        }
        if self.config.sites.is_some() {
            let counts = self.counts(doing);
            if visible && !counts {
                return Err(self.stop_hole());
            }
            visible = counts;
        }
        let spot = Spot { object, offset, addr, len, visible, role: Role::Kept };
        let Some(guide) = &self.config.guide else { return Ok(spot) };
        let (hides, own) = (guide.hides(), guide.own);
        let spot = if hides { self.guided(spot, doing != Use::Read)? } else { spot };
        if own && spot.visible && self.is_own(spot, doing) {
            self.threads[self.running.thread.index()].scalars.hidden += 1;
            return Ok(Spot { visible: false, ..spot });
        }
        Ok(spot)
    }

    /// An access to an object that the thread itself has ended, though others may not know.
    #[cold]
    fn reject_ended(&mut self, at: (ObjectId, u32), addr: u64, len: u32, doing: Use) -> Stop {
        let kind = ViolationKind::UseAfterFree;
        let bad = BadAddress { kind, object: Some(at.0), offset: i64::from(at.1) };
        self.reject(bad, addr, len, doing)
    }

    /// The access as the guide sees it.
    fn guided(&mut self, spot: Spot, writes: bool) -> Result<Spot, Stop> {
        let Spot { object, offset, addr, len, visible, .. } = spot;
        let (Some(guide), Some(frame)) =
            (&self.config.guide, self.threads[self.running.thread.index()].frames.last())
        else {
            return Ok(spot);
        };
        let site = guide.number(frame, self.running.pc);
        let state = self.store.object(object);
        let foreseen = guide.foresees(site, (offset, len), writes, || state.known());
        if !foreseen || state.shared && !state.escapes {
            return Err(self.stop_surprised());
        }
        let role = guide.role(site);
        if guide.is_first_read(site) {
            self.findings.first_reads.insert(site as u32);
        }
        if !visible || !matches!(role, Role::Hidden | Role::Blind) {
            return Ok(Spot { role, ..spot });
        }
        self.threads[self.running.thread.index()].scalars.hidden += u64::from(state.shared);
        if role == Role::Blind {
            self.watch.discipline.note_blind(addr, len, self.running.thread);
            let place = self.here();
            self.watch.pairs.note_write(addr, len, self.running.thread, place, false);
        }
        Ok(Spot { visible: false, role, ..spot })
    }

    /// A bad access. Whether the object is still there may be another thread's
    /// doing, so it takes a visible step to find out.
    #[cold]
    fn reject(&mut self, bad: BadAddress, addr: u64, bytes: u32, doing: Use) -> Stop {
        if let Some(id) = bad.object
            && let Origin::Global(global) = self.store.object(id).origin
            && self.program.global(global).init.is_none()
        {
            let name = &self.program.global(global).name;
            let what = format!("{doing} of '{name}', which is declared but defined nowhere");
            return self.stop_unsupported(&what);
        }
        if let Some(id) = bad.object
            && let object = self.store.object(id)
            && self.is_seen(object)
            && !matches!(object.origin, Origin::Global(_) | Origin::Function(_))
            && (if self.config.sites.is_some() { self.counts(doing) } else { !self.alone() })
        {
            let len = object.bytes.clamp(1, u64::from(u32::MAX)) as u32;
            let access = Access { addr: object.base, len, kind: AccessKind::Read };
            // It waits for what it would wait for if the object were there, so that
            // it is the same step either way.
            let pending = match doing {
                Use::Read => Pending::Clear { addr, len: bytes },
                _ => Pending::Drained,
            };
            if let Err(stop) = self.visible_step(Some(access), pending) {
                return stop;
            }
            self.event.conditional = true;
        }
        self.bad_address(bad, bytes, doing)
    }

    /// Stops before a visible step unless the thread was let through.
    #[inline]
    pub(crate) fn visible_step(
        &mut self,
        access: Option<Access>,
        pending: Pending,
    ) -> Result<(), Stop> {
        let current = self.running.thread.index();
        if self.running.permit {
            self.running.permit = false;
        } else if self.threads[current].scalars.atomic == 0 {
            let scalars = &mut self.threads[current].scalars;
            scalars.status = Status::Waiting(pending);
            scalars.pending_footprint.clear();
            if let Some(access) = access {
                scalars.pending_footprint.push(access);
            }
            return Err(Stop::Pending);
        }
        if let Some(access) = access {
            self.event.footprint.push(access);
            if self.event.varies && self.config.positions {
                let (count, span) = (self.event.footprint.len(), self.event.span);
                self.event.spans.resize(count - 1, span);
                let here = self.here();
                self.event.spans.push(here);
            }
        }
        if self.config.sites.is_some() {
            self.pass_event();
        }
        let scalars = &mut self.threads[current].scalars;
        scalars.visible += 1;
        let fences = std::mem::take(&mut scalars.fences);
        if fences != Fences::default() {
            self.event.fences = fences;
        }
        if !self.event.varies {
            self.event.order = self.running.access_order;
        }
        if self.config.positions {
            self.event.span = self.here();
        }
        if self.config.guide.is_some() && self.threads[current].scalars.quiet.is_none() {
            self.watch.place = self.here();
        }
        let scalars = &mut self.threads[current].scalars;
        if let Pending::Gate { addr, gate } = pending {
            self.event.gate = Some((addr, gate));
        }
        let drains = matches!(
            pending,
            Pending::Drained | Pending::Gate { .. } | Pending::Join { .. } | Pending::Joins
        );
        if drains && self.model.buffers() {
            scalars.unfenced = false;
            self.follow_flushes();
        }
        Ok(())
    }

    /// A person wants to see accesses to shared memory, also when all other threads
    /// have ended.
    #[inline]
    pub(crate) fn worth_recording(&self, spot: Spot) -> bool {
        let object = self.store.object(spot.object);
        self.config.record
            && (spot.visible || self.threads.len() > 1 && object.shared && !object.constant)
    }

    /// Waits for its turn to access visible bytes. A probe has done so, and goes on as
    /// an access that nobody sees.
    #[inline]
    pub(crate) fn visible_access(
        &mut self,
        spot: Spot,
        kind: AccessKind,
        pending: Pending,
    ) -> Result<Spot, Stop> {
        if !spot.visible {
            return Ok(spot);
        }
        let probes = spot.role == Role::Probe;
        let kind = if probes { AccessKind::Read } else { kind };
        let access = Access { addr: spot.addr, len: spot.len, kind };
        self.visible_step(Some(access), pending)?;
        if !self.store.object(spot.object).shared {
            // A step for the guide's sake only, which does not count in loops.
            self.threads[self.running.thread.index()].scalars.visible -= 1;
        }
        Ok(Spot { visible: !probes, ..spot })
    }

    /// The access that was just made turned out to change nothing, but might
    /// elsewhere.
    pub(crate) fn access_failed(&mut self, spot: Spot) {
        if spot.visible
            && let Some(access) = self.event.footprint.last_mut()
        {
            self.event.conditional = true;
            access.kind = AccessKind::FailedWrite;
            self.synchronises(spot, Ordering::Relaxed);
        }
    }

    /// What the atomic access that was just made does for the order of others, if
    /// that depends on how it went.
    pub(crate) fn synchronises(&mut self, spot: Spot, order: Ordering) {
        if spot.visible && !self.event.varies && self.event.order.is_some() {
            self.event.order = Some(order);
        }
    }

    /// What is there.
    #[inline]
    pub(crate) fn read_spot(&mut self, spot: Spot) -> Partial {
        let Spot { object, offset, addr, len, visible, .. } = spot;
        let bits = self.store.read(object, offset, len);
        let mut found = Partial { bits, undefined: self.store.undefined(object, offset, len) };
        if visible {
            if self.model.buffers()
                && let Found::Value { value, flush } = self.look_up(addr, len)
            {
                found = value;
                // A store to what is gone does not get to memory, so there it makes a
                // difference where it is.
                let lives = self.store.object(object).life == Life::Live;
                if let Some(access) = self.event.footprint.last_mut().filter(|_| lives) {
                    self.event.own = Some(flush);
                    access.kind = AccessKind::OwnRead;
                }
            }
            if self.store.object(object).shared {
                self.threads[self.running.thread.index()].reads.push((addr, len, found.bits));
            }
        } else {
            let object = self.store.object(object);
            let shared = object.shared && !object.constant;
            self.threads[self.running.thread.index()].scalars.looks += u64::from(shared);
        }
        found
    }

    /// Writes to memory at once.
    #[inline]
    pub(crate) fn write_spot(&mut self, spot: Spot, value: Partial) {
        if spot.visible {
            let old = self.store.read_unnoted(spot.object, spot.offset, spot.len);
            self.event.words.push((spot.addr, old));
        }
        let changed = self.store.write_partial(spot.object, spot.offset, spot.len, value);
        if changed {
            let object = self.store.object(spot.object);
            let private = !object.shared && object.owner == self.running.thread;
            let scalars = &mut self.threads[self.running.thread.index()].scalars;
            match private {
                true => scalars.private += 1,
                false => scalars.effects += 1,
            }
        }
        self.publish_from(spot, value.bits);
    }

    /// A pointer that is stored where others can see it shows what it points to.
    #[inline]
    fn publish_from(&mut self, spot: Spot, value: u64) {
        let width = self.program.pointer_bytes;
        if spot.len == u32::from(width)
            && self.store.is_private_pointer(value)
            && self.store.object(spot.object).shared
        {
            self.store.publish(value, width);
        }
    }

    /// A value that is defined.
    #[inline]
    pub(crate) fn load_scalar(&mut self, addr: u64, ty: Ty) -> Result<u64, Stop> {
        let value = self.load_partial(addr, ty)?;
        match value.is_defined() {
            true => Ok(value.bits),
            false => Err(self.leave_undefined(self.track(value, addr), false)),
        }
    }

    #[inline]
    pub(crate) fn load_partial(&mut self, addr: u64, ty: Ty) -> Result<Partial, Stop> {
        let bits = ty.bits(self.program.pointer_bytes);
        let len = bits.div_ceil(8);
        let spot = match self.lost_spot(addr, len) {
            // Its own store that still waits is what it reads; that the object is
            // gone shows when the store gets there.
            Some(spot) if matches!(self.look_up(addr, len), Found::Value { .. }) => spot,
            _ => self.spot(addr, len, Use::Read)?,
        };
        let pending = match self.model.buffers() {
            true => Pending::Clear { addr, len: spot.len },
            false => Pending::Ready,
        };
        let spot = self.visible_access(spot, AccessKind::Read, pending)?;
        let value = self.read_spot(spot);
        if self.config.interchangeable {
            self.note_read(spot);
        }
        // Where its own stores are by then decides whether it looks at memory.
        self.event.conditional |=
            spot.visible && self.threads[self.running.thread.index()].scalars.unfenced;
        if self.worth_recording(spot) {
            self.record(Action::Read { addr, bytes: spot.len, value });
        }
        Ok(value.low(bits))
    }

    pub(crate) fn wait_for_input(&mut self, kind: InputKind) -> Stop {
        if self.is_in_section(self.running.thread) {
            // Whether others can move is remembered by what they look at, which says nothing
            // of a section that has stopped.
            if self.config.sites.is_some() || self.config.stateful {
                return self.stop_unsupported("an input read inside an atomic section");
            }
            self.findings.stops_in_sections = true;
            self.event.unfinished = true;
        }
        let scalars = &mut self.threads[self.running.thread.index()].scalars;
        scalars.status = Status::Waiting(Pending::Input(kind));
        scalars.pending_footprint.clear();
        Stop::Pending
    }

    pub(crate) fn note_input(&mut self, value: u64, kind: InputKind) {
        self.threads[self.running.thread.index()].scalars.effects += 1;
        let InputKind { width, signed, uninitialised, .. } = kind;
        let asked = if self.config.record { self.asked() } else { None };
        self.record(Action::Input { value, width, signed, uninitialised, asked });
    }

    #[inline]
    pub(crate) fn store_scalar(
        &mut self,
        addr: u64,
        ty: Ty,
        value: u64,
        order: Option<Ordering>,
    ) -> Result<(), Stop> {
        match self.running.handed.take() {
            None => self.store_partial(addr, ty, value.into(), order),
            Some(source) => self.store_handed(addr, ty, source, order),
        }
    }

    pub(crate) fn store_partial(
        &mut self,
        addr: u64,
        ty: Ty,
        value: Partial,
        order: Option<Ordering>,
    ) -> Result<(), Stop> {
        let len = ty.bytes(self.program.pointer_bytes);
        if let Some(spot) = self.lost_spot(addr, len)
            && matches!(self.model.store(order), StoreRule::Buffer { .. })
            && !self.mixes(addr, len)
        {
            // Whether the object is still there matters when the store gets there.
            return self.put_store(spot, value, false, order);
        }
        let spot = self.spot(addr, len, Use::Write)?;
        if self.store.object(spot.object).constant {
            return Err(self.violate(
                ViolationKind::OutOfBounds,
                "write to memory that is read-only".to_string(),
            ));
        }
        let mut rule = StoreRule::Direct;
        if spot.visible && self.model.buffers() {
            let atomic = self.threads[self.running.thread.index()].scalars.atomic != 0;
            rule = if atomic { StoreRule::Direct } else { self.model.store(order) };
            if matches!(rule, StoreRule::Buffer { .. }) && self.mixes(addr, spot.len) {
                rule = StoreRule::Drain;
                self.findings.bounds.mixed_widths |= self.may_overtake(addr, spot.len);
            }
        }
        if order == Some(Ordering::SeqCst) && self.model.buffers() {
            self.drain_for_private(spot)?;
        }
        let spot = match rule {
            StoreRule::Buffer { .. } => spot,
            StoreRule::Direct => self.visible_access(spot, AccessKind::Write, Pending::Ready)?,
            StoreRule::Drain => self.visible_access(spot, AccessKind::Write, Pending::Drained)?,
        };
        if let StoreRule::Buffer { ordered } = rule {
            self.put_store(spot, value, ordered, order)?;
            self.publish_from(spot, value.bits);
            return Ok(());
        }
        self.write_spot(spot, value);
        if self.worth_recording(spot) {
            self.record(Action::Write { addr, bytes: spot.len, value });
        }
        Ok(())
    }

    /// A range of a shared object that another thread has ended, if stores wait.
    fn lost_spot(&self, addr: u64, len: u32) -> Option<Spot> {
        let atomic = self.threads[self.running.thread.index()].scalars.atomic != 0;
        if !self.model.buffers() || self.alone() || atomic {
            return None;
        }
        let id = self.store.object_at(addr)?;
        let object = self.store.object(id);
        let offset = addr - object.base;
        let fits = offset + u64::from(len) <= object.bytes;
        let lost = object.shared && object.life != Life::Live && fits;
        let offset = offset as u32;
        lost.then_some(Spot { object: id, offset, addr, len, visible: true, role: Role::Kept })
    }

    /// Processors drain the store buffer at every read-modify-write, whatever it
    /// touches.
    #[inline]
    pub(crate) fn drain_for_private(&mut self, spot: Spot) -> Result<(), Stop> {
        if spot.visible { Ok(()) } else { self.drain() }
    }
}
