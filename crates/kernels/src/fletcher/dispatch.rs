//! Which level's loop runs: the level that is asked for, unless the input is too short to gain by it.

use super::{reference, scalar};
use crate::isa::Isa;
use crate::vector::{Compiled, compiled};

/// Below this many bytes the words are summed one by one: stripes have to be joined, which takes as long.
const STRIPED: usize = 256;

/// Below this many bytes the stripes of 512-bit vectors take longer to join than their loop saves: 24 GB/s against 20
/// at 1 KiB, 36 against 38 at 4 KiB (Sapphire Rapids).
const WIDE: usize = 4 << 10;

/// The same of sums modulo 2^k - 1, whose stripes are joined in 128 bits: 20 GB/s against 12 at 1 KiB, 44 against 36
/// at 4 KiB, 60 against 67 at 32 KiB (Fletcher-32, Sapphire Rapids).
const WIDE_MODULAR: usize = 8 << 10;

/// Sums of a beginning of the input, and how long that was.
pub struct Partial<T> {
    pub sums: T,
    pub bytes: usize,
}

/// Fletcher-4 of a beginning of the input.
pub struct Four<'b, const SWAPPED: bool>(pub &'b [u8]);

/// Fletcher-2 of a beginning of the input.
pub struct Two<'b, const SWAPPED: bool>(pub &'b [u8]);

/// Sums of words of `WORD` bytes, 1, 2 or 4, of a beginning of the input.
pub struct Sums<'b, const WORD: usize>(pub &'b [u8]);

compiled! {
    fletcher4['b, const SWAPPED: bool] = Four<'b, SWAPPED> => Partial<[u64; 4]>;
    fletcher2['b, const SWAPPED: bool] = Two<'b, SWAPPED> => Partial<[u64; 4]>;
    sums['b, const WORD: usize] = Sums<'b, WORD> => Partial<[u128; 2]>;
}

/// The level whose loop is fastest for so much input where `isa` is chosen and 512 bits pay from `wide` bytes on.
fn for_length(isa: Isa, length: usize, wide: usize) -> Isa {
    if length < wide { isa.min(Isa::Avx2) } else { isa }
}

/// Fletcher-4 of whole words from zero. `isa` is available.
pub fn fletcher4<const SWAPPED: bool>(isa: Isa, bytes: &[u8]) -> [u64; 4] {
    if bytes.len() < STRIPED || isa == Isa::Scalar {
        return reference::fletcher4::<SWAPPED>([0; 4], bytes);
    }
    let partial =
        Four::<SWAPPED>(bytes).at(for_length(isa, bytes.len(), WIDE), |_| Partial { sums: [0; 4], bytes: 0 });
    reference::fletcher4::<SWAPPED>(partial.sums, &bytes[partial.bytes..])
}

/// Fletcher-2 of whole pairs of words from zero. `isa` is available.
pub fn fletcher2<const SWAPPED: bool>(isa: Isa, bytes: &[u8]) -> [u64; 4] {
    if bytes.len() < STRIPED || isa == Isa::Scalar {
        return reference::fletcher2::<SWAPPED>([0; 4], bytes);
    }
    let partial =
        Two::<SWAPPED>(bytes).at(for_length(isa, bytes.len(), WIDE), |_| Partial { sums: [0; 4], bytes: 0 });
    reference::fletcher2::<SWAPPED>(partial.sums, &bytes[partial.bytes..])
}

/// Sums of a beginning of the input as whole numbers, of words of `WORD` bytes. Takes nothing of an input that is
/// shorter than a vector. `isa` is available.
pub fn sums<const WORD: usize>(isa: Isa, bytes: &[u8]) -> Partial<[u128; 2]> {
    let isa = for_length(isa, bytes.len(), WIDE_MODULAR);
    Sums::<WORD>(bytes).at(isa, |Sums(bytes)| scalar::sums::<WORD>(bytes))
}
