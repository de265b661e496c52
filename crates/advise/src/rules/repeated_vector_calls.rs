//! Calls of a linear algebra library for one vector after the other.

use crate::evidence::{Calls, Hot, Memory, Time, Work};
use crate::libraries;
use crate::prelude::*;
use loopwright_analysis::model::{FunctionFacts, ModuleSummary, TreeNode};
use loopwright_analysis::place::base_name;
use loopwright_binary::facts::ElementType;
use loopwright_stats::saturating_sum;

pub(crate) static RULE: Rule = Rule {
    id: "repeated-vector-calls",
    check: Check::Module(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("repeated_vector_calls.md")),
};

/// Less of the time than this is a detail.
const NOTICEABLE: f64 = 0.1;
/// Calls that are worth collecting.
const MANY_CALLS: u64 = 100;
/// Bytes moved over bytes ever held, as for blocking of own loops.
const LEAST_REUSE: f64 = 4.0;
/// Part of a library's FLOP that such routines do, for its rate to be theirs.
const MOSTLY: f64 = 0.8;
/// Collecting vectors is work.
const LEAST_GAIN: f64 = 1.2;
/// Routines that the evidence names.
const NAMED: usize = 3;

/// Routines of levels 1 and 2, without the letter of the type.
const ROUTINES: [&str; 22] = [
    "dot", "dotu", "dotc", "axpy", "scal", "copy", "swap", "nrm2", "asum", "gemv", "gbmv", "symv", "hemv",
    "trmv", "trsv", "ger", "geru", "gerc", "syr", "her", "syr2", "her2",
];

fn check(facts: &Facts, module: &ModuleSummary) -> Option<Recommendation> {
    let name = base_name(&module.path);
    if !libraries::is_blas(name) || module.main_module || !facts.rates_hold() {
        return None;
    }
    let functions = || facts.analysis.functions.iter().filter(|f| f.module == name);
    let called: Vec<&FunctionFacts> = functions()
        .filter(|f| is_vector_routine(&f.function) && called_from_outside(facts, f))
        .filter(|f| f.calls.is_none_or(|n| n >= MANY_CALLS))
        .collect();
    let share = called.iter().map(|f| f.total_share).sum::<f64>().min(1.0);
    let calls = saturating_sum(called.iter().filter_map(|f| f.calls));
    if share < NOTICEABLE || calls < MANY_CALLS {
        return None;
    }
    let sum = |of: fn(&loopwright_analysis::model::WorkRow) -> u64| {
        saturating_sum(functions().filter_map(|f| f.work.as_ref()).map(of))
    };
    let (flop, moved) = (sum(|w| w.flop), sum(|w| w.bytes()));
    let resident = facts.analysis.program.peak_resident_bytes;
    let reuse = moved as f64 / resident.max(1) as f64;
    if resident == 0 || reuse < LEAST_REUSE {
        return None;
    }
    let hot = |f: &&FunctionFacts| Hot { function: f.function.clone(), share: f.total_share };
    let hottest = called.iter().take(NAMED).map(hot).collect();
    let new = facts
        .about_module(&RULE, module)
        .named(
            "batch-library-calls",
            "Give the library many vectors at once: a product of matrices instead of many with a vector",
        )
        .because(Provenance::Measured, Time::VectorRoutines { share, functions: hottest })
        .because(Provenance::Counted, Calls::LibraryCalls { calls })
        .because(Provenance::Counted, Memory::MovedAgain { by_library: Some(moved), resident, times: reuse })
        .confidence(Confidence::Medium)
        .how(how!(RULE));
    let machine = facts.machine()?;
    let widest = [512, 256, 128].into_iter().filter(|bits| *bits <= machine.vector_bits);
    let f32 = sum(|w| w.flop_f32) > sum(|w| w.flop_f64);
    let element = if f32 { ElementType::F32 } else { ElementType::F64 };
    let Some(peak) = widest.filter_map(|bits| machine.peak(bits, element)).reduce(f64::max) else {
        return Some(new.next("loopwright machine --measure"));
    };
    let seconds: f64 = called.iter().map(|f| f.total_seconds).sum();
    let of_library: f64 = functions().map(|f| f.self_seconds).sum();
    let achieved = flop as f64 / of_library.max(seconds) / 1e9;
    // Much other work in the library (a factorisation): its rate says nothing of these calls.
    if seconds < MOSTLY * of_library || !(achieved.is_finite() && achieved > 0.0) {
        return Some(new);
    }
    if peak * estimates::LIBRARY_EFFICIENCY.1 < LEAST_GAIN * achieved {
        return None;
    }
    Some(
        new.because(
            Provenance::Modelled,
            Work::MatrixRate { achieved, reached: estimates::LIBRARY_EFFICIENCY, peak },
        )
        .gain(
            share,
            Gain::between(
                peak * estimates::LIBRARY_EFFICIENCY.0 / achieved,
                peak * estimates::LIBRARY_EFFICIENCY.1 / achieved,
            ),
        ),
    )
}

/// A public name of a routine of level 1 or 2: `cblas_dgemv`, `ddot_`, `scipy_cblas_sgemv64_`.
fn is_vector_routine(function: &str) -> bool {
    let bare = function.strip_prefix("scipy_").unwrap_or(function);
    let c = bare.strip_prefix("cblas_");
    let bare = c.unwrap_or(bare);
    let cut = bare.trim_end_matches('_');
    let cut = cut.strip_suffix("64").unwrap_or(cut);
    // Names of the Fortran interface end in an underscore; others are the library's own.
    let public = c.is_some() || bare.ends_with('_');
    let mut letters = cut.chars();
    public && letters.next().is_some_and(|l| "sdcz".contains(l)) && ROUTINES.contains(&letters.as_str())
}

/// Called by code outside of its module; taken for granted where there is no tree.
fn called_from_outside(facts: &Facts, function: &FunctionFacts) -> bool {
    let Some(root) = &facts.analysis.tree else { return true };
    let mut waiting: Vec<(&TreeNode, &str)> = vec![(root, "")];
    while let Some((node, caller)) = waiting.pop() {
        if node.kind == "function" && node.name == function.function && node.module == function.module {
            if caller != function.module {
                return true;
            }
            continue;
        }
        let caller = if node.kind == "program" { "" } else { node.module.as_str() };
        waiting.extend(node.children.iter().map(|child| (child, caller)));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{ceilings, fired, function, module, program, states};
    use loopwright_analysis::model::{Analysis, WorkRow};

    const LIBRARY: &str = "libopenblas.so.0";

    /// 20000 calls of dgemv, 80 % of 10 s, at 3 GFLOP/s of 24.
    fn calling(routine: &str, calls: u64) -> Analysis {
        let mut entry = function(routine, LIBRARY, 0.02);
        (entry.total_share, entry.total_seconds, entry.calls) = (0.8, 8.0, Some(calls));
        let mut kernel = function("dgemv_n_HASWELL", LIBRARY, 0.78);
        kernel.work = Some(WorkRow {
            flop: 24_000_000_000,
            flop_f64: 24_000_000_000,
            bytes_loaded: 96_000_000_000,
            ..WorkRow::default()
        });
        let mut library = module(&format!("/usr/lib/{LIBRARY}"), 0.8, false);
        library.has_lines = false;
        let mut analysis = Analysis { modules: vec![library], functions: vec![entry, kernel], ..program() };
        analysis.machine.as_mut().unwrap().ceilings = Some(ceilings());
        analysis
    }

    #[test]
    fn fires_on_many_products_with_a_vector() {
        let r = fired(&RULE, &calling("cblas_dgemv", 20_000)).unwrap();
        assert_eq!(r.id, "batch-library-calls");
        let gain = r.loop_gain.unwrap();
        assert!((gain.low() - 3.2).abs() < 1e-6 && (gain.high() - 7.6).abs() < 1e-6, "{gain:?}");
        assert!(
            states!(r, Time::VectorRoutines { functions, .. } if functions[0] == Hot { function: "cblas_dgemv".into(), share: 0.8 })
                && r.how.fortran.is_some()
        );
        assert!(fired(&RULE, &calling("dgemv_", 20_000)).is_some());
        assert!(fired(&RULE, &calling("scipy_cblas_dgemv64_", 20_000)).is_some());
    }

    #[test]
    fn silent_on_products_of_matrices_few_calls_other_libraries_and_data_used_once() {
        assert!(fired(&RULE, &calling("cblas_dgemm", 20_000)).is_none());
        assert!(fired(&RULE, &calling("dgemv_kernel", 20_000)).is_none(), "the library's own name");
        assert!(fired(&RULE, &calling("cblas_dgemv", 20)).is_none());
        let mut other = calling("cblas_dgemv", 20_000);
        other.modules[0].path = "/usr/lib/libmine.so".into();
        assert!(fired(&RULE, &other).is_none());
        let mut once = calling("cblas_dgemv", 20_000);
        once.program.peak_resident_bytes = 90 << 30;
        assert!(fired(&RULE, &once).is_none());
    }

    #[test]
    fn silent_when_the_library_calls_it_itself() {
        let mut analysis = calling("dgemv_", 20_000);
        let node = |kind: &str, name: &str, module: &str, children| TreeNode {
            kind: kind.into(),
            name: name.into(),
            loop_id: None,
            module: module.into(),
            self_seconds: 0.0,
            total_seconds: 8.0,
            children,
        };
        let routine = node("function", "dgemv_", LIBRARY, vec![]);
        let factorisation = node("function", "dgetf2_", LIBRARY, vec![routine.clone()]);
        let main = |below| node("program", "app", "", vec![node("function", "main", "app", vec![below])]);
        analysis.tree = Some(main(factorisation));
        assert!(fired(&RULE, &analysis).is_none());
        analysis.tree = Some(main(routine));
        assert!(fired(&RULE, &analysis).is_some());
    }

    #[test]
    fn unpriced_without_ceilings() {
        let mut analysis = calling("cblas_dgemv", 20_000);
        analysis.machine.as_mut().unwrap().ceilings = None;
        let r = fired(&RULE, &analysis).unwrap();
        assert_eq!((r.loop_gain, r.next.as_deref()), (None, Some("loopwright machine --measure")));
    }
}
