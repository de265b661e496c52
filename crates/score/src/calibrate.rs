//! What the experts' whole changes gained against the models' predictions: the factors of `loopwright_costs::experience`.
//!
//! On the logarithm of the program's gain, over the pairs in which a recommendation means the expert's remedy: the median of measured minus
//! likely, and the ninth decile of measured minus the upper end. What few pairs show of a change is drawn towards what all show, as if
//! [`PRIOR`] pairs of the mean kind were known besides.

use crate::figures::Row;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Pairs that the mean of all counts as.
const PRIOR: f64 = 8.0;
/// The part of gains that is to lie below the upper end.
const BELOW: f64 = 0.9;

/// Measured over likely and measured over most, as logarithms.
type Ratios = (Vec<f64>, Vec<f64>);

/// The factors as rows of the table: change, pairs, likely, most.
pub fn table(rows: &[Row<'_>]) -> String {
    let mut of_each: BTreeMap<&str, Ratios> = BTreeMap::new();
    let mut all = Ratios::default();
    for row in rows {
        let Some((_, fired)) = row.found else { continue };
        let (Some([_, likely, most]), Some(gain)) = (fired.modelled, row.record.gain) else { continue };
        let each = of_each.entry(&fired.id).or_default();
        for ratios in [&mut all, each] {
            ratios.0.push((gain.median / likely).ln());
            ratios.1.push((gain.median / most).ln());
        }
    }
    let mut text = String::new();
    let factors = |own: &Ratios| {
        let pairs = own.0.len() as f64;
        let drawn = |own: f64, all: f64| ((pairs * own + PRIOR * all) / (pairs + PRIOR)).exp();
        let likely = drawn(quantile(&own.0, 0.5), quantile(&all.0, 0.5));
        (likely, drawn(quantile(&own.1, BELOW), quantile(&all.1, BELOW)))
    };
    for (change, own) in of_each.iter().chain([(&"all", &all)]) {
        let (likely, most) = factors(own);
        let _ = writeln!(text, "(\"{change}\", {}, {likely:.2}, {most:.2}),", own.0.len());
    }
    text
}

/// The quantile of values, between two of them where it falls there (R. Hyndman and Y. Fan, The American Statistician 50, 1996: type 7).
fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = part * sorted.len().saturating_sub(1) as f64;
    let (low, rest) = (at.floor() as usize, at.fract());
    let get = |k: usize| sorted.get(k).or(sorted.last()).copied().unwrap_or(0.0);
    get(low) * (1.0 - rest) + get(low + 1) * rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_values() {
        assert!((quantile(&[3.0, 1.0, 2.0], 0.5) - 2.0).abs() < 1e-12);
        assert!((quantile(&[0.0, 1.0], 0.9) - 0.9).abs() < 1e-12);
        assert!((quantile(&[5.0], 0.9) - 5.0).abs() < 1e-12 && quantile(&[], 0.5).abs() < 1e-12);
    }
}
