//! What the solver refutes can be checked by somebody who believes neither it nor the theory,
//! and what was tampered with is not believed.

mod common;

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use common::orders::{clauses, holds, is_fine, random_orders};
use fastrand::Rng;
use heddle_sat::order::Orders;
use heddle_sat::proof::{Check, Counts, Record};
use heddle_sat::{Answer, Cadical, OrderSolver};

/// A file that stays here.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Case {
    orders: Orders<i32>,
    count: i32,
    clauses: Vec<Vec<i32>>,
    questions: Vec<Vec<i32>>,
}

/// Of what is asked some is possible and some is not.
fn case(seed: u64) -> Option<Case> {
    let mut rng = Rng::with_seed(seed);
    let (orders, count) = random_orders(&mut rng);
    if count == 0 || count > 14 {
        return None;
    }
    let mut clauses = clauses(&orders);
    for variable in 1..=count {
        clauses.push(vec![variable, -variable]);
    }
    for _ in 0..rng.usize(..2 * count as usize) {
        let literal = |rng: &mut Rng| rng.i32(1..=count) * if rng.bool() { 1 } else { -1 };
        clauses.push((0..3).map(|_| literal(&mut rng)).collect());
    }
    let question = |rng: &mut Rng| {
        let literal = |it: i32| match rng.u32(0..4) {
            0 => Some(it),
            1 => Some(-it),
            _ => None,
        };
        (1..=count).filter_map(literal).collect()
    };
    let questions = (0..4).map(|_| question(&mut rng)).collect();
    Some(Case { orders, count, clauses, questions })
}

impl Case {
    fn ask(&self, solver: &mut impl OrderSolver) -> Vec<Answer> {
        self.clauses.iter().for_each(|clause| solver.add_clause(clause));
        solver.keep(&self.orders);
        self.questions.iter().map(|asked| solver.solve(asked, &mut || false)).collect()
    }

    /// By trying every model.
    fn truth(&self) -> Vec<Answer> {
        let possible = |asked: &Vec<i32>| {
            let fits = |model: &u32| asked.iter().all(|&literal| holds(*model, literal));
            let mut models = (0..1u32 << self.count).filter(fits);
            models.any(|model| is_fine(&self.orders, &self.clauses, model))
        };
        let answer = |asked| if possible(asked) { Answer::Sat } else { Answer::Unsat };
        self.questions.iter().map(answer).collect()
    }

    fn record(&self) -> Vec<u8> {
        let file = Shared::default();
        let record = Rc::new(RefCell::new(Record::new(Box::new(file.clone()))));
        self.ask(&mut Cadical::recording(Rc::clone(&record)));
        record.borrow_mut().finish().expect("all is written");
        drop(record);
        file.0.take()
    }

    fn check(&self, certificate: &[u8]) -> Result<(Vec<Answer>, Counts), String> {
        let mut check = Check::new(Box::new(io::Cursor::new(certificate.to_vec())), 0);
        let answers = self.ask(&mut check);
        check.finish().map(|counts| (answers, counts))
    }
}

#[test]
fn what_was_refuted_can_be_checked() {
    let mut all = Counts::default();
    for case in (0..600).filter_map(case) {
        let certificate = case.record();
        let shown = String::from_utf8_lossy(&certificate);
        let (answers, counts) = case
            .check(&certificate)
            .unwrap_or_else(|error| panic!("{error}\n{:?}\n{shown}", case.orders));
        assert_eq!(answers, case.truth(), "{shown}");
        all.lemmas += counts.lemmas;
        all.derived += counts.derived;
        all.refuted += counts.refuted;
        all.models += counts.models;
    }
    let enough = all.lemmas > 500 && all.derived > 500 && all.refuted > 300 && all.models > 300;
    assert!(enough, "{all:?}");
}

/// One word or line is another one, or gone.
fn tamper(certificate: &[u8], rng: &mut Rng) -> Vec<u8> {
    let text = String::from_utf8_lossy(certificate);
    let mut lines: Vec<String> = text.lines().map(ToOwned::to_owned).collect();
    let at = rng.usize(..lines.len());
    match rng.u32(..6) {
        0 => drop(lines.remove(at)),
        1 => lines.swap(at, rng.usize(..text.lines().count())),
        2 => lines.truncate(at),
        _ => {
            let mut words: Vec<String> = lines[at].split(' ').map(ToOwned::to_owned).collect();
            let word = rng.usize(..words.len());
            match (words[word].parse::<i64>(), rng.u32(..4)) {
                (_, 0) => drop(words.remove(word)),
                (Ok(number), 1) => words[word] = (-number).to_string(),
                (Ok(number), 2) => words[word] = (number + rng.i64(-2..=2)).to_string(),
                (Ok(_), _) => words[word] = rng.i64(-20..20).to_string(),
                (Err(_), _) => {
                    words[word] = "aodqust".chars().nth(rng.usize(..7)).into_iter().collect()
                }
            }
            lines[at] = words.join(" ");
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
}

#[test]
fn what_was_tampered_with_is_never_believed_wrongly() {
    let (mut refused, mut changed) = (0, 0);
    for (seed, case) in (0..600).filter_map(|seed| case(seed).map(|case| (seed, case))) {
        let (certificate, truth) = (case.record(), case.truth());
        let mut rng = Rng::with_seed(seed);
        for _ in 0..20 {
            let other = tamper(&certificate, &mut rng);
            if other == certificate {
                continue;
            }
            changed += 1;
            // Much of what a solver does is not needed for what it says.
            match case.check(&other) {
                Ok((answers, _)) => assert_eq!(answers, truth, "seed {seed}"),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(changed > 5000 && refused > 1000, "{refused} of {changed} are refused");
}
