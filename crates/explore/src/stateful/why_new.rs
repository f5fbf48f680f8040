//! For developers: why there are so many states.
//!
//! A run that is long for its preemptions goes through states that ought to be the same. Two
//! states of it in which every thread stands at the same place differ in something that may
//! not matter: in registers and bytes of memory that nobody will read, in numbers of objects,
//! in what a library keeps. These are listed, with how many pairs of states differ in each.
//! And the places where threads stand before steps are, with how many steps were taken from
//! there: what only one thread touches, or what a lock guards, should not be among them.

use heddle_machine::{HEAD, Machine, Origin, PIECE, Part};
use heddle_semantics::{MemoryModel, ObjectId, ThreadId};
use rustc_hash::FxHashMap;

use super::path::Trail;
use super::{Cost, Walk};

/// Steps of a run that are looked at, from its end.
const FAR: usize = 3_000;
/// Lines of each list.
const LINES: usize = 25;

/// What is noted during the search.
#[derive(Default)]
pub struct Noted {
    /// The entry of the state that is most steps away, by preemptions.
    longest: Vec<(u32, u32)>,
    /// Steps from each part that a thread was.
    steps: FxHashMap<(ThreadId, u32), u64>,
}

impl Noted {
    pub fn state(&mut self, cost: Cost, entry: u32) {
        let at = cost.0 as usize;
        if self.longest.len() <= at {
            self.longest.resize(at + 1, (0, 0));
        }
        if self.longest[at].0 < cost.1 {
            self.longest[at] = (cost.1, entry);
        }
    }

    pub fn step(&mut self, thread: ThreadId, part: u32) {
        *self.steps.entry((thread, part)).or_default() += 1;
    }
}

/// Where each thread stands: function, block, instruction, and depth of calls.
type Stands = Vec<Option<(u32, u32, u32, usize)>>;

/// A state of the run: where threads stand, and the numbers of its parts.
struct Seen {
    stands: Stands,
    ids: Vec<u32>,
    registers: Vec<Vec<(String, u64)>>,
}

impl<M: MemoryModel> Walk<'_, '_, '_, M> {
    /// What was noted, in lines.
    pub(super) fn why_new(&mut self) -> Vec<String> {
        let Some(noted) = self.noted.take() else { return Vec::new() };
        let mut lines = self.places(&noted);
        let per_switch = |&(at, &(steps, _)): &(usize, &(u32, u32))| steps / (at as u32 + 1);
        if let Some((switches, &(steps, entry))) =
            noted.longest.iter().enumerate().max_by_key(per_switch)
        {
            lines.push(format!("a run of {steps} steps with {switches} preemptions:"));
            match self.trail_to(entry, None) {
                Ok(trail) => lines.extend(differences(trail)),
                Err(_) => lines.push("  its way was lost".to_string()),
            }
        }
        lines
    }

    /// Where threads stand before steps, most steps first.
    fn places(&mut self, noted: &Noted) -> Vec<String> {
        let mut places: FxHashMap<String, (u64, u64)> = FxHashMap::default();
        for (&(thread, part), &count) in &noted.steps {
            let words = self.states.common.interner.get(part).to_vec();
            let machine = &mut self.search.machine;
            machine.put_part(Part::Thread(thread), &words);
            let stack = machine.stack(thread);
            let user = machine.users_position(thread, &stack);
            let program = machine.program();
            let inner = stack.first().map_or(String::new(), |entry| {
                let place = program.position(entry.span).map_or(String::new(), |p| p.to_string());
                format!("{} {place}", program.function(entry.function).display_name())
            });
            let user = program.position(user).map_or(String::new(), |place| place.to_string());
            let entry = places.entry(format!("{user} in {inner}")).or_default();
            entry.0 += count;
            entry.1 += 1;
        }
        let mut all: Vec<_> = places.into_iter().collect();
        all.sort_by(|a, b| b.1.0.cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
        let mut lines = vec!["steps, and forms of the thread, by where it stands:".to_string()];
        lines.extend(
            all.iter()
                .take(LINES)
                .map(|(place, (steps, forms))| format!("  {steps:>9} {forms:>6}  {place}")),
        );
        lines
    }
}

/// In what states of a run differ in which all threads stand at the same places.
fn differences<M: MemoryModel>(mut trail: Trail<'_, M>) -> Vec<String> {
    let mut seen = vec![look(&mut trail)];
    while let Some(stop) = trail.taken.pop() {
        if seen.len() > FAR {
            break;
        }
        trail.machine.undo();
        trail.states.unfollow(&stop.changes);
        seen.push(look(&mut trail));
    }
    let mut last: FxHashMap<Stands, usize> = FxHashMap::default();
    let mut counts: FxHashMap<String, u64> = FxHashMap::default();
    let mut pairs = 0;
    for (at, state) in seen.iter().enumerate() {
        if let Some(before) = last.insert(state.stands.clone(), at) {
            pairs += 1;
            for what in compare(&trail, &seen[before], state) {
                *counts.entry(what).or_default() += 1;
            }
        }
    }
    let mut all: Vec<_> = counts.into_iter().collect();
    all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let mut lines = vec![format!("  {pairs} pairs of states with threads at the same places")];
    lines.extend(all.iter().take(LINES).map(|(what, pairs)| format!("  {pairs:>9}  {what}")));
    lines
}

fn look<M: MemoryModel>(trail: &mut Trail<'_, M>) -> Seen {
    let machine = &mut trail.machine;
    let threads = || (0..machine.thread_count() as u32).map(ThreadId);
    let stands = threads().map(|thread| {
        let (function, block, pc) = machine.stands_at(thread)?;
        Some((function.0, block, pc, machine.stack(thread).len()))
    });
    let stands = stands.collect();
    let all: Vec<ThreadId> = threads().collect();
    let registers = all.into_iter().map(|thread| machine.live_registers(thread)).collect();
    Seen { stands, ids: trail.states.ids.clone(), registers }
}

fn compare<M: MemoryModel>(trail: &Trail<'_, M>, one: &Seen, other: &Seen) -> Vec<String> {
    let mut found = Vec::new();
    for (at, &part) in trail.states.parts.iter().enumerate() {
        let id = |seen: &Seen| seen.ids.get(at).copied().unwrap_or(0);
        let (a, b) = (id(one), id(other));
        if a == b {
            continue;
        }
        let words = |id| trail.states.common.interner.get(id);
        match part {
            Part::Rest => found.push("how many threads there are".to_string()),
            Part::Thread(thread) => {
                let before = found.len();
                let registers = |seen: &Seen| seen.registers.get(thread.index()).cloned();
                let (a, b) =
                    (registers(one).unwrap_or_default(), registers(other).unwrap_or_default());
                for ((name, was), (_, is)) in a.iter().zip(&b) {
                    if was != is {
                        found.push(format!("{thread}: {name}{}", kind(&trail.machine, *is)));
                    }
                }
                if found.len() == before {
                    found.push(format!("{thread}: something else than registers"));
                }
            }
            Part::Object(object, piece) => {
                let name = name(&trail.machine, object);
                let head = if piece == 0 { HEAD } else { 0 };
                let (a, b) = (words(a), words(b));
                if a.len() != b.len() {
                    found.push(format!("{name}: whether it is there, or all of it is defined"));
                    continue;
                }
                for (index, (&was, &is)) in a.iter().zip(b).enumerate() {
                    if was != is && index >= head {
                        let offset = piece as usize * PIECE as usize + (index - head) * 8;
                        let kind = kind(&trail.machine, is);
                        found.push(format!("{name}: bytes from {offset}{kind}"));
                    } else if was != is {
                        found.push(format!("{name}: what it is"));
                    }
                }
            }
        }
    }
    found
}

fn kind<M: MemoryModel>(machine: &Machine<'_, M>, word: u64) -> &'static str {
    if machine.dynamic_object(word).is_some() { " (an address)" } else { "" }
}

fn name<M: MemoryModel>(machine: &Machine<'_, M>, object: ObjectId) -> String {
    let program = machine.program();
    let object = machine.store().object(object);
    let known = |name: &Option<String>| name.clone().unwrap_or_else(|| "?".to_string());
    match &object.origin {
        Origin::Global(id) | Origin::ThreadLocal(id, _) => program.global(*id).name.clone(),
        Origin::Heap { thread, .. } => {
            let site = object.made_at;
            let function = program.function(heddle_ir::FuncId(site.function));
            format!("a block made in {} by {thread}", function.display_name())
        }
        Origin::Stack { function, name, thread, .. } => {
            let function = program.function(*function).display_name();
            format!("variable {} of {function} in {thread}", known(name))
        }
        Origin::Function(id) => program.function(*id).display_name().to_string(),
    }
}

impl<M: MemoryModel> Walk<'_, '_, '_, M> {
    /// Notes a step that is taken, and where it leads.
    pub(super) fn note_step(&mut self, thread: ThreadId) {
        let part = self.states.thread_part(thread);
        if let Some(noted) = &mut self.noted {
            noted.step(thread, part);
        }
    }
}
