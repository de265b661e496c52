//! What a search for the best build showed. Speed-ups in its rounds order the candidates; what is claimed is that of the best one on runs
//! of its own, by the rule of trials ([`crate::tried`]).

use crate::model::{TriedOutcome, TuneFacts, TunedFacts};
use crate::tried::{self, LEAST_PAIRS};
use loopwright_experiment::tuning::{Candidate, Tuning};

/// The search as it is shown.
pub fn facts(tuning: &Tuning) -> TuneFacts {
    let itself = &tuning.itself;
    let tuned = |one: &Candidate| {
        let tried = tried::tried(&one.trial, itself);
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
        runs: tuning.runs,
        candidates: tuning.candidates.iter().map(tuned).collect(),
        best: tuning.confirmed.as_ref().map(|trial| tried::tried(trial, itself)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_experiment::trials::{Answer, End, Pair, Timed, Trial, Verdict, Way};
    use loopwright_experiment::tuning::{Axis, Semantics};

    fn candidate(pairs: usize, speedup: f64, verdict: Verdict) -> Candidate {
        let timed = |seconds| Timed { cpu: seconds, elapsed: seconds };
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
