//! Objects that the program makes, and heap blocks: allocated, freed, moved.

use heddle_machine::is_uncounted;
use heddle_sat::{Relation, Term};
use heddle_semantics::ViolationKind;

use crate::bounded::Require;
use crate::unfold::facts::{Cell, LIFE};
use crate::unfold::objects::{Contents, Identity, Kind, Object};
use crate::unfold::{Dead, Unfolder};

/// Larger requests for memory are taken to fail, as in the interpreter.
const MOST_BYTES: u64 = 1 << 30;
/// Cells that are longer have never been accessed.
const LONGEST_CELL: u32 = 8;

impl Unfolder<'_> {
    /// Makes a new object of this instruction.
    fn make_object(&mut self, bytes: u64, kind: Kind, contents: Contents, name: String) -> u32 {
        let identity = Identity::Allocation(self.current, self.here(), self.made);
        self.made += 1;
        let (base, owner) = (0, self.current);
        let (constant, undefined) = (false, false);
        let object = Object { base, bytes, kind, owner, constant, contents, undefined, name };
        let always = self.symbolic.terms.truth(true);
        self.note_effect(always);
        self.objects.intern(identity, object)
    }

    /// The most that a size can be.
    fn most(&mut self, bytes: Term) -> Result<u64, Dead> {
        let values = self.symbolic.terms.values(bytes).map(|values| values.to_vec());
        match values.as_deref() {
            Some([.., most]) => Ok(*most),
            _ => {
                self.note_unsupported("memory of a size that is not known".to_string());
                Err(Dead)
            }
        }
    }

    pub(crate) fn new_object(
        &mut self,
        bytes: Term,
        kind: Kind,
        contents: Contents,
        name: String,
    ) -> Result<u32, Dead> {
        let most = self.most(bytes)?;
        if most > MOST_BYTES {
            self.note_unsupported("an object of over 1 GiB".to_string());
            return Err(Dead);
        }
        let unwritten = contents == Contents::Unwritten;
        let object = self.make_object(most, kind, contents, name);
        if unwritten {
            self.note_allocation(object);
        }
        let fixed = self.symbolic.terms.as_constant(bytes) == Some(self.objects.bytes(object));
        if !fixed {
            self.note_size(object, bytes);
        }
        Ok(object)
    }

    pub(crate) fn heap_block(&mut self, bytes: Term, zeroed: bool) -> Result<Term, Dead> {
        let width = self.program.pointer_bits();
        if self.symbolic.terms.as_constant(bytes).is_some_and(|bytes| bytes > MOST_BYTES) {
            self.assumed.large = true;
            return Ok(self.symbolic.terms.constant(0, width));
        }
        let contents = if zeroed { Contents::Zero } else { Contents::Unwritten };
        let name = match self.program.position(self.span()) {
            Some(position) => format!("block of {position}"),
            None => "a heap block".to_string(),
        };
        let id = self.new_object(bytes, Kind::Heap, contents, name)?;
        Ok(self.address(id))
    }

    /// To give a block back is an event, unless there is none.
    fn begin_release(&mut self, addr: Term) -> Result<(), Dead> {
        let frees = self.in_library.map(|function| self.program.function(function).name.as_str());
        if frees.is_some_and(is_uncounted) {
            return Ok(());
        }
        let none = self.symbolic.equals(addr, 0);
        let some = self.symbolic.terms.not(none);
        self.begin_event_if(some)
    }

    pub(crate) fn free_block(&mut self, addr: Term) -> Result<(), Dead> {
        self.begin_release(addr)?;
        self.begin_operation();
        let blocks = self.blocks_at(addr, "free")?;
        if blocks.is_empty() {
            return Ok(());
        }
        let point = self.begin_free(&blocks);
        self.end_free(&blocks, point);
        Ok(())
    }

    /// The copy is part of the step that frees the old block.
    pub(crate) fn reallocate_block(&mut self, addr: Term, bytes: Term) -> Result<Term, Dead> {
        self.begin_release(addr)?;
        self.begin_operation();
        let blocks = self.blocks_at(addr, "realloc")?;
        if blocks.is_empty() {
            return match self.symbolic.terms.as_constant(addr) {
                Some(0) => self.heap_block(bytes, false),
                _ => Err(Dead),
            };
        }
        let point = self.begin_free(&blocks);
        let new = self.heap_block(bytes, false)?;
        let Some(object) = self.symbolic.terms.as_constant(new).and_then(|at| self.objects.at(at))
        else {
            self.note_operation(None);
            self.end_event();
            return Ok(new);
        };
        for &(block, when) in &blocks {
            self.copy_block(block, object, point, when);
        }
        self.end_free(&blocks, point);
        Ok(new)
    }

    /// The heap blocks that a pointer may lead to, and when; others are violations.
    fn blocks_at(&mut self, addr: Term, what: &str) -> Result<Vec<(u32, Term)>, Dead> {
        let Some(values) = self.symbolic.terms.values(addr).map(|values| values.to_vec()) else {
            self.note_unsupported(format!("{what}() of a pointer that may lead anywhere"));
            return Err(Dead);
        };
        let mut blocks = Vec::new();
        let several = values.len() > 1;
        for value in values {
            let when = match several {
                true => self.symbolic.equals(addr, value),
                false => self.symbolic.terms.truth(true),
            };
            let guarded = self.symbolic.terms.and(self.state.guard, when);
            if value == 0 || self.symbolic.terms.as_constant(guarded) == Some(0) {
                continue;
            }
            let block = self.objects.at(value).filter(|&object| {
                self.objects.offset(object, value) == 0
                    && self.objects.all[object as usize].kind == Kind::Heap
            });
            match block {
                Some(object) => {
                    self.grown |= self.freed.insert(object);
                    blocks.push((object, when));
                }
                None => self.note_violation(when, ViolationKind::InvalidFree),
            }
        }
        Ok(blocks)
    }

    /// Notes blocks that are gone already.
    fn begin_free(&mut self, blocks: &[(u32, Term)]) -> Option<u32> {
        let point = (!self.state.alone).then(|| self.point());
        for &(object, when) in blocks {
            let gone = self.read_cell(Cell { object, offset: LIFE }, point, when);
            let twice = self.symbolic.equals(gone, 1);
            let twice = self.symbolic.terms.and(twice, when);
            self.note_violation(twice, ViolationKind::DoubleFree);
        }
        point
    }

    fn end_free(&mut self, blocks: &[(u32, Term)], point: Option<u32>) {
        let (one, always) = (self.symbolic.terms.constant(1, 8), self.symbolic.terms.truth(true));
        let manner = self.end_manner();
        for &(object, when) in blocks {
            let life = Cell { object, offset: LIFE };
            self.write_cell(life, one, point, when, manner);
        }
        self.note_effect(always);
        self.note_operation(None);
        self.end_event();
    }

    /// Copies what both objects have room for. They are cut into the same cells, for
    /// this and all later unfoldings.
    fn copy_block(&mut self, from: u32, to: u32, point: Option<u32>, when: Term) {
        let len = self.objects.bytes(from).min(self.objects.bytes(to)) as u32;
        if len == 0 {
            return;
        }
        for (one, other) in [(from, to), (to, from)] {
            self.facts.cut(one, 0, len);
            for (offset, bytes) in self.facts.cells(one, 0, len) {
                self.facts.cut(other, offset, offset + bytes);
            }
        }
        for (offset, bytes) in self.facts.cells(from, 0, len) {
            if bytes <= LONGEST_CELL {
                self.facts.access(from, offset, offset + bytes);
                self.facts.access(to, offset, offset + bytes);
                let cells = (Cell { object: from, offset }, Cell { object: to, offset });
                let inside = self.is_inside(from, u64::from(offset + bytes));
                let here = self.symbolic.terms.and(when, inside);
                self.copy_cell(cells, point, here);
            }
        }
    }

    /// The object has a size that is not always the same.
    fn note_size(&mut self, object: u32, bytes: Term) {
        self.grown |= self.varying.insert(object);
        let Some(&guessed) = self.sizes.get(&object) else {
            self.sizes.insert(object, bytes);
            return;
        };
        // A thread that was unfolded before has asked for it. So there are several
        // threads, and there is a point.
        let right = self.symbolic.terms.equals(guessed, bytes);
        let condition = self.symbolic.terms.implies(self.state.guard, right);
        let point = self.latest_point().unwrap_or(0);
        self.threads[self.current as usize].requires.push(Require { point, condition });
    }

    /// When the object has at least so many bytes.
    pub(crate) fn is_inside(&mut self, object: u32, end: u64) -> Term {
        if !self.varying.contains(&object) {
            return self.symbolic.terms.truth(true);
        }
        let width = self.program.pointer_bits();
        let terms = &mut self.symbolic.terms;
        let size = *self.sizes.entry(object).or_insert_with(|| terms.variable(width));
        let end = self.symbolic.terms.constant(end, 64);
        let size = self.symbolic.terms.zero_extend(size, 64);
        self.symbolic.terms.relate(Relation::ULe, end, size)
    }
}
