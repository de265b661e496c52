#![forbid(unsafe_code)]
//! Medians, spreads, bootstrap intervals and paired ratios, and the order in which versions are measured.
//!
//! Every measurement and comparison is reported with these. The crate does not depend on programs or machines.

mod bootstrap;
mod counts;
mod order;
mod sampling;
mod shuffle;

pub use bootstrap::{Interval, bootstrap_median, paired_ratio};
pub use counts::saturating_sum;
pub use order::{median, outliers, quantile, relative_spread};
pub use sampling::{sampled_interval, sampled_ratio};
pub use shuffle::shuffle;
