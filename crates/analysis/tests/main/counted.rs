//! From a real counting run to loops as written: counted, stored, loaded and joined, against closed forms.
//!
//! One test in a process of its own: the engine reaps the children of its process.

use loopwright_analysis::model::Analysis;
use loopwright_binary::image::{DebugSearch, Images};
use loopwright_experiment::Experiment;
use loopwright_experiment::Facts;
use loopwright_experiment::describe::{Extent, describe_counted, select};
use loopwright_instrument::{CountOptions, Quiet, count};
use loopwright_sample::recording::Target;
use loopwright_testprograms::{Built, Compiler, Recipe, available_here};
use std::ffi::OsString;

const N: u64 = 1003;
const REPETITIONS: u64 = 10;

fn analysed(built: &Built) -> Analysis {
    let mut command: Vec<OsString> = vec![built.path.as_os_str().into()];
    command.extend([N, REPETITIONS].map(|number| number.to_string().into()));
    let counts = count(&command, &CountOptions::default(), &mut Quiet).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
    let target = Target { command: vec![built.path.display().to_string()], ..Target::default() };
    let run = experiment.add(&counts, Some(&target), None).unwrap();
    let all = select(&counts, Extent::All);
    for module in describe_counted(&counts, &all, &[], &Images::new(DebugSearch::system()), &|_, _| ()) {
        let functions = &module.functions;
        experiment.add_code(run, module.position, &module.identity, &module.facts, functions).unwrap();
    }
    let facts = Facts::load(&experiment, &experiment.latest().unwrap()).unwrap();
    loopwright_analysis::analyse(&facts)
}

#[test]
fn pieces_of_a_loop_add_up_to_the_loop_as_written() {
    for compiler in [Compiler::Gcc, Compiler::Clang] {
        for flags in ["O0", "O2", "O3", "O3-v3", "O3-v4-512", "fast-math"] {
            let recipe = Recipe::of("stream").compiler(compiler).flag_set(flags);
            let Some(built) = available_here(&recipe) else { continue };
            check(&built, &analysed(&built), flags == "O0");
        }
    }
}

fn check(built: &Built, analysis: &Analysis, exact: bool) {
    for (name, flop) in [("scale", 1), ("add", 1), ("triad", 2), ("dot", 2)] {
        let what = format!("{}: {name}", built.label);
        let function = analysis.functions.iter().find(|f| f.function == format!("stream_{name}")).unwrap();
        assert_eq!(function.calls, Some(REPETITIONS), "{what}");
        let line = built.loop_named(name).line;
        let pieces: Vec<_> = analysis.loops.iter().filter(|l| l.line == Some(line)).collect();
        let trips: Vec<_> = pieces.iter().filter_map(|l| l.trip_count.as_ref()).collect();
        assert!(!trips.is_empty(), "{what}: {pieces:?}");
        // Versions for overlapping arrays and straight code belong to the loop; or nothing is claimed.
        let written = trips[0].group_iterations;
        assert!(written.is_some() || !exact && trips[0].source_unknown.is_some(), "{what}: {trips:?}");
        assert!(written.is_none_or(|written| written == N * REPETITIONS), "{what}: {written:?}");
        for trips in &trips {
            assert_eq!(trips.group_iterations, written, "{what}");
        }
        let straight = trips[0].straight_iterations as f64 / (N * REPETITIONS) as f64;
        let shares: f64 = trips.iter().filter_map(|t| t.source_share).sum();
        assert!(written.is_none() || (shares + straight - 1.0).abs() < 1e-12, "{what}: {shares}");
        let done = function.work.as_ref().unwrap();
        assert!(done.flop >= flop * N * REPETITIONS, "{what}: {done:?}");
        assert!(done.flop == flop * N * REPETITIONS || built.label.contains("fast"), "{what}: {done:?}");
    }
}
