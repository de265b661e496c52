//! Which loop a branch counts for, and what a gap leaves unjudged.

use super::*;
use crate::facts::LoopPatterns;
use crate::shape::{BranchShape, LoopShape};
use crate::{Options, Run};

/// Two chosen loops and one that is not, two branches.
fn shape() -> Shape {
    let loop_ = |(header, chosen)| LoopShape { header, chosen, ..LoopShape::default() };
    let branch = |address| BranchShape { address, function: 0x8, ..BranchShape::default() };
    Shape {
        loops: [(0x10, true), (0x20, true), (0x30, false)].map(loop_).to_vec(),
        branches: [0x14, 0x28].map(branch).to_vec(),
        ..Shape::default()
    }
}

/// A loop is entered or left, a burst begins, or a branch has an outcome.
#[derive(Clone, Copy, Debug)]
enum Step {
    Event(Event),
    Branch(u32, bool),
}

use Step::Branch;

const GAP: Step = Step::Event(Event::Gap);

/// The events, and the outcomes between them.
fn apart(steps: &[Step]) -> (Vec<Event>, Vec<Outcome>) {
    let (mut events, mut outcomes) = (Vec::new(), Vec::new());
    for step in steps {
        match *step {
            Step::Event(event) => events.push(event),
            Branch(branch, taken) => outcomes.push(Outcome { after: events.len() as u32, branch, taken }),
        }
    }
    (events, outcomes)
}

fn found(cold: bool, threads: &[&[Step]]) -> Vec<LoopPatterns> {
    let shape = shape();
    let mut run = Run::new(Options { dependences: false, cold, ..Options::default() });
    for (thread, steps) in (0..).zip(threads) {
        let (events, outcomes) = apart(steps);
        run.feed(thread, 0, &shape, &events, &outcomes);
    }
    run.finish(&shape)
}

fn enter(loop_: u32) -> Step {
    Step::Event(Event::Enter { loop_, stack: 0 })
}

fn leave(loop_: u32) -> Step {
    Step::Event(Event::Leave { loop_, tested: false })
}

fn counts(of: &LoopPatterns) -> Vec<(u64, u64, u64)> {
    of.branches.iter().map(|seen| (seen.address, seen.executed, seen.taken)).collect()
}

#[test]
fn branches_count_for_every_chosen_loop_around_them() {
    let mut events = vec![GAP, Branch(0, true), enter(0)];
    for _ in 0..3 {
        events.extend([Branch(0, true), enter(2), enter(1), Branch(1, false), Branch(1, true), leave(1)]);
        events.extend([Branch(1, false), leave(2), Branch(0, false)]);
    }
    events.extend([leave(0), Branch(0, true), enter(1), Branch(1, true), leave(1)]);
    let one = found(true, &[&events]);
    assert_eq!(one.len(), 2, "the chosen ones");
    assert_eq!(counts(&one[0]), [(0x14, 6, 3), (0x28, 9, 3)]);
    assert_eq!(counts(&one[1]), [(0x28, 7, 4)]);
    assert!(one.iter().flat_map(|l| &l.branches).all(|seen| seen.predicted == seen.executed));
    // A loop that calls itself is one loop; two threads add up.
    let recursion = [GAP, enter(0), enter(0), Branch(0, true), leave(0), Branch(0, true), leave(0)];
    assert_eq!(counts(&found(true, &[&recursion, &recursion])[0]), [(0x14, 4, 4)]);
}

/// A burst of alternating outcomes of one branch.
fn burst(outcomes: usize) -> Vec<Step> {
    let mut events = vec![GAP, Step::Event(Event::Join { loop_: 0, stack: 0 })];
    events.extend((0..outcomes).map(|n| Branch(0, n % 2 == 0)));
    events
}

#[test]
fn outcomes_after_a_gap_are_not_judged_until_the_history_is_known() {
    let warm_up = tage::LONGEST as u64;
    let judged = |bursts: usize, outcomes: usize| {
        let events: Vec<Step> = (0..bursts).flat_map(|_| burst(outcomes)).collect();
        let seen = found(false, &[&events])[0].branches[0].clone();
        assert_eq!(seen.executed, (bursts * outcomes) as u64);
        (seen.predicted, seen.mispredicted)
    };
    assert_eq!(judged(10, 100), (0, 0), "bursts that are shorter than the history show nothing");
    assert_eq!(
        judged(10, 1000),
        (10 * (1000 - warm_up), 0),
        "and longer ones have no misses from their gaps"
    );
}

#[test]
fn a_branch_is_not_judged_until_it_is_learned() {
    let mut events = burst(1000);
    events.extend((0..100).map(|_| Branch(1, true)));
    let all = found(false, &[&events]);
    assert_eq!((all[0].branches[1].executed, all[0].branches[1].predicted), (100, 100 - u64::from(LEARNED)));
}

#[test]
fn a_trace_without_gaps_is_judged_whole() {
    // G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8, 2003.
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut events = vec![GAP, enter(0)];
    events.extend((0..10_000).map(|_| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        Branch(0, random >> 40 & 1 == 1)
    }));
    let seen = found(true, &[&events])[0].branches[0].clone();
    assert_eq!((seen.executed, seen.predicted), (10_000, 10_000));
    assert!((4_500..=5_500).contains(&seen.mispredicted), "{}", seen.mispredicted);
}

#[test]
fn no_strides_no_branches() {
    let shape = shape();
    let mut run = Run::new(Options { strides: false, ..Options::default() });
    let (events, outcomes) = apart(&burst(1000));
    run.feed(0, 0, &shape, &events, &outcomes);
    assert!(run.finish(&shape).iter().all(|l| l.branches.is_empty()));
}
