//! Time in functions of the compiler's run-time library that replace an instruction.

use crate::evidence::{Hot, Time};
use crate::prelude::*;
use loopwright_analysis::model::FunctionFacts;

pub(crate) static RULE: Rule = Rule {
    id: "missing-instruction",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("missing_instruction.md")),
};

/// The functions, and whether only machines with fused multiply-add have their instruction. Every machine with AVX has `popcnt`.
const FUNCTIONS: [(&str, bool); 9] = [
    ("__popcountdi2", false),
    ("__popcountsi2", false),
    ("__popcountti2", false),
    ("__paritydi2", false),
    ("__paritysi2", false),
    ("__extendhfsf2", true),
    ("__truncsfhf2", true),
    ("__gnu_h2f_ieee", true),
    ("__gnu_f2h_ieee", true),
];
/// Below this, even getting rid of them gains less than 3 %.
const NOTICEABLE: f64 = 0.03;

fn check(facts: &Facts) -> Option<Recommendation> {
    let machine = facts.machine()?;
    let has = |late: bool| if late { machine.fma } else { machine.vector_bits >= 256 };
    let is_one = |f: &&FunctionFacts| FUNCTIONS.iter().any(|&(name, late)| f.function == name && has(late));
    let functions: Vec<Hot> = facts
        .analysis
        .functions
        .iter()
        .filter(is_one)
        .map(|f| Hot { function: f.function.clone(), share: f.self_share })
        .collect();
    let share: f64 = functions.iter().map(|f| f.share).sum();
    if share < NOTICEABLE {
        return None;
    }
    let hottest = functions.first()?.function.clone();
    let mut new = facts.about_program(&RULE);
    for Hot { function, share } in functions {
        new = new.because(Provenance::Measured, Time::FunctionShare { share, function });
    }
    Some(
        new.titled(format!("{hottest} does what the processor has an instruction for"))
            .saving(share, estimates::ONE_INSTRUCTION)
            .confidence(Confidence::High)
            .how(
                how!(RULE)
                    .flags("gcc, g++, clang, clang++", "-march=native")
                    .flags("rustc", "-C target-cpu=native"),
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, function, program, states};
    use loopwright_analysis::model::Analysis;

    fn counting(share: f64) -> Analysis {
        Analysis { functions: vec![function("__popcountdi2", "app", share)], ..program() }
    }

    #[test]
    fn fires_on_bits_counted_by_a_function() {
        let r = fired(&RULE, &counting(0.5)).unwrap();
        assert!(states!(r, Time::FunctionShare { function, .. } if function == "__popcountdi2"));
        assert!(r.program_gain.unwrap().low() > 1.5);
    }

    #[test]
    fn silent_on_little_time_and_other_functions() {
        assert!(fired(&RULE, &counting(0.01)).is_none());
        let other = Analysis { functions: vec![function("popcount", "app", 0.5)], ..program() };
        assert!(fired(&RULE, &other).is_none());
    }

    #[test]
    fn silent_without_the_machine() {
        let mut unknown = counting(0.5);
        unknown.machine = None;
        assert!(fired(&RULE, &unknown).is_none());
    }
}
