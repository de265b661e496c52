//! What the experts' whole changes gained against the models' predictions: the factors of `loopwright_costs::experience`.
//!
//! On the logarithm of the program's gain, over the pairs in which a recommendation means the expert's remedy: the median of measured minus
//! likely, and the ninth decile of measured minus the upper end. What few pairs show of a change is drawn towards what all show, as if
//! [`PRIOR`] pairs of the mean kind were known besides.

use crate::figures::Row;
use loopwright_stats::quantile;
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
        let drawn = |own: &[f64], all: &[f64], part: f64| {
            let at = |values| quantile(values, part).unwrap_or(0.0);
            ((pairs * at(own) + PRIOR * at(all)) / (pairs + PRIOR)).exp()
        };
        (drawn(&own.0, &all.0, 0.5), drawn(&own.1, &all.1, BELOW))
    };
    for (change, own) in of_each.iter().chain([(&"all", &all)]) {
        let (likely, most) = factors(own);
        let _ = writeln!(text, "(\"{change}\", {}, {likely:.2}, {most:.2}),", own.0.len());
    }
    text
}
