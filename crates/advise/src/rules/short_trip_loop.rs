//! Inner loops whose trip count seems short, judged by the time around them.

use crate::counted::{LEAST_GAIN, distribution};
use crate::evidence::{Change, Entries, Expected, Time, Trips, Whose};
use crate::nest::iterations;
use crate::prelude::*;
use crate::rules::{in_order_fp_sum, short_trip_remainder};
use crate::traced::to_arrays;
use crate::vectorising;
use loopwright_analysis::model::{AccessFacts, FunctionFacts, StridePattern, TripCount};
use loopwright_binary::facts::Trait;

pub(crate) static RULE: Rule = Rule {
    id: "short-trip-loop",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("short_trip_loop.md")),
};

/// In longer loops the remainder hardly matters: at 64 iterations on 4 lanes the worst one is a sixth of the machine iterations.
const SHORT: f64 = 64.0;
/// Padding that saves a smaller factor of iterations than this against a scalar remainder is not worth it.
const LEFT_OVERS: f64 = 1.1;
/// In vector loops of more iterations a remainder shorter than a vector hardly matters.
const SHORT_PASSES: f64 = 16.0;
/// Iterations of a loop around that fill vectors.
const LONG_AROUND: f64 = 32.0;
/// Less of the function's time is call and return.
const LEFT_OVER_PART: f64 = 0.1;
/// A loop of fewer iterations than this is hardly one.
const FEWEST: f64 = 1.5;
/// A smaller share of time around the loop than this is noise.
const NOTICEABLE_AROUND: f64 = 0.01;
/// The loop must be most of what happens, or the surroundings are the problem.
const LEAST_PART: f64 = 0.4;
/// Elements added at the ends of arrays in the advice when the count is not known: one vector of f64 on AVX2.
const USUAL_LENGTH: u32 = 4;

/// Where it is not known whether the count varies, nor how the source gives it.
const SAME_EACH_CALL: &str =
    "If the count is the same in every call, make it a constant of the program, unless it is one.";

struct Surroundings {
    of: Whose,
    /// Its place or name.
    name: String,
    share: f64,
    trips: f64,
}

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.innermost
        || of.constant_trips.is_some()
        || of.idiom.is_some()
        || of.exits > 1
        || !of.vectorized && short_trip_remainder::stays_scalar(facts, of)
    {
        return None;
    }
    if let Some(trips) = of.trip_count.as_ref().filter(|t| t.group_complete && t.source_mean.is_some()) {
        return counted(facts, of, trips);
    }
    if short_trip_remainder::is_piece(facts, of) {
        return None;
    }
    let around = surroundings(facts, of)?;
    let part = of.group_share / (of.group_share + around.share);
    if around.share < NOTICEABLE_AROUND || part < LEAST_PART || !(2.0..=SHORT).contains(&around.trips) {
        return None;
    }
    let length = facts.machine().map_or(USUAL_LENGTH, |m| (m.vector_bits / gain::element(of).bits()).max(2));
    let (low, high) = ((around.trips / 2.0).max(2.0), around.trips * 2.0);
    let estimated = around.trips.round().max(2.0) as u64;
    let (with_remainder, padded) = costs::trips(estimated, length)?;
    let gain = if of.vectorized {
        Gain::up_to(padded / with_remainder)
    } else {
        let best = vectorising::most(facts, of).unwrap_or(padded);
        Gain::up_to(padded.min(best))
    };
    let directive = short_trip_remainder::directive(facts, of);
    let mut how = short_trip_remainder::how_with(&directive, length, of.instruction_mix.fp_scalar > 0);
    how.text = format!("{SAME_EACH_CALL} {}", how.text);
    let title = if of.vectorized {
        "This inner loop seems short: pad it to whole vectors, tell the compiler its count".to_owned()
    } else {
        format!(
            "This inner loop seems short: `{directive}`, pad it to whole vectors, tell the compiler its count"
        )
    };
    Some(
        facts
            .about_loop(&RULE, of)
            .named("pad-short-loop", title)
            .because(
                Provenance::Measured,
                Time::CodeAround { share: around.share, of: around.of, name: around.name },
            )
            .because(Provenance::Modelled, Trips::EstimatedIterations { low, high })
            .because(Provenance::Modelled, Trips::MayBeLeftOver { lanes: length })
            .gain(of.group_share, gain)
            .confidence(Confidence::Low)
            .how(how),
    )
    .map(|new| facts.asking_for_counts(new, of))
}

/// With counts there is nothing to estimate: the distribution gives the iterations that vectors and padding save.
fn counted(facts: &Facts, of: &LoopFacts, trips: &TripCount) -> Option<Recommendation> {
    if of.vectorized {
        // Remainder iterations in a loop have a rule of their own.
        let alone =
            facts.group(of).filter(|l| l.trip_count.as_ref().is_none_or(|t| t.iterations > 0)).count() == 1;
        return alone.then(|| straight_left_overs(facts, of, trips)).flatten();
    }
    let mean = trips.source_mean.filter(|mean| (FEWEST..=SHORT).contains(mean))?;
    let length = facts.machine().map_or(USUAL_LENGTH, |m| (m.vector_bits / gain::element(of).bits()).max(2));
    let (with_remainder, padded) = costs::trips_of(&distribution(trips), length)
        .or_else(|| costs::trips((mean.round() as u64).max(1), length))?;
    // Most lanes would be empty; and small elements that are looked up have no vectors at all.
    if f64::from(length) > 2.0 * mean || looks_up_small_elements(of) || !consecutive(facts, of) {
        return None;
    }
    // The sum of each entry can keep its order where the loop around is long enough for vectors.
    let long = facts.around(of).filter(|l| l.function == of.function).and_then(iterations);
    if in_order_fp_sum::sum(of).is_some() && long.is_some_and(|n| n >= LONG_AROUND) {
        return None;
    }
    // Whole vectors, or a remainder that hardly costs: the loop is not too short for its vectors.
    if padded < LEFT_OVERS * with_remainder {
        return None;
    }
    let best = vectorising::most(facts, of).unwrap_or(padded);
    let high = padded.min(best).max(1.0);
    let gain = Gain::between(high * estimates::POOR_EFFICIENCY, high);
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let directive = short_trip_remainder::directive(facts, of);
    let mut how = short_trip_remainder::how_with(&directive, length, of.instruction_mix.fp_scalar > 0);
    let same = trips.min.is_some() && trips.min == trips.max && !trips.approximate;
    let varies = if same {
        "The count is the same in every entry: make it a constant of the program, if the source has none yet."
    } else {
        "The count varies from entry to entry: pad to the next multiple, or let the outer loop be the vector loop."
    };
    how.text = format!("{varies} {}", how.text);
    let mut new = facts
        .about_loop(&RULE, of)
        .named(
            "pad-short-loop",
            format!("This inner loop is short: `{directive}`, pad it to whole vectors, tell the compiler its count"),
        )
        .because(Provenance::Counted, Trips::SourceMean { iterations: mean });
    if let Some(counted) = Entries::of(trips) {
        new = new.because(Provenance::Counted, Trips::Entered { counted, body: false, elements: None });
    }
    Some(
        new.because(
            Provenance::Modelled,
            Trips::PaddedPasses { lanes: length, with_remainder, padded, constant: None },
        )
        .gain(of.group_share, gain)
        .confidence(if same { Confidence::High } else { Confidence::Medium })
        .how(how),
    )
}

/// No access that a trace saw has each element on a line of its own: vectors would collect them one by one.
fn consecutive(facts: &Facts, of: &LoopFacts) -> bool {
    let line = facts.line_bytes();
    let apart = |a: &AccessFacts| match a.pattern {
        StridePattern::Uniform | StridePattern::Unit => false,
        StridePattern::Constant => a.stride_bytes.is_some_and(|b| b.unsigned_abs() as f64 >= line),
        StridePattern::Variable => a.same_line_share < 0.5,
    };
    facts.traced(of).is_none_or(|traced| !to_arrays(traced).any(apart))
}

/// It loads elements of less than 32 bits through computed addresses, which no gather does.
fn looks_up_small_elements(of: &LoopFacts) -> bool {
    gain::element(of).bits() < 32 && gain::loads_elsewhere(of)
}

/// The arithmetic that a function does outside its loop in one call, in source iterations of the loop.
fn arithmetic_around(of: &LoopFacts, function: &FunctionFacts, trips: &TripCount) -> Option<f64> {
    let (all, own) = (function.work.as_ref().filter(|_| function.complete == Some(true))?, of.work.as_ref()?);
    let entries = trips.source_entries.or(trips.entries).filter(|n| *n > 0)? as f64;
    let each = own.flop as f64 / trips.source_iterations.filter(|n| *n > 0)? as f64;
    (each > 0.0).then(|| all.flop.saturating_sub(own.flop) as f64 / entries / each)
}

/// A short vector loop without a remainder loop: the compiler wrote the remainder iterations as straight code after it,
/// which belongs to no loop. The time of the rest of the function shows what they cost.
fn straight_left_overs(facts: &Facts, of: &LoopFacts, trips: &TripCount) -> Option<Recommendation> {
    let mean = trips.mean.filter(|mean| (0.5..=SHORT_PASSES).contains(mean))?;
    let loops = || facts.analysis.loops.iter().filter(|l| l.function == of.function && l.module == of.module);
    if loops().any(|l| l.group != of.group && l.self_share > 0.0) || of.traits.contains(&Trait::Masked) {
        return None;
    }
    let function = facts.function_of(of)?;
    let rest = function.self_share - loops().map(|l| l.self_share).sum::<f64>();
    let (share, pass) = (of.group_share + rest, of.group_share / mean);
    // One more pass of the body is what whole vectors would cost instead.
    if rest < NOTICEABLE_AROUND.max(LEFT_OVER_PART * share) || rest <= pass {
        return None;
    }
    // Counted, the code around the loop does less arithmetic than one iteration would: nothing is left over.
    if arithmetic_around(of, function, trips).is_some_and(|iterations| iterations < 1.0) {
        return None;
    }
    let gain = Gain::up_to(share / (of.group_share + pass));
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let length = trips.source_factor.unwrap_or(1).max(2);
    let mut how = short_trip_remainder::how(length);
    how.text = format!("{SAME_EACH_CALL} {}", how.text);
    let mut new = facts.about_loop(&RULE, of).named(
        "pad-short-loop",
        "This vector loop is short: pad it to whole vectors, tell the compiler its count",
    );
    if let Some(counted) = Entries::of(trips) {
        new =
            new.because(Provenance::Counted, Trips::Entered { counted, body: false, elements: Some(length) });
    }
    Some(
        new.because(
            Provenance::Measured,
            Time::CodeAround { share: rest, of: Whose::StraightCode, name: of.function.clone() },
        )
        .because(Provenance::Modelled, Expected::up_to(Change::OneMorePass, gain.high()))
        .gain(share.min(1.0), gain)
        .confidence(Confidence::Medium)
        .how(how),
    )
}

/// The enclosing loop's own code, or the rest of the function when nothing encloses it.
fn surroundings(facts: &Facts, of: &LoopFacts) -> Option<Surroundings> {
    let body = f64::from(of.instructions.max(1)) / lanes(of);
    if let Some(parent) = facts.around(of) {
        let around = f64::from(parent.instructions.max(1));
        let trips = of.group_share / parent.self_share * around / body;
        let siblings = parent.children.len() > 1;
        // Several inner loops share what is around them; the group's pieces count as one.
        let groups = facts
            .analysis
            .loops
            .iter()
            .filter(|l| l.parent == Some(parent.id) && l.group != of.group)
            .count();
        if siblings && groups > 0 {
            return None;
        }
        return trips.is_finite().then(|| Surroundings {
            of: Whose::EnclosingLoop,
            name: parent.place(),
            share: parent.self_share,
            trips,
        });
    }
    let function =
        facts.analysis.functions.iter().find(|f| f.function == of.function && f.module == of.module)?;
    let in_function =
        || facts.analysis.loops.iter().filter(|l| l.function == of.function && l.module == of.module);
    if in_function().any(|l| l.group != of.group) {
        return None;
    }
    let share = function.self_share - in_function().map(|l| l.self_share).sum::<f64>();
    let trips = of.group_share / share * estimates::FUNCTION_INSTRUCTIONS / body;
    (share > 0.0 && trips.is_finite()).then(|| Surroundings {
        of: Whose::Function,
        name: of.function.clone(),
        share,
        trips,
    })
}

/// Source iterations of one machine iteration.
fn lanes(of: &LoopFacts) -> f64 {
    of.vector.as_ref().filter(|_| of.vectorized).map_or(1.0, |v| f64::from(v.length.max(1) * v.unroll.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        access, call, chain, fired, fired_on, function, scalar_loop, states, trace, with_loops,
    };
    use loopwright_analysis::model::Analysis;
    use loopwright_binary::facts::ChainKind;
    use loopwright_patterns::facts::AccessKind;

    /// 40 % in the loop (18 instructions), `around` in the rest of its function.
    fn called(around: f64) -> Analysis {
        let mut analysis = with_loops(vec![scalar_loop(|l| l.instructions = 18)]);
        analysis.functions = vec![function("kernel", "app", 0.4 + around)];
        analysis
    }

    #[test]
    fn fires_on_a_function_that_is_called_for_nineteen_iterations() {
        // 60 instructions around 19 x 18 inside.
        let r = fired(&RULE, &called(0.4 * 60.0 / (19.0 * 18.0))).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("pad-short-loop", Confidence::Low));
        assert!(
            states!(r, Trips::EstimatedIterations { low, high } if (low.round(), high.round()) == (10.0, 38.0)),
            "{:?}",
            r.said()
        );
        assert!(r.next.unwrap().starts_with("loopwright tripcounts --loops 1"));
    }

    #[test]
    fn fires_inside_an_enclosing_loop() {
        let inner = scalar_loop(|l| (l.parent, l.instructions) = (Some(2), 6));
        let outer = scalar_loop(|l| {
            (l.id, l.group, l.innermost, l.instructions, l.children) = (2, 2, false, 12, vec![1]);
            (l.self_share, l.group_share) = (0.05, 0.05);
        });
        let r = fired(&RULE, &with_loops(vec![inner, outer])).unwrap();
        assert!(states!(r, Time::CodeAround { of: Whose::EnclosingLoop, .. }));
    }

    #[test]
    fn silent_on_long_loops_and_on_costly_surroundings() {
        assert!(fired(&RULE, &called(0.002)).is_none());
        assert!(fired(&RULE, &called(0.8)).is_none());
        assert!(fired(&RULE, &called(0.0)).is_none());
    }

    #[test]
    fn silent_when_several_loops_share_the_surroundings() {
        let mut analysis = called(0.035);
        analysis.loops.push(scalar_loop(|l| (l.id, l.group) = (2, 2)));
        assert!(crate::advise::run(&RULE, &Facts::new(&analysis)).is_empty());
    }

    fn counted_loop(each: u64) -> LoopFacts {
        scalar_loop(|l| {
            crate::fixtures::count(l, 1000, each);
            // Two cycles of 3 GHz per iteration.
            (l.self_seconds, l.total_seconds) = (each as f64 * 0.7e-6, each as f64 * 0.7e-6);
        })
    }

    #[test]
    fn silent_on_columns_and_where_the_loop_around_keeps_the_order() {
        let columns = |stride: i64| {
            let mut of = counted_loop(19);
            trace(&mut of, vec![access("a[k][i]", AccessKind::Load, 8, stride)]);
            fired_on(&RULE, of).is_some()
        };
        assert!(columns(1) && columns(3) && !columns(1000));
        let sum = |around: u64| {
            let mut inner = counted_loop(19);
            (inner.parent, inner.chains) = (Some(2), vec![chain(ChainKind::InOrderSum, "xmm0", 4)]);
            let outer = scalar_loop(|l| {
                (l.id, l.group, l.innermost, l.group_share) = (2, 2, false, 0.0);
                crate::fixtures::count(l, 10, around);
            });
            fired(&RULE, &with_loops(vec![inner, outer])).is_some()
        };
        assert!(sum(4) && !sum(1000));
    }

    #[test]
    fn silent_where_most_lanes_stay_empty() {
        let bytes = |each: u64, loads: u32| {
            let mut of = counted_loop(each);
            of.types = vec![loopwright_binary::facts::ElementType::I8];
            of.instruction_mix.load = loads;
            of
        };
        assert!(fired_on(&RULE, bytes(12, 1)).is_none(), "32 lanes for 12 iterations");
        assert!(fired_on(&RULE, counted_loop(3)).is_some(), "4 lanes for 3");
        assert!(looks_up_small_elements(&bytes(20, 9)) && !looks_up_small_elements(&bytes(20, 0)));
    }

    #[test]
    fn counts_replace_the_estimate() {
        let r = fired_on(&RULE, counted_loop(19)).unwrap();
        assert_eq!((r.id.as_str(), r.confidence, &r.next), ("pad-short-loop", Confidence::High, &None));
        // 19 iterations in 5 passes of 4; no more than the best of four lanes.
        assert!((2.5..=3.8).contains(&r.loop_gain.unwrap().high()), "{:?}", r.loop_gain);
        assert!(r.loop_gain.unwrap().low() > 1.0);
        assert!(states!(r, Trips::Entered { counted: Entries { median: Some(19), .. }, .. }));
    }

    #[test]
    fn a_counted_long_loop_is_not_called_short_by_its_surroundings() {
        let mut analysis = called(0.4 * 60.0 / (19.0 * 18.0));
        assert!(fired(&RULE, &analysis).is_some());
        crate::fixtures::count(&mut analysis.loops[0], 1000, 5000);
        assert!(fired(&RULE, &analysis).is_none());
    }

    #[test]
    fn silent_where_the_count_fills_its_vectors() {
        assert!(fired_on(&RULE, counted_loop(64)).is_none());
        assert!(fired_on(&RULE, counted_loop(16)).is_none());
    }

    /// 60 million entries of one iteration of four, 40 % of the time, and `rest` in the straight code after it.
    fn straight(rest: f64) -> Analysis {
        let body = crate::fixtures::vector_loop(|l| crate::fixtures::count(l, 60_000_000, 2));
        let mut analysis = with_loops(vec![body]);
        analysis.functions = vec![function("kernel", "app", 0.4 + rest)];
        analysis
    }

    #[test]
    fn fires_on_left_overs_that_are_no_loop() {
        // Two passes take 40 %; the rest, 30 %, would be one pass of 20 %.
        let r = fired(&RULE, &straight(0.3)).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("pad-short-loop", Confidence::Medium));
        assert!((r.share.unwrap() - 0.7).abs() < 1e-12);
        assert!((r.loop_gain.unwrap().high() - 0.7 / 0.6).abs() < 1e-9, "{:?}", r.loop_gain);
        assert!(states!(
            r,
            Trips::Entered { counted: Entries { median: Some(2), .. }, elements: Some(4), .. }
        ));
        assert!(fired(&RULE, &straight(0.1)).is_none(), "cheaper than a pass");
    }

    #[test]
    fn counted_arithmetic_tells_left_overs_from_entry_and_exit() {
        // 8 FLOP of the body are four source iterations, entered 60 million times.
        let around = |flop_per_entry: u64| {
            let mut analysis = straight(0.3);
            let mut work = analysis.loops[0].work.clone().unwrap();
            work.flop += flop_per_entry * 60_000_000;
            (analysis.functions[0].work, analysis.functions[0].complete) = (Some(work), Some(true));
            fired(&RULE, &analysis)
        };
        assert!(around(1).is_none(), "less than the 2 FLOP of an iteration");
        assert!(around(6).is_some(), "three iterations");
    }

    #[test]
    fn a_varying_count_is_less_sure() {
        let mut varying = counted_loop(19);
        let trips = varying.trip_count.as_mut().unwrap();
        (trips.min, trips.histogram) = (Some(3), vec![(3, 3, 500), (35, 35, 500)]);
        let r = fired_on(&RULE, varying).unwrap();
        assert_eq!(r.confidence, Confidence::Medium);
        assert!(r.how.text.starts_with("The count varies"));
    }

    #[test]
    fn silent_on_recurrences_and_calls_and_a_sum_has_its_clause() {
        let mut serial = counted_loop(19);
        serial.chains = vec![chain(ChainKind::Recurrence, "edx", 3)];
        assert!(fired_on(&RULE, serial).is_none());
        let mut calling = counted_loop(19);
        calling.calls = vec![call(Some("sin"))];
        assert!(fired_on(&RULE, calling).is_none());
        let mut sum = counted_loop(19);
        sum.chains = vec![chain(ChainKind::InOrderSum, "xmm0", 4)];
        let r = fired_on(&RULE, sum).unwrap();
        assert!(r.title.contains("`omp simd reduction(+:VARIABLE)`"), "{}", r.title);
    }

    #[test]
    fn silent_without_the_function() {
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
    }
}
