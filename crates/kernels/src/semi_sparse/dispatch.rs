//! Which level's code runs for a type and a format.

use super::element::Number;
use super::matrix::SparseMatrix;
use super::scalar;
use super::sell::Sell;
use super::tiles::Tiles;
use super::windows::{Shape, Windows};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, sse42};
use crate::isa::Isa;

/// What products can be made of: f32, f64 and i16; no other type can have it.
pub trait Element: Number + Kernels {}

impl<T: Number + Kernels> Element for T {}

/// The formats' products at every level. `isa` is available; the lengths of the vectors are checked here once more,
/// because the levels' code relies on them.
pub trait Kernels: Sized {
    fn tiles(isa: Isa, tiles: &Tiles<Self>, x: &[Self], y: &mut [Self::Sum], add: bool)
    where
        Self: Number;
    fn tiles4(isa: Isa, tiles: &Tiles<Self>, x: [&[Self]; 4], y: &mut [&mut [Self::Sum]; 4], add: bool)
    where
        Self: Number;
    fn windows(isa: Isa, matrix: &Windows<Self>, x: &[Self], y: &mut [Self::Sum], add: bool)
    where
        Self: Number;
    fn windows4(isa: Isa, matrix: &Windows<Self>, x: [&[Self]; 4], y: &mut [&mut [Self::Sum]; 4], add: bool)
    where
        Self: Number;
    /// The shapes of windows that a level is fast at.
    fn shapes(isa: Isa) -> &'static [Shape];
    fn sell(isa: Isa, matrix: &Sell<Self>, x: &[Self], y: &mut [Self::Sum], add: bool)
    where
        Self: Number;
    fn csr(isa: Isa, matrix: &SparseMatrix<Self>, x: &[Self], y: &mut [Self::Sum], add: bool)
    where
        Self: Number;
    /// Compressed rows times `count` vectors, no more than a line has sums.
    fn interleaved(
        isa: Isa,
        matrix: &SparseMatrix<Self>,
        count: usize,
        x: &[Self],
        y: &mut [Self::Sum],
        add: bool,
    ) where
        Self: Number;
}

macro_rules! kernels {
    ($t:ty, $module:ident, [$($level:ident: $file:ident),*]) => {
        impl Kernels for $t {
            fn tiles(isa: Isa, tiles: &Tiles<$t>, x: &[$t], y: &mut [<$t as Number>::Sum], add: bool) {
                assert!(x.len() == tiles.cols && y.len() == tiles.rows);
                match isa {
                    $(#[cfg(target_arch = "x86_64")]
                    Isa::$level => {
                        // SAFETY: whoever asks for a level has made sure that it is available; lengths are
                        // checked above.
                        unsafe { $file::$module::tiles(tiles, x, y, add) }
                    })*
                    #[allow(unreachable_patterns, reason = "not every type has every level")]
                    _ => scalar::tiles(tiles, x, y, add),
                }
            }
            fn tiles4(
                isa: Isa, tiles: &Tiles<$t>, x: [&[$t]; 4], y: &mut [&mut [<$t as Number>::Sum]; 4], add: bool,
            ) {
                assert!(x.iter().all(|x| x.len() == tiles.cols) && y.iter().all(|y| y.len() == tiles.rows));
                match isa {
                    $(#[cfg(target_arch = "x86_64")]
                    Isa::$level => {
                        // SAFETY: whoever asks for a level has made sure that it is available; lengths are
                        // checked above.
                        unsafe { $file::$module::tiles4(tiles, x, y, add) }
                    })*
                    #[allow(unreachable_patterns, reason = "not every type has every level")]
                    _ => x.iter().zip(y).for_each(|(x, y)| scalar::tiles(tiles, x, y, add)),
                }
            }
            fn windows(isa: Isa, matrix: &Windows<$t>, x: &[$t], y: &mut [<$t as Number>::Sum], add: bool) {
                assert!(x.len() == matrix.cols && y.len() == matrix.rows);
                match isa {
                    $(#[cfg(target_arch = "x86_64")]
                    Isa::$level => {
                        // SAFETY: whoever asks for a level has made sure that it is available; lengths are
                        // checked above.
                        unsafe { $file::$module::windows(matrix, x, y, add) }
                    })*
                    #[allow(unreachable_patterns, reason = "not every type has every level")]
                    _ => scalar::windows(matrix, x, y, add),
                }
            }
            fn windows4(
                isa: Isa, matrix: &Windows<$t>, x: [&[$t]; 4], y: &mut [&mut [<$t as Number>::Sum]; 4], add: bool,
            ) {
                assert!(x.iter().all(|x| x.len() == matrix.cols) && y.iter().all(|y| y.len() == matrix.rows));
                match isa {
                    $(#[cfg(target_arch = "x86_64")]
                    Isa::$level => {
                        // SAFETY: whoever asks for a level has made sure that it is available; lengths are
                        // checked above.
                        unsafe { $file::$module::windows4(matrix, x, y, add) }
                    })*
                    #[allow(unreachable_patterns, reason = "not every type has every level")]
                    _ => x.iter().zip(y).for_each(|(x, y)| scalar::windows(matrix, x, y, add)),
                }
            }
            fn shapes(isa: Isa) -> &'static [Shape] {
                match isa {
                    $(#[cfg(target_arch = "x86_64")]
                    Isa::$level => $file::$module::SHAPES,)*
                    #[allow(unreachable_patterns, reason = "not every type has every level")]
                    _ => const { &[Shape::new(3, 2)] },
                }
            }
            fn sell(isa: Isa, matrix: &Sell<$t>, x: &[$t], y: &mut [<$t as Number>::Sum], add: bool) {
                assert!(x.len() == matrix.cols && y.len() == matrix.rows);
                match isa {
                    $(#[cfg(target_arch = "x86_64")]
                    Isa::$level => {
                        // SAFETY: whoever asks for a level has made sure that it is available; lengths are
                        // checked above.
                        unsafe { $file::$module::sell(matrix, x, y, add) }
                    })*
                    #[allow(unreachable_patterns, reason = "not every type has every level")]
                    _ => scalar::sell(matrix, x, y, add),
                }
            }
            fn csr(isa: Isa, matrix: &SparseMatrix<$t>, x: &[$t], y: &mut [<$t as Number>::Sum], add: bool) {
                assert!(x.len() == matrix.cols() && y.len() == matrix.rows());
                match isa {
                    $(#[cfg(target_arch = "x86_64")]
                    Isa::$level => {
                        // SAFETY: whoever asks for a level has made sure that it is available; lengths are
                        // checked above.
                        unsafe { $file::$module::csr(matrix, x, y, add) }
                    })*
                    #[allow(unreachable_patterns, reason = "not every type has every level")]
                    _ => scalar::csr(matrix, x, y, add),
                }
            }
            fn interleaved(
                isa: Isa, matrix: &SparseMatrix<$t>, count: usize, x: &[$t], y: &mut [<$t as Number>::Sum], add: bool,
            ) {
                assert!(x.len() == count * matrix.cols() && y.len() == count * matrix.rows());
                match isa {
                    $(#[cfg(target_arch = "x86_64")]
                    Isa::$level => {
                        // SAFETY: whoever asks for a level has made sure that it is available; lengths are
                        // checked above.
                        unsafe { $file::$module::interleaved(matrix, count, x, y, add) }
                    })*
                    #[allow(unreachable_patterns, reason = "not every type has every level")]
                    _ => scalar::interleaved(matrix, count, x, y, add),
                }
            }
        }
    };
}
kernels!(f32, of_f32, [Sse42: sse42, Avx2: avx2, Avx512: avx512]);
kernels!(f64, of_f64, [Avx2: avx2, Avx512: avx512]);
kernels!(i16, of_i16, [Avx2: avx2, Avx512: avx512]);
