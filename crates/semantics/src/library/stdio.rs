//! `stdio.h`: output is formatted and kept with the trace; nothing is printed.

use heddle_ir::Ty;

use super::format::format;
use super::{Entry, Outcome, Result, arg, int, succeed};
use crate::Domain;
use crate::host::{Host, Val};

pub(super) fn entries<H: Host>() -> Vec<Entry<H>> {
    vec![
        ("printf", |h, a, t| print(h, a, t, 0)),
        ("fprintf", |h, a, t| print(h, a, t, 1)),
        ("dprintf", |h, a, t| print(h, a, t, 1)),
        ("__printf_chk", |h, a, t| print(h, a, t, 1)),
        ("__fprintf_chk", |h, a, t| print(h, a, t, 2)),
        ("sprintf", |h, a, t| print_to(h, a, t, 1, false)),
        ("snprintf", |h, a, t| print_to(h, a, t, 2, true)),
        ("puts", |h, a, _| put(h, a, "\n")),
        ("fputs", |h, a, _| put(h, a, "")),
        ("perror", |h, a, _| put(h, a, "\n")),
        ("putchar", put_char),
        ("putc", put_char),
        ("fputc", put_char),
        ("fflush", succeed),
        ("setbuf", |_, _, _| Ok(Outcome::Void)),
        ("setvbuf", succeed),
    ]
}

/// The text of a call whose format is argument `at`, with its length.
fn text_of<H: Host>(
    host: &mut H,
    args: &[Val<H>],
    tys: &[Ty],
    at: usize,
) -> std::result::Result<String, H::Stop> {
    let template = arg(host, args, at)?;
    let Some(template) = host.peek_text(&template) else {
        return Err(host.unsupported("a format string that can't be read".to_string()));
    };
    format(host, &template, &args[at + 1..], &tys[(at + 1).min(tys.len())..])
}

fn print<H: Host>(host: &mut H, args: &[Val<H>], tys: &[Ty], at: usize) -> Result<H> {
    let text = text_of(host, args, tys, at)?;
    let length = text.len() as u64;
    if host.wants_output() {
        host.output(text);
    }
    int(host, length)
}

/// Formats into memory.
fn print_to<H: Host>(
    host: &mut H,
    args: &[Val<H>],
    tys: &[Ty],
    at: usize,
    limited: bool,
) -> Result<H> {
    let text = text_of(host, args, tys, at)?;
    let buffer = arg(host, args, 0)?;
    let start = host.concrete(&buffer)?;
    let room = if limited {
        let room = arg(host, args, 1)?;
        host.concrete(&room)?
    } else {
        u64::MAX
    };
    let kept = (text.len() as u64).min(room.saturating_sub(1)) as usize;
    if room > 0 {
        let bytes = text.as_bytes()[..kept].iter().copied().chain([0]);
        let width = host.pointer_bits();
        for (index, byte) in bytes.enumerate() {
            let addr = host.domain().constant(start + index as u64, width);
            let byte = host.domain().constant(u64::from(byte), 8);
            host.store(&addr, Ty::Int(8), &byte, None)?;
        }
    }
    int(host, text.len() as u64)
}

fn put<H: Host>(host: &mut H, args: &[Val<H>], end: &str) -> Result<H> {
    if host.wants_output() {
        let text = arg(host, args, 0)?;
        let text = host.peek_text(&text).unwrap_or_else(|| "(unreadable)".to_string());
        host.output(text + end);
    }
    int(host, 0)
}

fn put_char<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let value = arg(host, args, 0)?;
    let byte = host.concrete(&value)? as u8;
    if host.wants_output() {
        host.output(char::from(byte).to_string());
    }
    int(host, u64::from(byte))
}
