//! Every way in which a run can end: counts so far are kept, and a program whose collector dies runs on unharmed.

use crate::counting::builds::Ready;
use crate::counting::engine::{Started, counted, plainly};
use crate::counting::judge::own_modules;
use loopwright_instrument::reason::Reason;
use loopwright_testprograms::{Compiler, Program};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::path::Path;
use std::time::{Duration, Instant};

/// Long enough for any machine; nothing here depends on how long something takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until `what` gives something.
fn await_some<T>(label: &str, mut what: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(value) = what() {
            return value;
        }
        assert!(begin.elapsed() < PATIENCE, "{label}: nothing happened");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A kernel that runs for a second or two.
fn long_running() -> Option<Ready> {
    let ready = Ready::build(&Program::named("overhead"), Compiler::Gcc, "O2")?;
    Some(ready.with(&["leaf-call", "15000"]))
}

/// The process that runs this program and has used some time doing so.
fn running(program: &Path) -> Option<Pid> {
    let wanted = program.canonicalize().ok()?;
    for entry in std::fs::read_dir("/proc").ok()?.flatten() {
        let path = entry.path();
        if std::fs::read_link(path.join("exe")).ok().as_ref() != Some(&wanted) {
            continue;
        }
        // proc(5): the name in parentheses, then state, .. utime is the 12th field after it.
        let stat = std::fs::read_to_string(path.join("stat")).ok()?;
        let ticks: u64 = stat.rsplit(") ").next()?.split_whitespace().nth(11)?.parse().ok()?;
        if ticks >= 5 {
            return Some(Pid::from_raw(entry.file_name().to_str()?.parse().ok()?));
        }
    }
    None
}

/// A copy of the executable that no other test runs.
fn own_copy(ready: &Ready, folder: &Path) -> std::path::PathBuf {
    let copy = folder.join("program");
    std::fs::copy(&ready.built.path, &copy).unwrap();
    copy
}

#[test]
fn a_crash_keeps_its_counts_and_its_signal() {
    let Some(ready) = Ready::build(&Program::named("crash"), Compiler::Gcc, "O2") else { return };
    let plain = plainly(&ready.built.path, &ready.arguments);
    let (run, counts) = counted(&ready.built.path, &ready.arguments, &[]);
    assert_eq!(plain.outcome, run.outcome);
    assert_eq!(counts.signal, Some(counts.exit_status - 128), "{}", counts.exit_status);
    let instructions: u64 =
        own_modules(&ready, &counts).iter().flat_map(|m| &m.functions).map(|f| f.work.instructions).sum();
    assert!(instructions > 1000, "{instructions} instructions are left of the run");
}

#[test]
fn a_killed_program_keeps_its_counts() {
    let Some(ready) = long_running() else { return };
    let folder = tempfile::tempdir().unwrap();
    let program = own_copy(&ready, folder.path());
    let mut started = Started::new(&program, &ready.arguments, &[], None);
    kill(await_some("the program", || running(&program)), Signal::SIGKILL).unwrap();
    let ended = started.collector.wait().unwrap();
    let (run, counts) = started.finish(ended.success()).unwrap();
    assert_eq!((run.outcome.status, counts.signal), (137, Some(9)));
    let functions = || counts.modules.iter().flat_map(|m| &m.functions);
    let tiny = functions().find(|f| f.name == "tiny").expect("the kernel that ran");
    assert!(tiny.calls.unwrap_or(0) > 1000, "{tiny:?}");
    let caller = functions().find(|f| f.name == "call_tiny").expect("its caller");
    assert!(tiny.calls.unwrap_or(0).abs_diff(caller.loops[0].iterations) <= 1000, "{caller:?}");
}

/// A loop that counts in a register stores its count when it ends. One that did not end has none: no number
/// is better than one that lacks a part.
#[test]
fn a_loop_that_did_not_end_has_no_counts() {
    for level in ["O1", "O2", "O3"] {
        let Some(ready) = Ready::build(&Program::named("unfinished"), Compiler::Gcc, level) else { return };
        let (run, counts) = counted(&ready.built.path, &ready.arguments, &[]);
        assert_eq!(run.outcome.status, 5);
        let modules = own_modules(&ready, &counts);
        let functions = || modules.iter().flat_map(|m| &m.functions);
        if let Some(endless) = functions().find(|f| f.name == "endless") {
            // Counted in memory, it is as exact as the child's life was long.
            assert!(endless.loops[0].iterations >= 1_000_000, "{level}: {endless:?}");
        } else {
            let left = modules.iter().flat_map(|m| &m.left_alone).find(|l| l.function == "endless");
            assert!(left.is_some_and(|l| l.reason == Reason::StillRunning), "{level}: {left:?}");
        }
        let finished = functions().find(|f| f.name == "finished").expect("the loop that ended");
        assert_eq!((finished.calls, finished.loops[0].iterations), (Some(1), 1000), "{level}");
    }
}

#[test]
fn a_program_whose_collector_is_killed_runs_on_unharmed() {
    let Some(ready) = long_running() else { return };
    let folder = tempfile::tempdir().unwrap();
    let program = own_copy(&ready, folder.path());
    let plain = plainly(&program, &ready.arguments);
    let mut started = Started::new(&program, &ready.arguments, &[], None);
    let pid = await_some("the program", || running(&program));
    started.collector.kill().unwrap();
    started.collector.wait().unwrap();
    await_some("the end of the program", || (!Path::new(&format!("/proc/{pid}/exe")).exists()).then_some(()));
    assert_eq!(started.printed(), plain.outcome.stdout);
}
