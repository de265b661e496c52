//! Compilers that disagree: one vectorises a loop that the one in use leaves scalar.

use crate::evidence::{Compiler, Vectors};
use crate::prelude::*;
use crate::rules::in_order_fp_sum;
use crate::vectorising;

pub(crate) static RULE: Rule = Rule {
    id: "other-compiler-vectorises",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[in_order_fp_sum::REORDER_SUM],
    doc: Doc::parse(include_str!("other_compiler_vectorises.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if of.vectorized || of.compilers.iter().all(|c| c.vectorized) || vectorising::too_short(facts, of) {
        return None;
    }
    let able = of.compilers.iter().find(|c| c.vectorized)?;
    let unable = of.compilers.iter().filter(|c| !c.vectorized).map(|c| c.compiler.clone()).collect();
    let mut new = facts
        .about_loop(&RULE, of)
        .titled(format!("{} vectorises this loop", able.compiler))
        .because(Provenance::Binary, Vectors::ScalarArithmetic)
        .because(Provenance::Compiler, Compiler::OthersVectorise { able: able.compiler.clone(), unable });
    if let Some(bytes) = able.vector_bytes {
        new = new.because(Provenance::Compiler, Compiler::VectorBytes { bytes });
    }
    let how = vectorising::with_vector_flags(How::new(format!(
        "Build this file with {}; objects of GCC and clang link together. Check the results, then measure.",
        able.compiler
    )));
    Some(vectorising::predicted(new, facts, of).confidence(Confidence::Medium).how(how))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, fired_on, scalar_loop, states, vector_loop, with_loops};
    use loopwright_analysis::model::CompilerClaim;

    fn claims(gcc: bool, clang: bool) -> Vec<CompilerClaim> {
        let claim = |compiler: &str, vectorized| CompilerClaim {
            compiler: compiler.into(),
            vectorized,
            vector_bytes: Some(32),
        };
        vec![claim("gcc 12.2", gcc), claim("clang 14", clang)]
    }

    #[test]
    fn fires_when_they_disagree() {
        let r = fired_on(&RULE, scalar_loop(|l| l.compilers = claims(false, true))).unwrap();
        assert_eq!(r.title, "clang 14 vectorises this loop");
        assert!(states!(r, Compiler::OthersVectorise { unable, .. } if unable[..] == ["gcc 12.2"]));
    }

    #[test]
    fn silent_when_they_agree_nobody_was_asked_or_it_is_vectorised() {
        assert!(fired_on(&RULE, scalar_loop(|l| l.compilers = claims(false, false))).is_none());
        assert!(
            fired_on(&RULE, scalar_loop(|l| l.compilers = claims(true, true))).is_none(),
            "an in-order reduction, not a better compiler"
        );
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
        assert!(fired_on(&RULE, vector_loop(|l| l.compilers = claims(true, false))).is_none());
    }

    #[test]
    fn without_a_machine_it_asks_for_one() {
        let mut analysis = with_loops(vec![scalar_loop(|l| l.compilers = claims(false, true))]);
        analysis.machine = None;
        let r = fired(&RULE, &analysis).unwrap();
        assert_eq!((r.loop_gain, r.next.as_deref()), (None, Some("loopwright machine --measure")));
    }
}
