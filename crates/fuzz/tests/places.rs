//! Searches that reduce refuse restrictions by name: the run that they look at may be preempted
//! where an equivalent one is not.

use heddle_analysis::thread_sites;
use heddle_explore::{self as explore, Algorithm, Options, Places, Report};
use heddle_memory::Model;
use heddle_semantics::Verdict;

const TEXT: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *add(void *p) { int seen = x; x = seen + 1; return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, add, 0);
    int seen = x;
    x = seen + 1;
    pthread_join(t, 0);
    assert(x == 2);
    return 0;
}
";

/// With every place closed, so that nobody is preempted.
fn search(options: Options) -> Report {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("places.c");
    std::fs::write(&path, TEXT).expect("written");
    let inputs = vec![path];
    let compiler = heddle_frontend::Options { inputs, ..Default::default() };
    let program = heddle_frontend::compile(&compiler).expect("it compiles");
    let entry = program.find_function("main").expect("main");
    let sites = thread_sites(&program, entry);
    let all = |of: &heddle_analysis::ThreadSites| vec![(0, of.sites.len() as u32 + 1)];
    let closed: Vec<Vec<(u32, u32)>> = sites.iter().map(all).collect();
    let places = Some(Places::closing(&sites, &closed));
    explore::check(&program, entry, Model::Sc, &Options { places, ..options }).expect("it runs")
}

#[test]
fn searches_that_reduce_refuse_by_name() {
    for &algorithm in Algorithm::ALL {
        let verdict = search(Options { algorithm, jobs: 1, ..Options::default() }).verdict;
        match algorithm.takes_places() {
            true => assert!(
                matches!(verdict, Verdict::Safe | Verdict::Bounded(_)),
                "{algorithm}: {verdict:?}"
            ),
            false => {
                let Verdict::Unknown(why) = verdict else { panic!("{algorithm}: {verdict:?}") };
                let begins = format!("{algorithm} does not keep to places");
                assert!(why.starts_with(&begins), "{algorithm}: {why}");
            }
        }
    }
    let taking = Algorithm::ALL.iter().filter(|algorithm| algorithm.takes_places());
    assert_eq!(taking.count(), 2, "naive and stateful");
}

/// Depth first, preemptions are not counted.
#[test]
fn depth_first_refuses() {
    let algorithm = Algorithm::Stateful;
    let report = search(Options { algorithm, depth_first: true, jobs: 1, ..Options::default() });
    let Verdict::Unknown(why) = report.verdict else { panic!("{:?}", report.verdict) };
    assert!(why.contains("does not keep to places"), "{why}");
}
