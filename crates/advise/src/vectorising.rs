//! The prediction and the flags that all "make this a vector loop" advice shares.

use crate::counted::distribution;
use crate::evidence::{Entries, Machine, Trips, Vectors};
use crate::facts::Facts;
use crate::gain::{self, VectorEstimate};
use crate::recommendation::{How, Recommendation};
use loopwright_analysis::model::{LoopFacts, Provenance};

/// Adds the predicted gain of vectorising `of`, or asks for the machine when it is unknown.
pub fn predicted(new: Recommendation, facts: &Facts, of: &LoopFacts) -> Recommendation {
    let Some(machine) = facts.machine() else {
        let new = if new.next.is_none() { new.next("loopwright machine --measure") } else { new };
        return new.because(Provenance::Modelled, Machine::MachineUnknown);
    };
    let Some(mut estimate) = gain::vectorise(of, machine) else { return new };
    let mut new = new;
    if let Some((most, fact)) = short_entries(of, estimate.length) {
        // Iterations that are not full, or scalar remainder iterations, reduce it.
        estimate.gain = estimate.gain.capped(most);
        new = new.because(Provenance::Counted, fact);
    }
    let fact = fitting(&estimate);
    facts.asking_for_counts(new.gain(of.group_share, estimate.gain), of).because(Provenance::Modelled, fact)
}

/// The most that vectors gain a loop.
pub fn most(facts: &Facts, of: &LoopFacts) -> Option<f64> {
    Some(gain::vectorise(of, facts.machine()?)?.gain.high())
}

/// The most that vectors gain a loop in its short entries once its code is `changed`.
pub fn most_when(facts: &Facts, of: &LoopFacts, changed: &LoopFacts) -> Option<f64> {
    let estimate = gain::vectorise(changed, facts.machine()?)?;
    let entries = short_entries(of, estimate.length).map_or(f64::INFINITY, |(most, _)| most);
    Some(estimate.gain.high().min(entries))
}

/// What vectors of this length can gain at most in entries of the counted lengths, where that is clearly less than they
/// promise in endless ones.
pub fn short_entries(of: &LoopFacts, length: u32) -> Option<(f64, Trips)> {
    let trips = of.trip_count.as_ref().filter(|t| t.source_factor == Some(1))?;
    let (factor, _) = loopwright_costs::trips_of(&distribution(trips), length)?;
    let counted = Entries::of(trips)?;
    (factor < 0.9 * f64::from(length))
        .then_some((factor, Trips::LanesInEntries { counted, lanes: length, factor }))
}

/// What fits into the machine's registers.
fn fitting(estimate: &VectorEstimate) -> Vectors {
    let VectorEstimate { gain, length, bits, element } = *estimate;
    Vectors::FitInRegisters { elements: length, element, bits, low: gain.low(), high: gain.high() }
}

/// Adds the options that switch the vectoriser on for this machine. GCC before 12 vectorises from -O3 only,
/// and 12 and later use a timid cost model at -O2.
pub fn with_vector_flags(how: How) -> How {
    how.flags("gcc, g++, gfortran", "-O3 -march=native").flags("clang, clang++, flang", "-O3 -march=native")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{count, scalar_loop, states, with_loops};
    use crate::rules::unexplained_scalar_loop::RULE;

    fn predicted_for(each: Option<u64>) -> Recommendation {
        let analysis = with_loops(vec![scalar_loop(|l| {
            if let Some(each) = each {
                count(l, 1000, each);
            }
        })]);
        let facts = Facts::new(&analysis);
        predicted(facts.about_loop(&RULE, &analysis.loops[0]), &facts, &analysis.loops[0])
    }

    #[test]
    fn short_entries_promise_less() {
        let endless = predicted_for(Some(100_000)).loop_gain.unwrap();
        let short = predicted_for(Some(7));
        // 7 iterations on 4 lanes: 1 vector pass and 3 scalar ones.
        assert_eq!(short.loop_gain.unwrap().high(), 7.0 / 4.0);
        assert!(endless.high() > 3.0);
        assert!(states!(short, Trips::LanesInEntries { counted: Entries { median: Some(7), .. }, .. }));
        assert_eq!(short.next, None);
    }

    #[test]
    fn without_counts_they_are_asked_for() {
        assert!(predicted_for(None).next.unwrap().starts_with("loopwright tripcounts --loops 1"));
    }
}
