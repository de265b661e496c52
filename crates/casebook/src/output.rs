//! The output of a program of the casebook: lines `name = value`.

use std::collections::BTreeMap;

/// Names that are not results.
pub const MEASURES: [&str; 4] = ["seconds", "flop", "bytes", "working_set"];

/// The parsed output of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Printed {
    /// Seconds of the compared part.
    pub seconds: f64,
    /// Useful floating-point operations.
    pub flop: Option<f64>,
    /// Useful bytes.
    pub bytes: Option<f64>,
    /// Bytes that are accessed repeatedly.
    pub working_set: Option<f64>,
    /// All other values.
    pub results: BTreeMap<String, f64>,
}

/// Reads a program's output; lines without ` = ` are skipped.
///
/// # Errors
/// When `seconds` is missing or a value is not a number.
pub fn parse(text: &str) -> Result<Printed, String> {
    let mut values = BTreeMap::new();
    for line in text.lines() {
        let Some((name, value)) = line.split_once('=') else { continue };
        let name = name.trim();
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            continue;
        }
        let value: f64 =
            value.trim().parse().map_err(|_| format!("`{}` is not a line `name = number`", line.trim()))?;
        if values.insert(name.to_owned(), value).is_some() {
            return Err(format!("it prints `{name}` twice"));
        }
    }
    let mut measure = |name: &str| values.remove(name);
    let seconds = measure("seconds").ok_or("it does not print a line `seconds = ..`")?;
    if !(seconds.is_finite() && seconds >= 0.0) {
        return Err(format!("it prints `seconds = {seconds}`, which is not a time"));
    }
    let [_, flop, bytes, working_set] = MEASURES.map(&mut measure);
    Ok(Printed { seconds, flop, bytes, working_set, results: values })
}
