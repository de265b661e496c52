//! Elapsed time, waits, the kernel and other programs, from made-up clocks.

use crate::analyse;
use crate::fixtures::{function, module, recording};
use crate::model::{Analysis, KernelEvidence, WaitKind, Warning};
use loopwright_experiment::{Facts, Run};
use loopwright_sample::clocks::{
    Boundary, Clocks, KernelSample, Load, Running, SampledCall, ThreadClock, Together, Wait,
};
use loopwright_sample::recording::{Frame, Module, ModuleKind, Recording, StackNode};

const MS: u64 = 1_000_000;
/// Its number on x86-64 (the kernel's syscall_64.tbl).
const FSYNC: u32 = 74;

/// 100 ms, of which `main` runs 30; the second stack is `fsync` of the C library, called by `main`.
fn waiting() -> Recording {
    let mut recording = recording(&[(&[0x110], 30)]);
    recording.target.elapsed_seconds = 0.1;
    recording.target.user_seconds = 0.03;
    recording.modules.push(Module { path: "/lib/libc.so.6".into(), kind: ModuleKind::File, build_id: None });
    let fsync = Frame { module: Some(1), address: 0x9000, symbol: Some("fsync".into()) };
    recording.frames.push(fsync);
    let frame = recording.frames.len() as u32 - 1;
    recording.stacks.push(StackNode { parent: Some(0), frame });
    recording.clocks = Clocks {
        running: Some(Running { bin_ns: 10 * MS, bins: vec![vec![(1, 3 * MS)]; 10] }),
        threads: vec![ThreadClock {
            lifetime_ns: 100 * MS,
            ran_ns: Some(30 * MS),
            user_ns: Some(20 * MS),
            system_ns: Some(10 * MS),
            delayed_ns: Some(5 * MS),
        }],
        waits: vec![Wait {
            thread: 0,
            stack: Some(1),
            call: Some(FSYNC),
            kind: WaitKind::Storage,
            blocked_ns: 50 * MS,
            seen: 9,
            held_up_ns: 60 * MS,
        }],
        together: Together { seen_ns: 100 * MS, all_blocked_ns: 60 * MS, looks: 10 },
        load: Some(Load { cpus: 2, elapsed_seconds: 0.1, busy_seconds: 0.03, stolen_seconds: 0.0 }),
        ..Clocks::default()
    };
    recording
}

fn analysed(recording: Recording) -> Analysis {
    let code = vec![module(vec![function(1, "main", (0x100, 0x200), vec![], 1)])];
    let survey = Run { id: 1, target: recording.target.clone(), facts: recording, machine: None, code };
    analyse(&Facts { surveys: vec![survey], ..Facts::default() })
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

#[test]
fn elapsed_time_is_running_ready_and_blocked() {
    let analysis = analysed(waiting());
    let elapsed = analysis.program.elapsed.unwrap();
    assert!(near(elapsed.running_seconds, 0.03), "{elapsed:?}");
    // 70 ms idle, of which all were blocked for 60 by the looks; but no thread waited for a CPU longer than 5.
    assert!(near(elapsed.ready_seconds, 0.005) && near(elapsed.blocked_seconds, 0.06), "{elapsed:?}");
    let [cause] = elapsed.held_up.as_slice() else { panic!("{elapsed:?}") };
    assert_eq!((cause.name(), cause.function.as_deref()), ("fsync", Some("main")));
    assert_eq!((cause.call.as_deref(), cause.kind), (Some("fsync"), WaitKind::Storage));
    assert!(near(cause.seconds, 0.06) && near(cause.share, 0.6));
}

#[test]
fn a_threads_blocked_time_is_counted_and_shared_out_by_where_it_was_seen() {
    let analysis = analysed(waiting());
    let [thread] = analysis.threads.as_slice() else { panic!() };
    assert!(near(thread.blocked_seconds.unwrap(), 0.065) && near(thread.ready_seconds.unwrap(), 0.005));
    assert!(near(thread.waits[0].seconds, 0.065), "all of it was seen in one call");
}

#[test]
fn few_looks_tell_nothing() {
    let mut recording = waiting();
    recording.clocks.together.looks = 2;
    assert!(analysed(recording).program.elapsed.is_none());
}

#[test]
fn kernel_time_that_cannot_be_sampled_is_the_operating_systems_account() {
    let mut recording = waiting();
    recording.sampler.kernel = false;
    recording.target.system_seconds = 0.12;
    recording.clocks.boundaries = vec![Boundary { stack: 1, samples: 3 }];
    let analysis = analysed(recording);
    let program = &analysis.program;
    assert!(near(program.cpu_seconds, 0.15) && near(program.time.kernel, 0.8), "{program:?}");
    let kernel = program.kernel.as_ref().unwrap();
    assert!(!kernel.sampled && near(kernel.share, 0.8));
    let [caller] = kernel.callers.as_slice() else { panic!("{kernel:?}") };
    assert_eq!((caller.function.as_str(), caller.caller.as_deref()), ("fsync", Some("main")));
    assert_eq!(caller.by, KernelEvidence::Calls);
    let tree = analysis.tree.unwrap();
    assert!(tree.children.iter().any(|child| child.name == "[kernel]" && near(child.total_seconds, 0.12)));
    assert!(near(analysis.threads[0].cpu_seconds, 0.04), "its own share of the kernel's time");
}

#[test]
fn user_time_of_processes_that_ended_before_a_sample_is_not_the_kernels() {
    let mut recording = waiting();
    recording.sampler.kernel = false;
    // 30 ms were sampled of 150 ms.
    (recording.target.user_seconds, recording.target.system_seconds) = (0.15, 0.05);
    let analysis = analysed(recording.clone());
    assert!(near(analysis.program.cpu_seconds, 0.2) && near(analysis.program.time.kernel, 0.25));
    assert!(analysis.functions.iter().any(|f| f.function == "[not sampled]" && near(f.self_seconds, 0.12)));
    let unsampled = |w: &Warning| matches!(w, Warning::Unsampled { share } if near(*share, 0.6));
    assert!(analysis.warnings.iter().any(unsampled), "{:?}", analysis.warnings);
    // What samples miss by chance is not added.
    recording.target.user_seconds = 0.04;
    let analysis = analysed(recording);
    assert!(near(analysis.program.cpu_seconds, 0.08), "{}", analysis.program.cpu_seconds);
}

#[test]
fn sampled_kernel_time_is_named_by_function_and_call() {
    let mut recording = waiting();
    recording.sampler.kernel = true;
    for sample in &mut recording.samples[..10] {
        (sample.kernel, sample.stack) = (true, 1);
    }
    recording.clocks.kernel = vec![
        KernelSample { stack: 1, function: "vfs_fsync".into(), samples: 3 },
        KernelSample { stack: 1, function: "_raw_spin_lock".into(), samples: 1 },
    ];
    let kernel = analysed(recording.clone()).program.kernel.unwrap();
    assert!(kernel.sampled && near(kernel.seconds, 0.01));
    assert_eq!((kernel.functions[0].function.as_str(), kernel.functions[0].share), ("vfs_fsync", 0.75));
    assert_eq!((kernel.callers[0].call.as_deref(), kernel.callers[0].share), (None, 1.0));
    recording.clocks.calls = vec![SampledCall { stack: 1, call: FSYNC, time_ns: 10 * MS }];
    let kernel = analysed(recording).program.kernel.unwrap();
    assert_eq!(kernel.callers[0].call.as_deref(), Some("fsync"));
}

#[test]
fn a_machine_is_busy_when_others_take_what_the_program_waits_for() {
    let quiet = analysed(waiting()).program.load.unwrap();
    assert!(!quiet.busy && near(quiet.ready_share, 5.0 / 35.0), "{quiet:?}");
    let load_of = |busy_seconds: f64, stolen_seconds: f64| {
        let mut recording = waiting();
        recording.clocks.load = Some(Load { cpus: 2, elapsed_seconds: 0.1, busy_seconds, stolen_seconds });
        analysed(recording).program.load.unwrap()
    };
    assert!(load_of(0.18, 0.0).busy, "it waits, and others run");
    assert!(!load_of(0.03, 0.0).busy, "it waits for itself");
    assert!(load_of(0.03, 0.05).busy, "the hypervisor takes CPUs away");
}
