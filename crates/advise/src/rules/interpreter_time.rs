//! Time in an interpreter itself.

use crate::evidence::{Expected, Experience};
use crate::libraries;
use crate::prelude::*;
use loopwright_analysis::model::ModuleSummary;
use loopwright_analysis::place::base_name;

pub(crate) static RULE: Rule = Rule {
    id: "interpreter-time",
    check: Check::Module(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("interpreter_time.md")),
};

/// Starting an interpreter and importing takes a part of every short script.
const NOTICEABLE: f64 = 0.20;

fn check(facts: &Facts, module: &ModuleSummary) -> Option<Recommendation> {
    let name = base_name(&module.path);
    if !libraries::is_interpreter(name) || module.self_share < NOTICEABLE {
        return None;
    }
    let profiler = if name.starts_with("python") {
        "python3 -m cProfile -s tottime SCRIPT"
    } else {
        "the language's own profiler"
    };
    Some(
        facts
            .about_module(&RULE, module)
            .gain(module.self_share, estimates::COMPILED_LOOPS)
            .because(Provenance::Modelled, Expected::FromExperience { of: Experience::CompiledLoops })
            .confidence(Confidence::Medium)
            .next(profiler)
            .how(How::new(libraries::INTERPRETER)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, module, program};
    use loopwright_analysis::model::Analysis;

    #[test]
    fn fires_on_a_script() {
        let r =
            fired(&RULE, &Analysis { modules: vec![module("/usr/bin/python3.11", 0.9, true)], ..program() })
                .unwrap();
        assert!(r.next.unwrap().contains("cProfile") && r.how.text.contains("NumPy"));
    }

    #[test]
    fn silent_when_libraries_do_the_work_or_it_is_no_interpreter() {
        assert!(
            fired(&RULE, &Analysis { modules: vec![module("/usr/bin/python3.11", 0.1, true)], ..program() })
                .is_none()
        );
        assert!(fired(&RULE, &program()).is_none());
    }

    #[test]
    fn without_lines_of_the_script_it_asks_for_the_languages_profiler() {
        let r = fired(&RULE, &Analysis { modules: vec![module("/usr/bin/perl", 0.9, true)], ..program() });
        assert_eq!(r.unwrap().next.as_deref(), Some("the language's own profiler"));
    }
}
