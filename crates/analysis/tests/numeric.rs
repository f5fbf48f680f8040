//! Laws of the numeric domains, and their operations against all values of small words.

use heddle_analysis::numeric::{Lattice, Octagon, Thresholds, Word, sign_extend};
use heddle_ir::{BinOp, Compare, OverflowOp};

const WIDTH: u8 = 4;
const VALUES: u64 = 1 << WIDTH;

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    /// A word that stands for at least the values it is made of.
    fn word(&mut self, width: u8) -> Word {
        let bits = (1u64 << width) - 1;
        let number = sign_extend;
        match self.below(6) {
            0 => Word::top(width),
            1 => Word::constant(width, self.below(bits + 1)),
            2 => {
                let (a, b) = (self.below(bits + 1), self.below(bits + 1));
                Word::unsigned_range(width, a.min(b), a.max(b))
            }
            3 => {
                let a = number(self.below(bits + 1), width);
                let b = number(self.below(bits + 1), width);
                Word::signed_range(width, a.min(b), a.max(b))
            }
            4 => {
                let step = 1 + self.below(5);
                let from = self.below(bits + 1);
                let mut word = Word::constant(width, from);
                for turn in 1..=self.below(4) {
                    word = word.join(&Word::constant(width, from + turn * step));
                }
                word
            }
            _ => {
                let (a, b) = (self.word(width), self.word(width));
                if self.below(2) == 0 { a.join(&b) } else { a.meet(&b) }
            }
        }
    }
}

fn values(word: &Word) -> Vec<u64> {
    (0..VALUES).filter(|&bits| word.contains(bits)).collect()
}

#[test]
fn lattice_laws() {
    let mut dice = Dice(1);
    let thresholds = Thresholds::new(vec![-3, 0, 5]);
    for _ in 0..60_000 {
        let (a, b) = (dice.word(WIDTH), dice.word(WIDTH));
        let (join, meet) = (a.join(&b), a.meet(&b));
        assert!(a.leq(&a) && a.leq(&join) && b.leq(&join), "{a:?} {b:?} {join:?}");
        assert!(meet.leq(&a) && meet.leq(&b), "{a:?} {b:?} {meet:?}");
        assert_eq!(join, b.join(&a));
        assert_eq!(a.join(&a), a, "idempotent");
        for bits in 0..VALUES {
            let (in_a, in_b) = (a.contains(bits), b.contains(bits));
            assert!(join.contains(bits) || !(in_a || in_b), "{a:?} {b:?} {bits}");
            assert!(meet.contains(bits) || !(in_a && in_b), "{a:?} {b:?} {bits}");
            assert!(!a.leq(&b) || !in_a || in_b, "{a:?} {b:?} {bits}");
        }
        let wide = a.widen(&b, &thresholds);
        assert!(a.leq(&wide) && b.leq(&wide), "{a:?} {b:?} {wide:?}");
        assert_eq!(a.is_bottom(), values(&a).is_empty() && a.is_bottom());
    }
}

#[test]
fn widening_comes_to_an_end() {
    let mut dice = Dice(2);
    let thresholds = Thresholds::new(vec![-100, -7, 0, 5, 60]);
    for _ in 0..2_000 {
        let mut word = dice.word(8);
        let mut changes = 0;
        for _ in 0..200 {
            let next = word.widen(&word.join(&dice.word(8)), &thresholds);
            assert!(word.leq(&next));
            changes += u32::from(next != word);
            word = next;
        }
        assert!(changes < 30, "{changes}");
    }
}

const OPERATIONS: &[BinOp] = &[
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::UDiv,
    BinOp::SDiv,
    BinOp::URem,
    BinOp::SRem,
    BinOp::Shl,
    BinOp::LShr,
    BinOp::AShr,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::UMin,
    BinOp::UMax,
    BinOp::SMin,
    BinOp::SMax,
];

/// As `semantics` defines it; `None` where a program is stopped before.
fn concrete(op: BinOp, a: u64, b: u64) -> Option<u64> {
    let signed = |x| sign_extend(x, WIDTH);
    let bits = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b)?,
        BinOp::SDiv => signed(a).checked_div(signed(b))? as u64,
        BinOp::URem => a.checked_rem(b)?,
        BinOp::SRem => signed(a).checked_rem(signed(b))? as u64,
        BinOp::Shl if b < u64::from(WIDTH) => a << b,
        BinOp::LShr if b < u64::from(WIDTH) => a >> b,
        BinOp::Shl | BinOp::LShr => 0,
        BinOp::AShr => (signed(a) >> b.min(63)) as u64,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::UMin => a.min(b),
        BinOp::UMax => a.max(b),
        BinOp::SMin => signed(a).min(signed(b)) as u64,
        BinOp::SMax => signed(a).max(signed(b)) as u64,
    };
    Some(bits & (VALUES - 1))
}

#[test]
fn operations_contain_all_results() {
    let mut dice = Dice(3);
    for _ in 0..8_000 {
        let (a, b) = (dice.word(WIDTH), dice.word(WIDTH));
        for &op in OPERATIONS {
            let result = Word::binary(op, &a, &b);
            for x in values(&a) {
                for y in values(&b) {
                    let Some(bits) = concrete(op, x, y) else { continue };
                    assert!(result.contains(bits), "{op:?} {a:?} {b:?}: {x} {y} {result:?}");
                }
            }
        }
    }
}

#[test]
fn casts_contain_all_results() {
    let mut dice = Dice(4);
    for _ in 0..8_000 {
        let a = dice.word(WIDTH);
        for bits in values(&a) {
            assert!(a.zero_extended(7).contains(bits));
            assert!(a.sign_extended(7).contains(sign_extend(bits, WIDTH) as u64 & 127));
            assert!(a.truncated(2).contains(bits & 3), "{a:?} {bits} {:?}", a.truncated(2));
            assert!(a.negated().contains(bits.wrapping_neg() & (VALUES - 1)));
        }
    }
}

fn holds(pred: Compare, a: u64, b: u64) -> bool {
    let (x, y) = (sign_extend(a, WIDTH), sign_extend(b, WIDTH));
    match pred {
        Compare::Eq => a == b,
        Compare::Ne => a != b,
        Compare::ULt => a < b,
        Compare::ULe => a <= b,
        Compare::UGt => a > b,
        Compare::UGe => a >= b,
        Compare::SLt => x < y,
        Compare::SLe => x <= y,
        Compare::SGt => x > y,
        Compare::SGe => x >= y,
    }
}

#[test]
fn comparisons_keep_all_values() {
    use Compare::*;
    let mut dice = Dice(5);
    for _ in 0..8_000 {
        let (a, b) = (dice.word(WIDTH), dice.word(WIDTH));
        for pred in [Eq, Ne, ULt, ULe, UGt, UGe, SLt, SLe, SGt, SGe] {
            let (known, kept) = (Word::compare(pred, &a, &b), a.refined(pred, &b));
            for x in values(&a) {
                for y in values(&b) {
                    let truth = holds(pred, x, y);
                    assert!(known.is_none_or(|known| known == truth), "{pred:?} {a:?} {b:?}");
                    assert!(!truth || kept.contains(x), "{pred:?} {a:?} {b:?} {x} {kept:?}");
                }
            }
        }
    }
}

#[test]
fn overflow_is_known_only_if_it_is_so() {
    use OverflowOp::*;
    let mut dice = Dice(6);
    for _ in 0..4_000 {
        let (a, b) = (dice.word(WIDTH), dice.word(WIDTH));
        for op in [UAdd, SAdd, USub, SSub, UMul, SMul] {
            let Some(known) = Word::overflows(op, &a, &b) else { continue };
            for x in values(&a) {
                for y in values(&b) {
                    let (sx, sy) = (sign_extend(x, WIDTH), sign_extend(y, WIDTH));
                    let (ux, uy) = (x as i64, y as i64);
                    let (exact, signed) = match op {
                        UAdd => (ux + uy, false),
                        SAdd => (sx + sy, true),
                        USub => (ux - uy, false),
                        SSub => (sx - sy, true),
                        UMul => (ux * uy, false),
                        SMul => (sx * sy, true),
                    };
                    let fits = if signed { -8..=7 } else { 0..=15 };
                    assert_eq!(known, !fits.contains(&exact), "{op:?} {a:?} {b:?} {x} {y}");
                }
            }
        }
    }
}

/// Four variables: a random walk of assignments and assumptions, along with all states.
#[test]
fn octagons_contain_all_states() {
    let thresholds = Thresholds::new(vec![0, 3]);
    for seed in 0..400 {
        let mut dice = Dice(seed);
        let mut states: Vec<[u64; 4]> =
            (0..6).map(|_| [(); 4].map(|()| dice.below(VALUES))).collect();
        let mut octagon = Octagon::default();
        for _ in 0..25 {
            let (x, y) = (dice.below(4) as usize, dice.below(4) as usize);
            let c = dice.below(VALUES);
            let word = Word::constant(WIDTH, c);
            match dice.below(6) {
                0 | 1 => {
                    octagon.assign(x as u32, y as u32, word);
                    for state in &mut states {
                        state[x] = (state[y] + c) % VALUES;
                    }
                }
                2 => {
                    octagon.assign_negated(x as u32, y as u32, word);
                    for state in &mut states {
                        state[x] = c.wrapping_sub(state[y]) % VALUES;
                    }
                }
                3 if x != y => {
                    let range = dice.word(WIDTH);
                    octagon.assume_difference(x as u32, y as u32, range);
                    states.retain(|s| range.contains(s[x].wrapping_sub(s[y]) % VALUES));
                }
                4 => {
                    let other: Vec<[u64; 4]> =
                        (0..3).map(|_| [(); 4].map(|()| dice.below(VALUES))).collect();
                    let range = |var: u32| {
                        let all = other.iter().map(|s| Word::constant(WIDTH, s[var as usize]));
                        all.reduce(|a, b| a.join(&b))
                    };
                    let mine = |var: u32| {
                        let all = states.iter().map(|s| Word::constant(WIDTH, s[var as usize]));
                        all.reduce(|a, b| a.join(&b))
                    };
                    if states.is_empty() {
                        continue;
                    }
                    let before = octagon.clone();
                    octagon = match dice.below(2) {
                        0 => octagon.join(&Octagon::default(), mine, range),
                        _ => octagon.widen(&Octagon::default(), range, &thresholds),
                    };
                    assert!(before.implies(&octagon, mine), "{before:?} {octagon:?}");
                    states.extend(other);
                }
                _ => {
                    octagon.forget(x as u32);
                    for state in &mut states {
                        state[x] = dice.below(VALUES);
                    }
                }
            }
            for (x, y, difference, sum) in octagon.entries() {
                for state in &states {
                    let (a, b) = (state[x as usize], state[y as usize]);
                    assert!(
                        difference.contains(a.wrapping_sub(b) % VALUES),
                        "{octagon:?} {state:?}"
                    );
                    assert!(sum.contains((a + b) % VALUES), "{octagon:?} {state:?}");
                }
            }
        }
    }
}
