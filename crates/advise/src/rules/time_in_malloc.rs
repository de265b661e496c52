//! Time in the allocator.

use crate::allocation;
use crate::evidence::{Expected, Experience, Hot, Threads, Time};
use crate::prelude::*;
use crate::purposes;
use crate::rules::array_temporaries;
use loopwright_analysis::model::{Purpose, PurposeFacts};

pub(crate) static RULE: Rule = Rule {
    id: "time-in-malloc",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("time_in_malloc.md")),
};

/// Below this, even getting rid of every allocation gains less than 5 %, and it is as likely setting up as work.
const NOTICEABLE: f64 = 0.05;

/// Less of the time in allocations of other code is not worth a sentence.
const ELSEWHERE: f64 = 0.02;

fn check(facts: &Facts) -> Option<Recommendation> {
    // What containers, copies and formatting allocate is in their recommendations.
    let found = [Purpose::Allocation, Purpose::Growing].map(|purpose| purposes::of(facts, purpose));
    let copies = purposes::of(facts, Purpose::Copying);
    let temporaries = copies.is_some_and(|found| {
        purposes::called_from_fortran(found) && purposes::worth(facts, found.purpose).is_some()
    }) || array_temporaries::packs(facts).is_some();
    let of_copies = copies.filter(|found| purposes::mostly_allocates(found));
    let found: Vec<&PurposeFacts> = found
        .into_iter()
        .flatten()
        .filter(|found| !(temporaries && purposes::called_from_fortran(found)))
        .chain(of_copies)
        .collect();
    let mut callers: Vec<(&str, f64)> = Vec::new();
    for function in facts.analysis.functions.iter().filter(|f| allocation::is_allocator(&f.function)) {
        callers.push((&function.function, function.self_share));
    }
    let sampled = !facts.analysis.purposes.is_empty();
    let first_touches =
        facts.analysis.program.peak_resident_bytes > 0 && !allocation::fetches_again(&facts.analysis.program);
    let share: f64 = if sampled {
        // Memory that is touched once costs its faults whoever allocates it.
        let touched = |f: &PurposeFacts| if first_touches { f.kernel_share } else { 0.0 };
        found.iter().map(|f| (f.share - touched(f)).max(0.0)).sum()
    } else {
        callers.iter().map(|(_, share)| share).sum()
    };
    if share < NOTICEABLE {
        return None;
    }
    callers.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let hot = |&(function, share): &(&str, f64)| Hot { function: function.to_owned(), share };
    let program = &facts.analysis.program;
    let mut found = found;
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    let mut new = match found.split_first() {
        Some((largest, others)) => {
            others.iter().fold(purposes::about(facts, &RULE, largest), |new, other| {
                purposes::with_parts(new.because(Provenance::Measured, purposes::time_of(other)), other)
            })
        }
        None => {
            let functions: Vec<Hot> = callers.iter().take(3).map(hot).collect();
            let share = callers.iter().map(|(_, share)| share).sum();
            facts
                .about_program(&RULE)
                .because(Provenance::Measured, Time::AllocatorShare { share, functions })
        }
    };
    let elsewhere = |one: &&PurposeFacts| found.iter().all(|own| own.purpose != one.purpose);
    let elsewhere: f64 =
        facts.analysis.purposes.iter().filter(elsewhere).map(|one| one.inside(Purpose::Allocation)).sum();
    if elsewhere >= ELSEWHERE {
        new = new.because(Provenance::Measured, Time::AllocatesElsewhere { share: elsewhere });
    }
    let (around, beside) = purposes::around(facts, &found);
    if !around.is_empty() {
        let share = around.iter().map(|f| f.share).sum();
        new = new.because(Provenance::Measured, Time::AroundCalls { share, functions: around });
    }
    let mut how = how!(RULE);
    // Only memory that went back to the system can be kept.
    if !first_touches {
        how = allocation::keep_memory(how);
    }
    how = allocation::replace_allocator(how);
    if program.threads > 1 {
        let threads = program.threads;
        new = new.because(Provenance::Measured, Threads::ThreadsShareIt { threads });
        how = how.environment(
            "MALLOC_ARENA_MAX",
            &(u64::from(threads) * 2).to_string(),
            "arenas for glibc's malloc; more of them, less waiting, more memory",
        );
    }
    if new.next.is_none() {
        new = new.next("loopwright show tree");
    }
    let (others, same) = purposes::same_data(facts, &found, share);
    if same > 0.0 {
        new = new.because(Provenance::Measured, Time::SameData { share: others });
    }
    let beside = beside.min((1.0 - share - same).max(0.0));
    let whole = (share + beside + same).min(1.0);
    let part = |own: f64, other: f64| (own * share + other * beside) / whole;
    let least = part(estimates::REUSED_MEMORY.0, estimates::AROUND_ALLOCATION.0);
    let most = part(estimates::REUSED_MEMORY.1, estimates::AROUND_ALLOCATION.1)
        + estimates::SAME_DATA * same / whole;
    Some(
        new.because(Provenance::Modelled, Expected::FromExperience { of: Experience::OtherAllocator })
            .gain(whole, Gain::removing_between(least, most))
            .confidence(Confidence::Medium)
            .how(how),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, function, program, purpose, states, with_purposes};
    use loopwright_analysis::model::{Analysis, FunctionFacts};

    #[test]
    fn fires_on_the_sum_of_its_functions() {
        let functions = vec![
            function("_int_malloc", "libc.so.6", 0.06),
            function("_int_free", "libc.so.6", 0.05),
            function("main", "app", 0.5),
        ];
        let mut analysis = Analysis { functions, ..program() };
        let settings = |analysis: &Analysis| {
            let r = fired(&RULE, analysis).unwrap();
            assert!((r.share.unwrap() - 0.11).abs() < 1e-9);
            r.how.environment.into_iter().map(|e| e.name).collect::<Vec<String>>()
        };
        assert_eq!(settings(&analysis), ["LD_PRELOAD"], "no memory goes back to the system");
        analysis.program.minor_faults = 10_000_000;
        let names = settings(&analysis);
        assert_eq!(names, ["MALLOC_MMAP_MAX_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_", "LD_PRELOAD"]);
    }

    #[test]
    fn what_allocations_cost_around_them_is_in_the_prediction() {
        let mut analysis = with_purposes(vec![purpose(Purpose::Allocation, 0.4)]);
        let work = FunctionFacts { total_share: 0.9, ..function("work", "app", 0.5) };
        analysis.functions = vec![work, function("malloc", "libc.so.6", 0.4)];
        let r = fired(&RULE, &analysis).unwrap();
        assert!(states!(r, Time::AroundCalls { share, .. } if *share == 0.5));
        assert!(r.program_gain.unwrap().high() > 3.0, "{:?}", r.program_gain);
        assert_eq!(r.place.as_deref(), Some("work.cpp:12"));
    }

    #[test]
    fn own_time_is_said_as_measured_and_counts_in_part_and_purposes_count_together() {
        let mut analysis =
            with_purposes(vec![purpose(Purpose::Allocation, 0.05), purpose(Purpose::Growing, 0.04)]);
        let work = FunctionFacts { total_share: 0.99, ..function("work", "app", 0.9) };
        analysis.functions = vec![work, function("malloc", "libc.so.6", 0.09)];
        let r = fired(&RULE, &analysis).unwrap();
        assert!(states!(r, Time::AroundCalls { share, .. } if *share == 0.9));
        assert!(r.share.unwrap() < 0.5, "{:?}", r.share);
        for share in ["5.0 %", "4.0 %"] {
            assert!(r.said().iter().any(|said| said.starts_with(share)), "{:?}", r.said());
        }
    }

    #[test]
    fn silent_on_what_a_container_allocates() {
        let mut analysis = with_purposes(vec![purpose(Purpose::OrderedContainer, 0.4)]);
        analysis.functions = vec![function("malloc", "libc.so.6", 0.2)];
        assert!(fired(&RULE, &analysis).is_none());
    }

    #[test]
    fn silent_on_first_touches_which_no_allocator_avoids() {
        let touching = |faults: u64| {
            let mut found = purpose(Purpose::Allocation, 0.1);
            found.kernel_share = 0.08;
            let mut analysis = with_purposes(vec![found]);
            (analysis.program.peak_resident_bytes, analysis.program.minor_faults) = (100 << 20, faults);
            fired(&RULE, &analysis).map(|r| r.share.unwrap())
        };
        assert_eq!(touching(25_600), None);
        assert!(touching(1_000_000).is_some_and(|share| share >= 0.1), "memory is fetched again and again");
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
