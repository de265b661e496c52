//! Counts a command and prints the results: `cargo run --example count -- [--all] [--copy] PROG ARGS`.

use loopwright_instrument::{Choice, CountOptions, Modules, Quiet, count};
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut command: Vec<OsString> = std::env::args_os().skip(1).collect();
    let mut options = CountOptions::default();
    let mut blocks = false;
    while let Some(first) = command.first().and_then(|c| c.to_str().map(str::to_owned)) {
        match first.as_str() {
            "--all" => options.choice = Choice { modules: Modules::All, ..Choice::default() },
            "--copy" => options.counting = false,
            "--blocks" => blocks = true,
            "--at" => {
                let (Some(module), Some(address)) = (command.get(1).cloned(), command.get(2)) else { break };
                let address = address.to_string_lossy();
                let address = u64::from_str_radix(address.trim_start_matches("0x"), 16).unwrap_or(0);
                options.choice.functions.get_or_insert_default().push((module.into(), address));
                command.drain(1..3);
            }
            _ => break,
        }
        command.remove(0);
    }
    let counts = match count(&command, &options, &mut Quiet) {
        Ok(counts) => counts,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    eprintln!(
        "setup {:.3} s, run {:.3} s, status {}, {} threads",
        counts.setup_seconds,
        counts.elapsed_seconds,
        counts.exit_status,
        counts.threads.len()
    );
    for warning in &counts.warnings {
        eprintln!("warning: {warning}");
    }
    for m in &counts.modules {
        eprintln!("{}: {} functions, {} left alone", m.path, m.instrumented, m.left_alone.len());
        for l in m.left_alone.iter().take(12) {
            eprintln!("  left {:#x} {} {:x?}: {}", l.address, l.function, l.header, l.reason);
        }
        let total: u64 = m.functions.iter().map(|f| f.work.instructions).sum();
        eprintln!("  {total} instructions");
        let mut functions: Vec<_> = m.functions.iter().collect();
        functions.sort_by_key(|f| std::cmp::Reverse(f.work.instructions));
        for f in functions.into_iter().take(15) {
            eprintln!(
                "  {:#x} {} calls {:?} instructions {} flop {} loaded {} stored {}",
                f.address,
                f.name,
                f.calls,
                f.work.instructions,
                f.work.total_flop(),
                f.work.bytes_loaded,
                f.work.bytes_stored
            );
            for l in &f.loops {
                let t = l.trips.as_ref();
                eprintln!(
                    "    loop {:#x} entries {:?} iterations {} min {:?} median {:?} max {:?} approximate {:?} threads {}",
                    l.header,
                    l.entries,
                    l.iterations,
                    t.map(|t| t.min),
                    t.and_then(|t| t.median()),
                    t.map(|t| t.max),
                    t.map(|t| t.approximate),
                    l.threads.len()
                );
            }
            if blocks {
                for b in &f.blocks {
                    eprintln!("      {:#x}..{:#x} {}", b.start, b.end, b.executions);
                }
            }
        }
    }
    ExitCode::from(u8::try_from(counts.exit_status).unwrap_or(1))
}
