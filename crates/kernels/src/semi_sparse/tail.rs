//! The end of `x`, copied where tiles may read past it.

use super::element::Number;
use super::tiles::WIDEST;

/// The last columns of `x`, followed by zeros.
pub struct Tail<T> {
    columns: [T; 2 * WIDEST],
    base: usize,
    len: usize,
}

impl<T: Number> Tail<T> {
    #[inline(always)]
    pub fn of(x: &[T]) -> Self {
        let base = x.len().saturating_sub(WIDEST);
        let mut columns = [T::default(); 2 * WIDEST];
        columns[..x.len() - base].copy_from_slice(&x[base..]);
        Tail { columns, base, len: x.len() }
    }

    /// Where `width` elements from `column` on can be read; `width` is at most [`WIDEST`], `column` within `x`.
    #[inline(always)]
    pub fn window(&self, x: &[T], column: usize, width: usize) -> *const T {
        debug_assert!(width <= WIDEST && column < self.len);
        if column + width <= self.len {
            // In bounds: `column` is within `x`.
            x.as_ptr().wrapping_add(column)
        } else {
            // `column > len - width >= base`, or `base` is 0; `column + width` is at most `base + 2 WIDEST`.
            self.columns.as_ptr().wrapping_add(column - self.base)
        }
    }
}
