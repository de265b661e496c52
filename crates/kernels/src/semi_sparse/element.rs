//! The types of elements: f32, f64, and i16 with sums in i32.

use std::fmt::Debug;

/// A type of elements, as costs and stored plans name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// `i16`, summed in `i32`.
    I16,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 3] = [Kind::F32, Kind::F64, Kind::I16];

    /// The type's name.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::F32 => "f32",
            Kind::F64 => "f64",
            Kind::I16 => "i16",
        }
    }
}

mod sealed {
    pub trait Sealed {}
}

/// The arithmetic of elements: what matrices and their formats need of a type. Products need an
/// [`Element`](super::Element).
pub trait Number: Copy + Default + PartialEq + Debug + Send + Sync + sealed::Sealed + 'static {
    /// What products are summed in: the type itself, `i32` for `i16`.
    type Sum: Copy + Default + PartialEq + Debug + Send + Sync + 'static;

    /// Its name as a value.
    const KIND: Kind;
    /// Bytes of an element.
    const BYTES: usize;
    /// Rows of a strip: sums that a line of 64 bytes adds to.
    const ROWS: usize;
    /// Values of one row in a line: pairs of i16 are multiplied and added at once.
    const PER_ROW: usize;
    /// Bits of the hint word of each value in a line.
    const HINT_BITS: usize;

    /// `sum + a * x`; integers wrap modulo 2^32.
    fn mul_add(sum: Self::Sum, a: Self, x: Self) -> Self::Sum;
    /// `a + b`; integers wrap.
    fn add(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// The value whose little-endian bytes begin `bytes`; zero when they are too few.
    fn from_le(bytes: &[u8]) -> Self;
    /// Writes the value's little-endian bytes to the front of `bytes`.
    fn put_le(self, bytes: &mut [u8]);
    /// The value that a number of a text file means; `None` when the type cannot hold it.
    fn from_number(number: f64) -> Option<Self>;
}

macro_rules! element {
    ($t:ty, $sum:ty, $kind:ident, rows: $rows:literal, per_row: $per_row:literal, $mul_add:expr, $add:expr, $number:expr) => {
        impl sealed::Sealed for $t {}

        impl Number for $t {
            type Sum = $sum;
            const KIND: Kind = Kind::$kind;
            const BYTES: usize = size_of::<$t>();
            const ROWS: usize = $rows;
            const PER_ROW: usize = $per_row;
            const HINT_BITS: usize = 8 * size_of::<$t>();

            #[inline(always)]
            fn mul_add(sum: $sum, a: $t, x: $t) -> $sum {
                let f: fn($sum, $t, $t) -> $sum = $mul_add;
                f(sum, a, x)
            }
            #[inline(always)]
            fn add(a: $sum, b: $sum) -> $sum {
                let f: fn($sum, $sum) -> $sum = $add;
                f(a, b)
            }
            #[inline(always)]
            fn from_le(bytes: &[u8]) -> $t {
                bytes.first_chunk().map_or_else(Default::default, |b| <$t>::from_le_bytes(*b))
            }
            #[inline(always)]
            fn put_le(self, bytes: &mut [u8]) {
                if let Some(b) = bytes.first_chunk_mut() {
                    *b = self.to_le_bytes();
                }
            }
            fn from_number(number: f64) -> Option<$t> {
                let f: fn(f64) -> Option<$t> = $number;
                f(number)
            }
        }
    };
}

element!(f32, f32, F32, rows: 16, per_row: 1, |s, a, x| s + a * x, |a, b| a + b, |n| Some(n as f32));
element!(f64, f64, F64, rows: 8, per_row: 1, |s, a, x| s + a * x, |a, b| a + b, Some);
element!(
    i16, i32, I16, rows: 16, per_row: 2,
    |s, a, x| s.wrapping_add(i32::from(a).wrapping_mul(i32::from(x))),
    |a, b| a.wrapping_add(b),
    |n| (n.fract() == 0.0 && (-32768.0..=32767.0).contains(&n)).then_some(n as i16)
);
