//! Exchanges one function of a program while it runs, and prints what the calls took.
//!
//! ```text
//! swap BEFORE.o AFTER.o FUNCTION PROGRAM [ARGUMENT..]
//! ```

use loopwright_instrument::swap::{SwapOptions, swap};
use loopwright_launch::StartOptions;
use loopwright_stats::bootstrap_median;
use std::error::Error;
use std::ffi::OsString;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let all: Vec<OsString> = std::env::args_os().skip(1).collect();
    let [before, after, function, command @ ..] = all.as_slice() else {
        return Err("swap BEFORE.o AFTER.o FUNCTION PROGRAM [ARGUMENT..]".into());
    };
    let (before, after) = (std::fs::read(before)?, std::fs::read(after)?);
    let mut options = SwapOptions {
        start: StartOptions::default(),
        before: &before,
        after: &after,
        function: function.to_str().ok_or("the function's name is no UTF-8")?,
        seed: 1,
        opposite: false,
        calls: None,
        limit: Duration::from_secs(600),
        file: u64::MAX,
        stop: &AtomicBool::new(false),
    };
    options.calls = swap(command, &options)?.usual_calls();
    let mut ratios = Vec::new();
    let pairs = std::env::var("PAIRS").ok().and_then(|pairs| pairs.parse().ok()).unwrap_or(3);
    let mut swapped = swap(command, &options)?;
    for seed in 1..=pairs {
        options.seed = seed * 0x9e37_79b9;
        options.opposite = false;
        swapped = swap(command, &options)?;
        options.opposite = true;
        ratios.extend(swapped.paired(&swap(command, &options)?).iter().map(|(before, after)| before / after));
    }
    println!(
        "{:?}: {:?} calls, {:?} s of {:.3} s",
        swapped.ended, swapped.calls, swapped.seconds, swapped.cpu
    );
    let interval = bootstrap_median(&ratios);
    println!("{} units, function {interval:?}", ratios.len());
    Ok(())
}
