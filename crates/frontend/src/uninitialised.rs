//! Marks local variables as uninitialised before they are promoted to registers.
//!
//! `mem2reg` turns the use of an uninitialised variable into `undef` and then folds
//! it away: in `int u; if (c) u = 3; assert(u == 3);` it takes `u` for 3 on both
//! ways. So each promotable slot first gets a store of an opaque value; after
//! promotion, uses of that value are exactly the uses of uninitialised variables.
//! Lowering makes an input of it where it is used, and drops the marking stores
//! into slots that were not promoted.

use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::types::{BasicType, BasicTypeEnum};
use inkwell::values::InstructionOpcode;

use crate::error::Error;

/// Names of the marker functions start like this.
pub(crate) const MARKER: &str = "heddle.uninitialised.";

pub(crate) fn mark(context: &Context, module: &Module<'_>) -> Result<(), Error> {
    let internal = |e: inkwell::builder::BuilderError| Error::Internal(e.to_string());
    let builder = context.create_builder();
    for function in module.get_functions() {
        let Some(entry) = function.get_first_basic_block() else { continue };
        let mut next = entry.get_first_instruction();
        while let Some(inst) = next {
            next = inst.get_next_instruction();
            if inst.get_opcode() != InstructionOpcode::Alloca {
                continue;
            }
            let (Ok(ty), Some(after)) = (inst.get_allocated_type(), next) else { continue };
            let Some(suffix) = suffix(ty) else { continue };
            let Ok(slot) = inkwell::values::PointerValue::try_from(inst) else { continue };
            let name = format!("{MARKER}{suffix}");
            let marker = module
                .get_function(&name)
                .unwrap_or_else(|| module.add_function(&name, ty.fn_type(&[], false), None));
            builder.position_before(&after);
            // No debug location: the marker is no step of the program.
            builder.unset_current_debug_location();
            let value = builder.build_call(marker, &[], "uninitialised").map_err(internal)?;
            if let Some(value) = value.try_as_basic_value().basic() {
                builder.build_store(slot, value).map_err(internal)?;
            }
        }
    }
    Ok(())
}

/// What lowering keeps in registers.
fn suffix(ty: BasicTypeEnum<'_>) -> Option<String> {
    match ty {
        BasicTypeEnum::IntType(ty) => Some(format!("i{}", ty.get_bit_width())),
        BasicTypeEnum::PointerType(_) => Some("ptr".to_owned()),
        BasicTypeEnum::FloatType(ty) => match ty.get_bit_width() {
            32 => Some("f32".to_owned()),
            64 => Some("f64".to_owned()),
            _ => None,
        },
        BasicTypeEnum::VectorType(ty) => {
            Some(format!("v{}{}", ty.get_size(), suffix(ty.get_element_type())?))
        }
        _ => None,
    }
}
