//! The clocks of programs that wait, or that run in the kernel: compared with what the program is known to
//! do, and never with a time.

use loopwright_sample::SurveyOptions;
use loopwright_sample::clocks::{Wait, WaitKind, call};
use loopwright_sample::recording::Recording;

use crate::build::{Names, compile, record, samplers};

fn blocked_ns(recording: &Recording, is: impl Fn(&Wait) -> bool) -> u64 {
    recording.clocks.waits.iter().filter(|wait| is(wait)).map(|wait| wait.blocked_ns).sum()
}

#[test]
fn a_sleeper_is_blocked_in_its_call_and_hardly_runs() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), "waiting", &["-O1"]) else { return };
    let names = Names::of(&program);
    for options in samplers() {
        let (recording, _) = record(&options, &[program.to_str().unwrap(), "sleep"]);
        let clocks = &recording.clocks;
        let thread = clocks.threads[0];
        let blocked = thread.blocked_ns().expect("the scheduler accounts for it");
        assert!(blocked > thread.ran_ns.unwrap(), "{thread:?}");
        let asleep = blocked_ns(&recording, |wait| wait.kind == WaitKind::Sleep);
        let all = blocked_ns(&recording, |_| true);
        assert!(2 * asleep > all, "{:?}", clocks.waits);
        let sleeps = || clocks.waits.iter().filter(|wait| wait.kind == WaitKind::Sleep);
        let sleep = sleeps().max_by_key(|wait| wait.held_up_ns).unwrap();
        assert!(matches!(sleep.call.and_then(call::name), Some("clock_nanosleep" | "nanosleep")));
        assert!(sleep.held_up_ns > 0 && clocks.together.all_blocked_ns <= clocks.together.seen_ns);
        let from_nap = |wait: &Wait| names.chain(&recording, wait.stack.unwrap()).contains(&"nap");
        assert!(sleeps().any(from_nap), "{:?}", clocks.waits);
        if let Some(running) = &clocks.running {
            let ran: u64 = running.bins.iter().flatten().map(|(level, ns)| u64::from(*level) * ns).sum();
            assert!(ran > 0 && Some(ran) <= thread.ran_ns, "one thread, with what it did before its exec");
        } else {
            assert!(options.force_timer);
        }
    }
}

#[test]
fn threads_that_take_turns_wait_for_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), "waiting", &["-O1"]) else { return };
    for options in samplers() {
        let (recording, _) = record(&options, &[program.to_str().unwrap(), "lock"]);
        // Of three threads two wait at any moment; the lock decides which one never has to.
        let waits = |thread: u32| {
            let of = |wait: &Wait| wait.thread == thread && wait.kind == WaitKind::Thread;
            blocked_ns(&recording, of) > 0
        };
        assert!((1..=3).filter(|&thread| waits(thread)).count() >= 2, "{:?}", recording.clocks.waits);
        // The program is blocked by the sleep within the lock, not by the waiting for it.
        let held_up = |kind| {
            let of = recording.clocks.waits.iter().filter(|wait| wait.kind == kind);
            of.map(|wait| wait.held_up_ns).sum::<u64>()
        };
        assert!(held_up(WaitKind::Sleep) > held_up(WaitKind::Thread), "{:?}", recording.clocks.waits);
    }
}

#[test]
fn who_asked_the_kernel_is_known_with_and_without_kernel_samples() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), "waiting", &["-O1"]) else { return };
    let [perf, timer] = samplers();
    let forbidden = SurveyOptions { kernel: false, ..SurveyOptions::default() };
    for options in [perf, timer, forbidden] {
        let (recording, _) = record(&options, &[program.to_str().unwrap(), "copy"]);
        let (sampler, clocks) = (&recording.sampler, &recording.clocks);
        let thread = clocks.threads[0];
        assert!(thread.system_ns > thread.user_ns, "{thread:?}: it copies in the kernel");
        assert!(recording.target.system_seconds > recording.target.user_seconds);
        if options.force_timer {
            let read = clocks.calls.iter().filter(|each| call::name(each.call) == Some("read"));
            let all: u64 = clocks.calls.iter().map(|each| each.time_ns).sum();
            assert!(2 * read.map(|each| each.time_ns).sum::<u64>() > all, "{:?}", clocks.calls);
        } else if sampler.kernel {
            assert!(recording.samples.iter().any(|sample| sample.kernel));
        } else {
            assert!(!clocks.boundaries.is_empty(), "samples after read and write");
            assert!(recording.samples.iter().all(|sample| !sample.kernel));
        }
    }
}
