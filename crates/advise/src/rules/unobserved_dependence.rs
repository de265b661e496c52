//! Scalar loops whose dependence the compiler assumed and a traced run never saw.

use crate::evidence::words::listed;
use crate::evidence::{Compiler, Dependences, NotSeen, Vectors};
use crate::facts::reloads;
use crate::prelude::*;
use crate::registers::is_register;
use crate::remedies;
use crate::rules::{idiom_loop, in_order_fp_sum, pointer_chase, scalar_math_call};
use crate::vectorising;
use loopwright_analysis::model::{CarriedScalar, DependenceFacts, VectorVerdict, WhyNot};
use loopwright_binary::facts::Trait;
use loopwright_vocabulary::Language;
use std::collections::BTreeSet;

/// Id of its recommendation.
pub const ASSERT_INDEPENDENCE: &str = "assert-independence";
/// Id of another one.
pub const PROMISE_NO_ALIAS: &str = "promise-no-alias";

/// And of options for loops without a statement of their own, as the compiler's reason `very-cheap-cost-model` has it.
pub const OPTIMISE_FOR_VECTORS: &str = "optimise-for-vectors";

pub(crate) static RULE: Rule = Rule {
    id: "unobserved-dependence",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[
        in_order_fp_sum::REORDER_SUM,
        scalar_math_call::VECTOR_MATH_LIBRARY,
        pointer_chase::RULE.id,
        idiom_loop::RULE.id,
    ],
    doc: Doc::parse(include_str!("unobserved_dependence.md")),
};

/// Reasons that are assumptions about memory: a trace can show whether they hold.
const ASSUMED: [&str; 5] =
    ["loop-carried-dependence", "alias-checks", "unknown-bounds", "histogram", "non-affine-subscript"];
/// Of these the pointers are the cause: `restrict` says it better than a directive on each loop.
const OF_POINTERS: [&str; 1] = ["alias-checks"];
/// Fewer iterations than this are an example, no evidence.
const FEW_ITERATIONS: u64 = 100;
/// As many, from several entries, make an overlap that depends on the data likely to have shown.
const MANY_ITERATIONS: u64 = 10_000;
const SEVERAL_ENTRIES: u64 = 8;

/// The reason for which a loop is scalar, when it is one that a dependence check answers.
pub fn assumed(of: &LoopFacts) -> Option<&WhyNot> {
    let (why, reason, _) = remedies::usable_reason(of)?;
    ASSUMED.contains(&reason.id).then_some(why)
}

/// A dependence check has answered the question that keeps this loop scalar, whatever the answer.
pub fn answered(facts: &Facts, of: &LoopFacts) -> bool {
    let known = facts.dependence(of).is_some_and(|d| d.vector != VectorVerdict::Unknown);
    known && !of.vectorized && assumed(of).is_some()
}

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let found = facts.dependence(of)?;
    let reductions = match found.vector {
        VectorVerdict::Safe => false,
        VectorVerdict::SafeWithReductions => true,
        _ => return None,
    };
    if of.vectorized || !of.innermost || of.idiom.is_some() {
        return None;
    }
    // Integers are added up in any order, and nothing is stored: there is nothing to promise.
    if of.instruction_mix.store == 0 && of.instruction_mix.fp_scalar == 0 && reductions {
        return None;
    }
    let why = assumed(of);
    if vectorising::too_short(facts, of) || why.is_none() && !silent_compiler(of) {
        return None;
    }
    let mut new = facts.about_loop(&RULE, of).because(Provenance::Binary, Vectors::ScalarArithmetic);
    if let Some(why) = why {
        new = new.because(why.provenance, Compiler::why_not(why, None));
    }
    new = new.because(
        Provenance::Counted,
        Dependences::NotSeen { which: NotSeen::ForbidsVectors, checked: found.into() },
    );
    if let Some(fact) = Dependences::beyond_horizon(found) {
        new = new.because(Provenance::Counted, fact);
    }
    if is_array_expression(facts, of) {
        return with_options(facts, of, new.confidence(confidence(found, why.is_some())));
    }
    let directive = directive(found, reductions);
    let of_line =
        unnamed(found, false).filter(|_| reductions).map(|of| format!(" ({of})")).unwrap_or_default();
    let of_pointers =
        !reductions && (why.is_some_and(|why| OF_POINTERS.contains(&why.reason.as_str())) || reloads(of) > 0);
    let new = if of_pointers {
        new.named(
            PROMISE_NO_ALIAS,
            "Tell the compiler that these arrays do not overlap: they never did while traced",
        )
    } else {
        new.named(
            ASSERT_INDEPENDENCE,
            format!("Vectorise this loop with `{directive}`{of_line}: no dependence occurred while traced"),
        )
    };
    let floating = found.reductions.iter().any(|r| r.floating);
    Some(vectorising::predicted(new, facts, of).confidence(confidence(found, why.is_some())).how(how(
        facts.language(of),
        &directive,
        of_pointers,
        reductions && floating,
    )))
}

/// No report explains the loop, and its code shows nothing else that keeps vectors away.
fn silent_compiler(of: &LoopFacts) -> bool {
    let arithmetic = of.instruction_mix.fp_scalar + of.instruction_mix.integer > 0;
    let obstacle = [Trait::EarlyExit, Trait::Atomic, Trait::IndirectCall, Trait::Call]
        .iter()
        .any(|t| of.traits.contains(t));
    // A directive does not remove a test of the position or of data in the body ("control flow in loop").
    let straight = of.instruction_mix.branch <= of.exits.max(1);
    remedies::usable_reason(of).is_none()
        && arithmetic
        && !obstacle
        && straight
        && of.calls.is_empty()
        && of.exits <= 1
}

/// An array expression of Fortran: all of the loop is on the one line of its statement, and no directive goes before it.
fn is_array_expression(facts: &Facts, of: &LoopFacts) -> bool {
    let one_line = of.line.is_some_and(|line| of.lines == Some((line, line)));
    facts.language(of) == Some(Language::Fortran) && one_line
}

/// The options that vectorise an array expression; none where they are in use.
fn with_options(facts: &Facts, of: &LoopFacts, new: Recommendation) -> Option<Recommendation> {
    let level = facts.producer(of).and_then(|producer| producer.optimisation());
    if level.is_some_and(|level| matches!(level, "3" | "fast")) {
        return None;
    }
    let new = new.named(
        OPTIMISE_FOR_VECTORS,
        "Compile this array expression at -O3 -march=native: no dependence occurred while traced",
    );
    let text = "Lower levels make no version of a loop for arrays that might overlap, and none with a remainder. An array expression has \
                no loop statement that a directive could precede.";
    Some(vectorising::predicted(new, facts, of).how(vectorising::with_vector_flags(How::new(text))))
}

fn confidence(found: &DependenceFacts, said: bool) -> Confidence {
    let much = found.checked_iterations >= MANY_ITERATIONS && found.checked_entries >= SEVERAL_ENTRIES;
    let sure = match (found.exhaustive || much, found.checked_iterations >= FEW_ITERATIONS) {
        (true, _) => Confidence::High,
        (false, true) => Confidence::Medium,
        (false, false) => Confidence::Low,
    };
    if said { sure } else { sure.lowered() }
}

/// The clauses that the facts ask for: ` reduction(+:sum) private(t)`.
pub fn clauses(found: &DependenceFacts, with_private: bool) -> String {
    let mut text = String::new();
    let mut by_operation: Vec<(&str, Vec<&str>)> = Vec::new();
    for sum in &found.reductions {
        let operation = sum.operation.as_deref().unwrap_or("+");
        let name = variable(sum).unwrap_or(UNNAMED);
        match by_operation.iter_mut().find(|(known, _)| *known == operation) {
            Some((_, names)) if !names.contains(&name) => names.push(name),
            Some(_) => {}
            None => by_operation.push((operation, vec![name])),
        }
    }
    for (operation, names) in by_operation {
        text.push_str(&format!(" reduction({operation}:{})", names.join(",")));
    }
    let private: Vec<&str> = private(found).map(|s| variable(s).unwrap_or(UNNAMED)).collect();
    if with_private && !private.is_empty() {
        text.push_str(&format!(" private({})", private.join(",")));
    }
    text
}

/// The scalars that are written before they are read. Where lines are known, variables have names; what has none is an element of an
/// array, or the compiler's: a return address, a value that it saved.
pub fn private(found: &DependenceFacts) -> impl Iterator<Item = &CarriedScalar> {
    found.private.iter().filter(|scalar| scalar.line.is_none() || variable(scalar).is_some())
}

/// What a directive has in place of a scalar that only a register is known of.
const UNNAMED: &str = "VARIABLE";

/// Which variables [`UNNAMED`] represents in the clauses, if any: `VARIABLE: that of line 39`.
pub fn unnamed(found: &DependenceFacts, with_private: bool) -> Option<String> {
    let private = private(found).filter(|_| with_private);
    let unnamed: Vec<_> =
        found.reductions.iter().chain(private).filter(|scalar| variable(scalar).is_none()).collect();
    let lines: BTreeSet<u32> = unnamed.iter().filter_map(|scalar| scalar.line).collect();
    let lines: Vec<String> = lines.into_iter().map(|line| format!("line {line}")).collect();
    let of = if lines.is_empty() { "the loop".to_owned() } else { listed(&lines) };
    (!unnamed.is_empty()).then(|| format!("{UNNAMED}: that of {of}"))
}

/// A scalar's name in a clause. Registers have none in the source.
fn variable(scalar: &CarriedScalar) -> Option<&str> {
    Some(scalar.name.as_str()).filter(|name| is_variable(name))
}

/// The plain name of a variable: no expression, register or address.
pub fn is_variable(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty()
        && name.chars().all(plain)
        && !is_register(name)
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn directive(found: &DependenceFacts, reductions: bool) -> String {
    if reductions { format!("omp simd{}", clauses(found, false)) } else { "omp simd".to_owned() }
}

fn how(language: Option<Language>, directive: &str, of_pointers: bool, reorders: bool) -> How {
    let mut ways =
        vec![format!("put `{directive}` before the loop (`-fopenmp-simd`, no OpenMP run time is needed)")];
    if of_pointers {
        ways.insert(0, "declare the pointers `restrict` (C; `__restrict__` in C++)".to_owned());
    }
    if language == Some(Language::Rust) {
        ways = vec!["pass slices instead of raw pointers (a `&mut` slice never overlaps another), or walk them with `zip` and `chunks_exact`".to_owned()];
    }
    let mut text = format!(
        "If the algorithm, too, says that iterations do not touch each other's data, {}. This is a promise: where it does not hold, the results \
         are wrong without a warning. Compare the results before and after, on several inputs.",
        ways.join(", or ")
    );
    if language == Some(Language::Fortran) {
        text.push_str(
            " In Fortran plain dummy arguments instead of `pointer` ones, or `do concurrent`, say the same.",
        );
    }
    if reorders {
        text.push_str(
            " A floating-point reduction is added up in another order: results change in their last digits.",
        );
    }
    let pragma = format!("#pragma {directive}\n");
    let sentinel = format!("!$ {directive}\n").replace("!$ ", "!$");
    let c_before = "void f(double *a, const double *b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = b[i] * s[0];\n}";
    let c_after = if of_pointers {
        "void f(double *restrict a, const double *restrict b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = b[i] * s[0];\n}".to_owned()
    } else {
        format!(
            "void f(double *a, const double *b, int n) {{\n    {pragma}    for (int i = 0; i < n; i++)\n        a[i] = b[i] * s[0];\n}}"
        )
    };
    vectorising::with_vector_flags(How::new(text).c(c_before, &c_after).fortran(
        "do i = 1, n\n  a(k(i)) = b(i) * s\nend do",
        &format!(
            "{sentinel}do i = 1, n          ! or: do concurrent (i = 1:n)\n  a(k(i)) = b(i) * s\nend do"
        ),
    ))
    .flags("gcc, g++, gfortran, clang", "-fopenmp-simd")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise;
    use crate::fixtures::{call, checked, fired, scalar_loop, states, traced, vector_loop};
    use loopwright_analysis::model::{Analysis, ParallelVerdict};

    fn because(reason: &str) -> WhyNot {
        WhyNot {
            reason: reason.into(),
            compiler: Some("gcc 12.2".into()),
            message: "the message".into(),
            file: None,
            line: None,
            provenance: Provenance::Compiler,
        }
    }

    fn with(reason: &str, vector: VectorVerdict, change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        traced(vec![scalar_loop(|l| {
            l.why_not = vec![because(reason)];
            checked(l, vector, ParallelVerdict::Independent);
            change(l);
        })])
    }

    fn facts(l: &mut LoopFacts) -> &mut DependenceFacts {
        l.dependence.as_mut().unwrap()
    }

    #[test]
    fn fires_for_each_assumption_and_says_what_was_checked() {
        for reason in ASSUMED {
            let r = fired(&RULE, &with(reason, VectorVerdict::Safe, |_| ())).unwrap();
            let expected = if reason == "alias-checks" { "promise-no-alias" } else { "assert-independence" };
            assert_eq!((r.id.as_str(), r.confidence), (expected, Confidence::High), "{reason}");
            let said = r.said();
            let said = said.iter().find(|e| e.contains("40000 traced iterations of 40 entries")).unwrap();
            assert!(said.contains("not a proof") && said.ends_with("(counted)"), "{said}");
            assert!(states!(r, Dependences::BeyondHorizon { iterations: 1000 }));
            assert!(r.loop_gain.unwrap().high() > 2.0 && r.how.text.contains("promise"), "{r:?}");
        }
    }

    #[test]
    fn reductions_are_spelled_out() {
        let r = fired(
            &RULE,
            &with("loop-carried-dependence", VectorVerdict::SafeWithReductions, |l| {
                let scalar = |name: &str, operation: &str| CarriedScalar {
                    name: name.into(),
                    line: Some(12),
                    operation: Some(operation.into()),
                    floating: true,
                };
                facts(l).reductions = vec![
                    scalar("sum", "+"),
                    scalar("mass", "+"),
                    scalar("largest", "max"),
                    scalar("xmm3", "*"),
                ];
            }),
        )
        .unwrap();
        assert!(
            r.title.contains("omp simd reduction(+:sum,mass) reduction(max:largest) reduction(*:VARIABLE)"),
            "{}",
            r.title
        );
        assert!(r.how.text.contains("last digits"));
        assert!(r.how.fortran.unwrap().after.starts_with("!$omp simd reduction(+:sum,mass)"));
    }

    #[test]
    fn how_sure_it_is_follows_from_what_was_checked() {
        let of = |iterations, entries, exhaustive| {
            fired(
                &RULE,
                &with("alias-checks", VectorVerdict::Safe, |l| {
                    let found = facts(l);
                    (found.checked_iterations, found.checked_entries, found.exhaustive) =
                        (iterations, entries, exhaustive);
                }),
            )
            .unwrap()
        };
        assert_eq!(of(20, 1, false).confidence, Confidence::Low);
        assert_eq!(of(5_000, 10, false).confidence, Confidence::Medium);
        assert_eq!(of(50_000, 1, false).confidence, Confidence::Medium, "one entry is one pair of arrays");
        assert_eq!(of(50_000, 10, false).confidence, Confidence::High);
        let all = of(50, 1, true);
        assert_eq!(all.confidence, Confidence::High);
        assert!(!states!(all, Dependences::BeyondHorizon { .. }), "{:?}", all.said());
    }

    #[test]
    fn a_loop_that_no_report_explains_is_a_little_less_sure() {
        let silent =
            traced(vec![scalar_loop(|l| checked(l, VectorVerdict::Safe, ParallelVerdict::Independent))]);
        let r = fired(&RULE, &silent).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("assert-independence", Confidence::Medium));
        let ids: Vec<String> = advise(&silent).into_iter().map(|r| r.id).collect();
        assert!(!ids.contains(&"unexplained-scalar-loop".to_owned()), "{ids:?}");
    }

    #[test]
    fn silent_on_tests_in_the_body_that_no_report_explains() {
        let with = |branches| {
            traced(vec![scalar_loop(|l| {
                l.instruction_mix.branch = branches;
                checked(l, VectorVerdict::Safe, ParallelVerdict::Independent);
            })])
        };
        assert!(fired(&RULE, &with(1)).is_some() && fired(&RULE, &with(3)).is_none());
    }

    #[test]
    fn an_array_expression_gets_options_and_no_directive() {
        let with = |producer: &str, lines| {
            traced(vec![scalar_loop(|l| {
                (l.file, l.producer) = (Some("a.f90".into()), Some(producer.into()));
                (l.line, l.lines) = (Some(42), Some(lines));
                checked(l, VectorVerdict::Safe, ParallelVerdict::Independent);
            })])
        };
        let r = fired(&RULE, &with("GNU Fortran2008 12.2.0 -O2", (42, 42))).unwrap();
        assert_eq!(r.id, OPTIMISE_FOR_VECTORS);
        assert!(!r.how.text.contains("omp simd") && r.loop_gain.is_some());
        assert!(fired(&RULE, &with("GNU Fortran2008 12.2.0 -O3", (42, 42))).is_none());
        let r = fired(&RULE, &with("GNU Fortran2008 12.2.0 -O2", (42, 43))).unwrap();
        assert_eq!(r.id, ASSERT_INDEPENDENCE);
    }

    #[test]
    fn one_finding_not_two() {
        let all = advise(&with("alias-checks", VectorVerdict::Safe, |_| ()));
        let rules: Vec<&str> = all.iter().map(|r| r.rule.as_str()).collect();
        assert!(rules.contains(&RULE.id) && !rules.contains(&"hot-scalar-loop"), "{rules:?}");
        assert!(all.iter().all(|r| r.next.as_deref().is_none_or(|n| !n.contains("dependencies"))), "{all:?}");
    }

    #[test]
    fn silent_where_the_check_saw_something_or_could_not_see() {
        for verdict in [VectorVerdict::Unsafe, VectorVerdict::SafeUpTo, VectorVerdict::Unknown] {
            assert!(fired(&RULE, &with("alias-checks", verdict, |_| ())).is_none(), "{verdict:?}");
        }
        assert!(fired(&RULE, &with("alias-checks", VectorVerdict::Safe, |l| l.dependence = None)).is_none());
    }

    #[test]
    fn silent_on_other_reasons_outer_loops_and_vector_loops() {
        for reason in ["opaque-call", "fp-reduction-order", "cost-model"] {
            assert!(fired(&RULE, &with(reason, VectorVerdict::Safe, |_| ())).is_none(), "{reason}");
        }
        assert!(fired(&RULE, &with("alias-checks", VectorVerdict::Safe, |l| l.innermost = false)).is_none());
        let calls =
            with("alias-checks", VectorVerdict::Safe, |l| (l.why_not, l.calls) = (vec![], vec![call(None)]));
        assert!(fired(&RULE, &calls).is_none());
        let packed =
            traced(vec![vector_loop(|l| checked(l, VectorVerdict::Safe, ParallelVerdict::Independent))]);
        assert!(fired(&RULE, &packed).is_none());
    }

    #[test]
    fn silent_without_the_verdict_and_asks_for_a_machine() {
        assert!(fired(&RULE, &with(ASSUMED[0], VectorVerdict::Safe, |l| l.dependence = None)).is_none());
        let mut analysis = with(ASSUMED[0], VectorVerdict::Safe, |_| ());
        analysis.machine = None;
        let r = fired(&RULE, &analysis).unwrap();
        assert_eq!((r.loop_gain, r.next.as_deref()), (None, Some("loopwright machine --measure")));
    }
}
