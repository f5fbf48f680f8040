//! Inclusion constraints between sets of pointers.
//!
//! L. O. Andersen, "Program Analysis and Specialization for the C Programming
//! Language" (PhD thesis, DIKU 1994), chapter 4; differences are passed on, not whole
//! sets, after Pearce, Kelly and Hankin, "Online Cycle Detection and Difference
//! Propagation" (SCAM 2003). Deviations:
//!
//! 1. A pointer is an object and an offset into it. One that gets more than a few
//!    offsets into the same object is taken to point anywhere into it.
//! 2. What memory holds is kept for each word of eight bytes, whatever type it is
//!    accessed with: a pointer that is copied byte by byte is not lost.
//! 3. No cycles are collapsed.

use heddle_ir::FuncId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::object::{Object, ObjectId, Objects, Offset};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(pub u32);

/// Offsets of one object after which they are not told apart any more.
pub const FEW: usize = 32;
/// The same for a pointer that may point to this many objects or more: nothing much is
/// known about it anyway, and there may be many such.
const FEW_OF_MANY: usize = 2;
const MANY: usize = 8;
const WORD: i64 = 8;

/// What a copy does to offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shift {
    By(i64),
    Anywhere,
    /// Without these bits, which are below what objects are aligned to.
    Clear(i64),
    /// With these bits.
    Set(i64),
    /// As `Anywhere`, for a number that is computed with: one that never was a
    /// pointer does not become one.
    Number,
}

/// Pointers of one node: for each object the offsets, `None` for any.
#[derive(Clone, Debug, Default)]
pub struct Pointers {
    pub objects: FxHashMap<ObjectId, Option<Vec<i64>>>,
}

impl Pointers {
    /// Adds a pointer; what is new about it, if anything.
    fn insert(&mut self, object: ObjectId, offset: Offset) -> Option<(ObjectId, Offset)> {
        let most = if self.objects.len() < MANY { FEW } else { FEW_OF_MANY };
        let offsets = self.objects.entry(object).or_insert_with(|| Some(Vec::new()));
        let few = offsets.as_mut()?;
        match offset {
            Some(offset) if few.contains(&offset) => None,
            Some(offset) if few.len() < most && object != ObjectId::WILD => {
                few.push(offset);
                Some((object, Some(offset)))
            }
            _ => {
                *offsets = None;
                Some((object, None))
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (ObjectId, Offset)> {
        self.objects.iter().flat_map(|(&object, offsets)| {
            let none: &[i64] = &[];
            let known = offsets.as_deref().unwrap_or(none).iter().map(move |&o| (object, Some(o)));
            known.chain(offsets.is_none().then_some((object, None)))
        })
    }
}

/// What happens for each pointer of a node.
#[derive(Clone, Copy, Debug)]
enum Use {
    Load {
        into: Node,
        bytes: u32,
    },
    Store {
        from: Node,
        bytes: u32,
    },
    /// The contents of what it points to are copied to another object.
    CopyTo(ObjectId),
    /// It is called: see [`Solver::take_calls`].
    Call(u32),
}

#[derive(Default)]
struct State {
    pointers: Pointers,
    fresh: Vec<(ObjectId, Offset)>,
    copies: Vec<(Node, Shift)>,
    uses: Vec<Use>,
    queued: bool,
}

#[derive(Default)]
pub struct Solver {
    pub objects: Objects,
    nodes: Vec<State>,
    /// Contents of one word of an object, of an unknown one, and of all.
    words: FxHashMap<(ObjectId, i64), Node>,
    somewhere: FxHashMap<ObjectId, Node>,
    anywhere: FxHashMap<ObjectId, Node>,
    edges: FxHashSet<(Node, Node, Shift)>,
    todo: Vec<Node>,
    calls: Vec<(u32, FuncId)>,
    /// What was stored through pointers made from numbers.
    wild: Option<Node>,
    /// How many pointers may be passed on before it is given up, if there is a limit.
    pub patience: Option<u64>,
    /// It was given up, or something is called through a pointer made from a number.
    pub lost: bool,
}

impl Solver {
    pub fn node(&mut self) -> Node {
        self.nodes.push(State::default());
        Node(self.nodes.len() as u32 - 1)
    }

    /// Room for registers.
    pub fn nodes(&mut self, count: usize) -> Node {
        let first = Node(self.nodes.len() as u32);
        self.nodes.resize_with(self.nodes.len() + count, State::default);
        first
    }

    /// A node that holds one pointer.
    pub fn pointer(&mut self, object: Object, offset: Offset) -> Node {
        let node = self.node();
        self.add(node, object, offset);
        node
    }

    pub fn add(&mut self, node: Node, object: Object, offset: Offset) {
        let object = self.objects.intern(object);
        self.insert(node, object, offset);
    }

    pub fn pointers(&self, node: Node) -> &Pointers {
        &self.nodes[node.0 as usize].pointers
    }

    fn insert(&mut self, node: Node, object: ObjectId, offset: Offset) {
        let state = &mut self.nodes[node.0 as usize];
        if let Some(new) = state.pointers.insert(object, offset) {
            state.fresh.push(new);
            if !std::mem::replace(&mut state.queued, true) {
                self.todo.push(node);
            }
        }
    }

    pub fn copy(&mut self, from: Node, into: Node, shift: Shift) {
        if from == into && shift == Shift::By(0) || !self.edges.insert((from, into, shift)) {
            return;
        }
        self.nodes[from.0 as usize].copies.push((into, shift));
        for (object, offset) in self.pointers(from).iter().collect::<Vec<_>>() {
            self.pass(into, shift, object, offset);
        }
    }

    fn pass(&mut self, into: Node, shift: Shift, object: ObjectId, offset: Offset) {
        let offset = match shift {
            Shift::By(by) => offset.map(|offset| offset.wrapping_add(by)),
            Shift::Clear(bits) => offset.map(|offset| offset & !bits),
            Shift::Set(bits) => offset.map(|offset| offset | bits),
            Shift::Number if object == ObjectId::WILD => return,
            Shift::Anywhere | Shift::Number => None,
        };
        self.insert(into, object, offset);
    }

    pub fn load(&mut self, address: Node, into: Node, bytes: u32) {
        let wild = self.wild();
        self.copy(wild, into, Shift::By(0));
        self.add_use(address, Use::Load { into, bytes });
    }

    pub fn store(&mut self, address: Node, from: Node, bytes: u32) {
        self.add_use(address, Use::Store { from, bytes });
    }

    pub fn copy_contents(&mut self, address: Node, into: Object) {
        let into = self.objects.intern(into);
        self.add_use(address, Use::CopyTo(into));
    }

    /// Functions among the pointers are reported with this number.
    pub fn call(&mut self, callee: Node, number: u32) {
        self.add_use(callee, Use::Call(number));
    }

    fn add_use(&mut self, node: Node, how: Use) {
        self.nodes[node.0 as usize].uses.push(how);
        for (object, offset) in self.pointers(node).iter().collect::<Vec<_>>() {
            self.apply(how, object, offset);
        }
    }

    /// What is stored through pointers made from numbers; part of every load.
    pub fn wild(&mut self) -> Node {
        match self.wild {
            Some(node) => node,
            None => *self.wild.insert(Node({
                self.nodes.push(State::default());
                self.nodes.len() as u32 - 1
            })),
        }
    }

    fn apply(&mut self, how: Use, object: ObjectId, offset: Offset) {
        match how {
            Use::Load { into, .. } if object == ObjectId::WILD => {
                self.insert(into, object, None);
            }
            Use::Load { into, bytes } => match offset {
                Some(offset) => {
                    for word in words(offset, bytes) {
                        let from = self.word(object, word);
                        self.copy(from, into, Shift::By(0));
                    }
                }
                None => {
                    let from = self.contents(object);
                    self.copy(from, into, Shift::By(0));
                }
            },
            Use::Store { from, .. } if object == ObjectId::WILD => {
                let wild = self.wild();
                self.copy(from, wild, Shift::By(0));
            }
            Use::Store { from, bytes } => match offset {
                Some(offset) => {
                    for word in words(offset, bytes) {
                        let into = self.word(object, word);
                        self.copy(from, into, Shift::By(0));
                    }
                }
                None => {
                    let into = self.somewhere(object);
                    self.copy(from, into, Shift::By(0));
                }
            },
            Use::CopyTo(other) => {
                let (from, into) = (self.contents(object), self.somewhere(other));
                self.copy(from, into, Shift::By(0));
            }
            Use::Call(_) if object == ObjectId::WILD => self.lost = true,
            Use::Call(number) => {
                if let Object::Function(function) = self.objects.get(object) {
                    self.calls.push((number, function));
                }
            }
        }
    }

    /// Contents of one word of an object.
    pub fn word(&mut self, object: ObjectId, word: i64) -> Node {
        if let Some(&node) = self.words.get(&(object, word)) {
            return node;
        }
        let node = self.node();
        self.words.insert((object, word), node);
        let (somewhere, all) = (self.somewhere(object), self.contents(object));
        self.copy(somewhere, node, Shift::By(0));
        self.copy(node, all, Shift::By(0));
        node
    }

    /// What was stored somewhere in an object.
    pub fn somewhere(&mut self, object: ObjectId) -> Node {
        if let Some(&node) = self.somewhere.get(&object) {
            return node;
        }
        let node = self.node();
        self.somewhere.insert(object, node);
        let all = self.contents(object);
        self.copy(node, all, Shift::By(0));
        node
    }

    /// All that an object holds.
    pub fn contents(&mut self, object: ObjectId) -> Node {
        if let Some(&node) = self.anywhere.get(&object) {
            return node;
        }
        let node = self.node();
        self.anywhere.insert(object, node);
        node
    }

    /// With a limit there is no need to go on once it is lost.
    fn gives_up(&mut self, node: Node) -> bool {
        let Some(patience) = &mut self.patience else { return false };
        let state = &self.nodes[node.0 as usize];
        let work = state.fresh.len() * (state.copies.len() + state.uses.len());
        *patience = patience.saturating_sub(work as u64);
        self.lost |= *patience == 0;
        self.lost
    }

    /// Passes everything on until nothing is new. Gives the calls that were found.
    pub fn solve(&mut self) -> Vec<(u32, FuncId)> {
        while let Some(node) = self.todo.pop() {
            if self.gives_up(node) {
                return Vec::new();
            }
            let state = &mut self.nodes[node.0 as usize];
            state.queued = false;
            let fresh = std::mem::take(&mut state.fresh);
            for at in 0..self.nodes[node.0 as usize].copies.len() {
                let (into, shift) = self.nodes[node.0 as usize].copies[at];
                for &(object, offset) in &fresh {
                    self.pass(into, shift, object, offset);
                }
            }
            for at in 0..self.nodes[node.0 as usize].uses.len() {
                let how = self.nodes[node.0 as usize].uses[at];
                for &(object, offset) in &fresh {
                    self.apply(how, object, offset);
                }
            }
        }
        std::mem::take(&mut self.calls)
    }
}

fn words(offset: i64, bytes: u32) -> std::ops::RangeInclusive<i64> {
    let last = offset.wrapping_add(i64::from(bytes.max(1)) - 1);
    offset.div_euclid(WORD)..=last.div_euclid(WORD)
}
