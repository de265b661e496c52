//! How much of each file's code can be counted: `cargo run --release --example coverage -- FILE..`.

use loopwright_binary::image::{DebugSearch, Image};
use loopwright_instrument::dry_run;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

fn main() {
    println!(
        "{:<32} {:>9} {:>7} {:>9} {:>7} {:>9} {:>8}",
        "file", "functions", "whole", "loops", "counted", "code x", "seconds"
    );
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for file in std::env::args().skip(1) {
        let begin = Instant::now();
        let image = match Image::open(Path::new(&file), &DebugSearch::none()) {
            Ok(image) => image,
            Err(error) => {
                eprintln!("{error}");
                continue;
            }
        };
        let code: u64 = image.functions().iter().map(|f| f.end.saturating_sub(f.address)).sum();
        let r = dry_run(image);
        let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
        println!(
            "{:<32} {:>9} {:>6.1}% {:>9} {:>6.1}% {:>9.2} {:>8.2}",
            Path::new(&file).file_name().map_or(file.clone(), |n| n.to_string_lossy().into_owned()),
            r.functions,
            share(r.whole, r.functions),
            r.loops,
            share(r.counted_loops, r.loops),
            r.copy_bytes as f64 / code.max(1) as f64,
            begin.elapsed().as_secs_f64()
        );
        for left in r.left_alone {
            *reasons.entry(left.reason.to_string()).or_default() += 1;
        }
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|r| std::cmp::Reverse(r.1));
    for (reason, count) in reasons.into_iter().take(20) {
        println!("{count:>7}  {reason}");
    }
}
