//! Compares this crate's ceilings with the best of `likwid-bench` on the same machine.
//!
//! Both are measured in turn, round after round, and the best of each is compared: a disturbance rarely
//! affects every round. Usage: `against_likwid [--rounds N] [--seconds S] [POINT..]`, where POINT is part of
//! a title such as "L1 load", "DRAM copy-nt, 1 core" or "FMA f64" (default: all). Each `likwid-bench` run
//! takes some seconds, most of them its own calibration.
//!
//! Both sides count the bytes that the program reads and writes, and an FMA as two operations.

use loopwright_machine::{Ceilings, Element, Machine, Options, measure};
use loopwright_vocabulary::{MemoryLevel, VectorWidth};
use std::process::Command;
use std::time::Duration;

/// One comparison: our title and the `likwid-bench` tests for the same thing.
struct Pair {
    title: String,
    tests: Vec<&'static str>,
    /// Argument of `-w`.
    workgroup: String,
    flops: bool,
}

fn main() {
    let mut rounds = 2;
    let mut seconds = 1.5;
    let mut wanted = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rounds" => rounds = number(arguments.next()) as usize,
            "--seconds" => seconds = number(arguments.next()),
            _ => wanted.push(argument),
        }
    }
    if Command::new("likwid-bench").arg("-a").output().is_err() {
        let required = std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_some();
        eprintln!("skipped: likwid-bench is not installed; install the package likwid to compare");
        std::process::exit(i32::from(required));
    }
    let machine = Machine::detect();
    println!("{} ({} CPUs)", machine.processor.name, machine.topology.allowed.len());
    println!("{:<26} {:>9} {:>9} {:>6}  best variants", "point", "ours", "likwid", "ratio");
    let mut below = 0;
    for pair in pairs(&machine) {
        if !wanted.is_empty() && !wanted.iter().any(|w| pair.title.contains(w.as_str())) {
            continue;
        }
        let (mut ours, mut theirs) = ((0.0, String::new()), (0.0, ""));
        for _ in 0..rounds.max(1) {
            if let Some(found) = our_best(&pair.title, seconds)
                && found.0 > ours.0
            {
                ours = found;
            }
            for test in &pair.tests {
                if let Some(rate) = likwid(test, &pair.workgroup, pair.flops)
                    && rate > theirs.0
                {
                    theirs = (rate, test);
                }
            }
        }
        if theirs.0 == 0.0 {
            println!("{:<26} {:>9.2} {:>9} {:>6}  no likwid test runs here", pair.title, ours.0, "-", "-");
            continue;
        }
        let ratio = ours.0 / theirs.0;
        below += usize::from(ratio < 0.95);
        println!(
            "{:<26} {:>9.2} {:>9.2} {:>6.3}  {} | {}{}",
            pair.title,
            ours.0,
            theirs.0,
            ratio,
            ours.1,
            theirs.1,
            if ratio < 0.95 { "  <-- below 0.95" } else { "" }
        );
    }
    println!("{below} points more than 5 % below likwid-bench");
}

fn number(argument: Option<String>) -> f64 {
    argument.and_then(|a| a.parse().ok()).unwrap_or_else(|| {
        eprintln!("a number is missing; usage: against_likwid [--rounds N] [--seconds S] [POINT..]");
        std::process::exit(2);
    })
}

/// Our best for the point with this title: the rate and the variant.
fn our_best(title: &str, seconds: f64) -> Option<(f64, String)> {
    let options = Options {
        budget: Duration::from_secs_f64(seconds),
        only: vec![title.to_owned()],
        ..Options::default()
    };
    let report: Ceilings = match measure(&options, &mut |_| ()) {
        Ok(report) => report,
        Err(error) => {
            eprintln!("{title}: {error}");
            return None;
        }
    };
    let flops = report.flops.iter().map(|f| (f.gflops, String::new()));
    let bandwidths = report.bandwidths.iter().map(|b| (b.gbytes, b.variant.clone()));
    flops.chain(bandwidths).next()
}

/// The rate that one run of `likwid-bench` prints, in G per second.
fn likwid(test: &str, workgroup: &str, flops: bool) -> Option<f64> {
    let output = Command::new("likwid-bench").args(["-t", test, "-w", workgroup]).output().ok()?;
    let key = if flops { "MFlops/s:" } else { "MByte/s:" };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let value = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(value.trim().parse::<f64>().ok()? / 1000.0)
}

fn pairs(machine: &Machine) -> Vec<Pair> {
    let cpus = machine.topology.allowed.len();
    let l1 = machine.topology.cache_bytes(1).unwrap_or(32 << 10) / 1000;
    let l2 = machine.topology.cache_bytes(2).unwrap_or(1 << 20) / 1000;
    let l3 = machine.topology.cache_bytes(3).unwrap_or(32 << 20) / 1000;
    let mut pairs = Vec::new();
    let crews: &[usize] = if cpus > 1 { &[1, cpus] } else { &[1] };
    for &cores in crews {
        let suffix = if cores == 1 { "1 core".to_owned() } else { format!("{cores} cores") };
        let flops = |level: VectorWidth, element: Element, fma: bool| {
            let single = element == Element::F32;
            match (level, fma, single) {
                (VectorWidth::Scalar, false, false) => vec!["peakflops"],
                (VectorWidth::Scalar, false, true) => vec!["peakflops_sp"],
                (VectorWidth::Bits128, false, false) => vec!["peakflops_sse"],
                (VectorWidth::Bits128, false, true) => vec!["peakflops_sp_sse"],
                (VectorWidth::Bits256, false, false) => vec!["peakflops_avx"],
                (VectorWidth::Bits256, false, true) => vec!["peakflops_sp_avx"],
                (VectorWidth::Bits256, true, false) => vec!["peakflops_avx_fma"],
                (VectorWidth::Bits256, true, true) => vec!["peakflops_sp_avx_fma"],
                (VectorWidth::Bits512, false, false) => vec!["peakflops_avx512"],
                (VectorWidth::Bits512, false, true) => vec!["peakflops_sp_avx512"],
                (VectorWidth::Bits512, true, false) => vec!["peakflops_avx512_fma"],
                (VectorWidth::Bits512, true, true) => vec!["peakflops_sp_avx512_fma"],
                // likwid-bench has no scalar or 128-bit peak with FMA.
                (VectorWidth::Scalar | VectorWidth::Bits128, true, _) => Vec::new(),
            }
        };
        for level in VectorWidth::ALL {
            for fma in [false, true] {
                for element in [Element::F32, Element::F64] {
                    let tests = flops(level, element, fma);
                    if !tests.is_empty() {
                        let fma = if fma { " FMA" } else { "" };
                        pairs.push(Pair {
                            title: format!("{}{fma} {}, {suffix}", level.name(), element.name()),
                            tests,
                            workgroup: format!("S0:{}kB:{cores}", 20 * cores),
                            flops: true,
                        });
                    }
                }
            }
        }
        let cores_kb = cores as u64;
        for (level, kilobytes) in [
            (MemoryLevel::L1, l1 * 5 / 8 * cores_kb),
            (MemoryLevel::L2, l2 * 5 / 8 * cores_kb),
            (MemoryLevel::L3, l3 / 4 * cores_kb),
            (MemoryLevel::Dram, l3 * 16),
        ] {
            for (pattern, tests) in [
                ("load", vec!["load_sse", "load_avx", "load_avx512"]),
                ("store", vec!["store_sse", "store_avx", "store_avx512"]),
                ("copy", vec!["copy_sse", "copy_avx", "copy_avx512"]),
                (
                    "triad",
                    vec!["stream_sse", "stream_avx", "stream_avx_fma", "stream_avx512", "stream_avx512_fma"],
                ),
                ("store-nt", vec!["store_mem_sse", "store_mem_avx", "store_mem_avx512"]),
                ("copy-nt", vec!["copy_mem_sse", "copy_mem_avx", "copy_mem_avx512"]),
                (
                    "triad-nt",
                    vec!["stream_mem_sse", "stream_mem_avx", "stream_mem_avx_fma", "stream_mem_avx512"],
                ),
            ] {
                pairs.push(Pair {
                    title: format!("{level} {pattern}, {suffix}"),
                    tests,
                    workgroup: format!("S0:{kilobytes}kB:{cores}"),
                    flops: false,
                });
            }
        }
    }
    pairs
}
