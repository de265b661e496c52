//! A predicted speed-up: a range with a likely value, and how gains of parts compose.
//!
//! * **Amdahl's law** (G. Amdahl, AFIPS 1967). A change that makes a share *s* of the time *g* times faster makes the
//!   program `1 / ((1 - s) + s / g)` times faster. [`amdahl`]
//! * **Composition.** Changes to one loop exclude or contain each other, so their gains are never added or multiplied: the
//!   best one counts. Changes to disjoint shares *s_i* compose as `1 / (1 - Σ s_i + Σ s_i / g_i)`. [`together`]

use crate::estimates::{LARGEST_GAIN, SMALLEST_GAIN};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A speed-up: `low <= likely <= high`, all finite. Below 1 the change makes the code slower; only [`Gain::around`] and
/// [`Gain::down_to`] make such a range. Serialised as `[low, high]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Ends", into = "Ends")]
#[schemars(with = "(f64, f64)")]
pub struct Gain {
    low: f64,
    high: f64,
    /// Where a model gives one; else the geometric middle.
    likely: Option<f64>,
}

/// A range as it is stored.
#[derive(Serialize, Deserialize)]
struct Ends(f64, f64);

impl From<Ends> for Gain {
    fn from(Ends(one, other): Ends) -> Self {
        let (one, other) = (clean(one, SMALLEST_GAIN), clean(other, SMALLEST_GAIN));
        Self { low: one.min(other), high: one.max(other), likely: None }
    }
}

impl From<Gain> for Ends {
    fn from(gain: Gain) -> Self {
        Self(gain.low, gain.high)
    }
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

/// A speed-up between the smallest that is allowed and the largest; NaN is no gain.
fn clean(gain: f64, smallest: f64) -> f64 {
    if gain.is_nan() { 1.0 } else { gain.clamp(smallest, LARGEST_GAIN) }
}

impl Gain {
    /// No gain at all.
    pub const NONE: Self = Self { low: 1.0, high: 1.0, likely: None };

    /// From one end to the other, in either order, its geometric middle likely. Ends are clamped to `1..=LARGEST_GAIN`; NaN
    /// is no gain.
    pub fn between(one: f64, other: f64) -> Self {
        let (one, other) = (clean(one, 1.0), clean(other, 1.0));
        Self { low: one.min(other), high: one.max(other), likely: None }
    }

    /// The value that a model gives, with the range of its known error; the change may make the code slower. The likely value
    /// is clamped to the range, and the ends to `SMALLEST_GAIN..=LARGEST_GAIN`.
    pub fn around(low: f64, likely: f64, high: f64) -> Self {
        let ends = Self::from(Ends(low, high));
        Self { likely: Some(clean(likely, SMALLEST_GAIN).clamp(ends.low, ends.high)), ..ends }
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

    /// The same upper end and, where a model gave one, the same likely value; at the careful end only this share of the gain
    /// remains. Shares that have a name are [`SEEN`](crate::estimates::SEEN), [`OVERLAPPED`](crate::estimates::OVERLAPPED) and
    /// [`HIDDEN`](crate::estimates::HIDDEN). An end below 1 stays.
    #[must_use]
    pub fn hedged(self, careful: f64) -> Self {
        let low = if self.low > 1.0 { 1.0 + (self.low - 1.0) * clean_share(careful) } else { self.low };
        Self { low, ..self }
    }

    /// The same upper end, from nothing: what decides whether the change helps is not known.
    #[must_use]
    pub fn at_most(self) -> Self {
        self.hedged(0.0)
    }

    /// The same careful end with another upper one.
    #[must_use]
    pub fn reaching(self, high: f64) -> Self {
        Self::from(Ends(self.low, clean(high, 1.0))).likely_as(self)
    }

    /// The same upper end with another careful one, which may be below 1: the change may make the code slower.
    #[must_use]
    pub fn down_to(self, low: f64) -> Self {
        Self::from(Ends(clean(low, SMALLEST_GAIN).min(self.high), self.high)).likely_as(self)
    }

    /// With the likely value of another range, as far as this one holds it.
    fn likely_as(self, other: Self) -> Self {
        Self { likely: other.likely.map(|likely| likely.clamp(self.low, self.high)), ..self }
    }

    /// The least that is expected; below 1 the code may become slower.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The expected value: what recommendations are ordered by. Where no model gave one, the geometric middle.
    pub fn likely(self) -> f64 {
        self.likely.unwrap_or_else(|| (self.low * self.high).sqrt())
    }

    /// The most that is expected.
    pub fn high(self) -> f64 {
        self.high
    }

    /// The program's gain when this applies to `share` of its time.
    #[must_use]
    pub fn of_program(self, share: f64) -> Self {
        let of = |gain: f64| clean(amdahl(share, gain), SMALLEST_GAIN);
        let ends = Self::from(Ends(of(self.low), of(self.high)));
        Self { likely: self.likely.map(|likely| of(likely).clamp(ends.low, ends.high)), ..ends }
    }

    /// The program's gain when the share of its time that this applies to is known to lie between two.
    #[must_use]
    pub fn of_program_between(self, share: f64, (least, most): (f64, f64)) -> Self {
        let (known, one, other) = (self.of_program(share), self.of_program(least), self.of_program(most));
        let ends = Ends(one.low.min(other.low).min(known.low), one.high.max(other.high).max(known.high));
        Self { likely: Some(known.likely()), ..Self::from(ends) }
    }

    /// The loop's gain when this applies to `part` of its time.
    #[must_use]
    pub fn on_part(self, part: f64) -> Self {
        self.of_program(part)
    }

    /// The better of two gains at either end: of changes to one loop the best one counts.
    #[must_use]
    pub fn best(self, other: Self) -> Self {
        let ends = Self::from(Ends(self.low.max(other.low), self.high.max(other.high)));
        let known = self.likely.is_some() || other.likely.is_some();
        let likely = self.likely().max(other.likely()).clamp(ends.low, ends.high);
        Self { likely: known.then_some(likely), ..ends }
    }

    /// No more than `most` at either end; no gain where that is less than 1.
    #[must_use]
    pub fn capped(self, most: f64) -> Self {
        let most = most.max(1.0);
        Self::from(Ends(self.low.min(most), self.high.min(most))).likely_as(self)
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
    let all = Gain::from(Ends(end(Gain::low), end(Gain::high)));
    let known = parts.iter().any(|(_, gain)| gain.likely.is_some());
    Gain { likely: known.then(|| end(Gain::likely).clamp(all.low, all.high)), ..all }
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
    fn a_models_value_is_likely_whatever_its_range() {
        let gain = Gain::around(0.5, 1.5, 4.0);
        assert_eq!((gain.low(), gain.likely(), gain.high()), (0.5, 1.5, 4.0));
        assert_eq!(gain.hedged(0.5), gain, "a range that begins below 1 is careful already");
        assert_eq!(gain.at_most(), gain);
        assert_eq!(Gain::around(2.0, 2.5, 4.0).hedged(0.5), Gain::around(1.5, 2.5, 4.0));
        assert_eq!(gain.capped(1.2), Gain::around(0.5, 1.2, 1.2));
        assert_eq!(gain.capped(0.1), Gain::around(0.5, 1.0, 1.0));
        assert_eq!(gain.reaching(8.0), Gain::around(0.5, 1.5, 8.0));
        assert_eq!(Gain::between(2.0, 4.0).down_to(0.9).low(), 0.9);
        let half = gain.of_program(0.5);
        let times = |gain: f64| amdahl(0.5, gain);
        assert_eq!((half.low(), half.likely(), half.high()), (times(0.5), times(1.5), times(4.0)));
        assert_eq!(gain.on_part(1.0), gain);
        let all = together(&[(0.5, gain), (0.5, Gain::of(2.0))]);
        assert!((all.likely() - 1.0 / (0.5 / 1.5 + 0.25)).abs() < 1e-12, "{all:?}");
        assert!(together(&[(1.0, Gain::around(0.5, 0.75, 0.9))]).high() < 1.0, "a loss stays one");
        assert_eq!(serde_json::to_string(&gain).unwrap(), "[0.5,4.0]");
        assert_eq!(serde_json::from_str::<Gain>("[0.5,4.0]").unwrap().low(), 0.5);
        assert_eq!(Gain::around(f64::NAN, f64::INFINITY, 0.0), Gain::around(SMALLEST_GAIN, 1.0, 1.0));
    }

    #[test]
    fn an_uncertain_share_widens_the_range_and_keeps_what_is_likely() {
        let gain = Gain::of(10.0).of_program_between(0.9, (0.8, 1.0));
        assert!((gain.low() - 1.0 / 0.28).abs() < 1e-9 && (gain.high() - 10.0).abs() < 1e-9, "{gain:?}");
        assert!((gain.likely() - 1.0 / 0.19).abs() < 1e-9);
        let loss = Gain::around(0.5, 0.8, 1.0).of_program_between(0.5, (0.4, 0.6));
        assert!((loss.low() - amdahl(0.6, 0.5)).abs() < 1e-12, "more of the time loses more");
        assert_eq!(loss.high(), 1.0);
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
        fn losses_keep_the_order_too(a in any::<f64>(), b in any::<f64>(), c in any::<f64>(), by in any::<f64>()) {
            let gain = Gain::around(a, b, c);
            let both = together(&[(by, gain), (0.3, gain)]);
            let other = gain.best(Gain::around(by, a, b));
            for g in [gain, gain.hedged(by), gain.capped(by), gain.of_program(by), gain.reaching(by), gain.down_to(by), other, both] {
                prop_assert!(SMALLEST_GAIN <= g.low() && g.low() <= g.likely() && g.likely() <= g.high());
                prop_assert!(g.high() <= LARGEST_GAIN);
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
