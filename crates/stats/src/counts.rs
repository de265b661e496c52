//! Sums of counts.

/// The sum of counts, which may be those of a damaged or foreign recording: the largest number where they do not fit.
pub fn saturating_sum(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_stays_at_the_largest_number() {
        assert_eq!(saturating_sum([]), 0);
        assert_eq!(saturating_sum([1, 2, 3]), 6);
        assert_eq!(saturating_sum([u64::MAX, u64::MAX, 7]), u64::MAX);
    }
}
