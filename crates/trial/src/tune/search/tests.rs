//! Searches on recorded runs of a shared machine: their noise on builds whose gains are known.

use super::*;
use loopwright_analysis::model::TriedOutcome;
use loopwright_analysis::tried;
use loopwright_experiment::trials::{Answer, End, Pair, Timed, Trial, Verdict, Way};
use std::convert::Infallible;

/// CPU and elapsed seconds of runs of the same program, one after the other.
const RECORDED: &str = include_str!("../../../../analysis/src/tried/recorded.txt");

fn recorded() -> Vec<f64> {
    let first = |line: &str| line.split_whitespace().next().unwrap().parse().unwrap();
    RECORDED.lines().map(first).collect()
}

/// Builds with known gains, whose runs scatter as the recorded ones do.
struct Simulated<'a> {
    times: &'a [f64],
    at: usize,
    gains: Vec<f64>,
    runs: usize,
    most: usize,
}

impl Simulated<'_> {
    fn next(&mut self) -> f64 {
        self.at += 1;
        self.runs += 1;
        self.times[self.at % self.times.len()]
    }

    fn pair(&mut self, candidate: usize) -> Pair {
        let (before, after) = (self.next(), self.next() / self.gains[candidate]);
        let timed = |seconds| Timed { cpu: seconds, elapsed: seconds, ..Timed::default() };
        Pair { before: timed(before), after: timed(after) }
    }
}

impl Rounds for Simulated<'_> {
    type Error = Infallible;

    fn has_time(&self, candidates: usize) -> bool {
        self.runs + candidates < self.most
    }

    fn round(&mut self, candidates: &[usize]) -> Result<Vec<Option<f64>>, Infallible> {
        let before = self.next();
        let of = |this: &mut Self, one: &usize| {
            let gain = this.gains[*one];
            // A gain of nothing is a program that fails.
            (gain > 0.0).then(|| (before / (this.next() / gain)).ln())
        };
        Ok(candidates.iter().map(|one| of(self, one)).collect())
    }
}

fn all(number: usize) -> Vec<Placed> {
    (0..number).map(Placed::new).collect()
}

/// A small generator of numbers between 0 and 1: the same in every run of the tests.
fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[test]
fn the_best_of_35_builds_is_found_in_100_runs() {
    let times = recorded();
    let mut random = numbers(7);
    let mut near = 0;
    for program in 0..100 {
        let gains: Vec<f64> = (0..35).map(|_| 0.9 + 0.6 * random()).collect();
        let best = gains.iter().fold(0.0, |most: f64, one| most.max(*one));
        let mut simulated = Simulated { times: &times, at: program * 37, gains, runs: 0, most: 100 };
        let order = halve(&mut simulated, all(35)).unwrap();
        assert!(simulated.runs <= 100);
        near += usize::from(simulated.gains[order[0].candidate] >= 0.98 * best);
    }
    assert!(near >= 88, "the goal is 7 of 8: {near} of 100");
}

#[test]
fn of_builds_that_are_the_same_none_is_claimed() {
    let times = recorded();
    let mut claimed = 0;
    for search in 0..100 {
        let gains = vec![1.0; 8];
        let mut simulated = Simulated { times: &times, at: search * 101, gains, runs: 0, most: 100 };
        let itself: Vec<Pair> = (0..9).map(|_| simulated.pair(0)).collect();
        let winner = halve(&mut simulated, all(8)).unwrap()[0].candidate;
        let trial = Trial {
            change: String::new(),
            way: Way::Options,
            parts: Vec::new(),
            predicted: None,
            end: End::Ran,
            pairs: (0..9).map(|_| simulated.pair(winner)).collect(),
            answer: Some(Answer { verdict: Verdict::Same, largest: None, first: None }),
            in_run: None,
            not_in_run: None,
        };
        claimed += usize::from(tried::outcome(&trial, &itself) == TriedOutcome::Faster);
    }
    assert!(claimed <= 5, "{claimed} of 100");
}

#[test]
fn what_fails_is_left_out_and_what_there_is_no_time_for_has_no_place() {
    let times = [1.0];
    let simulated = |gains: Vec<f64>, most| Simulated { times: &times, at: 0, gains, runs: 0, most };
    let mut some = simulated(vec![1.1, 0.0, 1.3, 0.0, 1.2, 0.9], 1000);
    let order: Vec<usize> = halve(&mut some, all(6)).unwrap().iter().map(|one| one.candidate).collect();
    assert_eq!(order[..2], [2, 4]);
    assert!(!order.contains(&1) && !order.contains(&3), "{order:?}");
    let mut none = simulated(vec![0.0, 0.0], 1000);
    assert_eq!(halve(&mut none, all(2)).unwrap(), []);
    let mut short = simulated(vec![1.0; 4], 4);
    assert_eq!(halve(&mut short, all(4)).unwrap(), [], "not even one round");
    let mut one = simulated(vec![1.0; 4], 5);
    assert_eq!(halve(&mut one, all(4)).unwrap().len(), 4, "one round");
    // Earlier runs count.
    let known = Placed { candidate: 0, logarithms: vec![0.0; 5] };
    let mut beside = simulated(vec![1.0, 1.5], 1000);
    let order = halve(&mut beside, vec![known, Placed::new(1)]).unwrap();
    assert_eq!((order[0].candidate, order[1].logarithms.len()), (1, 10));
}
