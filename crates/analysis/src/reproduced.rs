//! What a comparison of two builds showed: whether the answers agree, what is to blame, and which build that keeps the answer is the
//! fastest.

use crate::model::{
    AnswerFacts, ConditionFacts, ReproductionFacts, ReproductionOutcome, TriedFacts, TriedOutcome, Unit,
    Verdict,
};
use crate::tried;
use loopwright_experiment::reproduction::Reproduction;
use loopwright_experiment::trials::{Answer, End, Trial, Way};

/// The comparison as it is shown.
pub fn facts(found: &Reproduction) -> ReproductionFacts {
    let repairs: Vec<TriedFacts> = found.repairs.iter().map(|one| tried::tried(one, &found.itself)).collect();
    let keeps = |one: &TriedFacts| matches!(one.answer, Some(Verdict::Same | Verdict::Within));
    let speed = |one: &TriedFacts| one.measured_median.filter(|_| keeps(one) && is_whole(one));
    let cheapest = (0..)
        .zip(&repairs)
        .filter_map(|(number, one)| Some((number, speed(one)?)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(number, _)| number);
    ReproductionFacts {
        good: found.good.clone(),
        bad: found.bad.clone(),
        outcome: outcome(found),
        answer: answer(&found.end, found.answer.as_ref()),
        outputs: found.outputs.clone(),
        unsteady: found.unsteady.clone(),
        unsteady_bad: found.unsteady_bad.clone(),
        conditions: found
            .probes
            .iter()
            .map(|probe| ConditionFacts {
                condition: probe.condition.clone(),
                answer: answer(&probe.end, probe.answer.as_ref()),
            })
            .collect(),
        culprits: found.culprits.clone(),
        files: found.files.clone(),
        options: found.options.clone(),
        halted: found.halted.clone(),
        claimed_from: tried::claimed(&found.itself),
        repairs,
        cheapest,
        builds: found.builds,
        runs: found.runs,
    }
}

/// It ran to its end each time.
fn is_whole(one: &TriedFacts) -> bool {
    matches!(one.outcome, TriedOutcome::Faster | TriedOutcome::NoDifference | TriedOutcome::Slower)
}

fn outcome(found: &Reproduction) -> ReproductionOutcome {
    let verdict = found.answer.as_ref().map(|answer| answer.verdict);
    let is_link = |set: &Vec<Unit>| set.iter().all(|unit| *unit == Unit::Link);
    match (&found.end, verdict) {
        (End::NotBuilt { .. } | End::LeftAlone { .. }, _) => ReproductionOutcome::NotBuilt,
        (End::Ran, Some(Verdict::Same)) => ReproductionOutcome::Same,
        (End::Ran, Some(Verdict::Within)) => ReproductionOutcome::Within,
        _ if found.culprits.is_empty() => ReproductionOutcome::NotFound,
        _ if found.culprits.iter().all(is_link) => ReproductionOutcome::Link,
        _ => ReproductionOutcome::Sources,
    }
}

fn answer(end: &End, answer: Option<&Answer>) -> AnswerFacts {
    let trial =
        Trial { end: end.clone(), answer: answer.cloned(), ..Trial::new("", Way::Options, Vec::new()) };
    let tried = tried::tried(&trial, &[]);
    let differs = tried.largest_difference.filter(|largest| *largest > 0.0);
    AnswerFacts {
        verdict: tried.answer,
        largest_difference: tried.largest_difference,
        significant_bits: differs.map(|largest| -largest.log2()),
        first_difference: tried.first_difference,
        note: tried.note,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_experiment::reproduction::{Halted, Side, repair};
    use loopwright_experiment::trials::{Pair, Timed};

    fn trial(change: &str, speedup: f64, verdict: Verdict) -> Trial {
        let timed = |seconds| Timed { cpu: seconds, elapsed: seconds, ..Timed::default() };
        Trial {
            pairs: vec![Pair { before: timed(speedup), after: timed(1.0) }; 7],
            answer: Some(Answer { verdict, largest: Some(0.0), first: None }),
            ..Trial::new(change, Way::Options, Vec::new())
        }
    }

    fn found(verdict: Verdict, culprits: Vec<Vec<Unit>>) -> Reproduction {
        Reproduction {
            good: Side::default(),
            bad: Side::default(),
            outputs: Vec::new(),
            unsteady: Vec::new(),
            probes: Vec::new(),
            end: End::Ran,
            answer: Some(Answer { verdict, largest: Some(2f64.powi(-20)), first: None }),
            unsteady_bad: Vec::new(),
            culprits,
            files: Vec::new(),
            options: Vec::new(),
            halted: Some(Halted::Time),
            itself: Vec::new(),
            repairs: Vec::new(),
            builds: 1,
            runs: 4,
        }
    }

    #[test]
    fn the_fastest_build_that_keeps_the_answer_is_the_cheapest_repair() {
        let mut found = found(Verdict::Different, vec![vec![Unit::File { file: "a.c".into() }]]);
        found.repairs = vec![
            trial(repair::AS_IT_IS, 1.5, Verdict::Different),
            trial(repair::OPTIONS, 1.1, Verdict::Same),
            trial(repair::FILES, 1.4, Verdict::Within),
        ];
        let facts = facts(&found);
        assert_eq!((facts.cheapest, facts.outcome), (Some(2), ReproductionOutcome::Sources));
        assert_eq!(facts.answer.significant_bits, Some(20.0));
    }

    #[test]
    fn the_link_line_is_told_from_sources() {
        let outcome = |verdict, culprits| facts(&found(verdict, culprits)).outcome;
        let file = || Unit::File { file: "a.c".into() };
        assert_eq!(outcome(Verdict::Same, vec![]), ReproductionOutcome::Same);
        assert_eq!(outcome(Verdict::Within, vec![]), ReproductionOutcome::Within);
        assert_eq!(outcome(Verdict::Different, vec![]), ReproductionOutcome::NotFound);
        assert_eq!(outcome(Verdict::Different, vec![vec![Unit::Link]]), ReproductionOutcome::Link);
        let both = vec![vec![Unit::Link], vec![file()]];
        assert_eq!(outcome(Verdict::Different, both), ReproductionOutcome::Sources);
    }
}
