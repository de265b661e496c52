//! Dependences of random loops against what running them shows.
//!
//! Some loops over random subscripts are compiled by every compiler and level, traced whole and judged. However they
//! were unrolled and vectorised, no loop that carries a RAW may be called safe, nor safe for vectors longer than the RAW's
//! distance when that goes backward; where compilers leave the loops as they are, all nearest distances are exact. One test in a
//! process of its own: the engine reaps the children of its process.
//!
//! `LOOPWRIGHT_SEEDS=N` tries as many programs instead of one.

mod generate;

use generate::{Loop, Random, Truth};
use loopwright_analysis::model::{Analysis, DependenceFacts, LoopFacts, ParallelVerdict, VectorVerdict};
use loopwright_binary::code::analyze;
use loopwright_binary::image::{DebugSearch, Image, Images};
use loopwright_experiment::Experiment;
use loopwright_experiment::Facts;
use loopwright_experiment::describe::describe_traced;
use loopwright_instrument::{LoopChoice, Quiet, TraceOptions, trace};
use loopwright_patterns::facts::DependenceKind;
use loopwright_sample::recording::Target;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const LOOPS: usize = 40;
const COMPILERS: [&str; 2] = ["gcc", "clang"];
const LEVELS: [&[&str]; 5] = [&["-O0"], &["-O1"], &["-O2"], &["-O3"], &["-O3", "-march=native"]];

#[test]
fn random_loops_are_never_called_safe_when_they_are_not() {
    let seeds = std::env::var("LOOPWRIGHT_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(1u64);
    let mut wrong = Vec::new();
    let mut judged = 0;
    for seed in 1..=seeds {
        let mut random = Random::new(seed);
        let mut loops: Vec<Loop> = (0..LOOPS).map(|_| Loop::any(&mut random)).collect();
        let text = generate::program(&mut loops);
        let truths: Vec<Truth> = loops.iter().map(Loop::truth).collect();
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("random.c");
        std::fs::write(&source, &text).unwrap();
        for compiler in COMPILERS {
            if Command::new(compiler).arg("--version").output().is_err() {
                assert!(std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(), "{compiler} is not installed");
                println!("skipped: {compiler} is not installed");
                continue;
            }
            for level in LEVELS {
                let program = folder.path().join(format!("{compiler}{}", level.concat()));
                let built = Command::new(compiler)
                    .args(level)
                    .args(["-g", "-fwrapv", "-o"])
                    .args([&program, &source])
                    .output()
                    .unwrap();
                assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
                let analysis = analysed(&program, &source, &loops);
                for (l, truth) in loops.iter().zip(&truths) {
                    let Some(facts) = facts(&analysis, l.line) else { continue };
                    judged += 1;
                    for complaint in complaints(facts, truth, level) {
                        let lines =
                            text.lines().skip(l.line as usize - 1).take(4).collect::<Vec<_>>().join("\n");
                        wrong.push(format!(
                            "seed {seed}, {compiler} {}: {complaint}\n{lines}\n{truth:?}\n{}",
                            level.join(" "),
                            facts.verdict
                        ));
                    }
                }
            }
        }
    }
    println!("{judged} loops were judged");
    assert!(wrong.is_empty(), "{} of {judged} loops:\n{}", wrong.len(), wrong.join("\n\n"));
}

/// What must not be said of the loop.
fn complaints(facts: &DependenceFacts, truth: &Truth, level: &[&str]) -> Vec<String> {
    let mut wrong = Vec::new();
    let reductions = !facts.reductions.is_empty();
    let safe =
        matches!(facts.vector, VectorVerdict::Safe) || facts.vector == VectorVerdict::SafeWithReductions;
    let parallel = matches!(facts.parallel, ParallelVerdict::Independent | ParallelVerdict::WithClauses);
    let plain = matches!(level, ["-O0" | "-O1"]);
    // A sum in one element is a reduction; a loop that was split in two carries between the two.
    let backward = if truth.recurrence { Some(1) } else { truth.backward };
    // So may vectors, when the value goes on in a register and does not come back.
    let forwarded = facts.found.iter().any(|f| !f.memory && !f.limits_vectors);
    if let Some(distance) = backward.filter(|_| (!reductions || !truth.constant) && !forwarded) {
        if safe {
            wrong.push(format!("{:?}, although a RAW of distance {distance} goes backward", facts.vector));
        }
        if let Some(length) = facts.max_length.filter(|&length| length > distance) {
            wrong.push(format!("safe up to {length}, although a RAW of distance {distance} goes backward"));
        }
        if parallel {
            wrong.push(format!("{:?}, although a RAW of distance {distance} is carried", facts.parallel));
        }
    }
    if plain && !truth.flow.is_empty() && parallel && !(reductions && truth.constant) {
        wrong.push(format!("{:?}, although a RAW is carried", facts.parallel));
    }
    if plain && !truth.constant && !truth.recurrence {
        let nearest = |kind: DependenceKind, memory: bool| {
            let mut of = facts.found.iter().filter(|f| f.kind == kind && !f.privatisable);
            let own = of.by_ref().filter(|f| !memory || f.memory);
            own.map(|f| f.distance).min()
        };
        let flow = truth.flow.first().copied();
        for (kind, wanted, memory) in [
            (DependenceKind::Flow, flow, false),
            (DependenceKind::Anti, truth.anti, true),
            (DependenceKind::Output, truth.output, true),
        ] {
            let found = nearest(kind, memory);
            // What an iteration has just written it does not read again.
            let read_from_register = level != ["-O0"] && kind == DependenceKind::Anti && found.is_none();
            if found != wanted && !read_from_register {
                wrong.push(format!("{kind:?} at {found:?}, not {wanted:?}"));
            }
        }
    }
    wrong
}

/// What is said of the loop at a line by the piece that represents it.
fn facts(analysis: &Analysis, line: u32) -> Option<&DependenceFacts> {
    let here = |l: &&LoopFacts| l.line == Some(line);
    let known = analysis.loops.iter().filter(here).filter_map(|l| l.dependence.as_ref());
    known.max_by_key(|facts| facts.checked_iterations)
}

fn analysed(program: &Path, source: &Path, loops: &[Loop]) -> Analysis {
    let image = Image::open(program, &DebugSearch::none()).unwrap();
    let lines: BTreeSet<u32> = loops.iter().map(|l| l.line).collect();
    let module = program.canonicalize().unwrap();
    let mut chosen = Vec::new();
    for (index, function) in image.functions().iter().enumerate() {
        let Ok(code) = analyze(&image, index) else { continue };
        for l in code.loops {
            if l.location.as_ref().is_some_and(|at| at.file.ends_with("random.c") && lines.contains(&at.line))
            {
                let (function, header) = (function.address, l.header);
                chosen.push(LoopChoice { module: module.clone(), function, header });
            }
        }
    }
    let options = TraceOptions { loops: chosen, exhaustive: true, ..TraceOptions::default() };
    let patterns = trace(&[program.as_os_str().into()], &options, &mut Quiet).unwrap();
    assert_eq!(patterns.exit_status, 0);
    let folder = tempfile::tempdir().unwrap();
    let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
    let target = Target { command: vec![program.display().to_string()], ..Target::default() };
    let run = experiment.add(&patterns, Some(&target), None).unwrap();
    for module in describe_traced(&patterns, &[], &Images::new(DebugSearch::none()), &|_, _| ()) {
        let functions = &module.functions;
        experiment.add_code(run, module.position, &module.identity, &module.facts, functions).unwrap();
    }
    let text = std::fs::read_to_string(source).unwrap();
    experiment.add_source(run, source.to_str().unwrap(), &text).unwrap();
    let facts = Facts::load(&experiment, &experiment.latest().unwrap()).unwrap();
    loopwright_analysis::analyse(&facts)
}
