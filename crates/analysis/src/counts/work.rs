//! A [`Work`] as it is shown: sums, shares and arithmetic intensity.
//!
//! Intensity is FLOP per byte between the core and the first-level cache, as the cache-aware roofline defines it (A. Ilic,
//! F. Pratas, L. Sousa, "Cache-aware Roofline model: Upgrading the loft", IEEE Computer Architecture Letters 13(1), 2014):
//! what the instructions ask for, not what memory delivers.

use crate::model::WorkRow;
use loopwright_binary::facts::ElementType;
use loopwright_binary::work::Work;

/// Part of a whole; absent when there is no whole.
pub fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The row of a sum of work.
pub fn row(work: &Work) -> WorkRow {
    let of = |element: ElementType| work.flop.get(&element).copied().unwrap_or(0);
    let flop = work.total_flop();
    let bytes = work.bytes_loaded.saturating_add(work.bytes_stored);
    let per_byte = |operations: u64| (operations > 0).then(|| share(operations, bytes)).flatten();
    WorkRow {
        instructions: work.instructions,
        flop,
        flop_f16: of(ElementType::F16),
        flop_bf16: of(ElementType::Bf16),
        flop_f32: of(ElementType::F32),
        flop_f64: of(ElementType::F64),
        flop_f80: of(ElementType::F80),
        flop_is_bound: work.bound_flop > 0,
        bound_flop: work.bound_flop,
        fma_share: share(work.fma_flop, flop),
        packed_share: share(work.packed_flop, flop),
        int_ops: work.integer_operations,
        packed_int_share: share(work.packed_integer_operations, work.integer_operations),
        bytes_loaded: work.bytes_loaded,
        bytes_stored: work.bytes_stored,
        bytes_streamed: work.bytes_streamed,
        intensity: per_byte(flop),
        int_intensity: per_byte(work.integer_operations),
        mix: work.mix,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triad_of_doubles_has_an_intensity_of_one_twelfth() {
        // a[i] = b[i] + s * c[i] with FMA, 1000 elements, AVX2: 250 passes of 2 loads, 1 FMA, 1 store.
        let work = Work {
            instructions: 250 * 5,
            flop: [(ElementType::F64, 2000)].into(),
            fma_flop: 2000,
            packed_flop: 2000,
            bytes_loaded: 16_000,
            bytes_stored: 8_000,
            ..Work::default()
        };
        let row = row(&work);
        assert_eq!((row.flop, row.flop_f64, row.flop_f32, row.bytes()), (2000, 2000, 0, 24_000));
        assert_eq!((row.fma_share, row.packed_share, row.packed_int_share), (Some(1.0), Some(1.0), None));
        assert!((row.intensity.unwrap() - 1.0 / 12.0).abs() < 1e-15);
        assert_eq!(row.int_intensity, None);
        assert!(!row.flop_is_bound);
    }

    #[test]
    fn what_is_not_there_has_no_share() {
        let moves = row(&Work { instructions: 10, bytes_loaded: 80, ..Work::default() });
        assert_eq!((moves.intensity, moves.fma_share, moves.executed_packed_share()), (None, None, None));
        let registers = row(&Work {
            flop: [(ElementType::F32, 5), (ElementType::F64, 15)].into(),
            packed_flop: 5,
            bound_flop: 2,
            integer_operations: 8,
            packed_integer_operations: 2,
            ..Work::default()
        });
        assert_eq!((registers.flop, registers.intensity, registers.int_intensity), (20, None, None));
        assert_eq!(registers.executed_packed_share(), Some(0.25));
        assert_eq!(registers.packed_int_share, Some(0.25));
        assert!(registers.flop_is_bound);
        assert_eq!(
            row(&Work {
                flop: [(ElementType::F64, u64::MAX), (ElementType::F32, 9)].into(),
                ..Work::default()
            })
            .flop,
            u64::MAX
        );
    }
}
