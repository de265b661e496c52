//! Integer divisions in hot loops: the divisor is a variable, or the compiler would have replaced them.

use crate::evidence::{Time, Work};
use crate::prelude::*;
use crate::traffic::nanoseconds_per_iteration;
use loopwright_analysis::model::FunctionFacts;
use loopwright_binary::facts::{ChainKind, Trait};

pub(crate) static RULE: Rule = Rule {
    id: "integer-divide",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("integer_divide.md")),
};

/// Divisions whose removal gains less are not what the loop is about.
const MATTERS: f64 = 1.25;

/// Divisions and instructions of an iteration, as counted; else those in the code, of which one divides integers at least.
fn executed(of: &LoopFacts) -> (f64, f64) {
    let only = !of.traits.contains(&Trait::Divide);
    let counted = of.work.as_ref().zip(of.trip_count.as_ref().map(|t| t.iterations).filter(|n| *n > 0));
    match counted {
        Some((work, iterations)) => {
            let each = |count: u64| count as f64 / iterations as f64;
            let divisions = each(work.mix.divide);
            (if only { divisions } else { divisions.min(1.0) }, each(work.instructions))
        }
        None => {
            let divisions = if only { of.instruction_mix.divide.max(1) } else { 1 };
            (f64::from(divisions), f64::from(of.instructions))
        }
    }
}

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.traits.contains(&Trait::IntegerDivide) {
        return in_called_function(facts, of);
    }
    let (divisions, instructions) = executed(of);
    if divisions <= 0.0 {
        return None;
    }
    let (rest, division) = (facts.core().issue(instructions), facts.core().integer_division);
    let measured = nanoseconds_per_iteration(facts, of).zip(facts.clock_ghz()).map(|(ns, ghz)| ns * ghz);
    let gain = without(facts, (divisions, instructions), 0.0, measured);
    Some(
        facts
            .about_loop(&RULE, of)
            .because(Provenance::Binary, Work::IntegerDivision)
            .because(Provenance::Modelled, Work::IntegerDivisionCycles { divisions, division, rest })
            .gain(of.group_share, with_vectors(facts, of, gain))
            .confidence(Confidence::Medium)
            .next(format!("loopwright show asm {}", of.id))
            .how(how!(RULE)),
    )
}

/// What passes gain without these divisions, the moves and products around them and `others`; `measured` are their cycles at present. Divisions
/// that do not depend on each other overlap, so that what they take of the time is at least a part and at most all that the divider needs.
fn without(facts: &Facts, (divisions, instructions): (f64, f64), others: f64, measured: Option<f64>) -> Gain {
    let core = facts.core();
    let (rest, division) = (core.issue(instructions), core.integer_division);
    let vanishing = estimates::WITH_INTEGER_DIVISION * divisions + others;
    // Cores that start more instructions than the model's do so without the division, too.
    let faster = measured.map_or(1.0, |now| (now / rest).min(1.0));
    let left = core.issue((instructions - vanishing).max(instructions / 3.0)) * faster;
    let instead = divisions * estimates::CONSTANT_DIVISION_CYCLES;
    let now = measured.unwrap_or(rest + divisions * division);
    let best = now / (now - (divisions * division).min(now) + instead.min(left)).max(left);
    Gain::of(best.max(1.0)).hedged(if measured.is_some() { estimates::OVERLAPPED } else { 0.0 })
}

/// At best the remainders were indices, without which the accesses are consecutive and vectors do the rest: six programs of such
/// indices gained 2.4 to 19 (Zen 4), more than their divisions took.
fn with_vectors(facts: &Facts, of: &LoopFacts, gain: Gain) -> Gain {
    let carries = of.chains.iter().any(|c| matches!(c.kind, ChainKind::Recurrence | ChainKind::PointerChase));
    if gain.high() < MATTERS || !of.innermost || of.vectorized || carries || facts.forbids_vectors(of) {
        return gain;
    }
    let mut plain = of.clone();
    plain.traits.retain(|t| *t != Trait::IntegerDivide);
    plain.instruction_mix.divide = 0;
    let vectors = gain::vectorise_consecutive(facts, &plain);
    gain.reaching(gain.high() * vectors.map_or(1.0, |v| v.gain.likely().max(1.0)))
}

/// The divisions of a function without loops that this loop calls: `modulo(i, n)` of each neighbour of a point.
fn in_called_function(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let iterations = of.trip_count.as_ref().map(|t| t.iterations).filter(|n| *n > 0)?;
    let called = |f: &&FunctionFacts| f.module == of.module && of.calls_by_name(&f.function);
    let divides = |f: &&FunctionFacts| {
        f.integer_divisions.is_some() && f.complete == Some(true) && facts.loops_of(f).next().is_none()
    };
    let found = facts.analysis.functions.iter().filter(called).filter(divides);
    let callee =
        found.max_by(|a, b| a.self_share.total_cmp(&b.self_share).then(b.function.cmp(&a.function)))?;
    let (calls, work) = (callee.calls.filter(|n| *n > 0)?, callee.work.as_ref()?);
    // Calls of this loop, as far as the counts show them.
    let own = calls.min(of.work.as_ref()?.mix.call);
    let part = own as f64 / calls as f64;
    // The counts do not tell divisions of integers from others.
    let each = (work.mix.divide as f64 / calls as f64).min(f64::from(callee.integer_divisions?));
    let divisions = each * own as f64 / iterations as f64;
    if divisions <= 0.0 {
        return None;
    }
    let instructions = of.work.as_ref()?.instructions as f64 + work.instructions as f64 * part;
    // Whoever counts instead of dividing writes the rest of the function into the loop.
    let inlined = estimates::CALL_INSTRUCTIONS.1 * own as f64 / iterations as f64;
    let each_iteration = instructions / iterations as f64;
    let (rest, division) = (facts.core().issue(each_iteration), facts.core().integer_division);
    let seconds = of.self_seconds + callee.self_seconds * part;
    let measured = facts.clock_ghz().map(|ghz| seconds * 1e9 * ghz / iterations as f64);
    let share = (of.group_share + callee.self_share * part).min(1.0);
    let function = callee.function.clone();
    Some(
        facts
            .about_loop(&RULE, of)
            .because(Provenance::Measured, Time::FunctionShare { share: callee.self_share, function })
            .because(Provenance::Binary, Work::IntegerDivision)
            .because(Provenance::Modelled, Work::IntegerDivisionCycles { divisions, division, rest })
            .gain(
                share,
                with_vectors(facts, of, without(facts, (divisions, each_iteration), inlined, measured)),
            )
            .confidence(Confidence::Medium)
            .next(format!("loopwright show asm {}", callee.function))
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired_on, scalar_loop};

    #[test]
    fn fires_on_integer_division() {
        let r = fired_on(&RULE, scalar_loop(|l| l.traits = vec![Trait::IntegerDivide])).unwrap();
        assert!(r.loop_gain.unwrap().high() > 3.0);
        let diluted = scalar_loop(|l| (l.traits, l.instructions) = (vec![Trait::IntegerDivide], 200));
        assert!(fired_on(&RULE, diluted).unwrap().loop_gain.unwrap().high() < 1.3);
    }

    #[test]
    fn executed_divisions_count_and_overlap() {
        use crate::fixtures::{count, fired, measured, near, states};
        // 4 s at 3 GHz: 0.4e9 iterations of 30 cycles with 5 divisions.
        let with = |executed: u64| {
            let mut l = scalar_loop(|l| {
                (l.traits, l.instructions) = (vec![Trait::IntegerDivide], 40);
                count(l, 1, 400_000_000);
            });
            l.work.as_mut().unwrap().mix.divide = executed * 400_000_000;
            fired(&RULE, &measured(vec![l]))
        };
        let r = with(5).unwrap();
        assert!(
            states!(r, Work::IntegerDivisionCycles { divisions, .. } if near(*divisions, 5.0)),
            "{:?}",
            r.said()
        );
        let gain = r.loop_gain.unwrap();
        assert!(gain.high() >= 3.0 && gain.low() > 1.3, "{gain:?}");
        assert!(with(0).is_none(), "none was executed");
    }

    #[test]
    fn fires_on_the_divisions_of_a_called_function() {
        use crate::fixtures::{call, count, fired, function, measured, near, states};
        use loopwright_analysis::model::WorkRow;
        // 4 s in the loop and 4 s in the function at 3 GHz: 0.4e9 iterations of 60 cycles with 4 divisions.
        let with = |divisions: Option<u32>| {
            let mut l = scalar_loop(|l| {
                l.calls = vec![call(Some("wrap"))];
                l.instruction_mix.call = 1;
                count(l, 1, 400_000_000);
            });
            l.work.as_mut().unwrap().mix.call = 400_000_000;
            let mut analysis = measured(vec![l]);
            let mut wrap = function("wrap", "app", 0.4);
            (wrap.calls, wrap.complete, wrap.integer_divisions) = (Some(400_000_000), Some(true), divisions);
            let mut work = WorkRow { instructions: 16_000_000_000, ..WorkRow::default() };
            work.mix.divide = 1_600_000_000;
            wrap.work = Some(work);
            analysis.functions = vec![wrap];
            fired(&RULE, &analysis)
        };
        let r = with(Some(4)).unwrap();
        assert!(
            states!(r, Work::IntegerDivisionCycles { divisions, .. } if near(*divisions, 4.0)),
            "{:?}",
            r.said()
        );
        assert!(near(r.share.unwrap(), 0.8) && r.loop_gain.unwrap().low() > 1.1, "{:?}", r.loop_gain);
        assert!(with(None).is_none(), "its divisions are of floating-point numbers");
    }

    #[test]
    fn silent_on_floating_division() {
        assert!(fired_on(&RULE, scalar_loop(|l| l.traits = vec![Trait::Divide])).is_none());
    }

    #[test]
    fn without_the_divisor_it_asks_for_a_look_at_the_code() {
        let r = fired_on(&RULE, scalar_loop(|l| l.traits = vec![Trait::IntegerDivide])).unwrap();
        assert_eq!(r.next.as_deref(), Some("loopwright show asm 1"));
        assert_eq!((r.loop_gain.unwrap().low(), r.confidence), (1.0, Confidence::Medium));
    }
}
