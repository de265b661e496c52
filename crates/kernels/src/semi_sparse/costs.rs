//! What the formats cost on a machine: the figures that plans are made by.
//!
//! The method's model gives a piece of N + 1 SIMD blocks the cost `1 + N CostG + R (1 + CostL)`: one multiplication, N
//! gathers, R remaining multiplications, in multiples of a multiplication. Here the unit is the nanosecond, a piece has
//! as many multiplications as it has slots, and a gather takes what its width costs in all:
//!
//! ```text
//! CostG of a width = (slot - line) / line / blocks of x,   CostL = left_over / line
//! ```
//!
//! Both follow from what is measured ([`measure`](super::measure())). Added are the costs that the method leaves out and a
//! processor has: bytes that come from afar, tiles that begin, and mispredicted jumps.

use super::element::{Kind, Number};
use super::error::SparseError;
use super::tiles::WIDTHS;
use crate::isa::{self, Isa};
use crate::processor::{Profile, WideVectors};
use crate::tuning::{Constant, Tuning};
use std::sync::OnceLock;

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
    /// Beginning a window, by width: a number to read, and the columns of `x` to load.
    pub window: [f64; 4],
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
    /// An element of compressed rows times as many interleaved vectors as a line has sums.
    pub block_element: f64,
    /// Turning an element of a vector for that, or a sum.
    pub block_turn: f64,
}

/// The part of SELL-C-sigma's lines that is no padding, of remaining elements.
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

    /// The same where a byte costs `byte` and an element has `bytes` of them: a value and its column, of which some
    /// are padding.
    pub(super) fn left_over_at(&self, rows: usize, bytes: usize, byte: f64) -> f64 {
        self.left_over_nanoseconds(rows).max((bytes + 2) as f64 * byte / FILLED)
    }
}

/// Nanoseconds; shorter times cannot be distinguished from zero.
pub(super) const LEAST: f64 = 0.001;

/// What is calibrated: the processor's best level, whatever level is asked for, and the place in [`WIDTHS`] of the width
/// that represents all: 16 columns, or 8 where 16 are not worth it.
fn calibrated() -> (Isa, usize) {
    let level = Isa::available().next_back().unwrap_or(Isa::Scalar);
    (level, usize::from(level >= Isa::Avx2))
}

/// Bytes from the second cache, the third, and memory.
const BYTES: [Constant; 3] = [Constant::SparseByteL2, Constant::SparseByteL3, Constant::SparseByteMemory];

/// A type's constants: a multiplication, a gather, a remaining element.
fn constants(kind: Kind) -> [Constant; 3] {
    match kind {
        Kind::F32 => [Constant::SparseF32Multiply, Constant::SparseF32Gather, Constant::SparseF32LeftOver],
        Kind::F64 => [Constant::SparseF64Multiply, Constant::SparseF64Gather, Constant::SparseF64LeftOver],
        Kind::I16 => [Constant::SparseI16Multiply, Constant::SparseI16Gather, Constant::SparseI16LeftOver],
    }
}

/// Rows of a type's strips.
const fn rows_of(kind: Kind) -> usize {
    match kind {
        Kind::F32 => f32::ROWS,
        Kind::F64 => f64::ROWS,
        Kind::I16 => i16::ROWS,
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

/// Levels at which the forms are multiplied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    /// Tiles, windows, and several vectors at once.
    pub tiles: Isa,
    /// SELL-C-sigma.
    pub sell: Isa,
    /// Compressed rows.
    pub csr: Isa,
}

impl Levels {
    /// Those where none is named: where gathers are slow, a level without them is faster for some forms.
    pub fn best(kind: Kind) -> Levels {
        static BEST: OnceLock<[Levels; 3]> = OnceLock::new();
        let of_kind = |kind| match isa::is_named() {
            true => Isa::best().into(),
            false => Levels::fastest(Costs::active(), Isa::best(), kind),
        };
        BEST.get_or_init(|| Kind::ALL.map(of_kind))[kind as usize]
    }

    /// The fastest ones of those up to `best`. A lower level wins only beyond what is disturbance.
    fn fastest(costs: &Costs, best: Isa, kind: Kind) -> Levels {
        let of = |cost: fn(&TypeCosts) -> f64| {
            let levels = Isa::available().filter(|&isa| isa <= best);
            isa::fastest(levels.map(|isa| (isa, cost(costs.of(isa, kind)))), MARGIN).unwrap_or(best)
        };
        Levels { tiles: best, sell: of(|costs| costs.sell_line), csr: of(|costs| costs.csr_element) }
    }
}

impl From<Isa> for Levels {
    /// Everything at one level.
    fn from(isa: Isa) -> Levels {
        Levels { tiles: isa, sell: isa, csr: isa }
    }
}

/// What a lower level must be faster by: more than rounded costs differ by.
const MARGIN: f64 = 1.1;

const NEVER: f64 = f64::INFINITY;

/// The costs of a level and a type that differ; beginnings and ends cost about the same everywhere.
const fn costs(
    slot: [f64; 4],
    window: [f64; 4],
    line: f64,
    sell_line: f64,
    csr_element: f64,
    block_element: f64,
) -> TypeCosts {
    TypeCosts {
        slot,
        line,
        tile: 1.4,
        window,
        switch: 4.0,
        sell_line,
        sell_chunk: 10.0,
        csr_element,
        csr_row: 4.0,
        block_element,
        block_turn: if line < 0.5 { 0.2 } else { 0.6 },
    }
}

impl Default for Costs {
    /// Those that were measured on a processor of the present kind.
    fn default() -> Self {
        Costs::of_kind(Profile::active().wide)
    }
}

impl Costs {
    /// The costs of a kind of processor. With vectors of 512 bits executed whole: measured on Sapphire Rapids at about 3 GHz, where
    /// a gather takes little more than its loads. In halves: measured on Zen 3 at about 3 GHz, where gathers are slower than
    /// single loads (the least of twelve measurements on a shared machine); its level avx512 is derived, twice the time of whole
    /// vectors and gathers as at avx2.
    pub fn of_kind(wide: WideVectors) -> Costs {
        match wide {
            WideVectors::Whole => Costs::whole(),
            WideVectors::Halves => Costs::halves(),
        }
    }

    fn whole() -> Costs {
        let f64_portable = costs([7.9, 7.9, NEVER, NEVER], [0.0; 4], 2.8, 3.7, 0.28, 1.3);
        let i16_portable = costs([26.0, NEVER, NEVER, NEVER], [0.0; 4], 18.0, 10.6, 0.36, 8.0);
        Costs {
            types: [
                [
                    costs([12.0, NEVER, NEVER, NEVER], [0.0; 4], 4.2, 8.2, 0.32, 1.8),
                    f64_portable,
                    i16_portable,
                ],
                [costs([4.3, 7.4, NEVER, NEVER], [0.0; 4], 0.92, 3.0, 0.2, 1.3), f64_portable, i16_portable],
                [
                    costs([0.65, 1.4, 3.3, 3.3], [0.03; 4], 0.34, 2.7, 0.15, 0.8),
                    costs([2.2, 1.7, 1.7, NEVER], [0.1, 0.4, 0.4, 0.4], 0.39, 1.7, 0.25, 0.8),
                    costs([1.5, 2.2, 4.0, NEVER], [0.02; 4], 0.4, 2.8, 0.18, 0.8),
                ],
                [
                    costs([NEVER, 0.48, 0.5, 0.83], [0.6, 0.6, 0.6, 1.0], 0.34, 2.6, 0.16, 0.45),
                    costs([NEVER, 0.5, 0.65, NEVER], [0.5, 0.55, 1.0, 1.0], 0.4, 1.4, 0.23, 0.45),
                    costs([NEVER, 0.5, 0.55, 1.0], [0.3, 0.4, 0.5, 0.8], 0.35, 2.6, 0.15, 0.5),
                ],
            ],
            // Seven eighths of a second cache of 2 MiB: vectors are there, too.
            cache_bytes: [32 << 10, 7 << 18, 32 << 20],
            byte: [0.006, 0.008, 0.034, 0.06],
        }
    }

    fn halves() -> Costs {
        let f64_portable = costs([8.4, 7.6, NEVER, NEVER], [0.0; 4], 4.1, 5.9, 0.38, 1.5);
        let i16_portable = costs([40.0, NEVER, NEVER, NEVER], [0.0; 4], 24.0, 17.0, 0.57, 8.0);
        Costs {
            types: [
                [
                    costs([14.0, NEVER, NEVER, NEVER], [0.0; 4], 8.5, 11.0, 0.36, 1.6),
                    f64_portable,
                    i16_portable,
                ],
                [costs([3.6, 9.5, NEVER, NEVER], [0.0; 4], 1.3, 5.2, 0.25, 1.35), f64_portable, i16_portable],
                [
                    costs([0.94, 2.3, 4.5, 6.9], [0.02; 4], 0.53, 6.9, 0.52, 0.54),
                    costs([2.8, 3.5, 4.1, NEVER], [0.1, 0.74, 0.74, 0.74], 0.62, 4.1, 0.63, 0.71),
                    costs([0.71, 2.0, 4.4, NEVER], [0.02, 0.2, 0.2, 0.2], 0.52, 7.5, 0.52, 0.69),
                ],
                [
                    costs([NEVER, 0.96, 1.0, 1.7], [1.2, 1.2, 1.2, 2.0], 0.53, 6.9, 0.52, 0.54),
                    costs([NEVER, 1.0, 1.3, NEVER], [1.0, 1.1, 2.0, 2.0], 0.62, 4.1, 0.63, 0.71),
                    costs([NEVER, 1.0, 1.1, 2.0], [0.6, 0.8, 1.0, 1.6], 0.52, 7.5, 0.52, 0.69),
                ],
            ],
            // Seven eighths of a second cache of 512 KiB.
            cache_bytes: [32 << 10, 7 << 16, 32 << 20],
            // Of the third cache as far as it is not shared: a matrix of 8 MiB is read at 47 GB/s.
            byte: [0.011, 0.016, 0.022, 0.11],
        }
    }

    /// The costs in force: those of this kind of processor, with what `loopwright-kernels calibrate semi_sparse` measured for
    /// its best level ([`crate::tuning`]) in place of theirs. Nothing is measured at first use: forms sum in different orders, and
    /// the same program has to give the same sums on processors of one kind.
    pub fn active() -> &'static Costs {
        static ACTIVE: OnceLock<Costs> = OnceLock::new();
        ACTIVE.get_or_init(|| Costs::tuned(Tuning::active()))
    }

    /// The costs of a type where each form runs at its level.
    pub(super) fn at(&self, levels: Levels, kind: Kind) -> TypeCosts {
        let (sell, csr) = (self.of(levels.sell, kind), self.of(levels.csr, kind));
        TypeCosts {
            sell_line: sell.sell_line,
            sell_chunk: sell.sell_chunk,
            csr_element: csr.csr_element,
            csr_row: csr.csr_row,
            ..*self.of(levels.tiles, kind)
        }
    }

    /// The defaults with what a calibration has; what no cost can be is passed over.
    pub(super) fn tuned(tuning: &Tuning) -> Costs {
        let mut costs = Costs::default();
        let value = |constant: Constant| {
            let value = tuning.value(constant);
            if value.is_finite() { value.max(LEAST) } else { constant.default_value() }
        };
        let (level, width) = calibrated();
        for kind in Kind::ALL {
            let [line, gather, left_over] = constants(kind).map(value);
            let of_type = costs.of_mut(level, kind);
            // What is no constant of its own moves with what it resembles.
            let slots = (line + gather) / of_type.slot[width];
            let sparse = left_over / of_type.left_over_nanoseconds(rows_of(kind));
            of_type.block_element *= line / of_type.line;
            of_type.slot.iter_mut().chain(&mut of_type.window).for_each(|cost| *cost *= slots);
            of_type.line = line;
            of_type.sell_line *= sparse;
            of_type.csr_element *= sparse;
        }
        for (cost, constant) in costs.byte[1..].iter_mut().zip(BYTES) {
            *cost = value(constant);
        }
        costs
    }

    /// The constants of [`crate::tuning`] as these costs have them, for a calibration to write.
    pub fn constants(&self) -> Vec<(Constant, f64)> {
        let (level, width) = calibrated();
        let types = Kind::ALL.into_iter().flat_map(|kind| {
            let of_type = self.of(level, kind);
            let gather = (of_type.slot[width] - of_type.line).max(LEAST);
            let values = [of_type.line, gather, of_type.left_over_nanoseconds(rows_of(kind))];
            constants(kind).into_iter().zip(values)
        });
        types.chain(BYTES.into_iter().zip(self.byte[1..].iter().copied())).collect()
    }

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
    pub(super) fn check<T: Number>(&self, isa: Isa) -> Result<(), SparseError> {
        let costs = self.of(isa, T::KIND);
        let named = [
            ("line", costs.line),
            ("tile", costs.tile),
            ("switch", costs.switch),
            ("sell_line", costs.sell_line),
            ("sell_chunk", costs.sell_chunk),
            ("csr_element", costs.csr_element),
            ("csr_row", costs.csr_row),
            ("block_element", costs.block_element),
            ("block_turn", costs.block_turn),
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
        if costs.window.iter().any(|cost| cost.is_nan() || *cost < 0.0) {
            return Err(SparseError::Cost { which: "window", value: format!("{:?}", costs.window) });
        }
        if costs.slot.iter().all(|cost| cost.is_infinite()) {
            return Err(SparseError::Cost { which: "slot", value: "infinite at every width".to_owned() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calibration_replaces_the_defaults_of_the_best_level() {
        let [found, expected] = [Costs::tuned(&Tuning::default()), Costs::default()].map(|c| c.constants());
        for (found, expected) in found.into_iter().zip(expected) {
            assert!(found.0 == expected.0 && (found.1 - expected.1).abs() < 1e-9, "{found:?}");
        }
        let (level, width) = calibrated();
        let mut tuning = Tuning::default();
        tuning.set(Constant::SparseF32Multiply, 3.0).unwrap();
        tuning.set(Constant::SparseF32Gather, 4.0).unwrap();
        tuning.set(Constant::SparseByteL3, 0.5).unwrap();
        tuning.set(Constant::SparseF64LeftOver, f64::INFINITY).unwrap();
        let costs = Costs::tuned(&tuning);
        let of_type = costs.of(level, Kind::F32);
        assert_eq!(of_type.line, 3.0);
        assert!((of_type.slot[width] - 7.0).abs() < 1e-9);
        assert_eq!(costs.byte[2], 0.5);
        // Infinity is no cost.
        assert_eq!(costs.of(level, Kind::F64).sell_line, Costs::default().of(level, Kind::F64).sell_line);
        for kind in Isa::available().filter(|isa| *isa != level) {
            assert_eq!(costs.of(kind, Kind::F32), Costs::default().of(kind, Kind::F32));
        }
        costs.check::<f32>(level).unwrap();
    }
}
