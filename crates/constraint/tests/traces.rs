//! The operations of the paper, on its example and on random traces.

use heddle_constraint::{Condition, Edge, Event, FileError, Purpose, Schedule, Thread, Trace};

/// Figure 2: each thread reads, writes; the first one reads again.
fn figure_two(condition: Option<Condition>) -> Trace {
    let mut trace = Trace::new();
    for event in [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1)] {
        trace.add_event(Event::new(event.0, event.1));
    }
    trace.add_edge(Edge { first: Event::new(1, 2), second: Event::new(2, 0), condition });
    trace
}

fn events(names: &[(u32, u32)]) -> Vec<Event> {
    names.iter().map(|&(thread, index)| Event::new(thread, index)).collect()
}

#[test]
fn executions_adhere() {
    let trace = figure_two(None);
    let always = |_: &Edge| true;
    let good = events(&[(1, 0), (1, 1), (1, 2), (2, 0), (2, 1)]);
    let bad = events(&[(1, 0), (1, 1), (2, 0), (1, 2), (2, 1)]);
    assert!(trace.is_linearisation(&good, always));
    assert!(trace.adheres(&good[..2], always));
    assert!(!trace.is_linearisation(&good[..2], always));
    assert!(!trace.adheres(&bad, always));
    assert!(!trace.adheres(&events(&[(1, 1)]), always), "the order within a thread");
    assert!(!trace.adheres(&events(&[(3, 0)]), always), "an event of somebody else");
}

#[test]
fn conditions_decide() {
    let trace = figure_two(Some(Condition::SameMemory));
    let mixed = events(&[(1, 0), (2, 0), (1, 1), (2, 1), (1, 2)]);
    assert!(!trace.adheres(&mixed, |_| true), "the pointers are equal");
    assert!(trace.adheres(&mixed, |_| false), "they are not");
}

#[test]
fn what_a_native_run_keeps() {
    let trace = figure_two(None);
    let never = |_: u32, _: usize| false;
    let others = events(&[(3, 0), (1, 0), (1, 1), (1, 2), (3, 1), (2, 0)]);
    assert!(trace.admits(&others, |_| true, never));
    let early = events(&[(2, 0)]);
    assert!(!trace.admits(&early, |_| true, never));
    assert!(trace.admits(&early, |_| true, |thread, _| thread == 1), "its thread has ended");
}

#[test]
fn prefixes() {
    let trace = figure_two(None);
    let shorter = trace.restrict(|event| event.thread == 1);
    assert!(shorter.is_prefix_of(&trace));
    assert!(!trace.is_prefix_of(&trace));
    let open = trace.restrict(|event| event.thread == 2);
    assert!(!open.is_prefix_of(&trace), "it lacks what comes before");
    let gap = trace.restrict(|event| event != Event::new(1, 1));
    assert!(!gap.is_prefix_of(&trace), "a thread has a gap");
    assert!(shorter.is_weaker_than(&trace) && !trace.is_weaker_than(&shorter));
}

/// Numbers that look random, the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as u32 % limit
    }
}

/// An execution of some threads, and edges that it keeps.
fn random(numbers: &mut Numbers) -> (Trace, Vec<Event>) {
    let threads = 2 + numbers.below(4);
    let mut counts = vec![0; threads as usize];
    let mut execution = Vec::new();
    for _ in 0..numbers.below(30) {
        let thread = numbers.below(threads);
        execution.push(Event::new(thread, counts[thread as usize]));
        counts[thread as usize] += 1;
    }
    let mut trace = Trace::new();
    execution.iter().for_each(|&event| trace.add_event(event));
    for second in 1..execution.len() {
        let first = numbers.below(second as u32) as usize;
        if execution[first].thread != execution[second].thread && numbers.below(2) == 0 {
            trace.add_edge(Edge::new(execution[first], execution[second]));
        }
    }
    (trace, execution)
}

#[test]
fn random_traces() {
    let mut numbers = Numbers(7);
    let always = |_: &Edge| true;
    for _ in 0..300 {
        let (trace, execution) = random(&mut numbers);
        assert!(trace.is_linearisation(&execution, always));
        let order = trace.order().expect("an order");
        assert!(trace.is_linearisation(&order, always));
        let mut reduced = trace.clone();
        reduced.reduce();
        assert!(reduced.is_weaker_than(&trace) && trace.is_weaker_than(&reduced));
        assert!(reduced.constraints() <= trace.constraints());
        assert!(reduced.is_linearisation(&order, always));
        // The beginnings of an execution are prefixes, and adherence is closed.
        let length = numbers.below(execution.len() as u32 + 1) as usize;
        let kept = &execution[..length];
        let prefix = trace.restrict(|event| kept.contains(&event));
        assert_eq!(prefix.is_prefix_of(&trace), length < execution.len());
        assert!(prefix.is_linearisation(kept, always));
        assert!(trace.adheres(kept, always));
        let mut rest = trace.clone();
        kept.iter().for_each(|&event| rest.remove(event));
        assert!(rest.is_linearisation(&execution[length..], always));
    }
}

#[test]
fn a_cycle_has_no_order() {
    let mut trace = Trace::new();
    trace.add_edge(Edge::new(Event::new(0, 1), Event::new(1, 0)));
    trace.add_edge(Edge::new(Event::new(1, 1), Event::new(0, 0)));
    assert!(!trace.is_acyclic());
    let mut schedule = Schedule::new(1, vec![Thread { parent: 0, nth: 0 }]);
    schedule.trace = trace;
    let error = Schedule::from_bytes(&schedule.to_bytes()).expect_err("no order");
    assert!(matches!(error, FileError::Inconsistent(_)), "{error}");
}

fn schedule(numbers: &mut Numbers) -> Schedule {
    let (mut trace, _) = random(numbers);
    for edge in trace.clone().edges().filter(|edge| edge.second.index % 3 == 0) {
        trace.remove_edge(edge);
        trace.add_edge(Edge { condition: Some(Condition::SameMemory), ..edge });
    }
    let threads = (1..6).map(|at| Thread { parent: numbers.below(at), nth: at }).collect();
    let mut schedule = Schedule::new(0x1234_5678_9abc_def0, threads);
    for event in trace.events() {
        schedule.sites.insert(event, heddle_constraint::Constrained { site: numbers.below(99) });
    }
    schedule.trace = trace;
    schedule.inputs[2] = vec![u64::MAX, 3];
    if numbers.below(2) == 0 {
        schedule.purpose = Purpose::Replay { failing: 1 };
        schedule.limits = vec![7; 6];
    }
    schedule
}

#[test]
fn files_come_back() {
    let mut numbers = Numbers(11);
    for _ in 0..100 {
        let schedule = schedule(&mut numbers);
        let bytes = schedule.to_bytes();
        assert_eq!(Schedule::from_bytes(&bytes), Ok(schedule.clone()));
        assert!(Schedule::for_program(&bytes, schedule.program).is_ok());
        assert_eq!(Schedule::for_program(&bytes, 1), Err(FileError::OtherProgram));
    }
}

#[test]
fn junk_is_refused() {
    let mut numbers = Numbers(13);
    let bytes = schedule(&mut numbers).to_bytes();
    for length in 0..bytes.len() {
        assert!(Schedule::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x41;
        // The hash of the program and the flags are what they are; all else is checked.
        let free = (12..24).contains(&at) || (44..48).contains(&at);
        assert!(Schedule::from_bytes(&changed).is_err() || free, "byte {at}");
    }
    assert_eq!(Schedule::from_bytes(b""), Err(FileError::NotASchedule));
    assert_eq!(Schedule::from_bytes(&[7; 500]), Err(FileError::NotASchedule));
    let mut newer = bytes;
    newer[8] = 9;
    assert_eq!(Schedule::from_bytes(&newer), Err(FileError::Version(9)));
}

/// FNV-1a, as the format has it.
fn checksum(data: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    data.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Numbers that do not fit together are noticed in a file that is whole.
#[test]
fn nonsense_is_refused() {
    const BODY: usize = 64;
    let mut plain = Schedule::new(1, vec![Thread { parent: 0, nth: 0 }]);
    plain.trace.add_edge(Edge::new(Event::new(0, 1), Event::new(1, 0)));
    let bytes = plain.to_bytes();
    // Two threads of 8 words, two events of 6, an edge of 2.
    let (thread, events, edge) = (8, 16, 28);
    let refused = |word: usize, value: u32| {
        let mut changed = bytes.clone();
        changed[BODY + 4 * word..][..4].copy_from_slice(&value.to_le_bytes());
        let sum = checksum(&changed[BODY..]).to_le_bytes();
        changed[56..64].copy_from_slice(&sum);
        matches!(Schedule::from_bytes(&changed), Err(FileError::Inconsistent(_)))
    };
    assert!(!refused(0, u32::MAX), "as it was");
    assert!(refused(thread, 1), "a thread that is its own parent");
    assert!(refused(thread + 2, 2), "events behind the last one");
    assert!(refused(thread + 3, 2), "more events than there are");
    assert!(refused(thread + 5, 1), "more inputs than there are");
    assert!(refused(events + 6 + 2, 1), "an edge behind the last one");
    assert!(refused(events + 6 + 3, 2), "more edges than there are");
    assert!(refused(edge, 1), "an edge within a thread");
    assert!(refused(edge, 2), "an edge from a thread that is not there");
    assert!(refused(edge, 0x8000_0002), "the same with a condition");
}
