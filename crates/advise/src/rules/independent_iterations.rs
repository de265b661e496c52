//! A serial loop whose iterations were traced and found free of carried dependences: the loop to give to threads.

use crate::evidence::{Dependences, NotSeen, Threads, Time, Trips};
use crate::independence::{self, FEW_ITERATIONS, Iterations};
use crate::prelude::*;
use crate::rules::unobserved_dependence::{clauses, is_variable, private, unnamed};
use crate::threads;
use loopwright_analysis::model::{DependenceEnd, DependenceFacts, ParallelVerdict};
use loopwright_binary::facts::{ChainKind, Trait};
use loopwright_vocabulary::Language;
use std::collections::BTreeSet;

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
    let around = unseen_around(facts, of, usage);
    if let Some(around) = around {
        new = new.because(Provenance::Counted, Threads::AroundUnseen { around: around.into() });
    }
    if let Some(fact) = Dependences::beyond_horizon(found) {
        new = new.because(Provenance::Counted, fact);
    }
    for (private, scalars) in [(false, found.reductions.clone()), (true, private(found).cloned().collect())] {
        if !scalars.is_empty() {
            new = new.because(Provenance::Counted, Dependences::ClauseScalars { private, scalars });
        }
    }
    if let (Some(trips), Some(seconds)) = (threads::iterations(of), threads::seconds_per_entry(of)) {
        let fact = Trips::Entry { iterations: trips.mean, machine: trips.machine, seconds };
        new = new.because(Provenance::Counted, fact);
    }
    let (gain, facts_of_gain) = threads::gain(facts, of, usage);
    for (provenance, fact) in facts_of_gain {
        new = new.because(provenance, fact);
    }
    let arrays = work_arrays(facts, of, found);
    if !arrays.is_empty() {
        new = new.because(Provenance::Counted, Dependences::WorkArrays { lines: arrays.clone() });
    }
    let language = facts.language(of);
    let directive = directive(language, found);
    let of_line = unnamed(found, true).map(|of| format!(" ({of})")).unwrap_or_default();
    let serial_part = of.serial_share.map_or(1.0, costs::clean_share);
    let new = new
        .of_loop(of)
        .named(
            "parallelise-loop",
            if arrays.is_empty() {
                format!("Give the iterations of this loop to {} CPUs: `{directive}`{of_line}", usage.cpus)
            } else {
                format!(
                    "Give the iterations of this loop to {} CPUs, with work arrays for each thread: `{directive}`{of_line}",
                    usage.cpus
                )
            },
        )
        .gain(of.total_share * serial_part, gain)
        .confidence(if arrays.is_empty() { confidence(found) } else { Confidence::Low })
        .how(how(language, found, !arrays.is_empty()));
    let new = facts.asking_for_counts(new, of);
    Some(match around {
        Some(around) if new.next.is_none() => new.next(facts.collect_all("dependencies", around)),
        _ => new,
    })
}

/// The loop right around, where nothing is known against sharing out that one: bursts are too short to see two of its iterations. It has
/// to advance addresses beside its counter, as a loop over rows does: time steps pass the same arrays again.
fn unseen_around<'a>(facts: &Facts<'a>, of: &LoopFacts, usage: threads::Usage) -> Option<&'a LoopFacts> {
    let around = facts.around(of).filter(|l| l.function == of.function)?;
    let found = facts.dependence(around)?;
    let advancing = around.chains.iter().filter(|chain| chain.kind == ChainKind::Induction).count() >= 2;
    let unseen = advancing
        && found.parallel == ParallelVerdict::Unknown
        && found.found.is_empty()
        && found.checked_iterations > 0
        && independence::iterations(facts, around) == Iterations::Unknown;
    (unseen && threads::enough_work(around, usage)).then_some(around)
}

/// Lines that write places anew which other iterations used, and that no scalar of a clause is: elements of arrays, through pointers as well.
/// What a call leaves on the stack is none.
fn work_arrays(facts: &Facts, of: &LoopFacts, found: &DependenceFacts) -> Vec<u32> {
    let own = facts.analysis.loops.iter().filter(|l| l.function == of.function && l.module == of.module);
    let calls: BTreeSet<String> =
        own.flat_map(|l| &l.calls).map(|call| format!("{:#x}", call.address)).collect();
    let named = |end: &DependenceEnd| end.operand.as_deref().is_some_and(is_variable);
    let reused = found.found.iter().filter(|d| d.memory && d.privatisable).map(|d| &d.sink);
    let lines = reused.filter(|end| !named(end) && !calls.contains(&end.address)).filter_map(|end| end.line);
    lines.collect::<BTreeSet<u32>>().into_iter().collect()
}

/// The directive for the loop. In Fortran the scalars that it assigns belong to the procedure and are shared unless they are listed:
/// there the compiler is asked to name each.
fn directive(language: Option<Language>, found: &DependenceFacts) -> String {
    let clauses = clauses(found, true);
    match language {
        Some(Language::Rust) => "into_par_iter()".to_owned(),
        Some(Language::Fortran) => format!("omp parallel do{clauses} default(none)"),
        _ => format!("omp parallel for{clauses}"),
    }
}

fn confidence(found: &DependenceFacts) -> Confidence {
    match (found.exhaustive, found.parallel) {
        (true, ParallelVerdict::Independent) => Confidence::High,
        (true, _) | (false, ParallelVerdict::Independent) => Confidence::Medium,
        _ => Confidence::Low,
    }
}

/// Rust has no directives.
const RAYON: &str = "Write the loop with `into_par_iter()` or `par_chunks_mut()` of the rayon crate, with `sum()` or `reduce()` for what \
    iterations add up. The compiler checks that they share nothing else; objects behind `dyn` have to be `Sync`. Compare the results of one and of several threads: \
    floating-point sums differ in their last digits.";

fn how(language: Option<Language>, found: &DependenceFacts, arrays: bool) -> How {
    if language == Some(Language::Rust) {
        return How::new(RAYON).flags("rustc", "the rayon crate: (0..height).into_par_iter()");
    }
    let directive = directive(language, found);
    let sentinel = if language == Some(Language::Fortran) { "!$" } else { "#pragma " };
    let mut text = format!(
        "Put `{sentinel}{directive}` before the loop and compile with OpenMP. Every scalar that an iteration assigns and that is declared outside the loop has \
         to be in private(..), or all threads write the same one: in Fortran these are all scalars that the loop assigns, the counters of loops inside excepted, in C \
         those that are not declared in the loop's body; one whose last value is used after the loop is lastprivate(..). With default(none) the compiler names each \
         variable that no clause lists: what the loop only reads, and arrays of which each iteration writes its own part, go into shared(..). Uneven iterations need schedule(dynamic). Before trusting it, ask of every function that the loop calls whether it keeps state, \
         run the dependence check with everything traced and with other inputs, and compare the results of one and of several threads."
    );
    if arrays {
        text.push_str(
            " No clause removes what iterations share through an array that each of them writes anew: allocate it inside of the parallel region, once \
             for each thread, and hand that to the functions that the loop calls.",
        );
    }
    if let Some(unnamed) = unnamed(found, true) {
        text.push_str(&format!(" {unnamed}; the compiler keeps it in a register."));
    }
    How::new(text)
        .directive(&directive)
        .c(
            "double t;\nfor (int y = 0; y < height; y++) {\n    t = draw_line(y);\n    total += t * t;\n}",
            "double t;\n#pragma omp parallel for reduction(+:total) private(t) schedule(dynamic)\nfor (int y = 0; y < height; y++) {\n    t = draw_line(y);\n    total += t * t;\n}",
        )
        .fortran(
            "do y = 1, height\n  t = draw_line(y)\n  total = total + t * t\nend do",
            "!$omp parallel do reduction(+:total) private(t) schedule(dynamic)\ndo y = 1, height\n  t = draw_line(y)\n  total = total + t * t\nend do",
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
    use crate::fixtures::{checked, count, fired, induction, near, scalar_loop, states, traced};
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
            states!(r, Trips::Entry { iterations, machine: false, seconds } if near(*iterations, 480.0) && near(*seconds, 0.9)),
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
        assert!(r.how.text.contains(clauses), "{}", r.how.text);
        let after = |code: &crate::recommendation::Change| code.after.contains("private(t)");
        assert!(after(r.how.c.as_ref().unwrap()) && after(r.how.fortran.as_ref().unwrap()));
        assert!(
            states!(r, Dependences::ClauseScalars { private: false, scalars } if scalars.len() == 2 && scalars[1].name == "most"),
            "{:?}",
            r.said()
        );
        assert_eq!(r.confidence, Confidence::Low);
    }

    #[test]
    fn fires_in_fortran_with_private_scalars_and_never_with_a_register() {
        let fortran = |change: fn(&mut DependenceFacts)| {
            let analysis = image(ParallelVerdict::WithClauses, |l| {
                l.producer = Some("GNU Fortran2008 12.2.0 -O2".into());
                change(l.dependence.as_mut().unwrap());
            });
            fired(&RULE, &analysis).unwrap()
        };
        let r = fortran(|found| found.reductions = vec![scalar("edx", Some("+"))]);
        let directive = "`omp parallel do reduction(+:VARIABLE) default(none)` (VARIABLE: that of line 12)";
        assert!(r.title.ends_with(directive), "{}", r.title);
        assert!(r.how.text.contains("!$omp parallel do") && r.how.text.contains("default(none)"));
        let r = fortran(|found| found.private = vec![scalar("t", None)]);
        assert!(r.title.ends_with("`omp parallel do private(t) default(none)`"), "{}", r.title);
        // What a call leaves on the stack has an address and no variable.
        let r = fortran(|found| found.private = vec![scalar("0x1293", None), scalar("t", None)]);
        assert!(r.title.ends_with("`omp parallel do private(t) default(none)`"), "{}", r.title);
        assert!(states!(r, Dependences::ClauseScalars { private: true, scalars } if scalars.len() == 1));
    }

    #[test]
    fn arrays_that_each_iteration_writes_anew_are_no_scalars() {
        let with = |call: u64| {
            let analysis = image(ParallelVerdict::WithClauses, |l| {
                let mut reused =
                    crate::fixtures::carried(loopwright_patterns::facts::DependenceKind::Output, 1);
                reused.privatisable = true;
                reused.source.operand = None;
                (reused.sink.operand, reused.sink.address) = (None, "0x1714".into());
                let found = l.dependence.as_mut().unwrap();
                (found.found, found.private) = (vec![reused], vec![scalar("0x1714", None)]);
                l.calls =
                    vec![loopwright_binary::facts::CallSite { address: call, target: Some("f".into()) }];
            });
            fired(&RULE, &analysis).unwrap()
        };
        let r = with(0x9999);
        assert!(r.title.contains("work arrays for each thread: `omp parallel for`"), "{}", r.title);
        assert!(states!(r, Dependences::WorkArrays { lines } if lines[..] == [12]), "{:?}", r.said());
        assert!(r.how.text.contains("inside of the parallel region") && r.confidence == Confidence::Low);
        assert!(!with(0x1714).title.contains("work arrays"), "what a call leaves on the stack");
    }

    #[test]
    fn machine_iterations_are_multiplied_or_named() {
        let packed = |change: fn(&mut LoopFacts)| {
            let analysis = image(ParallelVerdict::Independent, |l| {
                (l.vectorized, l.trip_count.as_mut().unwrap().source_mean) = (true, None);
                change(l);
            });
            fired(&RULE, &analysis).unwrap()
        };
        let r = packed(|l| {
            l.trip_count.as_mut().unwrap().source_factor = None;
            l.dependence.as_mut().unwrap().checked_iterations *= 512;
        });
        let source = 480.0 * 512.0;
        assert!(
            states!(r, Trips::Entry { iterations, machine: false, .. } if near(*iterations, source)),
            "{:?}",
            r.said()
        );
        let r = packed(|l| l.trip_count.as_mut().unwrap().source_factor = None);
        assert!(states!(r, Trips::Entry { iterations, machine: true, .. } if near(*iterations, 480.0)));
    }

    #[test]
    fn the_loop_around_is_named_where_bursts_were_too_short_for_it() {
        let mut analysis = image(ParallelVerdict::Independent, |l| l.parent = Some(3));
        analysis.loops.push(scalar_loop(|l| {
            (l.id, l.group, l.innermost, l.total_share, l.total_seconds) = (3, 3, false, 0.9, 9.0);
            l.chains = vec![induction(), induction()];
            checked(l, VectorVerdict::Unknown, ParallelVerdict::Unknown);
        }));
        let r = fired(&RULE, &analysis).unwrap();
        assert!(states!(r, Threads::AroundUnseen { around } if around.loop_id == 3), "{:?}", r.said());
        assert!(r.next.unwrap().starts_with("loopwright dependencies --loops 3 --exhaustive"));
        let mut steps = analysis.clone();
        steps.loops[2].chains.truncate(1);
        assert!(!states!(fired(&RULE, &steps).unwrap(), Threads::AroundUnseen { .. }), "no address moves");
        analysis.loops[2].dependence.as_mut().unwrap().found =
            vec![crate::fixtures::carried(loopwright_patterns::facts::DependenceKind::Flow, 1)];
        assert!(!states!(fired(&RULE, &analysis).unwrap(), Threads::AroundUnseen { .. }));
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
