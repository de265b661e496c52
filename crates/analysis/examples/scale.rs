//! How long a large survey takes to analyse: a million samples over a large binary.
//!
//! `cargo run --release -p loopwright-analysis --example scale -- BINARY [SAMPLES]` makes a recording with
//! random calling contexts in the functions of BINARY and prints what each step from the end of the program to
//! the answer costs, and the peak memory.

use loopwright_binary::image::{DebugSearch, Image, Images};
use loopwright_experiment::Experiment;
use loopwright_experiment::describe::describe;
use loopwright_experiment::{Facts, MachineRecord};
use loopwright_machine::Machine;
use loopwright_sample::recording::{Frame, Module, ModuleKind, Recording, Sample, StackNode, Thread};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Distinct functions, calling contexts and threads of a large real program under a profiler.
const FUNCTIONS: usize = 3_000;
const CONTEXTS: usize = 60_000;
const DEPTH: u64 = 24;
const THREADS: u32 = 16;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        // xorshift64* (Vigna, 2016).
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16) % bound.max(1)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let binary = PathBuf::from(arguments.next().ok_or("usage: scale BINARY [SAMPLES]")?);
    let samples: usize = arguments.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let recording = synthetic(&binary, samples)?;
    println!(
        "{} samples, {} contexts, {} frames, {:.1} MB binary",
        recording.samples.len(),
        recording.stacks.len(),
        recording.frames.len(),
        std::fs::metadata(&binary)?.len() as f64 / 1e6
    );

    let folder = tempfile::tempdir()?;
    let path = folder.path().join("scale.lw");
    let begin = Instant::now();
    let mut last = begin;
    let mut step = |name: &str| {
        println!("{name:32} {:6.2} s", last.elapsed().as_secs_f64());
        last = Instant::now();
    };
    let mut experiment = Experiment::create_or_open(&path)?;
    let machine = MachineRecord { machine: Machine::detect(), ceilings: None, network: None };
    let run = experiment.add(&recording, Some(&recording.target), Some(&machine))?;
    step("store the samples");
    let described = describe(&recording, &Images::new(DebugSearch::system()), &|_, _| {});
    step("read functions and loops");
    for module in &described {
        experiment.add_code(run, module.position, &module.identity, &module.facts, &module.functions)?;
    }
    step("store functions and loops");
    drop((recording, described));
    let state = experiment.latest()?;
    let facts = Facts::load(&experiment, &state)?;
    step("load");
    let analysis = loopwright_analysis::analyse(&facts);
    step("join");
    println!("{:32} {:6.2} s", "total", begin.elapsed().as_secs_f64());
    println!(
        "{} loops, {} functions; experiment {:.1} MB; peak memory {:.0} MB",
        analysis.loops.len(),
        analysis.functions.len(),
        std::fs::metadata(&path)?.len() as f64 / 1e6,
        peak_bytes().unwrap_or(0) as f64 / 1e6
    );
    Ok(())
}

fn synthetic(binary: &Path, samples: usize) -> Result<Recording, Box<dyn std::error::Error>> {
    let image = Image::open(binary, &DebugSearch::system())?;
    let mut random = Random(42);
    let all: Vec<(u64, u64)> =
        image.functions().iter().filter(|f| f.end > f.address + 16).map(|f| (f.address, f.end)).collect();
    if all.is_empty() {
        return Err("the binary has no functions".into());
    }
    let chosen: Vec<(u64, u64)> =
        (0..FUNCTIONS).map(|_| all[random.below(all.len() as u64) as usize]).collect();
    let mut recording = Recording {
        modules: vec![Module { path: binary.display().to_string(), kind: ModuleKind::Main, build_id: None }],
        threads: (0..THREADS).map(|tid| Thread { pid: 1, tid, name: "worker".into() }).collect(),
        ..Recording::default()
    };
    recording.sampler.frequency_hz = 1000;
    for &(from, to) in chosen.iter().cycle().take(chosen.len() * 8) {
        let address = from + random.below(to - from);
        recording.frames.push(Frame { module: Some(0), address, symbol: None });
    }
    let frames = recording.frames.len() as u64;
    let mut leaves = Vec::new();
    while recording.stacks.len() < CONTEXTS {
        let mut parent = None;
        for _ in 0..=random.below(DEPTH) {
            recording.stacks.push(StackNode { parent, frame: random.below(frames) as u32 });
            parent = Some(recording.stacks.len() as u32 - 1);
        }
        leaves.extend(parent);
    }
    recording.samples = (0..samples as u64)
        .map(|i| Sample {
            time_ns: i * 1_000_000 / u64::from(THREADS),
            thread: random.below(u64::from(THREADS)) as u32,
            cpu: random.below(u64::from(THREADS)) as u32,
            stack: leaves[random.below(leaves.len() as u64) as usize],
            weight_ns: 1_000_000,
            kernel: random.below(20) == 0,
        })
        .collect();
    Ok(recording)
}

/// `VmHWM` of this process.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok()? * 1024)
}
