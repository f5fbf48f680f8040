//! Lines of JSON that say whether they are whole: `{…,"sum":"0123456789abcdef"}`.

use serde::Serialize;

const MARK: &str = ",\"sum\":\"";
/// Of the sum, in digits.
const DIGITS: usize = 16;
const END: &str = "\"}\n";

/// A line, with its end.
pub fn seal<T: Serialize>(value: &T) -> String {
    let text = serde_json::to_string(value).expect("plain data");
    let body = text.strip_suffix('}').expect("an object");
    format!("{body}{MARK}{:016x}{END}", sum(body.as_bytes()))
}

/// The object of a line, if nothing of it is missing or changed.
pub fn open(line: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(line).ok()?;
    let text = text.strip_suffix(END)?;
    let (rest, digits) = text.split_at_checked(text.len().checked_sub(DIGITS)?)?;
    let body = rest.strip_suffix(MARK)?;
    let same = u64::from_str_radix(digits, 16) == Ok(sum(body.as_bytes()));
    same.then(|| format!("{body}}}"))
}

/// FNV-1a.
fn sum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}
