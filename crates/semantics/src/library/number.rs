//! How `printf` writes numbers: a pure function of the directive and the number's bits.
//!
//! The rest of a format is C (`format.c` of the front end's support files). Integers come
//! sign- or zero-extended to 64 bits, floating-point numbers as a `double`. What the C
//! standard leaves open is as in the GNU C library.

use heddle_ir::{BinOp, Compare};

use crate::Domain;
use crate::host::{Host, Val};

/// A directive, as `spec_of` in `format.c` packs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directive {
    pub conversion: u8,
    pub left: bool,
    pub zero: bool,
    pub plus: bool,
    pub space: bool,
    pub alternate: bool,
    pub width: usize,
    pub precision: Option<usize>,
}

impl Directive {
    pub fn unpack(spec: u64) -> Directive {
        let flag = |bit: u32| spec >> (8 + bit) & 1 != 0;
        Directive {
            conversion: spec as u8,
            left: flag(0),
            zero: flag(1),
            plus: flag(2),
            space: flag(3),
            alternate: flag(4),
            width: (spec >> 16 & 0xff_ffff) as usize,
            precision: (spec >> 40).checked_sub(1).map(|precision| precision as usize),
        }
    }

    fn is_signed(self) -> bool {
        matches!(self.conversion, b'd' | b'i')
    }

    fn is_float(self) -> bool {
        matches!(self.conversion.to_ascii_lowercase(), b'a' | b'e' | b'f' | b'g')
    }

    fn is_upper(self) -> bool {
        self.conversion.is_ascii_uppercase()
    }

    fn base(self) -> u64 {
        match self.conversion.to_ascii_lowercase() {
            b'x' | b'p' => 16,
            b'o' => 8,
            b'b' => 2,
            _ => 10,
        }
    }

    /// Does a number that is not negative get a sign (a pointer may)?
    fn shows_sign(self) -> bool {
        let takes_sign = self.is_signed() || self.is_float() || self.conversion == b'p';
        takes_sign && (self.plus || self.space)
    }

    /// What comes before the digits of an integer that is not zero.
    fn prefix(self) -> &'static str {
        match self.conversion {
            b'p' => "0x",
            b'x' if self.alternate => "0x",
            b'X' if self.alternate => "0X",
            b'b' if self.alternate => "0b",
            b'B' if self.alternate => "0B",
            _ => "",
        }
    }
}

/// The text of a number.
pub fn text(directive: Directive, bits: u64) -> String {
    if directive.is_float() {
        return float(directive, f64::from_bits(bits));
    }
    if directive.conversion == b'p' && bits == 0 {
        return pad(Directive { zero: false, ..directive }, "", "(nil)");
    }
    let negative = directive.is_signed() && (bits as i64) < 0;
    let magnitude = if negative { bits.wrapping_neg() } else { bits };
    let mut digits = match (directive.base(), directive.is_upper()) {
        _ if magnitude == 0 && directive.precision == Some(0) => String::new(),
        (16, true) => format!("{magnitude:X}"),
        (16, false) => format!("{magnitude:x}"),
        (8, _) => format!("{magnitude:o}"),
        (2, _) => format!("{magnitude:b}"),
        _ => magnitude.to_string(),
    };
    let missing = directive.precision.unwrap_or(0).saturating_sub(digits.len());
    digits.insert_str(0, &"0".repeat(missing));
    if directive.conversion == b'o' && directive.alternate && !digits.starts_with('0') {
        digits.insert(0, '0');
    }
    let prefix = if magnitude == 0 { "" } else { directive.prefix() };
    let head = sign(directive, negative).to_owned() + prefix;
    let zero = directive.zero && directive.precision.is_none();
    pad(Directive { zero, ..directive }, &head, &digits)
}

fn sign(directive: Directive, negative: bool) -> &'static str {
    match negative {
        true => "-",
        false if !directive.shows_sign() => "",
        false if directive.plus => "+",
        false => " ",
    }
}

/// Fills up to the width: with zeros between sign or prefix and digits, or with spaces.
fn pad(directive: Directive, head: &str, body: &str) -> String {
    let missing = directive.width.saturating_sub(head.len() + body.len());
    let (spaces, zeros) = (" ".repeat(missing), "0".repeat(missing));
    match (directive.left, directive.zero) {
        (true, _) => [head, body, &spaces].concat(),
        (false, true) => [head, &zeros, body].concat(),
        (false, false) => [&*spaces, head, body].concat(),
    }
}

/// No `double` has more digits than this behind its point; what follows is zeros.
const MOST_DIGITS: usize = 1100;

fn float(directive: Directive, value: f64) -> String {
    let sign = sign(directive, value.is_sign_negative());
    let magnitude = value.abs();
    if !value.is_finite() {
        let body = if value.is_nan() { "nan" } else { "inf" };
        let body = if directive.is_upper() { body.to_uppercase() } else { body.to_owned() };
        return pad(Directive { zero: false, ..directive }, sign, &body);
    }
    let precision = directive.precision.unwrap_or(6);
    let (prefix, body) = match directive.conversion.to_ascii_lowercase() {
        b'f' => ("", fixed(magnitude, precision, directive.alternate)),
        b'e' => ("", exponential(magnitude, precision, directive.alternate)),
        b'g' => ("", general(magnitude, precision.max(1), directive.alternate)),
        _ => ("0x", hexadecimal(magnitude, directive.precision, directive.alternate)),
    };
    let shown = pad(directive, &format!("{sign}{prefix}"), &body);
    if directive.is_upper() { shown.to_uppercase() } else { shown }
}

fn fixed(value: f64, precision: usize, point: bool) -> String {
    let known = precision.min(MOST_DIGITS);
    let mut text = format!("{value:.known$}");
    if precision == 0 && point {
        text.push('.');
    }
    text + &"0".repeat(precision - known)
}

/// Mantissa and exponent with `precision` digits behind the point.
fn scientific(value: f64, precision: usize) -> (String, i32) {
    let known = precision.min(MOST_DIGITS);
    let text = format!("{value:.known$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.to_owned() + &"0".repeat(precision - known), exponent.parse().unwrap_or(0))
}

/// C writes at least two digits of exponent, with a sign.
fn with_exponent(mantissa: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

fn exponential(value: f64, precision: usize, point: bool) -> String {
    let (mut mantissa, exponent) = scientific(value, precision);
    if precision == 0 && point {
        mantissa.push('.');
    }
    with_exponent(&mantissa, exponent)
}

/// The shorter of the two, by the exponent that `%e` would have.
fn general(value: f64, precision: usize, keep_zeros: bool) -> String {
    let (mantissa, exponent) = scientific(value, precision - 1);
    let is_exponential = exponent < -4 || exponent >= precision as i32;
    let digits = match is_exponential {
        true if precision == 1 && keep_zeros => mantissa + ".",
        true => mantissa,
        false => fixed(value, (precision as i32 - 1 - exponent) as usize, keep_zeros),
    };
    let shown = match digits.contains('.') && !keep_zeros {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => &digits,
    };
    if is_exponential { with_exponent(shown, exponent) } else { shown.to_owned() }
}

/// Behind the `0x`. A mantissa that is rounded up keeps its exponent.
fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    const FRACTION: u32 = 52;
    let bits = value.to_bits();
    let mut mantissa = bits & ((1 << FRACTION) - 1);
    let exponent = match bits >> FRACTION {
        0 if mantissa == 0 => 0,
        0 => -1022,
        biased => {
            mantissa |= 1 << FRACTION;
            biased as i32 - 1023
        }
    };
    let digits = precision.unwrap_or(13).min(13) as u32;
    let dropped = FRACTION - 4 * digits;
    if dropped > 0 {
        let (half, rest) = (1 << (dropped - 1), mantissa & ((1 << dropped) - 1));
        mantissa >>= dropped;
        if rest > half || rest == half && mantissa & 1 == 1 {
            mantissa += 1;
        }
    }
    let lead = mantissa >> (4 * digits);
    let mut fraction = match digits {
        0 => String::new(),
        digits => {
            format!("{:0width$x}", mantissa & ((1 << (4 * digits)) - 1), width = digits as usize)
        }
    };
    match precision {
        None => fraction.truncate(fraction.trim_end_matches('0').len()),
        Some(precision) => fraction.push_str(&"0".repeat(precision - digits as usize)),
    }
    let dot = if fraction.is_empty() && !point { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{lead}{dot}{fraction}p{sign}{}", exponent.unsigned_abs())
}

/// The number of characters of a number that need not be known, if it is an integer.
pub(super) fn length<H: Host>(
    host: &mut H,
    directive: Directive,
    value: &Val<H>,
) -> Result<Val<H>, H::Stop> {
    if host.number(value).is_some() || directive.is_float() {
        let bits = host.concrete(value)?;
        let length = text(directive, bits).len() as u64;
        return Ok(host.domain().constant(length, 32));
    }
    Ok(integer_length(host.domain(), directive, value))
}

/// [`text`]'s length, computed by comparing with powers of the base.
fn integer_length<D: Domain>(domain: &mut D, directive: Directive, value: &D::Value) -> D::Value {
    let zero = domain.constant(0, 64);
    let negative = match directive.is_signed() {
        true => domain.compare(Compare::SLt, 64, value, &zero),
        false => domain.constant(0, 1),
    };
    let opposite = domain.binary(BinOp::Sub, 64, &zero, value);
    let magnitude = domain.select(&negative, &opposite, value);
    let is_zero = domain.compare(Compare::Eq, 64, &magnitude, &zero);
    let precision = directive.precision.unwrap_or(1) as u64;
    // From one digit more to the next, as many characters as a number of that many
    // digits has. A precision and a prefix only make them more.
    let shown = |digits: u64, extra: u64| {
        let octal = directive.conversion == b'o' && directive.alternate && digits >= precision;
        let all = digits.max(precision) + u64::from(octal) + directive.prefix().len() as u64;
        (all + extra).max(directive.width as u64)
    };
    let signs = [u64::from(directive.shows_sign()), 1];
    let mut results = signs.map(|extra| domain.constant(shown(1, extra), 32));
    let mut power = directive.base();
    for digits in 2.. {
        let limit = domain.constant(power, 64);
        let reaches = domain.compare(Compare::UGe, 64, &magnitude, &limit);
        for (at, extra) in signs.into_iter().enumerate() {
            let more = domain.constant(shown(digits, extra), 32);
            results[at] = domain.select(&reaches, &more, &results[at]);
        }
        match power.checked_mul(directive.base()) {
            Some(next) => power = next,
            None => break,
        }
    }
    let [plain, minus] = results;
    let other = domain.select(&negative, &minus, &plain);
    let nothing = domain.constant(text(directive, 0).len() as u64, 32);
    domain.select(&is_zero, &nothing, &other)
}

#[cfg(test)]
mod tests {
    use super::{Directive, integer_length, text};
    use crate::Concrete;

    /// What the formula computes is what the text has.
    #[test]
    fn lengths_are_those_of_texts() {
        let mut values = vec![0, u64::MAX, i64::MIN as u64];
        for base in [2u64, 8, 10, 16] {
            let powers = std::iter::successors(Some(1u64), |power| power.checked_mul(base));
            for power in powers {
                values.extend([power, power - 1, power.wrapping_neg(), (power - 1).wrapping_neg()]);
            }
        }
        for conversion in *b"diuxXobBp" {
            for flags in 0..32u64 {
                for (width, precision) in [(0, 0), (0, 1), (0, 2), (7, 0), (30, 24), (3, 6)] {
                    let spec = u64::from(conversion) | flags << 8 | width << 16 | precision << 40;
                    let directive = Directive::unpack(spec);
                    for &bits in &values {
                        let length = integer_length(&mut Concrete, directive, &bits);
                        assert_eq!(
                            length,
                            text(directive, bits).len() as u64,
                            "{directive:?} {bits}"
                        );
                    }
                }
            }
        }
    }
}
