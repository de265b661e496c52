//! The packed form: strips of rows, in each a row of tiles, in each lines of values and of relocation hints.
//!
//! A *strip* is as many rows as a line of 64 bytes has sums: lane `r` of every line belongs to row `r` of the strip, so
//! that sums stay in registers along the whole strip and nothing is added across lanes. A *tile* is a strip's share
//! of a piece: `width` columns, 8 to 64. It has `slots` lines of values; slot `s` holds the `s`-th non-zero element
//! of each row (pairs of them for i16), zero where a row has fewer. The *relocation hint* of a value is its column
//! within the tile, log2(width) bits; the hints of one lane's successive slots share the lane's hint word, lowest
//! first, so that a line of hints serves 64 / 12 slots of f32 where unpacked hints would take a line each.
//! A dense tile has a line per column (or pair of columns) instead, and no hints.
//!
//! ```text
//! tile = ( hints, values x G ) repeated, the last group shorter;  G = bits of a hint word / log2(width)
//! ```

use super::element::Number;
use std::marker::PhantomData;

/// Widths of tiles by log2: 8, 16, 32 and 64 columns.
pub const WIDTHS: [usize; 4] = [8, 16, 32, 64];
/// Bits of the narrowest width's hints.
pub const FIRST_BITS: u8 = 3;
/// The code of a dense tile, where others have the bits of a hint.
pub const DENSE: u8 = 0;
/// Columns of the widest tile: `x` is copied to a buffer of its own where a tile would read past its end.
pub const WIDEST: usize = 64;

/// 64 bytes as vectors take them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line(pub [u8; 64]);

impl Line {
    pub const ZERO: Line = Line([0; 64]);
}

/// A tile's place and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// First column.
    pub column: u32,
    /// Lines of values.
    pub slots: u16,
    /// Bits of a hint, or [`DENSE`].
    pub bits: u8,
}

impl Head {
    /// Columns that the tile reads `x` at.
    pub fn width<T: Number>(self) -> usize {
        match self.bits {
            DENSE => usize::from(self.slots) * T::PER_ROW,
            bits => 1 << bits,
        }
    }

    /// Lines of the tile in all.
    pub fn lines<T: Number>(self) -> usize {
        let slots = usize::from(self.slots);
        match self.bits {
            DENSE => slots,
            bits => slots + slots.div_ceil(group::<T>(bits)),
        }
    }
}

/// Slots that share a line of hints.
pub const fn group<T: Number>(bits: u8) -> usize {
    T::HINT_BITS / bits as usize
}

/// A matrix of tiles.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiles<T> {
    pub rows: usize,
    pub cols: usize,
    /// For each strip the number of its first head; one more for the end.
    pub strips: Vec<u32>,
    pub heads: Vec<Head>,
    pub lines: Vec<Line>,
    kind: PhantomData<T>,
}

impl<T: Number> Tiles<T> {
    /// No tile yet.
    pub fn new(rows: usize, cols: usize) -> Self {
        Tiles { rows, cols, strips: vec![0], heads: Vec::new(), lines: Vec::new(), kind: PhantomData }
    }

    /// Tiles from their parts; says what is wrong with them. Kernels rely on what is checked here.
    pub fn from_parts(
        rows: usize,
        cols: usize,
        strips: Vec<u32>,
        heads: Vec<Head>,
        lines: Vec<Line>,
    ) -> Result<Self, String> {
        if strips.len() != rows.div_ceil(T::ROWS) + 1 {
            return Err(format!("{} bounds of strips for {rows} rows", strips.len()));
        }
        if strips[0] != 0 || strips[strips.len() - 1] as usize != heads.len() {
            return Err("the strips do not hold all tiles".to_owned());
        }
        if strips.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err("the strips overlap".to_owned());
        }
        let mut count = 0usize;
        for head in &heads {
            let known = head.bits == DENSE || (FIRST_BITS..FIRST_BITS + 4).contains(&head.bits);
            if !known || head.column as usize >= cols || head.width::<T>() > WIDEST {
                return Err(format!("a tile of unknown kind at column {}", head.column));
            }
            count += head.lines::<T>();
        }
        if count != lines.len() {
            return Err(format!("{} lines where the tiles have {count}", lines.len()));
        }
        Ok(Tiles { rows, cols, strips, heads, lines, kind: PhantomData })
    }

    /// Appends a tile to the strip that is being filled. `elements` has the columns, counted from the tile's first,
    /// and values of each row; what does not fit the slots is returned: row within the strip, column, value.
    pub fn push(&mut self, head: Head, elements: &[Vec<(u32, T)>]) -> Vec<(usize, u32, T)> {
        let begin = self.lines.len();
        self.lines.resize(begin + head.lines::<T>(), Line::ZERO);
        let lines = &mut self.lines[begin..];
        let mut left = Vec::new();
        for (row, elements) in elements.iter().enumerate() {
            if head.bits == DENSE {
                for &(column, value) in elements {
                    let (line, item) = (column as usize / T::PER_ROW, column as usize % T::PER_ROW);
                    set_value(&mut lines[line], row * T::PER_ROW + item, value);
                }
                continue;
            }
            let room = usize::from(head.slots) * T::PER_ROW;
            for place in 0..room {
                let (slot, item) = (place / T::PER_ROW, place % T::PER_ROW);
                let lane = row * T::PER_ROW + item;
                let (hints, values, shift) = lines_of::<T>(head.bits, slot);
                // Where a row has no further element, the hint repeats the last one's: what is read is in the cache.
                let hint = elements.get(place).or(elements.last()).map_or(0, |e| e.0);
                put_hint::<T>(&mut lines[hints], lane, shift, hint);
                if let Some((_, value)) = elements.get(place) {
                    set_value(&mut lines[values], lane, *value);
                }
            }
            left.extend(
                elements.iter().skip(room).map(|&(column, value)| (row, head.column + column, value)),
            );
        }
        self.heads.push(head);
        left
    }

    /// Ends the strip that is being filled.
    pub fn end_strip(&mut self) {
        self.strips.push(self.heads.len() as u32);
    }

    /// Bytes that a product reads of it.
    pub fn bytes(&self) -> usize {
        64 * self.lines.len() + size_of::<Head>() * self.heads.len() + 4 * self.strips.len()
    }

    /// Lines of values.
    pub fn slots(&self) -> usize {
        self.heads.iter().map(|head| usize::from(head.slots)).sum()
    }
}

/// Within a tile: the line with a slot's hints, the line with its values, and how far its hints are shifted.
pub fn lines_of<T: Number>(bits: u8, slot: usize) -> (usize, usize, usize) {
    let group = group::<T>(bits);
    let hints = slot / group * (group + 1);
    (hints, hints + 1 + slot % group, slot % group * usize::from(bits))
}

/// Sets a value of a line.
pub fn set_value<T: Number>(line: &mut Line, lane: usize, value: T) {
    value.put_le(&mut line.0[lane * T::BYTES..]);
}

/// Sets a hint of a line that has none there.
pub fn put_hint<T: Number>(line: &mut Line, lane: usize, shift: usize, hint: u32) {
    let bytes = &mut line.0[lane * T::BYTES..][..T::BYTES];
    let word = u64::from(hint) << shift;
    bytes.iter_mut().zip(word.to_le_bytes()).for_each(|(byte, more)| *byte |= more);
}

/// A value of a line.
pub fn value<T: Number>(line: &Line, lane: usize) -> T {
    T::from_le(&line.0[lane * T::BYTES..])
}

/// A lane's hint word.
pub fn hint_word<T: Number>(line: &Line, lane: usize) -> u64 {
    let mut word = [0; 8];
    word[..T::BYTES].copy_from_slice(&line.0[lane * T::BYTES..][..T::BYTES]);
    u64::from_le_bytes(word)
}
