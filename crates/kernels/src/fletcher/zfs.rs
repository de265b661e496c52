//! Fletcher-4 and Fletcher-2, bit for bit as ZFS computes them: whole inputs, pieces, and pieces joined.

use super::{FletcherError, dispatch, recombine, whole};
use crate::isa::Isa;
use crate::routine::Routine;

/// A Fletcher-4 checksum: the sums of a beginning of the input, or of all of it. The default is that of no input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fletcher4 {
    /// a, b, c, d: the words of ZFS's `zio_cksum_t`.
    pub words: [u64; 4],
}

/// A Fletcher-2 checksum: the sums of a beginning of the input, or of all of it. The default is that of no input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fletcher2 {
    /// a0, a1, b0, b1: the words of ZFS's `zio_cksum_t`.
    pub words: [u64; 4],
}

/// Functions of one checksum, in one byte order: of a whole input, and as a method that goes on.
macro_rules! checksum {
    ($kind:ident, $word:literal, $routine:ident, $sum:path, $order:literal,
     $function:ident, $function_with:ident, $update:ident, $update_with:ident) => {
        #[doc = concat!("[`", stringify!($kind), "`] of `bytes`, words ", $order, " byte first.")]
        ///
        /// # Errors
        #[doc = concat!("When the length is no multiple of ", stringify!($word), ".")]
        pub fn $function(bytes: &[u8]) -> Result<$kind, FletcherError> {
            $function_with(Routine::$routine.level(), bytes)
        }

        #[doc = concat!("[`", stringify!($function), "`] with the code of one level.")]
        ///
        /// # Errors
        /// The same, and when the level cannot run here.
        pub fn $function_with(isa: Isa, bytes: &[u8]) -> Result<$kind, FletcherError> {
            let isa = isa.require()?;
            whole(bytes.len() as u64, $word)?;
            Ok($kind { words: $sum(isa, bytes) })
        }

        impl $kind {
            #[doc = concat!("Goes on with `bytes`, words ", $order, " byte first.")]
            ///
            /// # Errors
            #[doc = concat!("When the length is no multiple of ", stringify!($word), "; nothing changes then.")]
            pub fn $update(&mut self, bytes: &[u8]) -> Result<(), FletcherError> {
                self.$update_with(Routine::$routine.level(), bytes)
            }

            #[doc = concat!("[`", stringify!($kind), "::", stringify!($update), "`] with the code of one level.")]
            ///
            /// # Errors
            /// The same, and when the level cannot run here.
            pub fn $update_with(&mut self, isa: Isa, bytes: &[u8]) -> Result<(), FletcherError> {
                let piece = $function_with(isa, bytes)?;
                *self = self.joined(piece, (bytes.len() / $word) as u64);
                Ok(())
            }
        }
    };
}

checksum!(
    Fletcher4,
    4,
    Fletcher4,
    dispatch::fletcher4::<false>,
    "least significant",
    fletcher4,
    fletcher4_with,
    update,
    update_with
);
checksum!(
    Fletcher4,
    4,
    Fletcher4Swapped,
    dispatch::fletcher4::<true>,
    "most significant",
    fletcher4_swapped,
    fletcher4_swapped_with,
    update_swapped,
    update_swapped_with
);
checksum!(
    Fletcher2,
    16,
    Fletcher2,
    dispatch::fletcher2::<false>,
    "least significant",
    fletcher2,
    fletcher2_with,
    update,
    update_with
);
checksum!(
    Fletcher2,
    16,
    Fletcher2Swapped,
    dispatch::fletcher2::<true>,
    "most significant",
    fletcher2_swapped,
    fletcher2_swapped_with,
    update_swapped,
    update_swapped_with
);

impl Fletcher4 {
    /// The checksum of two neighbouring pieces of which `self` is the first one's and `next` the second one's, which
    /// has `next_bytes` bytes: pieces can be summed in any order, or on several threads.
    ///
    /// # Errors
    /// When `next_bytes` is no multiple of 4.
    pub fn combine(self, next: Fletcher4, next_bytes: u64) -> Result<Fletcher4, FletcherError> {
        whole(next_bytes, 4)?;
        Ok(self.joined(next, next_bytes / 4))
    }

    fn joined(self, next: Fletcher4, words: u64) -> Fletcher4 {
        Fletcher4 { words: recombine::append(self.words, next.words, words) }
    }
}

impl Fletcher2 {
    /// The checksum of two neighbouring pieces, as [`Fletcher4::combine`].
    ///
    /// # Errors
    /// When `next_bytes` is no multiple of 16.
    pub fn combine(self, next: Fletcher2, next_bytes: u64) -> Result<Fletcher2, FletcherError> {
        whole(next_bytes, 16)?;
        Ok(self.joined(next, next_bytes / 16))
    }

    fn joined(self, next: Fletcher2, pairs: u64) -> Fletcher2 {
        let stream = |sums: [u64; 4], parity: usize| [sums[parity], sums[parity + 2], 0, 0];
        let join = |parity| recombine::append(stream(self.words, parity), stream(next.words, parity), pairs);
        let (even, odd) = (join(0), join(1));
        Fletcher2 { words: [even[0], odd[0], even[1], odd[1]] }
    }
}
