//! How often each stride occurred.
//!
//! Regular operands have a handful of strides, indexed ones any number. Few values are found by searching a short list,
//! more in a table; when that is full, the rarer half is dropped and counted as others, so that counts of the kept
//! values are exact as long as there are at most [`MOST`] different values, and lower bounds beyond.

use crate::facts::MOST_STRIDES;
use rustc_hash::FxHashMap;

const FEW: usize = 8;

/// Most values that are distinguished.
pub const MOST: usize = 4096;

/// Counts by value.
#[derive(Clone, Debug, Default)]
pub struct Values {
    few: Vec<(i64, u64)>,
    many: FxHashMap<i64, u64>,
    others: u64,
}

impl Values {
    /// Counts a value.
    #[inline]
    pub fn add(&mut self, value: i64, times: u64) {
        match self.few.iter_mut().find(|known| known.0 == value) {
            Some(known) => known.1 += times,
            None => self.add_rare(value, times),
        }
    }

    fn add_rare(&mut self, value: i64, times: u64) {
        if self.few.len() < FEW {
            self.few.push((value, times));
            return;
        }
        *self.many.entry(value).or_default() += times;
        if self.many.len() > MOST - FEW {
            let mut counts: Vec<u64> = self.many.values().copied().collect();
            let middle = counts.len() / 2;
            let (_, &mut median, _) = counts.select_nth_unstable(middle);
            // Values of equal count are dropped together: most strides of random addresses occur once.
            let others = &mut self.others;
            self.many.retain(|_, count| {
                let keep = *count > median;
                *others += if keep { 0 } else { *count };
                keep
            });
        }
    }

    /// Adds all counts of `other`.
    pub fn absorb(&mut self, other: &Self) {
        self.others += other.others;
        let mut values: Vec<(i64, u64)> =
            other.few.iter().copied().chain(other.many.iter().map(|(&v, &n)| (v, n))).collect();
        values.sort_unstable();
        for (value, times) in values {
            self.add(value, times);
        }
    }

    /// The most frequent ones, at most [`MOST_STRIDES`], and how often others occurred.
    pub fn most_frequent(&self) -> (Vec<(i64, u64)>, u64) {
        let mut values: Vec<(i64, u64)> =
            self.few.iter().copied().chain(self.many.iter().map(|(&v, &n)| (v, n))).collect();
        values.sort_unstable_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
        let rest: u64 = values.drain(values.len().min(MOST_STRIDES)..).map(|(_, count)| count).sum();
        (values, rest + self.others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn counts_are_exact(values in prop::collection::vec(-40i64..40, 0..400), split in 0usize..400) {
            let mut all = Values::default();
            let mut second = Values::default();
            let mut plain: BTreeMap<i64, u64> = BTreeMap::new();
            for (at, &value) in values.iter().enumerate() {
                if at < split { all.add(value, 1) } else { second.add(value, 1) };
                *plain.entry(value).or_default() += 1;
            }
            all.absorb(&second);
            let mut sorted: Vec<(i64, u64)> = plain.into_iter().collect();
            sorted.sort_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
            let rest: u64 = sorted.iter().skip(MOST_STRIDES).map(|entry| entry.1).sum();
            sorted.truncate(MOST_STRIDES);
            prop_assert_eq!(all.most_frequent(), (sorted, rest));
        }
    }

    #[test]
    fn too_many_values_become_others_and_none_is_lost() {
        let mut values = Values::default();
        for n in 0..100_000 {
            values.add(n * 64, 1);
            values.add(-8, 2);
        }
        let (kept, others) = values.most_frequent();
        assert_eq!(kept[0], (-8, 200_000));
        assert_eq!(kept.iter().map(|v| v.1).sum::<u64>() + others, 300_000);
        assert!(values.many.len() <= MOST);
    }
}
