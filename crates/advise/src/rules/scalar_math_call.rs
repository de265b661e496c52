//! Calls to scalar mathematics functions from a hot loop.

use crate::evidence::{Calls, Time};
use crate::facts::{FIRM_SAMPLES, MIN_SHARE};
use crate::prelude::*;
use crate::rules::in_order_fp_sum;
use loopwright_analysis::mathematics;
use loopwright_analysis::place::base_name;
use loopwright_binary::facts::ElementType;
use std::collections::BTreeSet;

/// Id of its recommendation.
pub const VECTOR_MATH_LIBRARY: &str = "vector-math-library";

pub(crate) static RULE: Rule = Rule {
    id: "scalar-math-call",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("scalar_math_call.md")),
};

/// A call of each iteration takes more than this of the loop's own time: the fastest of these functions takes some ten
/// cycles (glibc's `fmod` and `exp`, Agner Fog's instruction tables for what they consist of).
const CALLED_AT_ALL: f64 = 0.02;

/// Vectors of fewer results are not worth their set-up.
const FEWEST_LANES: f64 = 2.0;
/// Part of the iterations that call, from which on nearly all do.
const MOSTLY_CALLS: f64 = 0.95;

/// The scalar mathematics functions that the loop's code calls.
fn called(of: &LoopFacts) -> BTreeSet<&'static str> {
    of.calls.iter().filter_map(|c| mathematics::scalar_function(c.target.as_deref()?)).collect()
}

/// Whether a function is one of these, by whichever of its names.
fn is_one(names: &BTreeSet<&'static str>) -> impl Fn(&str) -> bool {
    |name| mathematics::scalar_function(name).is_some_and(|n| names.contains(n))
}

/// The loop was sampled often, and what it calls was not met: the calls are in its code and do not run.
pub fn calls_never_run(facts: &Facts, of: &LoopFacts) -> bool {
    // A library without symbols has no function names: its time as a whole is the most that the calls can have taken.
    let of_library: f64 = (facts.analysis.modules.iter())
        .filter(|m| base_name(&m.path).starts_with("libm"))
        .map(|m| m.self_share)
        .sum();
    let names = called(of);
    let below = (of.total_share - of.self_share).max(0.0);
    let inside = facts.share_inside(is_one(&names)).max(of_library).max(below);
    !names.is_empty() && facts.group_samples(of) >= FIRM_SAMPLES && inside < CALLED_AT_ALL * of.group_share
}

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let names = called(of);
    // Where one call's argument needs the result before, several cannot be computed at a time.
    let vectorisable = names.iter().all(|n| mathematics::in_libmvec(n));
    if names.is_empty() || !vectorisable || calls_never_run(facts, of) || facts.forbids_vectors(of) {
        return None;
    }
    let checked = facts.dependence(of).is_some();
    let listed = names.iter().copied().collect::<Vec<_>>().join(", ");
    let callees = facts.share_called(of, is_one(&names));
    // Iterations that do not call keep their time.
    let calling = facts.calls_each(of).map_or(1.0, |each| each.min(1.0));
    let share = costs::clean_share(of.group_share * calling + callees);
    if share < MIN_SHARE {
        return None;
    }
    let single = names.iter().all(|n| n.ends_with('f'));
    let mut new = facts
        .about_loop(&RULE, of)
        .named(VECTOR_MATH_LIBRARY, format!("This loop calls scalar {listed}: use vector versions"))
        .because(
            Provenance::Binary,
            Calls::CalledFunctions {
                functions: names.iter().map(|n| (*n).to_owned()).collect(),
                one_at_a_time: true,
            },
        );
    if callees > 0.0 {
        new = new.because(Provenance::Measured, Time::InsideFunctions { share: callees });
    }
    let element = if single { ElementType::F32 } else { ElementType::F64 };
    let new = match facts.machine().filter(|m| m.vector_bits > element.bits()) {
        Some(machine) => {
            // No more results than there are iterations.
            let trips =
                of.trip_count.as_ref().and_then(|t| t.source_mean.or(t.mean)).unwrap_or(f64::INFINITY);
            let lanes = machine.lanes(machine.vector_bits, element).min(trips.max(1.0));
            if lanes < FEWEST_LANES {
                return None;
            }
            let gain = Gain::between(
                lanes * estimates::VECTOR_CALL_SHARE * estimates::SEEN,
                lanes * estimates::BEST_EFFICIENCY,
            );
            new.because(Provenance::Modelled, Calls::VectorVersions { results: lanes as u32 })
                .gain(share, gain)
                .confidence(Confidence::High)
        }
        None => new.next("loopwright machine --measure"),
    };
    let new = if checked { new } else { new.confidence(Confidence::Medium) };
    let mut how = how_for(of);
    if names.iter().any(|n| n.starts_with("sincos")) {
        how.text.push_str(
            " GCC makes one sincos of a sine and a cosine of one argument and has no vectors for it: compute the arguments into an array, and \
             sines and cosines in two loops over that.",
        );
    }
    if calling < MOSTLY_CALLS {
        how.text.push_str(
            " Not every iteration calls: clang makes masked calls of it, GCC needs a loop that calls in each iteration (compute the function for \
             all, or gather the arguments first).",
        );
    }
    if !checked {
        how.text.push_str(
            " No trace has looked at this loop: where the argument of a call depends on the result of the call before (also through an \
             array, or a random number generator), they have to stay one by one.",
        );
    }
    Some(new.how(how))
}

/// With the flags that reorder the sum of the loop, where it has one: clang makes no vectors without them.
fn how_for(of: &LoopFacts) -> How {
    let mut how = how();
    if in_order_fp_sum::sum(of).is_some() {
        how.text.push_str(
            " The loop carries a floating-point sum: a vector loop adds it up in another order, which -ffast-math allows (clang: \
             -fassociative-math -fno-signed-zeros -fno-trapping-math as well), or `reduction(+:sum)` in the directive.",
        );
        for each in how.flags.iter_mut().filter(|each| each.compiler == "clang, clang++") {
            each.flags.push_str(" -fassociative-math -fno-signed-zeros -fno-trapping-math");
        }
    }
    how
}

/// How to get vector versions; the remedy of the reason `math-library-call` is the same.
pub fn how() -> How {
    how!(RULE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        call, chain, checked, count, fired, fired_on, function, near, scalar_loop, with_loops,
    };
    use loopwright_analysis::model::{ParallelVerdict, VectorVerdict};
    use loopwright_binary::facts::ChainKind;

    fn calling(target: &str) -> LoopFacts {
        scalar_loop(|l| {
            l.calls = vec![call(Some(target))];
            (l.total_share, l.callee_share) = (0.7, 0.4);
        })
    }

    #[test]
    fn fires_on_exp_and_counts_the_time_inside_it() {
        let mut analysis = with_loops(vec![calling("exp")]);
        analysis.functions =
            vec![function("__exp_fma", "libm.so.6", 0.25), function("__sin_fma", "libm.so.6", 0.2)];
        let r = fired(&RULE, &analysis).unwrap();
        assert!((r.share.unwrap() - 0.65).abs() < 1e-9, "sin is not called here: {:?}", r.share);
        assert_eq!((r.id.as_str(), r.confidence), ("vector-math-library", Confidence::Medium));
        assert_eq!(r.loop_gain.unwrap().low(), 1.0);
        assert!(r.how.text.contains("No trace has looked"));
    }

    #[test]
    fn a_trace_makes_it_sure_or_forbids_it() {
        let traced = |vector| {
            let mut of = calling("exp");
            checked(&mut of, vector, ParallelVerdict::Independent);
            fired_on(&RULE, of)
        };
        let r = traced(VectorVerdict::Safe).unwrap();
        assert_eq!(r.confidence, Confidence::High);
        assert!(!r.how.text.contains("No trace"));
        assert!(traced(VectorVerdict::Unsafe).is_none(), "the next argument needs this result");
    }

    /// An interpreter's loop has the call in one of many cases; where no time is spent in it, nothing is to be gained.
    #[test]
    fn silent_where_the_call_is_never_executed() {
        let with = |share: f64, samples: u64| {
            let mut of = calling("exp");
            (of.total_share, of.samples) = (of.self_share, samples);
            let mut analysis = with_loops(vec![of]);
            analysis.functions = vec![function("exp", "libm.so.6", share)];
            fired(&RULE, &analysis).is_some()
        };
        assert!(!with(0.0, 400) && with(0.1, 400));
        assert!(with(0.0, 5), "a few samples show nothing");
    }

    #[test]
    fn a_call_in_a_rare_branch_is_worth_its_own_time() {
        let with = |executed: u64, inside: f64| {
            let mut of = calling("pow");
            of.instruction_mix.call = 1;
            count(&mut of, 1, 1_000_000);
            of.work.as_mut().unwrap().mix.call = executed;
            let mut analysis = with_loops(vec![of]);
            analysis.functions = vec![function("pow", "libm.so.6", inside)];
            fired(&RULE, &analysis).map(|r| r.share.unwrap())
        };
        assert!(near(with(1_000_000, 0.2).unwrap(), 0.6));
        assert!(near(with(10_000, 0.2).unwrap(), 0.204));
        assert_eq!(with(2_000, 0.009), None);
    }

    #[test]
    fn no_more_results_than_iterations_and_what_compilers_make_of_it() {
        let with = |name: &str, each: u64, calls: u64| {
            let mut of = calling(name);
            count(&mut of, 10_000, each);
            of.work.as_mut().unwrap().mix.call = calls;
            fired(&RULE, &with_loops(vec![of]))
        };
        let results = |r: &Recommendation| r.said().iter().any(|said| said.contains("3 results"));
        assert!(results(&with("exp", 3, 30_000).unwrap()));
        assert!(with("exp", 1, 10_000).is_none());
        assert!(with("sincos", 100, 1_000_000).unwrap().how.text.contains("two loops"));
        assert!(with("exp", 100, 500_000).unwrap().how.text.contains("Not every iteration"));
    }

    #[test]
    fn a_sum_in_the_loop_needs_flags_that_reorder() {
        let sum = |l: &mut LoopFacts| l.chains = vec![chain(ChainKind::InOrderSum, "xmm0", 4)];
        let mut of = calling("exp");
        let clang = |r: Recommendation| {
            r.how.flags.iter().find(|f| f.compiler == "clang, clang++").unwrap().flags.clone()
        };
        assert!(!clang(fired_on(&RULE, of.clone()).unwrap()).contains("associative"));
        sum(&mut of);
        assert!(clang(fired_on(&RULE, of).unwrap()).contains("-fassociative-math"));
    }

    #[test]
    fn knows_the_names_that_libraries_use() {
        for name in
            ["sin", "sinf", "__exp_finite", "pow@GLIBC_2.29", "__logf_fma", "__sincos_fma", "__powf_sse2"]
        {
            assert!(fired_on(&RULE, calling(name)).is_some(), "{name}");
        }
        let single = fired_on(&RULE, calling("expf")).unwrap();
        assert!(single.loop_gain.unwrap().high() > 7.0, "eight lanes of f32");
    }

    #[test]
    fn silent_on_other_calls_and_on_vector_versions() {
        for name in ["fmod", "malloc", "expand", "_ZGVdN4v_exp", "single", "floor_plan"] {
            assert!(fired_on(&RULE, calling(name)).is_none(), "{name}");
        }
        assert!(fired_on(&RULE, scalar_loop(|l| l.calls = vec![call(None)])).is_none());
    }

    #[test]
    fn without_a_machine_it_asks_for_one() {
        let mut analysis = with_loops(vec![calling("exp")]);
        analysis.machine = None;
        assert_eq!(fired(&RULE, &analysis).unwrap().next.as_deref(), Some("loopwright machine --measure"));
    }
}
