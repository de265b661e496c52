//! Threads or ranks that wait for the slowest of them in a loop.

use crate::call_tree;
use crate::evidence::Threads;
use crate::facts::FIRM_SAMPLES;
use crate::prelude::*;
use crate::rules::small_parallel_region;
use loopwright_analysis::compare::counts::waits;
use loopwright_analysis::model::{ByThread, Imbalance};

pub(crate) static RULE: Rule = Rule {
    id: "load-imbalance",
    check: Check::Loop(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("load_imbalance.md")),
};

/// Less than a fifth is what sampling and a noisy machine show of balanced threads.
const UNEVEN: f64 = 0.2;
/// Less of the elapsed time is not worth a change of the schedule.
const NOTICEABLE: f64 = 0.02;
/// Work of threads that differs by less is equal work.
const EQUAL_WORK: f64 = 0.05;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    // In a runtime a thread spins until the others are done: its time is the effect of an imbalance elsewhere.
    if waits(&of.module) || facts.group_samples(of) < FIRM_SAMPLES {
        return None;
    }
    let threads = of.by_thread.as_ref()?;
    let time = threads.time_imbalance.filter(|i| i.share >= UNEVEN && i.max > 0.0 && i.threads > 1)?;
    let elapsed = facts.analysis.program.elapsed_seconds;
    if elapsed <= 0.0 || time.excess / elapsed < NOTICEABLE {
        return None;
    }
    // The busiest thread's time in the loop is the loop's part of the elapsed time.
    let share = (time.max / elapsed).min(1.0);
    let balanced = time.max / time.mean.max(f64::MIN_POSITIVE);
    // Schedules balance to within a chunk, and dynamic ones cost something: half of it is the careful end.
    let gain = Gain::between(time.max / (time.mean + time.excess * estimates::SEEN), balanced);
    let work = threads.instruction_imbalance;
    let cause = cause(work, time);
    let ranks = ranks(threads);
    // A schedule belongs to the loop whose iterations the threads share, not to a loop inside.
    let parallel = parallel_loop(facts, of);
    let shared = parallel.filter(|l| cause == Cause::Work && l.group != of.group);
    let about = match shared {
        Some(shared) => facts
            .about_program(&RULE)
            .of_loop(shared)
            .because(Provenance::Measured, Threads::UnevenInside { of: of.into(), share: of.group_share }),
        None => facts.about_loop(&RULE, of),
    };
    let mut new = about
        .named(cause.id(), cause.title(parallel.is_some()))
        .because(
            Provenance::Measured,
            Threads::TimeImbalance {
                threads: time.threads,
                ranks: ranks > 1,
                most: time.max,
                mean: time.mean,
                excess: time.excess,
                share: time.share,
            },
        )
        .because(
            Provenance::Modelled,
            Threads::BalancedEarlier { seconds: time.excess, elapsed_seconds: elapsed },
        );
    if let Some(work) = work {
        new = new.because(
            Provenance::Counted,
            Threads::WorkImbalance { share: work.share, equal: cause == Cause::Speed },
        );
    }
    let confidence = match (cause, work.is_some()) {
        (Cause::Work, true) => Confidence::High,
        (Cause::Work | Cause::OneThread, _) => Confidence::Medium,
        (Cause::Speed, _) => Confidence::Low,
    };
    let mut new = facts.asking_for_counts(new, of);
    if cause == Cause::Speed && new.next.is_none() {
        // Lines that threads take from each other, and pages on the wrong node.
        new = new.next(facts.collect("map", of));
    }
    Some(new.gain(share, gain).confidence(confidence).how(how(cause, ranks > 1)))
}

/// The loop whose iterations an OpenMP region shares and that runs `of`: the outermost one of the function that the compiler made of
/// the region. Loops that wait for the team or ask for their share in each iteration are around it.
fn parallel_loop<'a>(facts: &Facts<'a>, of: &'a LoopFacts) -> Option<&'a LoopFacts> {
    let path = call_tree::path_to(facts, of.id).unwrap_or_else(|| {
        let mut nest: Vec<_> = std::iter::once(of).chain(facts.ancestors(of)).collect();
        nest.reverse();
        nest
    });
    let region = path.iter().rev().find(|l| small_parallel_region::is_region(&l.function))?.function.as_str();
    let asks = |l: &LoopFacts| {
        let calls = l.calls.iter().filter_map(|call| call.target.as_deref());
        calls.into_iter().any(|name| HANDING_OUT.iter().any(|of| name.contains(of)))
    };
    path.into_iter().find(|l| l.function == region && !asks(l))
}

/// Parts of the names of run-time functions that a loop around the shared one calls: barriers, and requests for iterations.
const HANDING_OUT: [&str; 4] = ["barrier", "GOMP_loop", "for_static_init", "dispatch_next"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// Threads have different amounts to do.
    Work,
    /// Threads do the same at different speed.
    Speed,
    /// One does nearly everything.
    OneThread,
}

impl Cause {
    fn id(self) -> &'static str {
        match self {
            Self::Work => "balance-work",
            Self::Speed => "place-threads-and-data",
            Self::OneThread => "share-out-loop",
        }
    }

    /// `parallel`: the loop that is named is the one whose iterations threads share.
    fn title(self, parallel: bool) -> &'static str {
        match self {
            Self::Work if !parallel => {
                "Threads do uneven work in this loop: share it out evenly where they get their work"
            }
            Self::Work => "Share this loop out evenly: schedule or decomposition",
            Self::Speed => "Threads do equal work at unequal speed: place threads and data",
            Self::OneThread => "One thread does this loop while its team waits: share it out",
        }
    }
}

fn cause(work: Option<Imbalance>, time: Imbalance) -> Cause {
    /// One thread with nearly all of the time: the others got crumbs.
    const NEARLY_ALL: f64 = 0.95;
    match work {
        _ if time.share >= NEARLY_ALL => Cause::OneThread,
        Some(work) if work.share < EQUAL_WORK => Cause::Speed,
        _ => Cause::Work,
    }
}

/// Ranks that spent time in the loop.
fn ranks(threads: &ByThread) -> usize {
    let ranks: std::collections::BTreeSet<_> = threads.sampled.iter().filter_map(|t| t.rank).collect();
    ranks.len()
}

fn how(cause: Cause, mpi: bool) -> How {
    match cause {
        Cause::Speed => {
            return how!(RULE);
        }
        Cause::Work | Cause::OneThread => {}
    }
    let text = if mpi {
        "Give every rank equal work instead of equal volume: weigh the cells by what they cost and decompose again (a graph or \
         space-filling-curve partitioner), or use fewer ranks with OpenMP threads in each, which share work more easily. Within a rank, \
         use a schedule that hands out small pieces."
    } else if cause == Cause::OneThread {
        "Take the loop out of the `single` or `master` construct or the thread's branch and share out its iterations; where the outer loop \
         has fewer iterations than threads, collapse it with the inner one."
    } else {
        "Hand out small pieces: schedule(dynamic, chunk) or guided, with a chunk that takes some tens of microseconds; for a cost that \
         grows regularly with the index, schedule(static, 1) balances without a queue. Where there are few long iterations, collapse two \
         loops, or begin with the longest."
    };
    How::new(text)
        .c(
            "#pragma omp parallel for\nfor (int i = 0; i < n; i++)\n    for (int j = 0; j < i; j++)\n        work(i, j);",
            "#pragma omp parallel for schedule(dynamic, 16)\nfor (int i = n - 1; i >= 0; i--)      /* the longest first */\n    for (int j = 0; j < i; j++)\n        work(i, j);",
        )
        .fortran(
            "!$omp parallel do\ndo i = 1, n\n  do j = 1, i\n    call work(i, j)\n  end do\nend do",
            "!$omp parallel do schedule(dynamic, 16)\ndo i = n, 1, -1      ! the longest first\n  do j = 1, i\n    call work(i, j)\n  end do\nend do",
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, count, fired, measured, near, scalar_loop, states};
    use loopwright_analysis::model::{Analysis, ThreadSeconds, TreeNode};

    fn imbalance(parts: &[f64]) -> Imbalance {
        let n = parts.len() as f64;
        let max = parts.iter().copied().fold(0.0, f64::max);
        let mean = parts.iter().sum::<f64>() / n;
        let excess = max - mean;
        Imbalance { threads: parts.len() as u32, max, mean, excess, share: excess / max * n / (n - 1.0) }
    }

    fn on_threads(seconds: &[f64], instructions: Option<&[f64]>) -> Analysis {
        let sampled = seconds.iter().enumerate().map(|(k, &seconds)| ThreadSeconds {
            rank: None,
            pid: 1,
            tid: k as u32,
            seconds,
        });
        let by_thread = ByThread {
            sampled: sampled.collect(),
            counted: vec![],
            time_imbalance: Some(imbalance(seconds)),
            instruction_imbalance: instructions.map(imbalance),
        };
        measured(vec![scalar_loop(|l| l.by_thread = Some(by_thread))])
    }

    #[test]
    fn fires_with_craypats_numbers_and_the_elapsed_time_that_balance_saves() {
        let r = fired(&RULE, &on_threads(&[4.0, 2.0, 2.0, 0.0], None)).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("balance-work", Confidence::Medium));
        // The busiest takes 4 of 10 s; the mean is 2.
        assert_eq!((r.share, r.loop_gain), (Some(0.4), Some(Gain::between(4.0 / 3.0, 2.0))));
        assert!((r.program_gain.unwrap().high() - 1.25).abs() < 1e-12);
        assert!(
            states!(r, Threads::TimeImbalance { excess, share, .. } if near(*excess, 2.0) && near(*share, 2.0 / 3.0)),
            "{:?}",
            r.said()
        );
        assert!(r.next.unwrap().starts_with("loopwright tripcounts"));
    }

    /// Pairs of sequences (id 2, in a parallel region) that call the uneven loop (id 1), in turns (id 3).
    fn in_region(change: impl FnOnce(&mut Vec<LoopFacts>)) -> Analysis {
        let mut analysis = on_threads(&[4.0, 2.0], None);
        let region = |id: u32, depth| {
            scalar_loop(|l| {
                (l.id, l.group, l.depth, l.innermost) = (id, id, depth, false);
                (l.function, l.self_share, l.group_share) = ("main._omp_fn.0".into(), 0.0, 0.0);
            })
        };
        analysis.loops.extend([region(2, 2), region(3, 1)]);
        let node = |id: u32, children| TreeNode {
            kind: "loop".into(),
            name: format!("loop {id}"),
            loop_id: Some(id),
            module: "app".into(),
            self_seconds: 0.0,
            total_seconds: 6.0,
            children,
        };
        analysis.tree = Some(node(3, vec![node(2, vec![node(1, vec![])])]));
        change(&mut analysis.loops);
        analysis
    }

    #[test]
    fn fires_at_the_loop_whose_iterations_the_threads_share() {
        let r = fired(&RULE, &in_region(|_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.loop_id, r.share), ("balance-work", Some(3), Some(0.4)));
        assert!(states!(r, Threads::UnevenInside { of, share } if of.loop_id == 1 && near(*share, 0.4)));
        let waiting = in_region(|loops| loops[2].calls = vec![call(Some("GOMP_barrier"))]);
        assert_eq!(fired(&RULE, &waiting).unwrap().loop_id, Some(2), "turns with a barrier in each");
    }

    #[test]
    fn without_a_region_the_loop_is_not_said_to_be_the_shared_one() {
        let r = fired(&RULE, &on_threads(&[4.0, 2.0], None)).unwrap();
        assert!(r.loop_id == Some(1) && r.title.contains("where they get their work"), "{}", r.title);
    }

    #[test]
    fn counts_tell_uneven_work_from_uneven_speed() {
        let work = fired(&RULE, &on_threads(&[4.0, 2.0], Some(&[2e9, 1e9]))).unwrap();
        assert_eq!((work.id.as_str(), work.confidence), ("balance-work", Confidence::High));
        let speed = fired(&RULE, &on_threads(&[4.0, 2.0], Some(&[1e9, 1e9]))).unwrap();
        assert_eq!((speed.id.as_str(), speed.confidence), ("place-threads-and-data", Confidence::Low));
        assert!(!speed.how.environment.is_empty());
    }

    #[test]
    fn one_thread_alone_is_told_to_share() {
        assert_eq!(fired(&RULE, &on_threads(&[4.0, 0.0], None)).unwrap().id, "share-out-loop");
    }

    #[test]
    fn ranks_are_told_to_decompose() {
        let mut analysis = on_threads(&[4.0, 2.0], None);
        for (k, t) in analysis.loops[0].by_thread.as_mut().unwrap().sampled.iter_mut().enumerate() {
            t.rank = Some(k as u32);
        }
        assert!(fired(&RULE, &analysis).unwrap().how.text.contains("decompose"));
    }

    #[test]
    fn threads_that_wait_in_the_runtime_are_no_imbalance_of_its_loops() {
        let mut analysis = on_threads(&[4.0, 0.0], None);
        analysis.loops[0].module = "libgomp.so.1.0.0".into();
        assert!(fired(&RULE, &analysis).is_none());
    }

    #[test]
    fn silent_when_balanced_short_or_barely_sampled() {
        assert!(fired(&RULE, &on_threads(&[2.0, 1.8], None)).is_none());
        assert!(fired(&RULE, &on_threads(&[0.1, 0.0], None)).is_none(), "0.05 s of 10 s");
        let mut few = on_threads(&[4.0, 0.0], None);
        few.loops[0].samples = 20;
        assert!(fired(&RULE, &few).is_none());
        assert!(fired(&RULE, &measured(vec![scalar_loop(|l| count(l, 1, 10))])).is_none());
    }

    #[test]
    fn without_time_by_thread_it_is_silent_and_without_counts_it_asks() {
        let mut analysis = on_threads(&[4.0, 2.0], None);
        let r = fired(&RULE, &analysis).unwrap();
        assert_eq!(r.confidence, Confidence::Medium);
        assert!(r.next.unwrap().starts_with("loopwright tripcounts --loops 1"));
        analysis.loops[0].by_thread = None;
        assert!(fired(&RULE, &analysis).is_none());
    }
}
