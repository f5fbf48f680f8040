//! Numbers in `printf` formats, compared with those of the system's `snprintf`.
#![allow(unsafe_code, reason = "calls the C library")]

use std::ffi::{CString, c_char, c_int};

use heddle_semantics::library::number::{Directive, text};

unsafe extern "C" {
    fn snprintf(to: *mut c_char, room: usize, format: *const c_char, ...) -> c_int;
}

/// A small generator (xorshift), so that a seed tells everything.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 11) % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

const CONVERSIONS: &[u8] = b"diuxXopfFeEgGaA";

fn directive(random: &mut Random) -> Directive {
    let mut flag = |odds| random.below(odds) == 0;
    let (left, zero, plus, space, alternate) = (flag(4), flag(3), flag(4), flag(5), flag(3));
    let width = match random.below(8) {
        0..4 => 0,
        4..7 => random.below(25),
        _ => random.below(400),
    };
    let precision = match random.below(8) {
        0..3 => None,
        3..7 => Some(random.below(22)),
        _ => Some(random.below(400)),
    };
    Directive {
        conversion: random.pick(CONVERSIONS),
        left,
        zero,
        plus,
        space,
        alternate,
        width: width as usize,
        precision: precision.map(|digits| digits as usize),
    }
}

/// Bits of a number: any, small ones, and for floating point those that are hard to round.
fn bits(random: &mut Random) -> u64 {
    let sign = random.below(2) << 63;
    let any = random.next();
    match random.below(12) {
        0 => 0,
        1 => any >> random.below(64),
        2 => (any >> random.below(64)).wrapping_neg(),
        3 => random.below(20),
        4 => random.pick(&[u64::MAX, 1 << 63, (1 << 63) - 1, u64::from(u32::MAX), 1 << 31]),
        // Halves, quarters, eighths, …: ties.
        5 | 6 => ((random.below(4000) as f64) / (1 << random.below(12)) as f64).to_bits() | sign,
        // Decimals, as people write them.
        7 | 8 => {
            let decimal = random.below(100_000) as f64 / 10f64.powi(random.below(9) as i32);
            decimal.to_bits() | sign
        }
        9 => 10f64.powi(random.below(40) as i32 - 20).to_bits() | sign,
        10 => {
            let odd = [f64::INFINITY, f64::NAN, f64::MAX, f64::MIN_POSITIVE, 5e-324, 0.0];
            random.pick(&odd).to_bits() | sign
        }
        _ => any,
    }
}

/// What the system makes of it.
fn expected(directive: Directive, bits: u64) -> String {
    let Directive { conversion, left, zero, plus, space, alternate, width, precision } = directive;
    let flags = [(left, '-'), (zero, '0'), (plus, '+'), (space, ' '), (alternate, '#')];
    let flags: String = flags.into_iter().filter(|(on, _)| *on).map(|(_, flag)| flag).collect();
    let float = b"aAeEfFgG".contains(&conversion);
    let length = if float || conversion == b'p' { "" } else { "ll" };
    let precision = precision.map(|digits| format!(".{digits}")).unwrap_or_default();
    let width = if width == 0 { String::new() } else { width.to_string() };
    let format = format!("%{flags}{width}{precision}{length}{}", char::from(conversion));
    let format = CString::new(format).expect("no zero");
    let mut buffer = vec![0u8; 2048];
    let (to, room) = (buffer.as_mut_ptr().cast::<c_char>(), buffer.len());
    // SAFETY: the format has one directive, for an argument of this type, and the buffer
    // is as large as it says.
    let count = unsafe {
        match float {
            true => snprintf(to, room, format.as_ptr(), f64::from_bits(bits)),
            false => snprintf(to, room, format.as_ptr(), bits),
        }
    };
    let count = usize::try_from(count).expect("no error");
    assert!(count < room, "the buffer is large enough");
    String::from_utf8(buffer[..count].to_vec()).expect("ASCII")
}

fn compare(count: u64, seed: u64) {
    let mut random = Random(seed);
    for _ in 0..count {
        let (directive, bits) = (directive(&mut random), bits(&mut random));
        let own = text(directive, bits);
        let system = expected(directive, bits);
        assert_eq!(own, system, "{directive:?} {bits:#x} ({:e})", f64::from_bits(bits));
    }
}

#[test]
fn numbers_look_as_the_system_writes_them() {
    compare(100_000, 0x9e37_79b9_7f4a_7c15);
}

/// As many as `HEDDLE_FORMATS` says, else a million.
#[test]
#[ignore = "takes a minute"]
fn many_numbers_look_as_the_system_writes_them() {
    let wanted = std::env::var("HEDDLE_FORMATS").ok().and_then(|count| count.parse().ok());
    compare(wanted.unwrap_or(1_000_000), 0xd1b5_4a32_d192_ed03);
}
