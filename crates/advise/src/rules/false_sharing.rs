//! Threads that write to different bytes of one cache line.

use crate::counted::LEAST_GAIN;
use crate::evidence::Threads;
use crate::prelude::*;
use crate::traced::{executions, to_arrays};
use crate::traffic::nanoseconds_per_iteration;

pub(crate) static RULE: Rule = Rule {
    id: "false-sharing",
    check: Check::Loop(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("false_sharing.md")),
};

/// Accesses to falsely shared lines below this share cannot be felt, at a hundred times the cost.
const LEAST_SHARE: f64 = 0.001;
/// With this many accesses to truly shared lines for each one to a falsely shared line, threads work on common data: the falsely shared
/// lines are those of it that two threads did not happen to meet in.
const COMPARABLE: f64 = 0.5;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let shared = facts.group(of).find(|l| l.sharing.as_ref().is_some_and(|s| s.false_lines > 0))?;
    let sharing = shared.sharing.as_ref().filter(|s| s.false_share >= LEAST_SHARE)?;
    // Without bytes that are a thread's own there is nothing to move apart.
    if sharing.example.is_empty() || sharing.true_share >= COMPARABLE * sharing.false_share {
        return None;
    }
    let iterations = shared.memory.as_ref().map(|m| m.traced_iterations).filter(|n| *n > 0);
    let accesses = iterations.map(|n| executions(to_arrays(shared)) / n as f64).filter(|n| *n > 0.0);
    let time = nanoseconds_per_iteration(facts, shared);
    let waiting = |transfer: f64, between: f64| match (time, accesses) {
        (Some(time), Some(accesses)) => {
            (accesses * sharing.false_share / between * transfer / time).min(estimates::MOST_SHARING_TIME)
        }
        _ => {
            let waited = sharing.false_share / between * transfer;
            (waited / (waited + estimates::L1_ACCESS)).min(estimates::MOST_SHARING_TIME)
        }
    };
    let timed = time.is_some() && accesses.is_some();
    let low = if timed { waiting(estimates::LINE_TRANSFER.0, estimates::BETWEEN_TRANSFERS.0) } else { 0.0 };
    let gain =
        Gain::removing_between(low, waiting(estimates::LINE_TRANSFER.1, estimates::BETWEEN_TRANSFERS.1));
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let mut new = facts
        .about_loop(&RULE, of)
        .named("separate-cache-lines", "Give each thread cache lines of its own: these are falsely shared")
        .because(
            Provenance::Counted,
            Threads::FalselySharedLines {
                lines: sharing.false_lines,
                share: sharing.false_share,
                extent: facts.extent(shared),
            },
        );
    new = new.because(
        Provenance::Counted,
        Threads::ExampleOfLine { threads: sharing.example.iter().take(4).cloned().collect() },
    );
    if sharing.true_lines > 0 {
        new = new.because(Provenance::Counted, Threads::TrulySharedLines { share: sharing.true_share });
    }
    new = new.because(Provenance::Modelled, Threads::LineTransfer { nanoseconds: estimates::LINE_TRANSFER });
    let sure = if timed { Confidence::High } else { Confidence::Medium };
    Some(facts.asking_for_counts(new.gain(of.group_share, gain), of).confidence(sure).how(how!(RULE)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{access, count, fired, near, scalar_loop, states, trace, traced};
    use loopwright_analysis::model::{Analysis, SharingFacts};
    use loopwright_patterns::facts::AccessKind;

    fn counters(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        traced(vec![scalar_loop(|l| {
            l.threads = 4;
            trace(
                l,
                vec![access("x[i]", AccessKind::Load, 8, 1), access("count[t]", AccessKind::Update, 8, 0)],
            );
            l.sharing = Some(SharingFacts {
                false_lines: 1,
                false_share: 0.5,
                example: vec!["thread 0 writes bytes 0 to 7".into(), "thread 1 writes bytes 8 to 15".into()],
                ..SharingFacts::default()
            });
            // 4 s for 10^8 iterations of 40 ns.
            count(l, 100, 1_000_000);
            change(l);
        })])
    }

    #[test]
    fn fires_on_counters_side_by_side() {
        let r = fired(&RULE, &counters(|_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("separate-cache-lines", Confidence::High));
        assert!(states!(r, Threads::FalselySharedLines { lines: 1, share, .. } if near(*share, 0.5)));
        assert!(
            states!(r, Threads::ExampleOfLine { threads } if threads.contains(&"thread 1 writes bytes 8 to 15".to_owned()))
        );
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 1.0 && gain.low() < 1.1 && gain.high() > 2.0, "{gain:?}");
    }

    #[test]
    fn true_sharing_is_named_and_missing_counts_are_asked_for() {
        let r = fired(
            &RULE,
            &counters(|l| {
                (l.trip_count, l.work) = (None, None);
                let sharing = l.sharing.as_mut().unwrap();
                (sharing.true_lines, sharing.true_share) = (3, 0.1);
            }),
        )
        .unwrap();
        assert!(states!(r, Threads::TrulySharedLines { share } if near(*share, 0.1)));
        assert!(r.next.unwrap().contains("tripcounts") && r.loop_gain.unwrap().low() == 1.0);
    }

    #[test]
    fn silent_on_data_that_threads_have_in_common() {
        let with =
            |change: fn(&mut SharingFacts)| fired(&RULE, &counters(|l| change(l.sharing.as_mut().unwrap())));
        assert!(with(|s| (s.true_lines, s.true_share) = (900, 0.45)).is_none(), "scattered sums");
        assert!(with(|s| s.example.clear()).is_none(), "the same bytes at different times");
    }

    #[test]
    fn silent_without_sharing_with_little_of_it_and_where_it_takes_no_time() {
        assert!(fired(&RULE, &counters(|l| l.sharing = None)).is_none());
        assert!(fired(&RULE, &counters(|l| l.sharing.as_mut().unwrap().false_lines = 0)).is_none());
        assert!(fired(&RULE, &counters(|l| l.sharing.as_mut().unwrap().false_share = 0.0001)).is_none());
        assert!(fired(&RULE, &counters(|l| l.self_seconds = 4000.0)).is_none(), "40 µs per iteration");
    }
}
