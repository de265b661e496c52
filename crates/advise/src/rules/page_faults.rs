//! Time in the kernel for page faults: memory that is touched for the first time, or again and again.

use crate::allocation;
use crate::evidence::Machine;
use crate::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "page-faults",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("page_faults.md")),
};

/// Below this share of CPU time, getting rid of all system time gains less than 3 %.
const NOTICEABLE: f64 = 0.03;
/// Programs that run shorter than this mostly start: the loader's faults are not theirs to save.
const SHORTEST_RUN_SECONDS: f64 = 0.2;

fn check(facts: &Facts) -> Option<Recommendation> {
    let program = &facts.analysis.program;
    let cpu = program.user_seconds + program.system_seconds;
    // Written so that a time that is no number stops here too.
    if !(cpu >= SHORTEST_RUN_SECONDS && program.system_seconds > 0.0) {
        return None;
    }
    let faults = program.minor_faults as f64;
    let explained = (faults * estimates::FAULT_SECONDS.1).min(program.system_seconds);
    let share = explained / cpu;
    if share < NOTICEABLE {
        return None;
    }
    let (pages, repeated) = (allocation::resident_pages(program), allocation::fetches_again(program));
    let least = (faults * estimates::FAULT_SECONDS.0).min(explained) / explained;
    let new = facts
        .about_program(&RULE)
        .because(
            Provenance::Measured,
            Machine::SystemTime { seconds: program.system_seconds, cpu_seconds: cpu },
        )
        .because(
            Provenance::Counted,
            Machine::MinorFaults { faults: program.minor_faults, cpu_seconds: cpu },
        );
    let (id, title, how, gain) = if repeated {
        (
            "keep-freed-memory",
            "Memory is returned to the system and fetched again: let the allocator keep it",
            allocation::replace_allocator(allocation::keep_memory(how!(RULE, "keep-memory"))),
            Gain::between(1.0 + least, estimates::MOST_WITHOUT_FAULTS),
        )
    } else {
        (
            "huge-pages",
            "Most faults are first touches: use huge pages, or touch less memory",
            allocation::huge_pages(how!(RULE, "huge-pages")),
            Gain::between(1.0 + least * estimates::SEEN, estimates::MOST_WITHOUT_FAULTS),
        )
    };
    Some(
        new.named(id, title)
            .because(
                Provenance::Modelled,
                Machine::FaultsPerPage { pages, times: faults / pages.max(1) as f64, again: repeated },
            )
            .because(Provenance::Modelled, Machine::FaultTime { seconds: estimates::FAULT_SECONDS })
            .gain(share, gain)
            .confidence(if repeated { Confidence::High } else { Confidence::Medium })
            .how(how),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, program};
    use loopwright_analysis::model::Analysis;

    fn faulting(faults: u64, system_seconds: f64, resident: u64) -> Analysis {
        let mut analysis = program();
        let p = &mut analysis.program;
        (p.minor_faults, p.system_seconds, p.peak_resident_bytes) = (faults, system_seconds, resident);
        analysis
    }

    #[test]
    fn fires_on_memory_that_goes_back_and_forth() {
        let r = fired(&RULE, &faulting(5_000_000, 3.0, 100 << 20)).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("keep-freed-memory", Confidence::High));
        assert!(
            r.how.environment.iter().any(|e| e.name == "MALLOC_TRIM_THRESHOLD_" && e.value == "536870912")
        );
    }

    #[test]
    fn fires_with_huge_pages_on_first_touches() {
        let r = fired(&RULE, &faulting(500_000, 1.0, 500_000 * 4096)).unwrap();
        assert_eq!(r.id, "huge-pages");
        assert!(r.how.environment.iter().any(|e| e.value.contains("hugetlb")));
    }

    #[test]
    fn silent_when_system_time_is_something_else() {
        assert!(fired(&RULE, &faulting(2_000, 5.0, 100 << 20)).is_none(), "few faults: input and output");
        assert!(fired(&RULE, &faulting(5_000_000, 0.01, 100 << 20)).is_none());
    }

    #[test]
    fn silent_on_runs_that_only_start_and_on_unknown_times() {
        let mut short = faulting(2_000, 0.02, 10 << 20);
        short.program.user_seconds = 0.01;
        assert!(fired(&RULE, &short).is_none());
        short.program.user_seconds = f64::NAN;
        assert!(fired(&RULE, &short).is_none());
    }
}
