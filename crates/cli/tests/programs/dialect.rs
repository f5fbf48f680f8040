//! The dialect of expectations in test programs.
//!
//! `//@ KEY: VALUE` lines speak of the whole program:
//! `models`, `algorithms`, `executions[ALGORITHM,MODEL]`, `verdict`, `unwind`,
//! `args` (of heddle), `cflags` (of the compiler), `seconds` (limit for a run).
//! `//~ VIOLATION: KIND` or `//~ VIOLATION[MODEL,…]: KIND` stands on the line that
//! fails, `//~ UNSUPPORTED: TEXT` on the line that stops; if there are several,
//! any of them may be reported.
//!
//! `//@ engines: lazy` or `//@ engines: explore` says that only this engine can
//! tell; `args` are then its own. A program that both engines take goes through
//! `lazy` with small bounds. It must fail there if it is marked, unless
//! `//@ lazy: VERDICT` (`bounded`, `unknown`) says what comes instead, or
//! `//@ lazy: skip` that it is not tried; a reason may follow. `//@ lazy[MODEL,…]:`
//! speaks of some models. A right program may be `safe`, `bounded` or `unknown`.
//!
//! `//@ variant[MODEL,…]: DEFINE… | N…` stands for the same program compiled with
//! these macros (`-DDEFINE`). Its marks hold under the models named, and under
//! no others. The numbers, one a model, are how many executions `optimal` needs
//! for the whole search; where the variant fails, the program is checked once
//! more with `-DOPEN`, which must take the assertion away.
//!
//! `//@ fences: A B …` stands for a variant for each subset of these macros, each
//! defined as `full`. `//@ enough[MODEL,…]: A B …` names a smallest set of them
//! under which the program is right; what contains none of a model's sets fails
//! under it. Fences mean nothing under `sc`: the program is right there, and only
//! the empty set is checked.

/// Longest time for one run: that it ends at all, however busy the machine is.
const SECONDS: u64 = 300;

#[derive(Clone, Debug, Default)]
pub struct Expectations {
    /// Which variant this is; empty if the program has none.
    pub name: String,
    models: Vec<String>,
    algorithms: Vec<String>,
    engines: Vec<String>,
    /// Models, or all, and what `lazy` says instead.
    lazy: Vec<(Option<Vec<String>>, String)>,
    /// The explorer that keeps states does not take it.
    pub skips_stateful: bool,
    executions: Vec<(Case, u64)>,
    verdict: Option<String>,
    pub unwind: Option<u64>,
    pub args: Vec<String>,
    pub cflags: Vec<String>,
    pub seconds: u64,
    violations: Vec<Mark>,
    pub unsupported: Vec<(u64, String)>,
    variants: Vec<Variant>,
    fences: Vec<String>,
    /// Models, and fences that are enough under them.
    enough: Vec<(Vec<String>, Vec<String>)>,
}

/// The program with macros.
#[derive(Clone, Debug)]
struct Variant {
    defines: Vec<String>,
    fails: Vec<String>,
    /// One a model, or none at all.
    executions: Vec<u64>,
    /// The models it is checked under, if not all.
    models: Option<Vec<String>>,
}

/// A violation on a line, under some models or all.
#[derive(Clone, Debug)]
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
            algorithms: ["naive", "dpor", "optimal", "guided"].map(str::to_string).to_vec(),
            engines: ["explore", "lazy"].map(str::to_string).to_vec(),
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
            ("engines", None) => self.engines = words(),
            ("stateful", None) if value.starts_with("skip") => self.skips_stateful = true,
            ("lazy", models) => match words().swap_remove(0).as_str() {
                word @ ("bounded" | "unknown" | "skip") => self.lazy.push((models, word.into())),
                word => return Err(format!("unknown verdict {word:?}")),
            },
            ("unwind", None) => self.unwind = Some(number()?),
            ("args", None) => self.args.extend(words()),
            ("cflags", None) => self.cflags.extend(words()),
            ("seconds", None) => self.seconds = number()?,
            ("fences", None) => self.fences = words(),
            ("enough", Some(models)) => self.enough.push((models, words())),
            ("variant", fails) => {
                let variant = Variant::parse(fails.unwrap_or_default(), value)?;
                self.variants.push(variant);
            }
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

    /// The program as it stands, or each of its variants.
    pub fn variants(self) -> Vec<Expectations> {
        let mut all = self.variants.clone();
        all.extend(self.fence_variants());
        if all.is_empty() {
            return vec![self];
        }
        all.iter().flat_map(|variant| self.variant(variant)).collect()
    }

    /// A variant for each subset of the fences.
    fn fence_variants(&self) -> Vec<Variant> {
        let subsets = if self.fences.is_empty() { 0 } else { 1 << self.fences.len() };
        let subset = |bits: usize| {
            let chosen = self.fences.iter().enumerate().filter(|(at, _)| bits >> at & 1 != 0);
            let chosen: Vec<&String> = chosen.map(|(_, fence)| fence).collect();
            let right = |model: &String| {
                model == "sc"
                    || self.enough.iter().any(|(models, set)| {
                        models.contains(model) && set.iter().all(|fence| chosen.contains(&fence))
                    })
            };
            let models = self.models.iter().filter(|model| bits == 0 || *model != "sc");
            Variant {
                defines: chosen.iter().map(|fence| format!("{fence}=full")).collect(),
                fails: self.models.iter().filter(|model| !right(model)).cloned().collect(),
                executions: Vec::new(),
                models: Some(models.cloned().collect()),
            }
        };
        (0..subsets).map(subset).collect()
    }

    fn variant(&self, variant: &Variant) -> Vec<Expectations> {
        let count = |(model, &count): (&String, &u64)| {
            (Case { algorithm: "optimal".to_string(), model: model.clone() }, count)
        };
        let with = |define: &String| format!("-D{define}");
        let mut closed = self.clone();
        closed.variants.clear();
        closed.fences.clear();
        if let Some(models) = &variant.models {
            closed.models.clone_from(models);
        }
        closed.name = variant.defines.join(" ");
        closed.cflags.extend(variant.defines.iter().map(with));
        for mark in &mut closed.violations {
            mark.models = Some(variant.fails.clone());
        }
        let mut open = closed.clone();
        let counts = self.models.iter().zip(&variant.executions).map(count);
        let fails = |case: &Case| variant.fails.contains(&case.model);
        let (of_open, of_closed) = counts.partition(|(case, _)| fails(case));
        closed.executions = of_closed;
        open.executions = of_open;
        if open.executions.is_empty() {
            return vec![closed];
        }
        open.name.push_str(" OPEN");
        open.cflags.push(with(&"OPEN".to_string()));
        open.violations.clear();
        open.algorithms = vec!["optimal".to_string()];
        open.models.clone_from(&variant.fails);
        vec![closed, open]
    }

    /// Each way to check the program with the explorer.
    pub fn cases(&self) -> Vec<Case> {
        if !self.engines.iter().any(|engine| engine == "explore") {
            return Vec::new();
        }
        // Under other models `guided` is `optimal`.
        let differs = |algorithm: &str, model: &str| algorithm != "guided" || model == "sc";
        let crossed = self.models.iter().flat_map(|model| {
            self.algorithms
                .iter()
                .filter(move |algorithm| differs(algorithm, model))
                .map(|algorithm| Case { algorithm: algorithm.clone(), model: model.clone() })
        });
        crossed.collect()
    }

    /// Each model, with the explorer that keeps states.
    pub fn stateful_cases(&self) -> Vec<Case> {
        let mut cases = self.cases();
        cases.iter_mut().for_each(|case| case.algorithm = "stateful".to_string());
        cases.dedup();
        cases
    }

    /// The models to check the program under with `lazy`.
    pub fn lazy_models(&self) -> Vec<&str> {
        let takes = self.engines.iter().any(|engine| engine == "lazy");
        let tried = |model: &&String| takes && self.lazy_verdict(model) != Some("skip");
        self.models.iter().filter(tried).map(String::as_str).collect()
    }

    /// Is `args` meant for `lazy`, with its bounds?
    pub fn is_lazy_only(&self) -> bool {
        self.engines == ["lazy"]
    }

    /// What `lazy` says instead of what is right.
    pub fn lazy_verdict(&self, model: &str) -> Option<&str> {
        let applies = |models: &Option<Vec<String>>| {
            models.as_ref().is_none_or(|models| models.iter().any(|m| m == model))
        };
        self.lazy.iter().find(|(models, _)| applies(models)).map(|(_, verdict)| verdict.as_str())
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

impl Variant {
    /// `DEFINE… | N…`.
    fn parse(fails: Vec<String>, text: &str) -> Result<Variant, String> {
        let (defines, counts) = text.split_once('|').unwrap_or((text, ""));
        let number = |word: &str| word.parse().map_err(|_| format!("{word:?} is not a number"));
        Ok(Variant {
            defines: defines.split_whitespace().map(str::to_string).collect(),
            fails,
            executions: counts.split_whitespace().map(number).collect::<Result<_, _>>()?,
            models: None,
        })
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
fn engines_are_read() {
    let text = "\
//@ models: sc tso pso
//@ engines: lazy
//@ lazy[tso]: bounded  rounds too few
//@ lazy[pso]: skip
";
    let expectations = Expectations::parse(text).unwrap();
    assert!(expectations.cases().is_empty() && expectations.is_lazy_only());
    assert_eq!(expectations.lazy_models(), ["sc", "tso"]);
    assert_eq!(expectations.lazy_verdict("sc"), None);
    assert_eq!(expectations.lazy_verdict("tso"), Some("bounded"));
}

#[test]
fn variants_are_crossed() {
    let text = "\
//@ models: sc tso
//@ variant[tso]: PLAIN | 3 4
//@ variant: A=full
assert(x);  //~ VIOLATION: assertion
";
    let variants = Expectations::parse(text).unwrap().variants();
    let [plain, open, fenced] = variants.as_slice() else { panic!("{variants:?}") };
    assert_eq!((plain.verdict("sc"), plain.verdict("tso")), ("safe", "unsafe"));
    assert_eq!(plain.executions(&plain.cases()[2]), Some(3));
    assert_eq!(open.cases().len(), 1);
    assert_eq!((open.verdict("tso"), open.executions(&open.cases()[0])), ("safe", Some(4)));
    assert_eq!(open.cflags, ["-DPLAIN", "-DOPEN"]);
    assert_eq!(
        (fenced.verdict("tso"), fenced.cflags.as_slice()),
        ("safe", &["-DA=full".into()][..])
    );
}

#[test]
fn fences_are_crossed() {
    let text = "\
//@ models: sc tso pso
//@ fences: A B
//@ enough[tso,pso]: A B
//@ enough[tso]: B
assert(x);  //~ VIOLATION: assertion
";
    let variants = Expectations::parse(text).unwrap().variants();
    let verdicts: Vec<_> = variants
        .iter()
        .map(|v| (v.cflags.join(" "), v.cases().len() / 3, v.verdict("tso"), v.verdict("pso")))
        .collect();
    let expected = [
        ("", 3, "unsafe", "unsafe"),
        ("-DA=full", 2, "unsafe", "unsafe"),
        ("-DB=full", 2, "safe", "unsafe"),
        ("-DA=full -DB=full", 2, "safe", "safe"),
    ];
    assert_eq!(verdicts, expected.map(|(flags, n, tso, pso)| (flags.to_string(), n, tso, pso)));
}

#[test]
fn misspelt_expectations_are_errors() {
    for text in
        ["//@ excutions: 3", "//@ verdict safe", "//@ lazy: maybe", "x; //~ VIOLATON: deadlock"]
    {
        assert!(Expectations::parse(text).is_err(), "{text}");
    }
}
