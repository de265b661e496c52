//! Time in the allocator.

use crate::allocation;
use crate::evidence::{Expected, Experience, Hot, Threads, Time};
use crate::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "time-in-malloc",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("time_in_malloc.md")),
};

/// Below this, even getting rid of every allocation gains less than 3 %.
const NOTICEABLE: f64 = 0.03;

fn check(facts: &Facts) -> Option<Recommendation> {
    let mut callers: Vec<(&str, f64)> = Vec::new();
    let mut share = 0.0;
    for function in facts.analysis.functions.iter().filter(|f| allocation::is_allocator(&f.function)) {
        share += function.self_share;
        callers.push((&function.function, function.self_share));
    }
    if share < NOTICEABLE {
        return None;
    }
    callers.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let hot = |&(function, share): &(&str, f64)| Hot { function: function.to_owned(), share };
    let functions = callers.iter().take(3).map(hot).collect();
    let program = &facts.analysis.program;
    let mut new =
        facts.about_program(&RULE).because(Provenance::Measured, Time::AllocatorShare { share, functions });
    let mut how = how!(RULE);
    how = allocation::replace_allocator(allocation::keep_memory(how));
    if program.threads > 1 {
        let threads = program.threads;
        new = new.because(Provenance::Measured, Threads::ThreadsShareIt { threads });
        how = how.environment(
            "MALLOC_ARENA_MAX",
            &(u64::from(threads) * 2).to_string(),
            "arenas for glibc's malloc; more of them, less waiting, more memory",
        );
    }
    Some(
        new.because(Provenance::Modelled, Expected::FromExperience { of: Experience::OtherAllocator })
            .gain(share, estimates::FEWER_ALLOCATIONS)
            .confidence(Confidence::Medium)
            .next("loopwright show tree")
            .how(how),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, function, program};
    use loopwright_analysis::model::Analysis;

    #[test]
    fn fires_on_the_sum_of_its_functions() {
        let functions = vec![
            function("_int_malloc", "libc.so.6", 0.06),
            function("_int_free", "libc.so.6", 0.05),
            function("main", "app", 0.5),
        ];
        let r = fired(&RULE, &Analysis { functions, ..program() }).unwrap();
        assert!((r.share.unwrap() - 0.11).abs() < 1e-9);
        let names: Vec<&str> = r.how.environment.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["MALLOC_MMAP_MAX_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_", "LD_PRELOAD"]);
    }

    #[test]
    fn threads_get_arenas() {
        let mut analysis = Analysis { functions: vec![function("malloc", "libc.so.6", 0.2)], ..program() };
        analysis.program.threads = 8;
        let r = fired(&RULE, &analysis).unwrap();
        assert!(r.how.environment.iter().any(|e| e.name == "MALLOC_ARENA_MAX" && e.value == "16"));
    }

    #[test]
    fn silent_on_little_or_none() {
        assert!(
            fired(&RULE, &Analysis { functions: vec![function("malloc", "libc.so.6", 0.02)], ..program() })
                .is_none()
        );
        assert!(fired(&RULE, &program()).is_none());
    }

    #[test]
    fn without_the_callers_it_asks_for_the_tree() {
        let functions = vec![function("malloc", "libc.so.6", 0.2)];
        let r = fired(&RULE, &Analysis { functions, ..program() }).unwrap();
        assert_eq!(r.next.as_deref(), Some("loopwright show tree"));
    }
}
