//! The four functions: what the scheduler and the kernels have to know of each, and nothing of how it is computed.

use super::constants;
use super::engine::{self, Engine, Plan};
use crate::isa::Isa;
use std::fmt::Debug;

/// A word of a hash function's state: `u32` or `u64`.
pub trait Word: Copy + Default + Debug + PartialEq + Eq + Send + Sync + 'static {}
impl Word for u32 {}
impl Word for u64 {}

/// A hash function of the family of MD4: a state of up to eight words, into which blocks are compressed one after the
/// other; the message is filled up with a bit 1, zeros and its length.
pub trait Algorithm: Copy + Debug + Default + Send + Sync + 'static + sealed::Sealed {
    /// A word of the state.
    type Word: Word;
    /// The digest: an array of bytes.
    type Digest: AsRef<[u8]>
        + AsMut<[u8]>
        + Copy
        + Debug
        + Default
        + Eq
        + Ord
        + std::hash::Hash
        + Send
        + Sync
        + 'static;
    /// The function's name as its standard writes it.
    const NAME: &'static str;
    /// Bytes of a block: 64 or 128.
    const BLOCK: usize;
    /// Bytes of a digest.
    const DIGEST: usize;
    /// The state before the first block; words beyond the function's own are zero.
    const INITIAL: [Self::Word; 8];

    /// The digest that a final state means.
    fn digest(state: [Self::Word; 8]) -> Self::Digest;

    /// Fills up a message of `total` bytes: `tail`, of two blocks, holds what is left of it after whole blocks in its
    /// first `left` bytes, and zeros. Returns how many blocks `tail` holds afterwards, one or two.
    #[doc(hidden)]
    fn fill_up(tail: &mut [u8], left: usize, total: u64) -> usize;

    /// How blocks are compressed at a level, and the choice among the ways. `isa` is available.
    #[doc(hidden)]
    fn plan(isa: Isa) -> &'static Plan<Self::Word>;

    /// The ways to compress blocks at a level. `isa` is available.
    #[doc(hidden)]
    fn engines(isa: Isa) -> Vec<Engine<Self::Word>>;
}

/// Two blocks of the function with the largest ones.
pub const TAIL: usize = 256;

mod sealed {
    pub trait Sealed {}
}

macro_rules! algorithm {
    (
        $(#[$doc:meta])* $name:ident: $text:literal, $word:ty, block $block:literal, digest $digest:literal,
        $initial:expr, $bytes:ident, length: $length:literal of $length_bytes:ident, $engines:path
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name;

        impl sealed::Sealed for $name {}

        impl Algorithm for $name {
            type Word = $word;
            type Digest = Digest<$digest>;
            const NAME: &'static str = $text;
            const BLOCK: usize = $block;
            const DIGEST: usize = $digest;
            const INITIAL: [$word; 8] = $initial;

            // Inlined, or else the state goes through memory, word by word in and as vectors out, which processors wait for.
            #[inline(always)]
            fn digest(state: [$word; 8]) -> Digest<$digest> {
                let mut digest = [0; $digest];
                for (bytes, word) in digest.as_chunks_mut().0.iter_mut().zip(state) {
                    *bytes = word.$bytes();
                }
                Digest(digest)
            }

            #[inline]
            fn fill_up(tail: &mut [u8], left: usize, total: u64) -> usize {
                // A bit 1, then zeros up to the length in bits, which ends a block: of 64 bits (MD5, SHA-1, SHA-256)
                // or of 128 (SHA-512).
                let blocks = if left + 1 + $length > $block { 2 } else { 1 };
                let end = blocks * $block;
                tail[left] = 0x80;
                let bits = u128::from(total) << 3;
                let bits = (bits as u64).$length_bytes();
                tail[end - 8..end].copy_from_slice(&bits);
                if $length == 16 {
                    // The upper half of the length: of 2^64 bytes at most three bits.
                    tail[end - 9] = (total >> 61) as u8;
                }
                blocks
            }

            fn plan(isa: Isa) -> &'static Plan<$word> {
                static PLANS: [std::sync::OnceLock<Plan<$word>>; Isa::ALL.len()] =
                    [const { std::sync::OnceLock::new() }; Isa::ALL.len()];
                let priced = || engine::measured(Self::NAME, isa, Self::BLOCK, Self::engines(isa));
                PLANS[isa as usize].get_or_init(|| Plan::new(priced()))
            }

            fn engines(isa: Isa) -> Vec<Engine<$word>> {
                $engines(isa)
            }
        }
    };
}

/// The bytes of a digest, in the order of its hexadecimal text, which is how it is displayed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest<const N: usize>(pub [u8; N]);

impl<const N: usize> Default for Digest<N> {
    fn default() -> Self {
        Digest([0; N])
    }
}

impl<const N: usize> AsRef<[u8]> for Digest<N> {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<const N: usize> AsMut<[u8]> for Digest<N> {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

impl<const N: usize> std::fmt::Display for Digest<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl<const N: usize> Debug for Digest<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

algorithm! {
    /// MD5 (RFC 1321). Broken as a cryptographic hash: for compatibility and for finding equal data that is not forged.
    Md5: "MD5", u32, block 64, digest 16, constants::MD5_INITIAL, to_le_bytes, length: 8 of to_le_bytes,
    super::engine::md5
}

algorithm! {
    /// SHA-1 (FIPS 180-4). Broken against collisions: for compatibility, not for signatures.
    Sha1: "SHA-1", u32, block 64, digest 20, constants::SHA1_INITIAL, to_be_bytes, length: 8 of to_be_bytes,
    super::engine::sha1
}

algorithm! {
    /// SHA-256 (FIPS 180-4).
    Sha256: "SHA-256", u32, block 64, digest 32, constants::SHA256_INITIAL, to_be_bytes, length: 8 of to_be_bytes,
    super::engine::sha256
}

algorithm! {
    /// SHA-512 (FIPS 180-4).
    Sha512: "SHA-512", u64, block 128, digest 64, constants::SHA512_INITIAL, to_be_bytes, length: 16 of to_be_bytes,
    super::engine::sha512
}
