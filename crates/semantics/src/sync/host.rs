//! What an operation on an object that threads wait for may ask of whoever runs it.

use heddle_ir::{BinOp, Compare};

use super::Word;
use crate::event::AccessKind;
use crate::{Domain, Gate};

/// The value type of a host's domain.
pub type Value<S> = <<S as SyncHost>::Dom as Domain>::Value;

/// A result, unless the operation stops.
pub type Outcome<S> = Result<Value<S>, <S as SyncHost>::Stop>;

/// How an operation went, for those who keep book of what others could notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The object is another one now. What is not said otherwise ends so.
    Changed,
    /// The owner of a recursive mutex counted, which nobody else can notice.
    Counted,
    /// An attempt failed: the object is taken.
    Busy,
    /// It is an error here and changes nothing, but the object may come to be one where it
    /// is none.
    Refused,
    /// It is an error that only the thread itself has a part in.
    OwnFault,
    /// It was only looked at.
    Seen,
}

/// One operation on one object. Conditions are values of one bit, all others of 32.
pub trait SyncHost {
    type Dom: Domain;
    /// Why the operation pauses or ends.
    type Stop;

    fn domain(&mut self) -> &mut Self::Dom;
    fn pointer_bytes(&self) -> u32;
    /// How locks know the thread. Not 0.
    fn me(&mut self) -> Value<Self>;
    /// Is it how locks know some thread?
    fn is_thread(&mut self, code: &Value<Self>) -> Value<Self>;

    /// The operation happens here, whatever the object holds.
    fn step(&mut self, kind: AccessKind) -> Result<(), Self::Stop>;
    /// The operation happens here, once the gate is open, or its word is `also`.
    fn wait(&mut self, gate: Gate, also: Option<&Value<Self>>) -> Result<(), Self::Stop>;

    /// May the first bytes have been written? A new object is not looked at before.
    fn may_be_made(&mut self, bytes: u32) -> Result<bool, Self::Stop>;
    /// It is misuse if not all of the first bytes were written.
    fn check_made(&mut self, bytes: u32, message: &'static str) -> Result<(), Self::Stop>;
    fn read(&mut self, word: Word) -> Outcome<Self>;
    fn write_if(
        &mut self,
        when: &Value<Self>,
        word: Word,
        value: &Value<Self>,
    ) -> Result<(), Self::Stop>;
    /// The first bytes become 0.
    fn clear(&mut self, bytes: u32) -> Result<(), Self::Stop>;

    /// A violation if `bad` holds.
    fn misuse_if(&mut self, bad: &Value<Self>, message: &'static str) -> Result<(), Self::Stop>;
    fn unsupported(&mut self, what: &'static str) -> Self::Stop;
    /// Is the condition known not to hold? Of numbers it always is known.
    fn is_never(&mut self, condition: &Value<Self>) -> bool;
    /// The operation goes so if `when` holds.
    fn ends_if(&mut self, when: &Value<Self>, ending: Ending);

    fn write(&mut self, word: Word, value: &Value<Self>) -> Result<(), Self::Stop> {
        let always = self.truth(true);
        self.write_if(&always, word, value)
    }

    fn write_number(&mut self, word: Word, number: u64) -> Result<(), Self::Stop> {
        let value = self.number(number);
        self.write(word, &value)
    }

    fn ends(&mut self, ending: Ending) {
        let always = self.truth(true);
        self.ends_if(&always, ending);
    }

    fn number(&mut self, number: u64) -> Value<Self> {
        self.domain().constant(number, 32)
    }

    fn truth(&mut self, truth: bool) -> Value<Self> {
        self.domain().constant(u64::from(truth), 1)
    }

    fn same(&mut self, a: &Value<Self>, b: &Value<Self>) -> Value<Self> {
        self.domain().compare(Compare::Eq, 32, a, b)
    }

    fn is(&mut self, value: &Value<Self>, number: u64) -> Value<Self> {
        let number = self.number(number);
        self.same(value, &number)
    }

    fn is_not(&mut self, value: &Value<Self>, number: u64) -> Value<Self> {
        let is = self.is(value, number);
        self.not(&is)
    }

    fn plus_one(&mut self, value: &Value<Self>) -> Value<Self> {
        let one = self.number(1);
        self.domain().binary(BinOp::Add, 32, value, &one)
    }

    fn minus_one(&mut self, value: &Value<Self>) -> Value<Self> {
        let one = self.number(1);
        self.domain().binary(BinOp::Sub, 32, value, &one)
    }

    fn not(&mut self, a: &Value<Self>) -> Value<Self> {
        let (yes, no) = (self.truth(true), self.truth(false));
        self.choose(a, &no, &yes)
    }

    fn and(&mut self, a: &Value<Self>, b: &Value<Self>) -> Value<Self> {
        self.domain().binary(BinOp::And, 1, a, b)
    }

    fn or(&mut self, a: &Value<Self>, b: &Value<Self>) -> Value<Self> {
        self.domain().binary(BinOp::Or, 1, a, b)
    }

    fn choose(
        &mut self,
        when: &Value<Self>,
        then: &Value<Self>,
        other: &Value<Self>,
    ) -> Value<Self> {
        self.domain().select(when, then, other)
    }

    /// 0 if the condition holds, else the error number.
    fn success_if(&mut self, when: &Value<Self>, error: u64) -> Value<Self> {
        let (success, error) = (self.number(0), self.number(error));
        self.choose(when, &success, &error)
    }
}

/// How it is kept who holds a read-write lock for reading.
pub trait ReaderHost: SyncHost {
    /// Does the thread hold a read lock?
    fn reads(&mut self) -> Outcome<Self>;
    /// The thread gets a read lock more, before they are counted.
    fn add_reader_if(&mut self, when: &Value<Self>) -> Result<(), Self::Stop>;
    /// The thread gives a read lock back, before they are counted.
    fn remove_reader_if(&mut self, when: &Value<Self>) -> Result<(), Self::Stop>;
}

/// How it is kept who waits for a condition variable and has not been woken.
pub trait SleeperHost: SyncHost {
    fn somebody_sleeps(&mut self) -> Outcome<Self>;
    /// One of those that sleep wakes up, any of them, if there is one.
    fn wake_one(&mut self) -> Result<(), Self::Stop>;
    fn wake_all(&mut self) -> Result<(), Self::Stop>;
}
