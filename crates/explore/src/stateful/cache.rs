//! Steps that were taken before.
//!
//! Most steps of a search are taken again and again, in states that differ in what the
//! step does not look at. What a step looks at is a tree of questions: the first one is
//! the same for all states in which the thread is the same, and each further one depends
//! on the answers before. At the end of the answers stands what the step does. So it need
//! not be taken where all answers are known.
//!
//! LTSmin remembers steps by the parts of the state that they depend on, as known before
//! the search (Blom, van de Pol and Weber, "LTSmin: Distributed and Symbolic
//! Reachability", CAV 2010). Here the machine tells what each step did look at.

use rustc_hash::FxHashMap;

/// Something that a step looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Which part stands at a position?
    Part(u32),
    /// How many words does it have? That tells whether all of an object is defined.
    Length(u32),
    /// Some bits of a word of the part at a position.
    Word { at: u32, index: u32, mask: u64 },
    /// Some bits of a word that says which bits are undefined, where there is one.
    Undefined { at: u32, index: u32, full: u32, mask: u64 },
    /// Whether the halves of a word look like ids of threads.
    Codes { at: u32, index: u32 },
}

/// What to ask first: the thread, by its part, and what it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Root {
    pub thread: u32,
    pub part: u32,
    pub what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    Enabled,
    Step,
    /// The store of this rank among its stores that can get to memory does.
    Flush(u32),
}

/// What comes of it.
#[derive(Debug)]
pub enum Outcome {
    Enabled(bool),
    Step { edits: Box<[Edit]>, looped: bool },
}

/// A change of the part at a position.
#[derive(Debug)]
pub enum Edit {
    Part {
        at: u32,
        id: u32,
    },
    /// Some bits of some words.
    Words {
        at: u32,
        number: u32,
        words: Box<[Bits]>,
    },
}

#[derive(Clone, Copy, Debug)]
pub struct Bits {
    pub index: u32,
    pub mask: u64,
    pub value: u64,
}

#[derive(Clone, Copy, Debug)]
enum Node {
    Unknown,
    Asks(Question),
    Ends(u32),
}

/// Steps to look at before it is judged whether any come again.
const TRIAL: u64 = 1 << 14;
/// Questions and answers that are kept at most.
const MOST: usize = 1 << 22;

#[derive(Default)]
pub struct Cache {
    roots: FxHashMap<Root, u32>,
    nodes: Vec<Node>,
    answers: FxHashMap<(u32, u64), u32>,
    outcomes: Vec<Outcome>,
    /// Results of changes of words, by what the part was and the change's number.
    changed: FxHashMap<(u32, u32), u32>,
    numbers: u32,
    asked: u64,
    found: u64,
    off: bool,
}

impl Cache {
    pub fn new(on: bool) -> Cache {
        Cache { off: !on, ..Cache::default() }
    }

    pub fn is_on(&self) -> bool {
        !self.off
    }

    /// The number of what comes of it, if that is known.
    pub fn find(&mut self, root: Root, answer: impl Fn(Question) -> u64) -> Option<u32> {
        self.asked += 1;
        let mut node = *self.roots.get(&root)?;
        loop {
            match self.nodes[node as usize] {
                Node::Unknown => return None,
                Node::Ends(outcome) => {
                    self.found += 1;
                    return Some(outcome);
                }
                Node::Asks(question) => node = *self.answers.get(&(node, answer(question)))?,
            }
        }
    }

    pub fn outcome(&self, number: u32) -> &Outcome {
        &self.outcomes[number as usize]
    }

    /// Keeps what came of it.
    pub fn insert(
        &mut self,
        root: Root,
        asked: &[Question],
        answer: impl Fn(Question) -> u64,
        outcome: Outcome,
    ) {
        if self.asked >= TRIAL && self.found < self.asked / 8 || self.nodes.len() > MOST {
            *self = Cache::new(false);
            return;
        }
        let nodes = &mut self.nodes;
        let mut node = *self.roots.entry(root).or_insert_with(|| add(nodes));
        for &question in asked {
            match nodes[node as usize] {
                Node::Unknown => nodes[node as usize] = Node::Asks(question),
                Node::Asks(other) if other == question => {}
                // The same questions have the same answers, so that would be an error here.
                _ => {
                    debug_assert!(false, "a step asks {question:?}, and did not before");
                    return;
                }
            }
            let key = (node, answer(question));
            node = *self.answers.entry(key).or_insert_with(|| add(nodes));
        }
        let open = matches!(nodes[node as usize], Node::Unknown);
        debug_assert!(open, "a step asks no more, and did before");
        if open {
            nodes[node as usize] = Node::Ends(self.outcomes.len() as u32);
            self.outcomes.push(outcome);
        }
    }

    /// A number for a new change of words.
    pub fn next_number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers
    }

    /// What a change of words makes of a part.
    pub fn changed(&self, part: u32, number: u32) -> Option<u32> {
        self.changed.get(&(part, number)).copied()
    }

    pub fn keep_changed(&mut self, part: u32, number: u32, id: u32) {
        if self.changed.len() > MOST {
            self.changed.clear();
        }
        self.changed.insert((part, number), id);
    }

    pub fn bytes(&self) -> u64 {
        let answers = self.answers.capacity() * (size_of::<((u32, u64), u32)>() + 1);
        let changed = self.changed.capacity() * (size_of::<((u32, u32), u32)>() + 1);
        let roots = self.roots.capacity() * (size_of::<(Root, u32)>() + 1);
        let nodes = self.nodes.capacity() * size_of::<Node>();
        // An outcome has about two changes.
        let outcomes = self.outcomes.capacity() * (size_of::<Outcome>() + 96);
        (answers + changed + roots + nodes + outcomes) as u64
    }
}

fn add(nodes: &mut Vec<Node>) -> u32 {
    nodes.push(Node::Unknown);
    nodes.len() as u32 - 1
}
