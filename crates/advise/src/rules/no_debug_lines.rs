//! Hot code without line tables: advice can name addresses only.

use crate::facts::{Facts, base_name};
use crate::libraries;
use crate::recommendation::{Confidence, How, Recommendation};
use crate::rule::{Check, Doc, Rule};
use loopwright_analysis::model::{ModuleSummary, Provenance};

/// The rule.
pub static RULE: Rule = Rule {
    id: "no-debug-lines",
    title: "Hot code has no line tables: results name addresses instead of source lines",
    check: Check::Module(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc {
        detects: "A module with a noticeable share of the time, of the user's own making as far as its path tells, without debug lines.",
        why_it_costs: "It costs no time. But loops are named by address, compilers' reports cannot be joined to them, and the options that \
                       they were built with are unknown.",
        facts_needed: "Whether the module has line tables and symbols.",
        when_it_is_wrong: "When the module belongs to somebody else: install its debug package instead, if there is one.",
        example: "`gcc -O3 prog.c`, or an installed binary that was stripped.",
        how_to_verify: "`loopwright show loops` prints file:line.",
    },
    sources: &["GCC manual: -g; the code is the same with and without it"],
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
    let mut new = facts.about_module(&RULE, module).because(Provenance::Binary, "it has no line tables");
    if !module.has_symbols {
        new =
            new.because(Provenance::Binary, "it has no symbols either: functions are known by address only");
    }
    let how = if installed {
        How::new(
            "This program is installed: get its debug information from the distribution (Debian: the -dbgsym package of the debug archive) or \
             let tools fetch it by build id from a debuginfod server.",
        )
        .environment("DEBUGINFOD_URLS", "https://debuginfod.debian.net", "where tools look for debug files by build id; use your distribution's server")
    } else {
        How::new(
            "Compile with -g, which changes no instruction, and do not strip; keep the debug information in a separate file where the binary's \
             size matters (objcopy --only-keep-debug, --add-gnu-debuglink).",
        )
        .flags("gcc, g++, gfortran", "-g (beside the -O options in use)")
        .flags("clang, clang++, flang", "-g, or -gline-tables-only; -grecord-command-line keeps the options too")
        .flags("rustc", "-C debuginfo=line-tables-only, with strip = false")
    };
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
        assert!(r.evidence.iter().any(|e| e.contains("symbols")));
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
}
