//! Traces loops of a command and prints the facts: `cargo run --example trace -- [--exhaustive] [--module
//! FILE] [--in FUNCTION] [--cache GEOMETRY] PROG ARGS`. Without `--in` all loops of the file are chosen.

use loopwright_binary::code::analyze;
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_instrument::reason::Reason;
use loopwright_instrument::{LoopChoice, Quiet, TraceOptions, trace};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut command: Vec<OsString> = std::env::args_os().skip(1).collect();
    let mut options = TraceOptions::default();
    let mut module = None;
    let mut function: Option<String> = None;
    while let Some(first) = command.first().and_then(|c| c.to_str().map(str::to_owned)) {
        let value = |command: &mut Vec<OsString>| command.remove(1);
        match first.as_str() {
            "--cache" => {
                let text = value(&mut command);
                match loopwright_patterns::cache::parse(&text.to_string_lossy()) {
                    Ok(hierarchy) => options.hierarchies.push(hierarchy),
                    Err(error) => {
                        eprintln!("{error}");
                        return ExitCode::FAILURE;
                    }
                }
            }
            "--exhaustive" => options.exhaustive = true,
            "--module" => module = Some(PathBuf::from(value(&mut command))),
            "--in" => function = Some(value(&mut command).to_string_lossy().into_owned()),
            _ => break,
        }
        command.remove(0);
    }
    let Some(program) = command.first() else {
        eprintln!("no program");
        return ExitCode::FAILURE;
    };
    let module = module.unwrap_or_else(|| PathBuf::from(program));
    match loops_of(&module, function.as_deref()) {
        Ok(loops) => options.loops = loops,
        Err(error) => {
            eprintln!("{}: {error}", module.display());
            return ExitCode::FAILURE;
        }
    }
    let chosen = options.loops.len();
    let patterns = match trace(&command, &options, &mut Quiet) {
        Ok(patterns) => patterns,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    eprintln!(
        "setup {:.3} s, run {:.3} s, waiting {:.3} s, study {:.3} s, status {}; {chosen} loops chosen, {} seen, {} bursts, {} accesses, {} KiB",
        patterns.setup_seconds,
        patterns.elapsed_seconds,
        patterns.waiting_seconds,
        patterns.analysis_seconds,
        patterns.exit_status,
        patterns.loops.len(),
        patterns.bursts,
        patterns.accesses,
        patterns.trace_bytes >> 10
    );
    for warning in &patterns.warnings {
        eprintln!("warning: {warning}");
    }
    for l in &patterns.loops {
        eprintln!(
            "{:#x} entries {} joined {} iterations {} sites {} gaps {} calls {:?}",
            l.header,
            l.entries,
            l.joined,
            l.iterations,
            l.sites.len(),
            l.gaps.len(),
            l.calls.iter().map(|c| (c.target.as_deref().unwrap_or("?"), c.count)).collect::<Vec<_>>()
        );
        for b in &l.branches {
            eprintln!(
                "    branch {:#x}: executed {} taken {} predicted {} mispredicted {}",
                b.address, b.executed, b.taken, b.predicted, b.mispredicted
            );
        }
        for (cache, hierarchy) in l.caches.iter().zip(&patterns.hierarchies) {
            for (level, geometry) in cache.levels.iter().zip(&hierarchy.levels) {
                eprintln!("    {} of {}: {level:?}", geometry.name, hierarchy.name);
            }
        }
    }
    for u in patterns.untraced.iter().filter(|u| u.reason != Reason::NotTraced) {
        eprintln!("{:#x}: {}", u.header, u.reason);
    }
    ExitCode::SUCCESS
}

fn loops_of(module: &Path, name: Option<&str>) -> Result<Vec<LoopChoice>, String> {
    let path = module.canonicalize().map_err(|e| e.to_string())?;
    let image = Image::open(&path, &DebugSearch::none()).map_err(|e| e.to_string())?;
    let mut found = Vec::new();
    for (index, f) in image.functions().iter().enumerate() {
        if name.is_some_and(|n| f.name != n) {
            continue;
        }
        let Ok(code) = analyze(&image, index) else { continue };
        for l in code.loops {
            found.push(LoopChoice { module: path.clone(), function: f.address, header: l.header });
        }
    }
    Ok(found)
}
