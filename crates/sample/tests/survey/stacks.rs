//! Call stacks against a known chain of calls.

use loopwright_sample::recording::{CallStacks, Recording};
use loopwright_sample::{CallStacksRequest, SurveyOptions};

use crate::build::{Names, compile, record, samplers, skip};

/// Share of the samples in `leaf_work` whose stack is exactly the program's chain, in percent.
fn exact_chains(names: &Names, recording: &Recording, below_main: bool) -> f64 {
    let mut expected = vec!["leaf_work"];
    expected.extend(["descend"; 30]);
    expected.push("outer");
    let (mut exact, mut all) = (0, 0);
    for sample in &recording.samples {
        let chain = names.chain(recording, sample.stack);
        if chain.first() != Some(&"leaf_work") {
            continue;
        }
        all += 1;
        let rest = chain.strip_prefix(expected.as_slice());
        exact += usize::from(rest.is_some_and(|rest| !below_main || rest.contains(&"main")));
    }
    assert!(all > 20, "only {all} samples in the leaf");
    100.0 * exact as f64 / all as f64
}

/// Recordings that are made before too few exact chains count as an error.
const ATTEMPTS: usize = 3;

#[test]
fn thirty_frames_without_frame_pointers() {
    let folder = tempfile::tempdir().unwrap();
    for flags in [
        &["-O2", "-fomit-frame-pointer", "-fno-optimize-sibling-calls"][..],
        &["-O2", "-static"],
        &["-O2", "-no-pie"],
    ] {
        let Some(program) = compile(folder.path(), "recursion", flags) else { return };
        let names = Names::of(&program);
        for options in samplers() {
            for mode in ["plain", "signal", "jump"] {
                // A busy machine leaves some tens of samples, of which one or two are two percent.
                let exact = (0..ATTEMPTS).map(|_| {
                    let (recording, _) = record(&options, &[program.to_str().unwrap(), mode]);
                    assert_eq!(recording.sampler.call_stacks, CallStacks::Dwarf);
                    let truncated = recording.sampler.truncated_share;
                    assert!(truncated < 0.02, "{truncated}");
                    let exact = exact_chains(&names, &recording, true);
                    println!("{flags:?} {mode} {:?}: {exact:.1} % exact", recording.sampler.kind);
                    exact
                });
                let found: Vec<f64> = exact.take_while(|exact| *exact <= 98.0).collect();
                assert!(found.len() < ATTEMPTS, "{flags:?} {mode}: {found:?} %");
            }
        }
    }
}

#[test]
fn a_stripped_program_has_the_same_chain() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), "recursion", &["-O2"]) else { return };
    let names = Names::of(&program);
    let stripped = std::process::Command::new("strip").arg(&program).status();
    if !stripped.is_ok_and(|status| status.success()) {
        return skip("strip cannot be started");
    }
    for options in samplers() {
        let (recording, _) = record(&options, &[program.to_str().unwrap()]);
        assert!(exact_chains(&names, &recording, true) > 98.0);
    }
}

#[test]
fn frame_pointers_where_the_program_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), "recursion", &["-O0"]) else {
        return;
    };
    let names = Names::of(&program);
    for options in samplers() {
        let options = SurveyOptions { call_stacks: CallStacksRequest::FramePointer, ..options };
        let (recording, _) = record(&options, &[program.to_str().unwrap()]);
        assert_eq!(recording.sampler.call_stacks, CallStacks::FramePointer);
        assert!(exact_chains(&names, &recording, false) > 98.0);
    }
}

#[test]
fn without_stacks_only_the_address_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), "recursion", &["-O2"]) else { return };
    let names = Names::of(&program);
    for options in samplers() {
        let options = SurveyOptions { call_stacks: CallStacksRequest::None, ..options };
        let (recording, _) = record(&options, &[program.to_str().unwrap()]);
        assert!(recording.stacks.iter().all(|node| node.parent.is_none()));
        assert!(names.self_seconds(&recording, "leaf_work") > 0.0);
    }
}

#[test]
fn a_stack_deeper_than_the_copy_is_followed_in_the_living_process() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), "recursion", &["-O2"]) else { return };
    let names = Names::of(&program);
    for options in samplers() {
        let options = SurveyOptions { call_stacks: CallStacksRequest::Dwarf { stack_bytes: 256 }, ..options };
        let (recording, _) = record(&options, &[program.to_str().unwrap()]);
        // The last round's samples are seen when the process may have ended; they keep their inner frames.
        let exact = exact_chains(&names, &recording, true);
        println!("{:?}: {exact:.1} % exact", recording.sampler.kind);
        assert!(exact > 50.0, "{exact} %");
        assert!(recording.sampler.truncated_share < 0.5, "{}", recording.sampler.truncated_share);
        for sample in &recording.samples {
            let chain = names.chain(&recording, sample.stack);
            if chain.first() == Some(&"leaf_work") {
                assert!(chain.len() > 4 && chain[1..5].iter().all(|name| *name == "descend"), "{chain:?}");
            }
        }
    }
}
