//! Shares of time against what the program itself measured, so that the machine's noise cancels.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use loopwright_sample::SurveyOptions;
use loopwright_sample::recording::{ModuleKind, Outcome};

use crate::build::{Names, compile, record, samplers};

fn claimed(output: &str, name: &str) -> f64 {
    let line = output.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().parse().unwrap()
}

#[test]
fn shares_are_within_two_points_of_what_the_program_measured() {
    let folder = tempfile::tempdir().unwrap();
    for (flags, threads) in [(&["-O2"][..], 1), (&["-O2", "-static"], 1), (&["-O2"], 3)] {
        let Some(program) = compile(folder.path(), "phases", flags) else { return };
        for options in samplers() {
            shares_hold(&program, threads, &options);
        }
    }
}

/// The program asks for its CPU time between its phases, and is preempted there.
#[test]
fn shares_hold_where_others_keep_the_cpus() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), "phases", &["-O2"]) else { return };
    let others = std::thread::available_parallelism().unwrap().get() * 2;
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..others {
            scope.spawn(|| {
                let mut work = 0_u64;
                while !done.load(Ordering::Relaxed) {
                    work = std::hint::black_box(work.wrapping_add(1));
                }
            });
        }
        let held = std::panic::catch_unwind(|| {
            for options in samplers() {
                shares_hold(&program, 1, &options);
            }
        });
        done.store(true, Ordering::Relaxed);
        held.unwrap_or_else(|failure| std::panic::resume_unwind(failure));
    });
}

fn shares_hold(program: &Path, threads: u32, options: &SurveyOptions) {
    let names = Names::of(program);
    // On a busy machine threads wait for CPUs, and samples in a row see one phase. A sampler that is biased misses
    // every time, one that was unlucky does not.
    let recordings = (0..3).map(|_| record(options, &[program.to_str().unwrap(), &threads.to_string()]));
    let threads = f64::from(threads);
    let mut misses = Vec::new();
    let near = recordings.into_iter().find_map(|(recording, output)| {
        assert_eq!(recording.target.outcome, Outcome::Exited(0));
        let (integer, divide) = (claimed(&output, "integer_phase"), claimed(&output, "divide_phase"));
        let truth = integer / (integer + divide);
        let seconds = |name| names.self_seconds(&recording, name);
        let (integer, divide) = (seconds("integer_phase"), seconds("divide_phase"));
        let sampled = integer / (integer + divide);
        // A share of n samples has a standard error of at most 0.5/sqrt(n), which the slower sampler exceeds by
        // chance alone. It stops all threads in the same moments, and they go through their phases together, so
        // that only one thread's samples are independent.
        let alone = if options.force_timer { threads } else { 1.0 };
        let bound = 0.02_f64.max(3.0 * 0.5 / (recording.samples.len() as f64 / alone).sqrt());
        misses.push(format!("{truth:.4} measured, {sampled:.4} sampled, bound {bound:.4}"));
        ((truth - sampled).abs() < bound).then_some(recording)
    });
    let Some(recording) = near else { panic!("{}, {threads} thread(s): {misses:?}", program.display()) };
    assert_eq!(recording.threads.len() as f64, threads);
    assert!(
        recording
            .modules
            .iter()
            .any(|module| module.kind == ModuleKind::Main && module.path == recording.target.executable)
    );
    // All CPU time of the program is accounted for, except for what preemption takes.
    let all: f64 = recording.samples.iter().map(|sample| f64::from(sample.weight_ns) * 1e-9).sum();
    let used = recording.target.user_seconds + recording.target.system_seconds;
    assert!((0.85..1.1).contains(&(all / used)), "{all} s sampled, {used} s used");
}

#[test]
fn every_thread_and_its_name_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), "phases", &["-O2"]) else { return };
    for options in samplers() {
        let (recording, _) = record(&options, &[program.to_str().unwrap(), "3"]);
        let mut seen: Vec<u32> = recording.samples.iter().map(|sample| sample.thread).collect();
        seen.sort_unstable();
        seen.dedup();
        let (threads, sampler) = (&recording.threads, &recording.sampler);
        assert_eq!(seen.len(), 3, "{threads:?}, {sampler:?}");
        assert!(threads.iter().all(|thread| thread.name == "phases"), "{threads:?}, {sampler:?}");
        assert_eq!(recording.processes.len(), 1, "{:?}", recording.processes);
    }
}
