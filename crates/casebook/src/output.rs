//! What a program of the casebook prints: lines `name = value`.

use std::collections::BTreeMap;

/// Names that are no results.
pub const MEASURES: [&str; 4] = ["seconds", "flop", "bytes", "working_set"];

/// What a run printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Printed {
    /// Seconds of the compared part.
    pub seconds: f64,
    /// Useful floating-point operations.
    pub flop: Option<f64>,
    /// Useful bytes.
    pub bytes: Option<f64>,
    /// Bytes that are touched again and again.
    pub working_set: Option<f64>,
    /// Everything else.
    pub results: BTreeMap<String, f64>,
}

/// Reads a program's output; lines without ` = ` are the program's own talk.
///
/// # Errors
/// When `seconds` is missing or a value is no number.
pub fn parse(text: &str) -> Result<Printed, String> {
    let mut values = BTreeMap::new();
    for line in text.lines() {
        let Some((name, value)) = line.split_once('=') else { continue };
        let name = name.trim();
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            continue;
        }
        let value: f64 =
            value.trim().parse().map_err(|_| format!("`{}` is no line `name = number`", line.trim()))?;
        if values.insert(name.to_owned(), value).is_some() {
            return Err(format!("it prints `{name}` twice"));
        }
    }
    let mut measure = |name: &str| values.remove(name);
    let seconds = measure("seconds").ok_or("it does not print a line `seconds = ..`")?;
    if !(seconds.is_finite() && seconds >= 0.0) {
        return Err(format!("it prints `seconds = {seconds}`, which is no time"));
    }
    let [_, flop, bytes, working_set] = MEASURES.map(&mut measure);
    Ok(Printed { seconds, flop, bytes, working_set, results: values })
}
