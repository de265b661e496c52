//! Numbers for readers: as many digits as mean something, a unit, and never a zero for what is not zero.
//!
//! The page of the report says the same in TypeScript (`ui/src/logic/quantity.ts`) and is tested against `vectors`.

use crate::phrases::Noun;
use crate::style::TerminalStyle;
use loopwright_advise::Gain;

/// `value` with `digits` significant digits, no exponent; `None` when it is not a number.
fn significant(value: f64, digits: i32) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    if value == 0.0 {
        return Some("0".to_owned());
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = (digits - 1 - magnitude).clamp(0, 9) as usize;
    let text = format!("{value:.decimals$}");
    // 9.996 rounds up to 10.00: one digit too many.
    let again = text.parse::<f64>().unwrap_or(value).abs().log10().floor() as i32;
    if again > magnitude && decimals > 0 {
        return Some(format!("{value:.*}", decimals - 1));
    }
    Some(text)
}

/// Printed in place of an unknown number.
pub(crate) const UNKNOWN: &str = "-";

/// A time with its unit: `12.4 s`, `3.10 ms`, `<0.01 ms`.
pub(crate) fn time(seconds: f64) -> String {
    if !seconds.is_finite() {
        return UNKNOWN.to_owned();
    }
    let size = seconds.abs();
    if size >= 3600.0 {
        let minutes = (seconds / 60.0).round();
        format!("{:.0} h {:02.0} min", (minutes / 60.0).trunc(), minutes % 60.0)
    } else if size >= 0.9995 {
        format!("{} s", significant(seconds, 3).unwrap_or_default())
    } else if size >= 0.000_01 {
        let milliseconds = seconds * 1e3;
        if milliseconds < 0.995 {
            format!("{milliseconds:.2} ms")
        } else {
            format!("{} ms", significant(milliseconds, 3).unwrap_or_default())
        }
    } else if size > 0.0 {
        "<0.01 ms".to_owned()
    } else {
        "0 s".to_owned()
    }
}

/// The unit of a column of times, so that its numbers compare at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeUnit {
    Seconds,
    Milliseconds,
}

impl TimeUnit {
    /// The unit that suits the largest of the column's times.
    pub(crate) fn for_largest(seconds: f64) -> Self {
        if seconds >= 0.9995 { Self::Seconds } else { Self::Milliseconds }
    }

    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Milliseconds => "ms",
        }
    }

    /// The number alone, with two decimals so that points align.
    pub(crate) fn number(self, seconds: f64) -> String {
        let value = match self {
            Self::Seconds => seconds,
            Self::Milliseconds => seconds * 1e3,
        };
        if !value.is_finite() {
            UNKNOWN.to_owned()
        } else if value > 0.0 && value < 0.005 {
            "<0.01".to_owned()
        } else {
            format!("{value:.2}")
        }
    }
}

/// A share in percent without its sign, one decimal: `43.0`, `<0.1`, `0`.
pub(crate) fn percent(share: f64) -> String {
    let value = share * 100.0;
    if !value.is_finite() {
        UNKNOWN.to_owned()
    } else if value == 0.0 {
        "0".to_owned()
    } else if value < 0.0 && value > -0.05 {
        ">-0.1".to_owned()
    } else if value > 0.0 && value < 0.05 {
        "<0.1".to_owned()
    } else {
        format!("{value:.1}")
    }
}

/// A share in percent within a sentence: `43 %`, `4.3 %`, `<0.1 %`.
pub(crate) fn share(share: f64) -> String {
    let value = share * 100.0;
    if value.is_finite() && value >= 9.95 { format!("{value:.0} %") } else { format!("{} %", percent(share)) }
}

/// A share in whole percent without its sign.
pub(crate) fn whole_percent(share: f64) -> String {
    format!("{:.0}", share * 100.0)
}

/// An average of counts, with one decimal: `3.5`.
pub(crate) fn tenths(value: f64) -> String {
    format!("{value:.1}")
}

/// A change as a share, in percent with its sign: `+12.0 %`.
pub(crate) fn change_in_percent(part: f64) -> String {
    format!("{:+.1} %", part * 100.0)
}

/// A speed-up: `1.08x`, `2.4x`, `12x`.
pub(crate) fn ratio(value: f64, style: &TerminalStyle) -> String {
    format!("{}{}", ratio_number(value), style.times())
}

fn ratio_number(value: f64) -> String {
    match value {
        _ if !value.is_finite() => UNKNOWN.to_owned(),
        _ if value > 0.0 && value < 0.005 => "<0.01".to_owned(),
        _ if value < 1.995 => format!("{value:.2}"),
        _ if value < 9.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// A speed-up that is known to a thousandth: `1.006x`.
pub(crate) fn fine_ratio(value: f64, style: &TerminalStyle) -> String {
    if value.is_finite() && value < 1.995 {
        format!("{value:.3}{}", style.times())
    } else {
        ratio(value, style)
    }
}

/// A range of these: `1.005-1.007x`.
pub(crate) fn fine_range((low, high): (f64, f64), style: &TerminalStyle) -> String {
    let high = fine_ratio(high, style);
    let low = fine_ratio(low, style);
    if low == high {
        return low;
    }
    format!("{}{}{high}", low.trim_end_matches(style.times()), style.sign("–", "-"))
}

/// A range of speed-ups: `1.08-1.31x`.
pub(crate) fn ratio_range((low, high): (f64, f64), style: &TerminalStyle) -> String {
    let (from, to) = (ratio_number(low), ratio_number(high));
    if from == to {
        format!("{from}{}", style.times())
    } else {
        format!("{from}{}{to}{}", style.sign("–", "-"), style.times())
    }
}

/// A predicted gain: `likely 1.40x, 1.10-1.80x`; a range that begins below 1 may be a loss.
pub(crate) fn gain(gain: Gain, style: &TerminalStyle) -> String {
    let (range, likely) = (ratio_range(gain.into(), style), ratio(gain.likely(), style));
    let doubt = if may_be_slower(gain) { ", may be slower" } else { "" };
    if range == likely { range + doubt } else { format!("likely {likely}, {range}{doubt}") }
}

/// The range of a gain begins below 1 as it is printed.
pub(crate) fn may_be_slower(gain: Gain) -> bool {
    gain.low() < 0.995
}

/// A count with thousands apart: `24,070`.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count in at most nine columns: exact below a million, four digits above: `24,070`, `1.235 G`.
pub(crate) fn amount(value: u64) -> String {
    const UNITS: [&str; 5] = ["M", "G", "T", "P", "E"];
    if value < 1_000_000 {
        return count(value);
    }
    let mut size = value as f64 / 1e6;
    let mut unit = 0;
    while size >= 999.95 && unit + 1 < UNITS.len() {
        size /= 1000.0;
        unit += 1;
    }
    format!("{} {}", significant(size, 4).unwrap_or_default(), UNITS[unit])
}

/// A mean of counts: whole where it is whole, else four digits: `19`, `18.53`, `1,024.5`.
pub(crate) fn mean(value: f64) -> String {
    if !value.is_finite() {
        UNKNOWN.to_owned()
    } else if value >= 999_999.95 {
        amount(value.round() as u64)
    } else if value.fract() == 0.0 {
        count(value as u64)
    } else if value >= 999.95 {
        // Four to six digits before the point.
        let mut text = format!("{value:.1}");
        text.insert(text.len() - 5, ',');
        text
    } else if value < 0.005 {
        "<0.01".to_owned()
    } else {
        significant(value, 4).unwrap_or_else(|| UNKNOWN.to_owned())
    }
}

/// A lowest and a highest count: `19`, `17-24`.
pub(crate) fn span((low, high): (u64, u64), style: &TerminalStyle) -> String {
    if low == high {
        amount(low)
    } else {
        format!("{}{}{}", amount(low), style.sign("–", "-"), amount(high))
    }
}

/// A count with its noun: `1 thread`, `4 threads`.
pub(crate) fn counted(value: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(value), if value == 1 { one } else { many })
}

/// The same with a noun that the page says, too.
pub(crate) fn many(value: u64, (one, many): Noun) -> String {
    counted(value, one, many)
}

/// A memory size in binary units: `32 KiB`, `1.5 GiB`.
pub(crate) fn bytes(value: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if value < 1024 {
        return format!("{value} B");
    }
    let mut size = value as f64 / 1024.0;
    let mut unit = 0;
    while size >= 1023.5 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    let number = if size.fract() == 0.0 || size >= 99.95 {
        format!("{size:.0}")
    } else {
        significant(size, 3).unwrap_or_default()
    };
    format!("{number} {}", UNITS[unit])
}

/// An amount of data that moved, in decimal units as bandwidths are: `4.19 MB`.
pub(crate) fn traffic(value: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if value < 1000 {
        return format!("{value} B");
    }
    let mut size = value as f64 / 1e3;
    let mut unit = 0;
    while size >= 999.5 && unit + 1 < UNITS.len() {
        size /= 1e3;
        unit += 1;
    }
    format!("{} {}", significant(size, 3).unwrap_or_default(), UNITS[unit])
}

/// A rate (GFLOP/s, GB/s) or latency (ns): three digits.
pub(crate) fn rate(value: f64) -> String {
    if value > 0.0 && value < 0.005 {
        "<0.01".to_owned()
    } else {
        significant(value, 3).unwrap_or_else(|| UNKNOWN.to_owned())
    }
}

/// An amount of energy: `312 J`, `1.20 kJ`.
pub(crate) fn energy(joules: f64) -> String {
    const UNITS: [&str; 4] = ["J", "kJ", "MJ", "GJ"];
    let (mut size, mut unit) = (joules, 0);
    while size >= 999.5 && unit + 1 < UNITS.len() {
        size /= 1000.0;
        unit += 1;
    }
    match size.is_finite() {
        true => format!("{} {}", rate(size), UNITS[unit]),
        false => UNKNOWN.to_owned(),
    }
}

#[cfg(test)]
mod vectors;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traffic_is_in_decimal_units() {
        let all = [0, 999, 1000, 131_072, 4_194_304, 999_499_999, 999_999_999, u64::MAX].map(traffic);
        assert_eq!(all, ["0 B", "999 B", "1.00 kB", "131 kB", "4.19 MB", "999 MB", "1.00 GB", "18.4 EB"]);
    }

    #[test]
    fn times_keep_three_digits_and_are_never_a_false_zero() {
        let shown =
            [12_345.0, 123.4, 99.96, 12.44, 1.0, 0.99951, 0.5, 0.0031, 0.00041, 0.000_000_1, 0.0].map(time);
        assert_eq!(
            shown,
            [
                "3 h 26 min",
                "123 s",
                "100 s",
                "12.4 s",
                "1.00 s",
                "1.00 s",
                "500 ms",
                "3.10 ms",
                "0.41 ms",
                "<0.01 ms",
                "0 s"
            ]
        );
        assert_eq!(time(f64::NAN), "-");
    }

    #[test]
    fn a_column_has_one_unit() {
        let unit = TimeUnit::for_largest(12.0);
        assert_eq!([12.0, 0.3, 0.001, 0.0].map(|s| unit.number(s)), ["12.00", "0.30", "<0.01", "0.00"]);
        assert_eq!(TimeUnit::for_largest(0.02).number(0.0123), "12.30");
    }

    #[test]
    fn shares() {
        assert_eq!([1.0, 0.4304, 0.0004, 0.0].map(percent), ["100.0", "43.0", "<0.1", "0"]);
        assert_eq!([1.0, 0.4304, 0.0431, 0.0004].map(share), ["100 %", "43 %", "4.3 %", "<0.1 %"]);
    }

    #[test]
    fn gains_say_what_is_significant() {
        let plain = TerminalStyle::plain(80);
        assert_eq!(ratio_range((1.08, 1.312), &plain), "1.08-1.31x");
        assert_eq!(ratio_range((2.0, 7.5), &plain), "2.0-7.5x");
        assert_eq!(ratio_range((12.2, 12.4), &plain), "12x");
        assert_eq!(gain(Gain::between(1.0, 1.44), &plain), "likely 1.20x, 1.00-1.44x");
        assert_eq!(gain(Gain::of(1.3), &plain), "1.30x");
        assert_eq!(ratio_range((1.5, 4.0), &TerminalStyle::terminal(80)), "1.50–4.0×");
    }

    #[test]
    fn large_counts_keep_four_digits_and_small_ones_all() {
        assert_eq!(
            [0, 24_070, 999_999, 1_000_000, 1_234_567, 999_960_000, u64::MAX].map(amount),
            ["0", "24,070", "999,999", "1.000 M", "1.235 M", "1.000 G", "18.45 E"]
        );
        assert_eq!(
            [19.0, 18.526, 0.5, 1024.57, 354_166.394, 999_999.96, 2.5e9, 0.001, f64::NAN].map(mean),
            ["19", "18.53", "0.5000", "1,024.6", "354,166.4", "1.000 M", "2.500 G", "<0.01", "-"]
        );
        assert_eq!(span((17, 24), &TerminalStyle::plain(80)), "17-24");
        assert_eq!(span((19, 19), &TerminalStyle::plain(80)), "19");
    }

    #[test]
    fn counts_and_sizes() {
        assert_eq!(
            [7, 24_070, 1_000_000, u64::MAX].map(count),
            ["7", "24,070", "1,000,000", "18,446,744,073,709,551,615"]
        );
        assert_eq!([64, 32 << 10, 1536 << 10, 6 << 30].map(bytes), ["64 B", "32 KiB", "1.50 MiB", "6 GiB"]);
        assert_eq!([0.001, 2.345, 1234.5].map(rate), ["<0.01", "2.35", "1234"]);
        assert_eq!(
            [0.0, 0.001, 12.34, 999.4, 999.6, 2.5e6, 3e12, f64::INFINITY].map(energy),
            ["0 J", "<0.01 J", "12.3 J", "999 J", "1.00 kJ", "2.50 MJ", "3000 GJ", "-"]
        );
    }
}
