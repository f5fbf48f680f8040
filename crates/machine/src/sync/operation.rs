//! The interpreter as a [`SyncHost`]: an operation on numbers, in memory at once.

use heddle_semantics::sync::{Ending, SyncHost, Word};
use heddle_semantics::{AccessKind, Concrete, Gate, MemoryModel};

use crate::Machine;
use crate::machine::Stop;
use crate::run::access::Spot;
use crate::threads::thread::Pending;

/// An operation of the running thread on an object, under way.
pub(crate) struct Operation<'m, 'p, M: MemoryModel> {
    pub machine: &'m mut Machine<'p, M>,
    pub spot: Spot,
    /// It belongs to a step that was begun before.
    begun: bool,
    /// For one that goes one way or the other: the word that lets it succeed, if it is one.
    pub attempt: Option<Option<u64>>,
    /// An arrival at a barrier that is in no order with others.
    pub meets: bool,
    pub kind: AccessKind,
    pub ending: Ending,
}

impl<'m, 'p, M: MemoryModel> Operation<'m, 'p, M> {
    pub fn new(machine: &'m mut Machine<'p, M>, spot: Spot) -> Self {
        let (kind, ending) = (AccessKind::Write, Ending::Changed);
        Operation { machine, spot, begun: false, attempt: None, meets: false, kind, ending }
    }

    /// One that is part of the step under way.
    pub fn within_step(machine: &'m mut Machine<'p, M>, spot: Spot) -> Self {
        Operation { begun: true, ..Operation::new(machine, spot) }
    }

    #[inline]
    fn begin(&mut self, kind: AccessKind, pending: Pending) -> Result<(), Stop> {
        if self.begun {
            return Ok(());
        }
        let kind = if self.meets { AccessKind::Arrive } else { kind };
        self.kind = kind;
        self.machine.sync_step(self.spot, kind, pending)?;
        if let Some(compared) = self.attempt
            && self.spot.visible
        {
            self.machine.event.conditional = true;
            self.machine.event.compared = compared;
        }
        Ok(())
    }

    fn is_made(&self, bytes: u32) -> bool {
        let Spot { object, offset, .. } = self.spot;
        let whole =
            |at: u32| self.machine.store.is_defined(object, offset + at, (bytes - at).min(8));
        (0..bytes).step_by(8).all(whole)
    }
}

impl<M: MemoryModel> SyncHost for Operation<'_, '_, M> {
    type Dom = Concrete;
    type Stop = Stop;

    #[inline]
    fn domain(&mut self) -> &mut Concrete {
        &mut self.machine.domain
    }

    #[inline]
    fn pointer_bytes(&self) -> u32 {
        u32::from(self.machine.program.pointer_bytes)
    }

    #[inline]
    fn me(&mut self) -> u64 {
        self.machine.code_of(self.machine.running.thread)
    }

    fn is_thread(&mut self, code: &u64) -> u64 {
        u64::from(self.machine.thread_of_code(*code).is_some())
    }

    #[inline]
    fn step(&mut self, kind: AccessKind) -> Result<(), Stop> {
        self.begin(kind, Pending::Drained)
    }

    #[inline]
    fn wait(&mut self, gate: Gate, also: Option<&u64>) -> Result<(), Stop> {
        let addr = self.spot.addr;
        // Whether it is locked by this thread already does not change while the thread
        // waits.
        let passes = match (also, gate.opening()) {
            (Some(&also), Some(opening)) => also != 0 && self.read(opening.word)? == also,
            _ => false,
        };
        match passes {
            true => self.begin(AccessKind::Write, Pending::Drained),
            false => self.begin(AccessKind::Acquire, Pending::Gate { addr, gate }),
        }
    }

    #[inline]
    fn may_be_made(&mut self, bytes: u32) -> Result<bool, Stop> {
        Ok(self.is_made(bytes))
    }

    #[inline]
    fn check_made(&mut self, bytes: u32, message: &'static str) -> Result<(), Stop> {
        let unmade = u64::from(!self.is_made(bytes));
        self.misuse_if(&unmade, message)
    }

    #[inline]
    fn read(&mut self, word: Word) -> Result<u64, Stop> {
        let Spot { object, offset, .. } = self.spot;
        Ok(self.machine.store.read(object, offset + word.at, word.bytes))
    }

    #[inline]
    fn write_if(&mut self, when: &u64, word: Word, value: &u64) -> Result<(), Stop> {
        if *when != 0 {
            let Spot { object, offset, .. } = self.spot;
            self.machine.store.write(object, offset + word.at, word.bytes, *value);
        }
        Ok(())
    }

    fn clear(&mut self, bytes: u32) -> Result<(), Stop> {
        let Spot { object, offset, .. } = self.spot;
        for at in (0..bytes).step_by(4) {
            self.machine.store.write(object, offset + at, 4, 0);
        }
        Ok(())
    }

    #[inline]
    fn misuse_if(&mut self, bad: &u64, message: &'static str) -> Result<(), Stop> {
        if *bad == 0 {
            return Ok(());
        }
        if self.kind != AccessKind::Read {
            self.machine.access_failed(self.spot);
        }
        Err(self.machine.misuse(message))
    }

    fn unsupported(&mut self, what: &'static str) -> Stop {
        self.machine.stop_unsupported(what)
    }

    #[inline]
    fn is_never(&mut self, condition: &u64) -> bool {
        *condition == 0
    }

    #[inline]
    fn ends_if(&mut self, when: &u64, ending: Ending) {
        if *when != 0 {
            self.ending = ending;
        }
    }
}
