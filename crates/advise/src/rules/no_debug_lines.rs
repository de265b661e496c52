//! Hot code without line tables: advice can name addresses only.

use crate::evidence::Compiler;
use crate::libraries;
use crate::prelude::*;
use loopwright_analysis::model::ModuleSummary;
use loopwright_analysis::place::base_name;

pub(crate) static RULE: Rule = Rule {
    id: "no-debug-lines",
    check: Check::Module(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("no_debug_lines.md")),
};

/// Less than a tenth of the time needs no names.
const NOTICEABLE: f64 = 0.10;

fn check(facts: &Facts, module: &ModuleSummary) -> Option<Recommendation> {
    let name = base_name(&module.path);
    let foreign =
        libraries::known(name).is_some() || libraries::is_interpreter(name) || name.starts_with('[');
    if module.has_lines || module.self_share < NOTICEABLE || foreign {
        return None;
    }
    let installed = libraries::is_installed(&module.path);
    if installed && !module.main_module {
        return None;
    }
    let mut new = facts.about_module(&RULE, module).because(Provenance::Binary, Compiler::NoLineTables);
    if !module.has_symbols {
        new = new.because(Provenance::Binary, Compiler::NoSymbols);
    }
    let how = if installed { how!(RULE, "installed") } else { how!(RULE, "own-program") };
    Some(new.confidence(Confidence::High).how(how))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, module, program};
    use loopwright_analysis::model::Analysis;

    fn without_lines(path: &str, share: f64, main: bool) -> Analysis {
        let mut bare = module(path, share, main);
        (bare.has_lines, bare.has_symbols) = (false, false);
        Analysis { modules: vec![bare], ..program() }
    }

    #[test]
    fn fires_on_the_users_own_program() {
        let r = fired(&RULE, &without_lines("/home/u/app", 0.9, true)).unwrap();
        assert!(r.loop_gain.is_none() && r.how.flags.iter().any(|f| f.flags.contains("-g")));
        assert!(r.said().iter().any(|e| e.contains("symbols")));
    }

    #[test]
    fn an_installed_program_is_told_where_debug_files_are() {
        let r = fired(&RULE, &without_lines("/usr/bin/xz", 0.9, true)).unwrap();
        assert_eq!(r.how.environment[0].name, "DEBUGINFOD_URLS");
    }

    #[test]
    fn silent_on_libraries_of_the_system_cold_modules_and_good_builds() {
        assert!(fired(&RULE, &without_lines("/usr/lib/libsomething.so.1", 0.9, false)).is_none());
        assert!(fired(&RULE, &without_lines("/home/u/libopenblas.so.0", 0.9, false)).is_none());
        assert!(fired(&RULE, &without_lines("/home/u/app", 0.05, true)).is_none());
        assert!(fired(&RULE, &program()).is_none());
    }

    #[test]
    fn without_symbols_too_it_says_that_functions_have_no_names() {
        let mut analysis = without_lines("/home/u/app", 0.9, true);
        let says = |analysis: &Analysis| {
            fired(&RULE, analysis).unwrap().said().iter().any(|e| e.contains("no symbols either"))
        };
        assert!(says(&analysis));
        analysis.modules[0].has_symbols = true;
        assert!(!says(&analysis));
    }
}
