//! Numbers and lists in sentences.

/// A share: `23.4 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A share of a whole that measurement errors must not exceed: `23`.
pub(super) fn whole_percent(share: f64) -> String {
    format!("{:.0}", (share * 100.0).min(100.0))
}

/// `1 load`, `2 loads`.
pub fn counted(count: u32, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Bytes with three digits or so: `1280 kB`.
pub fn bytes_in_words(bytes: u64) -> String {
    let b = bytes as f64;
    match bytes {
        0..=9_999 => format!("{bytes} bytes"),
        10_000..=9_999_999 => format!("{:.0} kB", b / 1e3),
        10_000_000..=9_999_999_999 => format!("{:.0} MB", b / 1e6),
        _ => format!("{:.1} GB", b / 1e9),
    }
}

/// A count with three digits or so: `1.25 million`.
pub fn count_in_words(count: u64) -> String {
    let n = count as f64;
    match count {
        0..=99_999 => count.to_string(),
        100_000..=99_999_999 => format!("{:.2} million", n / 1e6),
        100_000_000..=99_999_999_999 => format!("{:.0} million", n / 1e6),
        _ => format!("{:.0} thousand million", n / 1e9),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
