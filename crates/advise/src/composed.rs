//! The gain of several recommendations that are followed together: those about one place exclude or contain each other.

use crate::facts::Facts;
use crate::recommendation::Recommendation;
use loopwright_costs::{Gain, together};
use std::collections::BTreeMap;

/// For every loop and every other place the recommendation that is worth most to the program, the share of the time that it
/// concerns and its gain.
pub(crate) fn best_of_places<'a>(
    recommendations: impl Iterator<Item = &'a Recommendation>,
) -> Vec<(&'a Recommendation, f64, Gain)> {
    // A group, or a module or other place where there is none.
    type Place<'a> = (Option<u32>, Option<&'a str>);
    let mut best: BTreeMap<Place, (&Recommendation, f64, Gain)> = BTreeMap::new();
    for r in recommendations {
        let (Some(share), Some(gain), Some(of_program)) = (r.share, r.loop_gain, r.program_gain) else {
            continue;
        };
        let place = (r.group, if r.group.is_some() { None } else { r.place.as_deref() });
        let entry = best.entry(place).or_insert((r, share, gain));
        if of_program.likely() > entry.2.of_program(entry.1).likely() {
            *entry = (r, share, gain);
        }
    }
    best.into_values().collect()
}

/// The share of the time that recommendations for several loops concern, and its gain when all are followed: for each loop the
/// best of them. A loop whose time is part of another's in the list counts there.
pub(crate) fn compose(facts: &Facts, of: &[&Recommendation]) -> Option<(f64, Gain)> {
    let best = best_of_places(of.iter().copied());
    let with_callees = |one: &Recommendation| {
        let own = one.loop_id.and_then(|id| facts.loop_by_id(id));
        own.zip(one.share).is_some_and(|(own, share)| share > own.group_share)
    };
    let inside = |one: &Recommendation| {
        let own = one.loop_id.and_then(|id| facts.loop_by_id(id));
        own.is_some_and(|own| {
            facts.ancestors(own).any(|outer| {
                best.iter().any(|(other, ..)| other.group == Some(outer.group) && with_callees(other))
            })
        })
    };
    let parts: Vec<(f64, Gain)> =
        best.iter().filter(|(one, ..)| !inside(one)).map(|(_, share, gain)| (*share, *gain)).collect();
    let whole: f64 = parts.iter().map(|(share, _)| share).sum();
    if whole <= 0.0 {
        return None;
    }
    let parts: Vec<(f64, Gain)> = parts.into_iter().map(|(share, gain)| (share / whole, gain)).collect();
    Some((whole.min(1.0), together(&parts)))
}
