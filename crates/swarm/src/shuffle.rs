//! Random orders without repetition, computed and never listed.
//!
//! A number of a mixed radix (a digit for each thread: which of its selections) is mapped to
//! another one: digit after digit is permuted, with a key made of the seed, the round and all
//! other digits. Each such step can be taken back, so the whole is a permutation of all
//! numbers, however many. A digit is permuted by a Feistel network over the next power of
//! four, again until it falls into its range (Black and Rogaway, *Ciphers with arbitrary
//! finite domains*, CT-RSA 2002).

const ROUNDS: u64 = 3;
const FEISTEL_ROUNDS: u64 = 4;

/// Changes a number, each digit of which is below its radix.
pub fn shuffle(digits: &mut [u64], radices: &[u64], seed: u64) {
    for round in 0..ROUNDS {
        for at in 0..digits.len() {
            if radices[at] < 2 {
                continue;
            }
            let mut key = mix(seed ^ mix(round ^ mix(at as u64)));
            for (other, &digit) in digits.iter().enumerate().filter(|(other, _)| *other != at) {
                key = mix(key ^ mix(digit ^ mix(other as u64 + 1)));
            }
            digits[at] = permute(digits[at], radices[at], key);
        }
    }
}

/// A permutation of the numbers below `size`.
fn permute(value: u64, size: u64, key: u64) -> u64 {
    let bits = 64 - (size - 1).leading_zeros();
    let half = bits.div_ceil(2).max(1);
    let mut value = value;
    loop {
        value = feistel(value, half, key);
        if value < size {
            return value;
        }
    }
}

fn feistel(value: u64, half: u32, key: u64) -> u64 {
    let mask = (1u64 << half) - 1;
    let (mut left, mut right) = (value >> half & mask, value & mask);
    for round in 0..FEISTEL_ROUNDS {
        let next = left ^ (mix(key ^ mix(right ^ round << 56)) & mask);
        (left, right) = (right, next);
    }
    left << half | right
}

/// A hash of 64 bits (the finaliser of SplitMix64).
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number comes up once, whatever the radices.
    #[test]
    fn nothing_is_repeated_or_left_out() {
        for radices in [vec![1], vec![2], vec![7], vec![10, 3], vec![4, 1, 6], vec![5, 5, 5, 5]] {
            let count: u64 = radices.iter().product();
            for seed in 0..5 {
                let mut seen = std::collections::BTreeSet::new();
                for number in 0..count {
                    let mut rest = number;
                    let mut digits = Vec::new();
                    for &radix in &radices {
                        digits.push(rest % radix);
                        rest /= radix;
                    }
                    shuffle(&mut digits, &radices, seed);
                    assert!(digits.iter().zip(&radices).all(|(digit, radix)| digit < radix));
                    seen.insert(digits);
                }
                assert_eq!(seen.len() as u64, count, "{radices:?}");
            }
        }
    }

    /// The largest radix that a digit can have.
    #[test]
    fn large_digits() {
        let radices = [u64::MAX, u64::MAX - 1];
        let mut seen = std::collections::BTreeSet::new();
        for number in 0..1000 {
            let mut digits = [number, 0];
            shuffle(&mut digits, &radices, 1);
            assert!(digits[0] < radices[0] && digits[1] < radices[1]);
            seen.insert(digits);
        }
        assert_eq!(seen.len(), 1000);
    }

    /// The first of many fall everywhere: no quarter is left out, none has half of them.
    #[test]
    fn the_first_ones_are_spread() {
        let radices = [1001, 1001, 1001, 1001];
        let mut quarters = [[0; 4]; 4];
        for number in 0..1000 {
            let mut digits = [number % 1001, 0, 0, 0];
            shuffle(&mut digits, &radices, 7);
            for (at, digit) in digits.iter().enumerate() {
                quarters[at][(digit * 4 / 1001) as usize] += 1;
            }
        }
        assert!(quarters.iter().flatten().all(|&n| (190..310).contains(&n)), "{quarters:?}");
    }
}
