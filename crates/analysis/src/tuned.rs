//! What a search for the best build showed. Speed-ups in its rounds order the candidates; what is claimed is that of the best one on runs
//! of its own, by the rule of trials ([`crate::tried`]).

use crate::model::{
    BuiltLoop, Clock, DisturbanceFacts, Metric, RebuiltLoop, TriedFacts, TriedOutcome, TuneFacts, TunedFacts,
};
use crate::tried::{self, LEAST_PAIRS};
use loopwright_experiment::trials::Timed;
use loopwright_experiment::tuning::{Candidate, Tuning};
use loopwright_stats::median;

/// The search as it is shown.
pub fn facts(tuning: &Tuning) -> TuneFacts {
    let itself = &tuning.itself;
    let tuned = |one: &Candidate| {
        let tried = named(tried::tried(&one.trial, itself), tuning.metric.as_ref());
        let is_open = matches!(tried.outcome, TriedOutcome::NoDifference | TriedOutcome::Slower);
        TunedFacts {
            axis: one.axis,
            semantics: one.semantics,
            build_seconds: one.build,
            given_up: is_open && one.trial.pairs.len() < LEAST_PAIRS,
            tried,
        }
    };
    TuneFacts {
        claimed_from: tried::claimed(itself),
        outputs: tuning.outputs.clone(),
        unsteady: tuning.unsteady.clone(),
        semantics: tuning.semantics,
        metric: tuning.metric.clone(),
        disturbed: disturbed(tuning),
        processors: tuning.processors.clone(),
        runs: tuning.runs,
        candidates: tuning.candidates.iter().map(tuned).collect(),
        loops_changed: tuning.loops.iter().filter(|one| is_otherwise(one)).cloned().collect(),
        best: tuning
            .confirmed
            .as_ref()
            .map(|trial| named(tried::tried(trial, itself), tuning.metric.as_ref())),
    }
}

/// Whether the vectors of a loop are others. Numbers of instructions differ with every option.
fn is_otherwise(one: &RebuiltLoop) -> bool {
    let vectors = |built: &BuiltLoop| (built.isa, built.bits, built.elements, built.unroll);
    vectors(&one.before) != vectors(&one.after)
}

/// With the name of the time that the user asked for.
fn named(mut tried: TriedFacts, metric: Option<&Metric>) -> TriedFacts {
    if tried.clock == Some(Clock::Figure) {
        tried.clock = Some(match metric {
            Some(Metric::Cpu) => Clock::Cpu,
            Some(Metric::Wall) => Clock::Elapsed,
            Some(Metric::SelfReported { .. }) | None => Clock::Figure,
        });
    }
    tried
}

fn disturbed(tuning: &Tuning) -> Option<DisturbanceFacts> {
    let trials = tuning.candidates.iter().map(|one| &one.trial).chain(&tuning.confirmed);
    let pairs = tuning.itself.iter().chain(trials.flat_map(|trial| &trial.pairs));
    let runs: Vec<Timed> = pairs.flat_map(|pair| [pair.before, pair.after]).collect();
    let of = |value: fn(&Timed) -> Option<f64>| median(&runs.iter().filter_map(value).collect::<Vec<_>>());
    let preempted = of(|run| Some(run.preempted? as f64 / run.elapsed).filter(|_| run.elapsed > 0.0));
    let facts = DisturbanceFacts { preempted_per_second: preempted, pressure: of(|run| run.pressure) };
    (facts.preempted_per_second.is_some() || facts.pressure.is_some()).then_some(facts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_experiment::trials::{Answer, End, Pair, Timed, Trial, Verdict, Way};
    use loopwright_experiment::tuning::{Axis, Semantics};

    fn candidate(pairs: usize, speedup: f64, verdict: Verdict) -> Candidate {
        let timed = |seconds| Timed { cpu: seconds, elapsed: seconds, ..Timed::default() };
        let trial = Trial {
            change: "native".into(),
            way: Way::Options,
            parts: Vec::new(),
            predicted: None,
            end: End::Ran,
            pairs: vec![Pair { before: timed(speedup), after: timed(1.0) }; pairs],
            answer: Some(Answer { verdict, largest: None, first: None }),
            in_run: None,
            not_in_run: None,
        };
        Candidate { axis: Axis::Flags, semantics: Semantics::Exact, build: Some(1.0), trial }
    }

    #[test]
    fn what_ran_too_rarely_for_a_claim_is_given_up_and_what_answers_otherwise_is_wrong() {
        let same = Verdict::Same;
        let candidates =
            vec![candidate(1, 0.9, same), candidate(7, 1.2, same), candidate(1, 2.0, Verdict::Different)];
        let confirmed = Some(candidates[1].trial.clone());
        let facts = facts(&Tuning { candidates, confirmed, runs: 30, ..Tuning::default() });
        let given_up: Vec<bool> = facts.candidates.iter().map(|one| one.given_up).collect();
        assert_eq!(given_up, [true, false, false]);
        assert_eq!(facts.candidates[2].tried.outcome, TriedOutcome::WrongAnswer);
        assert_eq!(facts.best.unwrap().outcome, TriedOutcome::Faster);
    }
}
