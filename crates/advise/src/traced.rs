//! What a tracing run adds to the rules' view: which piece of a loop was traced, its accesses, and how much was seen.
//!
//! Nothing here judges; a rule does. Definitions of the numbers are in `docs/patterns.md`. What was seen in bursts is
//! exact for those bursts: sentences say in how many iterations.

use crate::evidence::Extent;
use crate::facts::Facts;
use crate::recommendation::Recommendation;
use loopwright_analysis::model::{AccessFacts, DependenceFacts, LoopFacts, VectorVerdict};
use std::collections::BTreeMap;

/// Share of the steps or lanes that must agree for an exception to be one.
pub const NEARLY_ALL: f64 = 0.95;
/// A cache line of x86-64, where the machine is not known.
const LINE_BYTES: u32 = 64;

impl<'a> Facts<'a> {
    /// The piece of a loop's source loop whose accesses were traced: itself, else the one with most iterations.
    pub fn traced<'l>(&self, of: &'l LoopFacts) -> Option<&'l LoopFacts>
    where
        'a: 'l,
    {
        if !of.access.is_empty() {
            return Some(of);
        }
        let iterations = |l: &LoopFacts| l.memory.as_ref().map_or(0, |m| m.traced_iterations);
        self.group(of).filter(|l| !l.access.is_empty()).max_by_key(|l| iterations(l))
    }

    /// What was found of the dependences of a loop, or of the piece of its source loop that was checked longest.
    pub fn dependence<'l>(&self, of: &'l LoopFacts) -> Option<&'l DependenceFacts>
    where
        'a: 'l,
    {
        let other =
            || self.group(of).filter_map(|l| l.dependence.as_ref()).max_by_key(|d| d.checked_iterations);
        of.dependence.as_ref().or_else(other)
    }

    /// A carried dependence that forbids vectors occurred: no recommendation may force them.
    pub fn forbids_vectors(&self, of: &LoopFacts) -> bool {
        self.dependence(of).is_some_and(|d| match d.vector {
            VectorVerdict::Unsafe => true,
            VectorVerdict::SafeUpTo => d.max_length.is_some_and(|most| most < 2),
            _ => false,
        })
    }

    /// Whether a tracing run would show more of a loop: `verb` is `map` or `dependencies`.
    fn lacks(&self, verb: &str, of: &LoopFacts) -> bool {
        let known = match verb {
            "map" => self.traced(of).is_some(),
            "dependencies" => self.dependence(of).is_some(),
            _ => return true,
        };
        !known && of.not_traced.is_none()
    }

    /// Without the request for a run of which the results are there, or which was refused.
    pub fn without_answered(&self, mut new: Recommendation) -> Recommendation {
        let Some(of) = new.loop_id.and_then(|id| self.loop_by_id(id)) else { return new };
        let asked = |verb: &str| new.next.as_deref() == Some(self.collect(verb, of).as_str());
        if ["map", "dependencies"].into_iter().any(|verb| asked(verb) && !self.lacks(verb, of)) {
            new.next = None;
        }
        new
    }

    /// With the request for the dependences of `of`, where nothing else is asked for.
    pub fn asking_for_dependences(&self, new: Recommendation, of: &LoopFacts) -> Recommendation {
        if new.next.is_none() && self.lacks("dependencies", of) {
            let command = self.collect("dependencies", of);
            new.next(command)
        } else {
            new
        }
    }

    /// Everything that the loops executed was traced, not bursts of it.
    fn exhaustive(&self) -> bool {
        self.analysis.tracing.as_ref().is_some_and(|t| t.exhaustive)
    }

    /// How much was seen of a loop: `in 12000 traced iterations`.
    pub fn extent(&self, of: &LoopFacts) -> Extent {
        let iterations = of.memory.as_ref().map_or(0, |m| m.traced_iterations);
        Extent { complete: self.exhaustive(), iterations }
    }

    /// Bytes of a cache line.
    pub fn line_bytes(&self) -> f64 {
        f64::from(self.machine().map(|m| m.line_bytes).filter(|b| *b > 0).unwrap_or(LINE_BYTES))
    }
}

/// The accesses of a loop that go through an array: variables in the frame are the compiler's business.
pub fn to_arrays(of: &LoopFacts) -> impl Iterator<Item = &AccessFacts> {
    of.access.iter().filter(|a| !a.frame && a.executions > 0)
}

/// The accesses by the array that they share; those of an unknown array are not grouped.
pub fn by_array(of: &LoopFacts) -> Vec<Vec<&AccessFacts>> {
    let mut arrays: BTreeMap<(u32, usize), Vec<&AccessFacts>> = BTreeMap::new();
    for (k, access) in to_arrays(of).enumerate() {
        let key = access.array.map_or((u32::MAX, k), |number| (number, usize::MAX));
        arrays.entry(key).or_default().push(access);
    }
    arrays.into_values().collect()
}

/// Executions of all these accesses.
pub fn executions<'l>(accesses: impl IntoIterator<Item = &'l AccessFacts>) -> f64 {
    accesses.into_iter().map(|a| a.executions as f64).sum()
}

/// Bytes in the cache lines of one array that were touched.
pub fn line_footprint(access: &AccessFacts) -> f64 {
    let used = access.utilisation.filter(|u| *u > 0.0).unwrap_or(1.0);
    access.footprint_bytes.unwrap_or(0) as f64 / used.min(1.0)
}

/// The share that one array has of all lines that a loop touched; all of them when it is not known.
pub fn share_of_lines(of: &LoopFacts, array: &[&AccessFacts]) -> f64 {
    let own = array.first().map_or(0.0, |a| line_footprint(a));
    let all: f64 = by_array(of).iter().filter_map(|a| a.first()).map(|a| line_footprint(a)).sum();
    if own > 0.0 && all > 0.0 { (own / all).min(1.0) } else { 1.0 }
}

/// The array's name in an expression: `lbv` of `lbv[i*3+1]`, `p->next` of `p->next`.
pub fn array_name(access: &AccessFacts) -> Option<&str> {
    let operand = access.operand.as_deref()?;
    let name = operand.split(['[', '(']).next().unwrap_or(operand).trim().trim_start_matches('*');
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{access, of_array, scalar_loop, trace, traced, vector_loop};
    use crate::rules::array_of_structures::RULE;
    use loopwright_analysis::model::Unmeasured;
    use loopwright_patterns::facts::AccessKind;

    #[test]
    fn accesses_of_one_array_stand_together() {
        let mut l = scalar_loop(|_| ());
        let load = |name: &str| access(name, AccessKind::Load, 8, 1);
        let mut frame = load("spill");
        frame.frame = true;
        trace(
            &mut l,
            vec![
                of_array(load("a[i]"), 0, 3000, 0.5),
                load("x"),
                of_array(load("a[i+1]"), 0, 3000, 0.5),
                of_array(load("b[i]"), 1, 2000, 1.0),
                frame,
            ],
        );
        let arrays = by_array(&l);
        assert_eq!(arrays.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1, 1]);
        assert!((share_of_lines(&l, &arrays[0]) - 0.75).abs() < 1e-12, "6000 of 8000 bytes of lines");
    }

    #[test]
    fn a_piece_speaks_for_its_loop_and_answers_are_not_asked_for_again() {
        let body = vector_loop(|_| ());
        let mut rest = scalar_loop(|l| l.id = 2);
        trace(&mut rest, vec![access("a[i]", AccessKind::Load, 8, 1)]);
        let analysis = traced(vec![body, rest]);
        let facts = Facts::new(&analysis);
        let of = &analysis.loops[0];
        assert_eq!(facts.traced(of).map(|l| l.id), Some(2));
        assert_eq!(facts.extent(facts.traced(of).unwrap()).iterations, 10_000);
        let asking = |verb: &str| facts.about_loop(&RULE, of).next(facts.collect(verb, of));
        assert_eq!(facts.without_answered(asking("map")).next, None);
        assert!(facts.without_answered(asking("dependencies")).next.is_some());
        assert!(facts.without_answered(asking("tripcounts")).next.is_some());
        let mut refused = traced(vec![scalar_loop(|l| l.not_traced = Some(Unmeasured::OtherLoops))]);
        let facts = Facts::new(&refused);
        let of = &refused.loops[0];
        let asking = facts.about_loop(&RULE, of).next(facts.collect("map", of));
        assert_eq!(facts.without_answered(asking).next, None, "asking again gives the same answer");
        let new = facts.about_loop(&RULE, of);
        assert_eq!(facts.asking_for_dependences(new, of).next, None);
        refused.loops[0].not_traced = None;
        let facts = Facts::new(&refused);
        let new = facts.about_loop(&RULE, &refused.loops[0]);
        assert!(
            facts
                .asking_for_dependences(new, &refused.loops[0])
                .next
                .unwrap()
                .contains("dependencies --loops 1")
        );
    }
}
