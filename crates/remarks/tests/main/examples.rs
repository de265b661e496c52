//! The examples of the table of reasons, compiled by real compilers: the original yields its reason, the
//! rewritten one is reported vectorised.

use crate::installed::available;
use loopwright_remarks::parse;
use loopwright_remarks::reasons::{self, Example, Prover, Reason};
use loopwright_remarks::remark::{Outcome, Remark};
use std::path::Path;
use std::process::Command;

/// The oldest useful vector instruction set; every machine since 2015 runs it, and nothing is run here.
const BASE: [&str; 2] = ["-O3", "-march=x86-64-v3"];

fn report(
    program: &str,
    prover: Prover,
    source: &str,
    extension: &str,
    flags: &[&str],
) -> Result<Vec<Remark>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("example.{extension}"));
    std::fs::write(&path, source).unwrap();
    let out = folder.path().join("report");
    let mut command = Command::new(program);
    command.current_dir(folder.path()).args(BASE).args(flags).args(["-c", "-o", "x.o"]).arg(&path);
    match prover {
        Prover::Gcc => command.arg(format!("-fopt-info-all-internals={}", out.display())),
        Prover::Clang => command
            .args(["-g", "-fsave-optimization-record"])
            .arg(format!("-foptimization-record-file={}", out.display())),
    };
    let output = command.output().unwrap();
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let bytes = std::fs::read(&out).unwrap_or_default();
    Ok(parse::parse_bytes(Path::new("report"), &bytes, None).unwrap())
}

/// clang's messages have changed over the years: the table's claims are those of LLVM 19.
fn newest_clang() -> &'static str {
    ["clang-19", "clang-20", "clang-21", "clang-22"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok())
        .unwrap_or("clang-19")
}

struct Trial {
    language: &'static str,
    program: &'static str,
    prover: Prover,
    extension: &'static str,
}

fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (language, program, prover, extension) in [
        ("C", "gcc", Prover::Gcc, "c"),
        ("C", newest_clang(), Prover::Clang, "c"),
        ("Fortran", "gfortran", Prover::Gcc, "f90"),
    ] {
        if available(program) {
            trials.push(Trial { language, program, prover, extension });
        }
    }
    trials
}

fn gives(remarks: &[Remark], reason: &Reason) -> bool {
    remarks
        .iter()
        .any(|remark| remark.outcome != Outcome::Vectorized && remark.reason.as_deref() == Some(reason.id))
}

#[test]
fn examples_compile_and_prove_their_reasons() {
    let mut failures = Vec::new();
    let mut report_lines = Vec::new();
    let (mut bad_proven, mut mended_proven) = (0, 0);
    for trial in trials() {
        for reason in reasons::all() {
            let example: &Example = if trial.language == "C" { &reason.c } else { &reason.fortran };
            let name = format!("{} ({})", reason.id, trial.program);
            // Flags that only GCC knows belong to examples that only GCC proves.
            let skip = |flags: &[&str]| {
                trial.prover == Prover::Clang
                    && flags.iter().any(|flag| flag.contains("-tree-") || flag.contains("non-call"))
            };
            let expects = |provers: &[Prover]| provers.contains(&trial.prover);
            let mut bad = None;
            if !skip(example.bad_flags) {
                match report(trial.program, trial.prover, example.bad, trial.extension, example.bad_flags) {
                    Ok(remarks) => bad = Some(remarks),
                    Err(message) => failures.push(format!("{name}: bad does not compile: {message}")),
                }
            }
            let proven = bad.as_ref().is_some_and(|remarks| gives(remarks, reason));
            bad_proven += usize::from(proven);
            if !proven && expects(example.proves_bad) {
                failures.push(format!("{name}: bad does not give the reason"));
            }
            if proven && !expects(example.proves_bad) {
                report_lines.push(format!("{name}: bad is proven, but the row does not say so"));
            }
            let mut mended = None;
            if !skip(example.mended_flags) {
                match report(
                    trial.program,
                    trial.prover,
                    example.mended,
                    trial.extension,
                    example.mended_flags,
                ) {
                    Ok(remarks) => mended = Some(remarks),
                    Err(message) => failures.push(format!("{name}: mended does not compile: {message}")),
                }
            }
            let vectorized = mended
                .as_ref()
                .is_some_and(|remarks| remarks.iter().any(|r| r.outcome == Outcome::Vectorized));
            mended_proven += usize::from(vectorized);
            if !vectorized && expects(example.proves_mended) {
                failures.push(format!("{name}: mended is not vectorised"));
            }
            let all_proven = expects(example.proves_bad) && expects(example.proves_mended);
            if !all_proven && example.unproven.is_empty() {
                failures.push(format!(
                    "{name}: neither proven nor does the row say why (bad {proven}, mended {vectorized})"
                ));
            }
            if std::env::var_os("LOOPWRIGHT_SHOW").is_some() && (!proven || !vectorized) {
                for remark in bad.iter().flatten().filter(|_| !proven) {
                    report_lines.push(format!(
                        "{name} bad: {:?} {:?} {}",
                        remark.outcome, remark.reason, remark.message
                    ));
                }
                for remark in mended.iter().flatten().filter(|_| !vectorized) {
                    report_lines.push(format!(
                        "{name} mended: {:?} {:?} {}",
                        remark.outcome, remark.reason, remark.message
                    ));
                }
            }
        }
    }
    eprintln!("{}", report_lines.join("\n"));
    eprintln!("{bad_proven} bad examples give their reason, {mended_proven} mended ones are vectorised");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
