//! Complex products and quotients that call the compiler's run-time library.

use crate::evidence::{Calls, Time};
use crate::prelude::*;

/// Id of its recommendation.
pub const PLAIN_COMPLEX_ARITHMETIC: &str = "plain-complex-arithmetic";

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "complex-arithmetic-call",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("complex_arithmetic_call.md")),
};

/// Products and quotients in libgcc and compiler-rt, by element type.
const FUNCTIONS: [&str; 8] =
    ["__mulsc3", "__muldc3", "__mulxc3", "__multc3", "__divsc3", "__divdc3", "__divxc3", "__divtc3"];

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let is_called =
        |name: &&&str| of.calls.iter().any(|call| call.target.as_deref().is_some_and(|t| is(t, name)));
    let called: Vec<&str> = FUNCTIONS.iter().filter(is_called).copied().collect();
    if called.is_empty() {
        return None;
    }
    let callees = facts.share_called(of, |function| called.iter().any(|name| is(function, name)));
    let share = costs::clean_share(of.group_share + callees);
    let mut new = facts
        .about_loop(&RULE, of)
        .named(PLAIN_COMPLEX_ARITHMETIC, "Allow the plain formulas for complex products and quotients")
        .because(
            Provenance::Binary,
            Calls::CalledFunctions {
                functions: called.iter().map(|name| (*name).to_owned()).collect(),
                one_at_a_time: true,
            },
        );
    if callees > 0.0 {
        new = new.because(Provenance::Measured, Time::InsideFunctions { share: callees });
    }
    let (least, most) = estimates::PLAIN_COMPLEX;
    let part = callees / share.max(f64::MIN_POSITIVE);
    let fewer = Gain::removing_between(part * least, part * most);
    // Without the calls vectors are possible, where nothing else forbids them.
    let vectors = Some(of)
        .filter(|of| !facts.forbids_vectors(of))
        .and_then(|of| gain::vectorise(facts, of))
        .map_or(1.0, |estimate| estimate.gain.high() * estimates::POOR_EFFICIENCY);
    let gain = Gain::between(fewer.low(), fewer.high().max(vectors));
    let confidence = if callees > 0.0 { Confidence::High } else { Confidence::Medium };
    Some(new.gain(share, gain).confidence(confidence).how(how!(RULE)))
}

/// Whether a symbol, with its version or not, is this function.
fn is(symbol: &str, name: &str) -> bool {
    symbol.split('@').next() == Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, fired, fired_on, function, scalar_loop, with_loops};

    fn dividing() -> LoopFacts {
        scalar_loop(|l| {
            l.calls = vec![call(Some("__muldc3")), call(Some("__divdc3@GCC_4.0.0"))];
            (l.group_share, l.self_share, l.total_share) = (0.3, 0.3, 0.9);
        })
    }

    #[test]
    fn fires_with_the_time_inside_the_functions() {
        let mut analysis = with_loops(vec![dividing()]);
        analysis.functions = vec![function("__divdc3", "app", 0.5), function("exp", "libm.so.6", 0.1)];
        let r = fired(&RULE, &analysis).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), (PLAIN_COMPLEX_ARITHMETIC, Confidence::High));
        assert!((r.share.unwrap() - 0.8).abs() < 1e-9, "{:?}", r.share);
        let (least, most) = estimates::PLAIN_COMPLEX;
        assert!((r.program_gain.unwrap().low() - 1.0 / (1.0 - 0.5 * least)).abs() < 1e-9);
        assert!(r.program_gain.unwrap().high() >= 1.0 / (1.0 - 0.5 * most) - 1e-9);
    }

    #[test]
    fn without_time_in_them_only_vectors_are_to_be_gained() {
        let r = fired_on(&RULE, dividing()).unwrap();
        assert_eq!((r.loop_gain.unwrap().low(), r.confidence), (1.0, Confidence::Medium));
    }

    #[test]
    fn silent_on_other_calls() {
        assert!(
            fired_on(&RULE, scalar_loop(|l| l.calls = vec![call(Some("__muldc3_mine")), call(None)]))
                .is_none()
        );
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
    }

    #[test]
    fn without_a_machine_only_the_calls_count() {
        let mut analysis = with_loops(vec![dividing()]);
        analysis.machine = None;
        analysis.functions = vec![function("__divdc3", "app", 0.5)];
        let most = estimates::PLAIN_COMPLEX.1;
        assert!(
            (fired(&RULE, &analysis).unwrap().program_gain.unwrap().high() - 1.0 / (1.0 - 0.5 * most)).abs()
                < 1e-9
        );
    }
}
