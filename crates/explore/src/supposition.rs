//! What a search takes for granted of a program, and how it goes on where that is wrong.
//!
//! Searches are cheaper under suppositions: that an address reaches other threads only by ways
//! that are watched, that a critical section is one step, that nobody looks where objects lie.
//! Each is watched in every step. What speaks against one ends the search with
//! [`Halt::Wrong`](crate::search::Halt::Wrong), and the search starts again without it. A
//! supposition is only ever given up, so this ends.

use std::collections::BTreeSet;
use std::sync::Arc;

use heddle_ir::FuncId;
use heddle_machine::Config;
use heddle_semantics::Unwritten;
use rustc_hash::FxHashSet;

use crate::guided::Slicer;

/// A supposition that was wrong, by what shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A thread came by an address in a way that nobody watches: everything is shared.
    Smuggled,
    /// A decision depends on what is undefined: these bits need a value.
    Undecided(Unwritten),
    /// A loop that the guide hides did not end.
    Strayed(FuncId, u32),
    /// Critical sections of these mutexes are not one step.
    Noisy(FxHashSet<u64>),
    /// Several threads use these pieces of memory.
    Common(FxHashSet<u64>),
    /// More threads use these barriers than meet there.
    Crowded(BTreeSet<u64>),
    /// Writes that are overwritten at once are read all the same.
    Sighted,
    /// Something happened that the guide does not reckon with.
    Surprised,
    /// Reads that were not executed before.
    FirstReads(FxHashSet<u32>),
    /// It matters which thread is which.
    Named,
    /// It matters where objects lie that the program made.
    Placed,
}

impl Wrong {
    /// Gives it up. An error is what to tell if there is nothing left to give up.
    pub fn give_up(self, config: &mut Config, slicer: &mut Slicer<'_>) -> Result<(), &'static str> {
        match self {
            Wrong::Smuggled if config.share_everything => {
                return Err("internal error: pointer lost");
            }
            Wrong::Smuggled => config.share_everything = true,
            Wrong::Undecided(bits) => {
                Arc::make_mut(&mut config.unwritten).insert(bits);
            }
            Wrong::Crowded(barriers) => {
                if let Some(meetings) = &mut config.meetings {
                    Arc::make_mut(meetings).crowded.extend(barriers);
                }
            }
            Wrong::Named => config.interchangeable = false,
            Wrong::Placed => config.fixed_addresses = true,
            Wrong::Surprised if !slicer.supposes() => {
                return Err("a loop within one step does not end");
            }
            about_guide => {
                about_guide.tell(slicer);
                config.guide = slicer.guide();
            }
        }
        Ok(())
    }

    /// What is hidden is the slicer's to say.
    fn tell(self, slicer: &mut Slicer<'_>) {
        match self {
            Wrong::Strayed(function, header) => slicer.add((function, header)),
            Wrong::Noisy(mutexes) => slicer.add_noisy(&mutexes),
            Wrong::Common(pieces) => slicer.add_common(&pieces),
            Wrong::Sighted => slicer.keep_overwritten(),
            Wrong::Surprised => slicer.give_up(),
            Wrong::FirstReads(reads) => slicer.add_reads(&reads),
            Wrong::Smuggled
            | Wrong::Undecided(_)
            | Wrong::Crowded(_)
            | Wrong::Named
            | Wrong::Placed => unreachable!("not about what is hidden"),
        }
    }
}
