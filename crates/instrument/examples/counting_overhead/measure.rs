//! Interleaved runs of one case: counted against native, or traced against counted. The user time of a run is what the
//! kernel accounts for its processes (`getrusage(RUSAGE_CHILDREN)`), so that the collector's own time is not included.

use crate::Options;
use crate::cases::Case;
use loopwright_instrument::facts::Counts;
use loopwright_instrument::{Choice, CountOptions, LoopChoice, Modules, Quiet, TraceOptions, count, trace};
use loopwright_launch::{StartOptions, Stream};
use loopwright_stats::{Interval, median, paired_ratio};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

/// Fewest rounds of every case.
const FEWEST_ROUNDS: usize = 5;

/// A narrower interval of the ratio ends the rounds.
const NARROW: f64 = 0.02;

/// The result of one case.
#[derive(Debug)]
pub struct Measured {
    /// User time of a native run.
    pub native_seconds: f64,
    /// Counted user time / native user time.
    pub ratio: Interval,
    /// Counted wall time / native wall time, preparation excluded.
    pub wall_ratio: f64,
    /// Seconds of preparation.
    pub setup_seconds: f64,
    /// Number of rounds.
    pub rounds: usize,
    /// Functions whose counters were reached most often.
    pub busiest: Vec<String>,
}

/// Times and output of one run.
struct Timed {
    user: f64,
    wall: f64,
    output: Vec<u8>,
    status: i32,
}

/// Measures a case; first its results are compared.
pub fn measure(case: &Case, options: &Options) -> Result<Measured, String> {
    let plain = natively(case)?;
    let (counted, counts) = counted(case)?;
    if plain.status != counted.status || plain.output != counted.output {
        return Err(format!(
            "counting changed its results: status {} and {} bytes, natively {} and {} bytes",
            counted.status,
            counted.output.len(),
            plain.status,
            plain.output.len()
        ));
    }
    let loops = if options.trace { hottest(&counts) } else { Vec::new() };
    if options.trace {
        let (traced, _) = traced(case, &loops)?;
        if plain.status != traced.status || plain.output != traced.output {
            return Err("tracing changed its results".to_owned());
        }
    }
    let (mut native, mut with, mut walls, mut setups) =
        (Vec::new(), Vec::new(), (Vec::new(), Vec::new()), Vec::new());
    let (fewest, most) =
        if options.quick { (1, 1) } else { (FEWEST_ROUNDS.min(options.rounds.max(1)), options.rounds) };
    let ratio = loop {
        let (plain, (run, setup)) = if options.trace {
            (self::counted(case)?.0, traced(case, &loops)?)
        } else {
            let plain = natively(case)?;
            let (run, counts) = self::counted(case)?;
            (plain, (run, counts.setup_seconds))
        };
        native.push(plain.user.max(1e-6));
        with.push(run.user.max(1e-6));
        walls.0.push(plain.wall);
        walls.1.push(run.wall);
        setups.push(setup);
        let ratio = paired_ratio(&with, &native).ok_or("no rounds")?;
        if native.len() >= most || native.len() >= fewest && ratio.relative_width() < NARROW {
            break ratio;
        }
    };
    let wall_ratio = paired_ratio(&walls.1, &walls.0).map_or(f64::NAN, |r| r.estimate);
    Ok(Measured {
        native_seconds: median(&native).unwrap_or(f64::NAN),
        ratio,
        wall_ratio,
        setup_seconds: median(&setups).unwrap_or(f64::NAN),
        rounds: native.len(),
        busiest: busiest(&counts),
    })
}

fn user_seconds() -> Result<f64, String> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|e| format!("getrusage: {e}"))?;
    Ok(usage.user_time().num_microseconds() as f64 * 1e-6)
}

fn natively(case: &Case) -> Result<Timed, String> {
    let mut file = tempfile::tempfile().map_err(|e| e.to_string())?;
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let (user, begin) = (user_seconds()?, Instant::now());
    let status = Command::new(&case.program)
        .args(&case.arguments)
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(file.try_clone().map_err(|e| e.to_string())?)
        .stderr(Stdio::null())
        .status()
        .map_err(|e| format!("{}: {e}", case.program.display()))?;
    let (wall, user) = (begin.elapsed().as_secs_f64(), user_seconds()? - user);
    Ok(Timed { user, wall, output: contents(&mut file)?, status: status.code().unwrap_or(-1) })
}

fn counted(case: &Case) -> Result<(Timed, Counts), String> {
    let file = tempfile::tempfile().map_err(|e| e.to_string())?;
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut command = vec![OsString::from(&case.program)];
    command.extend(case.arguments.iter().map(OsString::from));
    let modules =
        if case.modules.is_empty() { Modules::Program } else { Modules::Named(case.modules.clone()) };
    let options = CountOptions {
        start: start(&folder, &file)?,
        choice: Choice { modules, ..Choice::default() },
        ..CountOptions::default()
    };
    let user = user_seconds()?;
    let counts = count(&command, &options, &mut Quiet).map_err(|e| e.to_string())?;
    let user = user_seconds()? - user;
    let mut file = file;
    let timed = Timed {
        user,
        wall: counts.elapsed_seconds,
        output: contents(&mut file)?,
        status: counts.exit_status,
    };
    Ok((timed, counts))
}

/// The loops that executed most instructions themselves, as `--hot 5` chooses them by time.
fn hottest(counts: &Counts) -> Vec<LoopChoice> {
    /// Number of loops that `loopwright map` traces by default.
    const HOT: usize = 5;
    let mut all: Vec<(u64, LoopChoice)> = Vec::new();
    for m in &counts.modules {
        for f in &m.functions {
            all.extend(f.loops.iter().map(|l| {
                let module = m.path.clone().into();
                (l.work.instructions, LoopChoice { module, function: f.address, header: l.header })
            }));
        }
    }
    all.sort_by_key(|l| std::cmp::Reverse(l.0));
    all.into_iter().take(HOT).map(|l| l.1).collect()
}

fn traced(case: &Case, loops: &[LoopChoice]) -> Result<(Timed, f64), String> {
    let mut file = tempfile::tempfile().map_err(|e| e.to_string())?;
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut command = vec![OsString::from(&case.program)];
    command.extend(case.arguments.iter().map(OsString::from));
    let options =
        TraceOptions { start: start(&folder, &file)?, loops: loops.to_vec(), ..TraceOptions::default() };
    let user = user_seconds()?;
    let patterns = trace(&command, &options, &mut Quiet).map_err(|e| e.to_string())?;
    let user = user_seconds()? - user;
    let timed = Timed {
        user,
        wall: patterns.elapsed_seconds,
        output: contents(&mut file)?,
        status: patterns.exit_status,
    };
    Ok((timed, patterns.setup_seconds))
}

fn start(folder: &tempfile::TempDir, output: &File) -> Result<StartOptions, String> {
    Ok(StartOptions {
        directory: Some(folder.path().to_owned()),
        stdin: Stream::Null,
        stdout: Stream::File(Arc::new(output.try_clone().map_err(|e| e.to_string())?)),
        stderr: Stream::Null,
        ..StartOptions::default()
    })
}

fn contents(file: &mut File) -> Result<Vec<u8>, String> {
    let mut output = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut output)).map_err(|e| e.to_string())?;
    Ok(output)
}

/// The functions with most calls and loop entries: these determine the cost of counting.
fn busiest(counts: &Counts) -> Vec<String> {
    let mut events: Vec<(u64, String)> = Vec::new();
    for f in counts.modules.iter().flat_map(|m| &m.functions) {
        let calls = f.calls.unwrap_or(0);
        events.push((
            calls,
            format!("{}: {calls} calls of {:.0} instructions", f.name, per(f.work.instructions, calls)),
        ));
        for l in &f.loops {
            let entries = l.entries.unwrap_or(0);
            events.push((
                entries,
                format!(
                    "loop {:#x} of {}: {entries} entries of {:.1} iterations, {:.0} instructions each",
                    l.header,
                    f.name,
                    per(l.iterations, entries),
                    per(l.work.instructions, l.iterations)
                ),
            ));
            events.push((
                l.iterations,
                format!(
                    "loop {:#x} of {}: {} iterations of {:.0} instructions",
                    l.header,
                    f.name,
                    l.iterations,
                    per(l.work.instructions, l.iterations)
                ),
            ));
        }
    }
    events.sort_by(|a, b| b.cmp(a));
    events.into_iter().take(2).map(|(_, line)| line).collect()
}

fn per(sum: u64, n: u64) -> f64 {
    sum as f64 / n.max(1) as f64
}
