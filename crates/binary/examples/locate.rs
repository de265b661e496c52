//! What a binary reports about addresses, and how long each query takes:
//! `cargo run --release --example locate -- FILE [ADDRESS..]`.
//!
//! With addresses it prints each one's function, line and inlining. Without, it queries 1,000 random
//! addresses of the file's functions and prints the time of each step.

use loopwright_binary::image::{DebugSearch, Image};
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("name a binary")?;
    let addresses: Vec<String> = arguments.collect();
    let begin = Instant::now();
    let image = Image::open(Path::new(&path), &DebugSearch::system())?;
    let opened = begin.elapsed();
    if !addresses.is_empty() {
        for text in addresses {
            let address = u64::from_str_radix(text.trim_start_matches("0x"), 16)?;
            println!("{address:#x}: {:#?}", image.locate(address));
        }
        return Ok(());
    }
    let size = std::fs::metadata(&path)?.len();
    let begin = Instant::now();
    let count = image.function_count();
    let tables = begin.elapsed();
    if count == 0 {
        return Err("the file has no function".into());
    }

    // An address within a random function; the generator is a linear congruential one.
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 33
    };
    let begin = Instant::now();
    let mut lines = 0;
    for _ in 0..1000 {
        let index = usize::try_from(random())? % count;
        let Some(info) = image.function(index) else { continue };
        let address = info.address + random() % (info.end - info.address).max(1);
        lines += usize::from(image.locate(address).location.is_some());
    }
    let located = begin.elapsed();
    println!(
        "{path}: {} MB, {count} functions: open {opened:.1?}, symbol and unwind tables {tables:.1?}, \
         1000 addresses {located:.1?} ({lines} with a line)",
        size / 1_000_000
    );
    Ok(())
}
