//! Hot scalar loops for which a compiler (or the binary) gave a reason with a known remedy.

use crate::chains;
use crate::evidence::{Compiler, Dependences, Vectors};
use crate::prelude::*;
use crate::remedies::{self, BREAK_RECURRENCE, Promise, REMEDIES};
use crate::rules::{
    dispatch_per_element, halving_search, in_order_fp_sum, latency_bound_chain, pointer_chase,
    scalar_math_call, unobserved_dependence,
};
use crate::vectorising;
use loopwright_analysis::place::of_a_library;
use loopwright_binary::facts::{CallSite, CarriedChain, ChainKind, Trait};
use loopwright_remarks::reasons::Reason;
use std::fmt::Write as _;

pub(crate) static RULE: Rule = Rule {
    id: "hot-scalar-loop",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[pointer_chase::RULE.id, dispatch_per_element::DISPATCH_PER_BLOCK],
    doc: Doc::parse(include_str!("hot_scalar_loop.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if of.vectorized || of.idiom.is_some() {
        return None;
    }
    let (why, reason, remedy) = remedies::usable_reason(of)?;
    // What a compiler assumes and a traced run has answered is the matter of two rules of their own.
    if unobserved_dependence::answered(facts, of) {
        return None;
    }
    // Whatever else keeps the compiler away: a traced dependence forbids vectors, and those that are forced give wrong results.
    if remedy.promise != Promise::Nothing && facts.forbids_vectors(of) {
        return None;
    }
    if remedy.promise != Promise::Nothing && vectorising::too_short(facts, of) {
        return None;
    }
    let said_by_compiler = why.provenance == Provenance::Compiler;
    let holds = match reason.id {
        "math-library-call" => !scalar_math_call::calls_never_run(facts, of),
        "recurrence" => waits_for_recurrence(facts, of, said_by_compiler),
        "opaque-call" => calls_what_can_be_seen(facts, of),
        "fp-reduction-order" => in_order_fp_sum::sum(of)
            .is_none_or(|sum| in_order_fp_sum::adds_in_most(facts, of, sum) && !chains::is_serial(of)),
        _ => true,
    };
    if !holds {
        return None;
    }
    let new = facts
        .about_loop(&RULE, of)
        .named(remedy.id, remedy.title)
        .because(Provenance::Binary, Vectors::ScalarArithmetic)
        .because(why.provenance, Compiler::why_not(why, Some(reason.title)));
    let mut new = match remedy.promise {
        Promise::Vector => vectorising::predicted(new, facts, of),
        Promise::Perhaps => vectorising::predicted(new, facts, of).from_nothing(),
        Promise::Nothing => new,
    };
    // A chain or call that stays would keep the loop scalar whatever else is changed.
    let obstacle = chains::is_serial(of);
    if obstacle && remedy.promise != Promise::Nothing {
        new = new.from_nothing().because(Provenance::Binary, Dependences::AlsoCarriesValue);
    }
    let confidence = match (said_by_compiler, obstacle) {
        (true, false) => remedy.confidence,
        (false, true) => Confidence::Low,
        _ => remedy.confidence.lowered(),
    };
    if !said_by_compiler {
        // The code shows one obstacle; the compiler knows them all.
        if let Some(build) = facts.build_for(of) {
            new = new.next(build);
        }
    } else if let Some(collection) =
        remedy.collection.filter(|verb| *verb != "tripcounts" || facts.lacks_counts(of))
    {
        new = new.next(facts.collect(collection, of));
    }
    let how = if remedy.id == BREAK_RECURRENCE {
        if let Some(chain) = longest_recurrence(of) {
            new = facts.because_of_cycles(new, of, chain);
            // Others side by side take the same time; how many, the loops around decide.
            if facts.chain_share(of, chain).is_some_and(|share| share >= WAITS) {
                new = new.gain(of.group_share, Gain::up_to(estimates::SIDE_BY_SIDE));
            }
        }
        latency_bound_chain::how_to_overlap()
    } else {
        how(reason)
    };
    Some(new.confidence(confidence).how(how))
}

/// A chain that takes this part of the measured time is what the loop waits for.
const WAITS: f64 = 0.7;

fn longest_recurrence(of: &LoopFacts) -> Option<&CarriedChain> {
    of.chains.iter().filter(|c| c.kind == ChainKind::Recurrence).max_by_key(|c| c.latency_cycles)
}

/// The recurrence is the user's, takes most of the measured time, and several of them may overlap: other rules explain searches,
/// and a loop that its data ends or a generator of numbers cannot be taken apart. Without counts a compiler's word is enough.
fn waits_for_recurrence(facts: &Facts, of: &LoopFacts, said_by_compiler: bool) -> bool {
    let ends_by_data = of.exits > 1 && of.traits.contains(&Trait::EarlyExit);
    if ends_by_data
        || chains::generates(of)
        || !facts.written_by_user(of)
        || halving_search::explains(facts, of)
    {
        return false;
    }
    match longest_recurrence(of).and_then(|chain| facts.chain_share(of, chain)) {
        Some(share) => (WAITS..=facts.possible_share(of)).contains(&share),
        None => said_by_compiler,
    }
}

/// Calls in fewer iterations than this part of them keep no iteration waiting.
const NOTICEABLE_CALLS: f64 = 0.1;

/// The calls run, no other obstacle remains, and the called functions are the user's: run-time libraries of compilers,
/// allocators and the C library have no source that could be inlined.
fn calls_what_can_be_seen(facts: &Facts, of: &LoopFacts) -> bool {
    if chains::is_serial(of) || facts.calls_each(of).is_some_and(|each| each < NOTICEABLE_CALLS) {
        return false;
    }
    let own = |name: &str| {
        let mut functions = facts.analysis.functions.iter();
        let known = functions.find(|f| f.function == name);
        known.is_some_and(|f| f.main_module && !f.file.as_deref().is_some_and(of_a_library))
            && !name.starts_with("__")
    };
    let runs = |call: &CallSite| facts.executed_each(of, call.address).is_none_or(|each| each > 0.0);
    let mut running = of.calls.iter().filter(|call| runs(call)).peekable();
    of.calls.is_empty() || running.peek().is_some() && running.all(|c| c.target.as_deref().is_some_and(own))
}

/// The reason's remedies and examples in the form of advice.
fn how(reason: &Reason) -> How {
    let sentences: Vec<&str> =
        reason.remedies.iter().filter(|r| matches!(r.by, "any" | "source")).map(|r| r.what).collect();
    let mut text = if sentences.is_empty() { reason.meaning.to_owned() } else { sentences.join(" ") };
    if !reason.caveats.is_empty() {
        let _ = write!(text, " Beware: {}", reason.caveats);
    }
    let mut how = How::new(text);
    if !reason.c.mended.is_empty() {
        how = how.c(reason.c.bad, reason.c.mended);
    }
    if !reason.fortran.mended.is_empty() {
        how = how.fortran(reason.fortran.bad, reason.fortran.mended);
    }
    let proven = |flags: &[&str]| {
        if flags.is_empty() { String::new() } else { format!("-O3 -march=native {}", flags.join(" ")) }
    };
    for (compiler, family, flags) in
        [("gcc, g++", "gcc", reason.c.mended_flags), ("gfortran", "gcc", reason.fortran.mended_flags)]
    {
        let flags = proven(flags);
        if !flags.is_empty() && !reason.remedies.iter().any(|r| r.by == family && r.what == flags) {
            how = how.flags(compiler, &flags);
        }
    }
    for remedy in reason.remedies.iter().filter(|r| matches!(r.by, "gcc" | "clang" | "intel")) {
        how = how.flags(remedy.by, remedy.what);
    }
    if how.flags.is_empty() { vectorising::with_vector_flags(how) } else { how }
}

/// The chapter of the handbook that lists what follows from which reason.
pub fn table_of_remedies() -> String {
    let mut text = String::from(
        "\n## Remedies by reason\n\nWhat `hot-scalar-loop` recommends.\n\n| reason | recommendation | in words |\n| --- | --- | --- |\n",
    );
    for remedy in REMEDIES {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| `{}` | `{}` | {} |", remedy.reason, remedy.id, remedy.title);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        call, chain, count, fired, fired_on, function, measured, near, scalar_loop, states, vector_loop,
        with_loops,
    };
    use loopwright_analysis::model::WhyNot;
    use loopwright_remarks::reasons;

    fn because(reason: &str, provenance: Provenance) -> LoopFacts {
        let compiler = (provenance == Provenance::Compiler).then(|| "gcc 12.2".to_owned());
        let why = WhyNot {
            reason: reason.into(),
            compiler,
            message: "the message".into(),
            file: None,
            line: None,
            provenance,
        };
        scalar_loop(|l| l.why_not = vec![why])
    }

    #[test]
    fn fires_for_every_reason_with_its_own_remedy() {
        for remedy in REMEDIES {
            let r = fired_on(&RULE, because(remedy.reason, Provenance::Compiler)).unwrap();
            assert_eq!((r.id.as_str(), r.rule.as_str()), (remedy.id, RULE.id));
            assert!(
                states!(r, Compiler::WhyNot { reason, message, .. } if message.contains("the message") && reason == remedy.reason),
                "{}",
                remedy.reason
            );
            assert!(
                r.how.text.len() > 30 && (remedy.id == BREAK_RECURRENCE || !r.how.flags.is_empty()),
                "{}",
                remedy.reason
            );
            // Without a run of its own, a prediction still asks for the trips that would sharpen it.
            let verb = remedy.collection.or((remedy.promise != Promise::Nothing).then_some("tripcounts"));
            let asked = r.next.as_deref().and_then(|next| next.split_whitespace().nth(1));
            assert_eq!(asked, verb, "{}", remedy.reason);
            match (remedy.promise, r.loop_gain) {
                (Promise::Nothing, None) => {}
                (Promise::Perhaps, Some(gain)) => assert_eq!(gain.low(), 1.0),
                (Promise::Vector, Some(gain)) => assert!(gain.high() > 2.0),
                other => panic!("{}: {other:?}", remedy.reason),
            }
        }
    }

    #[test]
    fn what_the_binary_shows_is_less_sure_than_what_a_compiler_says() {
        let said = fired_on(&RULE, because("alias-checks", Provenance::Compiler)).unwrap();
        let seen = fired_on(&RULE, because("alias-checks", Provenance::Binary)).unwrap();
        assert!(said.confidence > seen.confidence);
        assert_eq!(seen.next.as_deref(), Some("loopwright build -- make"));
    }

    #[test]
    fn a_second_obstacle_takes_the_promise_away() {
        let mut l = because("invariant-store", Provenance::Compiler);
        l.chains = vec![chain(ChainKind::Recurrence, "xmm2", 8)];
        let r = fired_on(&RULE, l).unwrap();
        assert_eq!((r.loop_gain.unwrap().low(), r.confidence), (1.0, Confidence::Medium));
    }

    #[test]
    fn no_vectors_are_promised_where_a_dependence_forbids_them() {
        use crate::fixtures::{checked, traced};
        use loopwright_analysis::model::{ParallelVerdict, VectorVerdict};
        let with = |reason: &str, verdict| {
            let mut of = because(reason, Provenance::Compiler);
            checked(&mut of, verdict, ParallelVerdict::Dependent);
            fired(&RULE, &traced(vec![of]))
        };
        assert!(with("fp-reduction-order", VectorVerdict::Safe).is_some());
        assert!(with("fp-reduction-order", VectorVerdict::Unsafe).is_none());
        assert!(with("opaque-call", VectorVerdict::Safe).is_some());
        assert!(with("opaque-call", VectorVerdict::Unsafe).is_none());
    }

    #[test]
    fn silent_on_vector_loops_and_useless_reasons() {
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
        assert!(fired_on(&RULE, because(reasons::NOT_STATED, Provenance::Compiler)).is_none());
        assert!(fired_on(&RULE, because("peel-remainder", Provenance::Compiler)).is_none());
        assert!(fired_on(&RULE, because("no-such-reason", Provenance::Compiler)).is_none());
        let why_not = because("alias-checks", Provenance::Compiler).why_not;
        assert!(fired_on(&RULE, vector_loop(|l| l.why_not = why_not)).is_none());
    }

    /// A loop of 4 s at 3 GHz with a recurrence of four cycles in each of its iterations.
    fn recurrence(iterations: u64, change: fn(&mut LoopFacts)) -> Option<Recommendation> {
        let mut l = because("recurrence", Provenance::Binary);
        l.chains = vec![chain(ChainKind::Recurrence, "xmm2", 4)];
        count(&mut l, 1, iterations);
        change(&mut l);
        fired(&RULE, &measured(vec![l]))
    }

    #[test]
    fn fires_on_a_recurrence_that_takes_the_time() {
        let r = recurrence(2_700_000_000, |_| ()).unwrap();
        assert_eq!(r.id, BREAK_RECURRENCE);
        assert!(states!(r, Dependences::ChainTime { share, .. } if near(*share, 0.9)), "{:?}", r.said());
        assert!(r.how.text.contains("several independent recurrences"));
    }

    #[test]
    fn silent_on_recurrences_that_take_little_generate_or_are_not_the_users() {
        assert!(recurrence(1_500_000_000, |_| ()).is_none(), "half of the time");
        assert!(recurrence(6_000_000_000, |_| ()).is_none(), "twice the time");
        assert!(recurrence(2_700_000_000, |l| l.trip_count = None).is_none(), "not counted");
        let generator = |l: &mut LoopFacts| {
            (l.chains[0].carrier, l.instruction_mix.load) = ("r12".to_owned().into(), 0);
        };
        assert!(recurrence(2_700_000_000, generator).is_none());
        let library = |l: &mut LoopFacts| l.file = Some("/rustc/abc/library/core/src/slice/sort.rs".into());
        assert!(recurrence(2_700_000_000, library).is_none());
        let search = |l: &mut LoopFacts| (l.exits, l.traits) = (2, vec![Trait::EarlyExit]);
        assert!(recurrence(2_700_000_000, search).is_none());
    }

    #[test]
    fn silent_on_calls_that_do_not_run_or_have_no_source() {
        let calling = |name: &str, executed: u64, change: fn(&mut LoopFacts)| {
            let mut l = because("opaque-call", Provenance::Binary);
            (l.calls, l.instruction_mix.call) = (vec![call(Some(name))], 1);
            count(&mut l, 1000, 1000);
            l.executions = vec![(0x1208, executed)];
            l.work.as_mut().unwrap().mix.call = executed;
            change(&mut l);
            let mut analysis = measured(vec![l]);
            analysis.functions = vec![function("own", "app", 0.1), function("__muldc3", "app", 0.1)];
            fired(&RULE, &analysis).map(|r| r.id)
        };
        assert_eq!(calling("own", 1_000_000, |_| ()).as_deref(), Some("inline-call"));
        assert_eq!(calling("own", 2_000, |_| ()), None, "growth of a vector");
        assert_eq!(calling("__muldc3", 1_000_000, |_| ()), None, "a compiler's library");
        assert_eq!(calling("realloc", 1_000_000, |_| ()), None);
        let serial = |l: &mut LoopFacts| l.chains = vec![chain(ChainKind::Recurrence, "xmm2", 4)];
        assert_eq!(calling("own", 1_000_000, serial), None);
    }

    #[test]
    fn silent_on_a_sum_in_a_rare_branch() {
        let sum = |added: u64| {
            let mut l = because("fp-reduction-order", Provenance::Binary);
            l.chains = vec![chain(ChainKind::InOrderSum, "xmm2", 4)];
            count(&mut l, 1, 2_700_000_000);
            l.executions = vec![(0x1210, added)];
            fired(&RULE, &measured(vec![l])).is_some()
        };
        assert!(sum(2_700_000_000) && !sum(100_000_000));
    }

    #[test]
    fn the_first_usable_reason_counts() {
        let mut l = because("peel-remainder", Provenance::Compiler);
        l.why_not.extend(because("exceptions", Provenance::Compiler).why_not);
        assert_eq!(fired_on(&RULE, l).unwrap().id, "no-exceptions-in-loop");
    }

    #[test]
    fn without_a_machine_it_asks_for_one() {
        let mut analysis = with_loops(vec![because("code-size", Provenance::Compiler)]);
        analysis.machine = None;
        let r = fired(&RULE, &analysis).unwrap();
        assert_eq!((r.loop_gain, r.next.as_deref()), (None, Some("loopwright machine --measure")));
    }
}
