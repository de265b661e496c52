//! Prints the Fletcher-4 checksum of files, as ZFS computes it of a block, in pieces and in constant memory.
//!
//! `cargo run -p loopwright-kernels --example checksum_file [FILE..]`     without a file: this one

use loopwright_kernels::fletcher::Fletcher4;
use std::error::Error;
use std::fs::File;
use std::io::Read;
use std::process::ExitCode;

fn checksum(path: &str) -> Result<Fletcher4, Box<dyn Error>> {
    let mut file = File::open(path)?;
    let mut sums = Fletcher4::default();
    let mut piece = Vec::with_capacity(1 << 20);
    loop {
        piece.clear();
        if file.by_ref().take(1 << 20).read_to_end(&mut piece)? == 0 {
            return Ok(sums);
        }
        // The last word is filled up with zeros.
        piece.resize(piece.len().next_multiple_of(4), 0);
        sums.update(&piece)?;
    }
}

fn main() -> ExitCode {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        files.push(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/checksum_file.rs").to_owned());
    }
    for file in files {
        match checksum(&file) {
            Ok(sums) => {
                let [a, b, c, d] = sums.words;
                println!("{a:x}:{b:x}:{c:x}:{d:x} {file}");
            }
            Err(error) => {
                eprintln!("{file}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
