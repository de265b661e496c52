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
    let options = SwapOptions {
        start: StartOptions::default(),
        before: &before,
        after: &after,
        function: function.to_str().ok_or("the function's name is no UTF-8")?,
        limit: Duration::from_secs(600),
        file: u64::MAX,
        stop: &AtomicBool::new(false),
    };
    let swapped = swap(command, &options)?;
    let ratios: Vec<f64> =
        swapped.units.iter().map(|unit| unit.before as f64 / unit.after as f64).collect();
    println!("{:?}: {:?} calls, {:?} s of {:.3} s", swapped.ended, swapped.calls, swapped.seconds, swapped.cpu);
    let interval = bootstrap_median(&ratios);
    println!("{} units, function {interval:?}", ratios.len());
    Ok(())
}
