//! Atomic operations in hot loops.

use crate::evidence::{Dependences, Threads};
use crate::prelude::*;
use loopwright_binary::facts::Trait;

/// Id of its recommendation.
pub const PRIVATISE_ATOMIC: &str = "privatise-atomic";

pub(crate) static RULE: Rule = Rule {
    id: "atomic-in-hot-loop",
    check: Check::Loop(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("atomic_in_hot_loop.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.traits.contains(&Trait::Atomic) {
        return None;
    }
    let contended = of.threads > 1;
    let gain = if contended { estimates::ATOMIC_CONTENDED } else { estimates::ATOMIC_ALONE };
    Some(
        facts
            .about_loop(&RULE, of)
            .named(PRIVATISE_ATOMIC, "Take the atomic operation out of this hot loop")
            .because(Provenance::Binary, Dependences::AtomicOperation)
            .because(Provenance::Measured, Threads::ThreadsInLoop { threads: of.threads })
            .gain(of.group_share, gain)
            .confidence(if contended { Confidence::Medium } else { Confidence::Low })
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired_on, scalar_loop};

    #[test]
    fn fires_and_is_surer_when_contended() {
        let of = |threads| scalar_loop(move |l| (l.traits, l.threads) = (vec![Trait::Atomic], threads));
        let alone = fired_on(&RULE, of(1)).unwrap();
        let contended = fired_on(&RULE, of(8)).unwrap();
        assert!(contended.confidence > alone.confidence);
        assert!(contended.loop_gain.unwrap().high() > alone.loop_gain.unwrap().high());
        assert_eq!(alone.id, "privatise-atomic");
    }

    #[test]
    fn silent_without_atomics() {
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
    }
}
