//! The theory of orders, by itself and inside the solver, against a search that tries every
//! line of the nodes.

mod common;

use common::orders::{chained, chains, clauses, holds, is_fine, random_orders, reaches};
use fastrand::Rng;
use heddle_sat::order::Clocks;
use heddle_sat::{Answer, Cadical, OrderSolver, Solver};

#[test]
fn clocks_agree_with_search_and_paths_are_paths() {
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let chains = chains(&mut rng, 4, 4);
        let nodes = chains.iter().map(Vec::len).sum::<usize>();
        let mut clocks = Clocks::new(&chains);
        let fixed = chained(&chains);
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut marks = Vec::new();
        for _ in 0..60 {
            if rng.u32(0..4) == 0 && !marks.is_empty() {
                let (mark, count) = marks.swap_remove(rng.usize(..marks.len()));
                marks.retain(|&(_, other)| other <= count);
                clocks.undo(mark);
                edges.truncate(count);
            } else {
                marks.push((clocks.mark(), edges.len()));
                let (from, to) = (rng.u32(..nodes as u32), rng.u32(..nodes as u32));
                let all: Vec<(u32, u32)> = fixed.iter().chain(&edges).copied().collect();
                let closes = reaches(nodes, &all, to, from);
                assert_eq!(clocks.add(from, to, &mut Vec::new()), !closes, "seed {seed}");
                if !closes {
                    edges.push((from, to));
                }
            }
            let all: Vec<(u32, u32)> = fixed.iter().chain(&edges).copied().collect();
            for a in 0..nodes as u32 {
                for b in 0..nodes as u32 {
                    let before = clocks.is_by(a, b);
                    assert_eq!(before, reaches(nodes, &all, a, b), "seed {seed}: {a} {b}");
                    if before && a != b {
                        let mut used = fixed.clone();
                        clocks.path(a, b, &mut |edge| {
                            used.push(edges[edge as usize]);
                        });
                        assert!(reaches(nodes, &used, a, b), "seed {seed}: path {a} {b}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_solver_finds_exactly_the_models_that_keep_orders() {
    let mut both = [0, 0];
    for seed in 0..400 {
        let mut rng = Rng::with_seed(seed);
        let (orders, count) = random_orders(&mut rng);
        if count > 14 {
            continue;
        }
        let clauses = clauses(&orders);
        let mut solver = Cadical::new();
        for clause in &clauses {
            solver.add_clause(clause);
        }
        for variable in 1..=count {
            solver.add_clause(&[variable, -variable]);
        }
        solver.keep(&orders);
        for _ in 0..12 {
            let assumed: Vec<i32> = (1..=count)
                .filter_map(|it| match rng.u32(0..4) {
                    0 => Some(it),
                    1 => Some(-it),
                    _ => None,
                })
                .collect();
            let fits = |model: &u32| assumed.iter().all(|&literal| holds(*model, literal));
            let expected =
                (0..1u32 << count).filter(fits).any(|model| is_fine(&orders, &clauses, model));
            let answer = solver.solve(&assumed, &mut || false);
            assert_eq!(answer == Answer::Sat, expected, "seed {seed}: {assumed:?} {orders:?}");
            both[usize::from(expected)] += 1;
            if answer == Answer::Sat {
                let line = orders.linearise(&mut |literal| solver.value(literal));
                assert!(line.is_some(), "seed {seed}: a model with a cycle");
            }
        }
    }
    assert!(both[0] > 100 && both[1] > 100, "{both:?}");
}

#[test]
fn a_check_by_itself_agrees_with_the_definition() {
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let (orders, count) = random_orders(&mut rng);
        if count > 12 {
            continue;
        }
        let clauses = clauses(&orders);
        for model in 0..1u32 << count {
            let line = orders.linearise(&mut |literal| holds(model, literal));
            let legal =
                clauses.iter().all(|clause| clause.iter().any(|&literal| holds(model, literal)));
            if legal {
                let fine = is_fine(&orders, &[], model);
                assert_eq!(line.is_some(), fine, "seed {seed}, model {model:b}: {orders:?}");
            }
        }
    }
}
