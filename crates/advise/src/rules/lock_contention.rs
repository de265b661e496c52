//! Threads that wait for a lock which other threads hold.

use crate::evidence::Threads;
use crate::prelude::*;
use loopwright_analysis::model::{WaitFacts, WaitKind};
use std::collections::BTreeMap;

pub(crate) static RULE: Rule = Rule {
    id: "lock-contention",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("lock_contention.md")),
};

/// Threads with less of the CPU time do not do the program's work.
const AT_WORK: f64 = 0.05;
/// Less of the threads' lives is what hand-overs of a well-shared lock cost.
const NOTICEABLE: f64 = 0.1;

/// Kernel time that lock functions ask for: above this share of it, blocked threads are blocked there.
const LOCKS_KERNEL: f64 = 0.3;

/// Threads that wait for a lock.
#[derive(Clone, Debug)]
pub struct Contention {
    /// Part of their lives that the threads which do the program's work are blocked in locks.
    share: f64,
    /// How many such threads there are.
    threads: usize,
    /// What most of them call, in words.
    most: Threads,
    /// The function that calls it.
    function: Option<String>,
}

/// Lock waits of the threads that do the program's work, where they are noticeable. Blocked time is counted; that it is a
/// lock's is known from looks at the threads or, of short runs, from who calls the kernel.
pub fn contention(facts: &Facts) -> Option<Contention> {
    let workers = facts.analysis.threads.iter().filter(|thread| thread.cpu_share >= AT_WORK);
    let (mut lives, mut blocked, mut threads) = (0.0, 0.0, 0);
    let (mut seen, mut of_locks) = (0.0, 0.0);
    let mut worst: BTreeMap<(&str, Option<&str>), (f64, u32, &WaitFacts)> = BTreeMap::new();
    for thread in workers {
        let (Some(waited), Some(ready)) = (thread.blocked_seconds, thread.ready_seconds) else { continue };
        threads += 1;
        lives += waited + ready + thread.cpu_seconds;
        blocked += waited;
        for wait in &thread.waits {
            seen += wait.seconds;
            if is_lock(wait) {
                of_locks += wait.seconds;
                let entry = worst.entry((wait.name(), wait.function.as_deref())).or_insert((0.0, 0, wait));
                entry.0 += wait.seconds;
                entry.1 += wait.seen;
            }
        }
    }
    let by_looks = worst.into_values().max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, looks, wait)| {
        let most = Threads::MostWaitedFor { wait: wait.into(), looks };
        (most, wait.function.clone(), of_locks / seen)
    });
    let (most, function, part) =
        by_looks.or_else(|| if seen > 0.0 { None } else { by_kernel_time(facts) })?;
    let share = blocked * part / lives;
    (threads > 1 && share >= NOTICEABLE).then_some(Contention { share, threads, most, function })
}

/// The lock function that asks for most of the kernel's time.
fn by_kernel_time(facts: &Facts) -> Option<(Threads, Option<String>, f64)> {
    let kernel = facts.analysis.program.kernel.as_ref()?;
    let locks = || kernel.callers.iter().filter(|caller| is_lock_name(&caller.function));
    let most = locks().max_by(|a, b| a.share.total_cmp(&b.share))?;
    let (function, caller) = (most.function.clone(), most.caller.clone());
    let fact = Threads::MostKernelWork { function, caller, share: most.share };
    let share: f64 = locks().map(|caller| caller.share).sum();
    (share >= LOCKS_KERNEL).then(|| (fact, most.caller.clone(), 1.0))
}

/// The call waits for another thread in a function that is named a lock.
fn is_lock(wait: &WaitFacts) -> bool {
    let names = [wait.through.as_deref(), wait.function.as_deref()];
    wait.kind == WaitKind::Thread && names.into_iter().flatten().any(is_lock_name)
}

fn is_lock_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace("clock", "");
    ["lock", "mutex", "critical"].into_iter().any(|word| name.contains(word))
}

fn check(facts: &Facts) -> Option<Recommendation> {
    let Contention { share, threads, most, function } = contention(facts)?;
    let mut new = facts
        .about_program(&RULE)
        .because(Provenance::Measured, Threads::BlockedInLocks { threads, share })
        .because(Provenance::Measured, most);
    new.function = function;
    // At best the waiting threads run all the time; at worst the CPUs are taken already.
    Some(
        new.of_elapsed(share.min(1.0), Gain::up_to(threads as f64))
            .confidence(Confidence::Medium)
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, program, states};
    use loopwright_analysis::model::{Analysis, ThreadFacts};

    fn thread(tid: u32, blocked: f64, through: &str) -> ThreadFacts {
        let wait = WaitFacts {
            kind: WaitKind::Thread,
            call: Some("futex".into()),
            through: Some(through.into()),
            function: Some("worker".into()),
            module: Some("app".into()),
            seconds: blocked,
            share: 1.0,
            seen: 20,
        };
        ThreadFacts {
            rank: None,
            pid: 1,
            tid,
            name: "app".into(),
            cpu_seconds: 2.0,
            cpu_share: 0.25,
            user_seconds: Some(2.0),
            system_seconds: Some(0.0),
            ready_seconds: Some(0.5),
            blocked_seconds: Some(blocked),
            waits: vec![wait],
            top_loops: vec![],
        }
    }

    fn threads(blocked: f64, through: &str) -> Analysis {
        let mut analysis = program();
        analysis.threads = (0..4).map(|tid| thread(tid, blocked, through)).collect();
        analysis
    }

    #[test]
    fn fires_on_threads_that_take_turns() {
        let r = fired(&RULE, &threads(5.0, "pthread_mutex_lock")).unwrap();
        assert_eq!(r.function.as_deref(), Some("worker"));
        assert!(
            states!(r, Threads::MostWaitedFor { wait, .. } if wait.call == "pthread_mutex_lock" && wait.caller.as_deref() == Some("worker")),
            "{:?}",
            r.said()
        );
        assert!(r.said()[0].contains("66.7 %"), "{:?}", r.said());
    }

    #[test]
    fn fires_on_a_short_run_by_who_calls_the_kernel() {
        use loopwright_analysis::model::{KernelCaller, KernelEvidence, KernelFacts};
        let mut short = threads(5.0, "pthread_mutex_lock");
        short.threads.iter_mut().for_each(|thread| thread.waits.clear());
        assert!(fired(&RULE, &short).is_none(), "nothing says where they are blocked");
        let caller = KernelCaller {
            call: None,
            function: "__lll_lock_wait".into(),
            caller: Some("worker".into()),
            share: 0.6,
            by: KernelEvidence::Time,
        };
        short.program.kernel = Some(KernelFacts { callers: vec![caller], ..KernelFacts::default() });
        let r = fired(&RULE, &short).unwrap();
        assert!(r.said()[1].contains("__lll_lock_wait called by worker asks for 60.0 %"), "{:?}", r.said());
    }

    #[test]
    fn silent_on_other_waits_and_on_few() {
        assert!(fired(&RULE, &threads(5.0, "pthread_join")).is_none());
        assert!(fired(&RULE, &threads(5.0, "pthread_clockjoin_np")).is_none());
        assert!(fired(&RULE, &threads(0.1, "pthread_mutex_lock")).is_none());
        assert!(fired(&RULE, &program()).is_none());
        let mut unknown = threads(5.0, "pthread_mutex_lock");
        unknown.threads.iter_mut().for_each(|thread| thread.blocked_seconds = None);
        assert!(fired(&RULE, &unknown).is_none());
    }

    #[test]
    fn silent_without_the_blocked_time_of_threads() {
        let mut unknown = threads(5.0, "pthread_mutex_lock");
        unknown.threads.iter_mut().for_each(|thread| thread.blocked_seconds = None);
        assert!(fired(&RULE, &unknown).is_none());
    }
}
