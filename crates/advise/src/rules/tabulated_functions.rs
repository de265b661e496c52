//! Mathematics functions that are called so often that their arguments may come back: tables, recurrences, values kept.
//!
//! What the arguments are is not among the facts, so that this is a question to the reader, with the numbers that it takes to answer it.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Calls, Shape, Time};
use crate::prelude::*;
use crate::rules::table_walk::LOOKUP_TABLE;
use loopwright_analysis::mathematics::scalar_function;
use loopwright_analysis::model::FunctionFacts;
use loopwright_stats::saturating_sum;

pub(crate) static RULE: Rule = Rule {
    id: "tabulated-functions",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("tabulated_functions.md")),
};

/// Less of the time is not worth looking at arguments.
const NOTICEABLE: f64 = 0.2;
/// Fewer calls have no arguments that come back often enough.
const MANY_CALLS: u64 = 1_000_000;

/// Functions of two numbers of one kind.
const OF_TWO: [&str; 8] = ["atan2", "atan2f", "fmod", "fmodf", "remainder", "hypot", "hypotf", "fdim"];

fn check(facts: &Facts) -> Option<Recommendation> {
    let functions: Vec<(&str, &FunctionFacts)> =
        facts.analysis.functions.iter().filter_map(|f| Some((scalar_function(&f.function)?, f))).collect();
    // `pow` and the `__ieee754_pow_fma` that it calls are one function.
    let time =
        |name: &str| functions.iter().filter(|(n, _)| *n == name).map(|(_, f)| f.self_share).sum::<f64>();
    let hottest =
        functions.iter().map(|(name, _)| *name).max_by(|a, b| time(a).total_cmp(&time(b)).then(b.cmp(a)))?;
    // Two arguments that both vary do not come back; powers have an exponent that stays, as a rule.
    if OF_TWO.contains(&hottest) {
        return None;
    }
    let share = time(hottest);
    let of_it = || functions.iter().filter(|(name, _)| *name == hottest);
    let calls = of_it().filter_map(|(_, f)| f.calls).max()?;
    if share < NOTICEABLE || calls < MANY_CALLS {
        return None;
    }
    let seconds = of_it().map(|(_, f)| f.self_seconds).sum::<f64>();
    let now = seconds * facts.clock_ghz()? * 1e9 / calls as f64;
    let core = facts.core();
    let then = (core.latency.l1, core.latency.l2);
    let gain = Gain::up_to(now / then.0);
    if gain.of_program(share).high() < LEAST_GAIN {
        return None;
    }
    let instructions = saturating_sum(of_it().filter_map(|(_, f)| f.work.as_ref()).map(|w| w.instructions))
        as f64
        / calls as f64;
    let function = hottest.to_owned();
    Some(
        facts
            .about_program(&RULE)
            .named(LOOKUP_TABLE, format!("Look at the arguments of {hottest}: few different ones fit a table, regular ones a recurrence"))
            .because(Provenance::Measured, Time::FunctionShare { share, function: function.clone() })
            .because(Provenance::Counted, Calls::CountedCalls { calls, function, instructions })
            .because(Provenance::Modelled, Shape::Instead { now, then })
            .gain(share, gain)
            .confidence(Confidence::Low)
            .next("loopwright show tree")
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, function, measured, states};
    use loopwright_analysis::model::{Analysis, WorkRow};

    /// 66 million calls of `pow` in 8 s: two functions of the library.
    fn calling(name: &str, share: f64, calls: Option<u64>) -> Analysis {
        let mut analysis = measured(vec![]);
        let mut inner = function(name, "libm.so.6", share - 0.1);
        (inner.calls, inner.work) =
            (calls, Some(WorkRow { instructions: 6_600_000_000, ..WorkRow::default() }));
        let mut outer = function("pow", "libm.so.6", 0.1);
        outer.calls = calls;
        analysis.functions = vec![inner, outer];
        analysis
    }

    #[test]
    fn fires_on_many_calls_as_a_question() {
        let r = fired(&RULE, &calling("__ieee754_pow_fma", 0.8, Some(66_000_000))).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), (LOOKUP_TABLE, Confidence::Low));
        assert!(states!(r, Calls::CountedCalls { calls: 66_000_000, .. }), "{:?}", r.said());
        let gain = r.program_gain.unwrap();
        assert!(gain.low() == 1.0 && gain.high() > 3.0, "{gain:?}");
    }

    #[test]
    fn silent_on_few_calls_little_time_and_other_functions() {
        assert!(fired(&RULE, &calling("__ieee754_pow_fma", 0.8, Some(1000))).is_none());
        assert!(fired(&RULE, &calling("__ieee754_pow_fma", 0.15, Some(66_000_000))).is_none());
        assert!(fired(&RULE, &calling("memcpy", 0.8, Some(66_000_000))).is_none());
        let mut angles = calling("__ieee754_atan2_fma", 0.8, Some(66_000_000));
        angles.functions.truncate(1);
        assert!(fired(&RULE, &angles).is_none());
    }

    #[test]
    fn silent_without_counted_calls() {
        assert!(fired(&RULE, &calling("__ieee754_pow_fma", 0.8, None)).is_none());
    }
}
