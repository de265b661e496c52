use super::*;
use crate::fixtures::{function, module, recording, scalar_loop, vector_loop};
use crate::model::Warning;
use loopwright_binary::facts::{CallSite, IrreducibleRegion, LoopRole, Trait};
use loopwright_experiment::Run;
use loopwright_remarks::remark::{Family, Outcome as Said, Remark, SourcePosition};
use loopwright_sample::recording::{Rank, Recording};
use std::sync::Arc;

/// main (0x10..0x100) has an outer loop 0x20..0x90 around an inner one 0x40..0x60, and calls
/// work (0x200..0x300) with a vector body 0x210..0x230 and its remainder 0x230..0x240.
fn facts(recording: Recording) -> Facts {
    let mut outer = scalar_loop(0, (0x20, 0x90), 10);
    outer.innermost = false;
    outer.calls = vec![CallSite { address: 0x70, target: Some("work".into()) }];
    let mut inner = scalar_loop(1, (0x40, 0x60), 11);
    inner.parent = Some(0);
    inner.depth = 2;
    let mut body = vector_loop(4);
    body.ranges = vec![(0x210, 0x230)];
    body.role = LoopRole::Body;
    body.location.as_mut().unwrap().line = 30;
    let mut remainder = scalar_loop(1, (0x230, 0x240), 30);
    remainder.role = LoopRole::Remainder;
    remainder.group = 0;
    let code = module(vec![
        function(1, "main", (0x10, 0x100), vec![outer, inner], 1),
        function(2, "work", (0x200, 0x300), vec![body, remainder], 3),
    ]);
    Facts {
        surveys: vec![Run {
            id: 1,
            target: recording.target.clone(),
            facts: recording,
            machine: None,
            code: vec![code],
        }],
        ..Facts::default()
    }
}

fn loop_by_id(analysis: &Analysis, id: u32) -> &LoopFacts {
    analysis.loops.iter().find(|l| l.id == id).unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn self_and_total_time_follow_nests_and_calls() {
    // 100 samples in the inner loop, 20 in the outer one itself, 300 in work's body called from the outer
    // loop, 50 in its remainder, 30 in main outside any loop.
    let facts = facts(recording(&[
        (&[0x50], 100),
        (&[0x30], 20),
        (&[0x70, 0x220], 300),
        (&[0x70, 0x238], 50),
        (&[0x12], 30),
    ]));
    let analysis = analyse(&facts);
    let outer = loop_by_id(&analysis, 1);
    assert!(near(outer.self_seconds, 0.020) && near(outer.total_seconds, 0.470), "{outer:?}");
    assert!(near(outer.callee_share, 350.0 / 470.0));
    let inner = loop_by_id(&analysis, 2);
    assert!(near(inner.self_seconds, 0.100) && near(inner.total_seconds, 0.100));
    assert_eq!((inner.parent, outer.children.clone()), (Some(1), vec![2]));
    let body = loop_by_id(&analysis, 3);
    assert!(near(body.self_share, 0.6) && near(body.group_share, 0.7), "{body:?}");
    assert_eq!(loop_by_id(&analysis, 4).group, body.group);
    assert_eq!(analysis.loops[0].id, 3, "sorted by self time");

    let time = &analysis.program.time;
    assert!(
        near(time.vectorized, 0.6) && near(time.scalar, 0.34) && near(time.outside_loops, 0.06),
        "{time:?}"
    );
    let main = analysis.functions.iter().find(|f| f.function == "main").unwrap();
    assert!(near(main.self_seconds, 0.150) && near(main.total_seconds, 0.500));

    let tree = analysis.tree.as_ref().unwrap();
    assert!(near(tree.total_seconds, 0.5));
    let path = ["main", "loop at a.c:10", "work", "loop at a.c:30"];
    let leaf = path.iter().fold(tree, |node, name| {
        node.children.iter().find(|c| c.name == *name).unwrap_or_else(|| panic!("{name} under {}", node.name))
    });
    assert!(near(leaf.self_seconds, 0.300));
}

#[test]
fn recursion_counts_total_time_once() {
    let facts = facts(recording(&[(&[0x70, 0x70, 0x70, 0x50], 10)]));
    let analysis = analyse(&facts);
    assert!(near(loop_by_id(&analysis, 1).total_seconds, 0.010));
    let main = analysis.functions.iter().find(|f| f.function == "main").unwrap();
    assert!(near(main.total_seconds, 0.010));
}

#[test]
fn pieces_without_samples_are_shown_with_their_group() {
    let analysis = analyse(&facts(recording(&[(&[0x220], 10)])));
    let ids: Vec<u32> = analysis.loops.iter().map(|l| l.id).collect();
    assert_eq!(ids, vec![3, 4]);
    assert_eq!(loop_by_id(&analysis, 4).samples, 0);
}

#[test]
fn kernel_time_is_total_of_its_caller_and_self_of_the_kernel() {
    let mut recording = recording(&[(&[0x50], 10)]);
    recording.samples.iter_mut().take(4).for_each(|sample| sample.kernel = true);
    let analysis = analyse(&facts(recording));
    let inner = loop_by_id(&analysis, 2);
    assert!(near(inner.self_seconds, 0.006) && near(inner.total_seconds, 0.010));
    assert!(near(analysis.program.time.kernel, 0.4));
    assert!(analysis.functions.iter().any(|f| f.function == "[kernel]" && near(f.self_seconds, 0.004)));
}

#[test]
fn ranks_of_one_job_add_up() {
    let mut facts = facts(recording(&[(&[0x50], 10)]));
    let mut second = facts.surveys[0].clone();
    for (number, survey) in [&mut facts.surveys[0], &mut second].into_iter().enumerate() {
        let rank = Rank { rank: number as u32, size: 2, launcher: "openmpi".into(), job: "j".into() };
        survey.target.rank = Some(rank);
    }
    facts.surveys.push(second);
    let analysis = analyse(&facts);
    assert_eq!(analysis.program.ranks, 2);
    assert!(near(loop_by_id(&analysis, 2).self_seconds, 0.020));
    assert_eq!(loop_by_id(&analysis, 2).threads, 2);
    assert_eq!(analysis.threads.iter().map(|t| t.rank).collect::<Vec<_>>(), vec![Some(0), Some(1)]);
}

#[test]
fn a_compilers_reason_is_preferred_to_what_the_binary_shows() {
    let mut facts = facts(recording(&[(&[0x50], 10)]));
    let without = analyse(&facts);
    assert!(loop_by_id(&without, 2).why_not.is_empty());
    let place = SourcePosition { file: "/src/a.c".into(), line: 11, column: 5 };
    let mut remark = Remark::new(Family::Gcc, "vect", Said::Missed, place, "missed: possible dependence");
    remark.compiler = "gcc 12.2.0".into();
    remark.reason = Some("loop-carried-dependence".into());
    facts.remarks.push(remark);
    let functions = Arc::make_mut(&mut facts.surveys[0].code[0].functions);
    functions[0].code.loops[1].traits = vec![Trait::IndirectCall];
    let analysis = analyse(&facts);
    let inner = loop_by_id(&analysis, 2);
    assert_eq!(inner.why_not.len(), 1);
    assert_eq!(inner.why_not[0].reason, "loop-carried-dependence");
    assert_eq!(inner.compilers.len(), 1);
    assert!(!inner.compilers[0].vectorized);
    facts.remarks.clear();
    let alone = analyse(&facts);
    assert_eq!(loop_by_id(&alone, 2).why_not[0].reason, "indirect-call");
    assert!(loop_by_id(&alone, 2).why_not[0].compiler.is_none());
}

#[test]
fn time_in_irreducible_cycles_is_told() {
    // The loop within, at 0x220, is a loop.
    let mut facts = facts(recording(&[(&[0x50], 10), (&[0x220], 20), (&[0x2a0], 30)]));
    let work = &mut Arc::make_mut(&mut facts.surveys[0].code[0].functions)[1].code;
    work.irreducible = vec![IrreducibleRegion { entries: vec![0x200, 0x298], ranges: vec![(0x200, 0x2b0)] }];
    work.unresolved_jumps = vec![0x2a8];
    let analysis = analyse(&facts);
    let work = analysis.functions.iter().find(|f| f.function == "work").unwrap();
    assert!(near(work.irreducible_seconds.unwrap(), 0.030) && work.unresolved_jumps == Some(1));
    assert!(analysis.functions.iter().all(|f| f.function == "work" || f.irreducible_seconds.is_none()));
    let irreducible = |w: &Warning| matches!(w, Warning::Irreducible { function, share } if function == "work" && near(*share, 0.5));
    assert!(analysis.warnings.iter().any(irreducible), "{:?}", analysis.warnings);
    assert!(analysis.warnings.contains(&Warning::UnresolvedJumps { function: "work".into(), jumps: 1 }));
}

#[test]
fn an_empty_survey_is_an_answer() {
    let analysis = analyse(&facts(recording(&[])));
    assert!(analysis.loops.is_empty() && analysis.tree.is_none());
    let none = |w: &Warning| matches!(w, Warning::NoSamples { .. });
    assert!(analysis.warnings.iter().any(none), "{:?}", analysis.warnings);
    assert_eq!(analyse(&Facts::default()).program.samples, 0);
}
