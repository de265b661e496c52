//! The program waits instead of running: for a disk, a connection, another program, or time to pass.

use crate::evidence::{Threads, Time, Wait};
use crate::prelude::*;
use loopwright_analysis::model::{ElapsedFacts, WaitKind};

pub(crate) static RULE: Rule = Rule {
    id: "blocked-time",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("blocked_time.md")),
};

/// Less of the elapsed time is starting and ending.
const NOTICEABLE: f64 = 0.1;
/// Programs that run shorter than this mostly start and end.
const SHORTEST_RUN_SECONDS: f64 = 0.1;
/// Causes that are named one by one.
const NAMED: usize = 3;

fn check(facts: &Facts) -> Option<Recommendation> {
    let program = &facts.analysis.program;
    let elapsed = program.elapsed.as_ref()?;
    let share = share_blocked(elapsed)?;
    let worst = elapsed.held_up.first()?;
    if share < NOTICEABLE || program.elapsed_seconds < SHORTEST_RUN_SECONDS {
        return None;
    }
    let mut new = facts.about_program(&RULE).because(
        Provenance::Measured,
        Time::AllThreadsBlocked {
            share,
            seconds: elapsed.blocked_seconds,
            elapsed_seconds: program.elapsed_seconds,
            looks: elapsed.looks,
        },
    );
    for cause in elapsed.held_up.iter().filter(|cause| cause.share >= 0.01).take(NAMED) {
        new = new.because(
            Provenance::Measured,
            Threads::WaitsFor { share: cause.seconds / elapsed.blocked_seconds, wait: cause.into() },
        );
    }
    new.function = worst.function.clone();
    let purpose = matches!(worst.kind, WaitKind::Terminal | WaitKind::Event | WaitKind::Signal);
    // Nothing says how much of the waiting can be saved: from nothing to all of it.
    Some(
        new.titled(format!("The program waits during {} of its time: {}", percent(share), Wait::from(worst)))
            .of_elapsed(share, Gain::up_to(estimates::LARGEST_GAIN))
            .confidence(if purpose { Confidence::Low } else { Confidence::Medium })
            .how(remedy(worst.kind)),
    )
}

/// Part of the elapsed time in which nothing could run.
fn share_blocked(elapsed: &ElapsedFacts) -> Option<f64> {
    let whole = elapsed.running_seconds + elapsed.ready_seconds + elapsed.blocked_seconds;
    (whole > 0.0).then(|| elapsed.blocked_seconds / whole).filter(|share| share.is_finite())
}

fn remedy(kind: WaitKind) -> How {
    match kind {
        WaitKind::Storage => how!(RULE, "storage"),
        WaitKind::Network | WaitKind::Pipe => how!(RULE, "network"),
        WaitKind::Sleep => how!(RULE, "pause"),
        WaitKind::Thread => how!(RULE, "threads"),
        WaitKind::Child => how!(RULE, "child-process"),
        WaitKind::Page => how!(RULE, "page"),
        WaitKind::Terminal | WaitKind::Event | WaitKind::Signal | WaitKind::Other => how!(RULE, "purpose"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, program};
    use loopwright_analysis::model::{Analysis, WaitFacts};

    fn waiting(blocked: f64, kind: WaitKind) -> Analysis {
        let mut analysis = program();
        let cause = WaitFacts {
            kind,
            call: Some("fsync".into()),
            through: Some("fsync".into()),
            function: Some("main".into()),
            module: Some("app".into()),
            seconds: blocked,
            share: blocked / 10.0,
            seen: 70,
        };
        analysis.program.elapsed = Some(ElapsedFacts {
            running_seconds: 10.0 - blocked,
            ready_seconds: 0.0,
            blocked_seconds: blocked,
            held_up: vec![cause],
            looks: 100,
        });
        analysis
    }

    #[test]
    fn fires_on_waits_for_a_disk() {
        let r = fired(&RULE, &waiting(9.5, WaitKind::Storage)).unwrap();
        assert!(
            r.title.contains("95.0 %") && r.title.contains("fsync called by main waits for storage"),
            "{}",
            r.title
        );
        assert_eq!(r.program_gain.unwrap().low(), 1.0);
        assert_eq!(r.confidence, Confidence::Medium);
        assert!(r.how.text.contains("fsync"));
    }

    #[test]
    fn fires_as_a_hint_where_waiting_may_be_the_purpose() {
        let r = fired(&RULE, &waiting(9.5, WaitKind::Event)).unwrap();
        assert_eq!(r.confidence, Confidence::Low);
    }

    #[test]
    fn silent_while_it_runs_and_without_looks() {
        assert!(fired(&RULE, &waiting(0.5, WaitKind::Storage)).is_none());
        assert!(fired(&RULE, &program()).is_none());
        let mut nothing = waiting(9.5, WaitKind::Storage);
        nothing.program.elapsed.as_mut().unwrap().held_up.clear();
        assert!(fired(&RULE, &nothing).is_none());
    }
}
