//! The sliding form: strips of rows, in each windows of columns that begin wherever the next elements are.
//!
//! A tile's columns are the same for all strips, and its slots are as many as its fullest rows need. A *window* begins
//! at the first column of which some row still has an element, and has the same number of slots everywhere: each row
//! fills its slots with its next elements, as far as they are within the window, so that a row that is ahead of others
//! waits and one that is behind catches up. Windows overlap; what is left of the padding is what the rows' lags
//! force. All blocks are alike, so that the loop has no other jump than its end.
//!
//! ```text
//! block = hints, values x (slots of a window x windows of a block);  windows of a block = G / slots
//! ```
//!
//! G, strips, lines and hints are those of [`tiles`](super::tiles).

use super::element::Number;
use super::strip::{self, Level};
use super::tiles::{FIRST_BITS, Line, WIDEST, group};
use std::marker::PhantomData;

/// What all windows of a matrix have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Bits of a hint: a window has `1 << bits` columns.
    pub bits: u8,
    /// Slots of a window.
    pub slots: u16,
}

impl Shape {
    /// A shape from numbers.
    pub const fn new(bits: u8, slots: u16) -> Shape {
        Shape { bits, slots }
    }

    /// Columns of a window.
    pub const fn width(self) -> usize {
        1 << self.bits
    }

    /// Windows that share a line of hints.
    pub const fn windows<T: Number>(self) -> usize {
        group::<T>(self.bits) / self.slots as usize
    }

    /// Lines of a block.
    pub const fn lines<T: Number>(self) -> usize {
        1 + self.slots as usize * self.windows::<T>()
    }

    /// Whether there can be such windows.
    fn is_known<T: Number>(self) -> bool {
        let bits = FIRST_BITS..FIRST_BITS + 4;
        bits.contains(&self.bits) && self.slots > 0 && usize::from(self.slots) <= group::<T>(self.bits)
    }
}

/// A matrix in windows.
#[derive(Clone, Debug, PartialEq)]
pub struct Windows<T> {
    pub rows: usize,
    pub cols: usize,
    pub shape: Shape,
    /// For each strip the number of its first block; one more for the end.
    pub strips: Vec<u32>,
    /// The first column of each window, block after block.
    pub columns: Vec<u32>,
    pub lines: Vec<Line>,
    kind: PhantomData<T>,
}

impl<T: Number> Windows<T> {
    /// Windows from their parts; says what is wrong with them. Kernels rely on what is checked here.
    pub fn from_parts(
        rows: usize,
        cols: usize,
        shape: Shape,
        strips: Vec<u32>,
        columns: Vec<u32>,
        lines: Vec<Line>,
    ) -> Result<Self, String> {
        if !shape.is_known::<T>() {
            return Err(format!("windows of unknown kind: {shape:?}"));
        }
        if strips.len() != rows.div_ceil(T::ROWS) + 1 {
            return Err(format!("{} bounds of strips for {rows} rows", strips.len()));
        }
        let blocks = strips[strips.len() - 1] as usize;
        if strips[0] != 0 || strips.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err("the strips overlap".to_owned());
        }
        let of_blocks = |each: usize| blocks.checked_mul(each);
        if of_blocks(shape.windows::<T>()) != Some(columns.len())
            || of_blocks(shape.lines::<T>()) != Some(lines.len())
        {
            let (columns, lines) = (columns.len(), lines.len());
            return Err(format!("{columns} windows of {lines} lines in {blocks} blocks"));
        }
        let end = cols.max(shape.width());
        if columns.iter().any(|&column| column as usize + shape.width() > end) {
            return Err("a window ends beyond the matrix".to_owned());
        }
        Ok(Windows { rows, cols, shape, strips, columns, lines, kind: PhantomData })
    }

    /// Bytes that a product reads of it.
    pub fn bytes(&self) -> usize {
        64 * self.lines.len() + 4 * (self.columns.len() + self.strips.len())
    }

    /// Lines of values.
    pub fn slots(&self) -> usize {
        self.columns.len() * usize::from(self.shape.slots)
    }
}

/// `x` of a matrix that is narrower than a window, with zeros behind it.
pub type Padded<T> = [T; WIDEST];

/// `x`, or a padded copy in `room` where it is shorter than `width`.
#[inline(always)]
pub fn padded<'a, T: Number>(x: &'a [T], width: usize, room: &'a mut Padded<T>) -> &'a [T] {
    if x.len() >= width {
        return x;
    }
    room[..x.len()].copy_from_slice(x);
    room
}

/// `y = A x`, or `y += A x` when `add`, for `V` vectors at once and windows of `K` slots and `W` columns.
///
/// # Safety
/// The processor must have the instructions of `S`'s level. Each `x` has the columns, each `y` the rows of the matrix,
/// whose shape is `W` and `K` and which [`Windows::from_parts`] checked.
#[inline(always)]
pub unsafe fn multiply<S: Level, const W: usize, const K: usize, const A: usize, const V: usize>(
    matrix: &Windows<S::Element>,
    x: [&[S::Element]; V],
    y: &mut [&mut [<S::Element as Number>::Sum]; V],
    add: bool,
) {
    let shape = const { Shape::new(W.trailing_zeros() as u8, K as u16) };
    debug_assert_eq!(matrix.shape, shape);
    let windows = shape.windows::<S::Element>();
    let mut room = [[<S::Element>::default(); WIDEST]; V];
    let mut begins = [std::ptr::null(); V];
    for ((begin, x), room) in begins.iter_mut().zip(x).zip(&mut room) {
        *begin = padded(x, W, room).as_ptr();
    }
    let mut lines = matrix.lines.as_ptr();
    for (number, bounds) in matrix.strips.windows(2).enumerate() {
        let columns = &matrix.columns[bounds[0] as usize * windows..bounds[1] as usize * windows];
        // SAFETY: the caller has the level; `from_parts` made sure that every block has its lines and that every
        // window ends within `x`, or within its padded copy.
        let sums = unsafe {
            let mut sums = [[S::zero(); A]; V];
            for columns in columns.chunks_exact(windows) {
                strip::prefetch(lines);
                let mut hints = S::hints(lines);
                #[expect(clippy::needless_range_loop, reason = "a loop of known length is unrolled")]
                for window in 0..windows {
                    let column = columns[window] as usize;
                    for slot in window * K..(window + 1) * K {
                        let line = lines.add(1 + slot);
                        strip::prefetch(line);
                        for (sums, begin) in sums.iter_mut().zip(begins) {
                            let x = S::lookup::<W>(begin.add(column), hints);
                            sums[slot % A] = S::mul_add(sums[slot % A], line, x);
                        }
                        hints = S::next::<W>(hints);
                    }
                }
                lines =
                    lines.add(const { Shape::new(W.trailing_zeros() as u8, K as u16).lines::<S::Element>() });
            }
            sums
        };
        // SAFETY: the caller has the level.
        unsafe { strip::finish::<S, A, V>(&sums, number, y, add) };
    }
}
