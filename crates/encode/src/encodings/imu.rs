//! Unwinding of each location: the writes to a cell are a sequence of their own, and times
//! order all sequences.
//!
//! Follows Tomasco, Nguyen, Fischer, La Torre and Parlato ("Using Shared Memory Abstractions
//! to Design Eager Sequentializations for Weak Memory Models", SEFM 2017; chapter 6 of the
//! thesis in `docs/papers.md`, Figures 6.1 to 6.8). A write of a thread is at a place of its
//! cell's sequence; a read takes the last place whose time is before its own. Under TSO and
//! PSO a store has a second time, when it reaches memory, and it is that one which places it.
//!
//! Deviations:
//! 1. No program. Every point has a time, and so has the arrival of every store that may
//!    wait; the truths of comparing them say who reads what (`reads-from` in `place_before`).
//! 2. A time is a number and, below it, the thread: so no two threads do anything at the
//!    same time, with no table of times in use (Figure 6.1), and the points of a thread have
//!    growing numbers. There are as many numbers as points and stores, so the clock is no
//!    bound.
//! 3. Places belong to points (`accesses`); the first place is what was there before any
//!    write (the figures leave no time for initial values), so W means W writes.
//! 4. A cell that one thread alone writes needs no guessed sequence: it is the order of the
//!    program, whatever W is, or under PSO too, since stores to one cell stay in order. So
//!    creation, end and join of threads do not eat W.
//! 5. A fence does not jump to a time: it, and whatever else drains, demands that the times
//!    of earlier stores are before its own. So do read-modify-writes, unlock included
//!    (section 6.3.2 lets an unlock be seen before the stores it should follow).
//! 6. What follows from comparing numbers is also said of the comparisons (`order`), since a
//!    solver sees it there without adding up bits.
//! 7. Which stores are in order is asked of the memory model (`stores`), not written into
//!    the times: stores of mixed width, release stores and fences that only order.
//!
//! Complete if no run fills the sequence of a cell: any run with more writes has a part that
//! does. Size: with P points, n times of log n bits, and for each cell r reads and w writes of
//! b bits, O(P · log n + Σ (r + w) · W · (b + log n)) gates.

use heddle_sat::{Relation, Term};
use heddle_semantics::MemoryModel;
use rustc_hash::FxHashMap;

use crate::bounded::Action;
use crate::encodings::accesses::{Accesses, Leave, find_accesses};
use crate::encodings::order;
use crate::encodings::stores::{drains, whole};
use crate::encodings::{Encoding, Formula, Key, Run, Timeline};
use crate::unfold::facts::Cell;
use crate::watch::Stop;

/// A moment: thread and point, or thread and store that reaches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Moment {
    Point(usize, u32),
    Arrival(usize, usize),
}

impl Moment {
    pub fn thread(self) -> usize {
        match self {
            Moment::Point(thread, _) | Moment::Arrival(thread, _) => thread,
        }
    }
}

/// A place of a cell's sequence.
#[derive(Clone, Copy)]
struct Place {
    /// Something is there.
    used: Term,
    time: Term,
    value: Term,
}

/// The writes to a cell.
struct Sequence {
    /// When each is written, in the order of the program, if one thread alone does.
    fixed: Option<Vec<Moment>>,
    places: Vec<Place>,
}

pub(crate) struct Imu {
    accesses: Accesses,
    /// Thread, point: passed.
    passed: Vec<Vec<Term>>,
    /// Thread, store: in memory.
    arrived: Vec<Vec<Term>>,
    times: FxHashMap<Moment, Term>,
    /// Bits of a time, and how many of them are the thread.
    bits: u32,
    low: u32,
    sequences: FxHashMap<Cell, Sequence>,
    /// Is a place of a cell before a moment?
    before: FxHashMap<(Cell, usize, Moment), Term>,
    /// Of two threads, the smaller moment first: is it before the other?
    orders: FxHashMap<(Moment, Moment), Term>,
    /// Places of guessed sequences of which [`order::chain`] was said.
    chained: usize,
}

impl Imu {
    pub fn new<M: MemoryModel>(f: &mut Formula<'_, M>) -> Result<Imu, Stop> {
        let accesses = find_accesses(f);
        let threads = f.threads();
        let moments: usize =
            (0..threads).map(|thread| f.points(thread) + f.stores[thread].all.len()).sum();
        let low = bits_for(threads);
        let bits = low + bits_for(moments + 1);
        let mut imu = Imu {
            accesses,
            passed: Vec::new(),
            arrived: Vec::new(),
            times: FxHashMap::default(),
            bits,
            low,
            sequences: FxHashMap::default(),
            before: FxHashMap::default(),
            orders: FxHashMap::default(),
            chained: 0,
        };
        for thread in 0..threads {
            imu.pass(f, thread);
            imu.delay(f, thread)?;
        }
        imu.fix(f);
        Ok(imu)
    }

    fn new_time<M: MemoryModel>(&self, f: &mut Formula<'_, M>, thread: usize) -> Term {
        let number = f.terms().variable(self.bits - self.low);
        match self.low {
            0 => number,
            low => {
                let thread = f.terms().constant(thread as u64, low);
                f.terms().concat(number, thread)
            }
        }
    }

    fn earlier<M: MemoryModel>(&self, f: &mut Formula<'_, M>, a: Term, b: Term) -> Term {
        f.terms().relate(Relation::ULt, a, b)
    }

    /// Not later.
    fn by<M: MemoryModel>(&self, f: &mut Formula<'_, M>, a: Term, b: Term) -> Term {
        f.terms().relate(Relation::ULe, a, b)
    }

    /// The points of a thread, in order.
    fn pass<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, thread: usize) {
        let passed = f.truths(f.points(thread));
        let mut last: Option<(Term, Term)> = None;
        for (point, &now) in passed.iter().enumerate() {
            let time = self.new_time(f, thread);
            if let Some((before, earlier)) = last {
                f.imply(now, before);
                let order = self.earlier(f, earlier, time);
                f.any(&[order]);
            }
            self.times.insert(Moment::Point(thread, point as u32), time);
            last = Some((now, time));
        }
        self.passed.push(passed);
    }

    /// The stores of a thread that may wait, and what waits for them.
    fn delay<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, thread: usize) -> Result<(), Stop> {
        let count = f.stores[thread].all.len();
        let arrived = f.truths(count);
        for store in 0..count {
            f.watch.ask()?;
            let point = f.stores[thread].all[store].point;
            let issued = self.times[&Moment::Point(thread, point)];
            let time = self.new_time(f, thread);
            self.times.insert(Moment::Arrival(thread, store), time);
            f.imply(arrived[store], self.passed[thread][point as usize]);
            let after = self.by(f, issued, time);
            f.any(&[after]);
            for at in 0..f.stores[thread].all[store].behind.len() {
                let (earlier, when) = f.stores[thread].all[store].behind[at];
                let both = f.and(arrived[store], when);
                f.imply(both, arrived[earlier]);
                let first = self.times[&Moment::Arrival(thread, earlier)];
                let order = self.by(f, first, time);
                f.imply(both, order);
            }
        }
        self.arrived.push(arrived);
        if count == 0 {
            return Ok(());
        }
        for (index, event) in f.bounded.threads[thread].events.iter().enumerate() {
            let acts = f.and(self.passed[thread][event.point as usize], event.guard);
            let mixed = f.stores[thread].of.get(&(index as u32)).copied();
            let mixed = mixed.and_then(|at| Some((at, f.stores[thread].all[at].mixed?)));
            if drains(&f.model, event) {
                self.drain(f, thread, (index, event.point), acts);
            }
            if let Some((store, mixed)) = mixed {
                let at_once = f.and(acts, mixed);
                self.drain(f, thread, (index, event.point), at_once);
                self.arrive_at_once(f, (thread, store), event.point, at_once);
            }
            if let Action::Clear = event.action {
                let mut waits =
                    |f: &mut Formula<'_, M>, store| self.waits(f, (thread, store), event.point);
                let whole = whole(f, thread, index, &mut waits);
                f.imply(acts, whole);
            }
        }
        Ok(())
    }

    /// All stores before the event are in memory when it acts.
    fn drain<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        thread: usize,
        (index, point): (usize, u32),
        acts: Term,
    ) {
        for store in f.stores[thread].newest_before(index) {
            self.arrive_by(f, (thread, store), point, acts);
        }
    }

    fn arrive_by<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        (thread, store): (usize, usize),
        point: u32,
        when: Term,
    ) {
        let waits = self.waits(f, (thread, store), point);
        let there = f.not(waits);
        f.imply(when, there);
    }

    /// A store reaches memory with its point.
    fn arrive_at_once<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        (thread, store): (usize, usize),
        point: u32,
        when: Term,
    ) {
        f.imply(when, self.arrived[thread][store]);
        let arrival = self.times[&Moment::Arrival(thread, store)];
        let now = self.times[&Moment::Point(thread, point)];
        let same = f.terms().relate(Relation::Eq, arrival, now);
        f.imply(when, same);
    }

    /// Does a store still wait when its own thread is at the point?
    fn waits<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        (thread, store): (usize, usize),
        point: u32,
    ) -> Term {
        let arrival = self.times[&Moment::Arrival(thread, store)];
        let now = self.times[&Moment::Point(thread, point)];
        let there = self.earlier(f, arrival, now);
        let there = f.and(there, self.arrived[thread][store]);
        f.not(there)
    }

    /// When a write takes effect in memory, and whether it does.
    fn effect<M: MemoryModel>(&self, f: &mut Formula<'_, M>, leave: &Leave) -> (Moment, Term) {
        match leave.store {
            Some(store) => {
                let there = self.arrived[leave.thread][store];
                (Moment::Arrival(leave.thread, store), f.and(there, leave.when))
            }
            None => {
                let passed = self.passed[leave.thread][leave.point as usize];
                (Moment::Point(leave.thread, leave.point), f.and(passed, leave.when))
            }
        }
    }

    /// The sequences of cells that one thread alone writes, and for the others none yet.
    fn fix<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>) {
        for cell in self.accesses.cells() {
            let leaves: Vec<Leave> = self.leaves(cell);
            let mut places = Vec::new();
            let mut fixed = None;
            if leaves.windows(2).all(|pair| pair[0].thread == pair[1].thread) {
                let mut moments = Vec::new();
                for leave in &leaves {
                    let (moment, used) = self.effect(f, leave);
                    let (time, value) = (self.times[&moment], leave.value);
                    places.push(Place { used, time, value });
                    moments.push(moment);
                }
                fixed = Some(moments);
            }
            self.sequences.insert(cell, Sequence { fixed, places });
        }
    }

    fn leaves(&self, cell: Cell) -> Vec<Leave> {
        self.accesses.leaves.iter().filter(|leave| leave.cell == cell).copied().collect()
    }

    /// The place has something, and that was there before the moment.
    fn place_before<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        cell: Cell,
        place: usize,
        moment: Moment,
    ) -> Term {
        if let Some(&known) = self.before.get(&(cell, place, moment)) {
            return known;
        }
        let Place { used, time, .. } = self.sequences[&cell].places[place];
        let written = self.sequences[&cell].fixed.as_ref().map(|moments| moments[place]);
        let earlier = match written {
            Some(written) => self.order(f, written, moment),
            None => self.earlier(f, time, self.times[&moment]),
        };
        let before = f.and(used, earlier);
        self.before.insert((cell, place, moment), before);
        before
    }

    /// Is the first moment before the second?
    fn order<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, a: Moment, b: Moment) -> Term {
        if a.thread() == b.thread() {
            return self.earlier(f, self.times[&a], self.times[&b]);
        }
        if a > b {
            // No two threads do anything at the same time.
            let other = self.order(f, b, a);
            return f.not(other);
        }
        if let Some(&known) = self.orders.get(&(a, b)) {
            return known;
        }
        let earlier = self.earlier(f, self.times[&a], self.times[&b]);
        self.orders.insert((a, b), earlier);
        earlier
    }

    /// What follows from the times, said of the comparisons themselves.
    fn relate<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>) {
        if self.chained == 0 {
            order::close(f, &self.orders);
        }
        let mut rows: Vec<((Cell, usize, usize), u32, Term)> = Vec::new();
        for (&(cell, place, moment), &before) in &self.before {
            let guessed = self.sequences[&cell].fixed.is_none() && place >= self.chained;
            if let (true, Moment::Point(thread, point)) = (guessed, moment) {
                rows.push(((cell, place, thread), point, before));
            }
        }
        order::chain(f, &mut rows);
    }

    /// One more place in a sequence, for whoever writes there.
    fn add_place<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, cell: Cell) {
        let used = f.truth();
        let time = f.terms().variable(self.bits);
        let value = self.accesses.holder(f, cell);
        let sequence = self.sequences.get_mut(&cell).expect("has a sequence");
        if let Some(last) = sequence.places.last().copied() {
            f.imply(used, last.used);
            let order = f.terms().relate(Relation::ULt, last.time, time);
            f.imply(used, order);
        }
        sequence.places.push(Place { used, time, value });
        let mut writers = Vec::new();
        for leave in self.leaves(cell) {
            let (moment, acts) = self.effect(f, &leave);
            let same = f.terms().relate(Relation::Eq, time, self.times[&moment]);
            let mine = f.and(acts, same);
            let mine = f.and(mine, used);
            f.equal_if(mine, value, leave.value);
            writers.push(mine);
        }
        f.imply_any(used, &writers);
    }

    /// Within the bound every write has a place in its sequence.
    fn find_places<M: MemoryModel>(&self, f: &mut Formula<'_, M>, cell: Cell, within: Term) {
        for leave in self.leaves(cell) {
            let (moment, acts) = self.effect(f, &leave);
            let here = f.and(acts, within);
            let mut ways = Vec::new();
            for place in &self.sequences[&cell].places {
                let same = f.terms().relate(Relation::Eq, place.time, self.times[&moment]);
                ways.push(f.and(same, place.used));
            }
            f.imply_any(here, &ways);
        }
    }

    /// What a cell holds before a moment, as one of its places: for each, when it is that
    /// one, and its value; the first is what was there in the beginning.
    fn view<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        cell: Cell,
        moment: Moment,
        within: Term,
    ) -> Vec<(Term, Term)> {
        let count = self.sequences[&cell].places.len();
        let mut open = match &self.sequences[&cell].fixed {
            Some(_) => f.always(),
            None => within,
        };
        let mut ways = Vec::new();
        for place in (0..count).rev() {
            let before = self.place_before(f, cell, place, moment);
            let taken = f.and(open, before);
            ways.push((taken, self.sequences[&cell].places[place].value));
            open = f.and_not(open, before);
        }
        ways.push((open, f.bounded.initial[&cell]));
        ways
    }

    /// A read takes what its thread has stored last, if that still waits, else memory.
    fn read<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, at: usize, within: Term) {
        let take = self.accesses.takes[at];
        let moment = Moment::Point(take.thread, take.point);
        let passed = self.passed[take.thread][take.point as usize];
        let mut open = f.and(passed, take.when);
        let own: Vec<Leave> = self.leaves(take.cell).into_iter().rev().collect();
        for leave in own {
            let Some(store) = leave.store else { continue };
            if leave.thread != take.thread || leave.event >= take.event {
                continue;
            }
            let waits = self.waits(f, (leave.thread, store), take.point);
            let mine = f.and(waits, leave.when);
            let taken = f.and(open, mine);
            f.equal_if(taken, take.value, leave.value);
            // What it wrote before this is not to be seen, waiting or not.
            open = f.and_not(open, mine);
        }
        for (when, value) in self.view(f, take.cell, moment, within) {
            let taken = f.and(open, when);
            f.equal_if(taken, take.value, value);
        }
    }

    /// Stores that find their object gone.
    fn late<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, within: Term) -> Vec<Term> {
        let mut late = Vec::new();
        for at in 0..self.accesses.visits.len() {
            let visit = self.accesses.visits[at];
            let (moment, there) = match visit.store {
                Some(store) => {
                    let moment = Moment::Arrival(visit.thread, store);
                    (moment, self.arrived[visit.thread][store])
                }
                None => {
                    let passed = self.passed[visit.thread][visit.point as usize];
                    (Moment::Point(visit.thread, visit.point), passed)
                }
            };
            let here = f.and(there, visit.when);
            for (when, life) in self.view(f, visit.life, moment, within) {
                let taken = f.and(here, when);
                late.push(f.is_gone(life, taken));
            }
        }
        late
    }

    fn content<M: MemoryModel>(&self, f: &mut Formula<'_, M>) -> FxHashMap<Cell, Term> {
        let mut content = f.bounded.initial.clone();
        for (&cell, sequence) in &self.sequences {
            let mut value = f.bounded.initial[&cell];
            for place in &sequence.places {
                value = f.terms().select(place.used, place.value, value);
            }
            content.insert(cell, value);
        }
        content
    }

    fn timeline<M: MemoryModel>(&self, f: &Formula<'_, M>) -> Timeline {
        let key = |moment: Moment, base: u64| Key { base, parts: vec![(self.times[&moment], 2)] };
        let mut timeline = Timeline::default();
        for thread in 0..f.threads() {
            let points = 0..f.points(thread) as u32;
            // What arrives at the time of a point does so after it.
            let points = points.map(|point| key(Moment::Point(thread, point), 0));
            timeline.points.push(points.collect());
            let stores = 0..f.stores[thread].all.len();
            let stores = stores.map(|store| key(Moment::Arrival(thread, store), 1));
            timeline.arrivals.push(stores.collect());
        }
        timeline
    }

    /// How many writes a guessed sequence can have.
    fn most(&self, cell: Cell) -> usize {
        match self.sequences[&cell].fixed {
            Some(_) => 0,
            None => self.accesses.leaves.iter().filter(|leave| leave.cell == cell).count(),
        }
    }
}

/// Bits that tell so many things apart.
fn bits_for(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

impl<M: MemoryModel> Encoding<M> for Imu {
    fn extend(&mut self, f: &mut Formula<'_, M>, writes: u32) -> Result<Run, Stop> {
        let within = f.truth();
        let mut full = Vec::new();
        for cell in self.accesses.cells() {
            f.watch.ask()?;
            let most = self.most(cell);
            while self.sequences[&cell].places.len() < most.min(writes as usize) {
                self.add_place(f, cell);
            }
            if self.sequences[&cell].fixed.is_none() {
                self.find_places(f, cell, within);
            }
            // Where every write has a place, none is left out.
            if most > writes as usize {
                full.extend(self.sequences[&cell].places.last().map(|place| place.used));
            }
        }
        for at in 0..self.accesses.takes.len() {
            f.watch.ask()?;
            self.read(f, at, within);
        }
        let late = self.late(f, within);
        self.relate(f);
        self.chained = writes as usize;
        Ok(Run {
            passed: self.passed.clone(),
            content: self.content(f),
            arrived: self.arrived.clone(),
            late,
            within: vec![within],
            full: Some(f.terms().or_all(&full)),
            timeline: self.timeline(f),
        })
    }

    fn enough(&self, _: &Formula<'_, M>) -> u32 {
        let most = self.accesses.cells().into_iter().map(|cell| self.most(cell)).max();
        most.unwrap_or(0).max(1) as u32
    }
}
