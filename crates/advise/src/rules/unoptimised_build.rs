//! Hot code that was compiled without optimisation.

use crate::evidence::{Compiler, Expected, Experience, Time};
use crate::facts::MIN_SHARE;
use crate::prelude::*;
use crate::producer::Producer;
use crate::traced::NEARLY_ALL;
use loopwright_analysis::model::ModuleSummary;

pub(crate) static RULE: Rule = Rule {
    id: "unoptimised-build",
    check: Check::Module(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("unoptimised_build.md")),
};

fn check(facts: &Facts, module: &ModuleSummary) -> Option<Recommendation> {
    let name = loopwright_analysis::place::base_name(&module.path);
    let mut share = 0.0;
    let mut recorded = 0.0;
    let mut worst: Option<(&str, String, f64)> = None;
    for of in facts
        .analysis
        .loops
        .iter()
        .filter(|l| l.module == name && facts.rebuildable(l) && facts.unoptimised(l))
    {
        share += of.self_share;
        if facts.producer(of).and_then(|p| p.optimisation()).is_some() {
            recorded += of.self_share;
        }
        if worst.as_ref().is_none_or(|w| of.self_share > w.2) {
            worst = Some((&of.function, of.place(), of.self_share));
        }
    }
    // Functions without loops count too, where their options are known.
    let outside: f64 = facts
        .analysis
        .functions
        .iter()
        .filter(|f| {
            f.module == name
                && f.producer.as_deref().is_some_and(|p| Producer::parse(p).optimisation() == Some("0"))
        })
        .map(|f| f.self_share)
        .sum();
    // Where no options are recorded: one build has one set of them, and what holds of all loops holds of the rest.
    let loops: f64 = facts
        .analysis
        .loops
        .iter()
        .filter(|l| l.module == name && facts.rebuildable(l))
        .map(|l| l.self_share)
        .sum();
    let unknown = recorded == 0.0 && outside == 0.0;
    let whole = if unknown && share > 0.0 && share >= NEARLY_ALL * loops { module.self_share } else { 0.0 };
    let share = share.max(outside).max(whole).min(module.self_share.max(share));
    if share < MIN_SHARE {
        return None;
    }
    let mut new = facts.about_module(&RULE, module);
    if let Some((function, place, hot)) = worst {
        new = new.because(
            Provenance::Measured,
            Time::HottestUnoptimisedLoop { share: hot, place, function: function.to_owned() },
        );
    }
    let sure = recorded > 0.0 || outside > 0.0;
    Some(
        new.because(Provenance::Binary, Compiler::Unoptimised { recorded: sure })
            .because(Provenance::Modelled, Expected::FromExperience { of: Experience::OptimisedLoops })
            .gain(share, estimates::OPTIMISED_BUILD)
            .confidence(if sure { Confidence::High } else { Confidence::Medium })
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{GCC_O2, chain, fired, program, scalar_loop, with_loops};
    use loopwright_binary::facts::ChainKind;

    #[test]
    fn fires_on_recorded_options() {
        let l = scalar_loop(|l| l.producer = Some("GNU C17 12.2.0 -mtune=generic -march=x86-64 -g".into()));
        let r = fired(&RULE, &with_loops(vec![l])).unwrap();
        assert_eq!((r.confidence, r.share), (Confidence::High, Some(0.4)));
        assert_eq!(r.place.as_deref(), Some("app"));
    }

    #[test]
    fn fires_on_the_shape_of_the_code_where_nothing_is_recorded() {
        let l = scalar_loop(|l| {
            l.producer = Some("Debian clang version 14.0.6".into());
            l.chains = vec![chain(ChainKind::Induction, "[rbp-0x8]", 5)];
            (l.instruction_mix.load, l.instruction_mix.store, l.instructions) = (8, 2, 18);
        });
        let r = fired(&RULE, &with_loops(vec![l.clone()])).unwrap();
        assert_eq!((r.confidence, r.share), (Confidence::Medium, Some(1.0)), "the rest was built alike");
        let mut optimised = scalar_loop(|l| (l.id, l.group) = (2, 2));
        assert!(
            fired(&RULE, &with_loops(vec![l.clone(), optimised.clone()])).is_none(),
            "one file has one set of options: this loop keeps its counter in memory for another reason"
        );
        optimised.file = Some("/home/u/other.c".into());
        assert_eq!(fired(&RULE, &with_loops(vec![l, optimised])).unwrap().share, Some(0.4));
    }

    #[test]
    fn silent_on_optimised_and_unknown_code() {
        assert!(fired(&RULE, &with_loops(vec![scalar_loop(|l| l.producer = Some(GCC_O2.into()))])).is_none());
        let mut analysis = with_loops(vec![scalar_loop(|l| l.producer = None)]);
        analysis.modules[0].producers.clear();
        assert!(fired(&RULE, &analysis).is_none());
        assert!(fired(&RULE, &program()).is_none(), "no loops");
    }

    #[test]
    fn other_loop_rules_keep_quiet_about_unoptimised_code() {
        let l = scalar_loop(|l| l.producer = Some("GNU C17 12.2.0 -mtune=generic -O0".into()));
        let ids: Vec<String> = crate::advise(&with_loops(vec![l])).into_iter().map(|r| r.id).collect();
        assert_eq!(ids, ["unoptimised-build"]);
    }
}
