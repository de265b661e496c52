//! What the survey costs the surveyed program: interleaved runs with and without it.
//!
//! `overhead [ROUNDS] [THREADS,..] [MILLIONS]` runs a CPU-bound program of its own (this executable with
//! `--burn`, for that number of million steps; 900 take about a second) plain and under each way of sampling
//! in turn, and prints medians, the median of the paired ratios, and the collector's own CPU time. Run it
//! from a release build on a quiet machine: `cargo run --release --example sampling_overhead`.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use loopwright_sample::{CallStacksRequest, Quiet, StartOptions, Stream, SurveyOptions, survey};

/// A multiply-add chain with a little memory traffic, some calls deep.
fn burn(depth: u32, steps: u64, buffer: &mut [u64]) -> u64 {
    if depth > 0 {
        return std::hint::black_box(burn(depth - 1, steps, buffer)) + 1;
    }
    let mut x = 1_u64;
    for round in 0..steps {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if round % 64 == 0 {
            let at = (x >> 40) as usize % buffer.len();
            buffer[at] = buffer[at].wrapping_add(x);
        }
    }
    x
}

/// The program: CPU seconds of its own work and wall-clock seconds, on standard output.
fn program(threads: usize, steps: u64) {
    let started = Instant::now();
    let workers: Vec<_> = (0..threads)
        .map(|_| std::thread::spawn(move || std::hint::black_box(burn(12, steps, &mut vec![0; 1 << 15]))))
        .collect();
    for worker in workers {
        let _ = worker.join();
    }
    let wall = started.elapsed().as_secs_f64();
    // CPU time shows the cost even where other programs compete for the CPUs.
    println!("{wall} {}", cpu_seconds());
}

/// CPU time of this process.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for the write.
    unsafe {
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time);
    }
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.get(1).is_some_and(|word| word == "--burn") {
        let number = |at: usize| arguments.get(at).and_then(|word| word.parse::<u64>().ok()).unwrap_or(1);
        return program(number(2) as usize, number(3));
    }
    let rounds: usize = arguments.get(1).and_then(|word| word.parse().ok()).unwrap_or(7);
    let threads: Vec<usize> = arguments
        .get(2)
        .map(|list| list.split(',').filter_map(|word| word.parse().ok()).collect())
        .unwrap_or_else(|| vec![1, 2]);
    let millions: u64 = arguments.get(3).and_then(|word| word.parse().ok()).unwrap_or(900);
    let own = match std::env::current_exe() {
        Ok(path) => path,
        Err(error) => return eprintln!("cannot find this executable ({error}); start it by its path"),
    };
    let dwarf = |stack_bytes| SurveyOptions {
        call_stacks: CallStacksRequest::Dwarf { stack_bytes },
        ..SurveyOptions::default()
    };
    let ways: Vec<(&str, Option<SurveyOptions>)> = vec![
        ("plain", None),
        ("default", Some(SurveyOptions::default())),
        ("dwarf 16 KiB", Some(dwarf(16 << 10))),
        ("dwarf 32 KiB", Some(dwarf(32 << 10))),
        // Ten times the rate, so that the cost of a sample exceeds the noise.
        ("9970 Hz", Some(SurveyOptions { frequency_hz: 9970, ..SurveyOptions::default() })),
        (
            "no stacks",
            Some(SurveyOptions { call_stacks: CallStacksRequest::None, ..SurveyOptions::default() }),
        ),
        ("timer", Some(SurveyOptions { force_timer: true, ..SurveyOptions::default() })),
    ];
    for threads in threads {
        let mut seconds: Vec<Vec<f64>> = vec![Vec::new(); ways.len()];
        let mut cpu: Vec<Vec<f64>> = vec![Vec::new(); ways.len()];
        let mut collector: Vec<Vec<f64>> = vec![Vec::new(); ways.len()];
        let mut samples = vec![0; ways.len()];
        let mut lost = vec![0; ways.len()];
        for _ in 0..rounds {
            for (index, (_, options)) in ways.iter().enumerate() {
                let command = [
                    own.clone().into_os_string(),
                    OsString::from("--burn"),
                    OsString::from(threads.to_string()),
                    OsString::from((millions * 1_000_000).to_string()),
                ];
                let printed = match options {
                    None => std::process::Command::new(&command[0])
                        .args(&command[1..])
                        .output()
                        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned()),
                    Some(options) => tempfile::tempfile().and_then(|output| {
                        let output = Arc::new(output);
                        let options = SurveyOptions {
                            start: StartOptions {
                                stdout: Stream::File(output.clone()),
                                ..options.start.clone()
                            },
                            ..options.clone()
                        };
                        let recording = survey(&command, &options, &mut Quiet, &AtomicBool::new(false))
                            .map_err(std::io::Error::other)?;
                        collector[index]
                            .push(recording.sampler.collector_seconds / recording.target.user_seconds);
                        samples[index] += recording.samples.len();
                        lost[index] += recording.sampler.lost;
                        let mut text = String::new();
                        std::io::Seek::rewind(&mut &*output)?;
                        std::io::Read::read_to_string(&mut &*output, &mut text)?;
                        Ok(text)
                    }),
                };
                let printed = match printed {
                    Ok(text) => text,
                    Err(error) => return eprintln!("a run failed: {error}"),
                };
                let mut times = printed.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
                let (Some(wall), Some(used)) = (times.next(), times.next()) else {
                    return eprintln!("the program printed no times but {printed:?}");
                };
                seconds[index].push(wall);
                cpu[index].push(used);
            }
        }
        println!("{threads} thread(s), {rounds} interleaved rounds");
        println!(
            "{:<14}{:>12}{:>12}{:>12}{:>22}{:>10}{:>6}",
            "sampling", "wall s", "wall ratio", "CPU ratio", "collector / CPU time", "samples", "lost"
        );
        let ratio = |with: &[f64], without: &[f64]| {
            median(&mut with.iter().zip(without).map(|(with, without)| with / without).collect::<Vec<_>>())
        };
        for (index, (name, _)) in ways.iter().enumerate() {
            println!(
                "{name:<14}{:>12.4}{:>12.4}{:>12.4}{:>21.2}%{:>10}{:>6}",
                median(&mut seconds[index].clone()),
                ratio(&seconds[index], &seconds[0]),
                ratio(&cpu[index], &cpu[0]),
                if index == 0 { 0.0 } else { 100.0 * median(&mut collector[index]) },
                samples[index] / rounds,
                lost[index],
            );
        }
    }
}
