//! The prediction and the flags that all "make this a vector loop" advice shares.

use crate::counted::{LEAST_GAIN, distribution};
use crate::evidence::{Entries, Machine, Trips, Vectors};
use crate::facts::Facts;
use crate::gain::{self, VectorEstimate};
use crate::recommendation::{How, Recommendation};
use loopwright_analysis::model::{LoopFacts, Provenance};

/// Adds the predicted gain of vectorising `of`, or asks for the machine when it is unknown.
pub fn predicted(new: Recommendation, facts: &Facts, of: &LoopFacts) -> Recommendation {
    if facts.machine().is_none() {
        let new = if new.next.is_none() { new.next("loopwright machine --measure") } else { new };
        return new.because(Provenance::Modelled, Machine::MachineUnknown);
    }
    let Some(estimate) = gain::vectorise(facts, of) else { return new };
    let mut new = new;
    if let Some(fact) = short_entries(of, estimate.length) {
        new = new.because(Provenance::Counted, fact);
    }
    let fact = fitting(&estimate);
    facts.asking_for_counts(new.gain(of.group_share, estimate.gain), of).because(Provenance::Modelled, fact)
}

/// The most that vectors gain a loop in full passes.
pub fn most(facts: &Facts, of: &LoopFacts) -> Option<f64> {
    Some(gain::vectorise_endless(facts, of)?.gain.high())
}

/// The most that vectors gain a loop in its short entries once its code is `changed`.
pub fn most_when(facts: &Facts, of: &LoopFacts, changed: &LoopFacts) -> Option<f64> {
    let mut changed = changed.clone();
    changed.trip_count.clone_from(&of.trip_count);
    Some(gain::vectorise(facts, &changed)?.gain.high())
}

/// Entries of less than this number of full vectors are no work for vectors: what is left over and the entry itself cost as
/// much as a pass.
const FEWEST_PASSES: f64 = 2.0;

/// The counted entries are so short that vectors do not pay: a constant number of iterations or a longer loop inside may.
pub fn too_short(facts: &Facts, of: &LoopFacts) -> bool {
    let Some(machine) = facts.machine() else { return false };
    let length = f64::from(gain::compiled_bits(machine) / gain::element(of).bits().max(1));
    let trips = of.trip_count.as_ref().filter(|t| t.group_complete).and_then(|t| t.source_mean);
    trips.is_some_and(|mean| mean < FEWEST_PASSES * length)
        && gain::vectorise(facts, of).is_none_or(|estimate| estimate.gain.likely() < LEAST_GAIN)
}

/// How vectors of this length fill entries of the counted lengths, where that is clearly less than in endless ones.
fn short_entries(of: &LoopFacts, length: u32) -> Option<Trips> {
    let trips = of.trip_count.as_ref().filter(|t| t.source_factor == Some(1))?;
    let (factor, _) = loopwright_costs::trips_of(&distribution(trips), length)?;
    let counted = Entries::of(trips)?;
    (factor < 0.9 * f64::from(length)).then_some(Trips::LanesInEntries { counted, lanes: length, factor })
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
                // Two cycles of 3 GHz per iteration.
                (l.self_seconds, l.total_seconds) =
                    (1000.0 * each as f64 * 0.7e-9, 1000.0 * each as f64 * 0.7e-9);
            }
        })]);
        let facts = Facts::new(&analysis);
        predicted(facts.about_loop(&RULE, &analysis.loops[0]), &facts, &analysis.loops[0])
    }

    #[test]
    fn short_entries_promise_less() {
        let endless = predicted_for(Some(100_000)).loop_gain.unwrap();
        let short = predicted_for(Some(7));
        // 7 iterations on 4 lanes: a vector pass, a half one, a scalar iteration, and the entry.
        assert!(short.loop_gain.unwrap().likely() < 1.5 && short.loop_gain.unwrap().low() < 1.0);
        assert!(endless.likely() > 2.0, "{endless:?}");
        assert!(states!(short, Trips::LanesInEntries { counted: Entries { median: Some(7), .. }, .. }));
        assert_eq!(short.next, None);
    }

    #[test]
    fn without_counts_they_are_asked_for() {
        assert!(predicted_for(None).next.unwrap().starts_with("loopwright tripcounts --loops 1"));
    }
}
