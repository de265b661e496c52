//! Measures and prints every ceiling: `ceilings [SECONDS [POINT..]]`.

use loopwright_machine::{Options, measure};
use std::time::Duration;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(20.0);
    let options =
        Options { budget: Duration::from_secs_f64(seconds), only: arguments.collect(), ..Options::default() };
    match measure(&options, &mut |p| eprintln!("{:3.0} % {}", p.fraction * 100.0, p.what)) {
        Ok(report) => println!("{}", serde_json::to_string_pretty(&report).unwrap_or_default()),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}
