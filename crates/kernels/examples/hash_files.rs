//! Prints the SHA-256 of files, as sha256sum does. Files are read in pieces; those of all files are hashed side by side.
//!
//! `cargo run -p loopwright-kernels --example hash_files FILE..`     without a file: the package's own

use loopwright_kernels::hash::{Context, Outcome, Scheduler, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::process::ExitCode;

const PIECE: u64 = 1 << 20;

/// A file that is being read.
struct Reader<'n> {
    name: &'n str,
    file: File,
    context: Context<Sha256>,
    piece: Vec<u8>,
}

fn print_digests(names: &[String]) -> io::Result<()> {
    let of = |name| {
        io::Result::Ok(Reader { name, file: File::open(name)?, context: Context::new(), piece: vec![] })
    };
    let mut readers = names.iter().map(|name| of(name.as_str())).collect::<io::Result<Vec<_>>>()?;
    while !readers.is_empty() {
        for reader in &mut readers {
            reader.piece.clear();
            reader.file.by_ref().take(PIECE).read_to_end(&mut reader.piece)?;
        }
        // A scheduler borrows the pieces, so each round has its own.
        let mut scheduler = Scheduler::<Sha256, usize>::new();
        for (tag, reader) in readers.iter_mut().enumerate() {
            let context = std::mem::take(&mut reader.context);
            match reader.piece.len() as u64 {
                PIECE => scheduler.update(tag, context, &reader.piece),
                _ => scheduler.finish(tag, context, &reader.piece),
            }
        }
        scheduler.flush();
        let mut done: Vec<_> = std::iter::from_fn(|| scheduler.completed()).collect();
        drop(scheduler);
        // From the last on, so that the numbers of those before stay as they are.
        done.sort_unstable_by_key(|job| std::cmp::Reverse(job.tag));
        for job in done {
            match job.outcome {
                Outcome::Hashed(context) => readers[job.tag].context = context,
                Outcome::Finished(digest) => println!("{digest}  {}", readers.remove(job.tag).name),
            }
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        files =
            ["Cargo.toml", "src/lib.rs"].map(|name| format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).into();
    }
    match print_digests(&files) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hash_files: {error}");
            ExitCode::FAILURE
        }
    }
}
