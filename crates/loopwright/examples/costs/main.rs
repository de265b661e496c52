//! What `advise` and `advise --deep` cost: a table of programs, compared with the limits that they are to keep.
//!
//! ```sh
//! cargo run --release -p loopwright --example costs              # all programs that are installed
//! cargo run --release -p loopwright --example costs -- python    # those with this in their name
//! cargo run --release -p loopwright --example costs -- -- ./prog args
//! ```
//!
//! `advise` runs a program twice, so that it may take 2.2 times as long and 1.5 s more; `--deep` runs it three times: 3.5
//! times and 3 s more. Programs whose executable or libraries are larger than 50 MB may take 3 s more than the multiple in both. Before
//! a time counts, the results are verified: the program must have written the same in each of its runs, ended in the same
//! way, and been counted. On a busy machine elapsed times say little: CPU time of the tool by phase is printed beside
//! them, which `loopwright -v` prints as well.

mod programs;

use programs::Program;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// Runs of the program alone; the fastest counts.
const NATIVE_RUNS: usize = 3;

/// What a verb may take: a multiple of the program's own time, and seconds beyond it for small and large programs.
struct Limit {
    deep: bool,
    runs: usize,
    times: f64,
    seconds: [f64; 2],
}

const LIMITS: [Limit; 2] = [
    Limit { deep: false, runs: 2, times: 2.2, seconds: [1.5, 3.0] },
    Limit { deep: true, runs: 3, times: 3.5, seconds: [3.0, 3.0] },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => return failed(&format!("no temporary folder: {error}")),
    };
    let programs = match arguments.split_first() {
        Some((first, command)) if first == "--" && !command.is_empty() => vec![Program::own(command)],
        _ => {
            let named = |program: &Program| {
                arguments.is_empty() || arguments.iter().any(|part| program.name.contains(part.as_str()))
            };
            programs::installed(folder.path()).into_iter().filter(named).collect()
        }
    };
    let Some(loopwright) = loopwright() else {
        return failed("target/release/loopwright is missing; build it: cargo build --release -p loopwright");
    };
    println!(
        "{:22} {:>8} {:>6} {:>8} {:>6} {:>9} {:>8}  largest phases (CPU time of the tool)",
        "program", "alone", "deep", "took", "times", "beyond", "limit"
    );
    let mut missed = 0;
    for program in &programs {
        for limit in &LIMITS {
            match measure(&loopwright, program, limit, folder.path()) {
                Ok(row) => {
                    missed += u32::from(!row.kept);
                    println!("{}", row.text);
                }
                Err(why) => return failed(&format!("{}: {why}", program.name)),
            }
        }
    }
    if missed > 0 {
        println!("{missed} of {} are beyond their limit", programs.len() * LIMITS.len());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn failed(why: &str) -> ExitCode {
    eprintln!("costs: {why}");
    ExitCode::FAILURE
}

/// The executable beside this example.
fn loopwright() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let built = own.parent()?.parent()?.join("loopwright");
    built.is_file().then_some(built)
}

struct Ran {
    seconds: f64,
    output: Vec<u8>,
    success: bool,
}

fn run(command: &mut Command) -> Result<Ran, String> {
    let begin = Instant::now();
    let done = command.stdin(Stdio::null()).stderr(Stdio::null()).output().map_err(|e| e.to_string())?;
    Ok(Ran { seconds: begin.elapsed().as_secs_f64(), output: done.stdout, success: done.status.success() })
}

struct Row {
    text: String,
    kept: bool,
}

fn measure(loopwright: &Path, program: &Program, limit: &Limit, folder: &Path) -> Result<Row, String> {
    let mut native: Option<Ran> = None;
    for _ in 0..NATIVE_RUNS {
        let ran = run(Command::new(&program.command[0]).args(&program.command[1..]))?;
        if !ran.success {
            return Err("it fails by itself".to_owned());
        }
        if native.as_ref().is_none_or(|best| ran.seconds < best.seconds) {
            native = Some(ran);
        }
    }
    let native = native.ok_or("it did not run")?;
    let experiment = folder.join("costs.lw");
    let _ = std::fs::remove_file(&experiment);
    let mut advise = Command::new(loopwright);
    advise.arg("-e").arg(&experiment).args(["advise", "--no-measure"]);
    advise.args(limit.deep.then_some("--deep")).arg("--").args(&program.command);
    let advised = run(&mut advise)?;
    let document = verify(loopwright, &experiment, &native, &advised, limit)?;
    let beyond = advised.seconds - limit.times * native.seconds;
    let allowed = limit.seconds[usize::from(program.large)];
    let kept = beyond <= allowed;
    let text = format!(
        "{:22} {:>6.2} s {:>6} {:>6.2} s {:>6.1} {:>7.2} s {:>6.1} s  {}{}",
        program.name,
        native.seconds,
        if limit.deep { "deep" } else { "" },
        advised.seconds,
        advised.seconds / native.seconds,
        beyond,
        allowed,
        phases(&document),
        if kept { "" } else { "  BEYOND" }
    );
    Ok(Row { text, kept })
}

/// The results must be right before their cost is of interest: the document of the results.
fn verify(
    loopwright: &Path,
    experiment: &Path,
    native: &Ran,
    advised: &Ran,
    limit: &Limit,
) -> Result<Value, String> {
    if !advised.success {
        return Err("advise failed".to_owned());
    }
    let expected = native.output.repeat(limit.runs);
    if !advised.output.starts_with(&expected) {
        return Err("it wrote something else in one of its runs".to_owned());
    }
    let show = run(Command::new(loopwright).arg("-e").arg(experiment).args(["show", "--json"]))?;
    let document: Value = serde_json::from_slice(&show.output).map_err(|e| format!("its JSON: {e}"))?;
    let ended = [&document["program"]["outcome"], &document["counts"]["outcome"]];
    if ended.iter().any(|outcome| outcome.as_str() != Some("exited 0")) {
        return Err(format!("its runs ended otherwise than alone: {ended:?}"));
    }
    if document["counts"]["work"]["instructions"].as_u64().unwrap_or(0) == 0 {
        return Err("nothing was counted".to_owned());
    }
    Ok(document)
}

/// The phases in which the tool worked most.
fn phases(document: &Value) -> String {
    let costs = document["costs"].as_array().map_or(&[][..], Vec::as_slice);
    let mut sums: Vec<(String, f64)> = Vec::new();
    for cost in costs {
        let name = cost["phase"].as_str().unwrap_or_default();
        let seconds = cost["cpu_seconds"].as_f64().unwrap_or(0.0);
        match sums.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum += seconds,
            None => sums.push((name.to_owned(), seconds)),
        }
    }
    sums.sort_by(|a, b| b.1.total_cmp(&a.1));
    let whole: f64 = sums.iter().map(|(_, seconds)| seconds).sum();
    let largest: Vec<String> =
        sums.iter().take(3).map(|(name, seconds)| format!("{name} {seconds:.2}")).collect();
    format!("{whole:.2} s: {}", largest.join(", "))
}
