//! Fletcher-16, -32 and -64: sums modulo 2^k - 1, which no bits fall off.
//!
//! The loops sum whole numbers as far as lanes hold them; the remainder is taken once per piece of some kilobytes.

use super::{FletcherError, dispatch, whole};
use crate::error::IsaError;
use crate::isa::Isa;
use crate::routine::Routine;

/// Sums modulo 2^(8 `WORD`) - 1, both below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Sums<const WORD: usize> {
    a: u64,
    b: u64,
}

impl<const WORD: usize> Sums<WORD> {
    const MODULUS: u64 = (1 << (8 * WORD)) - 1;

    /// The sums when `words` words with the sums `a` and `b`, as whole numbers, follow.
    fn followed(self, a: u128, b: u128, words: u64) -> Self {
        let modulus = u128::from(Self::MODULUS);
        // Below 2^32 x 2^64 + 2^32 + b, and b is below 2^100 for what fits a memory.
        let grown = u128::from(self.a) * u128::from(words) + u128::from(self.b) + b % modulus;
        Sums { a: ((u128::from(self.a) + a % modulus) % modulus) as u64, b: (grown % modulus) as u64 }
    }

    /// Goes on with `bytes`; a last word that is short counts as filled up with zeros.
    fn follow(mut self, isa: Isa, mut bytes: &[u8]) -> Self {
        loop {
            let partial = dispatch::sums::<WORD>(isa, bytes);
            if partial.bytes == 0 {
                break;
            }
            let [a, b] = partial.sums;
            self = self.followed(a, b, (partial.bytes / WORD) as u64);
            bytes = &bytes[partial.bytes..];
        }
        // Less than a vector: sixteen 32-bit words, or 63 bytes.
        let (mut a, mut b) = (0u128, 0u128);
        for word in bytes.chunks(WORD) {
            a += word.iter().rev().fold(0, |x, &byte| x << 8 | u128::from(byte));
            b += a;
        }
        self.followed(a, b, bytes.len().div_ceil(WORD) as u64)
    }
}

macro_rules! checksum {
    ($kind:ident, $word:literal, $value:ty, $bits:literal, $function:ident, $function_with:ident) => {
        #[doc = concat!("The sums of Fletcher-", $bits, " of a beginning of the input, or of all of it. The default is ")]
        /// that of no input.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $kind(Sums<$word>);

        #[doc = concat!("The Fletcher-", $bits, " checksum of `bytes`, any number of them.")]
        pub fn $function(bytes: &[u8]) -> $value {
            $kind(Sums::default().follow(Routine::$kind.level(), bytes)).value()
        }

        #[doc = concat!("[`", stringify!($function), "`] with the code of one level.")]
        ///
        /// # Errors
        /// When the level cannot run here.
        pub fn $function_with(isa: Isa, bytes: &[u8]) -> Result<$value, IsaError> {
            Ok($kind(Sums::default().follow(isa.require()?, bytes)).value())
        }

        impl $kind {
            /// The sums whose checksum is `value`, to go on with.
            ///
            /// # Errors
            /// When `value` is no checksum: one of its halves is above the sums' range.
            pub fn from_value(value: $value) -> Result<$kind, FletcherError> {
                let modulus = Sums::<$word>::MODULUS;
                let (b, a) = (u64::from(value >> (8 * $word)), u64::from(value) & modulus);
                match a < modulus && b < modulus {
                    true => Ok($kind(Sums { a, b })),
                    false => Err(FletcherError::Value { value: value.into(), modulus }),
                }
            }

            /// The checksum: the sum of sums above the sum.
            pub fn value(self) -> $value {
                (self.0.b as $value) << (8 * $word) | self.0.a as $value
            }

            /// Goes on with `bytes`.
            ///
            /// # Errors
            #[doc = concat!("When the length is no multiple of ", $word, ": only the last piece could be, and ")]
            #[doc = concat!("[`", stringify!($function), "`] takes such input as a whole. Nothing changes then.")]
            pub fn update(&mut self, bytes: &[u8]) -> Result<(), FletcherError> {
                self.update_with(Routine::$kind.level(), bytes)
            }

            #[doc = concat!("[`", stringify!($kind), "::update`] with the code of one level.")]
            ///
            /// # Errors
            /// The same, and when the level cannot run here.
            pub fn update_with(&mut self, isa: Isa, bytes: &[u8]) -> Result<(), FletcherError> {
                let isa = isa.require()?;
                whole(bytes.len() as u64, $word)?;
                self.0 = self.0.follow(isa, bytes);
                Ok(())
            }

            /// The sums of two neighbouring pieces of which `self` is the first one's and `next` the second one's,
            /// which has `next_bytes` bytes.
            ///
            /// # Errors
            #[doc = concat!("When `next_bytes` is no multiple of ", $word, ".")]
            pub fn combine(self, next: $kind, next_bytes: u64) -> Result<$kind, FletcherError> {
                whole(next_bytes, $word)?;
                Ok($kind(self.0.followed(next.0.a.into(), next.0.b.into(), next_bytes / $word)))
            }
        }
    };
}

checksum!(Fletcher16, 1, u16, "16", fletcher16, fletcher16_with);
checksum!(Fletcher32, 2, u32, "32", fletcher32, fletcher32_with);
checksum!(Fletcher64, 4, u64, "64", fletcher64, fletcher64_with);
