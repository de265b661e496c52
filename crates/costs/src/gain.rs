//! A predicted speed-up: a range with a likely value, and how gains of parts compose.
//!
//! * **Amdahl's law** (G. Amdahl, AFIPS 1967). A change that makes a share *s* of the time *g* times faster makes the
//!   program `1 / ((1 - s) + s / g)` times faster. [`amdahl`]
//! * **Composition.** Changes to one loop exclude or contain each other, so their gains are never added or multiplied: the
//!   best one counts. Changes to disjoint shares *s_i* compose as `1 / (1 - Σ s_i + Σ s_i / g_i)`. [`together`]

use crate::estimates::LARGEST_GAIN;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A speed-up: `low <= likely <= high`, all finite and at least 1. Serialised as `[low, high]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "(f64, f64)", into = "(f64, f64)")]
#[schemars(with = "(f64, f64)")]
pub struct Gain {
    low: f64,
    likely: f64,
    high: f64,
}

impl From<(f64, f64)> for Gain {
    fn from((one, other): (f64, f64)) -> Self {
        Self::between(one, other)
    }
}

impl From<Gain> for (f64, f64) {
    fn from(gain: Gain) -> Self {
        (gain.low, gain.high)
    }
}

impl Gain {
    /// No gain at all.
    pub const NONE: Self = Self { low: 1.0, likely: 1.0, high: 1.0 };

    /// From one end to the other, in either order, its geometric middle likely. Ends are clamped to `1..=LARGEST_GAIN`; NaN
    /// is no gain.
    pub fn between(one: f64, other: f64) -> Self {
        let clean = |x: f64| if x.is_nan() { 1.0 } else { x.clamp(1.0, LARGEST_GAIN) };
        let (one, other) = (clean(one), clean(other));
        Self { low: one.min(other), likely: (one * other).sqrt(), high: one.max(other) }
    }

    /// Exactly this speed-up; [`Gain::hedged`] makes a range of it.
    pub fn of(times: f64) -> Self {
        Self::between(times, times)
    }

    /// From nothing to this speed-up: whether the change helps at all is open.
    pub fn up_to(high: f64) -> Self {
        Self::between(1.0, high)
    }

    /// The gain of leaving out a share of the time.
    pub fn removing(share: f64) -> Self {
        Self::of(amdahl(share, f64::INFINITY))
    }

    /// The gain of leaving out from one share of the time to another.
    pub fn removing_between(least: f64, most: f64) -> Self {
        Self::between(Self::removing(least).low, Self::removing(most).high)
    }

    /// The same upper end; at the careful end only this share of the gain remains. Shares that have a name are
    /// [`SEEN`](crate::estimates::SEEN), [`OVERLAPPED`](crate::estimates::OVERLAPPED) and
    /// [`HIDDEN`](crate::estimates::HIDDEN).
    #[must_use]
    pub fn hedged(self, careful: f64) -> Self {
        Self::between(1.0 + (self.low - 1.0) * clean_share(careful), self.high)
    }

    /// The same upper end, from nothing: what decides whether the change helps is not known.
    #[must_use]
    pub fn at_most(self) -> Self {
        self.hedged(0.0)
    }

    /// The same careful end with another upper one.
    #[must_use]
    pub fn reaching(self, high: f64) -> Self {
        Self::between(self.low, high)
    }

    /// The least that is expected.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The expected value: what recommendations are ordered by.
    pub fn likely(self) -> f64 {
        self.likely
    }

    /// The most that is expected.
    pub fn high(self) -> f64 {
        self.high
    }

    /// The program's gain when this applies to `share` of its time.
    #[must_use]
    pub fn of_program(self, share: f64) -> Self {
        Self::between(amdahl(share, self.low), amdahl(share, self.high))
    }

    /// The loop's gain when this applies to `part` of its time.
    #[must_use]
    pub fn on_part(self, part: f64) -> Self {
        self.of_program(part)
    }

    /// No more than `most` at either end.
    #[must_use]
    pub fn capped(self, most: f64) -> Self {
        Self::between(self.low.min(most), self.high.min(most))
    }
}

/// A valid share: clamped to `0..=1`, and 0 for NaN.
pub fn clean_share(share: f64) -> f64 {
    if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
}

/// Amdahl's law.
pub fn amdahl(share: f64, gain: f64) -> f64 {
    let share = clean_share(share);
    1.0 / ((1.0 - share) + share / gain.max(f64::MIN_POSITIVE))
}

/// The program's gain from changes to disjoint shares of its time.
pub fn together(parts: &[(f64, Gain)]) -> Gain {
    let total: f64 = parts.iter().map(|(share, _)| clean_share(*share)).sum();
    // Shares that overlap after all (rounding, a wrong tree) are scaled down, so that the rest is not negative.
    let scale = if total > 1.0 { 1.0 / total } else { 1.0 };
    let end = |pick: fn(Gain) -> f64| {
        let saved: f64 = parts.iter().map(|(s, g)| clean_share(*s) * scale * (1.0 - 1.0 / pick(*g))).sum();
        1.0 / (1.0 - saved).max(1.0 / LARGEST_GAIN)
    };
    Gain::between(end(Gain::low), end(Gain::high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn amdahl_known_values() {
        assert_eq!(amdahl(0.0, 8.0), 1.0);
        assert_eq!(amdahl(1.0, 8.0), 8.0);
        assert!((amdahl(0.5, 2.0) - 4.0 / 3.0).abs() < 1e-12);
        assert_eq!(Gain::removing(0.75), Gain::of(4.0));
        assert_eq!(Gain::removing_between(0.0, 0.75), Gain::up_to(4.0));
    }

    #[test]
    fn parts_compose_instead_of_adding() {
        let half = Gain::of(2.0);
        let both = together(&[(0.5, half), (0.5, half)]);
        assert!(
            (both.high() - 2.0).abs() < 1e-12,
            "all of the program twice as fast, not three or four times"
        );
    }

    #[test]
    fn a_hedge_keeps_a_part_of_the_gain_at_the_careful_end() {
        assert_eq!(Gain::of(3.0).hedged(0.25), Gain::between(1.5, 3.0));
        assert_eq!(Gain::between(2.0, 3.0).at_most(), Gain::up_to(3.0));
        assert_eq!(Gain::between(2.0, 8.0).likely(), 4.0);
        assert_eq!(Gain::between(2.0, 8.0).capped(3.0), Gain::between(2.0, 3.0));
    }

    #[test]
    fn odd_numbers_become_no_gain() {
        for bad in [f64::NAN, f64::NEG_INFINITY, -3.0, 0.0] {
            assert_eq!(Gain::of(bad), Gain::NONE);
        }
        assert_eq!(Gain::between(f64::INFINITY, 2.0), Gain::between(2.0, LARGEST_GAIN));
    }

    #[test]
    fn a_gain_is_a_pair_in_json() {
        assert_eq!(serde_json::to_string(&Gain::between(7.5, 2.0)).unwrap(), "[2.0,7.5]");
        assert_eq!(serde_json::from_str::<Gain>("[2.0,7.5]").unwrap(), Gain::between(2.0, 7.5));
    }

    proptest! {
        #[test]
        fn every_word_keeps_the_order_of_the_ends(a in any::<f64>(), b in any::<f64>(), by in any::<f64>()) {
            let gain = Gain::between(a, b);
            for g in [gain, gain.hedged(by), gain.capped(by), gain.of_program(by), Gain::removing_between(a, b)] {
                prop_assert!(1.0 <= g.low() && g.low() <= g.likely() * (1.0 + 1e-12));
                prop_assert!(g.likely() <= g.high() * (1.0 + 1e-12) && g.high() <= LARGEST_GAIN);
            }
        }

        #[test]
        fn amdahl_is_monotone_and_bounded(share in 0.0..=1.0f64, gain in 1.0..=64.0f64, more in 0.0..10.0f64) {
            let program = amdahl(share, gain);
            prop_assert!(program >= 1.0 - 1e-12 && program <= gain + 1e-9);
            prop_assert!(amdahl(share, gain + more) + 1e-12 >= program);
        }

        #[test]
        fn composition_never_exceeds_the_best_part(parts in prop::collection::vec((0.0..=1.0f64, 1.0..=64.0f64), 0..6)) {
            let parts: Vec<(f64, Gain)> = parts.into_iter().map(|(s, g)| (s, Gain::up_to(g))).collect();
            let all = together(&parts);
            let best = parts.iter().map(|p| p.1.high()).fold(1.0, f64::max);
            prop_assert!(all.low() >= 1.0 && all.high() <= best + 1e-9);
        }
    }
}
