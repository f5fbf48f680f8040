//! Cuts a program down as long as it still shows the same disagreement.

use crate::ast::{Expr, Stmt, Test};
use crate::batch::{Compiled, compile};
use crate::compare::compare;
use crate::outcome::{Disagreement, Effort, Limits};
use crate::print::Waits;

/// Candidates that are compiled together.
const TOGETHER: usize = 32;

/// Compiles and compares programs, as many in a file as there are.
pub fn check_all(
    tests: &[Test],
    limits: &Limits,
    mut each: impl FnMut(usize, Result<Effort, Disagreement>) -> bool,
) {
    let waits = |test: &Test| test.any(|stmt| matches!(stmt, Stmt::Wait(..) | Stmt::Turns(_)));
    let mut jobs: Vec<(&Test, Waits)> = tests.iter().map(|test| (test, Waits::Plain)).collect();
    let counted: Vec<usize> = (0..tests.len()).filter(|&at| waits(&tests[at])).collect();
    jobs.extend(counted.iter().map(|&at| (&tests[at], Waits::Counted(2))));
    let compiled = compile(&jobs, limits.spurious);
    for at in 0..tests.len() {
        let other: Option<&Compiled> =
            counted.iter().position(|&c| c == at).map(|c| &compiled[tests.len() + c]);
        if !each(at, compare(&compiled[at], other, limits)) {
            return;
        }
    }
}

/// The smallest program found, with what it shows.
pub fn shrink(test: &Test, shows: Disagreement, limits: &Limits) -> (Test, Disagreement) {
    let (mut best, mut best_shows) = (test.clone(), shows);
    'again: loop {
        let candidates = candidates(&best);
        for chunk in candidates.chunks(TOGETHER) {
            let mut found = None;
            check_all(chunk, limits, |at, result| {
                if let Err(disagreement) = result
                    && disagreement.respect == best_shows.respect
                {
                    found = Some((chunk[at].clone(), disagreement));
                }
                found.is_none()
            });
            if let Some(smaller) = found {
                (best, best_shows) = smaller;
                continue 'again;
            }
        }
        return (best, best_shows);
    }
}

/// All programs that are one cut smaller, large cuts first.
fn candidates(test: &Test) -> Vec<Test> {
    let mut all = Vec::new();
    for thread in (1..test.threads.len()).rev() {
        let mut smaller = test.clone();
        remove_thread(&mut smaller, thread);
        all.push(smaller);
    }
    for edit in [Edit::Remove, Edit::Unwrap, Edit::Otherwise, Edit::Constant, Edit::Child] {
        for at in 0.. {
            let mut smaller = test.clone();
            if !apply(&mut smaller, edit, at) {
                break;
            }
            if smaller != *test {
                all.push(smaller);
            }
        }
    }
    if test.global_handles {
        all.push(Test { global_handles: false, ..test.clone() });
    }
    if test.null_pointers {
        all.push(Test { null_pointers: false, ..test.clone() });
    }
    for thread in 0..test.threads.len() {
        let mut smaller = test.clone();
        if std::mem::take(&mut smaller.threads[thread].returns_local) {
            all.push(smaller);
        }
        let mut smaller = test.clone();
        if std::mem::take(&mut smaller.threads[thread].vague) {
            all.push(smaller);
        }
    }
    all
}

#[derive(Clone, Copy)]
enum Edit {
    /// Of a statement.
    Remove,
    /// The statements inside take its place.
    Unwrap,
    /// A branch loses its other side, a loop all but one iteration, an object its copy.
    Otherwise,
    /// An expression becomes 0.
    Constant,
    /// An expression becomes the first part of itself.
    Child,
}

/// Applies an edit at the `at`-th place where it can be; false: there are fewer.
fn apply(test: &mut Test, edit: Edit, mut at: usize) -> bool {
    test.threads.iter_mut().any(|thread| apply_in(&mut thread.body, edit, &mut at))
}

fn apply_in(block: &mut Vec<Stmt>, edit: Edit, at: &mut usize) -> bool {
    for index in 0..block.len() {
        let stmt = &mut block[index];
        let here = match edit {
            Edit::Remove => true,
            Edit::Unwrap => !stmt.blocks().is_empty(),
            Edit::Otherwise => match stmt {
                Stmt::If(_, _, other) => !other.is_empty(),
                Stmt::Loop(count, _) => *count > 1,
                Stmt::Partly(partly) => partly.copied,
                Stmt::Crowd(crowd) => crowd.count_mut().is_some_and(|count| *count > 1),
                _ => false,
            },
            Edit::Constant | Edit::Child => {
                if stmt.exprs_mut().into_iter().any(|e| simplify(e, edit, at)) {
                    return true;
                }
                false
            }
        };
        if here && *at == 0 {
            match (edit, stmt) {
                (Edit::Remove, _) => drop(block.remove(index)),
                (Edit::Otherwise, Stmt::If(_, _, other)) => other.clear(),
                (Edit::Otherwise, Stmt::Loop(count, _)) => *count = 1,
                (Edit::Otherwise, Stmt::Partly(partly)) => partly.copied = false,
                (Edit::Otherwise, Stmt::Crowd(crowd)) => {
                    crowd.count_mut().into_iter().for_each(|count| *count -= 1);
                }
                (_, stmt) => {
                    let inside: Vec<Stmt> =
                        stmt.blocks_mut().into_iter().flat_map(std::mem::take).collect();
                    block.splice(index..=index, inside);
                }
            }
            return true;
        }
        *at -= usize::from(here);
        if block[index].blocks_mut().into_iter().any(|inner| apply_in(inner, edit, at)) {
            return true;
        }
    }
    false
}

fn simplify(e: &mut Expr, edit: Edit, at: &mut usize) -> bool {
    let here = match edit {
        Edit::Constant => *e != Expr::Const(0),
        _ => !e.children_mut().is_empty(),
    };
    if here && *at == 0 {
        let part = match edit {
            Edit::Constant => Expr::Const(0),
            _ => e.children_mut()[0].clone(),
        };
        *e = part;
        return true;
    }
    *at -= usize::from(here);
    e.children_mut().into_iter().any(|child| simplify(child, edit, at))
}

fn remove_thread(test: &mut Test, thread: usize) {
    fn renumber(block: &mut Vec<Stmt>, gone: u8) {
        block.retain(
            |s| !matches!(s, Stmt::Create(n) | Stmt::Detach(n) | Stmt::Join(n, _) if *n == gone),
        );
        block.retain(|s| match s {
            Stmt::Crowd(crowd) => crowd.clone().thread_mut().is_none_or(|n| *n != gone),
            _ => true,
        });
        for stmt in block {
            if let Stmt::Crowd(crowd) = stmt {
                crowd.thread_mut().into_iter().for_each(|n| *n -= u8::from(*n > gone));
            }
            if let Stmt::Create(n) | Stmt::Detach(n) | Stmt::Join(n, _) = stmt {
                *n -= u8::from(*n > gone);
            }
            stmt.blocks_mut().into_iter().for_each(|inner| renumber(inner, gone));
        }
    }
    test.threads.remove(thread);
    for body in test.threads.iter_mut().map(|thread| &mut thread.body) {
        renumber(body, thread as u8);
    }
}
