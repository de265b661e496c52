//! The part of a run that is shown: `--from`, `--for` and `--region`.

use super::trying::seconds;
use clap::Args;
use loopwright_analysis::excerpt::Part;

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Part of the run")]
pub struct PartArgs {
    /// Only samples from this time after the start of the run on (500ms, 10s, 2m).
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub from: Option<f64>,
    /// Only samples of this time from there on.
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    pub length: Option<f64>,
    /// Only samples within calls of this function, by its name with or without scope and arguments.
    #[arg(long, value_name = "FUNCTION")]
    pub region: Option<String>,
}

impl PartArgs {
    /// The part; none where the whole run is shown.
    pub fn part(&self) -> Option<Part> {
        let any = self.from.is_some() || self.length.is_some() || self.region.is_some();
        any.then(|| Part { from: self.from.unwrap_or(0.0), length: self.length, region: self.region.clone() })
    }
}

fn time(text: &str) -> Result<f64, String> {
    let wrong = || "a time such as 500ms, 10s or 2m is wanted".to_owned();
    seconds(text).filter(|seconds| seconds.is_finite() && *seconds >= 0.0).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(
            (time("500ms"), time("10s"), time("1.5m"), time("0s")),
            (Ok(0.5), Ok(10.0), Ok(90.0), Ok(0.0))
        );
        for wrong in ["", "10", "s", "-1s", "infs", "nanm", "1d", "\u{e9}s"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
