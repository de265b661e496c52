//! `dedup`: how much of a directory tree exists more than once.

use super::Misuse;
use indicatif::{ProgressBar, ProgressStyle};
use loopwright_kernels_bench::dedup::{self, Chunking, Duplicates};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Instant;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The directory; links below it are not followed.
    directory: PathBuf,
    /// Average bytes of a chunk, 1024 to 1048576.
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 10)]
    chunk: usize,
    /// Print JSON (keys in docs/kernels/hash.md).
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let directory = &arguments.directory;
    let refuse = |cause: &dyn std::fmt::Display| {
        Misuse(format!("{} cannot be searched: {cause}; name a directory", directory.display()))
    };
    match std::fs::metadata(directory) {
        Ok(data) if data.is_dir() => {}
        Ok(_) => return Err(refuse(&"it is not a directory").into()),
        Err(cause) => return Err(refuse(&cause).into()),
    }
    let chunking = Chunking::new(arguments.chunk).map_err(|error| Misuse(error.to_string()))?;

    let bar = bar(|| dedup::total_bytes(directory));
    let begin = Instant::now();
    let found = dedup::duplicates(directory, chunking, |bytes| bar.inc(bytes));
    let seconds = begin.elapsed().as_secs_f64();
    bar.finish_and_clear();

    let mut output = std::io::stdout().lock();
    if arguments.json {
        serde_json::to_writer_pretty(&mut output, &found)?;
        writeln!(output)?;
    } else {
        write!(output, "{}", text(&found, seconds))?;
    }
    output.flush()?;
    for unreadable in &found.unreadable_first {
        eprintln!("loopwright-kernels: {}: {}", unreadable.path.display(), unreadable.cause);
    }
    match found.unreadable {
        0 => Ok(()),
        count => anyhow::bail!(
            "{count} files or directories could not be read and are not counted; see the lines above"
        ),
    }
}

/// A bar on a terminal; the total is computed only there.
fn bar(total: impl FnOnce() -> u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template = "{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(total()).with_style(style)
}

fn text(found: &Duplicates, seconds: f64) -> String {
    let share = |part: u64, all: u64| if all == 0 { 0.0 } else { 100.0 * part as f64 / all as f64 };
    let further = match found.further_names {
        0 => String::new(),
        count => format!(", {count} further names of the same files"),
    };
    format!(
        "{} bytes in {} files{further}\n\
         {} bytes ({:.1} %) are there more than once: {} of {} chunks\n\
         read in {seconds:.2} s, {:.2} GB/s\n",
        found.bytes,
        found.files,
        found.duplicate_bytes,
        share(found.duplicate_bytes, found.bytes),
        found.duplicate_chunks,
        found.chunks,
        found.bytes as f64 / seconds.max(1e-9) * 1e-9,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_no_division_by_zero() {
        let text = text(&Duplicates::default(), 0.0);
        assert!(text.contains("0 bytes (0.0 %) are there more than once: 0 of 0 chunks"), "{text}");
    }
}
