//! What the formats cost on a machine: the figures that plans are made by.
//!
//! The method's model gives a piece of N + 1 SIMD blocks the cost `1 + N CostG + R (1 + CostL)`: one multiplication, N
//! gathers, R left-over multiplications, in multiples of a multiplication. Here the unit is the nanosecond, a piece has
//! as many multiplications as it has slots, and a gather takes what its width costs in all:
//!
//! ```text
//! CostG of a width = (slot - line) / line / blocks of x,   CostL = left_over / line
//! ```
//!
//! Both follow from what is measured ([`measure`](super::measure())). Beside them stands what the method leaves out and a
//! processor does not: bytes that come from afar, tiles that begin, and jumps that are not foreseen.

use super::element::{Element, Kind};
use super::error::SparseError;
use super::tiles::WIDTHS;
use crate::isa::Isa;

/// Costs of one type at one level, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TypeCosts {
    /// A slot (a line of values, its share of hints, a gather and a multiplication) by the tile's width: 8, 16, 32
    /// and 64 columns. Infinity: the width is not to be used.
    pub slot: [f64; 4],
    /// A line of a dense tile: a multiplication without a gather.
    pub line: f64,
    /// Beginning a tile.
    pub tile: f64,
    /// A tile that has another number of slots than its piece has in most strips: a jump that is not foreseen.
    pub switch: f64,
    /// A line of SELL-C-sigma (as many elements as a strip has rows).
    pub sell_line: f64,
    /// A chunk of SELL-C-sigma: storing its rows' sums.
    pub sell_chunk: f64,
    /// An element of compressed rows.
    pub csr_element: f64,
    /// A row of compressed rows.
    pub csr_row: f64,
}

impl TypeCosts {
    /// CostG of the width `8 << index`: gathering a SIMD block of `block_columns` columns, in multiplications.
    pub fn gather(&self, index: usize, block_columns: usize) -> f64 {
        let blocks = WIDTHS[index].div_ceil(block_columns.max(1)) as f64;
        (self.slot[index] - self.line) / self.line / blocks
    }

    /// CostL: an element that is left over, in multiplications.
    pub fn left_over(&self, rows: usize) -> f64 {
        self.left_over_nanoseconds(rows) / self.line
    }

    /// The same in nanoseconds: a share of a line of SELL-C-sigma that is filled to three quarters.
    pub(super) fn left_over_nanoseconds(&self, rows: usize) -> f64 {
        self.sell_line / (0.75 * rows as f64)
    }
}

/// Costs of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    /// By level ([`Isa::ALL`]), then by type ([`Kind::ALL`]).
    pub types: [[TypeCosts; 3]; 4],
    /// Sizes of the caches that data is read from: L1, L2, L3.
    pub cache_bytes: [u64; 3],
    /// Nanoseconds per byte that is read in order from L1, L2, L3 and memory.
    pub byte: [f64; 4],
}

const NEVER: f64 = f64::INFINITY;

/// Portable code, measured as below; no level makes tiles pay that are read lane by lane.
const fn scalar(element: f64) -> TypeCosts {
    TypeCosts {
        slot: [64.0 * element, NEVER, NEVER, NEVER],
        line: 16.0 * element,
        tile: 5.0,
        switch: 6.0,
        sell_line: 20.0 * element,
        sell_chunk: 10.0,
        csr_element: element,
        csr_row: 4.0,
    }
}

impl Default for Costs {
    /// Measured on a server processor of 2023 with AVX-512 at 2.6 to 3 GHz.
    fn default() -> Self {
        let avx2 = |slot, line, sell_line, csr_element| TypeCosts {
            slot,
            line,
            tile: 1.5,
            switch: 6.0,
            sell_line,
            sell_chunk: 6.0,
            csr_element,
            csr_row: 4.0,
        };
        let avx512 = avx2;
        Costs {
            types: [
                [scalar(0.5), scalar(0.5), scalar(0.5)],
                [
                    TypeCosts { slot: [3.5, 6.5, NEVER, NEVER], line: 1.5, ..scalar(0.5) },
                    scalar(0.5),
                    scalar(0.5),
                ],
                [
                    avx2([0.9, 2.0, 4.2, NEVER], 0.7, 5.0, 0.45),
                    avx2([NEVER, 2.6, 2.6, 2.6], 0.7, 3.0, 0.55),
                    avx2([NEVER, 2.5, 5.0, NEVER], 0.7, 6.5, 0.6),
                ],
                [
                    avx512([NEVER, 0.55, 0.55, 1.2], 0.4, 4.2, 0.4),
                    avx512([NEVER, 0.55, 1.2, NEVER], 0.4, 2.4, 0.5),
                    avx512([NEVER, 0.9, 0.9, 1.5], 0.4, 4.6, 0.5),
                ],
            ],
            cache_bytes: [32 << 10, 1 << 20, 32 << 20],
            byte: [0.006, 0.009, 0.03, 0.05],
        }
    }
}

impl Costs {
    /// The costs of a type at a level.
    pub fn of(&self, isa: Isa, kind: Kind) -> &TypeCosts {
        &self.types[isa as usize][kind as usize]
    }

    /// The same, to be set.
    pub fn of_mut(&mut self, isa: Isa, kind: Kind) -> &mut TypeCosts {
        &mut self.types[isa as usize][kind as usize]
    }

    /// Nanoseconds per byte of data of this size.
    pub(super) fn byte_of(&self, bytes: usize) -> f64 {
        let level = self.cache_bytes.iter().position(|&size| bytes as u64 <= size);
        self.byte[level.unwrap_or(3)]
    }

    /// Refuses costs that cannot be compared.
    pub(super) fn check<T: Element>(&self, isa: Isa) -> Result<(), SparseError> {
        let costs = self.of(isa, T::KIND);
        let named = [
            ("line", costs.line),
            ("tile", costs.tile),
            ("switch", costs.switch),
            ("sell_line", costs.sell_line),
            ("sell_chunk", costs.sell_chunk),
            ("csr_element", costs.csr_element),
            ("csr_row", costs.csr_row),
        ];
        let bytes = self.byte.map(|cost| ("byte", cost));
        for (which, cost) in named.into_iter().chain(bytes) {
            if !(cost.is_finite() && cost >= 0.0) {
                return Err(SparseError::Cost { which, value: cost.to_string() });
            }
        }
        if costs.slot.iter().any(|cost| cost.is_nan() || *cost < 0.0) {
            return Err(SparseError::Cost { which: "slot", value: format!("{:?}", costs.slot) });
        }
        if costs.slot.iter().all(|cost| cost.is_infinite()) {
            return Err(SparseError::Cost { which: "slot", value: "infinite at every width".to_owned() });
        }
        Ok(())
    }
}
