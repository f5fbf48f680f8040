//! A solver that believes nothing: it reads answers, and checks that they follow.

use std::io::BufRead;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::order::{Lemma, Orders};
use crate::proof::premises::Premises;
use crate::solver::{Answer, OrderSolver, Solver};

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub clauses: u64,
    pub lemmas: u64,
    pub derived: u64,
    pub refuted: u64,
    pub models: u64,
}

type Clause = Box<[i32]>;

pub struct Check {
    lines: Box<dyn BufRead>,
    /// The line that was read last.
    at: u64,
    /// What was asserted.
    formula: FxHashSet<Clause>,
    /// Those of the formula and those that follow, by number.
    known: FxHashMap<i64, Clause>,
    premises: Option<Premises>,
    /// The largest variable that there is.
    most: u32,
    /// Variables under propagation: 1 true, -1 false.
    values: Vec<i8>,
    model: FxHashSet<i32>,
    counts: Counts,
    error: Option<String>,
}

impl Check {
    /// `skipped` lines were read before.
    pub fn new(lines: Box<dyn BufRead>, skipped: u64) -> Check {
        Check {
            lines,
            at: skipped,
            formula: FxHashSet::default(),
            known: FxHashMap::default(),
            premises: None,
            most: 0,
            values: Vec::new(),
            model: FxHashSet::default(),
            counts: Counts::default(),
            error: None,
        }
    }

    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Why an answer was not believed, if one was not.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// There must be no more answers to read.
    pub fn finish(&mut self) -> Result<Counts, String> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        // What nobody asks about needs no proof.
        while let Some(line) = self.line()? {
            if !["o ", "t ", "a ", "d "].iter().any(|kind| line.starts_with(kind)) {
                return Err(format!("line {}: more than there was to ask", self.at));
            }
        }
        Ok(self.counts)
    }

    fn line(&mut self) -> Result<Option<String>, String> {
        let mut line = String::new();
        self.at += 1;
        match self.lines.read_line(&mut line) {
            Ok(0) => Ok(None),
            Ok(_) if !line.ends_with('\n') => Err(format!("line {}: cut off", self.at)),
            Ok(_) => Ok(Some(line)),
            Err(error) => Err(format!("line {}: {error}", self.at)),
        }
    }

    /// The answer to a question.
    fn answer(
        &mut self,
        assumptions: &[i32],
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Answer, String> {
        loop {
            if self.at.is_multiple_of(1024) && stop() {
                return Ok(Answer::Unknown);
            }
            let Some(line) = self.line()? else {
                return Err(format!("line {}: the end, before the answer to a question", self.at));
            };
            let found = self.read(line.trim_end(), assumptions);
            if let Some(answer) = found.map_err(|what| format!("line {}: {what}", self.at))? {
                return Ok(answer);
            }
        }
    }

    fn read(&mut self, line: &str, assumptions: &[i32]) -> Result<Option<Answer>, String> {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut words = rest.split_ascii_whitespace();
        match kind {
            "o" => {
                let (id, clause) = (number(&mut words)?, literals(&mut words)?);
                if !self.formula.contains(&sorted(&clause)) {
                    return Err("a clause that the formula does not have".to_string());
                }
                self.counts.clauses += 1;
                self.know(id, clause)?;
            }
            "t" => {
                let (id, clause) = (number(&mut words)?, literals(&mut words)?);
                let words: Vec<&str> = words.collect();
                let lemma = Lemma::parse(&words.join(" ")).ok_or("a lemma that can't be read")?;
                if !self.premises.as_ref().is_some_and(|it| it.hold(&clause, &lemma)) {
                    return Err("a lemma that does not hold in every order".to_string());
                }
                self.counts.lemmas += 1;
                self.know(id, clause)?;
            }
            "a" => {
                let (id, clause) = (number(&mut words)?, literals(&mut words)?);
                let by = numbers(&mut words)?;
                self.fits(&clause)?;
                if !self.follows(&clause, &by)? {
                    return Err("a clause that does not follow".to_string());
                }
                self.counts.derived += 1;
                self.know(id, clause)?;
            }
            "d" => {
                self.known.remove(&number(&mut words)?);
            }
            "q" => {
                if literals(&mut words)? != assumptions {
                    return Err("another question than the one that was asked".to_string());
                }
            }
            "u" => {
                let clause = self.clause(number(&mut words)?)?;
                if !clause.iter().all(|literal| assumptions.contains(&-literal)) {
                    return Err("a clause that does not answer the question".to_string());
                }
                self.counts.refuted += 1;
                return Ok(Some(Answer::Unsat));
            }
            "s" => {
                self.model = literals(&mut words)?.into_iter().collect();
                self.check_model(assumptions)?;
                self.counts.models += 1;
                return Ok(Some(Answer::Sat));
            }
            _ => return Err("not a line of a certificate".to_string()),
        }
        Ok(None)
    }

    /// Variables that may be spoken of.
    fn meet(&mut self, literals: &[i32]) {
        let variables = literals.iter().map(|literal| literal.unsigned_abs());
        self.most = variables.fold(self.most, u32::max);
    }

    fn fits(&self, clause: &[i32]) -> Result<(), String> {
        match clause.iter().all(|literal| literal.unsigned_abs() <= self.most) {
            true => Ok(()),
            false => Err("a variable that the formula does not have".to_string()),
        }
    }

    fn know(&mut self, id: i64, clause: Vec<i32>) -> Result<(), String> {
        self.fits(&clause)?;
        match self.known.insert(id, clause.into()) {
            Some(_) => Err(format!("two clauses with the number {id}")),
            None => Ok(()),
        }
    }

    fn clause(&self, id: i64) -> Result<&Clause, String> {
        self.known.get(&id).ok_or_else(|| format!("no clause has the number {id}"))
    }

    /// Does unit propagation over these clauses, in turn, refute the negation of one?
    fn follows(&mut self, clause: &[i32], by: &[i64]) -> Result<bool, String> {
        let mut trail: Vec<i32> = Vec::new();
        let mut values = std::mem::take(&mut self.values);
        let mut set = |values: &mut Vec<i8>, literal: i32| {
            let at = literal.unsigned_abs() as usize;
            if values.len() <= at {
                values.resize(at + 1, 0);
            }
            values[at] = literal.signum() as i8;
            trail.push(literal);
        };
        let value = |values: &[i8], literal: i32| {
            let value = values.get(literal.unsigned_abs() as usize).copied().unwrap_or(0);
            i32::from(value) * literal.signum()
        };
        let mut refuted = false;
        for &literal in clause {
            refuted |= value(&values, literal) > 0;
            set(&mut values, -literal);
        }
        let mut found = Ok(());
        for &id in by {
            if refuted {
                break;
            }
            let known = match self.known.get(&id) {
                Some(known) => known,
                None => {
                    found = Err(format!("no clause has the number {id}"));
                    break;
                }
            };
            let mut open = known.iter().filter(|&&literal| value(&values, literal) >= 0);
            match (open.next(), open.next()) {
                (None, _) => refuted = true,
                (Some(&unit), None) if value(&values, unit) == 0 => set(&mut values, unit),
                // It says nothing here.
                _ => {}
            }
        }
        for literal in trail {
            values[literal.unsigned_abs() as usize] = 0;
        }
        self.values = values;
        found.map(|()| refuted)
    }

    fn check_model(&self, assumptions: &[i32]) -> Result<(), String> {
        let holds = |literal: &i32| self.model.contains(literal);
        if self.model.iter().any(|literal| self.model.contains(&-literal)) {
            return Err("a model with a literal and its negation".to_string());
        }
        if !assumptions.iter().all(holds) || !self.formula.iter().all(|it| it.iter().any(holds)) {
            return Err("a model that is none of the formula".to_string());
        }
        if !self.premises.as_ref().is_none_or(|it| it.allow(&mut |literal| holds(&literal))) {
            return Err("a model that keeps no order".to_string());
        }
        Ok(())
    }
}

impl Solver for Check {
    fn add_clause(&mut self, lits: &[i32]) {
        self.meet(lits);
        self.formula.insert(sorted(lits));
    }

    fn solve(&mut self, assumptions: &[i32], watch: &mut dyn FnMut() -> bool) -> Answer {
        if self.error.is_some() {
            return Answer::Unknown;
        }
        self.meet(assumptions);
        self.answer(assumptions, watch).unwrap_or_else(|error| {
            self.error = Some(error);
            Answer::Unknown
        })
    }

    fn value(&self, lit: i32) -> bool {
        self.model.contains(&lit)
    }

    fn failed(&self, _: i32) -> bool {
        true
    }
}

impl OrderSolver for Check {
    fn keep(&mut self, orders: &Orders<i32>) {
        orders.clone().map(&mut |literal: i32| self.meet(&[literal]));
        self.premises = Some(Premises::new(orders));
    }

    fn refuse(&mut self, why: &str) {
        self.error = Some(format!("line {}: {why}", self.at));
    }
}

fn sorted(clause: &[i32]) -> Clause {
    let mut clause = clause.to_vec();
    clause.sort_unstable();
    clause.dedup();
    clause.into()
}

fn number<'a, T: std::str::FromStr>(
    words: &mut impl Iterator<Item = &'a str>,
) -> Result<T, String> {
    let word = words.next().ok_or("a line that is too short")?;
    word.parse().map_err(|_| format!("{word:?} is no number"))
}

fn literals<'a>(words: &mut impl Iterator<Item = &'a str>) -> Result<Vec<i32>, String> {
    until_zero(words, |literal: i32| literal != 0 && literal != i32::MIN)
}

fn numbers<'a>(words: &mut impl Iterator<Item = &'a str>) -> Result<Vec<i64>, String> {
    until_zero(words, |number: i64| number > 0)
}

fn until_zero<'a, T: std::str::FromStr + Copy + Default + PartialEq>(
    words: &mut impl Iterator<Item = &'a str>,
    fits: impl Fn(T) -> bool,
) -> Result<Vec<T>, String> {
    let mut all = Vec::new();
    loop {
        let next: T = number(words)?;
        if next == T::default() {
            return Ok(all);
        }
        if !fits(next) {
            return Err("a number that is none".to_string());
        }
        all.push(next);
    }
}
