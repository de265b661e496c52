//! The arguments of `loopwright energy`.

use super::Sampling;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct EnergyArgs {
    /// Run the program with each of these numbers of threads, too (OMP_NUM_THREADS; RAYON_NUM_THREADS): 1,2,4,8.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub threads: Vec<u32>,
    /// Runs with each number of threads, in rounds of random order.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: u32,
    /// Where no counter can be read: power of the processors without work, in watts.
    #[arg(long, value_name = "WATTS", requires = "core_watts", value_parser = watts)]
    pub idle_watts: Option<f64>,
    /// Where no counter can be read: what each busy core takes more, in watts.
    #[arg(long, value_name = "WATTS", requires = "idle_watts", value_parser = watts)]
    pub core_watts: Option<f64>,
    /// Measure these two numbers on this machine, where its counters can be read, and keep them for when they cannot: power without
    /// work, and with more and more busy cores (20 s; the machine should be idle).
    #[arg(long, conflicts_with_all = ["command", "idle_watts", "core_watts", "threads"])]
    pub calibrate: bool,
    /// Read the counters below this folder instead of `/`: for recorded machines.
    #[arg(long, value_name = "ROOT", default_value = "/", hide_default_value = true)]
    pub sysfs: PathBuf,
    /// Print JSON instead of the tables.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub sampling: Sampling,
    /// The program and its arguments.
    #[arg(last = true, required_unless_present = "calibrate", value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

/// A power.
fn watts(text: &str) -> Result<f64, String> {
    let watts: f64 = text.parse().map_err(|_| "a number of watts such as 90 or 3.5 is wanted".to_owned())?;
    if (0.0..1e6).contains(&watts) { Ok(watts) } else { Err("watts from 0 to 1000000 are wanted".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_numbers_that_a_processor_can_draw() {
        assert_eq!(watts("3.5"), Ok(3.5));
        for wrong in ["", "-1", "x", "NaN", "inf", "1e9"] {
            assert!(watts(wrong).is_err(), "{wrong}");
        }
    }
}
