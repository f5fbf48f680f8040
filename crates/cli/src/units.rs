//! Times and sizes as people write them.

use std::time::Duration;

/// `30`, `30s`, `1.5m`, `2h`.
pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    let (number, unit) = split_unit(text);
    let factor = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("expected a time such as 30, 30s, 5m or 2h".to_string()),
    };
    let seconds = number.parse::<f64>().map_err(|_| "expected a number".to_string())? * factor;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err("the time must be positive".to_string()),
    }
}

/// `1000000`, `500M`, `2G`, in powers of 1024.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = split_unit(text);
    let factor: f64 = match unit.to_ascii_uppercase().trim_end_matches("IB").trim_end_matches('B') {
        "" => 1.0,
        "K" => 1024.0,
        "M" => 1024.0 * 1024.0,
        "G" => 1024.0 * 1024.0 * 1024.0,
        "T" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err("expected a size such as 500M or 2G".to_string()),
    };
    let bytes = number.parse::<f64>().map_err(|_| "expected a number".to_string())? * factor;
    if bytes >= 1.0 && bytes < u64::MAX as f64 {
        Ok(bytes as u64)
    } else {
        Err("the size must be positive".to_string())
    }
}

fn split_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    (text[..end].trim(), text[end..].trim())
}

/// `12.3 MB`, for people.
pub fn show_bytes(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if value < 1024.0 {
            return if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") };
        }
        value /= 1024.0;
    }
    format!("{value:.1} TiB")
}

/// `1,234,567`, for people.
pub fn show_count(count: u64) -> String {
    let digits = count.to_string();
    let mut shown = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(parse_seconds("30"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_seconds("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_seconds("5m"), Ok(Duration::from_secs(300)));
        assert_eq!(parse_seconds("1.5h"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse_seconds("250ms"), Ok(Duration::from_millis(250)));
        for bad in ["", "0", "-3", "soon", "5 weeks", "nan", "inf", "1e300"] {
            assert!(parse_seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_bytes("4096"), Ok(4096));
        assert_eq!(parse_bytes("2G"), Ok(2 << 30));
        assert_eq!(parse_bytes("500m"), Ok(500 << 20));
        assert_eq!(parse_bytes("1KiB"), Ok(1024));
        for bad in ["", "0", "-1", "2X", "much", "nan", "1e300"] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn shown() {
        assert_eq!(show_count(7), "7");
        assert_eq!(show_count(1_234_567), "1,234,567");
        assert_eq!(show_bytes(900), "900 B");
        assert_eq!(show_bytes(3 << 20), "3.0 MiB");
    }
}
