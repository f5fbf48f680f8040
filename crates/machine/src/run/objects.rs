//! Stack and heap objects, and thread-local ones.

use heddle_ir::GlobalId;

use heddle_semantics::draining::END_OF_LIFE;
use heddle_semantics::{
    Access, AccessKind, Draining, MemoryModel, Number, ObjectId, StackObject, ViolationKind,
};

use crate::Machine;
use crate::machine::Stop;
use crate::observers::record::Action;
use crate::run::chosen::Chosen;
use crate::store::{Contents, Life, Object, Origin};
use crate::threads::thread::Pending;

/// What `malloc` promises for any type.
const MALLOC_ALIGNMENT: u64 = 16;

impl<M: MemoryModel> Machine<'_, M> {
    /// The number that the next allocation of the running thread gets.
    fn next_allocation(&self, bytes: u64) -> u32 {
        match self.config.stateful {
            true => self.store.first_free(self.running.thread, bytes),
            false => self.threads[self.running.thread.index()].scalars.allocations,
        }
    }

    fn allocate_object(
        &mut self,
        bytes: u64,
        origin: Origin,
        contents: Contents,
    ) -> Result<ObjectId, Stop> {
        let nth = self.next_allocation(bytes);
        let scalars = &mut self.threads[self.running.thread.index()].scalars;
        scalars.allocations += 1;
        // Whether a stack object is still there can be seen.
        match origin {
            Origin::Stack { .. } => scalars.private += 1,
            _ => scalars.effects += 1,
        }
        let Some(id) = self.store.allocate(self.running.thread, nth, bytes, origin, contents)
        else {
            let what = format!("an object of {bytes} bytes, beyond the modelled address space");
            return Err(self.stop_unsupported(&what));
        };
        self.store.objects[id.0 as usize].made_at = self.site();
        self.note_reach(id);
        Ok(id)
    }

    /// A new object that others may see some time: they do, if everything is shared.
    fn show(&mut self, id: ObjectId) {
        if self.config.share_everything {
            let base = self.store.object(id).base;
            self.store.publish(base, self.program.pointer_bytes);
        }
    }

    /// Whether another thread might get hold of a new object, if a guide knows.
    fn note_reach(&mut self, id: ObjectId) {
        if let Some(guide) = &self.config.guide
            && let Some(frame) = self.threads[self.running.thread.index()].frames.last()
        {
            let private = guide.is_private(frame, self.running.pc) && !self.config.share_everything;
            let object = &mut self.store.objects[id.0 as usize];
            object.escapes = !private;
            object.maker = guide.maker(frame, self.running.pc);
        }
    }

    /// The guide did not reckon with what happens here: the search starts again without.
    #[cold]
    pub(crate) fn stop_surprised(&mut self) -> Stop {
        self.findings.surprised = true;
        self.stop_unsupported("internal: not what a guide reckons with")
    }

    /// Can other threads see the object, or might they some time?
    #[inline]
    pub(crate) fn is_seen(&self, object: &Object) -> bool {
        let might = |guide: &crate::Guide| guide.hides() && !guide.published;
        object.shared || object.escapes && self.config.guide.as_deref().is_some_and(might)
    }

    pub(crate) fn stack_object(
        &mut self,
        bytes: u64,
        object: StackObject<'_>,
        chosen: &Chosen,
    ) -> Result<u64, Stop> {
        let function = self.threads[self.running.thread.index()].top().function;
        let origin = Origin::Stack {
            function,
            name: object.name.clone(),
            ty: object.ty,
            thread: self.running.thread,
        };
        // Its own address space limit is far above any real stack.
        if bytes > 1 << 30 {
            return Err(self.stop_unsupported("a stack object of over 1 GiB"));
        }
        let id = self.allocate_object(bytes, origin, Contents::Unwritten)?;
        self.fill(id, chosen);
        if self
            .image
            .captured
            .get(function.0 as usize)
            .is_none_or(|regs| regs[object.dst.0 as usize])
        {
            self.show(id);
        }
        self.threads[self.running.thread.index()].objects.push(id);
        let addr = self.store.object(id).base;
        self.note_aligned(addr, object.align);
        Ok(addr)
    }

    /// Does code of the library run, which knows what it does with addresses?
    fn is_in_support(&self) -> bool {
        let frame = self.threads[self.running.thread.index()].frames.last();
        frame.is_some_and(|frame| self.program.is_support(frame.function))
    }

    /// Is it worth a look whether the bits are an address? Not if that is known of the program,
    /// unless somebody keeps what steps look at, who has to see the same each time.
    #[inline]
    pub(crate) fn looks_at_numbers(&self, bits: u64) -> bool {
        let known =
            self.findings.bounds.addresses && (self.findings.placed || !self.config.stateful);
        self.store.may_be_address(bits) && (!known || self.store.needs.is_on())
    }

    /// Has the program done anything with the address of an object that it made which depends
    /// on which number it is? Then such objects can't change places.
    pub fn addresses_matter(&self) -> bool {
        self.findings.placed
    }

    /// Something that the program computes depends on where objects lie (`depends`), or would
    /// be something else if they changed places as it runs.
    pub(crate) fn note_dependence(&mut self, depends: bool, placed: bool, of: (Number, Number)) {
        self.findings.bounds.addresses |= depends;
        let made = |number| match number {
            Number::Address { object, .. } => self.store.is_dynamic(ObjectId(object)),
            Number::Plain(_) => false,
        };
        self.findings.placed |= placed && (made(of.0) || made(of.1));
    }

    /// Which way the program goes depends on a number.
    pub(crate) fn note_placement(&mut self, value: u64) {
        if self.looks_at_numbers(value) {
            let number = self.as_number(value);
            self.note_dependence(false, true, (number, Number::Plain(0)));
        }
    }

    /// A value, as far as it is an address that a program should make nothing of.
    #[cold]
    pub(crate) fn as_number(&self, value: u64) -> Number {
        let Some(id) = self.store.object_at(value) else { return Number::Plain(value) };
        let object = self.store.object(id);
        if value.wrapping_sub(object.base) > object.bytes || self.is_in_support() {
            return Number::Plain(value);
        }
        let align = match object.origin {
            Origin::Global(global) => self.program.global(global).align.max(1),
            // Pointers to members of C++ classes rely on that.
            Origin::Function(_) => 2,
            _ => object.align,
        };
        Number::Address { object: id.0, align }
    }

    /// Something is compared with null.
    pub(crate) fn note_null_test(&mut self, value: u64) {
        let Some(frame) = self.threads[self.running.thread.index()].frames.last() else { return };
        let site = (frame.function.0, frame.block, self.running.pc as u32);
        if value == 0 {
            self.findings.null_tests.found_null(site);
        } else if let Some(base) = self.store.live_block(value)
            && !self.findings.null_tests.is_sure(base)
            && !self.is_in_support()
        {
            self.findings.null_tests.found_block(site);
        }
    }

    /// Programs may rely on that the object begins at a multiple of `align`.
    pub(crate) fn note_aligned(&mut self, addr: u64, align: u64) {
        if let Some(id) = self.store.object_at(addr) {
            let object = &mut self.store.objects[id.0 as usize];
            object.align = object.align.max(align);
        }
    }

    pub(crate) fn heap_object(
        &mut self,
        bytes: u64,
        contents: Contents,
        chosen: &Chosen,
    ) -> Result<u64, Stop> {
        // Larger requests are taken to fail; those that no pointer difference can span do.
        if bytes > 1 << 30 {
            self.findings.bounds.large |=
                bytes <= heddle_semantics::mask(u64::MAX, self.program.pointer_bits()) >> 1;
            return Ok(0);
        }
        let nth = self.next_allocation(bytes);
        let origin = Origin::Heap { span: self.here(), thread: self.running.thread, nth };
        let id = self.allocate_object(bytes, origin, contents)?;
        self.fill(id, chosen);
        self.show(id);
        let addr = self.store.object(id).base;
        self.note_aligned(addr, MALLOC_ALIGNMENT);
        self.findings.null_tests.made_block(addr, false);
        self.record(Action::Allocate { addr });
        Ok(addr)
    }

    pub(crate) fn local_instance(&mut self, global: GlobalId) -> Result<u64, Stop> {
        let thread = &self.threads[self.running.thread.index()];
        if let Some(&(_, id)) = thread.locals.iter().find(|local| local.0 == global) {
            return Ok(self.store.object(id).base);
        }
        let declaration = self.program.global(global);
        let Some(data) = self.initial_bytes(global) else {
            let what = format!("thread-local '{}', which has no definition", declaration.name);
            return Err(self.stop_unsupported(&what));
        };
        let origin = Origin::ThreadLocal(global, self.running.thread);
        let bytes = declaration.bytes;
        let id = self.allocate_object(bytes, origin, Contents::Bytes(&data))?;
        self.show(id);
        self.threads[self.running.thread.index()].locals.push((global, id));
        Ok(self.store.object(id).base)
    }

    /// The heap block that starts at `addr`; anything else is a violation.
    fn heap_block(&mut self, addr: u64) -> Result<ObjectId, Stop> {
        let found = self.store.resolve(addr, 0);
        let (kind, message) = match found {
            Ok((id, 0)) if self.has_ended(id) => {
                (ViolationKind::DoubleFree, "block is freed a second time".to_string())
            }
            Ok((id, 0)) if matches!(self.store.object(id).origin, Origin::Heap { .. }) => {
                return Ok(id);
            }
            Ok((id, 0)) => {
                let what = match self.store.object(id).origin {
                    Origin::Stack { .. } => "stack object",
                    Origin::Function(_) => "function",
                    _ => "global",
                };
                (ViolationKind::InvalidFree, format!("free of a {what}"))
            }
            Ok((_, offset)) => (
                ViolationKind::InvalidFree,
                format!("free of a pointer {offset} bytes into an object"),
            ),
            Err(bad) => match bad.object.map(|id| self.store.object(id)) {
                Some(object) if object.life == Life::Freed && bad.offset == 0 => {
                    (ViolationKind::DoubleFree, "block is freed a second time".to_string())
                }
                _ => (ViolationKind::InvalidFree, "free of a wild pointer".to_string()),
            },
        };
        Err(self.violate(kind, message))
    }

    /// Does the end of the object's life wait in a queue, as the thread's stores do?
    pub(crate) fn ends_later(&self, object: &Object) -> bool {
        END_OF_LIFE != Draining::Drains
            && self.model.buffers()
            && !self.alone()
            && self.config.sites.is_none()
            && self.threads[self.running.thread.index()].scalars.atomic == 0
            && self.is_seen(object)
    }

    /// The block there, if its end waits. To look whether it is still there is a step.
    fn begin_end(&mut self, addr: u64) -> Result<Option<ObjectId>, Stop> {
        let Some(id) = self.store.object_at(addr) else { return Ok(None) };
        let object = self.store.object(id);
        if !self.ends_later(object) {
            return Ok(None);
        }
        let len = object.bytes.clamp(1, u64::from(u32::MAX)) as u32;
        let access = Access { addr: object.base, len, kind: AccessKind::Read };
        self.visible_step(Some(access), Pending::Ready)?;
        self.check_freed(addr)?;
        self.heap_block(addr).map(Some)
    }

    /// A block that another thread may have freed must be looked at in a step of
    /// its own, whatever its state is now.
    fn announce_free(&mut self, addr: u64) -> Result<(), Stop> {
        let uncounted = self.running.in_library.is_some_and(|function| {
            crate::observers::order::is_uncounted(&self.program.function(function).name)
        });
        let counts = self.config.sites.is_some();
        if counts && uncounted {
            let id = self.store.object_at(addr);
            let seen = id.is_some_and(|id| !self.alone() && self.is_seen(self.store.object(id)));
            return if seen { Err(self.stop_hole()) } else { Ok(()) };
        }
        if let Some(id) = self.store.object_at(addr)
            && (counts || !self.alone() && self.is_seen(self.store.object(id)))
        {
            let len = self.store.object(id).bytes.clamp(1, u64::from(u32::MAX)) as u32;
            let base = self.store.object(id).base;
            let access = Access { addr: base, len, kind: AccessKind::Write };
            self.visible_step(Some(access), Pending::Drained)?;
        }
        Ok(())
    }

    /// Looks whether the guide reckons with the object. If not, nothing it says holds.
    fn check_freed(&mut self, addr: u64) -> Result<(), Stop> {
        let Some(id) = self.store.object_at(addr) else { return Ok(()) };
        let frame = self.threads[self.running.thread.index()].frames.last();
        let foreseen = match (&self.config.guide, frame) {
            (Some(guide), Some(frame)) if guide.hides() => {
                let site = guide.number(frame, self.running.pc);
                guide.foresees(site, (0, 0), false, || self.store.object(id).known())
            }
            _ => true,
        };
        if foreseen { Ok(()) } else { Err(self.stop_surprised()) }
    }

    fn release_block(&mut self, id: ObjectId) {
        self.store.set_life(id, Life::Freed);
        self.threads[self.running.thread.index()].scalars.effects += 1;
        let addr = self.store.object(id).base;
        self.record(Action::Free { addr });
    }

    pub(crate) fn free_block(&mut self, addr: u64) -> Result<(), Stop> {
        if addr == 0 {
            return Ok(());
        }
        if let Some(id) = self.begin_end(addr)? {
            return self.put_end(id, Life::Freed);
        }
        self.announce_free(addr)?;
        self.check_freed(addr)?;
        let id = self.heap_block(addr)?;
        self.release_block(id);
        Ok(())
    }

    pub(crate) fn reallocate_block(
        &mut self,
        addr: u64,
        bytes: u64,
        chosen: &Chosen,
    ) -> Result<u64, Stop> {
        if addr == 0 {
            return self.heap_object(bytes, Contents::Unwritten, chosen);
        }
        // The copy is part of the step that looks at the old block, or frees it. What that
        // led to was published with it.
        let later = self.begin_end(addr)?;
        let old = match later {
            Some(old) => old,
            None => {
                self.announce_free(addr)?;
                self.check_freed(addr)?;
                self.heap_block(addr)?
            }
        };
        let new = self.heap_object(bytes, Contents::Unwritten, chosen)?;
        if new == 0 {
            return Ok(0);
        }
        let (new_id, _) = self.store.resolve(new, 0).expect("just allocated");
        self.store.copy_object(old, new_id);
        if later.is_some() {
            self.copy_waiting(old, new_id);
        }
        self.check_moved(old, new_id)?;
        match later {
            None => self.release_block(old),
            Some(_) => self.put_end(old, Life::Freed)?,
        }
        Ok(new)
    }
}
