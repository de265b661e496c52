//! Asking real compilers again about units of a program, from an existing binary and its sources.

use crate::installed::available;
use loopwright_remarks::command::CompileCommand;
use loopwright_remarks::reask::{Haste, Options, Reasked, UnitRequest, reask};
use loopwright_remarks::remark::Outcome;
use loopwright_remarks::warning::Warning;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

fn version_of(program: &str) -> String {
    let output = Command::new(program).arg("-dumpfullversion").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_string()
}

fn ask_all(units: &[UnitRequest], options: &Options) -> Reasked {
    reask(units, options, &|_, _, _| {})
}

fn has_reason(answer: &Reasked, line: u32, reason: &str) -> bool {
    answer.remarks.iter().any(|r| {
        r.line == line
            && r.outcome == Outcome::Missed
            && r.reason.as_deref() == Some(reason)
            && r.file.starts_with('/')
    })
}

#[test]
fn a_unit_is_asked_with_the_flags_of_its_producer() {
    if !available("gcc") {
        return;
    }
    let producer = format!(
        "GNU C17 {} -mtune=generic -march=x86-64-v3 -g -O3 -fasynchronous-unwind-tables",
        version_of("gcc")
    );
    let unit = UnitRequest {
        file: PathBuf::from("kernels.c"),
        directory: Some(sources()),
        producer: Some(producer),
        ..UnitRequest::default()
    };
    let calls = AtomicUsize::new(0);
    let answer = reask(&[unit], &Options::default(), &|_, total, _| {
        assert_eq!(total, 1);
        calls.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(answer.warnings, []);
    assert_eq!((answer.answered, calls.into_inner()), (1, 1));
    assert!(has_reason(&answer, 4, "loop-carried-dependence"), "{:?}", answer.remarks);
    // The record adds what the text lacks.
    let decay = answer.remarks.iter().find(|r| r.line == 4).unwrap();
    assert_eq!(decay.function.as_deref(), Some("decay"));
    assert!(decay.compiler.starts_with("gcc "));
}

#[test]
fn a_fortran_unit_finds_its_modules_and_leaves_none() {
    if !available("gfortran") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("mods")).unwrap();
    std::fs::write(at("w.f90"), "module w\n  real(8) :: factor = 2\nend module\n").unwrap();
    std::fs::write(
        at("m.f90"),
        "module m\ncontains\n  subroutine decay(a, n)\n    use w\n    integer :: n, i\n    real(8) :: a(n)\n    do i = 2, n\n      a(i) = a(i-1) * factor\n    end do\n  end subroutine\nend module\n",
    )
    .unwrap();
    let made = Command::new("gfortran")
        .args(["-J", "mods", "-c", "w.f90", "-o", "w.o"])
        .current_dir(folder.path())
        .status()
        .unwrap();
    assert!(made.success());
    let unit = UnitRequest {
        file: PathBuf::from("m.f90"),
        directory: Some(folder.path().to_path_buf()),
        arguments: Some(
            ["gfortran", "-O3", "-g", "-J", "mods", "-c", "m.f90", "-o", "m.o"].map(str::to_string).to_vec(),
        ),
        ..UnitRequest::default()
    };
    let answer = ask_all(&[unit], &Options::default());
    assert_eq!(answer.warnings, []);
    assert!(has_reason(&answer, 7, "loop-carried-dependence"), "{:?}", answer.remarks);
    assert!(!at("m.o").exists() && !at("mods/m.mod").exists() && !at("m.mod").exists());
}

#[test]
fn the_database_gives_the_command_that_debug_information_lacks() {
    if !available("clang") {
        return;
    }
    let unit = UnitRequest {
        file: PathBuf::from("kernels.c"),
        directory: Some(sources()),
        producer: Some("Debian clang version 99.0.0".to_string()),
        ..UnitRequest::default()
    };
    // Without flags there is no valid question.
    let answer = ask_all(std::slice::from_ref(&unit), &Options::default());
    assert_eq!(answer.answered, 0);
    assert!(matches!(answer.warnings[0], Warning::UnknownFlags { clang: true, .. }), "{:?}", answer.warnings);
    let command = CompileCommand {
        directory: sources(),
        file: PathBuf::from("./kernels.c"),
        arguments: ["clang", "-O3", "-c", "./kernels.c", "-o", "/nowhere/kernels.o"]
            .map(str::to_string)
            .to_vec(),
        compiler: None,
    };
    let answer = ask_all(&[unit], &Options { commands: vec![command], ..Options::default() });
    assert_eq!(answer.answered, 1, "{:?}", answer.warnings);
    let Warning::OtherVersion { compiler, .. } = &answer.warnings[0] else { panic!("{:?}", answer.warnings) };
    assert_eq!(compiler, "clang 99.0.0");
    assert!(has_reason(&answer, 18, "opaque-call"), "{:?}", answer.remarks);
}

#[test]
fn what_cannot_be_asked_is_refused_with_a_way_out() {
    let base = UnitRequest { directory: Some(sources()), ..UnitRequest::default() };
    type Expected = fn(&Warning) -> bool;
    let cases: [(UnitRequest, Expected); 5] = [
        (
            UnitRequest {
                file: "absent.c".into(),
                arguments: Some(vec!["gcc".into(), "-c".into(), "absent.c".into()]),
                ..base.clone()
            },
            |w| matches!(w, Warning::NoSource { .. }),
        ),
        (
            UnitRequest {
                file: "kernels.rs".into(),
                producer: Some("clang LLVM (rustc version 1.95.0)".into()),
                ..base.clone()
            },
            |w| matches!(w, Warning::OtherLanguage { .. }),
        ),
        (
            UnitRequest {
                file: "kernels.c".into(),
                arguments: Some(vec!["/no/such/gcc".into(), "-c".into(), "kernels.c".into()]),
                ..base.clone()
            },
            |w| matches!(w, Warning::NoCompiler { .. }),
        ),
        (UnitRequest { file: "kernels.c".into(), ..base.clone() }, |w| {
            matches!(w, Warning::UnknownFlags { clang: false, .. })
        }),
        (
            UnitRequest {
                file: "kernels.c".into(),
                arguments: Some(
                    ["gcc", "-O3", "-include", "no-such-header.h", "-c", "kernels.c"]
                        .map(str::to_string)
                        .to_vec(),
                ),
                ..base.clone()
            },
            |w| matches!(w, Warning::NoAnswer(why) if why.contains("include folders")),
        ),
    ];
    for (unit, expected) in cases {
        let answer = ask_all(&[unit], &Options::default());
        assert_eq!(answer.answered, 0);
        assert!(answer.warnings.len() == 1 && expected(&answer.warnings[0]), "{:?}", answer.warnings);
    }
}

#[test]
fn a_source_newer_than_the_program_is_said() {
    if !available("gcc") {
        return;
    }
    let unit = UnitRequest {
        file: PathBuf::from("kernels.c"),
        directory: Some(sources()),
        arguments: Some(["gcc", "-O3", "-c", "kernels.c"].map(str::to_string).to_vec()),
        built: Some(SystemTime::UNIX_EPOCH),
        ..UnitRequest::default()
    };
    let answer = ask_all(&[unit], &Options::default());
    assert_eq!(answer.answered, 1);
    assert!(matches!(answer.warnings[0], Warning::NewerSource { .. }), "{:?}", answer.warnings);
}

/// A replacement compiler that prints its version and then hangs with a child: both must be gone after the limit.
#[test]
fn a_compiler_that_hangs_is_ended_with_its_children() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("gcc");
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *--version*) echo 'gcc (x) 12.2.0'; echo 'Free Software Foundation'; exit;; esac\nsleep 1000 &\necho $! > {}/child\nwait\n",
        folder.path().display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let unit = UnitRequest {
        file: PathBuf::from("kernels.c"),
        directory: Some(sources()),
        arguments: Some(vec![
            program.to_string_lossy().into_owned(),
            "-O3".into(),
            "-c".into(),
            "kernels.c".into(),
        ]),
        ..UnitRequest::default()
    };
    let options =
        Options { time_limit: Duration::from_millis(1500), compilers: vec![program], ..Options::default() };
    let answer = ask_all(&[unit], &options);
    let [Warning::NoAnswer(why)] = &answer.warnings[..] else { panic!("{:?}", answer.warnings) };
    assert!(why.contains("took more than"), "{why}");
    let child = std::fs::read_to_string(folder.path().join("child")).unwrap();
    // The killed child is none of this process: it is not waited for here. A killed process ends when the kernel next runs it.
    super::until("the child of the killed compiler ends", &|| super::has_ended(child.trim()));
}

#[test]
fn questions_that_come_too_late_are_told() {
    let unit = |share| UnitRequest { file: PathBuf::from("/missing/a.c"), share, ..UnitRequest::default() };
    static CALM: AtomicBool = AtomicBool::new(false);
    static HURRY: AtomicBool = AtomicBool::new(true);
    let haste = |total, hurry| Options {
        haste: Some(Haste { total, hurry, worth_waiting: 0.05 }),
        ..Options::default()
    };
    let late = |sources, of| Warning::Late { sources, of };
    let none = ask_all(&[unit(0.5)], &haste(Duration::ZERO, &CALM));
    assert_eq!(none.warnings, [late(1, 1)]);
    // In a hurry only units with a large share are asked about.
    let hot = ask_all(&[unit(0.01), unit(0.5)], &haste(Duration::from_secs(60), &HURRY));
    assert_eq!(hot.warnings[0], late(1, 2));
    assert_eq!(hot.warnings[1], Warning::NoSource { source_file: "/missing/a.c".into() });
}
