//! Injects operations into the loops of a function and prints the facts: `cargo run --example inject -- [--module FILE]
//! --in FUNCTION --ns NANOSECONDS PROG ARGS`. The time is that of an iteration of its loops.

use loopwright_binary::code::analyze;
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_instrument::{InjectChoice, InjectOptions, LoopChoice, inject};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut command: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (mut module, mut function, mut seconds) = (None, String::new(), 1e-9);
    while let Some(first) = command.first().and_then(|c| c.to_str().map(str::to_owned)) {
        if !first.starts_with("--") || command.len() < 3 {
            break;
        }
        let value = command.remove(1).to_string_lossy().into_owned();
        match first.as_str() {
            "--module" => module = Some(PathBuf::from(value)),
            "--in" => function = value,
            "--ns" => seconds = value.parse::<f64>().unwrap_or(1.0) * 1e-9,
            _ => break,
        }
        command.remove(0);
    }
    let Some(program) = command.first() else {
        eprintln!("no program");
        return ExitCode::FAILURE;
    };
    let module = module.unwrap_or_else(|| PathBuf::from(program));
    let loops = match loops_of(&module, &function, seconds) {
        Ok(loops) => loops,
        Err(error) => {
            eprintln!("{}: {error}", module.display());
            return ExitCode::FAILURE;
        }
    };
    let options = InjectOptions { loops, ..InjectOptions::default() };
    match inject(&command, &options, &mut || {}, &mut |_| {}) {
        Ok(injected) => print(&injected),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn print(injected: &loopwright_instrument::injected::Injected) {
    println!("run {:.3} s, {:?}", injected.elapsed_seconds, injected.warnings);
    for l in &injected.loops {
        println!(
            "{:#x} (unit {:#x}): {:.3} ticks [{:.3} {:.3}], {} windows, {} dropped, {} threads{}",
            l.header,
            l.unit,
            l.plain.median,
            l.plain.low,
            l.plain.high,
            l.windows,
            l.dropped,
            l.threads,
            if l.counted_in_memory { ", counted in memory" } else { "" }
        );
        for v in &l.versions {
            let cost = l.costs.iter().find(|c| c.resource == v.resource).map_or(0.0, |c| c.ticks);
            let busy = (v.ratio.median * l.plain.median - f64::from(v.count) * cost) / l.plain.median;
            println!(
                "  {:?} +{}: {:.3} [{:.3} {:.3}] of {}; cost {cost:.3}, without {:.2}",
                v.resource, v.count, v.ratio.median, v.ratio.low, v.ratio.high, v.ratio.windows, busy
            );
        }
    }
    for left in &injected.left {
        println!("{:#x}: {}", left.header, left.reason);
    }
}

fn loops_of(path: &Path, name: &str, seconds: f64) -> Result<Vec<InjectChoice>, Box<dyn std::error::Error>> {
    let path = std::fs::canonicalize(path)?;
    let image = Image::open(&path, &DebugSearch::none())?;
    let mut out = Vec::new();
    for (index, f) in image.functions().iter().enumerate().filter(|(_, f)| f.name == name) {
        let Ok(code) = analyze(&image, index) else { continue };
        let entries: Vec<(u64, f64)> = code.loops.iter().map(|l| (l.header, 1.0)).collect();
        for l in code.loops.iter().filter(|l| l.innermost) {
            let at = LoopChoice { module: path.clone(), function: f.address, header: l.header };
            out.push(InjectChoice {
                at,
                seconds_per_iteration: seconds,
                seconds: 0.0,
                entries: entries.clone(),
                rare_calls: false,
            });
        }
    }
    Ok(out)
}
