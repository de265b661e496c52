use super::*;
use loopwright_experiment::trials::{Answer, Part, Way, Why};

/// CPU seconds and elapsed seconds of one program that ran again and again beside other work, in order.
const RECORDED: &str = include_str!("recorded.txt");

fn recorded() -> Vec<Timed> {
    let time = |line: &str| {
        let (cpu, elapsed) = line.split_once(' ').unwrap();
        Timed { cpu: cpu.parse().unwrap(), elapsed: elapsed.parse().unwrap(), ..Timed::default() }
    };
    RECORDED.lines().map(time).collect()
}

fn pairs(times: &[Timed]) -> Vec<Pair> {
    times.chunks_exact(2).map(|pair| Pair { before: pair[0], after: pair[1] }).collect()
}

fn ran(pairs: Vec<Pair>, verdict: Verdict) -> Trial {
    Trial {
        change: "x".into(),
        way: Way::Options,
        parts: vec![Part::Options { files: Vec::new(), options: vec!["-O3".into()] }],
        predicted: None,
        end: End::Ran,
        pairs,
        answer: Some(Answer { verdict, largest: Some(0.0), first: None }),
        in_run: None,
        not_in_run: None,
    }
}

/// Times of constant programs, with a little noise that repeats.
fn noisy(before: f64, after: f64, count: usize) -> Vec<Pair> {
    let time = |seconds: f64, at: usize| {
        let cpu = seconds * (1.0 + (at * 7 % 11) as f64 * 1e-3);
        Timed { cpu, elapsed: cpu * 1.01, ..Timed::default() }
    };
    (0..count).map(|at| Pair { before: time(before, at), after: time(after, at + 3) }).collect()
}

#[test]
fn the_program_against_itself_claims_no_gain_in_95_of_100() {
    let times = recorded();
    assert!(times.len() >= 600, "{}", times.len());
    let mut at = 0;
    // Consecutive runs, from a place that moves by a step without a common divisor: their noise is that of real runs.
    let mut next = |count: usize| {
        at = (at + 7919) % (times.len() - 2 * count);
        pairs(&times[at..at + 2 * count])
    };
    let mut claims = 0;
    for _ in 0..100 {
        let itself = next(9);
        // Twelve changes that change nothing; those that look faster are measured again, as a set.
        let chosen =
            (0..12).filter(|_| outcome(&ran(next(7), Verdict::Same), &itself) == TriedOutcome::Faster);
        if chosen.count() > 0 {
            claims += usize::from(outcome(&ran(next(9), Verdict::Same), &itself) == TriedOutcome::Faster);
        }
    }
    eprintln!("{claims} claims of 100");
    assert!(claims <= 5, "{claims} of 100");
}

#[test]
fn real_differences_are_claimed_and_small_ones_are_not() {
    let itself = noisy(1.0, 1.0, 9);
    let of = |pairs| outcome(&ran(pairs, Verdict::Same), &itself);
    assert_eq!(of(noisy(1.0, 0.8, 7)), TriedOutcome::Faster);
    assert_eq!(of(noisy(1.0, 0.8, 2)), TriedOutcome::NoDifference, "two pairs claim nothing");
    assert_eq!(of(noisy(1.0, 0.995, 9)), TriedOutcome::NoDifference);
    assert_eq!(of(noisy(1.0, 1.2, 3)), TriedOutcome::Slower);
    let measured = speedup(&noisy(1.0, 0.8, 7)).unwrap();
    assert!((measured.speedup.estimate - 1.25).abs() < 0.02 && measured.clock == Clock::Cpu, "{measured:?}");
}

#[test]
fn a_few_long_runs_claim_what_lies_beyond_all_noise() {
    let of = |pairs, itself: &[Pair]| outcome(&ran(pairs, Verdict::Same), itself);
    let itself = noisy(4.0, 4.0, 2);
    assert_eq!(of(noisy(4.0, 3.0, 3), &itself), TriedOutcome::Faster);
    assert_eq!(of(noisy(4.0, 3.0, 3), &itself[..1]), TriedOutcome::NoDifference, "noise of one pair is none");
    let mut mixed = noisy(4.0, 3.0, 2);
    mixed.extend(noisy(4.0, 3.99, 1));
    assert_eq!(of(mixed, &itself), TriedOutcome::NoDifference, "one of three within the noise");
    // Real noise: three pairs beside two of the program against itself, of which one try in eighty may claim something.
    let times = recorded();
    let mut at = 0;
    let mut next = |count: usize| {
        at = (at + 7919) % (times.len() - 2 * count);
        pairs(&times[at..at + 2 * count])
    };
    let claims = (0..400).filter(|_| of(next(3), &next(2)) == TriedOutcome::Faster).count();
    eprintln!("{claims} claims of 400");
    assert!(claims <= 20, "{claims} of 400");
}

#[test]
fn threads_are_compared_by_elapsed_time() {
    let pair = Pair {
        before: Timed { cpu: 1.0, elapsed: 1.0, ..Timed::default() },
        after: Timed { cpu: 1.1, elapsed: 0.6, ..Timed::default() },
    };
    let measured = speedup(&[pair; 5]).unwrap();
    assert_eq!(measured.clock, Clock::Elapsed);
    assert!((measured.speedup.estimate - 1.0 / 0.6).abs() < 1e-9);
}

#[test]
fn a_change_that_shares_out_work_is_compared_by_elapsed_time_on_a_busy_machine_too() {
    // The two threads had one CPU between them, and waited for each other in loops.
    let pair = Pair {
        before: Timed { cpu: 1.0, elapsed: 1.0, ..Timed::default() },
        after: Timed { cpu: 1.1, elapsed: 0.95, ..Timed::default() },
    };
    let plain = ran(vec![pair; 5], Verdict::Same);
    assert_eq!(gain(&plain).unwrap().clock, Clock::Cpu);
    let parallel = Trial { way: Way::Parallel, ..plain.clone() };
    assert_eq!(gain(&parallel).unwrap().clock, Clock::Elapsed);
    let options = vec![Part::Options { files: Vec::new(), options: vec!["-fopenmp".into()] }];
    assert_eq!(gain(&Trial { parts: options, ..plain }).unwrap().clock, Clock::Elapsed);
}

#[test]
fn a_wrong_answer_is_never_faster_and_every_end_has_its_outcome() {
    let itself = noisy(1.0, 1.0, 9);
    assert_eq!(outcome(&ran(noisy(1.0, 0.5, 9), Verdict::Different), &itself), TriedOutcome::WrongAnswer);
    let without = Trial { answer: None, ..ran(noisy(1.0, 0.5, 9), Verdict::Same) };
    assert_eq!(outcome(&without, &itself), TriedOutcome::WrongAnswer);
    let ends = [
        (
            End::LeftAlone { why: Why::NoTime { needed: None, budget: None } },
            TriedOutcome::LeftAlone,
            "--budget",
        ),
        (End::NotBuilt { error: "a.c:1: error".into() }, TriedOutcome::NotBuilt, "a.c:1"),
        (End::SameCode { of: None }, TriedOutcome::SameCode, "same code"),
        (End::Exited { status: 3 }, TriedOutcome::Failed, "status 3"),
        (End::Killed { signal: 11 }, TriedOutcome::Failed, "SIGSEGV"),
        (End::Hung { seconds: 9 }, TriedOutcome::Hung, "9 s"),
        (End::Refused, TriedOutcome::WrongAnswer, "refused"),
    ];
    for (end, expected, said) in ends {
        let trials = Trials {
            trials: vec![Trial { end, ..ran(Vec::new(), Verdict::Same) }],
            itself: itself.clone(),
            ..Trials::default()
        };
        let shown = &facts(&trials).tried[0];
        assert_eq!(shown.outcome, expected);
        assert!(shown.note.as_ref().unwrap().contains(said), "{shown:?}");
    }
}

/// Times of blocks of calls whose work varies from block to block, and that something disturbs now and then.
fn blocks(gain: f64, seed: u64) -> InRun {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let times = (0..120).map(|_| {
        let work = 1e-5 * (1.0 + 9.0 * random());
        let mut time = |seconds: f64| {
            let disturbed = if random() < 0.02 { 4.0 } else { 1.0 };
            seconds * disturbed * (1.0 + 0.03 * (random() - 0.5))
        };
        (time(work), time(work / gain))
    });
    InRun { function: "f".into(), calls: [1920, 1920], share: 0.5, times: times.collect() }
}

fn in_run(gain: f64, seed: u64) -> Trial {
    Trial { in_run: Some(blocks(gain, seed)), ..ran(Vec::new(), Verdict::Same) }
}

#[test]
fn a_function_against_itself_claims_nothing_and_one_per_cent_is_seen() {
    let outcomes = |gain, seeds| (1..=seeds).map(move |seed| outcome(&in_run(gain, seed), &[]));
    assert!(outcomes(1.0, 100).filter(|outcome| *outcome == TriedOutcome::Faster).count() <= 5);
    assert!(outcomes(1.01, 20).filter(|outcome| *outcome == TriedOutcome::Faster).count() >= 19);
    assert!(outcomes(0.99, 20).filter(|outcome| *outcome == TriedOutcome::Slower).count() >= 19);
}

#[test]
fn the_program_gains_by_the_share_of_its_function() {
    let trial = in_run(1.25, 7);
    let Measured { speedup, clock } = gain(&trial).unwrap();
    assert!((speedup.estimate - 1.0 / 0.9).abs() < 0.005, "{speedup:?}");
    assert_eq!(clock, Clock::Calls);
    let trials = Trials { trials: vec![trial.clone()], ..Trials::default() };
    let shown = facts(&trials).tried.remove(0).in_run.unwrap();
    assert!((shown.measured_median - 1.25).abs() < 0.01 && shown.calls == 3840, "{shown:?}");
    let wrong = Answer { verdict: Verdict::Different, largest: None, first: None };
    assert_eq!(outcome(&Trial { answer: Some(wrong), ..trial.clone() }, &[]), TriedOutcome::WrongAnswer);
    let mut few = trial;
    few.in_run.as_mut().unwrap().times.truncate(LEAST_TIMES - 1);
    assert_eq!(outcome(&few, &[]), TriedOutcome::NoDifference);
}
