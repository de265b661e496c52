//! Prints the SHA-256 of files, as sha256sum does. Files are read in pieces; those of all files are hashed side by side.
//!
//! `cargo run -p loopwright-kernels --example hash_files FILE..`     without a file: the package's own

use loopwright_kernels::hash::{Context, Outcome, Scheduler, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::process::ExitCode;

const PIECE: u64 = 1 << 20;

/// A file that is being read.
struct Reader {
    file: File,
    /// Until its end.
    next: Option<Context<Sha256>>,
    piece: Vec<u8>,
}

fn print_digests(names: &[String]) -> io::Result<()> {
    let of = |name: &String| {
        io::Result::Ok(Reader { file: File::open(name)?, next: Some(Context::new()), piece: vec![] })
    };
    let mut readers = names.iter().map(of).collect::<io::Result<Vec<_>>>()?;
    let mut digests = vec![None; names.len()];
    while digests.iter().any(Option::is_none) {
        // A scheduler borrows the pieces, so each round has one of its own.
        let mut scheduler = Scheduler::<Sha256, usize>::new();
        for (tag, reader) in readers.iter_mut().enumerate() {
            let Some(context) = reader.next.take() else { continue };
            reader.piece.clear();
            reader.file.by_ref().take(PIECE).read_to_end(&mut reader.piece)?;
            match reader.piece.len() as u64 {
                PIECE => scheduler.update(tag, context, &reader.piece),
                _ => scheduler.finish(tag, context, &reader.piece),
            }
        }
        scheduler.flush();
        let done: Vec<_> = std::iter::from_fn(|| scheduler.completed()).collect();
        drop(scheduler);
        for job in done {
            match job.outcome {
                Outcome::Hashed(context) => readers[job.tag].next = Some(context),
                Outcome::Finished(digest) => digests[job.tag] = Some(digest),
            }
        }
    }
    for (digest, name) in digests.iter().flatten().zip(names) {
        println!("{digest}  {name}");
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
