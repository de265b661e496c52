//! What trials of advice showed: speed-ups with their intervals, and which of them may be claimed.
//!
//! The logarithm of the ratio of two runs that followed each other is one observation; a speed-up is the median of them with its
//! bootstrap interval. The same program has such an interval against itself, and what lies within it is noise: a change is
//! called faster when its whole interval is above 1 and its median above what the program against itself showed. A set of
//! changes that was chosen because its runs were fast is measured again on runs of its own.

use crate::model::{Clock, InRunFacts, TrialFacts, TriedFacts, TriedOutcome};
use loopwright_experiment::trials::{End, InRun, Pair, Part, Timed, Trial, Trials, Verdict, Way};
use loopwright_stats::{Interval, bootstrap_median, median};

/// Least speed-up that is ever called one: medians of a few pairs of runs of the same program differ by less (see the recorded
/// runs in the tests).
const LEAST_CLAIM: f64 = 1.01;

/// Least pairs for a claim by the interval: with fewer, the interval of a median is that of its two middle runs.
pub const LEAST_PAIRS: usize = 5;

/// Least pairs for a claim where runs are so long that there is no time for more. All of them must lie beyond all pairs of the program
/// against itself, on the same side. If the change did nothing, three would by chance once in 80 times beside two pairs
/// (2! 3! / 5! orders of the magnitudes, times 1/8 for the side), beside three once in 160.
pub const FEW_PAIRS: usize = 3;

/// Least pairs of the program against itself beside which so few are believed.
pub const FEW_ITSELF: usize = 2;

/// From this number of busy CPUs on, elapsed time is what a change of the threads shortens.
const PARALLEL: f64 = 1.2;

/// Measured speed-up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Time before over time after.
    pub speedup: Interval,
    /// Which time.
    pub clock: Clock,
}

/// Least speed-up of a function that is called one where versions alternate inside a run. One copy of the same code may lie in other
/// lines of caches and other entries of branch predictors than the other one. A function of 7 us against itself showed at most 0.02 %
/// in 100 tries of two runs on a loaded machine; shorter ones have less room for such effects to vanish in.
const LEAST_IN_RUN: f64 = 1.002;

/// Least times for a claim there.
pub const LEAST_TIMES: usize = 20;

/// The speed-up of a function inside runs, by the same rule as for runs.
pub fn function_speedup(in_run: &InRun) -> Option<Interval> {
    let logarithms: Vec<f64> =
        in_run.times.iter().map(|(before, after)| (before / after).ln()).filter(|l| l.is_finite()).collect();
    let interval = bootstrap_median(&logarithms)?;
    Some(Interval { estimate: interval.estimate.exp(), low: interval.low.exp(), high: interval.high.exp() })
}

/// The speed-up of the program that a trial showed: measured by whole runs, or that of its function for its share of the time
/// (Amdahl's law).
pub fn gain(trial: &Trial) -> Option<Measured> {
    let Some(in_run) = &trial.in_run else { return speedup_by_clock(&trial.pairs, clock_of(trial)) };
    let of = |function: f64| 1.0 / (1.0 - in_run.share + in_run.share / function);
    let Interval { estimate, low, high } = function_speedup(in_run)?;
    let speedup = Interval { estimate: of(estimate), low: of(low), high: of(high) };
    Some(Measured { speedup, clock: Clock::Calls })
}

fn compared_in_run(in_run: &InRun) -> TriedOutcome {
    let Some(speedup) = function_speedup(in_run) else { return TriedOutcome::NoDifference };
    if in_run.times.len() < LEAST_TIMES {
        TriedOutcome::NoDifference
    } else if speedup.low > 1.0 && speedup.estimate > LEAST_IN_RUN {
        TriedOutcome::Faster
    } else if speedup.high < 1.0 && speedup.estimate < 1.0 / LEAST_IN_RUN {
        TriedOutcome::Slower
    } else {
        TriedOutcome::NoDifference
    }
}

/// The speed-up in pairs of runs; `None` without pairs.
pub fn speedup(pairs: &[Pair]) -> Option<Measured> {
    speedup_by_clock(pairs, clock(pairs))
}

fn speedup_by_clock(pairs: &[Pair], clock: Clock) -> Option<Measured> {
    speedup_by(pairs, clock).map(|speedup| Measured { speedup, clock })
}

/// Elapsed time for changes that share work out among threads: on a busy machine they get no more CPUs than one thread does.
fn clock_of(trial: &Trial) -> Clock {
    let threads = |part: &Part| match part {
        Part::Options { options, .. } => options.iter().any(|option| option == "-fopenmp"),
        _ => false,
    };
    let asked = clock(&trial.pairs);
    if asked == Clock::Figure {
        asked
    } else if trial.way == Way::Parallel || trial.parts.iter().any(threads) {
        Clock::Elapsed
    } else {
        asked
    }
}

fn speedup_by(pairs: &[Pair], clock: Clock) -> Option<Interval> {
    let interval = bootstrap_median(&logarithms(pairs, clock))?;
    Some(Interval { estimate: interval.estimate.exp(), low: interval.low.exp(), high: interval.high.exp() })
}

/// The logarithm of the ratio of each pair.
fn logarithms(pairs: &[Pair], clock: Clock) -> Vec<f64> {
    let ratio = |pair: &Pair| (seconds(clock, pair.before) / seconds(clock, pair.after)).ln();
    pairs.iter().map(ratio).filter(|logarithm| logarithm.is_finite()).collect()
}

fn seconds(clock: Clock, time: Timed) -> f64 {
    match clock {
        Clock::Cpu => time.cpu,
        Clock::Elapsed | Clock::Calls => time.elapsed,
        // Where it is not known the ratio is no number, and left out.
        Clock::Figure => time.figure.unwrap_or(f64::NAN),
    }
}

/// What the user asked for, else CPU time, unless one of the two keeps several CPUs busy.
fn clock(pairs: &[Pair]) -> Clock {
    let asked = |pair: &Pair| pair.before.figure.is_some() && pair.after.figure.is_some();
    if pairs.iter().any(asked) {
        return Clock::Figure;
    }
    let busy = |of: fn(&Pair) -> Timed| {
        let all: Vec<f64> = pairs.iter().map(of).map(|time| time.cpu / time.elapsed).collect();
        median(&all).unwrap_or(0.0)
    };
    let parallel = busy(|pair| pair.before) > PARALLEL || busy(|pair| pair.after) > PARALLEL;
    if parallel { Clock::Elapsed } else { Clock::Cpu }
}

/// The smallest speed-up that may be claimed by this time, after the program was measured against itself.
fn claimed_from(itself: &[Pair], clock: Clock) -> f64 {
    let Some(Interval { low, high, .. }) = speedup_by(itself, clock) else { return LEAST_CLAIM };
    high.max(1.0 / low).max(LEAST_CLAIM)
}

/// The smallest speed-up that may be claimed beside these runs of the program against itself.
pub(crate) fn claimed(itself: &[Pair]) -> f64 {
    claimed_from(itself, clock(itself))
}

/// What a trial showed; `itself` are the runs of the program against itself.
pub fn outcome(trial: &Trial, itself: &[Pair]) -> TriedOutcome {
    match &trial.end {
        End::LeftAlone { .. } => TriedOutcome::LeftAlone,
        End::NotBuilt { .. } => TriedOutcome::NotBuilt,
        End::SameCode { .. } => TriedOutcome::SameCode,
        End::Exited { .. } | End::Killed { .. } => TriedOutcome::Failed,
        End::Hung { .. } => TriedOutcome::Hung,
        End::Refused => TriedOutcome::WrongAnswer,
        End::Ran if is_wrong(trial) => TriedOutcome::WrongAnswer,
        End::Ran => match &trial.in_run {
            Some(in_run) => compared_in_run(in_run),
            None => compared(trial, itself),
        },
    }
}

/// What the times show. With few pairs, of a trial that was given up because it cannot be faster, nothing is claimed.
fn compared(trial: &Trial, itself: &[Pair]) -> TriedOutcome {
    let pairs = &trial.pairs;
    let Some(Measured { speedup, clock }) = gain(trial) else { return TriedOutcome::NoDifference };
    let claimed = claimed_from(itself, clock);
    let enough = pairs.len() >= LEAST_PAIRS || all_beyond(pairs, itself, clock);
    if speedup.low > 1.0 && speedup.estimate > claimed && enough {
        TriedOutcome::Faster
    } else if speedup.high < 1.0 && speedup.estimate < 1.0 / claimed {
        TriedOutcome::Slower
    } else {
        TriedOutcome::NoDifference
    }
}

/// Whether each of a few pairs shows more than every pair of the program against itself.
fn all_beyond(pairs: &[Pair], itself: &[Pair], clock: Clock) -> bool {
    let (of_change, of_itself) = (logarithms(pairs, clock), logarithms(itself, clock));
    let noise = of_itself.iter().fold(0.0, |most: f64, one| most.max(one.abs()));
    of_change.len() >= FEW_PAIRS && of_itself.len() >= FEW_ITSELF && of_change.iter().all(|one| *one > noise)
}

fn is_wrong(trial: &Trial) -> bool {
    trial.answer.as_ref().is_none_or(|answer| answer.verdict == Verdict::Different)
}

/// The trials as they are shown.
pub fn facts(trials: &Trials) -> TrialFacts {
    let itself = &trials.itself;
    TrialFacts {
        claimed_from: claimed(itself),
        outputs: trials.outputs.clone(),
        unsteady: trials.unsteady.clone(),
        tried: trials.trials.iter().map(|trial| tried(trial, itself)).collect(),
        together: trials.together.as_ref().map(|trial| tried(trial, itself)),
    }
}

/// One trial as it is shown.
pub(crate) fn tried(trial: &Trial, itself: &[Pair]) -> TriedFacts {
    let measured = gain(trial);
    let in_run = trial.in_run.as_ref().and_then(|in_run| {
        let speedup = function_speedup(in_run)?;
        Some(InRunFacts {
            function: in_run.function.clone(),
            calls: in_run.calls.iter().sum(),
            share: in_run.share,
            measured: (speedup.low, speedup.high),
            measured_median: speedup.estimate,
        })
    });
    let answer = trial.answer.as_ref();
    TriedFacts {
        change: trial.change.clone(),
        way: trial.way,
        parts: trial.parts.clone(),
        predicted: trial.predicted.map(|(low, _, high)| (low, high)),
        predicted_likely: trial.predicted.map(|(_, likely, _)| likely),
        measured: measured.map(|measured| (measured.speedup.low, measured.speedup.high)),
        measured_median: measured.map(|measured| measured.speedup.estimate),
        clock: measured.map(|measured| measured.clock),
        pairs: u32::try_from(trial.pairs.len()).unwrap_or(u32::MAX),
        in_run,
        not_in_run: trial.not_in_run.as_ref().map(ToString::to_string),
        outcome: outcome(trial, itself),
        answer: answer.map(|answer| answer.verdict),
        largest_difference: answer.and_then(|answer| answer.largest).filter(|largest| *largest > 0.0),
        first_difference: answer.and_then(|answer| answer.first.clone()),
        note: note(&trial.end),
    }
}

/// The end of a trial in words, where its outcome does not say all.
fn note(end: &End) -> Option<String> {
    match end {
        End::Ran => None,
        End::LeftAlone { why } => Some(why.to_string()),
        End::NotBuilt { error } => Some(error.clone()),
        End::SameCode { of: None } => Some("the compiler makes the same code".to_owned()),
        End::SameCode { of: Some(earlier) } => {
            Some(format!("the compiler makes the same code as for {earlier}"))
        }
        End::Exited { status } => Some(format!("exited with status {status}")),
        End::Killed { signal } => Some(crate::outcome::End::Killed(*signal).to_string()),
        End::Hung { seconds } => Some(format!("did not end within {seconds} s")),
        End::Refused => Some("the command that checks answers refused it".to_owned()),
    }
}

#[cfg(test)]
mod tests;
