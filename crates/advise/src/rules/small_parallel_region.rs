//! OpenMP regions that are over before their threads are awake.

use crate::evidence::{Calls, Threads};
use crate::facts::MIN_SHARE;
use crate::prelude::*;
use loopwright_analysis::model::FunctionFacts;
use loopwright_analysis::place::base_name;

pub(crate) static RULE: Rule = Rule {
    id: "small-parallel-region",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("small_parallel_region.md")),
};

/// Something is computed in the regions, too: their cost is no more of the elapsed time than this.
const MOST_OF_IT: f64 = 0.9;
/// Longer regions hide it.
const SHORT_SECONDS: f64 = 50e-6;
/// Modules that wait at the ends of regions.
const RUNTIMES: [&str; 3] = ["libgomp", "libomp", "libiomp5"];

/// Whether a module is an OpenMP run time.
pub fn is_runtime(name: &str) -> bool {
    RUNTIMES.iter().any(|runtime| name.starts_with(runtime))
}

/// The waiting in the run time is that of regions which are over too soon: nothing else of it can be changed.
pub fn explains_waiting(facts: &Facts) -> bool {
    check(facts).is_some()
}

fn check(facts: &Facts) -> Option<Recommendation> {
    let program = &facts.analysis.program;
    let threads = f64::from(program.threads.max(1)) / f64::from(program.processes.max(1));
    let elapsed = program.elapsed_seconds;
    if threads < 2.0 || elapsed <= 0.0 || program.samples == 0 {
        return None;
    }
    let functions = facts.analysis.functions.iter().filter(|f| is_region(&f.function));
    let (region, calls) = functions
        .filter_map(|f| Some((f, f.calls.filter(|n| *n > 0)?)))
        .filter(|(f, calls)| f.total_seconds / *calls as f64 <= SHORT_SECONDS)
        .max_by(|a, b| a.1.cmp(&b.1).then(b.0.function.cmp(&a.0.function)))?;
    // Every thread of the team calls the function once per region.
    let regions = calls as f64 / threads.max(f64::from(team(region)));
    let cost = |each: f64| (regions * each / elapsed).min(MOST_OF_IT);
    let (low, high) = (cost(estimates::REGION_SECONDS.0), cost(estimates::REGION_SECONDS.1));
    if high < MIN_SHARE {
        return None;
    }
    let gain = Gain::between(
        costs::amdahl((low / high).min(0.99), estimates::FEWER_REGIONS),
        estimates::FEWER_REGIONS,
    );
    let mut new = facts
        .about_program(&RULE)
        .named("larger-parallel-regions", "Make the parallel regions larger, or leave small ones serial")
        .because(Provenance::Counted, Calls::RegionCalls { function: region.function.clone(), calls })
        .because(Provenance::Measured, Calls::CallTime { seconds: region.total_seconds / calls as f64 });
    if let Some(work) = region.work.as_ref().filter(|_| region.complete == Some(true)) {
        new = new.because(
            Provenance::Counted,
            Calls::CallInstructions { instructions: work.instructions / calls },
        );
    }
    let waiting: f64 =
        facts.analysis.modules.iter().filter(|m| is_runtime(base_name(&m.path))).map(|m| m.self_share).sum();
    if waiting >= MIN_SHARE {
        new = new.because(Provenance::Measured, Threads::OpenMpWaiting { share: waiting });
    }
    new.function = Some(region.function.clone());
    new.place = place(region);
    let (all, each) = (regions.round() as u64, estimates::REGION_SECONDS);
    // A bound that is cut off is no figure to print.
    let fact = if low >= MOST_OF_IT {
        Threads::RegionPace { regions: all, apart: elapsed / regions, each }
    } else {
        Threads::Regions { regions: all, each, share: (low, high) }
    };
    Some(
        new.because(Provenance::Modelled, fact)
            .gain(high, gain)
            .confidence(if waiting >= 0.1 { Confidence::High } else { Confidence::Medium })
            .how(how!(RULE)),
    )
}

/// A function that a compiler made of a parallel region.
pub fn is_region(name: &str) -> bool {
    // `f._omp_fn.0` (GCC), `f.omp_outlined`, `.omp_outlined.`, `f.omp_outlined_debug__` (clang), `f..omp_par.1` (flang).
    name.contains("._omp_fn.") || name.contains("omp_outlined") || name.contains("..omp_par")
}

/// Threads that ran it.
fn team(region: &FunctionFacts) -> u32 {
    let threads = region.by_thread.as_ref().map_or(1, |b| b.counted.len().max(b.sampled.len()));
    u32::try_from(threads).unwrap_or(u32::MAX)
}

fn place(region: &FunctionFacts) -> Option<String> {
    let file = base_name(region.file.as_deref()?).to_owned();
    Some(region.line.map_or(file.clone(), |line| format!("{file}:{line}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, function, module, near, program, states};
    use loopwright_analysis::model::{Analysis, WorkRow};

    /// Four threads, 10 s elapsed, one region of `share` of the CPU time called so often.
    fn regions(name: &str, share: f64, calls: Option<u64>) -> Analysis {
        let mut analysis = program();
        (analysis.program.threads, analysis.program.cpus_allowed) = (4, 4);
        let mut region = function(name, "app", share);
        region.calls = calls;
        region.complete = Some(true);
        region.work = calls.map(|n| WorkRow { instructions: n * 700, ..WorkRow::default() });
        (region.file, region.line) = (Some("/home/u/step.c".into()), Some(40));
        analysis.functions = vec![region];
        analysis
    }

    #[test]
    fn fires_on_many_short_regions() {
        let r = fired(&RULE, &regions("step._omp_fn.0", 0.4, Some(4_000_000))).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("larger-parallel-regions", Confidence::Medium));
        // A million regions: 1 to 10 s of 10 s, capped.
        assert!((r.share.unwrap() - 0.9).abs() < 1e-12);
        assert!(states!(r, Calls::CallTime { seconds } if near(seconds * 1e6, 1.0)), "{:?}", r.said());
        assert!(states!(r, Calls::CallInstructions { instructions: 700 }), "{:?}", r.said());
        assert_eq!(r.place.as_deref(), Some("step.c:40"));
        let gain = r.program_gain.unwrap();
        assert!(gain.low() > 1.05 && gain.low() < 1.2 && gain.high() > 3.0, "{gain:?}");
    }

    #[test]
    fn fires_without_a_range_where_the_least_cost_is_more_than_the_elapsed_time() {
        let r = fired(&RULE, &regions("step._omp_fn.0", 0.4, Some(4_000_000))).unwrap();
        assert!(states!(r, Threads::Regions { share, .. } if share.0 < share.1), "{:?}", r.said());
        let r = fired(&RULE, &regions("step._omp_fn.0", 0.4, Some(80_000_000))).unwrap();
        assert!(!states!(r, Threads::Regions { .. }), "{:?}", r.said());
        assert!(states!(r, Threads::RegionPace { apart, .. } if near(*apart, 0.5e-6)), "{:?}", r.said());
    }

    #[test]
    fn waiting_in_the_runtime_makes_it_sure() {
        let mut analysis = regions("step.omp_outlined", 0.4, Some(400_000));
        analysis.modules.push(module("/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0", 0.3, false));
        let r = fired(&RULE, &analysis).unwrap();
        assert_eq!(r.confidence, Confidence::High);
        assert!(states!(r, Threads::OpenMpWaiting { share } if near(*share, 0.3)));
    }

    #[test]
    fn silent_on_long_rare_serial_and_uncounted_regions() {
        assert!(fired(&RULE, &regions("step._omp_fn.0", 0.9, Some(4_000))).is_none(), "2 ms each");
        assert!(fired(&RULE, &regions("step._omp_fn.0", 0.01, Some(4_000))).is_none(), "a thousand regions");
        assert!(fired(&RULE, &regions("step", 0.4, Some(4_000_000))).is_none());
        assert!(fired(&RULE, &regions("step._omp_fn.0", 0.4, None)).is_none());
        let mut serial = regions("step._omp_fn.0", 0.4, Some(4_000_000));
        serial.program.threads = 1;
        assert!(fired(&RULE, &serial).is_none());
    }

    #[test]
    fn without_all_instructions_counted_it_names_no_number_of_them() {
        let mut analysis = regions("step._omp_fn.0", 0.4, Some(4_000_000));
        analysis.functions[0].complete = None;
        let r = fired(&RULE, &analysis).unwrap();
        assert!(!states!(r, Calls::CallInstructions { .. }), "{:?}", r.said());
        analysis.functions[0].calls = None;
        assert!(fired(&RULE, &analysis).is_none());
    }
}
