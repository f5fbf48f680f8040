//! One run at random.

use heddle_machine::{Pending, Status};
use heddle_semantics::{Access, Choice, Event, InputKind, MemoryModel, ThreadId, conflict, mask};

use super::coverage::{Coverage, Place};
use super::lesson::{Lesson, mix};
use super::pct::Pct;
use super::pos::Pos;
use crate::search::{Halt, Search};

/// Steps of a run before it is cut, as long as none has come to its end; then how many times
/// the longest one.
const FIRST_STEPS: u64 = 20_000;
const FEWEST_STEPS: u64 = 10_000;
const MOST_STEPS: u64 = 300_000;
const LONGER: u64 = 8;
/// Where no run ends, they are cut at one of these: this, doubled a few times.
const SHORT_RUN: u64 = 500;
const DOUBLED: u64 = 6;
/// Steps that one thread may take while others could.
const FIRST_ALONE: u64 = 1_000;
const MOST_ALONE: u64 = 20_000;

/// What a run has shown.
pub struct Told {
    /// Of priorities that change: the depth of bugs that it was made for.
    pub depth: Option<u32>,
    /// The guarantee holds for it.
    pub counts: bool,
    /// It came to its end.
    pub ended: bool,
    pub steps: u64,
    /// Steps that it was drawn for.
    pub expected: u64,
    pub actors: u64,
    /// Steps at places that are known to race.
    pub racing_steps: u64,
    pub pairs: Vec<(Place, Place)>,
}

enum Way {
    Pct(Pct),
    Pos(Pos),
}

impl Way {
    fn priority(&self, actor: ThreadId, key: u64) -> u64 {
        match self {
            Way::Pct(pct) => pct.priority(actor, key),
            Way::Pos(pos) => pos.priority(actor, key),
        }
    }
}

/// Makes runs, one after the other.
pub struct Runner<'w, 'p, 'o, M: MemoryModel> {
    pub search: &'w mut Search<'p, 'o, M>,
    /// By actor: a number made from its place in the tree of threads.
    keys: Vec<u64>,
    coverage: Coverage,
    choices: Vec<Choice>,
    /// For races: one for each choice.
    events: Vec<Event>,
    /// By actor: its choices.
    own: Vec<Vec<u32>>,
    /// Choices that were turns in vain.
    vain: Vec<u32>,
    waiting: Vec<ThreadId>,
    since_check: u32,
    /// It is not known to be a run: see [`Runner::straighten`].
    broken: bool,
}

impl<'w, 'p, 'o, M: MemoryModel> Runner<'w, 'p, 'o, M> {
    pub fn new(search: &'w mut Search<'p, 'o, M>) -> Self {
        Runner {
            search,
            keys: Vec::new(),
            coverage: Coverage::default(),
            choices: Vec::new(),
            events: Vec::new(),
            own: Vec::new(),
            vain: Vec::new(),
            waiting: Vec::new(),
            since_check: 0,
            broken: false,
        }
    }

    /// The run with this number. The machine is where it was after it, unless the search is
    /// over.
    pub fn run(&mut self, number: u64, lesson: &Lesson) -> Result<Told, Halt> {
        let seed = mix(lesson.seed, number);
        let mut way = match number % 2 {
            0 => Way::Pct(Pct::new(seed, lesson)),
            _ => Way::Pos(Pos::new(seed)),
        };
        let depth = match &way {
            Way::Pct(pct) if !pct.racing_only => Some(pct.depth),
            _ => None,
        };
        let mut told = Told {
            depth,
            counts: true,
            ended: false,
            steps: 0,
            expected: lesson.longest,
            actors: 0,
            racing_steps: 0,
            pairs: Vec::new(),
        };
        let most = most_steps(seed, lesson);
        let most_alone = match lesson.ends {
            true => lesson.longest.clamp(FIRST_ALONE, MOST_ALONE),
            false => FIRST_ALONE,
        };
        let mut alone: (ThreadId, u64) = (ThreadId::MAIN, 0);
        self.clear();
        loop {
            if let Some((thread, values)) = self.search.pending_input() {
                let value = self.input(thread, &values, seed);
                self.step(Choice::Input(thread, value))?;
                continue;
            }
            let Some((actor, others)) = self.highest(&way) else {
                told.ended = !self.broken;
                break;
            };
            if told.steps >= most || self.broken {
                told.counts = false;
                break;
            }
            let place = self.place(actor);
            let races = lesson.racing.contains(&place);
            if let Way::Pct(pct) = &mut way {
                if pct.falls(actor, races) {
                    continue;
                }
                alone = match alone {
                    (last, steps) if last == actor && others => (last, steps + 1),
                    _ => (actor, 0),
                };
                if alone.1 > most_alone {
                    (alone.1, told.counts) = (0, false);
                    pct.fall(actor);
                    continue;
                }
            }
            self.step(Choice::Step(actor))?;
            told.steps += 1;
            told.racing_steps += u64::from(races);
            self.coverage.note(self.search.machine.last_event(), place);
            if let Way::Pos(pos) = &mut way {
                self.draw_again(pos, actor);
            }
            self.wake();
        }
        told.actors = self.own.iter().filter(|own| !own.is_empty()).count() as u64;
        told.pairs = std::mem::take(&mut self.coverage.pairs);
        told.pairs.sort_unstable();
        told.pairs.dedup();
        self.conclude(told.ended)?;
        self.take_back();
        Ok(told)
    }

    fn clear(&mut self) {
        self.coverage.clear();
        self.choices.clear();
        self.events.clear();
        self.own.iter_mut().for_each(Vec::clear);
        self.vain.clear();
        self.waiting.clear();
        self.broken = false;
    }

    /// The enabled actor with the highest priority, and whether there are others.
    fn highest(&mut self, way: &Way) -> Option<(ThreadId, bool)> {
        self.learn_keys();
        let mut best: Option<(u64, ThreadId)> = None;
        let mut enabled = 0;
        for actor in self.search.threads() {
            if self.search.machine.enabled(actor) {
                enabled += 1;
                best = best.max(Some((way.priority(actor, self.keys[actor.index()]), actor)));
            }
        }
        best.map(|(_, actor)| (actor, enabled > 1))
    }

    fn learn_keys(&mut self) {
        let paths = self.search.machine.thread_paths();
        if self.keys.is_empty() {
            self.keys.push(0);
        }
        for path in &paths[self.keys.len() - 1..] {
            let kind = u64::from(path.nth) << 1 | u64::from(path.queue);
            self.keys.push(mix(self.keys[path.parent.index()] ^ 0x5eed, kind));
        }
    }

    /// Where the next step of an actor is in the program.
    fn place(&self, actor: ThreadId) -> Place {
        match self.search.machine.stands_at(actor) {
            Some((function, block, pc)) => {
                mix(u64::from(function.0), u64::from(block) << 32 | u64::from(pc))
            }
            None => !self.keys[actor.index()],
        }
    }

    fn step(&mut self, choice: Choice) -> Result<(), Halt> {
        self.take(choice);
        let stats = &mut self.search.stats;
        stats.transitions += 1;
        stats.max_depth = stats.max_depth.max(self.choices.len() as u64);
        if self.search.machine.has_violations() {
            self.fail()?;
        }
        self.since_check += 1;
        if self.since_check >= 1024 {
            self.since_check = 0;
            self.search.check_limits()?;
        }
        Ok(())
    }

    fn take(&mut self, choice: Choice) {
        let actor = choice.thread();
        if self.own.len() <= actor.index() {
            self.own.resize_with(actor.index() + 1, Vec::new);
        }
        self.own[actor.index()].push(self.choices.len() as u32);
        self.choices.push(choice);
        let machine = &mut self.search.machine;
        machine.step(choice);
        let event = machine.last_event();
        if self.search.options.races {
            self.events.push(event.clone());
        }
        let moved = std::iter::once(actor).chain(event.created.iter().copied());
        self.waiting.extend(moved.filter(|&thread| {
            *machine.status(thread) == Status::Halted(heddle_machine::Halt::Wait)
        }));
    }

    /// Those who wait in a loop look again if the last step has changed what they read.
    fn wake(&mut self) {
        let touched = &self.search.machine.last_event().footprint;
        if self.waiting.is_empty() || touched.iter().all(|access| access.kind.is_read()) {
            return;
        }
        let waiting = std::mem::take(&mut self.waiting);
        for thread in waiting {
            if !self.search.machine.may_look_again(thread) {
                self.waiting.push(thread);
                continue;
            }
            let steps = self.search.machine.look_again(thread);
            let own = &mut self.own[thread.index()];
            let kept = own.len().saturating_sub(steps);
            self.vain.extend(own.drain(kept..));
        }
    }

    /// New priorities for the event that comes after the last one, and for those that it
    /// races with.
    fn draw_again(&self, pos: &mut Pos, actor: ThreadId) {
        let machine = &self.search.machine;
        let touched: &[Access] = &machine.last_event().footprint;
        pos.draw_again(actor);
        for other in self.search.threads().filter(|&other| other != actor) {
            if conflict(machine.pending_footprint(other), touched) {
                pos.draw_again(other);
            }
        }
    }

    fn input(&mut self, thread: ThreadId, values: &[u64], seed: u64) -> u64 {
        self.learn_keys();
        let own = self.own.get(thread.index()).map_or(0, Vec::len) as u64;
        let drawn = mix(mix(seed, self.keys[thread.index()]), own);
        let any = mix(drawn, 1);
        match self.search.machine.pending(thread) {
            Some(&Pending::Input(InputKind { width, open, .. })) if drawn >> 61 == 0 => {
                let small = if any >> 60 < 8 { any & 0xff } else { any };
                mask(small, width) & open
            }
            _ => values[(any % values.len() as u64) as usize],
        }
    }

    /// The choices that were not in vain.
    fn kept(&mut self) -> Vec<Choice> {
        self.vain.sort_unstable();
        let vain = |at: usize| self.vain.binary_search(&(at as u32)).is_ok();
        let all = self.choices.iter().enumerate();
        all.filter(|(at, _)| !vain(*at)).map(|(_, &choice)| choice).collect()
    }

    /// Takes the run once more without turns in vain, from its start. Some choice may not fit:
    /// then it is not known to be a run.
    fn straighten(&mut self) -> bool {
        let kept = self.kept();
        self.take_back();
        self.clear();
        for choice in kept {
            if !self.search.machine.enabled(choice.thread()) {
                self.broken = true;
                return false;
            }
            self.take(choice);
        }
        true
    }

    /// The last step has violated something.
    fn fail(&mut self) -> Result<(), Halt> {
        if !self.vain.is_empty() && !self.straighten() {
            return Ok(());
        }
        self.search.choices.clone_from(&self.choices);
        self.search.collect_violations()
    }

    /// Nobody can go on, or the run is cut.
    fn conclude(&mut self, ended: bool) -> Result<(), Halt> {
        let tells = self.search.options.races || self.search.options.keep_going;
        let stuck = || self.search.machine.deadlock().is_some();
        if !self.vain.is_empty() && ended && (tells || stuck()) && !self.straighten() {
            self.search.stats.cut += 1;
            return Ok(());
        }
        self.search.choices.clone_from(&self.choices);
        let events = std::mem::take(&mut self.events);
        match ended {
            true => self.search.finish_with(events),
            false => self.search.cut_off(events),
        }
    }

    fn take_back(&mut self) {
        while self.search.machine.depth() > 0 {
            self.search.machine.undo();
        }
        self.search.choices.clear();
        self.search.forget_violations();
    }
}

/// Steps after which a run is cut.
fn most_steps(seed: u64, lesson: &Lesson) -> u64 {
    match (lesson.runs, lesson.ends) {
        (0, _) => FIRST_STEPS,
        (_, true) => (lesson.longest * LONGER).clamp(FEWEST_STEPS, MOST_STEPS),
        (_, false) => SHORT_RUN << (mix(seed, 3) % DOUBLED),
    }
}
