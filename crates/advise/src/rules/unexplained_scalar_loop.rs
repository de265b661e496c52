//! Scalar loops that no compiler report mentions: what the code itself shows, and how to get the report.

use crate::evidence::{Calls, ChainRole, Compiler, Dependences, Fact, Vectors, Work};
use crate::prelude::*;
use crate::producer::Family;
use crate::remedies;
use crate::rules::{
    atomic_in_hot_loop, carried_dependence, conditional_work, idiom_loop, in_order_fp_sum, pointer_chase,
    scalar_math_call, tests_in_loop, unobserved_dependence,
};
use crate::vectorising;
use loopwright_binary::facts::{ChainKind, Trait};

pub(crate) static RULE: Rule = Rule {
    id: "unexplained-scalar-loop",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[
        in_order_fp_sum::REORDER_SUM,
        scalar_math_call::VECTOR_MATH_LIBRARY,
        pointer_chase::RULE.id,
        idiom_loop::RULE.id,
        unobserved_dependence::PROMISE_NO_ALIAS,
        atomic_in_hot_loop::PRIVATISE_ATOMIC,
        carried_dependence::BREAK_RECURRENCE,
        unobserved_dependence::ASSERT_INDEPENDENCE,
        unobserved_dependence::OPTIMISE_FOR_VECTORS,
        carried_dependence::SIMD_SAFELEN,
        conditional_work::COMPRESS_ACTIVE_ELEMENTS,
        tests_in_loop::BRANCH_FREE_BODY,
    ],
    doc: Doc::parse(include_str!("unexplained_scalar_loop.md")),
};

/// Part of the program's time.
const WORTH_A_LOOK: f64 = 0.1;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    // The report knows of integer loops too, but without arithmetic there is nothing to vectorise.
    let arithmetic = of.instruction_mix.fp_scalar + of.instruction_mix.integer;
    let explained = remedies::usable_reason(of).is_some();
    // Where nothing is known but that the loop is scalar, it has to be worth a look.
    if of.vectorized
        || !of.innermost
        || of.group_share < WORTH_A_LOOK
        || arithmetic == 0
        || explained
        || of.idiom.is_some()
        // The trace explains it.
        || facts.forbids_vectors(of)
        || vectorising::too_short(facts, of)
    {
        return None;
    }
    let obstacles = obstacles(of);
    let by_nature = obstacles.len() + usize::from(!of.why_not.is_empty());
    let mut new = facts
        .about_loop(&RULE, of)
        .because(Provenance::Binary, Vectors::ScalarInstructions { instructions: arithmetic });
    for why in &of.why_not {
        new = new.because(why.provenance, Compiler::Remark { message: why.message.clone(), quoted: false });
    }
    for obstacle in obstacles {
        new = new.because(Provenance::Binary, obstacle);
    }
    if by_nature == 0 {
        new = vectorising::predicted(new.because(Provenance::Binary, Dependences::NoObstacle), facts, of);
    }
    let low_level = facts
        .producer(of)
        .and_then(|p| p.optimisation())
        .filter(|l| matches!(*l, "1" | "2" | "s" | "z" | "g"));
    let gnu = facts.producer(of).is_some_and(|p| p.family == Family::Gnu);
    let how = match low_level {
        _ if facts.is_of_rust() => how!(RULE, "ask-rustc"),
        Some(level) if gnu || level != "2" => {
            new = new.because(Provenance::Binary, Compiler::OptimisationLevel { level: level.to_owned() });
            vectorising::with_vector_flags(how!(RULE, "optimise"))
        }
        _ if facts.is_reported(of) => vectorising::with_vector_flags(how!(RULE, "not-reported")),
        _ => vectorising::with_vector_flags(how!(RULE, "ask-the-compiler")),
    };
    if facts.is_reported(of) {
        new = new.named(RULE.id, "A hot loop is scalar, and the compiler's report does not say why");
    }
    if let Some(build) = facts.build_for(of) {
        new = new.next(build);
    }
    let confidence = if by_nature == 0 { Confidence::Medium } else { Confidence::Low };
    Some(new.confidence(confidence).how(how))
}

/// What the code shows that keeps vectorisers away.
fn obstacles(of: &LoopFacts) -> Vec<Fact> {
    let mut seen: Vec<Fact> = Vec::new();
    let functions: Vec<String> = of.calls.iter().filter_map(|c| c.target.clone()).collect();
    if !functions.is_empty() {
        seen.push(Calls::CalledFunctions { functions, one_at_a_time: false }.into());
    }
    if of.traits.contains(&Trait::IndirectCall) || of.calls.iter().any(|c| c.target.is_none()) {
        seen.push(Calls::CallsThroughPointer.into());
    }
    if of.instruction_mix.branch > of.exits.max(1) {
        let per_iteration = f64::from(of.instruction_mix.branch);
        seen.push(Work::Branches { per_iteration, with_end: true }.into());
    }
    // Compilers copy the end of a loop: where a check saw no exit that the data decides about, there is one end.
    let one_end = of.dependence.as_ref().is_some_and(|d| d.early_exits.is_empty());
    if of.exits > 1 && !one_end {
        seen.push(Dependences::Exits { exits: of.exits }.into());
    }
    for chain in &of.chains {
        let role = match chain.kind {
            ChainKind::Recurrence => ChainRole::Value,
            ChainKind::PointerChase => ChainRole::NextAddress,
            ChainKind::InOrderSum => ChainRole::OrderedSum,
            ChainKind::Induction | ChainKind::VectorReduction | ChainKind::IntegerReduction => continue,
        };
        seen.push(Dependences::chain(chain, role).into());
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, chain, fired, fired_on, scalar_loop, states, vector_loop, with_loops};
    use loopwright_analysis::model::{CompilerClaim, WhyNot};

    #[test]
    fn fires_and_asks_for_the_report() {
        let r = fired_on(&RULE, scalar_loop(|_| ())).unwrap();
        assert_eq!(r.next.as_deref(), Some("loopwright build -- make"));
        assert_eq!(r.confidence, Confidence::Medium);
        assert!(r.loop_gain.is_some());
        assert!(r.how.text.contains("-O3"), "it was compiled at -O2");
    }

    #[test]
    fn a_build_that_would_tell_nothing_new_is_not_proposed() {
        let claim = CompilerClaim { compiler: "gcc 12.2".into(), vectorized: true, vector_bytes: None };
        let mut other = vector_loop(|l| l.compilers = vec![claim]);
        let silent = scalar_loop(|_| ());
        other.file.clone_from(&silent.file);
        let proposes = |r: &Recommendation| r.next.as_ref().is_some_and(|next| next.contains(" build "));
        let r = fired(&RULE, &with_loops(vec![silent.clone(), other])).unwrap();
        assert!(!proposes(&r), "{:?}", r.next);
        assert!(r.title.contains("report does not say why"), "{}", r.title);
        let mut of_rust = with_loops(vec![silent]);
        let rustc = "clang LLVM (rustc version 1.95.0 (59807616e 2026-04-14))";
        for module in &mut of_rust.modules {
            module.producers = vec![rustc.to_owned()];
        }
        let r = fired(&RULE, &of_rust).unwrap();
        assert!(!proposes(&r), "{:?}", r.next);
        assert!(r.how.text.contains("-C remark"), "{}", r.how.text);
    }

    #[test]
    fn tests_in_the_body_are_an_obstacle() {
        let r = fired_on(&RULE, scalar_loop(|l| l.instruction_mix.branch = 3)).unwrap();
        assert!(states!(r, Work::Branches { .. }) && !states!(r, Dependences::NoObstacle));
        assert_eq!(r.loop_gain, None);
    }

    #[test]
    fn names_what_the_code_shows_and_predicts_nothing_then() {
        let r = fired_on(
            &RULE,
            scalar_loop(|l| {
                l.calls = vec![call(Some("lookup")), call(None)];
                l.exits = 2;
                l.chains = vec![chain(ChainKind::PointerChase, "rbx", 5)];
            }),
        )
        .unwrap();
        for part in ["lookup", "through a pointer", "2 exits", "rbx"] {
            assert!(r.said().iter().any(|e| e.contains(part)), "{part}: {:?}", r.said());
        }
        assert_eq!((r.confidence, r.loop_gain), (Confidence::Low, None));
    }

    #[test]
    fn silent_on_little_time() {
        assert!(fired_on(&RULE, scalar_loop(|l| l.group_share = 0.03)).is_none());
    }

    #[test]
    fn silent_where_a_reason_is_known() {
        let reason = WhyNot {
            reason: "opaque-call".into(),
            compiler: Some("gcc 12.2".into()),
            message: "x".into(),
            file: None,
            line: None,
            provenance: Provenance::Compiler,
        };
        assert!(fired_on(&RULE, scalar_loop(|l| l.why_not = vec![reason])).is_none());
    }

    #[test]
    fn silent_on_vector_loops_outer_loops_and_pure_moves() {
        assert!(fired_on(&RULE, vector_loop(|_| ())).is_none());
        assert!(fired_on(&RULE, scalar_loop(|l| l.innermost = false)).is_none());
        assert!(fired_on(&RULE, scalar_loop(|l| l.instruction_mix.fp_scalar = 0)).is_none());
    }

    #[test]
    fn without_a_machine_nothing_is_predicted() {
        let mut analysis = with_loops(vec![scalar_loop(|_| ())]);
        analysis.machine = None;
        assert!(fired(&RULE, &analysis).unwrap().loop_gain.is_none());
    }
}
