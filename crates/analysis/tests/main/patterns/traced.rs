//! From a program to its analysis: chooses the marked loops, traces them whole, stores and loads what was seen.

use crate::patterns::expected::Expected;
use loopwright_analysis::model::Analysis;
use loopwright_binary::code::analyze;
use loopwright_binary::image::{DebugSearch, Image, Images};
use loopwright_experiment::Experiment;
use loopwright_experiment::Facts;
use loopwright_experiment::describe::describe_traced;
use loopwright_instrument::traced::Patterns;
use loopwright_instrument::{LoopChoice, Quiet, TraceOptions, trace};
use loopwright_launch::{StartOptions, Stream};
use loopwright_patterns::facts::{CacheGeometry, Hierarchy};
use loopwright_sample::recording::Target;
use loopwright_testprograms::Built;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Lines that the simulated cache holds, and their bytes: those of the example that `laplacian.c` is.
const CACHE_LINES: u64 = 12;
const CACHE_LINE_BYTES: u32 = 32;

/// The marked loops (all machine loops that a line became).
fn loops(built: &Built, expected: &Expected) -> Vec<LoopChoice> {
    let image = Image::open(&built.path, &DebugSearch::none()).unwrap();
    let module = built.path.canonicalize().unwrap();
    let mut found = Vec::new();
    for (index, function) in image.functions().iter().enumerate() {
        let Ok(code) = analyze(&image, index) else { continue };
        for l in code.loops {
            let Some(location) = &l.location else { continue };
            if Path::new(&location.file).file_name() == expected.source.file_name() {
                let choice =
                    LoopChoice { module: module.clone(), function: function.address, header: l.header };
                found.push((location.line, choice));
            }
        }
    }
    let lines: BTreeSet<u32> = found.iter().map(|(line, _)| *line).collect();
    let wanted: BTreeSet<u32> = expected.loops.iter().map(|e| e.line_among(&lines)).collect();
    found.into_iter().filter(|(line, _)| wanted.contains(line)).map(|(_, choice)| choice).collect()
}

fn hypothetical() -> Hierarchy {
    let level = CacheGeometry {
        name: "L1".to_owned(),
        lines: CACHE_LINES,
        line_bytes: CACHE_LINE_BYTES,
        ways: CACHE_LINES as u32,
        ..CacheGeometry::default()
    };
    Hierarchy { name: "12x32:full".to_owned(), levels: vec![level] }
}

/// Traces a program whole; it must print what it prints alone.
fn seen(built: &Built, expected: &Expected) -> Patterns {
    let alone = Command::new(&built.path).output().unwrap();
    assert!(alone.status.success(), "{}", built.label);
    let folder = tempfile::tempdir().unwrap();
    let printed = folder.path().join("stdout");
    let options = TraceOptions {
        start: StartOptions {
            stdout: Stream::File(Arc::new(File::create(&printed).unwrap())),
            ..StartOptions::default()
        },
        loops: loops(built, expected),
        hierarchies: vec![hypothetical()],
        exhaustive: true,
        ..TraceOptions::default()
    };
    let command: Vec<OsString> = vec![built.path.as_os_str().into()];
    let patterns = trace(&command, &options, &mut Quiet).unwrap_or_else(|e| panic!("{}: {e}", built.label));
    assert_eq!(
        (patterns.exit_status, std::fs::read(&printed).unwrap()),
        (0, alone.stdout),
        "{}",
        built.label
    );
    patterns
}

/// What is said of the marked loops.
pub fn analysed(built: &Built, expected: &Expected) -> Analysis {
    let patterns = seen(built, expected);
    let folder = tempfile::tempdir().unwrap();
    let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
    let target = Target { command: vec![built.path.display().to_string()], ..Target::default() };
    let run = experiment.add(&patterns, Some(&target), None).unwrap();
    for module in describe_traced(&patterns, &[], &Images::new(DebugSearch::none()), &|_, _| ()) {
        let functions = &module.functions;
        experiment.add_code(run, module.position, &module.identity, &module.facts, functions).unwrap();
    }
    let text = std::fs::read_to_string(&expected.source).unwrap();
    experiment.add_source(run, expected.source.to_str().unwrap(), &text).unwrap();
    let facts = Facts::load(&experiment, &experiment.latest().unwrap()).unwrap();
    loopwright_analysis::analyse(&facts)
}
