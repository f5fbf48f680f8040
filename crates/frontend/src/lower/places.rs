//! Places: the source expression behind an address.

use heddle_ir::PlaceId;

use crate::llvm::{Type, Value};
use super::function::FunctionLowering;

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn place(&mut self, _address: Value<'m>, _ty: Type<'m>) -> Option<PlaceId> {
        None
    }
    pub(super) fn place_of_argument(&mut self, _address: Value<'m>) -> Option<PlaceId> {
        None
    }
}
