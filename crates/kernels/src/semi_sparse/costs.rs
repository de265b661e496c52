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

/// The part of SELL-C-sigma's lines that is no padding, of left-over elements.
pub(super) const FILLED: f64 = 0.75;

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
        self.sell_line / (FILLED * rows as f64)
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

/// The costs of a level and a type that differ; beginnings and ends cost about the same everywhere.
const fn costs(slot: [f64; 4], line: f64, sell_line: f64, csr_element: f64) -> TypeCosts {
    TypeCosts { slot, line, tile: 1.6, switch: 4.0, sell_line, sell_chunk: 10.0, csr_element, csr_row: 4.0 }
}

impl Default for Costs {
    /// Measured on a server processor of 2023 with AVX-512 at 2.6 to 3 GHz, whose second thread was busy.
    fn default() -> Self {
        let f64_portable = costs([8.3, 8.3, NEVER, NEVER], 3.0, 3.7, 0.28);
        let i16_portable = costs([21.5, NEVER, NEVER, NEVER], 24.0, 10.8, 0.3);
        Costs {
            types: [
                [costs([11.0, NEVER, NEVER, NEVER], 4.5, 8.0, 0.25), f64_portable, i16_portable],
                [costs([4.4, 7.6, NEVER, NEVER], 0.82, 3.2, 0.26), f64_portable, i16_portable],
                [
                    costs([0.55, 1.45, 3.4, 3.3], 0.35, 2.5, 0.14),
                    costs([2.1, 1.65, 1.65, NEVER], 0.38, 1.7, 0.28),
                    costs([1.5, 2.2, 4.0, NEVER], 0.43, 2.8, 0.3),
                ],
                [
                    costs([NEVER, 0.4, 0.42, 0.75], 0.25, 2.7, 0.145),
                    costs([NEVER, 0.42, 0.75, NEVER], 0.26, 1.5, 0.23),
                    costs([NEVER, 0.48, 0.55, 0.7], 0.34, 3.0, 0.25),
                ],
            ],
            // Three quarters of a second cache of 2 MiB: vectors and others' data are there, too.
            cache_bytes: [32 << 10, 3 << 19, 32 << 20],
            byte: [0.004, 0.009, 0.025, 0.04],
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
