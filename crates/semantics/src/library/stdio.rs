//! Output, as far as it is no code of the front end's support files: it is kept with the
//! trace; nothing is printed. None of these touches memory.

use heddle_ir::Ty;

use super::number::{self, Directive};
use super::{Entry, Outcome, Result, arg};
use crate::Domain;
use crate::host::{Host, Val};

pub(super) fn entries<H: Host>() -> Vec<Entry<H>> {
    vec![
        ("__heddle_put", put),
        ("__heddle_put_literal", put_literal),
        ("__heddle_put_number", put_number),
        ("__heddle_put_error", put_error),
        ("__heddle_put_end", |h, _, _| {
            if h.wants_output() {
                h.end_output();
            }
            Ok(Outcome::Void)
        }),
        ("__heddle_number_length", |h, a, _| {
            let (directive, value) = (directive(h, a)?, arg(h, a, 1)?);
            number::length(h, directive, &value).map(Outcome::Value)
        }),
        ("__heddle_number_char", number_char),
        ("__heddle_number_double", |h, a, _| {
            let text = decimal(h, a)?;
            let bits = text.parse::<f64>().unwrap_or_default().to_bits();
            Ok(Outcome::Value(h.domain().constant(bits, 64)))
        }),
        ("__heddle_number_single", |h, a, _| {
            let text = decimal(h, a)?;
            let bits = text.parse::<f32>().unwrap_or_default().to_bits();
            Ok(Outcome::Value(h.domain().constant(u64::from(bits), 32)))
        }),
        ("__heddle_flush", nothing),
        ("__heddle_buffering", nothing),
    ]
}

fn nothing<H: Host>(_: &mut H, _: &[Val<H>], _: &[Ty]) -> Result<H> {
    Ok(Outcome::Void)
}

fn put<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    if host.wants_output() {
        let value = arg(host, args, 0)?;
        let byte = host.concrete(&value)? as u8;
        host.output(&[byte]);
    }
    Ok(Outcome::Void)
}

/// Some bytes of a constant.
fn put_literal<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    if host.wants_output() {
        let (text, length) = (arg(host, args, 0)?, arg(host, args, 1)?);
        let length = host.concrete(&length)? as usize;
        let bytes = host.constant_bytes(&text).unwrap_or_default();
        host.output(&bytes[..length.min(bytes.len())]);
    }
    Ok(Outcome::Void)
}

fn put_number<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (directive, value) = (directive(host, args)?, arg(host, args, 1)?);
    if host.wants_output() {
        let bits = host.concrete(&value)?;
        host.output(number::text(directive, bits).as_bytes());
    }
    number::length(host, directive, &value).map(Outcome::Value)
}

/// What `perror` says about an error number.
fn put_error<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    if host.wants_output() {
        let value = arg(host, args, 0)?;
        let number = host.concrete(&value)?;
        host.output(format!("error {number}").as_bytes());
    }
    Ok(Outcome::Void)
}

fn number_char<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (directive, value, index) =
        (directive(host, args)?, arg(host, args, 1)?, arg(host, args, 2)?);
    let (bits, index) = (host.concrete(&value)?, host.concrete(&index)?);
    let text = number::text(directive, bits);
    let byte = text.as_bytes().get(index as usize).copied().unwrap_or_default();
    Ok(Outcome::Value(host.domain().constant(u64::from(byte), 32)))
}

/// Digits and the power of ten that they are times, as a text that the standard library rounds.
fn decimal<H: Host>(host: &mut H, args: &[Val<H>]) -> std::result::Result<String, H::Stop> {
    let (digits, exponent) = (arg(host, args, 0)?, arg(host, args, 1)?);
    let (digits, exponent) = (host.concrete(&digits)?, host.concrete(&exponent)? as i32);
    Ok(format!("{digits}e{exponent}"))
}

fn directive<H: Host>(host: &mut H, args: &[Val<H>]) -> std::result::Result<Directive, H::Stop> {
    let spec = arg(host, args, 0)?;
    host.concrete(&spec).map(Directive::unpack)
}
