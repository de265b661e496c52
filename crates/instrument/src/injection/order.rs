//! The order in which the versions of a loop take turns.
//!
//! With a prime number of versions `v`, round `r` runs version `i * s mod v` as its `i`-th, with the step
//! `s = 1 + r mod (v - 1)`. Each round is a permutation; over `v - 1` rounds every version follows each other one equally often,
//! so that what one version leaves behind (caches, predictors) affects all others alike. (Cyclic Latin squares balanced for
//! carry-over: E. J. Williams, Australian Journal of Scientific Research A 2, 1949.)

/// The version of the window at a position.
pub fn version_at(position: u64, versions: u64) -> u64 {
    let (round, index) = (position / versions, position % versions);
    let step = 1 + round % (versions - 1).max(1);
    index * step % versions
}

/// Rounds that follow each other at once: what one of them is compared with lies in them.
pub const GROUP: u64 = 4;
// Threads look at the lowest bits of the step.
const _: () = assert!(GROUP.is_power_of_two());

/// Whether threads rest between this round and the one before: by the step, which they keep.
pub fn rests_before(round: u64, versions: u64) -> bool {
    round > 0 && (1 + round % (versions - 1).max(1)).is_multiple_of(GROUP)
}

/// The smallest prime that is not below `n`.
pub fn prime_from(n: u64) -> u64 {
    let is_prime = |n: u64| n > 1 && (2..n).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
    (n.max(3)..).find(|n| is_prime(*n)).unwrap_or(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn every_round_runs_every_version_once() {
        for versions in [3, 5, 37] {
            for round in 0..100 {
                let seen: BTreeSet<u64> =
                    (0..versions).map(|i| version_at(round * versions + i, versions)).collect();
                assert_eq!(seen.len() as u64, versions);
            }
        }
    }

    #[test]
    fn versions_follow_each_other_equally_often() {
        let versions = 11;
        let mut pairs: BTreeMap<(u64, u64), u32> = BTreeMap::new();
        for at in 1..=versions * (versions - 1) {
            *pairs.entry((version_at(at - 1, versions), version_at(at, versions))).or_default() += 1;
        }
        assert_eq!(pairs.len() as u64, versions * (versions - 1));
        assert!(pairs.values().all(|n| *n == 1), "{pairs:?}");
    }

    #[test]
    fn groups_of_rounds() {
        let rests: Vec<u64> = (0..14).filter(|&round| rests_before(round, 11)).collect();
        assert_eq!(rests, [3, 7, 13], "the step begins anew after ten rounds");
        assert!((0..100).all(|round| !rests_before(round, 3)), "two steps only");
        assert!(
            (0..100).all(|round| version_at(round * 11, 11) == 0),
            "each round begins with the first version"
        );
    }

    #[test]
    fn primes() {
        assert_eq!([1, 3, 4, 12, 36, 37, 38].map(prime_from), [3, 3, 5, 13, 37, 37, 41]);
    }
}
