use super::*;
use crate::fixtures::{count, program, scalar_loop, vector_loop, with_loops};
use crate::recommendation::{Confidence, How};
use loopwright_analysis::compare::compare;

/// A recommendation for a loop of the fixtures.
fn advice(id: &str, loop_id: u32, share: f64, gain: (f64, f64)) -> Recommendation {
    let bare = Recommendation {
        tried: None,
        id: id.into(),
        rule: id.into(),
        title: format!("Do {id}"),
        loop_id: Some(loop_id),
        group: Some(loop_id),
        function: Some("kernel".into()),
        written_in: None,
        place: Some("kernel.c:10".into()),
        share: None,
        loop_gain: None,
        program_gain: None,
        confidence: Confidence::High,
        evidence: vec![],
        how: How::default(),
        next: None,
        case: None,
        sources: vec![],
        places: vec![],
        also: Vec::new(),
        modelled_gain: None,
        minor: false,
    };
    bare.gain(share, gain)
}

/// Of the program as a whole.
fn program_wide(id: &str, share: f64, gain: (f64, f64)) -> Recommendation {
    let of_loop = advice(id, 1, share, gain);
    Recommendation { loop_id: None, group: None, function: None, place: None, ..of_loop }
}

/// The loop with another self time, the program's CPU time following.
fn timed(mut of: LoopFacts, seconds: f64) -> Analysis {
    (of.self_seconds, of.total_seconds, of.samples) = (seconds, seconds, (seconds * 1000.0) as u64);
    let mut analysis = with_loops(vec![of]);
    let cpu = 6.0 + seconds;
    analysis.program.cpu_seconds = cpu;
    analysis.program.elapsed_seconds = cpu;
    analysis.program.samples = (cpu * 1000.0) as u64;
    for each in &mut analysis.loops {
        each.self_share = seconds / cpu;
        (each.total_share, each.group_share) = (each.self_share, each.self_share);
    }
    analysis
}

fn held(before: (&Analysis, &[Recommendation]), after: (&Analysis, &[Recommendation])) -> Vec<Prediction> {
    let comparison = compare(("before", before.0), ("after", after.0));
    predictions(
        Side { analysis: before.0, recommendations: before.1 },
        Side { analysis: after.0, recommendations: after.1 },
        &comparison,
    )
}

/// The scalar loop of 4 s, vectorised by the advice, then of `seconds`.
fn after_vectorising(seconds: f64) -> Prediction {
    let before = timed(scalar_loop(|_| {}), 4.0);
    let after = timed(vector_loop(|_| {}), seconds);
    held((&before, &[advice("vectorise", 1, 0.4, (2.0, 3.0))]), (&after, &[])).remove(0)
}

#[test]
fn a_range_that_was_met_came_true() {
    let found = after_vectorising(1.6);
    assert_eq!((found.outcome, found.scope), (Outcome::CameTrue, Scope::Loop));
    assert!((found.measured.unwrap() - 2.5).abs() < 1e-9);
    let (low, high) = found.interval.unwrap();
    assert!(low < 2.5 && 2.5 < high);
    assert_eq!((found.note, found.together.len()), (None, 0));
}

#[test]
fn less_and_more_are_said() {
    assert_eq!(after_vectorising(3.0).outcome, Outcome::Less);
    assert_eq!(after_vectorising(4.8).outcome, Outcome::Less, "slower is less");
    assert_eq!(after_vectorising(0.8).outcome, Outcome::More);
}

#[test]
fn too_few_samples_tell_nothing() {
    let before = timed(scalar_loop(|_| {}), 4.0);
    let mut after = timed(vector_loop(|_| {}), 1.6);
    after.loops[0].samples = 6;
    let found = held((&before, &[advice("vectorise", 1, 0.4, (2.0, 3.0))]), (&after, &[])).remove(0);
    assert_eq!(found.outcome, Outcome::Unknown);
    assert!(found.note.unwrap().contains("too few samples"));
    after.loops[0].samples = 0;
    let found = held((&before, &[advice("vectorise", 1, 0.4, (2.0, 3.0))]), (&after, &[])).remove(0);
    assert_eq!((found.outcome, found.measured), (Outcome::Unknown, None));
    assert!(found.note.unwrap().contains("not resolved"));
}

#[test]
fn what_was_not_followed_is_no_wrong_prediction() {
    let (before, after) = (timed(scalar_loop(|_| {}), 4.0), timed(scalar_loop(|_| {}), 4.02));
    let advised = [advice("vectorise", 1, 0.4, (2.0, 3.0))];
    let found = held((&before, &advised), (&after, &[])).remove(0);
    assert_eq!(found.outcome, Outcome::NotFollowed);
    assert!(found.note.unwrap().contains("code is the same"));
    assert!(found.measured.is_some(), "the numbers are reported nevertheless");

    // Moved in the binary and the file, in other registers: still the same code.
    let moved = timed(
        scalar_loop(|l| {
            (l.line, l.address) = (Some(30), "0x4400".into());
            l.strides.iter_mut().for_each(|s| (s.address, s.line) = (0x4404, 31));
            l.chains.iter_mut().for_each(|c| c.carrier = "rcx".to_owned().into());
        }),
        4.02,
    );
    assert_eq!(held((&before, &advised), (&moved, &[]))[0].outcome, Outcome::NotFollowed);
}

#[test]
fn what_is_still_recommended_was_not_followed_although_the_loop_changed() {
    let before = timed(scalar_loop(|_| {}), 4.0);
    let after = timed(vector_loop(|_| {}), 1.6);
    let advised = [advice("vectorise", 1, 0.4, (2.0, 3.0)), advice("block", 1, 0.4, (3.0, 5.0))];
    let found = held((&before, &advised), (&after, &[advice("block", 1, 0.2, (1.5, 2.0))]));
    assert_eq!([found[0].outcome, found[1].outcome], [Outcome::CameTrue, Outcome::NotFollowed]);
    assert!(found[0].together.is_empty(), "only what was followed is mixed in");
}

#[test]
fn changes_to_one_loop_are_held_together() {
    let before = timed(scalar_loop(|_| {}), 4.0);
    let after = timed(vector_loop(|_| {}), 1.0);
    let advised = [advice("vectorise", 1, 0.4, (2.0, 3.0)), advice("block", 1, 0.4, (3.5, 5.0))];
    let found = held((&before, &advised), (&after, &[]));
    assert_eq!([found[0].outcome, found[1].outcome], [Outcome::CameTrue; 2]);
    assert_eq!(
        (found[0].together.as_slice(), found[1].together.as_slice()),
        (&["block".to_owned()][..], &["vectorise".to_owned()][..])
    );
    assert!(found[0].note.as_deref().unwrap().contains("3.50 to 5.00"), "{found:?}");
    assert_eq!(found[1].note, None, "its own range is the best");
}

#[test]
fn a_loop_that_vanished_is_unknown() {
    let before = timed(scalar_loop(|_| {}), 4.0);
    let mut after = timed(scalar_loop(|_| {}), 1.0);
    after.loops.clear();
    let found = held((&before, &[advice("vectorise", 1, 0.4, (2.0, 3.0))]), (&after, &[])).remove(0);
    assert_eq!((found.outcome, found.measured), (Outcome::Unknown, None));
    assert!(found.note.unwrap().contains("is gone with its function"));
}

#[test]
fn a_state_without_the_facts_blames_nobody() {
    let mut counted = scalar_loop(|_| {});
    count(&mut counted, 1_000_000, 100);
    let before = timed(counted, 4.0);
    let advised = [advice("pad", 1, 0.4, (2.0, 3.0))];
    let unrolled = |seconds| timed(scalar_loop(|l| l.instructions += 4), seconds);
    let less = held((&before, &advised), (&unrolled(3.8), &[])).remove(0);
    assert_eq!(less.outcome, Outcome::Unknown);
    assert!(less.note.unwrap().contains("no counts"));
    let met = held((&before, &advised), (&unrolled(1.6), &[])).remove(0);
    assert_eq!(met.outcome, Outcome::CameTrue, "a gain as predicted is one");
}

#[test]
fn a_part_of_the_loop_gains_for_the_part() {
    let before = timed(scalar_loop(|_| {}), 4.0);
    let after = timed(vector_loop(|_| {}), 3.0);
    // Half of the loop's time becomes twice as fast: the loop gains 1.33.
    let found = held((&before, &[advice("split", 1, 0.2, (2.0, 2.0))]), (&after, &[])).remove(0);
    assert_eq!((found.outcome, found.scope), (Outcome::CameTrue, Scope::Loop));
    assert!((found.predicted.low() - 4.0 / 3.0).abs() < 1e-9);
}

#[test]
fn shares_beyond_the_loop_are_held_against_the_program() {
    let before = timed(scalar_loop(|_| {}), 4.0);
    let after = timed(vector_loop(|_| {}), 1.6);
    let found = held((&before, &[advice("inline", 1, 0.8, (1.4, 1.6))]), (&after, &[])).remove(0);
    assert_eq!((found.scope, found.outcome), (Scope::Program, Outcome::CameTrue));
    assert!((found.measured.unwrap() - 10.0 / 7.6).abs() < 1e-9);
}

#[test]
fn program_wide_predictions_meet_the_program_and_name_what_else_was_done() {
    let before = timed(scalar_loop(|_| {}), 4.0);
    let after = timed(vector_loop(|_| {}), 1.6);
    let advised = [program_wide("flags", 0.9, (1.2, 1.5)), advice("vectorise", 1, 0.4, (2.0, 3.0))];
    let found = held((&before, &advised), (&after, &[]));
    assert_eq!((found[0].scope, found[0].outcome), (Scope::Program, Outcome::CameTrue));
    assert_eq!(
        (found[0].together.as_slice(), found[1].together.as_slice()),
        (&["vectorise".to_owned()][..], &["flags".to_owned()][..])
    );
    let still = held((&before, &advised), (&after, &advised[..1]));
    assert_eq!(still[0].outcome, Outcome::NotFollowed);
    assert!(still[1].together.is_empty());
}

#[test]
fn threads_are_held_against_elapsed_time() {
    let before = timed(scalar_loop(|_| {}), 4.0);
    let mut after = timed(scalar_loop(|_| {}), 4.0);
    let mut parallel = advice("parallelise-outer-loop", 1, 0.4, (3.0, 4.0));
    parallel.rule = "serial-hotspot".into();
    let idle = held((&before, &[parallel.clone()]), (&after, &[])).remove(0);
    assert_eq!((idle.scope, idle.outcome), (Scope::Elapsed, Outcome::NotFollowed));
    (after.program.elapsed_seconds, after.program.threads) = (7.2, 4);
    let found = held((&before, &[parallel]), (&after, &[])).remove(0);
    assert_eq!((found.outcome, found.interval), (Outcome::CameTrue, None), "{found:?}");
}

#[test]
fn other_work_and_other_machines_do_not_compare() {
    let before = timed(scalar_loop(|_| {}), 4.0);
    let advised = [advice("vectorise", 1, 0.4, (2.0, 3.0))];
    let mut after = timed(vector_loop(|_| {}), 1.6);
    after.program.command = vec!["./tuned".into(), "input".into()];
    let renamed = held((&before, &advised), (&after, &[])).remove(0);
    assert_eq!(renamed.outcome, Outcome::CameTrue);
    assert!(renamed.note.unwrap().contains("different names"));
    after.program.command = vec!["./app".into(), "small".into()];
    let smaller = held((&before, &advised), (&after, &[])).remove(0);
    assert_eq!(smaller.outcome, Outcome::Unknown);
    assert!(smaller.note.unwrap().contains("different arguments"));
    after.program.command = program().program.command;
    after.machine.as_mut().unwrap().name = "another".into();
    let elsewhere = held((&before, &advised), (&after, &[])).remove(0);
    assert!(elsewhere.note.unwrap().contains("different processors"));
}

#[test]
fn without_a_number_nothing_is_predicted() {
    let before = timed(scalar_loop(|_| {}), 4.0);
    let mut silent = advice("look", 1, 0.4, (1.0, 1.0));
    (silent.loop_gain, silent.program_gain) = (None, None);
    assert_eq!(held((&before, &[silent]), (&before, &[])), []);
}
