//! Copies of an operand that are missing in an unrolled loop.
//!
//! `x[i + 3] = f(x[i])`, unrolled by eight, loads three elements: the others are what it has just stored, and still in
//! registers. Which source iterations the three loads belong to follows from where the five missing ones would be: at
//! places that another operand touches in the same machine iteration, else there would be nothing to take the value from
//! (redundant load elimination; Muchnick, *Advanced Compiler Design and Implementation*, 13.3). Only where that explains
//! nothing, registers carry values to the next machine iteration, and what the one before touched will do, too.

/// First and last byte (exclusive) of an operand, relative to the first operand of its family.
type Extent = (i64, i64);

/// Largest number of copies that is looked at.
const MOST: i64 = 4096;

/// Where the bytes that the copies of one operand would touch in a machine iteration begin, were none missing, and how
/// many source strides earlier that may be. `machine` is the stride of the machine's loop, `others` are operands that
/// move with the copies.
pub(super) fn window(copies: &[Extent], others: &[Extent], machine: i64, factor: i64) -> Option<(i64, i64)> {
    if !(2..=MOST).contains(&factor) || machine == 0 || machine % factor != 0 {
        return None;
    }
    let (period, stride) = (machine.checked_abs()?, (machine / factor).checked_abs()?);
    let low = copies.iter().map(|copy| copy.0).min()?;
    let high = copies.iter().map(|copy| copy.1).max()?;
    // One element of each copy shows its place: they are whole strides apart.
    let smallest = copies.iter().map(|copy| copy.1.saturating_sub(copy.0)).min()?.min(stride);
    let aligned = copies.iter().all(|copy| copy.0.checked_sub(low).is_some_and(|bytes| bytes % stride == 0));
    let span = high.checked_sub(low)?;
    let mut order = copies.to_vec();
    order.sort_unstable();
    let apart = order.windows(2).all(|pair| pair[0].1 <= pair[1].0);
    if !aligned || !apart || smallest <= 0 || span > period {
        return None;
    }
    let within = |extents: &[Extent], from: i64| {
        let end = from.saturating_add(smallest);
        extents.iter().any(|extent| extent.0 <= from && end <= extent.1)
    };
    // How many strides before the first copy the window begins.
    let most = ((period - span + stride - smallest) / stride).min(factor - 1);
    let possible = |shift: i64, carried: bool| {
        let base = low.saturating_sub(shift.saturating_mul(stride));
        (0..factor).all(|position| {
            let from = base.saturating_add(position.saturating_mul(stride));
            let before = from.saturating_add(machine);
            within(copies, from)
                || within(others, from)
                || carried && (within(others, before) || within(copies, before))
        })
    };
    [false, true].into_iter().find_map(|carried| {
        let mut shifts = (0..=most).filter(|&shift| possible(shift, carried));
        let first = shifts.next()?;
        let last = shifts.next_back().unwrap_or(first);
        Some((low.saturating_sub(first.saturating_mul(stride)), last - first))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(from: i64, size: i64, n: i64) -> Vec<Extent> {
        (0..n).map(|k| (from + k * size, from + (k + 1) * size)).collect()
    }

    #[test]
    fn what_was_just_stored_is_not_loaded() {
        // x[i + 4] = f(x[i]): two loads and four stores of two doubles, eight iterations.
        assert_eq!(window(&vectors(0, 16, 2), &vectors(32, 16, 4), 64, 8), Some((0, 0)));
        // x[i + 3] = f(x[i]): three loads of one double.
        assert_eq!(window(&vectors(0, 8, 3), &vectors(24, 8, 8), 64, 8), Some((0, 0)));
        // Downwards: x[i] = f(x[i + 3]); the loads are the highest.
        assert_eq!(window(&vectors(64, 8, 3), &vectors(0, 8, 8), -64, 8), Some((24, 0)));
    }

    #[test]
    fn values_from_the_iteration_before_leave_a_choice() {
        // The same iteration explains it.
        assert_eq!(window(&vectors(0, 8, 2), &vectors(16, 8, 4), 32, 4), Some((0, 0)));
        // Only the one before does.
        assert_eq!(window(&[(24, 32)], &vectors(64, 8, 3), 32, 4), Some((24, 0)));
        assert_eq!(window(&[(24, 32)], &vectors(40, 8, 4), 32, 4), Some((24, 2)));
    }

    #[test]
    fn copies_from_nowhere_are_not_placed() {
        assert_eq!(window(&vectors(0, 8, 1), &[], 32, 4), None);
        assert_eq!(window(&vectors(0, 8, 1), &vectors(96, 8, 4), 32, 4), None);
        // Two operands, not copies of one.
        assert_eq!(window(&[(0, 8), (0, 8)], &vectors(8, 8, 8), 64, 8), None);
        // Not at whole strides; longer than the machine's stride; stored numbers may be anything.
        assert_eq!(window(&[(0, 8), (12, 20)], &vectors(0, 8, 8), 64, 4), None);
        assert_eq!(window(&vectors(0, 8, 9), &[], 64, 8), None);
        assert_eq!(window(&[(i64::MIN, i64::MAX)], &[], i64::MIN, 2), None);
        assert_eq!(window(&[], &[], 64, 8), None);
        assert_eq!(window(&vectors(0, 8, 8), &[], 64, 8), Some((0, 0)));
    }
}
