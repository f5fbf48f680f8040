//! What generated programs may use.
//!
//! Each program uses a random few of the features ("swarm testing", Groce et
//! al., ISSTA 2012): programs that use everything at once are all alike.

use std::str::FromStr;

macro_rules! features {
    ($($variant:ident $name:literal $percent:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Feature { $($variant,)* }

        impl Feature {
            pub const ALL: &[Feature] = &[$(Feature::$variant,)*];

            pub fn name(self) -> &'static str {
                match self { $(Feature::$variant => $name,)* }
            }

            /// How many in a hundred programs have it.
            fn percent(self) -> u32 {
                match self { $(Feature::$variant => $percent,)* }
            }
        }
    };
}

features! {
    Asserts "asserts" 75,
    Branches "branches" 60,
    Widths "widths" 20,
    Arrays "arrays" 25,
    Overflow "overflow" 15,
    Pointers "pointers" 30,
    Locks "locks" 40,
    Recursive "recursive" 20,
    Unlocked "unlocked" 12,
    Mutexes "mutexes" 8,
    Trylock "trylock" 25,
    Cas "cas" 35,
    Rmw "rmw" 35,
    C11 "c11" 25,
    Orders "orders" 30,
    Fences "fences" 20,
    Conditions "conditions" 12,
    Semaphores "semaphores" 12,
    RwLocks "rwlocks" 12,
    Barriers "barriers" 8,
    Spins "spins" 8,
    Once "once" 6,
    Loops "loops" 25,
    Waits "waits" 30,
    Assume "assume" 20,
    Sections "sections" 20,
    Inputs "inputs" 12,
    Heap "heap" 25,
    Blocks "blocks" 12,
    Escape "escape" 25,
    Hidden "hidden" 5,
    Calls "calls" 20,
    Exit "exit" 12,
    Nested "nested" 15,
    Division "division" 12,
    Unjoined "unjoined" 20,
    Process "process" 8,
    Dense "dense" 20,
    Disciplined "disciplined" 8,
    Rewrites "rewrites" 0,
    Guarded "guarded" 0,
    Twins "twins" 0,
    Torn "torn" 0,
    Members "members" 0,
    Tags "tags" 0,
    Results "results" 0,
    Selves "selves" 0,
    Scratch "scratch" 0,
    Choices "choices" 0,
    Glimpses "glimpses" 0,
    Strays "strays" 0,
    Attempts "attempts" 0,
    Handlers "handlers" 0,
    Detours "detours" 0,
    Texts "texts" 0,
    Padded "padded" 0,
    Partly "partly" 0,
    Helpers "helpers" 0,
    Scopes "scopes" 0,
    Recycled "recycled" 0,
    Vague "vague" 0,
    Drawn "drawn" 0,
    Reread "reread" 0,
    Rechecks "rechecks" 0,
    Failing "failing" 0,
    Crowds "crowds" 0,
    Keepers "keepers" 0,
    Withdrawn "withdrawn" 0,
    Meetings "meetings" 0,
    Turns "turns" 0,
}

impl FromStr for Feature {
    type Err = String;

    fn from_str(text: &str) -> Result<Feature, String> {
        let known = Feature::ALL.iter().find(|feature| feature.name() == text);
        known.copied().ok_or_else(|| {
            let names: Vec<_> = Feature::ALL.iter().map(|feature| feature.name()).collect();
            format!("unknown feature '{text}'; there are {}", names.join(", "))
        })
    }
}

/// The features about memory as a whole, with how many in a hundred programs have them
/// beside the first one that they have.
const CONTENTS: &[(Feature, u32)] = &[
    (Feature::Texts, 8),
    (Feature::Padded, 8),
    (Feature::Partly, 10),
    (Feature::Helpers, 12),
    (Feature::Scopes, 8),
    (Feature::Recycled, 8),
    (Feature::Vague, 8),
    (Feature::Drawn, 8),
];

/// What the engines are known not to agree about: `stateful`, several at a time, misses
/// executions if an atomic section goes on after an input.
const ON_REQUEST: &[Feature] = &[Feature::Drawn];

/// Those of them that take many steps.
const LONG: &[Feature] =
    &[Feature::Texts, Feature::Padded, Feature::Scopes, Feature::Recycled, Feature::Drawn];

/// What programs with several instances of a thread have beside them.
const CROWDS: &[Feature] = &[
    Feature::Asserts,
    Feature::Branches,
    Feature::Arrays,
    Feature::Pointers,
    Feature::Locks,
    Feature::Cas,
    Feature::Rmw,
    Feature::C11,
    Feature::Orders,
    Feature::Conditions,
    Feature::Loops,
    Feature::Waits,
    Feature::Assume,
    Feature::Sections,
    Feature::Inputs,
    Feature::Heap,
    Feature::Escape,
    Feature::Calls,
    Feature::Division,
    Feature::Dense,
];

/// A set of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(u128);

impl Features {
    /// All but those that are there on request only.
    pub fn all() -> Features {
        Features(Features::of(Feature::ALL).0 & !Features::of(ON_REQUEST).0)
    }

    pub fn of(features: &[Feature]) -> Features {
        Features(features.iter().fold(0, |bits, &feature| bits | 1 << feature as u32))
    }

    pub fn has(self, feature: Feature) -> bool {
        self.0 >> feature as u32 & 1 != 0
    }

    /// Those that are in both.
    pub fn and(self, other: Features) -> Features {
        Features(self.0 & other.0)
    }

    /// Takes what threads do so many steps that there should be few of them?
    pub fn is_long(self) -> bool {
        LONG.iter().any(|&feature| self.has(feature))
    }

    /// Those of later days, drawn apart: what a seed stood for before stays the same but
    /// for them.
    pub fn pick_late(self, allowed: Features, seed: u64) -> Features {
        let mut rng = fastrand::Rng::with_seed(seed ^ 0x6c61_7465);
        let late = [(Feature::Rewrites, 20), (Feature::Guarded, 15), (Feature::Twins, 25)];
        self.with(&late, allowed, &mut rng)
    }

    /// Those of still later days.
    pub fn pick_later(self, allowed: Features, seed: u64) -> Features {
        let mut rng = fastrand::Rng::with_seed(seed ^ 0x006c_6174_6572);
        let later = [
            (Feature::Torn, 20),
            (Feature::Members, 15),
            (Feature::Tags, 10),
            (Feature::Results, 15),
        ];
        self.with(&later, allowed, &mut rng)
    }

    /// Those of the latest days. What threads know of themselves matters among threads
    /// that could change places.
    pub fn pick_latest(self, allowed: Features, seed: u64) -> Features {
        let mut rng = fastrand::Rng::with_seed(seed ^ 0x6c61_7465_7374);
        let picked = self.with(&[(Feature::Selves, 15)], allowed, &mut rng);
        match picked.has(Feature::Selves) && allowed.has(Feature::Twins) {
            true => picked.with(&[(Feature::Twins, 70)], allowed, &mut rng),
            false => picked,
        }
    }

    /// Those of the newest days.
    pub fn pick_newest(self, allowed: Features, seed: u64) -> Features {
        let mut rng = fastrand::Rng::with_seed(seed ^ 0x6e65_7765_7374);
        let newest = [
            (Feature::Scratch, 30),
            (Feature::Choices, 15),
            (Feature::Glimpses, 15),
            (Feature::Strays, 12),
            (Feature::Attempts, 12),
            (Feature::Handlers, 12),
            (Feature::Detours, 12),
        ];
        self.with(&newest, allowed, &mut rng)
    }

    /// Those about memory as a whole; every program has one of them. They take many steps, so
    /// it has fewer of the others.
    pub fn pick_contents(self, allowed: Features, seed: u64) -> Features {
        let mut rng = fastrand::Rng::with_seed(seed ^ 0x636f_6e74_656e);
        let contents: Vec<_> = CONTENTS.iter().copied().filter(|f| allowed.has(f.0)).collect();
        if contents.is_empty() {
            return self;
        }
        let first = contents[rng.usize(0..contents.len())].0;
        let fewer = self.0 & (u128::from(rng.u64(..)) | Features::of(&[Feature::Asserts]).0);
        let always = [(first, 100), (Feature::Reread, 100)];
        Features(fewer).with(&always, allowed, &mut rng).with(&contents, allowed, &mut rng)
    }

    /// Those of programs that are looked at twice, with something more that may happen: every
    /// program has one of them.
    pub fn pick_twice(self, allowed: Features, seed: u64) -> Features {
        let mut rng = fastrand::Rng::with_seed(seed ^ 0x0074_7769_6365);
        let kept = Features::of(&[Feature::Asserts, Feature::Branches, Feature::Calls]).0;
        let fewer = self.0 & (u128::from(rng.u64(..)) & u128::from(rng.u64(..)) | kept);
        let one = if rng.bool() { Feature::Rechecks } else { Feature::Failing };
        Features(fewer).with(&[(one, 100)], allowed, &mut rng)
    }

    /// Those of programs with several instances of a thread: every program has them, and little
    /// of what the analysis of invariants does not follow.
    pub fn pick_crowds(self, allowed: Features, seed: u64) -> Features {
        let mut rng = fastrand::Rng::with_seed(seed ^ 0x6372_6f77_6473);
        let fewer = self.and(Features::of(CROWDS));
        let some = [(Feature::Crowds, 100), (Feature::Keepers, 60), (Feature::Nested, 20)];
        fewer.with(&some, allowed, &mut rng)
    }

    /// Those of programs about critical sections that do not matter, or nearly, and of ones
    /// about barriers with more threads than they are for: every program has one of them.
    pub fn pick_apart(self, allowed: Features, seed: u64) -> Features {
        let mut rng = fastrand::Rng::with_seed(seed ^ 0x0061_7061_7274);
        let both = allowed.has(Feature::Withdrawn) && allowed.has(Feature::Meetings);
        let meetings = match both {
            true => rng.u32(0..100) < 30,
            false => allowed.has(Feature::Meetings),
        };
        let one = if meetings { Feature::Meetings } else { Feature::Withdrawn };
        Features(0).with(&[(one, 100)], allowed, &mut rng)
    }

    /// Those of programs about loops whose turns leave nothing behind: every program has them,
    /// and little else.
    pub fn pick_turns(self, allowed: Features) -> Features {
        self.and(allowed).and(Features::of(&[Feature::Turns])).with(
            &[(Feature::Turns, 100)],
            allowed,
            &mut fastrand::Rng::with_seed(0),
        )
    }

    fn with(self, some: &[(Feature, u32)], allowed: Features, rng: &mut fastrand::Rng) -> Features {
        let picked =
            some.iter().filter(|(f, percent)| rng.u32(0..100) < *percent && allowed.has(*f));
        Features(picked.fold(self.0, |bits, (feature, _)| bits | 1 << *feature as u32))
    }

    /// A random few of them.
    pub fn pick(self, rng: &mut fastrand::Rng) -> Features {
        let drawn = Feature::ALL.iter().filter(|f| f.percent() > 0);
        let picked = drawn.filter(|&&f| rng.u32(0..100) < f.percent() && self.has(f));
        Features(picked.fold(0, |bits, &feature| bits | 1 << feature as u32))
    }
}
