//! Builds the graph: nodes in the order in which they are found, each with a state that grows
//! until nothing changes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::future::{Blocked, Futures, Reached};
use super::insensitive::Oblivious;
use super::{Edge, Graph, Next, Node, Place, Slot, Standing, Thread, contested};
use crate::invariants::objects::{CellId, ClassId};
use crate::invariants::state::{Lock, State};
use crate::invariants::{Analysis, Stop};
use crate::site::Site;

/// Sites that were reached before, and nodes at which the order does not matter.
pub type Known<'a> = (Reached<'a>, Option<&'a Oblivious>);

/// Joins before widening, widenings before thresholds are given up.
const JOINS: u32 = 3;
const WIDENINGS: u32 = 20;

#[derive(Default)]
pub struct Search {
    pub nodes: Vec<Product>,
    numbers: BTreeMap<Vec<Thread>, usize>,
    /// From, to, which slot moves.
    pub edges: BTreeMap<(usize, usize, usize), ()>,
    pub reached: BTreeSet<(ClassId, Site)>,
    pub more_threads: bool,
}

/// A node while the graph is built.
pub struct Product {
    pub threads: Vec<Thread>,
    pub state: State,
    /// Which edges are taken at conditions that are tested from here, by slot.
    pub outcomes: BTreeMap<(usize, Site), BTreeSet<usize>>,
    visits: u32,
    choice: Option<Choice>,
}

#[derive(Clone, Copy, PartialEq)]
enum Choice {
    One(usize),
    All,
}

/// What is fixed during a search.
pub struct Setting<'a> {
    pub slots: &'a [Slot],
    pub contested: BTreeSet<CellId>,
    known: Known<'a>,
    futures: Futures,
}

pub fn search(
    analysis: &mut Analysis,
    slots: &[Slot],
    known: Known,
    most: usize,
) -> Result<Search, Stop> {
    let contested = contested(analysis, slots);
    let mut setting = Setting { slots, contested, known, futures: Futures::default() };
    let mut search = Search::default();
    let mut todo = VecDeque::new();
    for (threads, state) in search.begin(analysis, &setting)? {
        search.note(analysis, threads, state, &mut todo);
    }
    while let Some(at) = todo.pop_front() {
        search.expand(analysis, &mut setting, at, &mut todo)?;
        if search.nodes.len() > most {
            return Err(analysis.give_up(format!("the graph has more than {most} nodes")));
        }
    }
    Ok(search)
}

impl Search {
    pub fn keys(&self) -> BTreeSet<&Vec<Thread>> {
        self.numbers.keys().collect()
    }

    /// A node is reached in a state; its number, and whether it was new.
    fn note(
        &mut self,
        analysis: &Analysis,
        threads: Vec<Thread>,
        state: State,
        todo: &mut VecDeque<usize>,
    ) -> (usize, bool) {
        let Some(&at) = self.numbers.get(&threads) else {
            let at = self.nodes.len();
            self.numbers.insert(threads.clone(), at);
            let outcomes = BTreeMap::new();
            self.nodes.push(Product { threads, state, outcomes, visits: 0, choice: None });
            todo.push_back(at);
            return (at, true);
        };
        let node = &mut self.nodes[at];
        if state.leq(&node.state) {
            return (at, false);
        }
        node.visits += 1;
        let joined = node.state.join(&state);
        node.state = match node.visits {
            visits if visits <= JOINS => joined,
            visits if visits <= WIDENINGS => node.state.widen(&joined, analysis.stops(0)),
            _ => node.state.widen(&joined, analysis.stops(u32::MAX)),
        };
        if !todo.contains(&at) {
            todo.push_back(at);
        }
        (at, false)
    }

    fn expand(
        &mut self,
        analysis: &mut Analysis,
        setting: &mut Setting,
        at: usize,
        todo: &mut VecDeque<usize>,
    ) -> Result<(), Stop> {
        // The end of `main` ends the process.
        if self.nodes[at].threads[0] == Thread::Ended {
            return Ok(());
        }
        let choice = match self.nodes[at].choice {
            Some(choice) => choice,
            None => self.choose(analysis, setting, at),
        };
        let first_time = self.nodes[at].choice.is_none();
        self.nodes[at].choice = Some(choice);
        if let Choice::One(slot) = choice {
            let news = self.move_slot(analysis, setting, (at, slot), todo)?;
            if !first_time || news {
                return Ok(());
            }
            self.nodes[at].choice = Some(Choice::All);
        }
        for slot in 0..setting.slots.len() {
            if self.is_enabled(setting, at, slot) && choice != Choice::One(slot) {
                self.move_slot(analysis, setting, (at, slot), todo)?;
            }
        }
        Ok(())
    }

    /// Executes the next transaction of a thread. Does that lead to a node that was not
    /// looked at yet?
    fn move_slot(
        &mut self,
        analysis: &mut Analysis,
        setting: &Setting,
        (at, slot): (usize, usize),
        todo: &mut VecDeque<usize>,
    ) -> Result<bool, Stop> {
        let mut news = false;
        for (threads, state) in self.execute(analysis, setting, (at, slot))? {
            let (to, _) = self.note(analysis, threads, state, todo);
            news |= self.nodes[to].choice.is_none();
            self.edges.insert((at, to, slot), ());
        }
        Ok(news)
    }

    fn is_enabled(&self, setting: &Setting, at: usize, slot: usize) -> bool {
        let threads = &self.nodes[at].threads;
        let Thread::At(place) = &threads[slot] else { return false };
        let held_elsewhere = |lock: &Lock| {
            threads.iter().enumerate().any(|(other, thread)| {
                other != slot && matches!(thread, Thread::At(place) if place.held.contains(lock))
            })
        };
        // Nobody moves beside an atomic section.
        if held_elsewhere(&Lock::Atomic) {
            return false;
        }
        match &place.next {
            Next::Go | Next::Touch => true,
            Next::Take(lock) | Next::Retake(lock) => !held_elsewhere(lock),
            Next::Join(classes) => threads
                .iter()
                .zip(setting.slots)
                .any(|(thread, slot)| *thread == Thread::Ended && classes.contains(&slot.class)),
        }
    }

    /// One thread, if it does not matter what others do before it moves.
    fn choose(&self, analysis: &Analysis, setting: &mut Setting, at: usize) -> Choice {
        let enabled: Vec<usize> =
            (0..setting.slots.len()).filter(|&slot| self.is_enabled(setting, at, slot)).collect();
        if let Some(&alone) =
            enabled.iter().find(|&&slot| self.is_alone(analysis, setting, at, slot))
        {
            return Choice::One(alone);
        }
        let threads = &self.nodes[at].threads;
        let oblivious = setting.known.1.is_some_and(|oblivious| oblivious.contains(threads));
        let touches = |slot: &&usize| matches!(&threads[**slot], Thread::At(place) if place.next == Next::Touch);
        match enabled.iter().find(touches).filter(|_| oblivious) {
            Some(&first) => Choice::One(first),
            None => Choice::All,
        }
    }

    /// Is the next step of a thread independent of all that others may do before it?
    fn is_alone(&self, analysis: &Analysis, setting: &mut Setting, at: usize, slot: usize) -> bool {
        let threads = &self.nodes[at].threads;
        let Thread::At(Place { held, next, .. }) = &threads[slot] else { return false };
        let class = setting.slots[slot].class;
        let site = match &threads[slot] {
            Thread::At(place) => place.site(),
            _ => None,
        };
        let mine = site.and_then(|site| analysis.deeds.get(&(class, site)));
        let only = setting.slots.iter().filter(|other| other.class == class).count() == 1;
        let blocked = Blocked { locks: held.clone(), ends: only.then_some(class) };
        for (other, thread) in threads.iter().enumerate() {
            if other == slot || !matches!(thread, Thread::At(_)) {
                continue;
            }
            let who = (setting.slots[other].class, thread);
            let theirs = setting.futures.of(analysis, setting.known.0, who, &blocked);
            let depends = match next {
                Next::Go | Next::Join(_) => false,
                // What happens in a section is not looked at here.
                Next::Take(Lock::Atomic) => true,
                Next::Take(lock) | Next::Retake(lock) => {
                    theirs.takes.contains(lock) || theirs.takes.contains(&Lock::Atomic)
                }
                Next::Touch => mine.is_none_or(|mine| {
                    !mine.writes.is_disjoint(&theirs.writes)
                        || !mine.writes.is_disjoint(&theirs.reads)
                        || !mine.reads.is_disjoint(&theirs.writes)
                }),
            };
            if depends {
                return false;
            }
        }
        true
    }

    pub fn graph(&self, analysis: &Analysis, slots: &[Slot], rounds: u32) -> Graph {
        let standing = |thread: &Thread| match thread {
            Thread::Unborn => Standing::Unborn,
            Thread::Ended => Standing::Ended,
            Thread::At(place) => {
                let site = place.site();
                let users = place.frames.iter().rev().map(|(frame, block, index)| {
                    Site { function: frame.function, block: *block, index: *index }
                        .span(analysis.program)
                });
                let users = users.into_iter().find(|span| {
                    span.is_known() && analysis.program.whose(*span) == heddle_ir::Whose::User
                });
                let span = users.or(site.map(|site| site.span(analysis.program)));
                let function = place.frames.last().map_or(analysis.entry, |(f, ..)| f.function);
                let name = |lock: &Lock| match lock {
                    Lock::Atomic => "atomic".to_string(),
                    Lock::At(cell) => analysis.place(*cell),
                };
                Standing::At {
                    span: span.unwrap_or(heddle_ir::Span::UNKNOWN),
                    function,
                    held: place.held.iter().map(name).collect(),
                    waits: matches!(place.next, Next::Join(_) | Next::Retake(_)),
                }
            }
        };
        let nodes = self
            .nodes
            .iter()
            .map(|node| Node { threads: node.threads.iter().map(standing).collect() });
        let edges =
            self.edges.keys().map(|&(from, to, thread)| Edge { from, to, thread }).collect();
        let name =
            |slot: &Slot| analysis.program.function(slot.function).display_name().to_string();
        Graph {
            threads: slots.iter().map(name).collect(),
            nodes: nodes.collect(),
            edges,
            rounds,
            more_threads: self.more_threads,
        }
    }
}
