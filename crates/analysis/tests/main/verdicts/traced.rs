//! From a program to its analysis: chooses the machine loops of its marked loops, traces them whole, stores and loads what
//! was seen.

use crate::verdicts::table::Extents;
use loopwright_analysis::model::Analysis;
use loopwright_binary::code::analyze;
use loopwright_binary::image::{DebugSearch, Image, Images};
use loopwright_experiment::Experiment;
use loopwright_experiment::Facts;
use loopwright_experiment::describe::describe_traced;
use loopwright_instrument::{LoopChoice, Quiet, TraceOptions, trace};
use loopwright_launch::{StartOptions, Stream};
use loopwright_sample::recording::Target;
use loopwright_testprograms::Built;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// The machine loops of marked loops.
fn loops(built: &Built, extents: &Extents) -> Vec<LoopChoice> {
    let image = Image::open(&built.path, &DebugSearch::none()).unwrap();
    let module = built.path.canonicalize().unwrap();
    let mut found = Vec::new();
    for (index, function) in image.functions().iter().enumerate() {
        let Ok(code) = analyze(&image, index) else { continue };
        for l in code.loops {
            let Some(location) = &l.location else { continue };
            if extents.holds(Path::new(&location.file), location.line) {
                let (function, header) = (function.address, l.header);
                found.push(LoopChoice { module: module.clone(), function, header });
            }
        }
    }
    found
}

/// What is said of the marked loops of a program.
pub fn analysed(built: &Built) -> Analysis {
    let extents = Extents::of(&built.source, &built.loops);
    let folder = tempfile::tempdir().unwrap();
    let printed = folder.path().join("stdout");
    let options = TraceOptions {
        start: StartOptions {
            stdout: Stream::File(Arc::new(File::create(&printed).unwrap())),
            ..StartOptions::default()
        },
        loops: loops(built, &extents),
        exhaustive: true,
        ..TraceOptions::default()
    };
    let patterns = trace(&[built.path.as_os_str().into()], &options, &mut Quiet)
        .unwrap_or_else(|e| panic!("{}: {e}", built.label));
    assert_eq!(patterns.exit_status, 0, "{}", built.label);
    let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
    let target = Target { command: vec![built.path.display().to_string()], ..Target::default() };
    let run = experiment.add(&patterns, Some(&target), None).unwrap();
    for module in describe_traced(&patterns, &[], &Images::new(DebugSearch::none()), &|_, _| ()) {
        let functions = &module.functions;
        experiment.add_code(run, module.position, &module.identity, &module.facts, functions).unwrap();
    }
    let facts = Facts::load(&experiment, &experiment.latest().unwrap()).unwrap();
    loopwright_analysis::analyse(&facts)
}
