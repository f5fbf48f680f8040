//! Runs one engine, or several side by side: the first definite answer wins. Engines are on
//! threads of their own, so that nobody has to wait for one that does not stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use heddle_explore::Algorithm;
use heddle_semantics::{Bounds, Stopped, VACUOUS, Verdict, ViolationKind};

use crate::args::Engine;
use crate::effort::Effort;
use crate::engines::{Found, Search, name};
use crate::error::CliError;
use crate::interrupt::{Cause, Interrupt};
use crate::known::{Progressed, Who};
use crate::settings::Check;

/// How long others may go on, once `guided` has said what it can and nobody has set a
/// time.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long the first engines are alone before `stateful` and `random` start too.
const HEAD_START: Duration = Duration::from_secs(1);
/// How long they are alone before somebody tries a proof by invariants, how long that may take,
/// and how long it is waited for when the others have said what they can.
const PROOF_START: Duration = Duration::from_millis(400);
const PROOF_TIME: Duration = Duration::from_secs(60);
const PROOF_PATIENCE: Duration = Duration::from_secs(3);
/// How often somebody looks whether to stop.
const POLL: Duration = Duration::from_millis(20);
/// How long engines have to answer when they are to stop, and how long when memory is full.
const GRACE: Duration = Duration::from_millis(300);
const SHORT_GRACE: Duration = Duration::from_millis(100);

/// What the engines say together.
pub struct Answer {
    pub found: Found,
    /// Internal errors of engines whose answer is not this one.
    pub warnings: Vec<String>,
}

pub fn search(search: Search, interrupt: &Interrupt) -> Result<Answer, CliError> {
    let formulas = search.may_read_input() && !search.settings.is_for_explorers();
    let otherwise = if formulas { Engine::Both } else { Engine::Explore };
    let engine = search.settings.engine.unwrap_or(otherwise);
    let (answers, inbox) = channel();
    let stop: Arc<AtomicBool> = Arc::default();
    let (running, warnings) = (Vec::new(), Vec::new());
    let proof = Proof::of(&search);
    let mut contest = Contest { search, interrupt, stop, answers, inbox, running, warnings, proof };
    let algorithm = contest.search.settings.algorithm;
    if engine.is_formula() || engine == Engine::Both {
        contest.start_formulas();
    }
    if engine == Engine::Invariants {
        contest.start_invariants(Arc::clone(&contest.stop));
    }
    if contest.search.settings.explain {
        contest.start_proof();
    }
    let mut second = false;
    if matches!(engine, Engine::Explore | Engine::Both) {
        contest.start_explorer(algorithm);
        second = engine == Engine::Explore && contest.has_second(algorithm);
    }
    let sample = contest.has_sample();
    let found = contest.first_answer(second, sample)?;
    contest.stop.store(true, Ordering::Relaxed);
    contest.stop_proof();
    Ok(Answer { found, warnings: contest.warnings })
}

type Said = Result<Found, CliError>;

struct Contest<'a> {
    search: Search,
    interrupt: &'a Interrupt,
    /// What engines watch.
    stop: Arc<AtomicBool>,
    answers: Sender<(Said, Vec<String>)>,
    inbox: Receiver<(Said, Vec<String>)>,
    /// Who has not answered.
    running: Vec<Who>,
    warnings: Vec<String>,
    proof: Proof,
}

/// A proof by invariants that nobody asked for. What it does not show is not told.
enum Proof {
    /// There is nothing that it could say.
    Idle,
    Possible,
    Running {
        since: Instant,
        stop: Arc<AtomicBool>,
    },
}

impl Proof {
    fn of(search: &Search) -> Proof {
        let Check { engine, algorithm, unwind, max_threads, max_steps, max_switches, .. } =
            &*search.settings;
        // Who names an engine or a bound has chosen.
        let bounds = [*unwind, *max_threads, *max_switches].iter().any(Option::is_some);
        let chosen = engine.is_some() || algorithm.is_some() || bounds || max_steps.is_some();
        match !chosen && search.provable().is_ok() && !search.assumes() {
            true => Proof::Possible,
            false => Proof::Idle,
        }
    }
}

impl Contest<'_> {
    /// The formula that is asked for. If none is: the one that is better where a violation needs
    /// few turns, and the one that is better where there is none (docs/formulas.md).
    fn start_formulas(&mut self) {
        self.start_formula(self.search.formula());
        if self.search.settings.engine.is_none() {
            self.start_formula(Engine::Order);
        }
    }

    fn start_formula(&mut self, engine: Engine) {
        self.running.push((engine, None));
        let (search, stop) = (self.search.clone(), Arc::clone(&self.stop));
        let answers = self.answers.clone();
        // Whoever comes too late finds nobody listening.
        std::thread::spawn(move || {
            drop(answers.send((Ok(search.encode(engine, stop)), Vec::new())))
        });
    }

    fn start_explorer(&mut self, algorithm: Option<Algorithm>) {
        self.running.push((Engine::Explore, Some(algorithm.unwrap_or(Algorithm::Guided))));
        let (search, stop) = (self.search.clone(), Arc::clone(&self.stop));
        let answers = self.answers.clone();
        std::thread::spawn(move || {
            drop(answers.send(match algorithm {
                Some(algorithm) => (search.explore(algorithm, stop), Vec::new()),
                None => explore_first(&search, &stop),
            }));
        });
    }

    fn start_invariants(&mut self, stop: Arc<AtomicBool>) {
        self.running.push((Engine::Invariants, None));
        let search = self.search.clone();
        let answers = self.answers.clone();
        std::thread::spawn(move || drop(answers.send((Ok(search.invariants(stop)), Vec::new()))));
    }

    /// Tries a proof that nobody asked for, once.
    fn start_proof(&mut self) {
        if matches!(self.proof, Proof::Possible) {
            let stop: Arc<AtomicBool> = Arc::default();
            self.start_invariants(Arc::clone(&stop));
            self.proof = Proof::Running { since: Instant::now(), stop };
        }
    }

    /// Ends it. Its answer is waited for as long as others have to answer when they are to stop.
    fn stop_proof(&self) {
        if let Proof::Running { stop, .. } = &self.proof {
            stop.store(true, Ordering::Relaxed);
        }
    }

    /// Is the answer one of a proof that nobody asked for, and says nothing?
    fn is_failed_proof(&self, answer: &Found) -> bool {
        answer.who.0 == Engine::Invariants
            && matches!(self.proof, Proof::Running { .. })
            && !answer.is_definite()
    }

    /// Is it to be told by which invariants the program is safe, while that is still looked for?
    fn wants_reasons(&self, answer: &Found) -> bool {
        let proving = self.running.iter().any(|who| who.0 == Engine::Invariants);
        let other = answer.who.0 != Engine::Invariants;
        self.search.settings.explain && proving && other && matches!(answer.verdict, Verdict::Safe)
    }

    /// May `stateful` help an explorer that takes long? It is best where many interleavings
    /// lead to the same states, and the only one to come to an end where the program does not.
    fn has_second(&self, algorithm: Option<Algorithm>) -> bool {
        let settings = &self.search.settings;
        let alone = settings.checks(ViolationKind::DataRace) || settings.unwind.is_some();
        algorithm.is_none() && !alone
    }

    /// May runs at random help where a search of everything takes long?
    fn has_sample(&self) -> bool {
        let Check { engine, algorithm, .. } = &*self.search.settings;
        algorithm.is_none() && engine.is_none_or(|it| matches!(it, Engine::Explore | Engine::Both))
    }

    /// Would a formula say more than an explorer that has tried some values of what turned
    /// out to be an input (memory that was never written)?
    fn wants_formula(&self, answer: &Found) -> bool {
        let Check { engine, algorithm, .. } = &*self.search.settings;
        let sampled = matches!(&answer.verdict, Verdict::Bounded(bounds) if bounds.inputs);
        let asked = engine.is_some() || algorithm.is_some() || self.search.may_read_input();
        let asked = asked || self.search.settings.is_for_explorers();
        sampled && answer.who.0 == Engine::Explore && !asked
    }

    /// Would keeping states say more than an explorer whose threads have each woken up once
    /// without a signal?
    fn wants_states(&self, answer: &Found) -> bool {
        let only = Bounds { wakeups: true, ..Bounds::default() };
        let bounded = matches!(&answer.verdict, Verdict::Bounded(bounds) if *bounds == only);
        bounded
            && self.search.settings.engine.is_none()
            && !self.search.settings.is_for_explorers()
            && self.has_second(self.search.settings.algorithm)
    }

    /// The first definite answer; without one, the best when all have answered or nobody
    /// waits any longer. `second`: another explorer starts if the first takes long; `sample`:
    /// so do runs at random.
    fn first_answer(&mut self, mut second: bool, mut sample: bool) -> Said {
        let began = Instant::now();
        let mut best: Option<Found> = None;
        let mut deadline: Option<Instant> = None;
        let mut asked: Option<Instant> = None;
        let mut proof_deadline: Option<Instant> = None;
        let (mut formula, mut states) = (false, false);
        loop {
            if second && began.elapsed() > HEAD_START && asked.is_none() {
                (states, second) = (true, false);
                self.start_explorer(Some(Algorithm::Stateful));
            }
            if sample && began.elapsed() > HEAD_START && asked.is_none() {
                sample = false;
                self.start_explorer(Some(Algorithm::Random));
            }
            if began.elapsed() > PROOF_START && asked.is_none() {
                self.start_proof();
            }
            let late = proof_deadline.is_some_and(|deadline| Instant::now() > deadline);
            if late
                || matches!(&self.proof, Proof::Running { since, .. } if since.elapsed() > PROOF_TIME)
            {
                self.stop_proof();
            }
            let over = deadline.is_some_and(|deadline| Instant::now() > deadline);
            if over || self.interrupt.flag.load(Ordering::Relaxed) {
                self.stop.store(true, Ordering::Relaxed);
                self.stop_proof();
                asked.get_or_insert_with(Instant::now);
            }
            if asked.is_some_and(|asked| asked.elapsed() > self.grace()) {
                return Ok(self.without_the_rest(best));
            }
            match self.inbox.recv_timeout(POLL) {
                Ok((said, warnings)) => {
                    self.warnings.extend(warnings);
                    let answer = said?;
                    if self.is_failed_proof(&answer) {
                        self.warnings.extend(warning(&answer));
                        self.note(&answer);
                        continue;
                    }
                    let waits = asked.is_none() && self.wants_reasons(&answer);
                    if answer.is_definite() && !waits {
                        self.warnings.extend(best.as_ref().and_then(warning));
                        return Ok(answer);
                    }
                    // It has not for ever, and what was only bounded may well be provable.
                    self.start_proof();
                    proof_deadline.get_or_insert_with(|| Instant::now() + PROOF_PATIENCE);
                    if self.note(&answer) && self.search.settings.limits.timeout.is_none() {
                        deadline = Some(Instant::now() + PATIENCE);
                    }
                    if self.wants_formula(&answer) && asked.is_none() && !formula {
                        formula = true;
                        self.start_formulas();
                    }
                    if self.wants_states(&answer) && asked.is_none() && !states {
                        (states, second) = (true, false);
                        self.start_explorer(Some(Algorithm::Stateful));
                    }
                    best = Some(match best {
                        None => answer,
                        Some(other) => self.better(other, answer),
                    });
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.running.clear(),
            }
            // A quick explorer is not waited for by a second one. Runs at random prove nothing:
            // they are waited for where a search was stopped only.
            let answered = best.as_ref().is_some_and(|best| best.stopped.is_none());
            if self.running.iter().all(|&who| answered && slot(who) == Slot::Sample) {
                return best.ok_or_else(|| CliError::new("no engine gave an answer"));
            }
        }
    }

    /// Notes who has answered, and whether memory is full. Tells whether it is the one
    /// after which others have not for ever.
    fn note(&mut self, answer: &Found) -> bool {
        let same = |who: Who| who.0 == answer.who.0 && slot(who) == slot(answer.who);
        self.running.retain(|&who| !same(who));
        let limited = self.search.settings.limits.memory.is_some();
        if limited && answer.stopped == Some(Stopped::MemoryLimit) {
            self.interrupt.set(Cause::Memory);
        }
        answer.who.0 == Engine::Explore && slot(answer.who) == Slot::First
    }

    fn grace(&self) -> Duration {
        match self.interrupt.cause() {
            Some(Cause::Memory) => SHORT_GRACE,
            _ => GRACE,
        }
    }

    /// The best answer, if some engines are not waited for any longer.
    fn without_the_rest(&mut self, mut best: Option<Found>) -> Found {
        let known = self.search.known.all();
        if matches!(self.proof, Proof::Running { .. }) {
            self.running.retain(|who| who.0 != Engine::Invariants);
        }
        for who in std::mem::take(&mut self.running) {
            let told = known.iter().find(|progressed| progressed.who == who).cloned();
            let nothing = || Progressed { who, effort: Effort::none(who.0), covered: None };
            let found = Found::without_answer(told.unwrap_or_else(nothing));
            best = Some(match best {
                None => found,
                Some(other) => self.better(other, found),
            });
        }
        let who = (Engine::Explore, None);
        let nothing = || Progressed { who, effort: Effort::none(who.0), covered: None };
        best.unwrap_or_else(|| Found::without_answer(nothing()))
    }

    /// The answer that says more; an internal error is not hidden behind it.
    fn better(&mut self, a: Found, b: Found) -> Found {
        let (best, other) = if worth(&a) >= worth(&b) { (a, b) } else { (b, a) };
        self.warnings.extend(warning(&other));
        best
    }
}

/// Which of several explorers one is. The first may answer by another name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slot {
    First,
    States,
    Sample,
}

fn slot(who: Who) -> Slot {
    match who.1 {
        Some(Algorithm::Stateful) => Slot::States,
        Some(Algorithm::Random) => Slot::Sample,
        _ => Slot::First,
    }
}

/// What is to be said of an engine whose answer is not taken.
fn warning(found: &Found) -> Option<String> {
    found.internal_error().map(|what| format!("{}: {what}", name(found.who)))
}

/// `guided`, which is best where few interleavings differ; if its answer does not stand when
/// all steps are taken, `optimal`.
fn explore_first(search: &Search, stop: &Arc<AtomicBool>) -> (Said, Vec<String>) {
    let said = search.explore(Algorithm::Guided, Arc::clone(stop));
    match said.as_ref().ok().and_then(warning) {
        None => (said, Vec::new()),
        Some(warning) => (search.explore(Algorithm::Optimal, Arc::clone(stop)), vec![warning]),
    }
}

/// In this order: safe; that no execution counts; bounds; anything rather than a sample; a reason why there is no answer rather than an engine that was
/// stopped; and what only the formula looked at are inputs in full, but what the explorer
/// looked at, interleavings in full.
fn worth(found: &Found) -> impl PartialOrd + use<> {
    (
        matches!(found.verdict, Verdict::Safe),
        matches!(&found.verdict, Verdict::Unknown(why) if why.starts_with(VACUOUS)),
        matches!(found.verdict, Verdict::Bounded(_)),
        found.internal_error().is_none(),
        slot(found.who) != Slot::Sample,
        found.stopped.is_none(),
        found.covered.is_some(),
        found.who.0 == Engine::Explore,
        found.who.1 != Some(Algorithm::Stateful),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_semantics::Bounds;

    fn found(who: Who, verdict: Verdict, stopped: Option<Stopped>) -> Found {
        let effort = Effort::none(who.0);
        Found { who, verdict, effort, covered: None, stopped, because: None }
    }

    const GUIDED: Who = (Engine::Explore, Some(Algorithm::Guided));
    const STATES: Who = (Engine::Explore, Some(Algorithm::Stateful));
    const LAZY: Who = (Engine::Lazy, None);

    #[test]
    fn an_internal_error_is_told_whatever_others_say() {
        let wrong = || Verdict::Unknown("internal error: lost".to_string());
        let broken = found(LAZY, wrong(), None);
        assert_eq!(warning(&broken).as_deref(), Some("lazy: internal error: lost"));
        let bounded = found(GUIDED, Verdict::Bounded(Bounds::default()), None);
        let stopped = found(STATES, Verdict::Unknown(String::new()), Some(Stopped::Interrupted));
        assert!(worth(&bounded) > worth(&broken) && warning(&bounded).is_none());
        assert!(worth(&stopped) > worth(&broken));
        let here = found(GUIDED, wrong(), None);
        assert_eq!(warning(&here).as_deref(), Some("guided: internal error: lost"));
    }

    #[test]
    fn reasons_count_more_than_being_stopped() {
        let unsupported = found(GUIDED, Verdict::Unknown("unsupported: f".to_string()), None);
        let mut stopped = found(LAZY, Verdict::Unknown(String::new()), Some(Stopped::Interrupted));
        stopped.covered = Some(Bounds { unwind: Some(3), ..Bounds::default() });
        assert!(worth(&unsupported) > worth(&stopped));
        let explorer = found(GUIDED, Verdict::Unknown(String::new()), Some(Stopped::Interrupted));
        assert!(worth(&stopped) > worth(&explorer));
    }
}
