//! `bench`: the table of sizes, levels and peers.

use super::{Misuse, progress, subject};
use anyhow::Context;
use loopwright_kernels::{Isa, tuning};
use loopwright_kernels_bench::case::Extent;
use loopwright_kernels_bench::cold;
use loopwright_kernels_bench::measure::{Effort, measure};
use loopwright_kernels_bench::peers::Peers;
use loopwright_kernels_bench::record::Report;
use loopwright_kernels_bench::subjects;
use loopwright_kernels_bench::table;
use loopwright_machine::Machine;
use loopwright_vocabulary::MemoryLevel;
use std::io::Write;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Kernels to measure; all when none is named.
    kernels: Vec<String>,
    /// Print JSON (keys in docs/kernels/README.md).
    #[arg(long)]
    json: bool,
    /// Only check that everything runs and agrees: small sizes, figures without meaning.
    #[arg(long)]
    smoke: bool,
    /// Rounds of interleaved runs; 11, or 2 with --smoke.
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// Only operations and shapes whose name contains this text ("fletcher4", "16 MiB").
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let chosen = match arguments.kernels.as_slice() {
        [] => subjects::all(),
        names => names.iter().map(|name| subject(name)).collect::<Result<_, _>>()?,
    };
    if arguments.rounds == Some(0) {
        return Err(Misuse("--rounds 0 measures nothing; ask for 5 or more".into()).into());
    }
    let (extent, usual) = match arguments.smoke {
        true => (Extent::Smoke, Effort::SMOKE),
        false => (Extent::Full, Effort::FULL),
    };
    let effort = Effort { rounds: arguments.rounds.unwrap_or(usual.rounds), ..usual };

    if let Some(error) = tuning::load_error() {
        eprintln!("loopwright-kernels: {error}");
    }
    let machine = Machine::detect();
    let cache_bytes = machine.summary().cache_bytes;
    let level_of = |bytes: u64| memory_level(&cache_bytes, bytes);
    let mut peers = Peers::new();
    let mut cases = Vec::new();
    for subject in &chosen {
        for case in subject.cases(extent) {
            let title = format!("{}: {}, {}", subject.kernel(), case.operation, case.shape);
            if arguments.only.as_ref().is_some_and(|text| !title.contains(text)) {
                continue;
            }
            progress(&title);
            cases.push(measure(subject.kernel(), case, &mut peers, effort, &level_of)?);
        }
    }
    let own = std::env::current_exe().context("the path of this executable is unknown")?;
    let own = own.to_str().context("the path of this executable is no text")?;
    let mut cold_starts = Vec::new();
    for subject in &chosen {
        let wanted = |operation: &str| {
            let title = format!("{}: {operation}", subject.kernel());
            arguments.only.as_ref().is_none_or(|text| title.contains(text))
        };
        // One of each kernel shows that it works.
        let most = if arguments.smoke { 1 } else { usize::MAX };
        for operation in subject.operations().iter().filter(|operation| wanted(operation.name)).take(most) {
            progress(&format!("{}: {}, first call", subject.kernel(), operation.name));
            let command = [own, "exercise", "--timed"];
            cold_starts.push(cold::start(&command, subject.kernel(), operation.name, effort.rounds)?);
        }
    }
    progress("");
    if let (Some(text), true) = (&arguments.only, cases.is_empty()) {
        return Err(
            Misuse(format!("no operation or shape contains {text:?}; leave --only out to see all")).into()
        );
    }
    let report = Report {
        version: 1,
        processor: machine.processor.name.clone(),
        hypervisor: machine.hypervisor.clone(),
        cache_bytes: cache_bytes.clone(),
        isa: Isa::best().name().to_owned(),
        calibration: tuning::source().map(|path| path.display().to_string()),
        rounds: effort.rounds,
        cases,
        cold_starts,
        disagreements: peers.disagreements().to_vec(),
        left_out: peers.left_out(),
    };
    let mut output = std::io::stdout().lock();
    if arguments.json {
        serde_json::to_writer_pretty(&mut output, &report)?;
        writeln!(output)?;
    } else {
        write!(output, "{}", table::report(&report))?;
    }
    // After the table, because the other figures are still valid.
    anyhow::ensure!(report.disagreements.is_empty(), "{}", report.disagreements.join("\n"));
    Ok(())
}

/// The nearest cache that holds a working set.
fn memory_level(cache_bytes: &[u64], bytes: u64) -> Option<MemoryLevel> {
    if cache_bytes.is_empty() {
        return None;
    }
    let level = cache_bytes.iter().position(|&size| bytes <= size);
    Some(level.map_or(MemoryLevel::Dram, MemoryLevel::cache_at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_cache_that_holds_a_set_is_named() {
        let caches = [32 << 10, 1 << 20];
        assert_eq!(memory_level(&caches, 32 << 10), Some(MemoryLevel::L1));
        assert_eq!(memory_level(&caches, 33 << 10), Some(MemoryLevel::L2));
        assert_eq!(memory_level(&caches, 2 << 20), Some(MemoryLevel::Dram));
        assert_eq!(memory_level(&[], 1), None);
    }
}
