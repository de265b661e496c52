//! Programs that end in every way, and programs that do not start.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use loopwright_launch::{Error as Refusal, StartOptions, Stream};
use loopwright_sample::recording::{Outcome, Recording};
use loopwright_sample::warning::Warning;
use loopwright_sample::{Error, Observer, Quiet, SurveyOptions, SurveyStatus, survey};

use crate::build::{Names, check, compile, record, samplers, skip};

/// Starts in this folder.
fn in_folder(folder: &std::path::Path) -> StartOptions {
    StartOptions { directory: Some(folder.to_owned()), ..StartOptions::default() }
}

#[test]
fn crash_abort_kill_and_exit_keep_what_was_collected() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), "ending", &["-O2"]) else { return };
    let names = Names::of(&program);
    for options in samplers() {
        for (how, outcome) in [
            ("exit", Outcome::Exited(3)),
            ("crash", Outcome::Signalled(libc::SIGSEGV)),
            ("abort", Outcome::Signalled(libc::SIGABRT)),
            ("kill", Outcome::Signalled(libc::SIGKILL)),
        ] {
            let options = SurveyOptions { start: in_folder(folder.path()), ..options.clone() };
            let (recording, _) = record(&options, &[program.to_str().unwrap(), how]);
            assert_eq!(recording.target.outcome, outcome, "{how}");
            let burnt = names.self_seconds(&recording, "burn");
            assert!(
                burnt > 0.5 * recording.target.user_seconds,
                "{how}: {burnt} s of {}",
                recording.target.user_seconds
            );
            assert_eq!(
                std::path::Path::new(&recording.target.directory),
                std::fs::canonicalize(folder.path()).unwrap()
            );
        }
    }
}

#[test]
fn a_program_that_ends_at_once_is_recorded_with_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), "ending", &["-O2"]) else { return };
    for options in samplers() {
        let (recording, _) = record(&options, &[program.to_str().unwrap(), "quick"]);
        assert_eq!(recording.target.outcome, Outcome::Exited(5));
        assert!(recording.target.user_seconds + recording.target.system_seconds < 1.0);
    }
}

#[test]
fn children_and_orphans_are_sampled_and_their_time_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), "ending", &["-O2"]) else { return };
    let names = Names::of(&program);
    for options in samplers() {
        for how in ["fork", "orphan"] {
            let (recording, _) = record(&options, &[program.to_str().unwrap(), how]);
            let (own, childs) =
                (names.self_seconds(&recording, "burn"), names.self_seconds(&recording, "child_burn"));
            assert!(own > 0.0 && childs > 0.0, "{how}: {own} s and {childs} s");
            assert!(recording.processes.len() >= 2);
            assert!(
                recording
                    .processes
                    .iter()
                    .skip(1)
                    .all(|process| process.parent.is_some() && process.name == "ending")
            );
            let used = recording.target.user_seconds + recording.target.system_seconds;
            assert!((0.85..1.15).contains(&((own + childs) / used)), "{how}: {own} + {childs} s of {used} s");
        }
    }
}

#[test]
fn exec_begins_a_new_picture_of_the_same_process() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), "ending", &["-O2"]) else { return };
    let names = Names::of(&program);
    for options in samplers() {
        let (recording, _) = record(&options, &[program.to_str().unwrap(), "exec"]);
        assert_eq!(recording.target.outcome, Outcome::Exited(3));
        assert_eq!(recording.processes.len(), 1);
        let used = recording.target.user_seconds;
        assert!(names.self_seconds(&recording, "burn") > 0.8 * used, "mappings of both lives must be known");
    }
}

#[test]
fn a_daemon_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), "ending", &["-O2"]) else { return };
    for options in samplers() {
        let start = StartOptions { stdin: Stream::Null, ..StartOptions::default() };
        let options = SurveyOptions { grace: Duration::from_millis(200), start, ..options };
        let (recording, _) = record(&options, &[program.to_str().unwrap(), "daemon"]);
        assert_eq!(recording.target.outcome, Outcome::Exited(0));
        let warnings = &recording.sampler.warnings;
        let named =
            |warning: &Warning| matches!(warning, Warning::Outlived { names, .. } if names == &["ending"]);
        assert!(warnings.iter().any(named), "{warnings:?}");
        let daemon = recording.processes.last().unwrap().pid as libc::pid_t;
        // SAFETY: signals the test's own daemon, which still sleeps.
        assert_eq!(unsafe { libc::kill(daemon, libc::SIGKILL) }, 0, "it must have been left running");
    }
}

/// Interrupts after the first samples, and again where the test requires it.
struct Interrupter {
    flag: Arc<AtomicBool>,
    times: u32,
    at_samples: u64,
}

impl Observer for Interrupter {
    fn tick(&mut self, status: &SurveyStatus) {
        if self.times > 0 && status.samples >= self.at_samples {
            self.times -= 1;
            self.at_samples = status.samples + 20;
            self.flag.store(true, Ordering::Release);
        }
    }
}

fn interrupted(program: &std::path::Path, how: &str, times: u32, options: &SurveyOptions) -> Recording {
    let flag = Arc::new(AtomicBool::new(false));
    let mut observer = Interrupter { flag: flag.clone(), times, at_samples: 20 };
    let recording =
        survey(&[program.as_os_str().to_owned(), OsString::from(how)], options, &mut observer, &flag)
            .unwrap();
    check(&recording);
    recording
}

#[test]
fn an_interruption_keeps_the_samples_and_a_second_one_kills() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), "ending", &["-O2"]) else { return };
    for options in samplers() {
        // Without a terminal the first interruption sends SIGINT, which this program answers by ending.
        for (how, times) in [("interrupt", 1), ("stubborn", 2)] {
            let recording = interrupted(&program, how, times, &options);
            assert_eq!(recording.target.outcome, Outcome::Interrupted, "{how}");
            assert!(recording.samples.len() >= 20, "{how}");
        }
    }
}

#[test]
fn the_program_inherits_no_changed_signals_and_no_descriptors() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile(folder.path(), "ending", &["-O2"]) else { return };
    let plain = std::process::Command::new(&program).arg("signals").output().unwrap();
    let plain = String::from_utf8(plain.stdout).unwrap();
    assert!(!plain.contains("changed 13") && !plain.contains("blocked"), "{plain}");
    for options in samplers() {
        let (_, output) = record(&options, &[program.to_str().unwrap(), "signals"]);
        assert_eq!(output, plain);
    }
}

#[test]
fn what_cannot_be_started_is_a_typed_error() {
    let folder = tempfile::tempdir().unwrap();
    let start = |program: &std::path::Path, options: &SurveyOptions| {
        survey(&[program.as_os_str().to_owned()], options, &mut Quiet, &AtomicBool::new(false)).unwrap_err()
    };
    let start = |program: &std::path::Path, options: &SurveyOptions| match start(program, options) {
        Error::Launch(refusal) => refusal,
        other => panic!("{other}"),
    };
    let junk = folder.path().join("junk");
    std::fs::write(&junk, [0, 1, 2, 3]).unwrap();
    std::fs::set_permissions(&junk, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for options in samplers() {
        assert!(matches!(start(&folder.path().join("missing"), &options), Refusal::DoesNotExist { .. }));
        assert!(matches!(start(folder.path(), &options), Refusal::IsDirectory { .. }));
        assert!(matches!(start(&junk, &options), Refusal::NotAProgram { .. }));
        assert!(matches!(
            survey(&[], &options, &mut Quiet, &AtomicBool::new(false)),
            Err(Error::Launch(Refusal::NoCommand))
        ));
        let elsewhere = SurveyOptions { start: in_folder(&folder.path().join("nowhere")), ..options };
        assert!(matches!(start(std::path::Path::new("/bin/true"), &elsewhere), Refusal::Directory { .. }));
    }
}

#[test]
fn scripts_run_by_their_interpreter() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.sh");
    std::fs::write(&script, "#!/bin/sh\ni=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; exit 4\n")
        .unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for options in samplers() {
        let (recording, _) = record(&options, &[script.to_str().unwrap()]);
        assert_eq!(recording.target.outcome, Outcome::Exited(4));
        let shell = std::fs::canonicalize("/bin/sh").unwrap();
        assert_eq!(std::path::Path::new(&recording.target.executable), shell);
        assert!(!recording.samples.is_empty());
    }
}

#[test]
fn python_is_sampled_with_whole_stacks() {
    let code =
        "import time\nt=time.process_time()\nwhile time.process_time()-t<0.6: sum(i*i for i in range(20000))";
    for options in samplers() {
        let command = [OsString::from("python3"), OsString::from("-c"), OsString::from(code)];
        let recording = match survey(&command, &options, &mut Quiet, &AtomicBool::new(false)) {
            Ok(recording) => recording,
            Err(Error::Launch(Refusal::NotOnPath { .. })) => return skip("there is no python3"),
            Err(error) => panic!("{error}"),
        };
        check(&recording);
        assert_eq!(recording.target.outcome, Outcome::Exited(0));
        assert!(recording.samples.len() > 50);
        let depth = |stack| {
            std::iter::successors(Some(stack), |&node| recording.stacks[node as usize].parent).count()
        };
        let mut depths: Vec<usize> = recording.samples.iter().map(|sample| depth(sample.stack)).collect();
        depths.sort_unstable();
        assert!(depths[depths.len() / 2] >= 8, "median depth {}", depths[depths.len() / 2]);
        assert!(recording.sampler.truncated_share < 0.3, "{}", recording.sampler.truncated_share);
    }
}
