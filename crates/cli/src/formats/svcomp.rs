//! SV-COMP: properties from files, results as its tools print them, and witnesses.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use heddle_semantics::Verdict;
use heddle_witness::svcomp::{Task, graphml, property, yaml};

use super::Told;
use crate::args::Property;
use crate::error::CliError;

/// A property file: the entry and what to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prp {
    pub text: String,
    pub entry: String,
    pub properties: Vec<Property>,
}

pub fn read(path: &Path) -> Result<Prp, CliError> {
    let about = |what: &str| CliError::new(format!("{}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| about(&error.to_string()))?;
    parse(&text).map_err(|what| about(&what))
}

/// `CHECK( init(main()), LTL(G ! call(reach_error())) )`, one or several.
fn parse(text: &str) -> Result<Prp, String> {
    let mut prp = Prp { text: String::new(), entry: String::new(), properties: Vec::new() };
    let lines = text.lines().map(str::trim).filter(|line| line.starts_with("CHECK("));
    for line in lines {
        let flat: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        let rest = flat.strip_prefix("CHECK(init(").ok_or("a property without init()")?;
        let (entry, rest) = rest.split_once("()),LTL(").ok_or("a property without LTL()")?;
        let formula = rest.strip_suffix("))").ok_or("a property that does not end")?;
        let properties: &[Property] = match formula {
            "G!call(reach_error())" | "G!call(__VERIFIER_error())" => &[Property::Assert],
            "Gvalid-free" | "Gvalid-deref" => &[Property::Memory],
            "Gvalid-memtrack" | "Gvalid-memcleanup" => &[Property::Leak],
            "G!overflow" => &[Property::Overflow],
            "G!data-race" => &[Property::Race],
            other => return Err(format!("the property {other} is none that heddle looks for")),
        };
        if !prp.entry.is_empty() && prp.entry != entry {
            return Err("properties that start in different functions".to_string());
        }
        prp.entry = entry.to_string();
        prp.properties.extend(
            properties.iter().filter(|p| !prp.properties.contains(p)).copied().collect::<Vec<_>>(),
        );
        let sep = if prp.text.is_empty() { "" } else { "\n" };
        prp.text.push_str(&format!("{sep}{line}"));
    }
    if prp.properties.is_empty() {
        return Err("no line with a property: CHECK( init(main()), LTL(…) )".to_string());
    }
    Ok(prp)
}

/// `true`, `false(no-data-race)`, `unknown`. A bounded verdict, and a violation that is none
/// of the properties asked for, is `unknown`.
pub fn result(verdict: &Verdict, prp: Option<&str>) -> String {
    let kind = match verdict {
        Verdict::Safe => return "true".to_string(),
        Verdict::Unsafe(failure) => failure.violation.kind,
        Verdict::Bounded(_) | Verdict::Unknown(_) => return "unknown".to_string(),
    };
    let asked = |name: &str| match (prp, name) {
        (None, _) => true,
        (Some(prp), "unreach-call") => prp.contains("call("),
        (Some(prp), name) => prp.contains(name.strip_prefix("no-").unwrap_or(name)),
    };
    let name = match property(kind) {
        Some("valid-memtrack") if !asked("valid-memtrack") => Some("valid-memcleanup"),
        name => name,
    };
    match name.filter(|name| asked(name)) {
        Some(name) => format!("false({name})"),
        None => "unknown".to_string(),
    }
}

/// The witness for `path`; `None` if the verdict is neither safe nor unsafe.
pub fn witness(told: &Told<'_>, path: &Path) -> Option<String> {
    let trace = told.outcome.evidence.as_ref().map(|(_, trace)| trace);
    if trace.is_none() && !matches!(told.outcome.verdict, Verdict::Safe) {
        return None;
    }
    let input = told.settings.program.inputs.first()?;
    let reach = "CHECK( init(main()), LTL(G ! call(reach_error())) )";
    let task = Task {
        program: told.program,
        file: input.display().to_string(),
        text: std::fs::read(input).unwrap_or_default(),
        specification: told.settings.prp.clone().unwrap_or_else(|| reach.to_string()),
        ilp32: told.settings.program.ilp32,
        created: now(),
        version: env!("CARGO_PKG_VERSION").to_string(),
    };
    let is_yaml = path.extension().is_some_and(|end| end == "yml" || end == "yaml");
    Some(if is_yaml { yaml(&task, trace) } else { graphml(&task, trace) })
}

/// The time of day, as ISO 8601 has it.
fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date(seconds)
}

/// Civil dates of days since 1970, for years of four digits.
fn date(seconds: u64) -> String {
    let (mut days, rest) = (seconds / 86400, seconds % 86400);
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (hours, minutes) = (rest / 3600, rest / 60 % 60);
    format!("{year:04}-{:02}-{:02}T{hours:02}:{minutes:02}:{:02}Z", month + 1, days + 1, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01T00:00:00Z");
        assert_eq!(date(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(date(1_798_761_599), "2026-12-31T23:59:59Z");
    }

    #[test]
    fn property_files() {
        let of = |text| parse(text).map(|prp| (prp.entry, prp.properties));
        let main = "main".to_string();
        let reach = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
        assert_eq!(of(reach), Ok((main.clone(), vec![Property::Assert])));
        let safety = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G \
            valid-deref) )\nCHECK( init(main()), LTL(G valid-memtrack) )\n";
        assert_eq!(of(safety), Ok((main, vec![Property::Memory, Property::Leak])));
        assert!(of("CHECK( init(main()), LTL(F end) )").is_err());
        assert!(of("anything else").is_err());
    }
}
