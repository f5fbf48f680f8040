//! Why a clause of the theory holds in every order, so that somebody else can see it.
//!
//! A lemma is a cycle of edges. Each edge is there because a literal of the clause is false,
//! or because of what a read takes, which asks for a path over edges that came before.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lemma {
    /// The edges, and those that make the cycle, in its order. What chains and fixed edges
    /// join is not among them.
    Cycle { links: Vec<Link>, cycle: Vec<u32> },
    /// A read takes one write only.
    Taken { location: u32, read: u32 },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub from: u32,
    pub to: u32,
    pub because: Because,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    Literal(i32),
    /// The read takes the write, and another write acts: the path from the write to the other
    /// one puts the read before that; a path from the other one to the read puts it before
    /// the write.
    FromRead {
        derived: Derived,
        path: Vec<u32>,
    },
}

/// Which read, write and other write; all are indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derived {
    pub location: u32,
    pub read: u32,
    pub write: u32,
    pub other: u32,
}

fn hops(f: &mut fmt::Formatter<'_>, hops: &[u32]) -> fmt::Result {
    // From 1 on, since 0 is the end.
    hops.iter().try_for_each(|hop| write!(f, " {}", hop + 1))?;
    f.write_str(" 0")
}

/// `e FROM TO l LITERAL`, `e FROM TO r LOCATION READ WRITE OTHER PATH 0`, `c CYCLE 0`;
/// `x LOCATION READ`.
impl fmt::Display for Lemma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (links, cycle) = match self {
            Lemma::Taken { location, read } => return write!(f, "x {location} {read}"),
            Lemma::Cycle { links, cycle } => (links, cycle),
        };
        for Link { from, to, because } in links {
            write!(f, "e {from} {to} ")?;
            match because {
                Because::Literal(literal) => write!(f, "l {literal} ")?,
                Because::FromRead { derived, path } => {
                    let Derived { location, read, write, other } = derived;
                    write!(f, "r {location} {read} {write} {other}")?;
                    hops(f, path)?;
                    f.write_str(" ")?;
                }
            }
        }
        f.write_str("c")?;
        hops(f, cycle)
    }
}

struct Words<'a>(std::str::SplitAsciiWhitespace<'a>);

impl Words<'_> {
    fn number<T: FromStr>(&mut self) -> Option<T> {
        self.0.next()?.parse().ok()
    }

    fn hops(&mut self) -> Option<Vec<u32>> {
        let mut hops = Vec::new();
        loop {
            match self.number::<u32>()?.checked_sub(1) {
                Some(hop) => hops.push(hop),
                None => return Some(hops),
            }
        }
    }

    fn because(&mut self) -> Option<Because> {
        Some(match self.0.next()? {
            "l" => Because::Literal(self.number()?),
            "r" => {
                let (location, read) = (self.number()?, self.number()?);
                let (write, other) = (self.number()?, self.number()?);
                let derived = Derived { location, read, write, other };
                Because::FromRead { derived, path: self.hops()? }
            }
            _ => return None,
        })
    }

    fn lemma(&mut self) -> Option<Lemma> {
        let mut links = Vec::new();
        let lemma = loop {
            match self.0.next()? {
                "x" => break Lemma::Taken { location: self.number()?, read: self.number()? },
                "c" => break Lemma::Cycle { links, cycle: self.hops()? },
                "e" => links.push(Link {
                    from: self.number()?,
                    to: self.number()?,
                    because: self.because()?,
                }),
                _ => return None,
            }
        };
        self.0.next().is_none().then_some(lemma)
    }
}

impl Lemma {
    /// What [`fmt::Display`] wrote.
    pub fn parse(text: &str) -> Option<Lemma> {
        Words(text.split_ascii_whitespace()).lemma()
    }
}
