//! What whole changes gained in programs, against what the models give for a recommendation by itself.
//!
//! A model prices one effect: divisions that vanish, misses that are saved. Whoever makes the change in a program does more at that place
//! (with the divisions the borders go, and the loop becomes a vector loop), so that the gains of 85 open pairs of the
//! corpus lay above the likely value of the model in three of four. The factors are those of these pairs, on the logarithm of the gain: the
//! median of measured over likely, and the ninth decile of measured over the upper end; of a change with few pairs, drawn towards
//! all of them as if eight pairs of the mean kind were known besides. `loopwright-score calibrate` prints them.

use crate::gain::{Gain, clean_share};

/// What programs showed of a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Experience {
    /// Programs of the corpus in which an expert made this change.
    pub programs: u32,
    /// Factor of the likely value.
    pub likely: f64,
    /// Factor of the upper end.
    pub most: f64,
}

/// Programs in which an expert made this change, factor of the likely value, factor of the upper end. Changes that no pair shows, and those of
/// options and settings, with which nothing else changes, have none.
const KNOWN: &[(&str, u32, f64, f64)] = &[
    ("all-pairs-search", 3, 1.24, 1.70),
    ("array-of-structures", 2, 1.80, 2.64),
    ("avoid-copies", 2, 1.64, 2.08),
    ("avoid-temporary-arrays", 3, 1.56, 2.04),
    ("balance-work", 1, 1.50, 2.35),
    ("better-data-structure", 8, 1.46, 1.74),
    ("block-for-cache", 2, 1.44, 2.23),
    ("branch-free-body", 2, 1.47, 2.18),
    ("break-recurrence", 5, 1.86, 2.77),
    ("devirtualise-call", 1, 1.55, 2.36),
    ("dispatch-per-block", 5, 1.32, 2.06),
    ("divide-by-invariant", 2, 1.41, 2.08),
    ("format-into-buffer", 1, 1.57, 2.41),
    ("hot-library", 1, 1.72, 2.58),
    ("idiom-loop", 1, 1.65, 2.61),
    ("integer-divide", 5, 1.72, 2.79),
    ("interchange-loops", 1, 1.58, 2.43),
    ("larger-parallel-regions", 1, 1.87, 2.66),
    ("lookup-table", 5, 2.47, 4.47),
    ("memoise", 2, 1.59, 2.17),
    ("overlap-waits", 1, 1.51, 2.31),
    ("parse-in-place", 2, 1.46, 2.10),
    ("plain-complex-arithmetic", 1, 1.48, 2.30),
    ("pointer-chase", 5, 1.96, 2.55),
    ("privatise-atomic", 1, 1.58, 2.40),
    ("promise-no-alias", 1, 1.32, 2.09),
    ("reorder-fp-sum", 2, 1.47, 2.24),
    ("reorder-indices", 5, 1.58, 2.42),
    ("reshape-nest", 5, 1.20, 1.62),
    ("reuse-partial-results", 1, 1.46, 2.26),
    ("separate-cache-lines", 1, 1.60, 2.30),
    ("time-in-malloc", 6, 1.52, 2.30),
];

/// From this likely value on (a factor of 1.28) the factors hold in full; the whole change at a place that hardly matters gains hardly more.
const NOTABLE: f64 = 0.25;

/// A model's range of this width has all in it already; narrower ones are widened the more, the narrower they are.
const WIDE: f64 = 10.0;

/// Part of the time around the change that is left at least: five in six of the pairs kept more of it.
const REST: f64 = 0.75;

/// What programs showed of a change, by its id.
pub fn of(change: &str) -> Option<Experience> {
    let known = KNOWN.iter().find(|(id, ..)| *id == change)?;
    Some(Experience { programs: known.1, likely: known.2, most: known.3 })
}

impl Experience {
    /// The program's gain by the whole change, from that of a model for a share of its time. What is around the change may shrink with it
    /// (see [`REST`]); the likely value takes none of that.
    #[must_use]
    pub fn whole(&self, model: Gain, share: f64) -> Gain {
        let weight = (model.likely().ln() / NOTABLE).clamp(0.0, 1.0);
        let rest = 1.0 - clean_share(share);
        let within = |gain: f64, model: f64, left: f64| gain.min((1.0 / (rest * left)).max(model));
        let narrow = (1.0 - (model.high() / model.low()).ln() / WIDE.ln()).clamp(0.0, 1.0);
        let most = within(model.high() * self.most.powf(weight * narrow), model.high(), REST);
        let likely = within(model.likely() * self.likely.powf(weight), model.likely(), 1.0);
        Gain::around(model.low(), likely, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_change_gains_more_where_there_is_something_to_gain() {
        let model = Gain::around(1.1, 1.5, 2.0);
        let whole = of("lookup-table").unwrap().whole(model, 0.99);
        assert!((whole.low() - 1.1).abs() < 1e-12 && (whole.likely() - 1.5 * 2.47).abs() < 1e-9, "{whole:?}");
        let narrow = 1.0 - (2.0_f64 / 1.1).log10();
        assert!((whole.high() - 2.0 * 4.47_f64.powf(narrow)).abs() < 1e-9, "{whole:?}");
        let wide = of("lookup-table").unwrap().whole(Gain::around(1.0, 3.0, 10.0), 0.99);
        assert!((wide.high() - 10.0).abs() < 1e-9, "{wide:?}");
        assert_eq!(of("lookup-table").unwrap().whole(Gain::NONE, 0.99), Gain::around(1.0, 1.0, 1.0));
        let slight = of("lookup-table").unwrap().whole(Gain::around(1.0, 1.02, 1.05), 0.99);
        assert!(slight.high() < 1.2, "{slight:?}");
        let slower = of("reshape-nest").unwrap().whole(Gain::around(0.8, 0.9, 1.0), 0.99);
        // Of 60 % of the time: the likely value is that of Amdahl's law, and a quarter of the rest may go as well.
        let part = of("lookup-table").unwrap().whole(model, 0.6);
        assert!((part.likely() - 2.5).abs() < 1e-9 && (part.high() - 1.0 / 0.3).abs() < 1e-9, "{part:?}");
        assert!((slower.likely() - 0.9).abs() < 1e-12, "no factor makes a gain of a loss: {slower:?}");
    }

    #[test]
    fn what_no_pair_shows_has_no_factor() {
        assert_eq!((of("rebuild"), of("never-heard-of")), (None, None));
        assert!(
            KNOWN.iter().all(|(_, programs, likely, most)| *programs > 0 && *likely >= 1.0 && most >= likely)
        );
        assert!(KNOWN.is_sorted_by_key(|(id, ..)| *id));
    }
}
