//! Interleaving and its end, on invented times.

use loopwright_casebook::Error;
use loopwright_casebook::measure::{Rounds, Sample, interleaved};
use loopwright_casebook::throughput::{Split, splits};
use std::time::Duration;

fn sample(seconds: f64) -> Sample {
    Sample { seconds, elapsed: seconds + 0.01 }
}

#[test]
fn rounds_turn_and_end_when_ratios_are_narrow() {
    let mut order = Vec::new();
    let rounds = Rounds::default();
    let samples = interleaved(3, &[(0, 1), (0, 2)], &rounds, |round, which| {
        order.push((round, which));
        Ok(sample(1.0 + which as f64))
    })
    .unwrap();
    assert!(samples.iter().all(|samples| samples.len() == rounds.least), "constant ratios need no more");
    assert_eq!(order[..6], [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (1, 0)]);
}

#[test]
fn noise_takes_more_rounds_up_to_the_most_or_the_budget() {
    let noisy = |round: usize, which: usize| Ok(sample(1.0 + ((round * 7 + which * 3) % 5) as f64));
    let all = interleaved(2, &[(0, 1)], &Rounds::default(), noisy).unwrap();
    assert_eq!(all[0].len(), 30);
    let none = Rounds { budget: Duration::ZERO, ..Rounds::default() };
    assert_eq!(interleaved(2, &[(0, 1)], &none, noisy).unwrap()[1].len(), 5);
}

#[test]
fn ctrl_c_keeps_whole_rounds() {
    let samples = interleaved(2, &[(0, 1)], &Rounds::default(), |round, which| {
        if (round, which) == (2, 1) { Err(Error::Stopped) } else { Ok(sample(1.0)) }
    })
    .unwrap();
    assert_eq!(samples.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
}

#[test]
fn splits_fill_the_machine_and_try_too_many() {
    let of = |cpus| splits(cpus).into_iter().map(|s: Split| (s.instances, s.threads)).collect::<Vec<_>>();
    assert_eq!(of(4), [(4, 1), (8, 1), (2, 2), (1, 4), (2, 4)]);
    assert_eq!(of(1), [(1, 1), (2, 1)]);
    assert_eq!(of(0), of(1));
}
