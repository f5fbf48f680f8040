//! The dialect of expectations in test programs.
//!
//! `//@ KEY: VALUE` lines speak of the whole program:
//! `models`, `algorithms`, `executions[ALGORITHM,MODEL]`, `verdict`, `unwind`,
//! `args` (of heddle), `cflags` (of the compiler), `seconds` (limit for a run).
//! `//~ VIOLATION: KIND` or `//~ VIOLATION[MODEL,…]: KIND` stands on the line that
//! fails, `//~ UNSUPPORTED: TEXT` on the line that stops; if there are several,
//! any of them may be reported.

/// Longest time for one run, unless the program says otherwise.
const SECONDS: u64 = 20;

#[derive(Debug, Default)]
pub struct Expectations {
    models: Vec<String>,
    algorithms: Vec<String>,
    executions: Vec<(Case, u64)>,
    verdict: Option<String>,
    pub args: Vec<String>,
    pub cflags: Vec<String>,
    pub seconds: u64,
    violations: Vec<Mark>,
    pub unsupported: Vec<(u64, String)>,
}

/// A violation on a line, under some models or all.
#[derive(Debug)]
struct Mark {
    line: u64,
    models: Option<Vec<String>>,
    kind: String,
}

/// One way to check a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub algorithm: String,
    pub model: String,
}

impl Expectations {
    pub fn parse(text: &str) -> Result<Expectations, String> {
        let mut expectations = Expectations {
            models: vec!["sc".to_string()],
            algorithms: ["naive", "dpor", "optimal"].map(str::to_string).to_vec(),
            seconds: SECONDS,
            ..Expectations::default()
        };
        for (index, line) in text.lines().enumerate() {
            let number = index as u64 + 1;
            let wrong = |reason: String| format!("line {number}: {reason}");
            if let Some(directive) = line.trim().strip_prefix("//@") {
                expectations.directive(directive).map_err(wrong)?;
            } else if let Some((_, mark)) = line.split_once("//~") {
                expectations.mark(number, mark).map_err(wrong)?;
            }
        }
        Ok(expectations)
    }

    fn directive(&mut self, text: &str) -> Result<(), String> {
        let (key, indices, value) = split(text)?;
        let words = || value.split_whitespace().map(str::to_string).collect::<Vec<_>>();
        let number = || value.parse::<u64>().map_err(|_| format!("{value:?} is not a number"));
        match (key, indices) {
            ("models", None) => self.models = words(),
            ("algorithms", None) => self.algorithms = words(),
            ("executions", Some(indices)) => match indices.as_slice() {
                [algorithm, model] => {
                    let case = Case { algorithm: algorithm.clone(), model: model.clone() };
                    self.executions.push((case, number()?));
                }
                _ => return Err("expected executions[ALGORITHM,MODEL]".to_string()),
            },
            ("verdict", None) => self.verdict = Some(value.to_string()),
            ("unwind", None) => self.args.extend(["--unwind".to_string(), number()?.to_string()]),
            ("args", None) => self.args.extend(words()),
            ("cflags", None) => self.cflags.extend(words()),
            ("seconds", None) => self.seconds = number()?,
            _ => return Err(format!("unknown expectation {text:?}")),
        }
        Ok(())
    }

    fn mark(&mut self, line: u64, text: &str) -> Result<(), String> {
        let (key, models, value) = split(text)?;
        match key {
            "VIOLATION" => {
                let kind = value.to_string();
                self.violations.push(Mark { line, models, kind });
            }
            "UNSUPPORTED" => self.unsupported.push((line, value.to_string())),
            _ => return Err(format!("unknown mark {text:?}")),
        }
        Ok(())
    }

    pub fn cases(&self) -> Vec<Case> {
        let crossed = self.models.iter().flat_map(|model| {
            self.algorithms
                .iter()
                .map(|algorithm| Case { algorithm: algorithm.clone(), model: model.clone() })
        });
        crossed.collect()
    }

    /// Lines and kinds of the violations that may be reported under a model.
    pub fn violations(&self, model: &str) -> Vec<(u64, &str)> {
        let applies = |mark: &&Mark| match &mark.models {
            Some(models) => models.iter().any(|m| m == model),
            None => true,
        };
        self.violations.iter().filter(applies).map(|mark| (mark.line, mark.kind.as_str())).collect()
    }

    pub fn executions(&self, case: &Case) -> Option<u64> {
        self.executions.iter().find(|(key, _)| key == case).map(|(_, count)| *count)
    }

    pub fn verdict(&self, model: &str) -> &str {
        match &self.verdict {
            Some(verdict) => verdict,
            None if !self.violations(model).is_empty() => "unsafe",
            None if !self.unsupported.is_empty() => "unknown",
            None => "safe",
        }
    }
}

/// `key[a,b]: value`.
fn split(text: &str) -> Result<(&str, Option<Vec<String>>, &str), String> {
    let (head, value) = text.split_once(':').ok_or_else(|| format!("no colon in {text:?}"))?;
    let (head, value) = (head.trim(), value.trim());
    if value.is_empty() {
        return Err(format!("no value in {text:?}"));
    }
    let Some((key, rest)) = head.split_once('[') else { return Ok((head, None, value)) };
    let indices = rest.strip_suffix(']').ok_or_else(|| format!("no ] in {text:?}"))?;
    Ok((key, Some(indices.split(',').map(|index| index.trim().to_string()).collect()), value))
}

#[test]
fn expectations_are_read() {
    let text = "\
//@ models: sc tso
//@ algorithms: optimal
//@ executions[optimal,sc]: 3
int x;
assert(x);  //~ VIOLATION[tso]: assertion
";
    let expectations = Expectations::parse(text).unwrap();
    assert_eq!(expectations.cases().len(), 2);
    assert_eq!(expectations.violations("tso"), [(5, "assertion")]);
    assert_eq!(expectations.verdict("sc"), "safe");
    assert_eq!(expectations.verdict("tso"), "unsafe");
    let [sc, tso] = expectations.cases().try_into().unwrap();
    assert_eq!((expectations.executions(&sc), expectations.executions(&tso)), (Some(3), None));
}

#[test]
fn misspelt_expectations_are_errors() {
    for text in ["//@ excutions: 3", "//@ verdict safe", "x; //~ VIOLATON: deadlock"] {
        assert!(Expectations::parse(text).is_err(), "{text}");
    }
}
