//! A host with registers only. Checks over numbers stop; checks over anything
//! else are collected, as an encoder would.

use std::any::Any;

use heddle_ir::{Callee, GlobalId, Operand, Ordering, Reg, RmwOp, Ty};
use heddle_semantics::{Domain, Flow, Host, InputKind, MutexOp, StackObject, ViolationKind};

pub struct Scratch<D: Domain> {
    domain: D,
    pub regs: Vec<Option<D::Value>>,
    pub checks: Vec<D::Value>,
}

impl<D: Domain + Default> Scratch<D> {
    pub fn new(regs: usize) -> Scratch<D> {
        Scratch { domain: D::default(), regs: vec![None; regs], checks: Vec::new() }
    }
}

#[derive(Debug)]
pub struct Violated;

macro_rules! not_here {
    ($(fn $name:ident($($arg:ty),*) -> $result:ty;)*) => {
        $(fn $name(&mut self, $(_: $arg),*) -> $result { unreachable!("straight-line code only") })*
    };
}

type V<D> = <D as Domain>::Value;
type R<D> = Result<V<D>, Violated>;

impl<D: Domain> Host for Scratch<D>
where
    D::Value: 'static,
{
    type Dom = D;
    type Stop = Violated;

    fn domain(&mut self) -> &mut D {
        &mut self.domain
    }

    fn pointer_bits(&self) -> u32 {
        64
    }

    fn operand(&mut self, operand: Operand, width: u32) -> V<D> {
        match operand {
            Operand::Reg(reg) => self.regs[reg.0 as usize].clone().expect("assigned before use"),
            Operand::Const(bits) => self.domain.constant(bits, width),
            other => unreachable!("{other:?}"),
        }
    }

    fn assign(&mut self, reg: Reg, value: V<D>) {
        self.regs[reg.0 as usize] = Some(value);
    }

    fn check(
        &mut self,
        bad: &V<D>,
        _: ViolationKind,
        _: &dyn Fn() -> String,
    ) -> Result<(), Violated> {
        match (bad as &dyn Any).downcast_ref::<u64>() {
            Some(0) => Ok(()),
            Some(_) => Err(Violated),
            None => {
                self.checks.push(bad.clone());
                Ok(())
            }
        }
    }

    fn wants_output(&self) -> bool {
        false
    }

    not_here! {
        fn unsupported(String) -> Violated;
        fn concrete(&V<D>) -> Result<u64, Violated>;
        fn load(&V<D>, Ty, Option<Ordering>) -> R<D>;
        fn store(&V<D>, Ty, &V<D>, Option<Ordering>) -> Result<(), Violated>;
        fn store_now(&V<D>, Ty, &V<D>) -> Result<(), Violated>;
        fn rmw(RmwOp, &V<D>, Ty, &V<D>, Ordering) -> R<D>;
        fn cmpxchg(&V<D>, Ty, &V<D>, &V<D>, (Ordering, Ordering)) -> Result<(V<D>, V<D>), Violated>;
        fn fence(Ordering) -> Result<(), Violated>;
        fn stack_alloc(&V<D>, StackObject<'_>) -> R<D>;
        fn thread_local(GlobalId) -> R<D>;
        fn allocate(&V<D>, bool) -> R<D>;
        fn reallocate(&V<D>, &V<D>) -> R<D>;
        fn free(&V<D>) -> Result<(), Violated>;
        fn peek_text(&V<D>) -> Option<String>;
        fn call(&[Reg], &Callee, &[Operand], &[Ty]) -> Result<Flow, Violated>;
        fn input(InputKind) -> R<D>;
        fn assume(&V<D>) -> Result<(), Violated>;
        fn fail(ViolationKind, String) -> Violated;
        fn exit_process() -> Violated;
        fn abort_process() -> Violated;
        fn atomic_begin() -> Result<(), Violated>;
        fn atomic_end() -> Result<(), Violated>;
        fn output(String) -> ();
        fn next_thread() -> V<D>;
        fn spawn(&V<D>, &V<D>) -> R<D>;
        fn join(&V<D>) -> Result<Result<V<D>, V<D>>, Violated>;
        fn detach(&V<D>) -> Result<(), Violated>;
        fn this_thread() -> V<D>;
        fn exit_thread(&V<D>) -> Violated;
        fn mutex(MutexOp, &V<D>) -> R<D>;
    }
}
