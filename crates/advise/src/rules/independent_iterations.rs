//! A serial loop whose iterations were traced and found free of carried dependences: the loop to give to threads.

use crate::evidence::{Dependences, NotSeen, Time, Trips};
use crate::prelude::*;
use crate::rules::unobserved_dependence::{clauses, has_unnamed};
use crate::threads;
use loopwright_analysis::model::{DependenceFacts, ParallelVerdict};
use loopwright_binary::facts::Trait;
use loopwright_vocabulary::Language;

pub(crate) static RULE: Rule = Rule {
    id: "independent-iterations",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("independent_iterations.md")),
};

/// The loop holds at least this share of the time; less limits the gain to a factor of 1.5 on any machine.
const LEAST_SHARE: f64 = 0.3;
/// Checked iterations below which the verdict is an example.
const FEW_ITERATIONS: u64 = 16;

/// The loop to give to threads: of those that fit, the one with most time, the outermost of equals.
pub fn candidate<'a>(facts: &Facts<'a>) -> Option<&'a LoopFacts> {
    let usage = threads::idle_cpus(facts)?;
    let fit = facts.analysis.loops.iter().filter(|l| {
        let free = l.dependence.as_ref().is_some_and(|d| {
            matches!(d.parallel, ParallelVerdict::Independent | ParallelVerdict::WithClauses)
                && d.checked_iterations >= FEW_ITERATIONS
        });
        free && l.total_share >= LEAST_SHARE
            && !threads::shared_out(l)
            && facts.rebuildable(l)
            && !l.traits.contains(&Trait::EarlyExit)
            && threads::enough_work(l, usage)
    });
    fit.max_by(|a, b| {
        a.total_share.total_cmp(&b.total_share).then(b.depth.cmp(&a.depth)).then(b.id.cmp(&a.id))
    })
}

fn check(facts: &Facts) -> Option<Recommendation> {
    let usage = threads::idle_cpus(facts)?;
    let of = candidate(facts)?;
    let found = of.dependence.as_ref()?;
    let mut new = facts
        .about_program(&RULE)
        .because(Provenance::Measured, usage.fact())
        .because(Provenance::Measured, Time::LoopTotalShare { share: of.total_share })
        .because(
            Provenance::Counted,
            Dependences::NotSeen { which: NotSeen::BetweenIterations, checked: found.into() },
        );
    if let Some(fact) = Dependences::beyond_horizon(found) {
        new = new.because(Provenance::Counted, fact);
    }
    for (private, of) in [(false, &found.reductions), (true, &found.private)] {
        if !of.is_empty() {
            new =
                new.because(Provenance::Counted, Dependences::ClauseScalars { private, scalars: of.clone() });
        }
    }
    if let (Some(trips), Some(seconds)) = (threads::iterations(of), threads::seconds_per_entry(of)) {
        let fact = Trips::Entry { iterations: trips, seconds };
        new = new.because(Provenance::Counted, fact);
    }
    let (gain, facts_of_gain) = threads::gain(facts, of, usage);
    for (provenance, fact) in facts_of_gain {
        new = new.because(provenance, fact);
    }
    let directive = format!("omp parallel for{}", clauses(found, true));
    let serial_part = of.serial_share.map_or(1.0, costs::clean_share);
    let new = new
        .of_loop(of)
        .named(
            "parallelise-loop",
            format!("Give the iterations of this loop to {} CPUs: `{directive}`", usage.cpus),
        )
        .gain(of.total_share * serial_part, gain)
        .confidence(confidence(found))
        .how(how(facts.language(of), found));
    Some(facts.asking_for_counts(new, of))
}

fn confidence(found: &DependenceFacts) -> Confidence {
    match (found.exhaustive, found.parallel) {
        (true, ParallelVerdict::Independent) => Confidence::High,
        (true, _) | (false, ParallelVerdict::Independent) => Confidence::Medium,
        _ => Confidence::Low,
    }
}

fn how(language: Option<Language>, found: &DependenceFacts) -> How {
    let clauses = clauses(found, true);
    let mut text = format!(
        "Put `#pragma omp parallel for{clauses}` (Fortran: `!$omp parallel do{clauses}`) before the loop and compile with OpenMP. Uneven iterations need \
         schedule(dynamic). Before trusting it, ask of every function that the loop calls whether it keeps state, run the dependence check with everything traced \
         and with other inputs, and compare the results of one and of several threads."
    );
    if has_unnamed(found) {
        text.push_str(
            " VARIABLE represents what the compiler keeps in a register: the evidence names its line.",
        );
    }
    if language == Some(Language::Rust) {
        text.push_str(" In Rust `into_par_iter()` of the rayon crate does it, with `sum()` or `reduce()` for the reductions, and the compiler checks the rest.");
    }
    How::new(text)
        .c(
            "for (int y = 0; y < height; y++)\n    total += draw_line(y);",
            &format!(
                "#pragma omp parallel for{} schedule(dynamic)\nfor (int y = 0; y < height; y++)\n    total += draw_line(y);",
                if clauses.is_empty() { " reduction(+:total)" } else { &clauses }
            ),
        )
        .fortran(
            "do y = 1, height\n  total = total + draw_line(y)\nend do",
            &format!(
                "!$omp parallel do{} schedule(dynamic)\ndo y = 1, height\n  total = total + draw_line(y)\nend do",
                if clauses.is_empty() { " reduction(+:total)" } else { &clauses }
            ),
        )
        .flags("gcc, g++, gfortran", "-O3 -fopenmp")
        .flags("clang, clang++, flang", "-O3 -fopenmp")
        .flags("rustc", "the rayon crate: (0..height).into_par_iter()")
        .environment("OMP_PROC_BIND", "close", "keeps threads, and the memory that they touched first, together")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise;
    use crate::evidence::{Checked, Serial};
    use crate::fixtures::{checked, count, fired, near, scalar_loop, states, traced};
    use loopwright_analysis::model::{Analysis, CarriedScalar, LoadFacts, VectorVerdict};

    /// Lines of an image (id 2) with a hot inner loop (id 1), on one of four CPUs.
    fn image(parallel: ParallelVerdict, change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        let pixels = scalar_loop(|l| (l.parent, l.self_seconds, l.total_share) = (Some(2), 8.0, 0.8));
        let lines = scalar_loop(|l| {
            (l.id, l.group, l.innermost, l.self_seconds, l.total_share, l.total_seconds, l.line) =
                (2, 2, false, 0.5, 0.9, 9.0, Some(9));
            checked(l, VectorVerdict::Unknown, parallel);
            count(l, 10, 480);
            change(l);
        });
        let mut analysis = traced(vec![pixels, lines]);
        analysis.program.cpus_allowed = 4;
        analysis.program.cpu_usage = vec![0.1, 9.9];
        analysis
    }

    fn scalar(name: &str, operation: Option<&str>) -> CarriedScalar {
        CarriedScalar {
            name: name.into(),
            line: Some(12),
            operation: operation.map(str::to_owned),
            floating: true,
        }
    }

    #[test]
    fn fires_on_independent_lines_with_amdahls_gain() {
        let r = fired(&RULE, &image(ParallelVerdict::Independent, |_| ())).unwrap();
        assert_eq!(
            (r.id.as_str(), r.loop_id, r.confidence),
            ("parallelise-loop", Some(2), Confidence::Medium)
        );
        assert!(r.title.contains("4 CPUs") && r.title.contains("`omp parallel for`"), "{}", r.title);
        let gain = r.loop_gain.unwrap();
        assert!((gain.high() - 3.8).abs() < 1e-3 && (r.share.unwrap() - 0.9).abs() < 1e-9, "{gain:?}");
        assert!(r.program_gain.unwrap().high() < 3.1);
        assert!(states!(
            r,
            Dependences::NotSeen {
                which: NotSeen::BetweenIterations,
                checked: Checked { iterations: 40_000, entries: 40, .. }
            }
        ));
        assert!(
            states!(r, Trips::Entry { iterations, seconds } if near(*iterations, 480.0) && near(*seconds, 0.9)),
            "{:?}",
            r.said()
        );
    }

    #[test]
    fn clauses_are_spelled_out() {
        let r = fired(
            &RULE,
            &image(ParallelVerdict::WithClauses, |l| {
                let found = l.dependence.as_mut().unwrap();
                found.reductions = vec![scalar("sum", Some("+")), scalar("most", Some("max"))];
                found.private = vec![scalar("t", None)];
            }),
        )
        .unwrap();
        let clauses = "omp parallel for reduction(+:sum) reduction(max:most) private(t)";
        assert!(r.title.contains(clauses), "{}", r.title);
        assert!(r.how.c.as_ref().unwrap().after.starts_with(&format!("#pragma {clauses}")));
        assert!(r.how.fortran.as_ref().unwrap().after.starts_with("!$omp parallel do reduction(+:sum)"));
        assert!(
            states!(r, Dependences::ClauseScalars { private: false, scalars } if scalars.len() == 2 && scalars[1].name == "most"),
            "{:?}",
            r.said()
        );
        assert_eq!(r.confidence, Confidence::Low);
    }

    #[test]
    fn one_finding_not_two() {
        let ids = |parallel| -> Vec<String> {
            advise(&image(parallel, |_| ())).into_iter().map(|r| r.id).collect()
        };
        let proved = ids(ParallelVerdict::Independent);
        assert!(
            proved.contains(&"parallelise-loop".to_owned())
                && !proved.contains(&"parallelise-outer-loop".to_owned())
        );
        let dependent = advise(&image(ParallelVerdict::Dependent, |_| ()));
        let other = dependent.iter().find(|r| r.id == "parallelise-outer-loop").unwrap();
        assert_eq!(other.loop_id, Some(1), "the next loop inside: {other:?}");
        assert!(states!(other, Dependences::SerialLoopAbove { why: Serial::Traced, .. }), "{other:?}");
    }

    #[test]
    fn the_outermost_loop_is_meant_and_everything_traced_is_surer() {
        let mut analysis =
            image(ParallelVerdict::Independent, |l| l.dependence.as_mut().unwrap().exhaustive = true);
        checked(&mut analysis.loops[0], VectorVerdict::Safe, ParallelVerdict::Independent);
        let r = fired(&RULE, &analysis).unwrap();
        assert_eq!((r.loop_id, r.confidence), (Some(2), Confidence::High));
    }

    #[test]
    fn silent_where_threads_cannot_or_need_not_help() {
        let with = |change: fn(&mut LoopFacts)| fired(&RULE, &image(ParallelVerdict::Independent, change));
        assert!(with(|l| l.dependence.as_mut().unwrap().checked_iterations = 3).is_none());
        assert!(with(|l| count(l, 10, 4)).is_none(), "four iterations on four CPUs");
        assert!(with(|l| count(l, 1_000_000, 480)).is_none(), "9 µs per entry");
        assert!(with(|l| l.total_share = 0.1).is_none());
        assert!(with(|l| l.traits = vec![Trait::EarlyExit]).is_none());
        assert!(with(|l| l.dependence = None).is_none());
        assert!(with(|l| l.threads = 2).is_none(), "two threads work in it");
        for verdict in [ParallelVerdict::Dependent, ParallelVerdict::Unknown] {
            assert!(fired(&RULE, &image(verdict, |_| ())).is_none(), "{verdict:?}");
        }
        let mut busy = image(ParallelVerdict::Independent, |_| ());
        busy.program.cpu_usage = vec![0.0, 0.0, 0.0, 1.0, 9.0];
        assert!(fired(&RULE, &busy).is_none());
        // Threads that wait for CPUs which other programs have would use them.
        let mut crowded = image(ParallelVerdict::Independent, |_| ());
        crowded.program.load =
            Some(LoadFacts { other_cpus: 3.0, stolen_share: 0.0, ready_share: 0.6, busy: true });
        crowded.program.threads = 1;
        assert!(fired(&RULE, &crowded).is_some());
        crowded.program.threads = 2;
        assert!(fired(&RULE, &crowded).is_none());
    }

    #[test]
    fn without_the_verdict_it_is_silent_and_without_counts_it_asks() {
        let without = |change: fn(&mut LoopFacts)| fired(&RULE, &image(ParallelVerdict::Independent, change));
        assert!(without(|l| l.dependence = None).is_none());
        let r = without(|l| (l.trip_count, l.work, l.total_work) = (None, None, None)).unwrap();
        assert!(r.next.unwrap().starts_with("loopwright tripcounts --loops 2"));
    }
}
