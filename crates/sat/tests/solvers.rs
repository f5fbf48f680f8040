//! One suite for every solver: CaDiCaL, and one that tries every assignment.

mod common;

use std::time::{Duration, Instant};

use common::brute::Brute;
use heddle_sat::{Answer, Cadical, Solver};

fn solve(solver: &mut impl Solver, assumptions: &[i32]) -> Answer {
    solver.solve(assumptions, &mut || false)
}

/// `pigeons` in `holes`, each in one and no two in the same.
fn pigeonhole(solver: &mut impl Solver, pigeons: i32, holes: i32) {
    let sits = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
    for pigeon in 0..pigeons {
        let somewhere: Vec<i32> = (0..holes).map(|hole| sits(pigeon, hole)).collect();
        solver.add_clause(&somewhere);
        for other in 0..pigeon {
            for hole in 0..holes {
                solver.add_clause(&[-sits(pigeon, hole), -sits(other, hole)]);
            }
        }
    }
}

fn no_clause_and_the_empty_one<S: Solver>(new: fn() -> S) {
    let mut solver = new();
    assert_eq!(solve(&mut solver, &[]), Answer::Sat);
    assert_eq!(solve(&mut solver, &[-3]), Answer::Sat);
    assert!(solver.value(-3) && !solver.value(3));
    solver.add_clause(&[]);
    assert_eq!(solve(&mut solver, &[]), Answer::Unsat);
}

fn pigeons_and_holes<S: Solver>(new: fn() -> S) {
    for (pigeons, holes) in [(3, 3), (4, 3), (4, 4), (5, 4)] {
        let mut solver = new();
        pigeonhole(&mut solver, pigeons, holes);
        let expected = if pigeons <= holes { Answer::Sat } else { Answer::Unsat };
        assert_eq!(solve(&mut solver, &[]), expected);
    }
}

fn assumptions_last_for_one_call<S: Solver>(new: fn() -> S) {
    let mut solver = new();
    solver.add_clause(&[1, 2]);
    assert_eq!(solve(&mut solver, &[-1]), Answer::Sat);
    assert!(solver.value(2) && solver.value(-1));
    assert_eq!(solve(&mut solver, &[-1, -2]), Answer::Unsat);
    assert_eq!(solve(&mut solver, &[-2]), Answer::Sat);
    assert!(solver.value(1));
    assert_eq!(solve(&mut solver, &[]), Answer::Sat);
}

fn clauses_may_come_later<S: Solver>(new: fn() -> S) {
    let mut solver = new();
    solver.add_clause(&[1, 2, 3]);
    for excluded in 1..=3 {
        assert_eq!(solve(&mut solver, &[]), Answer::Sat);
        solver.add_clause(&[-excluded, 4]);
    }
    assert_eq!(solve(&mut solver, &[]), Answer::Sat);
    assert!(solver.value(4));
    solver.add_clause(&[-4]);
    assert_eq!(solve(&mut solver, &[]), Answer::Unsat);
    assert_eq!(solve(&mut solver, &[5]), Answer::Unsat);
}

fn failed_assumptions_are_those_that_clash<S: Solver>(new: fn() -> S) {
    let mut solver = new();
    solver.add_clause(&[-1, -2]);
    solver.add_clause(&[3, 4]);
    assert_eq!(solve(&mut solver, &[3, 1, 4, 2]), Answer::Unsat);
    assert!(solver.failed(1) && solver.failed(2));
    assert!(!solver.failed(3) && !solver.failed(4));
}

fn random_formulas_as_by_trying<S: Solver>(new: fn() -> S) {
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..150 {
        let mut solver = new();
        let mut reference = Brute::default();
        let variables = 8;
        let lit = |rng: &mut fastrand::Rng| {
            let variable = rng.i32(1..=variables);
            if rng.bool() { variable } else { -variable }
        };
        let mut clauses: Vec<Vec<i32>> = Vec::new();
        for _ in 0..5 {
            for _ in 0..9 {
                let clause: Vec<i32> = (0..3).map(|_| lit(&mut rng)).collect();
                solver.add_clause(&clause);
                reference.add_clause(&clause);
                clauses.push(clause);
            }
            let assumptions: Vec<i32> = (0..rng.usize(0..4)).map(|_| lit(&mut rng)).collect();
            let answer = solve(&mut solver, &assumptions);
            assert_eq!(answer, solve(&mut reference, &assumptions), "{clauses:?} {assumptions:?}");
            if answer == Answer::Sat {
                assert!(clauses.iter().all(|clause| clause.iter().any(|&lit| solver.value(lit))));
                assert!(assumptions.iter().all(|&lit| solver.value(lit)));
            } else {
                let core: Vec<i32> =
                    assumptions.iter().copied().filter(|&lit| solver.failed(lit)).collect();
                assert_eq!(solve(&mut reference, &core), Answer::Unsat, "{clauses:?} {core:?}");
            }
        }
    }
}

/// More pigeons than any of the solvers can count soon.
fn hard_searches_can_be_given_up<S: Solver>(new: fn() -> S) {
    // A model of the one that tries every assignment is a word.
    let pigeons = if std::any::type_name::<S>() == std::any::type_name::<Brute>() { 8 } else { 15 };
    let mut solver = new();
    pigeonhole(&mut solver, pigeons, pigeons - 1);
    for wait in [0, 300] {
        let start = Instant::now();
        let wait = Duration::from_millis(wait);
        let answer = solver.solve(&[], &mut || start.elapsed() >= wait);
        assert_eq!(answer, Answer::Unknown);
        let late = start.elapsed().saturating_sub(wait);
        assert!(late < Duration::from_secs(1), "{late:?} late");
    }
    // It still works.
    solver.add_clause(&[]);
    assert_eq!(solve(&mut solver, &[]), Answer::Unsat);
}

macro_rules! suite {
    ($solver:ident, $new:expr) => {
        mod $solver {
            use super::*;

            suite!(@test $new; no_clause_and_the_empty_one pigeons_and_holes
                assumptions_last_for_one_call clauses_may_come_later
                failed_assumptions_are_those_that_clash random_formulas_as_by_trying
                hard_searches_can_be_given_up);
        }
    };
    (@test $new:expr; $($name:ident)*) => {
        $(#[test]
        fn $name() {
            super::$name($new);
        })*
    };
}

suite!(cadical, Cadical::new);
suite!(brute, Brute::default);

#[test]
fn options_go_to_cadical_before_the_first_clause() {
    let mut solver = Cadical::new();
    assert!(solver.set_option("seed", 7));
    assert!(!solver.set_option("no-such-option", 1));
    solver.add_clause(&[1]);
    assert!(!solver.set_option("seed", 8));
}

#[test]
fn work_is_counted() {
    let mut solver = Cadical::new();
    pigeonhole(&mut solver, 6, 5);
    assert_eq!(solve(&mut solver, &[]), Answer::Unsat);
    assert!(solver.statistics().conflicts > 0);
}
