//! The prediction and the flags that all "make this a vector loop" advice shares.

use crate::facts::Facts;
use crate::gain::{self, VectorEstimate};
use crate::recommendation::{How, Recommendation};
use loopwright_analysis::model::{LoopFacts, Provenance};

/// Adds the predicted gain of vectorising `of`, or asks for the machine when it is unknown.
pub fn predicted(new: Recommendation, facts: &Facts, of: &LoopFacts) -> Recommendation {
    let Some(machine) = facts.machine() else {
        let new = if new.next.is_none() { new.next("loopwright machine --measure") } else { new };
        return new.because(Provenance::Modelled, "no gain is predicted without facts about the machine");
    };
    let Some(estimate) = gain::vectorise(of, machine) else { return new };
    let sentence = sentence(&estimate);
    new.gain(of.group_share, estimate.gain).because(Provenance::Modelled, sentence)
}

/// The estimate in words.
pub fn sentence(estimate: &VectorEstimate) -> String {
    let VectorEstimate { gain, length, bits, element } = estimate;
    let element = format!("{element:?}").to_lowercase();
    format!(
        "{length} elements of {element} fit into this machine's {bits}-bit registers: {:.1} to {:.1} times faster",
        gain.low(),
        gain.high()
    )
}

/// Adds the options that switch the vectoriser on for this machine. GCC before 12 vectorises from -O3 only,
/// and 12 and later use a timid cost model at -O2.
pub fn with_vector_flags(how: How) -> How {
    how.flags("gcc, g++, gfortran", "-O3 -march=native").flags("clang, clang++, flang", "-O3 -march=native")
}
