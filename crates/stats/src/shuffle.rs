//! The order of versions in a round: random, so that no version comes first each time, and the same whenever it is asked for.

/// Orders versions, by their numbers, for a round.
pub fn shuffle(versions: &mut [usize], round: u64) {
    versions.sort_by_key(|one| hash((*one as u64).wrapping_add(round << 32)));
}

/// SplitMix64 (Steele, Lea, Flood: *Fast Splittable Pseudorandom Number Generators*, 2014).
fn hash(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_comes_first_about_equally_often() {
        let mut first = [0_u32; 4];
        for round in 0..4000 {
            let mut versions = [0, 1, 2, 3];
            shuffle(&mut versions, round);
            first[versions[0]] += 1;
        }
        assert!(first.iter().all(|times| (850..1150).contains(times)), "{first:?}");
    }
}
