//! Which level's loop runs: the level that is asked for, unless the input is too short to gain by it.

use super::lanes::Partial;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512, sse42};
use super::{reference, scalar};
use crate::isa::Isa;

/// Below this many bytes the words are summed one by one: stripes have to be joined, which takes as long.
const STRIPED: usize = 256;

/// Below this many bytes the stripes of 512-bit vectors take longer to join than their loop saves: 24 GB/s against 20
/// at 1 KiB, 36 against 38 at 4 KiB (Sapphire Rapids).
const WIDE: usize = 4 << 10;

/// The same of sums modulo 2^k - 1, whose stripes are joined in 128 bits: 20 GB/s against 12 at 1 KiB, 44 against 36
/// at 4 KiB, 60 against 67 at 32 KiB (Fletcher-32, Sapphire Rapids).
const WIDE_MODULAR: usize = 8 << 10;

/// The level whose loop is fastest for so much input where `isa` is chosen and 512 bits pay from `wide` bytes on.
fn for_length(isa: Isa, length: usize, wide: usize) -> Isa {
    if length < wide { isa.min(Isa::Avx2) } else { isa }
}

/// Calls a function of the level's module.
macro_rules! at_level {
    ($isa:expr, $function:ident $(::<$swapped:ident>)?, $bytes:expr) => {
        match $isa {
            Isa::Scalar => scalar::$function $(::<$swapped>)? ($bytes),
            // SAFETY: whoever asks for a level has made sure that it is available (`Isa::require`, `Isa::best`).
            #[cfg(target_arch = "x86_64")]
            Isa::Sse42 => unsafe { sse42::$function $(::<$swapped>)? ($bytes) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { avx2::$function $(::<$swapped>)? ($bytes) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => unsafe { avx512::$function $(::<$swapped>)? ($bytes) },
            #[cfg(not(target_arch = "x86_64"))]
            _ => scalar::$function $(::<$swapped>)? ($bytes),
        }
    };
}

/// Fletcher-4 of whole words from zero. `isa` is available.
pub fn fletcher4<const SWAPPED: bool>(isa: Isa, bytes: &[u8]) -> [u64; 4] {
    if bytes.len() < STRIPED {
        return reference::fletcher4::<SWAPPED>([0; 4], bytes);
    }
    let partial: Partial<[u64; 4]> =
        at_level!(for_length(isa, bytes.len(), WIDE), fletcher4::<SWAPPED>, bytes);
    reference::fletcher4::<SWAPPED>(partial.sums, &bytes[partial.bytes..])
}

/// Fletcher-2 of whole pairs of words from zero. `isa` is available.
pub fn fletcher2<const SWAPPED: bool>(isa: Isa, bytes: &[u8]) -> [u64; 4] {
    if bytes.len() < STRIPED {
        return reference::fletcher2::<SWAPPED>([0; 4], bytes);
    }
    let partial: Partial<[u64; 4]> =
        at_level!(for_length(isa, bytes.len(), WIDE), fletcher2::<SWAPPED>, bytes);
    reference::fletcher2::<SWAPPED>(partial.sums, &bytes[partial.bytes..])
}

/// Sums of a beginning of the input as whole numbers, of words of `WORD` bytes. Takes nothing of an input that is
/// shorter than a vector. `isa` is available.
pub fn sums<const WORD: usize>(isa: Isa, bytes: &[u8]) -> Partial<[u128; 2]> {
    let isa = for_length(isa, bytes.len(), WIDE_MODULAR);
    match WORD {
        1 => at_level!(isa, sums8, bytes),
        2 => at_level!(isa, sums16, bytes),
        _ => at_level!(isa, sums32, bytes),
    }
}
