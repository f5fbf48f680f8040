//! Handles of threads. The one of the instance that a thread has created last at a place is told
//! from those of earlier ones ([`Object::Latest`]), since only the last one can be known to end
//! at a join: whoever joins by an older handle waits for nobody, or for another one.
//!
//! Who creates a thread makes the handles older that it knows. It can't do so with what others
//! keep, so whatever threads tell each other are handles of any instance.

use super::Analysis;
use super::objects::{ClassId, Object};
use super::state::State;
use super::value::{Pointer, Value};
use crate::numeric::{Lattice, Word};

impl Analysis<'_> {
    /// The handle of the instance that is created now.
    pub(super) fn new_handle(&mut self, class: ClassId) -> Value {
        let object = self.objects.intern(Object::Latest(class));
        self.objects.intern(Object::Thread(class));
        Value::to(object, Word::constant(self.pointer_bits(), 0))
    }

    /// The class that a handle is of, and whether it is that of the instance created last.
    pub(super) fn handle(&self, object: Object) -> Option<(ClassId, bool)> {
        match object {
            Object::Latest(class) => Some((class, true)),
            Object::Thread(class) => Some((class, false)),
            _ => None,
        }
    }

    /// A value as it is for others: there may be newer instances.
    pub(super) fn older(&self, value: &Value) -> Value {
        self.older_of(value, |_| true).unwrap_or_else(|| value.clone())
    }

    /// The same of some classes, if it is another value.
    fn older_of(&self, value: &Value, which: impl Fn(ClassId) -> bool) -> Option<Value> {
        let Value::Pointer(pointer) = value else { return None };
        let older = |id| match self.objects.get(id) {
            Object::Latest(class) if which(class) => self.objects.find(Object::Thread(class)),
            _ => None,
        };
        pointer.targets.keys().find_map(|&id| older(id))?;
        let mut aged = Value::Pointer(Pointer { null: pointer.null, ..Pointer::default() });
        for (&id, offset) in &pointer.targets {
            aged = aged.join(&Value::to(older(id).unwrap_or(id), *offset));
        }
        Some(aged)
    }

    /// All values of a state as they are for others, or when the thread creates another one of
    /// a class.
    pub(super) fn make_older(&self, state: &mut State, class: Option<ClassId>) {
        let which = |other| class.is_none_or(|class| class == other);
        for value in state.values.values_mut() {
            if let Some(older) = self.older_of(value, which) {
                *value = older;
            }
        }
    }
}
