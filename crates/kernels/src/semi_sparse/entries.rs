//! The functions of a level, instantiated from the loops that are written once for every vector width.

/// The functions that a level exports for a type: one vector and four at once. `windows` has the bits and slots of the shapes
/// that the level is fast at.
macro_rules! entries {
    ($feature:literal, $module:ident, $level:ty, $element:ty, sums: $sums:literal, batch: $batch:literal,
        windows: [$(($bits:literal, $slots:literal)),*]) => {
        pub mod $module {
            use super::*;
            use crate::semi_sparse::csr;
            use crate::semi_sparse::element::Number;
            use crate::semi_sparse::interleaved;
            use crate::semi_sparse::matrix::SparseMatrix;
            use crate::semi_sparse::sell::{self, Sell};
            use crate::semi_sparse::strip;
            use crate::semi_sparse::tiles::Tiles;
            use crate::semi_sparse::windows::{self, Shape, Windows};
            use crate::semi_sparse::scalar;

            type Sum = <$element as Number>::Sum;

            #[target_feature(enable = $feature)]
            pub fn tiles(tiles: &Tiles<$element>, x: &[$element], y: &mut [Sum], add: bool) {
                // SAFETY: the function has the features; lengths are asserted by the only caller, `dispatch`.
                unsafe { strip::multiply::<$level, $sums, 1>(tiles, [x], &mut [y], add) }
            }

            #[target_feature(enable = $feature)]
            pub fn tiles4(tiles: &Tiles<$element>, x: [&[$element]; 4], y: &mut [&mut [Sum]; 4], add: bool) {
                // SAFETY: as above.
                unsafe { strip::multiply::<$level, $batch, 4>(tiles, x, y, add) }
            }

            /// The shapes of windows that the level has code for.
            pub const SHAPES: &[Shape] = &[$(Shape::new($bits, $slots)),*];

            #[target_feature(enable = $feature)]
            pub fn windows(matrix: &Windows<$element>, x: &[$element], y: &mut [Sum], add: bool) {
                match (matrix.shape.bits, matrix.shape.slots) {
                    // SAFETY: as above.
                    $(($bits, $slots) => unsafe {
                        windows::multiply::<$level, { 1 << $bits }, $slots, $sums, 1>(matrix, [x], &mut [y], add)
                    })*
                    _ => scalar::windows(matrix, x, y, add),
                }
            }

            #[target_feature(enable = $feature)]
            pub fn windows4(matrix: &Windows<$element>, x: [&[$element]; 4], y: &mut [&mut [Sum]; 4], add: bool) {
                match (matrix.shape.bits, matrix.shape.slots) {
                    // SAFETY: as above.
                    $(($bits, $slots) => unsafe {
                        windows::multiply::<$level, { 1 << $bits }, $slots, $batch, 4>(matrix, x, y, add)
                    })*
                    _ => x.iter().zip(y).for_each(|(x, y)| scalar::windows(matrix, x, y, add)),
                }
            }

            #[target_feature(enable = $feature)]
            pub fn sell(matrix: &Sell<$element>, x: &[$element], y: &mut [Sum], add: bool) {
                // SAFETY: as above.
                unsafe { sell::multiply::<$level>(matrix, x, y, add) }
            }

            #[target_feature(enable = $feature)]
            pub fn csr(matrix: &SparseMatrix<$element>, x: &[$element], y: &mut [Sum], add: bool) {
                // SAFETY: as above.
                unsafe { csr::multiply::<$level>(matrix, x, y, add) }
            }

            #[target_feature(enable = $feature)]
            pub fn interleaved(
                matrix: &SparseMatrix<$element>,
                count: usize,
                x: &[$element],
                y: &mut [Sum],
                add: bool,
            ) {
                // SAFETY: as above.
                unsafe { interleaved::multiply::<$level>(matrix, count, x, y, add) }
            }
        }
    };
}
pub(super) use entries;
