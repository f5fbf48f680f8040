//! Size of formulas, and the time to make and to solve them, for every encoding:
//! `cargo bench -p heddle-benches --bench formula`. With `-- --cbmc`, each row also
//! has the time that CBMC takes for it, and how many times longer that is than all
//! of ours, the compiler included. With `-- NAME`, only programs with that in their names;
//! with `-- --encoding=NAME`, only these encodings.
//!
//! With `-- --sessions` another table: growing bounds up to that of the row, in one solver that
//! goes on with what it has learned, and with a new unfolding and a new solver for each bound.
//!
//! A table of programs, memory models and encodings with fixed bounds, then one program with
//! larger and larger bounds. Each row comes from a process of its own, so that its peak
//! of memory is its own. A verdict with `!` is not what it should be.

use std::process::Command;
use std::time::{Duration, Instant};

use heddle_benches::cbmc;
use heddle_benches::formula::{FORMULAS, Formula, PAIR};
use heddle_encode::Method;
use heddle_memory::Model;
use heddle_semantics::Verdict;

/// For one row.
const LIMIT: Duration = Duration::from_secs(60);

const BOUNDS: [u32; 4] = [2, 4, 8, 16];

fn main() {
    let args: Vec<String> = std::env::args().collect();
    // `cargo test` runs benches with this flag, only to see that they work.
    if args.iter().any(|arg| arg == "--test") {
        let parker = FORMULAS.iter().find(|formula| formula.name == "parker").expect("is there");
        let program = parker.compile();
        for &model in Model::ALL {
            for &method in Method::ALL.iter().filter(|method| method.knows(model)) {
                let bound = (method, parker.bound(method));
                let report = parker.check(&program, bound, model, LIMIT);
                let fails = matches!(report.verdict, Verdict::Unsafe(_));
                let name = method.name();
                assert_eq!(fails, parker.fails.contains(&model), "{name}, {}", model.name());
            }
        }
        return;
    }
    if let [_, row, index, model, method, bound, rest @ ..] = args.as_slice()
        && row == "--row"
    {
        return row_in_here(index, model, (method, bound), !rest.is_empty());
    }
    let only = args.iter().skip(1).find(|arg| !arg.starts_with("--"));
    if args.iter().any(|arg| arg == "--sessions") {
        return sessions(only.map(String::as_str));
    }
    let mut compare = args.iter().any(|arg| arg == "--cbmc");
    if compare {
        match cbmc::version() {
            Some(version) => println!("compared with CBMC {version}"),
            None => eprintln!("NOT COMPARED: there is no `cbmc` here"),
        }
        compare = cbmc::version().is_some();
    }
    println!(
        "{:<20}{:<6}{:<13}{:>7}{:>7}  {:<9}{:>10}{:>11}{:>10}{:>10}{:>9}{:>9}{}",
        "program",
        "model",
        "encoding",
        "unwind",
        "bound",
        "verdict",
        "variables",
        "clauses",
        "encode s",
        "solve s",
        "peak MB",
        "all s",
        if compare { "   cbmc s    ratio" } else { "" },
    );
    let wanted = args.iter().find_map(|arg| arg.strip_prefix("--encoding="));
    let methods = |model: Model| {
        let known = Method::ALL.iter().copied().filter(move |method| method.knows(model));
        known.filter(|method| wanted.is_none_or(|wanted| method.name().contains(wanted)))
    };
    for (index, formula) in FORMULAS.iter().enumerate() {
        if only.is_none_or(|only| formula.name.contains(only.as_str())) {
            for &model in Model::ALL {
                for method in methods(model) {
                    row(&index.to_string(), model, (method, formula.bound(method)), compare);
                }
            }
        }
    }
    if only.is_none_or(|only| PAIR.name.contains(only.as_str())) {
        for &model in Model::ALL {
            for method in methods(model) {
                for bound in BOUNDS {
                    row("pair", model, (method, bound), false);
                }
            }
        }
    }
}

/// What a solver that goes on with larger bounds brings.
fn sessions(only: Option<&str>) {
    println!(
        "{:<20}{:<6}{:<10}{:>9}  {:<9}{:>10}{:>11}{:>10}{:>11}{:>8}",
        "program",
        "model",
        "encoding",
        "bounds",
        "verdict",
        "one s",
        "conflicts",
        "new s",
        "conflicts",
        "ratio",
    );
    for formula in FORMULAS.iter().filter(|it| only.is_none_or(|only| it.name.contains(only))) {
        let program = formula.compile();
        for &model in Model::ALL {
            for method in [Method::Lazy, Method::Imu] {
                let most = formula.bound(method);
                let one = formula.deepen(&program, (method, most), model, LIMIT);
                let (mut seconds, mut conflicts) = (0.0, 0);
                let mut bound = method.first_bound().min(most);
                loop {
                    let new = formula.check(&program, (method, bound), model, LIMIT);
                    seconds += new.stats.encode_seconds + new.stats.solve_seconds;
                    conflicts += new.stats.conflicts;
                    let open = matches!(new.verdict, Verdict::Bounded(_));
                    if !open || bound >= most {
                        break;
                    }
                    bound = method.next_bound(bound).min(most);
                }
                let known = one.stats.encode_seconds + one.stats.solve_seconds;
                let verdict = match one.verdict {
                    Verdict::Safe => "safe",
                    Verdict::Bounded(_) => "bounded",
                    Verdict::Unsafe(_) => "unsafe",
                    Verdict::Unknown(_) => "unknown",
                };
                println!(
                    "{:<20}{:<6}{:<10}{:>9}  {:<9}{:>10.2}{:>11}{:>10.2}{:>11}{:>8.1}",
                    formula.name,
                    model.name(),
                    method.name(),
                    format!("{}..{}", method.first_bound().min(most), bound),
                    verdict,
                    known,
                    one.stats.conflicts,
                    seconds,
                    conflicts,
                    seconds / known,
                );
            }
        }
    }
}

/// Prints a row from a process of its own.
fn row(index: &str, model: Model, (method, bound): (Method, u32), compare: bool) {
    let me = std::env::current_exe().expect("has a path");
    let mut command = Command::new(me);
    command.args(["--row", index, model.name(), method.name(), &bound.to_string()]);
    if compare {
        command.arg("--cbmc");
    }
    let status = command.status();
    if !status.is_ok_and(|status| status.success()) {
        let name = method.name();
        println!("{index} under {model} by {name} with {bound}: crashed");
    }
}

fn row_in_here(index: &str, model: &str, (method, bound): (&str, &str), compare: bool) {
    let formula = match index.parse::<usize>() {
        Ok(index) => FORMULAS[index],
        Err(_) => PAIR,
    };
    let method = *Method::ALL.iter().find(|known| known.name() == method).expect("an encoding");
    let bound = bound.parse().expect("a number");
    let model = *Model::ALL.iter().find(|known| known.name() == model).expect("a model");
    let begun = Instant::now();
    let program = formula.compile();
    // What the compiler needed does not count.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let report = formula.check(&program, (method, bound), model, LIMIT);
    let all = begun.elapsed();
    let fails = formula.fails.contains(&model);
    let verdict = match report.verdict {
        Verdict::Safe if fails => "safe !",
        Verdict::Safe => "safe",
        Verdict::Bounded(_) if fails => "bounded !",
        Verdict::Bounded(_) => "bounded",
        Verdict::Unsafe(_) if !fails => "unsafe !",
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Unknown(why) => {
            if why != "interrupted" {
                eprintln!("{}: {why}", formula.name);
            }
            "unknown !"
        }
    };
    let stats = report.stats;
    println!(
        "{:<20}{:<6}{:<13}{:>7}{:>7}  {:<9}{:>10}{:>11}{:>10.2}{:>10.2}{:>9.0}{:>9.2}{}",
        formula.name,
        model.name(),
        method.name(),
        stats.unwind,
        stats.bound,
        verdict,
        stats.variables,
        stats.clauses,
        stats.encode_seconds,
        stats.solve_seconds,
        peak().map_or(f64::NAN, |bytes| bytes as f64 / 1e6),
        all.as_secs_f64(),
        if compare { other(formula, model, fails, all) } else { String::new() },
    );
}

/// The columns of CBMC.
fn other(formula: Formula, model: Model, fails: bool, all: Duration) -> String {
    let answer = cbmc::check(formula, model, LIMIT);
    let (mark, more) = match answer.fails {
        None => ("", ">"),
        Some(said) if said == fails => ("", ""),
        Some(_) => (" !", ""),
    };
    let ratio = answer.time.as_secs_f64() / all.as_secs_f64();
    let seconds = format!("{more}{:.2}{mark}", answer.time.as_secs_f64());
    format!("{seconds:>9}{:>9}", format!("{more}{ratio:.1}"))
}

/// Most resident memory so far, in bytes.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}
