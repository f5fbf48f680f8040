//! `printf` formats.

use heddle_ir::{FloatTy, Ty};

use crate::host::{Host, Val};
use crate::sign_extend;

/// One `%…` directive.
#[derive(Default)]
struct Directive {
    left: bool,
    zero: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    conversion: char,
}

/// Formats `template` with `args`. Integers are read with the width of the
/// argument that was passed.
pub(super) fn format<H: Host>(
    host: &mut H,
    template: &str,
    args: &[Val<H>],
    tys: &[Ty],
) -> Result<String, H::Stop> {
    let mut out = String::new();
    let mut chars = template.chars().peekable();
    let mut next = 0;
    let mut take = |host: &mut H| -> Result<(u64, Ty), H::Stop> {
        let Some(value) = args.get(next) else {
            return Err(host.unsupported("printf with too few arguments".to_string()));
        };
        let ty = tys.get(next).copied().unwrap_or(Ty::Int(64));
        next += 1;
        Ok((host.concrete(value)?, ty))
    };
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut directive = Directive::default();
        while let Some(&flag) = chars.peek() {
            match flag {
                '-' => directive.left = true,
                '0' => directive.zero = true,
                '+' => directive.plus = true,
                ' ' => directive.space = true,
                '#' => directive.alternate = true,
                _ => break,
            }
            chars.next();
        }
        let mut number = |chars: &mut std::iter::Peekable<std::str::Chars>, host: &mut H| {
            if chars.peek() == Some(&'*') {
                chars.next();
                return take(host).map(|(value, _)| sign_extend(value, 32).max(0) as usize);
            }
            let mut value = 0usize;
            while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
                value = (value * 10 + digit as usize).min(4096);
                chars.next();
            }
            Ok(value)
        };
        directive.width = number(&mut chars, host)?.min(4096);
        if chars.peek() == Some(&'.') {
            chars.next();
            directive.precision = Some(number(&mut chars, host)?.min(4096));
        }
        while chars.peek().is_some_and(|c| "hlLqjzt".contains(*c)) {
            chars.next();
        }
        let Some(conversion) = chars.next() else { break };
        directive.conversion = conversion;
        if conversion == '%' {
            out.push('%');
            continue;
        }
        let (value, ty) = take(host)?;
        let body = convert(host, &directive, value, ty)?;
        pad(&mut out, &directive, &body);
    }
    Ok(out)
}

fn convert<H: Host>(
    host: &mut H,
    directive: &Directive,
    value: u64,
    ty: Ty,
) -> Result<String, H::Stop> {
    let bits = ty.bits((host.pointer_bits() / 8) as u8);
    let float = || match ty {
        Ty::Float(FloatTy::F32) => f64::from(f32::from_bits(value as u32)),
        _ => f64::from_bits(value),
    };
    let digits = |text: String| match directive.precision {
        Some(precision) if text.len() < precision => "0".repeat(precision - text.len()) + &text,
        _ => text,
    };
    let prefix = |on: bool, text: &str| if on { text.to_string() } else { String::new() };
    Ok(match directive.conversion {
        'd' | 'i' => {
            let value = sign_extend(value, bits);
            let sign = match value {
                ..0 => "-",
                _ if directive.plus => "+",
                _ if directive.space => " ",
                _ => "",
            };
            sign.to_string() + &digits(value.unsigned_abs().to_string())
        }
        'u' => digits(value.to_string()),
        'x' => prefix(directive.alternate, "0x") + &digits(format!("{value:x}")),
        'X' => prefix(directive.alternate, "0X") + &digits(format!("{value:X}")),
        'o' => prefix(directive.alternate, "0") + &digits(format!("{value:o}")),
        'p' => format!("0x{value:x}"),
        'c' => char::from(value as u8).to_string(),
        's' => {
            let addr = {
                use crate::Domain;
                let width = host.pointer_bits();
                host.domain().constant(value, width)
            };
            let text = match value {
                0 => "(null)".to_string(),
                _ => host.peek_text(&addr).unwrap_or_else(|| "(unreadable)".to_string()),
            };
            match directive.precision {
                Some(precision) => text.chars().take(precision).collect(),
                None => text,
            }
        }
        'f' | 'F' => {
            let sign = prefix(directive.plus && float() >= 0.0, "+");
            sign + &format!("{:.*}", directive.precision.unwrap_or(6), float())
        }
        'e' | 'E' => exponent(float(), directive.precision.unwrap_or(6), directive.conversion),
        'g' | 'G' => general(float(), directive.precision.unwrap_or(6).max(1)),
        other => return Err(host.unsupported(format!("printf conversion '%{other}'"))),
    })
}

/// C writes at least two digits of exponent, with a sign.
fn exponent(value: f64, precision: usize, letter: char) -> String {
    let text = format!("{value:.precision$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let exponent: i32 = exponent.parse().unwrap_or(0);
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}{letter}{sign}{:02}", exponent.unsigned_abs())
        }
        None => text,
    }
}

fn general(value: f64, precision: usize) -> String {
    let strip = |text: String| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    };
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let magnitude = value.abs().log10().floor() as i32;
    if magnitude < -4 || magnitude >= precision as i32 {
        let text = exponent(value, precision - 1, 'e');
        return match text.split_once('e') {
            Some((mantissa, rest)) => strip(mantissa.to_string()) + "e" + rest,
            None => text,
        };
    }
    strip(format!("{value:.*}", (precision as i32 - 1 - magnitude).max(0) as usize))
}

fn pad(out: &mut String, directive: &Directive, body: &str) {
    let missing = directive.width.saturating_sub(body.chars().count());
    let numeric = !matches!(directive.conversion, 's' | 'c');
    if directive.left {
        out.push_str(body);
        out.extend(std::iter::repeat_n(' ', missing));
    } else if directive.zero && numeric {
        let (sign, digits) = match body.strip_prefix(['-', '+']) {
            Some(digits) => (&body[..1], digits),
            None => ("", body),
        };
        out.push_str(sign);
        out.extend(std::iter::repeat_n('0', missing));
        out.push_str(digits);
    } else {
        out.extend(std::iter::repeat_n(' ', missing));
        out.push_str(body);
    }
}
