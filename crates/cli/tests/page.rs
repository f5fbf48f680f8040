//! The page that `--html` writes: what is in it, and how it behaves in a browser. The tests
//! that need Chromium are skipped with a note where there is none.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// Runs `heddle check` on a program of the tests; gives the page.
fn page(program: &str, flags: &[&str], folder: &Path) -> String {
    let file = folder.join("page.html");
    let mut args = vec!["check", "--html", file.to_str().unwrap()];
    args.extend(flags);
    args.push(program);
    let run = common::heddle(&args, LIMIT).expect("ends");
    assert!(matches!(run.code, Some(0 | 10 | 20)), "{}", run.stderr);
    std::fs::read_to_string(&file).expect("written")
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path.to_str().unwrap().to_string()
}

fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let all = std::env::split_paths(&path);
    let found = all.flat_map(|folder| ["chromium", "chromium-browser"].map(|n| folder.join(n)));
    let found = found.into_iter().find(|file| file.is_file());
    if found.is_none() {
        eprintln!("skipped: there is no chromium");
    }
    found
}

/// What the page's document is after `script` ran in it. The script may call `key("…")`,
/// `text("selector")` and `tell("name", value)`; what it told stands in attributes of the body.
fn browse(page: &str, script: &str, folder: &Path) -> Option<String> {
    let chromium = chromium()?;
    let helpers = "const key = (k) => document.activeElement.dispatchEvent(new KeyboardEvent(\
         'keydown', { key: k, bubbles: true, cancelable: true }));\
         const text = (s) => [...document.querySelectorAll(s)].map((n) => n.textContent).join('|');\
         const tell = (name, value) => document.body.setAttribute('data-' + name, value);";
    let end = page.rfind("</body>").expect("a body");
    let (before, after) = page.split_at(end);
    let all = format!(
        "{before}<script>window.onerror = (e) => document.body.setAttribute('data-error', e);\
         {{ {helpers} {script} }}</script>{after}"
    );
    let file = write(folder, "browsed.html", &all);
    let mut command = Command::new(chromium);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000"]);
    command.arg(format!("--user-data-dir={}", folder.join("profile").display()));
    command.args(["--window-size=1300,900", "--dump-dom", &format!("file://{file}")]);
    let run = common::run(&mut command, LIMIT).expect("ends");
    assert!(run.stdout.contains("data-ready=\"yes\""), "the script did not run: {}", run.stderr);
    assert!(!run.stdout.contains("data-error="), "{}", told(&run.stdout, "error"));
    Some(run.stdout)
}

fn told(dom: &str, name: &str) -> String {
    let start = dom.find(&format!("data-{name}=\"")).unwrap_or_else(|| panic!("no {name}"));
    let rest = &dom[start + name.len() + 7..];
    let value = &rest[..rest.find('"').expect("an end")];
    value.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").replace("&quot;", "\"")
}

#[test]
fn clicks_and_keys() {
    let folder = folder();
    let page = page("examples/bank.c", &[], folder.path());
    let script = "
        tell('rows', document.querySelectorAll('.row').length);
        tell('heads', text('.head'));
        tell('first', text('#about .say'));
        document.querySelector('[data-step=\"14\"] .step').click();
        tell('clicked', text('#about'));
        tell('line', text('.l.here .num'));
        key('ArrowUp'); key('ArrowUp'); tell('up', document.body.dataset.step);
        key('ArrowLeft'); tell('own', document.body.dataset.step);
        key('Home'); tell('home', document.body.dataset.step);
        key('n'); tell('turn', document.body.dataset.step);
        key('a'); tell('arrows', document.querySelectorAll('.arrow').length);
        document.querySelectorAll('.tools button')[1].click();
        tell('filtered', document.querySelectorAll('.row').length);
        document.querySelectorAll('.tools button')[1].click();
        const pick = document.querySelector('#variable');
        pick.value = [...pick.options].find((o) => o.text === 'savings.moves').value;
        pick.dispatchEvent(new Event('change'));
        tell('variable', text('.row .step'));";
    let Some(dom) = browse(&page, script, folder.path()) else { return };
    assert_eq!(told(&dom, "rows"), "16");
    assert_eq!(told(&dom, "heads"), "T0 main|T1 first_teller|T2 second_teller");
    assert!(told(&dom, "first").contains("fails assertion"));
    let clicked = told(&dom, "clicked");
    assert!(clicked.contains("sees what T1wrote in step 9"), "{clicked}");
    assert!(clicked.contains("savings.balance150"), "{clicked}");
    assert_eq!(told(&dom, "line"), "37");
    assert_eq!(told(&dom, "up"), "12");
    assert_eq!(told(&dom, "own"), "1");
    assert_eq!((told(&dom, "home").as_str(), told(&dom, "turn").as_str()), ("0", "2"));
    assert!(told(&dom, "arrows").parse::<u32>().unwrap() >= 5);
    assert_eq!(told(&dom, "filtered"), "11");
    assert!(told(&dom, "variable").contains("write savings.moves = 2"));
    assert!(!told(&dom, "variable").contains("balance"));
}

#[test]
fn store_buffers_are_shown() {
    let folder = folder();
    let page = page("tests/programs/unsafe/broken_peterson.c", &["--mm", "tso"], folder.path());
    let script = "
        const at = JSON.parse(document.querySelector('#run').textContent).steps
            .findIndex((s) => s.v === 'buffered' && s.p === 'counter');
        document.querySelector(`[data-step=\"${at}\"] .step`).click();
        tell('about', text('#about'));";
    let Some(dom) = browse(&page, script, folder.path()) else { return };
    let about = told(&dom, "about");
    assert!(about.contains("store buffers, oldest firstT1inside[0] = 1counter = 1"), "{about}");
    assert!(about.contains("waits in the store buffer until step"), "{about}");
}

#[test]
fn a_deadlock_has_its_graph_and_its_locks() {
    let folder = folder();
    let page = page("tests/programs/unsafe/deadlock_two_locks.c", &[], folder.path());
    assert!(page.contains("<svg class=\"graph\""));
    assert_eq!(page.matches(">waits for</text>").count(), 3);
    assert_eq!(page.matches(">held by</text>").count(), 2);
    let Some(dom) = browse(&page, "tell('about', text('#about'));", folder.path()) else { return };
    assert!(told(&dom, "about").contains("locks heldT1firstT2second"), "{}", told(&dom, "about"));
}

#[test]
fn a_race_shows_both_accesses() {
    let folder = folder();
    let page = page("tests/programs/unsafe/race_plain.c", &["--check", "race"], folder.path());
    assert!(page.contains("nothing orders these two accesses"));
    assert!(page.contains("holds no lock"));
    let script = "tell('key', document.querySelectorAll('.row.key').length);";
    let Some(dom) = browse(&page, script, folder.path()) else { return };
    assert_eq!(told(&dom, "key"), "2");
}

#[test]
fn pages_without_a_run_say_what_was_covered() {
    let folder = folder();
    let safe = page("examples/bank_fixed.c", &[], folder.path());
    assert!(safe.contains("badge safe") && safe.contains("nothing was cut"));
    let loops = write(folder.path(), "loop.c", LOOPS);
    let flags = ["--unwind", "2", "--algorithm", "optimal"];
    let bounded = page(&loops, &flags, folder.path());
    assert!(bounded.contains("badge bounded") && bounded.contains("<li>unwind 2</li>"));
    let flags = ["--algorithm", "naive", "--timeout", "1"];
    let unknown = page(&loops, &flags, folder.path());
    assert!(unknown.contains("badge unknown") && unknown.contains("timeout after 1 s"));
}

const LOOPS: &str = "#include <pthread.h>\nint x;\nvoid *work(void *p) { for (int i = 0; i < 9; \
    i++) ++x; return p; }\nint main(void) { pthread_t t; pthread_create(&t, 0, work, 0); work(0); \
    pthread_join(t, 0); }\n";

/// Source text, file names, assertions and what is printed are text, never markup.
#[test]
fn hostile_text_stays_text() {
    let folder = folder();
    let attack = "</script><script>document.body.dataset.owned=1</script><img src=x \
        onerror=\\\"document.body.dataset.owned=1\\\">{{data}}";
    let text = format!(
        "// {attack} \u{2028} <!--\n#include <assert.h>\n#include <pthread.h>\n#include <stdio.h>\n\
         int x; const char *s = \"{attack}\";\n\
         void *work(void *p) {{ x++; puts(\"{attack}\"); return p; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); x++; \
         pthread_join(t, 0); assert(x == 2 && \"{attack}\"); }}\n"
    );
    let file =
        write(folder.path(), "a<img src=x onerror='document.body.dataset.owned=1'>.c", &text);
    let page = page(&file, &[], folder.path());
    assert!(page.contains("badge unsafe"));
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<img") && !page.contains('\u{2028}'));
    let script = "
        tell('source', text('.l .code').includes('<' + '/script><script>'));
        for (let i = 0; i < 12; i++) key('ArrowUp');
        tell('images', document.images.length); tell('scripts', document.scripts.length);";
    let Some(dom) = browse(&page, script, folder.path()) else { return };
    assert!(!dom.contains("data-owned"));
    assert_eq!(told(&dom, "source"), "true");
    assert_eq!((told(&dom, "images").as_str(), told(&dom, "scripts").as_str()), ("0", "3"));
}

/// Below 500 kB for 500 steps, and long runs are folded.
#[test]
fn long_runs_are_small_and_folded() {
    let folder = folder();
    let text = "#include <assert.h>\n#include <pthread.h>\nint table[2][64], sum;\n\
        void *fill(void *p) {\n    for (int i = 0; i < 60; i++)\n        ((int *)p)[i] += i, sum += i;\n\
        \x20   return p;\n}\nint main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, fill, table[0]);\n\
        \x20   fill(table[1]);\n    pthread_join(t, 0);\n    assert(sum == 2 * 59 * 30);\n}\n";
    let file = write(folder.path(), "long.c", text);
    let page = page(&file, &["--timeout", "50"], folder.path());
    let steps = page.matches("\"v\":").count();
    assert!(steps >= 400, "{steps} steps");
    assert!(page.len() < 500_000 * steps.max(1) / 500, "{} bytes, {steps} steps", page.len());
    let script = "
        const rows = () => document.querySelectorAll('.row').length;
        tell('folded', rows());
        tell('fold', text('.row.fold .step'));
        document.querySelector('.row.fold .step').click();
        tell('opened', rows());
        key('f'); tell('all', rows());";
    let Some(dom) = browse(&page, script, folder.path()) else { return };
    let count = |name: &str| told(&dom, name).parse::<usize>().unwrap();
    assert!(count("folded") < count("opened") && count("opened") < count("all"));
    assert_eq!(count("all"), steps);
}

/// A thread sees its own stores while they wait.
#[test]
fn own_stores_are_read_from_the_buffer() {
    let folder = folder();
    let page = page("tests/programs/unsafe/condition_if.c", &["--mm", "tso"], folder.path());
    let data = page.split("id=\"run\">").nth(1).and_then(|rest| rest.split("</script>").next());
    let run: serde_json::Value = serde_json::from_str(data.expect("the run")).expect("JSON");
    let steps = run["steps"].as_array().expect("steps");
    let read = &steps[steps.len() - 2];
    assert_eq!((&read["v"], &read["x"]), (&"read".into(), &"-1".into()));
    let from = read["rf"][0].as_u64().expect("a store") as usize;
    assert_eq!((&steps[from]["v"], &steps[from]["t"]), (&"buffered".into(), &read["t"]));
}
