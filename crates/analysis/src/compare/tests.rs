use super::*;
use crate::fixtures::{function, module, recording, scalar_loop, vector_loop};
use loopwright_binary::facts::LoopCode;
use loopwright_experiment::{Facts, Run};

fn analysis(loops: Vec<LoopCode>, samples: &[(u64, u32)]) -> Analysis {
    let stacks: Vec<([u64; 1], u32)> = samples.iter().map(|&(address, count)| ([address], count)).collect();
    let stacks: Vec<(&[u64], u32)> = stacks.iter().map(|(stack, count)| (&stack[..], *count)).collect();
    let code = module(vec![function(1, "f.constprop.0", (0x0, 0x1000), loops, 1)]);
    let facts = recording(&stacks);
    let survey = Run { id: 1, target: facts.target.clone(), facts, machine: None, code: vec![code] };
    crate::analyse(&Facts { surveys: vec![survey], ..Facts::default() })
}

#[test]
fn loops_match_when_lines_and_addresses_moved() {
    let before = analysis(
        vec![scalar_loop(0, (0x10, 0x20), 10), scalar_loop(1, (0x30, 0x40), 20)],
        &[(0x10, 1000), (0x30, 1000)],
    );
    let after = analysis(
        vec![scalar_loop(0, (0x110, 0x120), 14), scalar_loop(1, (0x130, 0x140), 24)],
        &[(0x110, 500), (0x130, 1010)],
    );
    let comparison = compare(("a", &before), ("b", &after));
    assert_eq!(comparison.loops.len(), 2);
    let verdict = |place: &str| comparison.loops.iter().find(|c| c.place == place).unwrap();
    assert_eq!(verdict("a.c:14").verdict, Verdict::Faster);
    assert!((verdict("a.c:14").speedup.unwrap() - 2.0).abs() < 1e-9);
    assert_eq!(verdict("a.c:24").verdict, Verdict::Same);
}

#[test]
fn exact_positions_win_over_order() {
    // A loop was inserted before the first: the counts differ, so only exact positions match.
    let before = analysis(vec![scalar_loop(0, (0x10, 0x20), 20)], &[(0x10, 100)]);
    let after = analysis(
        vec![scalar_loop(0, (0x10, 0x20), 12), scalar_loop(1, (0x30, 0x40), 20)],
        &[(0x10, 100), (0x30, 100)],
    );
    let comparison = compare(("a", &before), ("b", &after));
    let verdicts: Vec<(String, Verdict)> =
        comparison.loops.iter().map(|c| (c.place.clone(), c.verdict)).collect();
    assert!(verdicts.contains(&("a.c:20".into(), Verdict::Same)), "{verdicts:?}");
    assert!(verdicts.contains(&("a.c:12".into(), Verdict::Appeared)), "{verdicts:?}");
}

#[test]
fn losing_vectorisation_is_said_first() {
    let mut vector = vector_loop(4);
    vector.ranges = vec![(0x10, 0x20)];
    let vector = || analysis(vec![vector.clone()], &[(0x10, 500)]);
    let scalar = || analysis(vec![scalar_loop(0, (0x10, 0x20), 10)], &[(0x10, 500)]);
    let verdict = |a: Analysis, b: Analysis| compare(("a", &a), ("b", &b)).loops[0].verdict;
    assert_eq!(verdict(vector(), scalar()), Verdict::NoLongerVectorized);
    assert_eq!(verdict(scalar(), vector()), Verdict::NowVectorized);
    assert_eq!(verdict(scalar(), scalar()), Verdict::Same);
}

#[test]
fn a_few_samples_more_are_not_a_slowdown() {
    let before = analysis(vec![scalar_loop(0, (0x10, 0x20), 10)], &[(0x10, 10)]);
    let after = analysis(vec![scalar_loop(0, (0x10, 0x20), 10)], &[(0x10, 14)]);
    assert_eq!(compare(("a", &before), ("b", &after)).loops[0].verdict, Verdict::Same);
    let gone = analysis(Vec::new(), &[(0x900, 10)]);
    assert_eq!(compare(("a", &before), ("b", &gone)).loops[0].verdict, Verdict::Vanished);
}

#[test]
fn a_loop_that_became_straight_line_code_is_said_to_be() {
    let before = analysis(vec![scalar_loop(0, (0x10, 0x20), 10)], &[(0x10, 100)]);
    let after = analysis(Vec::new(), &[(0x900, 40)]);
    let change = &compare(("a", &before), ("b", &after)).loops[0];
    assert_eq!(change.verdict, Verdict::Vanished);
    let note = change.note.as_deref().unwrap();
    assert!(note.contains("a.c:10 is no loop any more") && note.contains("0.04 s"), "{note}");
}

#[test]
fn a_loop_whose_function_was_inlined_is_found_at_its_place() {
    let before = analysis(vec![scalar_loop(0, (0x10, 0x20), 10)], &[(0x10, 100)]);
    let mut after = before.clone();
    after.loops[0].function = "caller".into();
    let comparison = compare(("a", &before), ("b", &after));
    assert_eq!(comparison.loops.len(), 1);
    assert_eq!(
        (comparison.loops[0].verdict, comparison.loops[0].function.as_str()),
        (Verdict::Same, "caller")
    );
}

#[test]
fn cpu_time_judges_where_the_machine_was_busy() {
    use crate::model::{Analysis, LoadFacts};
    let quiet: Analysis = crate::analyse(&loopwright_experiment::Facts::default());
    let mut busy = quiet.clone();
    busy.program.load = Some(LoadFacts { other_cpus: 1.5, stolen_share: 0.0, ready_share: 0.4, busy: true });
    assert_eq!(compare(("a", &quiet), ("b", &quiet)).judged, Judged::default());
    let judged = compare(("a", &quiet), ("b", &busy)).judged;
    assert_eq!(judged.by, JudgedBy::Cpu);
    assert!(judged.because.unwrap().contains("b: other programs used 1.5 CPUs, threads waited"));
}
