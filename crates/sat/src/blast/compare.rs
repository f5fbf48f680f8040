//! Circuits of relations.

use super::Blaster;
use crate::gates::{FALSE, Lit, TRUE};

impl Blaster {
    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut equal = TRUE;
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.gates.xor(a, b);
            equal = self.gates.and(equal, !differ);
        }
        equal
    }

    /// Unsigned: the borrow of `a - b`, from the lowest bit upwards.
    pub(super) fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut less = FALSE;
        for (&a, &b) in a.iter().zip(b) {
            less = self.gates.majority(!a, b, less);
        }
        less
    }

    /// Signed numbers are ordered like unsigned ones with the sign complemented.
    pub(super) fn less_signed(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let top = a.len() - 1;
        let less = self.less(&a[..top], &b[..top]);
        self.gates.majority(a[top], !b[top], less)
    }
}
