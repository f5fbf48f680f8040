//! Random DAGs of operations, built as terms and computed naively.

use heddle_sat::{Binary, Relation, Term, Terms};

use super::{binary, mask, relate, signed};

#[derive(Clone, Debug)]
pub enum Step {
    Constant(u64),
    Variable,
    Choice(Vec<u64>),
    Not(usize),
    Binary(Binary, usize, usize),
    Relate(Relation, usize, usize),
    Select(usize, usize, usize),
    Extract(usize, u32),
    Concat(usize, usize),
    ZeroExtend(usize),
    SignExtend(usize),
    AndAll(Vec<usize>),
    OrAll(Vec<usize>),
}

/// Steps refer to earlier ones; each with its width.
#[derive(Debug)]
pub struct Dag {
    pub steps: Vec<(Step, u32)>,
}

impl Dag {
    /// Few distinct widths and operands, so that rules find something to meet.
    pub fn random(rng: &mut fastrand::Rng, size: usize) -> Dag {
        let widths: &[u32] =
            rng.choice([&[1, 2, 3][..], &[1, 4, 8], &[1, 8, 32], &[1, 3, 64]]).unwrap();
        let mut dag = Dag { steps: Vec::new() };
        for &width in widths {
            dag.push(Step::Variable, width);
            dag.push(Step::Variable, width);
            dag.push(Step::Constant(rng.u64(..) & mask(width)), width);
            let values = (0..rng.usize(1..6)).map(|_| rng.u64(..) & mask(width).min(15)).collect();
            dag.push(Step::Choice(values), width);
        }
        while dag.steps.len() < size {
            dag.grow(rng, widths);
        }
        dag
    }

    fn push(&mut self, step: Step, width: u32) {
        self.steps.push((step, width));
    }

    /// A step of that width; recent ones are more likely.
    fn pick(&self, rng: &mut fastrand::Rng, width: u32) -> usize {
        let of_width: Vec<usize> =
            (0..self.steps.len()).filter(|&i| self.steps[i].1 == width).collect();
        let first = if rng.bool() { of_width.len().saturating_sub(4) } else { 0 };
        of_width[rng.usize(first..of_width.len())]
    }

    fn grow(&mut self, rng: &mut fastrand::Rng, widths: &[u32]) {
        let any = rng.usize(..self.steps.len());
        let width = self.steps[any].1;
        let other = self.pick(rng, width);
        match rng.u32(0..16) {
            0 => {
                let small = rng.bool();
                let bits = if small { rng.u64(0..4) } else { rng.u64(..) };
                self.push(Step::Constant(bits & mask(width)), width);
            }
            1 | 2 => self.push(Step::Not(any), width),
            3..=6 => {
                let op = *rng.choice(&Binary::ALL).unwrap();
                self.push(Step::Binary(op, any, other), width);
            }
            7..=8 => self.push(Step::Relate(*rng.choice(&Relation::ALL).unwrap(), any, other), 1),
            9..=10 => {
                let cond = self.pick(rng, 1);
                self.push(Step::Select(cond, any, other), width);
            }
            11 => {
                let to = *rng.choice(widths).unwrap();
                if to <= width {
                    self.push(Step::Extract(any, rng.u32(0..=width - to)), to);
                }
            }
            12 => {
                let width_below = *rng.choice(widths).unwrap();
                let low = self.pick(rng, width_below);
                if width + self.steps[low].1 <= 64 {
                    self.push(Step::Concat(any, low), width + self.steps[low].1);
                }
            }
            13..=14 => {
                let to = *rng.choice(widths).unwrap();
                if to >= width {
                    let step =
                        if rng.bool() { Step::ZeroExtend(any) } else { Step::SignExtend(any) };
                    self.push(step, to);
                }
            }
            _ => {
                let all = (0..rng.usize(0..5)).map(|_| self.pick(rng, 1)).collect();
                self.push(if rng.bool() { Step::AndAll(all) } else { Step::OrAll(all) }, 1);
            }
        }
    }

    /// The terms of all steps.
    pub fn build(&self, terms: &mut Terms) -> Vec<Term> {
        let mut built: Vec<Term> = Vec::new();
        for (step, width) in &self.steps {
            let all = |list: &[usize]| list.iter().map(|&i| built[i]).collect::<Vec<_>>();
            let term = match step {
                Step::Constant(bits) => terms.constant(*bits, *width),
                Step::Variable => terms.variable(*width),
                Step::Choice(values) => terms.choice(values, *width),
                Step::Not(a) => terms.not(built[*a]),
                Step::Binary(op, a, b) => terms.binary(*op, built[*a], built[*b]),
                Step::Relate(op, a, b) => terms.relate(*op, built[*a], built[*b]),
                Step::Select(c, a, b) => terms.select(built[*c], built[*a], built[*b]),
                Step::Extract(a, low) => terms.extract(built[*a], *low, *width),
                Step::Concat(a, b) => terms.concat(built[*a], built[*b]),
                Step::ZeroExtend(a) => terms.zero_extend(built[*a], *width),
                Step::SignExtend(a) => terms.sign_extend(built[*a], *width),
                Step::AndAll(list) => terms.and_all(&all(list)),
                Step::OrAll(list) => terms.or_all(&all(list)),
            };
            assert_eq!(terms.width(term), *width, "{step:?}");
            built.push(term);
        }
        built
    }

    /// Inputs: variables and choices.
    pub fn is_input(&self, step: usize) -> bool {
        matches!(self.steps[step].0, Step::Variable | Step::Choice(_))
    }

    /// Random values of the inputs (others are 0).
    pub fn assignment(&self, rng: &mut fastrand::Rng) -> Vec<u64> {
        let value = |(step, width): &(Step, u32)| match step {
            Step::Variable => match rng.u32(0..3) {
                0 => rng.u64(0..4) & mask(*width),
                1 => rng.u64(..).wrapping_neg() & mask(*width),
                _ => mask(*width) - (rng.u64(0..4) & mask(*width)),
            },
            Step::Choice(values) => *rng.choice(values).unwrap(),
            _ => 0,
        };
        self.steps.iter().map(value).collect()
    }

    /// The values of all steps.
    pub fn compute(&self, inputs: &[u64]) -> Vec<u64> {
        let mut values: Vec<u64> = Vec::new();
        for (index, (step, width)) in self.steps.iter().enumerate() {
            let from = |i: usize| self.steps[i].1;
            let value = match step {
                Step::Constant(bits) => *bits,
                Step::Variable | Step::Choice(_) => inputs[index],
                Step::Not(a) => !values[*a],
                Step::Binary(op, a, b) => binary(*op, values[*a], values[*b], *width),
                Step::Relate(op, a, b) => u64::from(relate(*op, values[*a], values[*b], from(*a))),
                Step::Select(c, a, b) => values[if values[*c] == 1 { *a } else { *b }],
                Step::Extract(a, low) => values[*a] >> low,
                Step::Concat(a, b) => values[*a] << from(*b) | values[*b],
                Step::ZeroExtend(a) => values[*a],
                Step::SignExtend(a) => signed(values[*a], from(*a)) as u64,
                Step::AndAll(list) => u64::from(list.iter().all(|&i| values[i] == 1)),
                Step::OrAll(list) => u64::from(list.iter().any(|&i| values[i] == 1)),
            };
            values.push(value & mask(*width));
        }
        values
    }
}
