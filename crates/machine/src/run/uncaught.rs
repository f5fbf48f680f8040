//! What is said of an exception that nobody catches.

use heddle_ir::Span;

use heddle_semantics::{MemoryModel, ViolationKind};

use crate::Machine;
use crate::machine::Stop;
use crate::store::Origin;

/// Of what an exception says of itself.
const LONGEST: u64 = 200;
const COLUMN_BITS: u32 = 16;
const LINE_BITS: u32 = 24;

/// A position as one number; 0 for none.
pub(crate) fn pack(span: Span) -> u64 {
    let fits = span.line >> LINE_BITS == 0 && span.column >> COLUMN_BITS == 0;
    match fits {
        true => {
            u64::from(span.file) << (LINE_BITS + COLUMN_BITS)
                | u64::from(span.line) << COLUMN_BITS
                | u64::from(span.column)
        }
        false => 0,
    }
}

fn unpack(number: u64) -> Span {
    let bits = |from: u32, count: u32| ((number >> from) & ((1 << count) - 1)) as u32;
    Span {
        file: (number >> (LINE_BITS + COLUMN_BITS)) as u32,
        line: bits(COLUMN_BITS, LINE_BITS),
        column: bits(0, COLUMN_BITS),
    }
}

impl<M: MemoryModel> Machine<'_, M> {
    /// The violation stands where the exception was thrown.
    pub(crate) fn violate_uncaught(&mut self, info: u64, what: u64, position: u64) -> Stop {
        let thrown = match self.thrown_type(info) {
            None => "an exception".to_string(),
            Some(name) => format!("an exception of type {name}"),
        };
        let message = match (info, self.text_at(what)) {
            (0, _) => "terminate called: there is no exception to throw again".to_string(),
            (_, None) => format!("terminate called: {thrown} is not caught"),
            (_, Some(text)) => format!("terminate called: {thrown} (\"{text}\") is not caught"),
        };
        let stop = self.violate(ViolationKind::Terminate, message);
        let span = unpack(position);
        if span.is_known()
            && let Some(violation) = self.findings.violations.last_mut()
        {
            violation.span = span;
        }
        stop
    }

    /// The type that a `type_info` object is of.
    fn thrown_type(&self, info: u64) -> Option<String> {
        let Origin::Global(id) = self.store.locate(info)?.origin else { return None };
        let name = self.program.global(id).source_name.as_deref()?;
        Some(name.strip_prefix("typeinfo for ").unwrap_or(name).to_owned())
    }

    /// What stands there up to the first zero, as far as it was written.
    fn text_at(&self, addr: u64) -> Option<String> {
        self.store.object_at(addr)?;
        let bytes: Vec<u8> = (addr..addr + LONGEST)
            .map_while(|at| self.store.resolve(at, 1).ok())
            .map(|(object, offset)| self.store.read_unnoted(object, offset, 1) as u8)
            .take_while(|&byte| byte != 0)
            .collect();
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}
