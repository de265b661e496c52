//! Words of several messages side by side, one per lane: what compression functions of hashes consist of. A plain word is
//! a vector of one lane, so that the code for a single message is the same.

use super::Proof;

/// A vector of words of 32 or 64 bits.
pub trait Words: Copy {
    /// Where it exists; a plain word everywhere.
    type Level: Proof;
    type Word: Copy;
    /// How many.
    const LANES: usize;
    /// Words of 16 bytes, which is what [`Words::low32`] and its like look at.
    const ACROSS: usize = 16 / size_of::<Self::Word>();

    /// Where this vector exists.
    fn level(self) -> Self::Level;
    /// The same word in every lane.
    fn splat(level: Self::Level, word: Self::Word) -> Self;
    /// # Safety
    /// `from` has as many readable words as there are lanes.
    unsafe fn load(level: Self::Level, from: *const Self::Word) -> Self;
    /// # Safety
    /// `to` has as many writable words as there are lanes.
    unsafe fn store(self, to: *mut Self::Word);
    /// The 16 bytes at `at` in every [`Words::ACROSS`]th row, one row after the other; of a plain word the word there, least
    /// significant byte first.
    ///
    /// # Safety
    /// `rows` has as many pointers as there are lanes; those bytes of the rows are readable.
    unsafe fn gather(level: Self::Level, rows: *const *const u8, at: usize) -> Self;
    /// The bytes of each word in reverse.
    fn reversed(self) -> Self;
    /// Sums.
    fn add(self, other: Self) -> Self;
    /// Rotated to the right; `N` is more than zero and less than the word's bits.
    fn ror<const N: i32>(self) -> Self;
    /// Shifted to the right.
    fn shr<const N: i32>(self) -> Self;
    /// Bits that differ.
    fn xor(self, other: Self) -> Self;
    /// `self ^ b ^ c`.
    fn xor3(self, b: Self, c: Self) -> Self;
    /// Bits of `yes` where `self` has ones, of `no` elsewhere.
    fn choose(self, yes: Self, no: Self) -> Self;
    /// `self` plus what `mask` chooses, so that little is left to do when `yes` is there.
    fn add_chosen(self, mask: Self, yes: Self, no: Self) -> Self;
    /// The bits that two of three have.
    fn majority(self, b: Self, c: Self) -> Self;
    /// `c ^ (self | !d)`.
    fn odd_one(self, c: Self, d: Self) -> Self;
    /// The value itself, out of the optimiser's sight: sums on both sides of it stay as they are written.
    fn keep(self) -> Self;
    /// Within 16 bytes: the lower two 32-bit words of both, in turn.
    fn low32(self, other: Self) -> Self;
    /// Within 16 bytes: the upper two 32-bit words of both, in turn.
    fn high32(self, other: Self) -> Self;
    /// Within 16 bytes: the lower halves of both.
    fn low64(self, other: Self) -> Self;
    /// Within 16 bytes: the upper halves of both.
    fn high64(self, other: Self) -> Self;
}

/// 4 x 4 words of 32 bits change places within 16 bytes.
#[inline(always)]
pub fn transposed<V: Words>([v0, v1, v2, v3]: [V; 4]) -> [V; 4] {
    let (a, b, c, d) = (v0.low32(v1), v2.low32(v3), v0.high32(v1), v2.high32(v3));
    [a.low64(b), a.high64(b), c.low64(d), c.high64(d)]
}

/// Copies 16 bytes by way of a vector.
///
/// # Safety
/// They can be read, and written there.
#[inline(always)]
pub unsafe fn copy_16(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's promises; every processor of the architecture has the instructions.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        use std::arch::x86_64::{_mm_loadu_si128, _mm_storeu_si128};
        _mm_storeu_si128(to.cast(), _mm_loadu_si128(from.cast()));
    }
    // SAFETY: the caller's promises.
    #[cfg(not(target_arch = "x86_64"))]
    unsafe {
        std::ptr::copy(from, to, 16);
    }
}

macro_rules! plain {
    ($word:ty, $comment:literal) => {
        impl Words for $word {
            type Level = ();
            type Word = $word;
            const LANES: usize = 1;

            #[inline(always)]
            fn level(self) {}
            #[inline(always)]
            fn splat(_: (), word: $word) -> Self {
                word
            }
            #[inline(always)]
            unsafe fn load(_: (), from: *const $word) -> Self {
                // SAFETY: the caller has a word there.
                unsafe { *from }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $word) {
                // SAFETY: the caller has a word there.
                unsafe { *to = self }
            }
            #[inline(always)]
            unsafe fn gather(_: (), rows: *const *const u8, at: usize) -> Self {
                // SAFETY: the caller has a row, and a word there.
                <$word>::from_le(unsafe { (*rows).add(at).cast::<$word>().read_unaligned() })
            }
            #[inline(always)]
            fn reversed(self) -> Self {
                self.swap_bytes()
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn ror<const N: i32>(self) -> Self {
                self.rotate_right(N as u32)
            }
            #[inline(always)]
            fn shr<const N: i32>(self) -> Self {
                self >> N
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn xor3(self, b: Self, c: Self) -> Self {
                self ^ b ^ c
            }
            #[inline(always)]
            fn choose(self, yes: Self, no: Self) -> Self {
                no ^ (self & (yes ^ no))
            }
            #[inline(always)]
            fn add_chosen(self, mask: Self, yes: Self, no: Self) -> Self {
                // No bit is in both parts: their sum is their union.
                self.wrapping_add(!mask & no).keep().wrapping_add(mask & yes)
            }
            #[inline(always)]
            fn majority(self, b: Self, c: Self) -> Self {
                (self & b) | (c & (self | b))
            }
            #[inline(always)]
            fn odd_one(self, c: Self, d: Self) -> Self {
                c ^ (self | !d)
            }
            #[inline(always)]
            fn keep(self) -> Self {
                #[cfg(target_arch = "x86_64")]
                {
                    let mut word = self;
                    // SAFETY: nothing is executed.
                    unsafe {
                        std::arch::asm!($comment, inout(reg) word, options(pure, nomem, nostack, preserves_flags))
                    };
                    word
                }
                #[cfg(not(target_arch = "x86_64"))]
                self
            }
            // A plain word has no neighbours.
            #[inline(always)]
            fn low32(self, _: Self) -> Self {
                self
            }
            #[inline(always)]
            fn high32(self, _: Self) -> Self {
                self
            }
            #[inline(always)]
            fn low64(self, _: Self) -> Self {
                self
            }
            #[inline(always)]
            fn high64(self, _: Self) -> Self {
                self
            }
        }
    };
}
plain!(u32, "/* {0:e} */");
plain!(u64, "/* {0} */");

/// A level's vector of words, by the names of its intrinsics. `logic` is one instruction for any function of three bits
/// (`ternary`), or several; a rotation is `one` instruction, or two `shifts`. `first` makes a vector of the first 16 bytes,
/// `insert` puts in the others.
#[cfg(target_arch = "x86_64")]
macro_rules! words {
    (
        $(#[$doc:meta])* $name:ident($inner:ty) of $level:ident, $lanes:literal of $word:ty as $signed:ty,
        splat $splat:ident, load $load:ident, store $store:ident, add $add:ident, xor $xor:ident,
        shift $shr:ident, bytes $shuffle:ident $repeat:path, keep $keep:path,
        rotate $rotate:ident($($rotation:ident),+), logic $logic:ident($($operation:ident),+),
        first $first:path, insert [$($piece:literal $insert:ident),*],
        unpack [$low32:ident $high32:ident $low64:ident $high64:ident]
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name($inner);

        impl $name {
            /// The vector's bits as words.
            #[inline(always)]
            #[allow(dead_code, reason = "not every vector is made of bits")]
            pub fn new(_: $level, bits: $inner) -> Self {
                $name(bits)
            }
        }

        impl $crate::vector::words::Words for $name {
            type Level = $level;
            type Word = $word;
            const LANES: usize = $lanes;

            #[inline(always)]
            fn level(self) -> $level {
                $level(())
            }
            #[inline(always)]
            fn splat(_: $level, word: $word) -> Self {
                $name(instruction!($splat(word as $signed)))
            }
            #[inline(always)]
            unsafe fn load(_: $level, from: *const $word) -> Self {
                // SAFETY: the level's value is here; the caller has the words.
                $name(unsafe { $load(from.cast()) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $word) {
                // SAFETY: a vector is here; the caller has the words.
                unsafe { $store(to.cast(), self.0) }
            }
            #[inline(always)]
            unsafe fn gather(_: $level, rows: *const *const u8, at: usize) -> Self {
                // SAFETY: the level's value is here; the caller has the rows.
                unsafe {
                    let v = $first(_mm_loadu_si128((*rows).add(at).cast()));
                    $(
                        let piece = (*rows.add(Self::ACROSS * $piece)).add(at);
                        let v = $insert::<$piece>(v, _mm_loadu_si128(piece.cast()));
                    )*
                    $name(v)
                }
            }
            #[inline(always)]
            fn reversed(self) -> Self {
                let order = const {
                    u128::from_le_bytes($crate::vector::reversed::<{ size_of::<$word>() }>())
                };
                let order = instruction!($repeat(_mm_set_epi64x((order >> 64) as i64, order as i64)));
                $name(instruction!($shuffle(self.0, order)))
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                $name(instruction!($add(self.0, other.0)))
            }
            #[inline(always)]
            fn ror<const N: i32>(self) -> Self {
                $name(instruction!($crate::vector::words::rotate!($rotate, $word, self.0, N, $($rotation),+)))
            }
            #[inline(always)]
            fn shr<const N: i32>(self) -> Self {
                $name(instruction!($shr(self.0, _mm_cvtsi32_si128(N))))
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                $name(instruction!($xor(self.0, other.0)))
            }
            #[inline(always)]
            fn xor3(self, b: Self, c: Self) -> Self {
                $name(instruction!($crate::vector::words::logic!(xor3, $logic, self.0, b.0, c.0, $($operation),+)))
            }
            #[inline(always)]
            fn choose(self, yes: Self, no: Self) -> Self {
                $name(instruction!(
                    $crate::vector::words::logic!(choose, $logic, self.0, yes.0, no.0, $($operation),+)
                ))
            }
            #[inline(always)]
            fn add_chosen(self, mask: Self, yes: Self, no: Self) -> Self {
                $name(instruction!($crate::vector::words::logic!(
                    add_chosen, $logic, self.0, mask.0, yes.0, no.0, $add, $keep, $($operation),+
                )))
            }
            #[inline(always)]
            fn majority(self, b: Self, c: Self) -> Self {
                $name(instruction!($crate::vector::words::logic!(majority, $logic, self.0, b.0, c.0, $($operation),+)))
            }
            #[inline(always)]
            fn odd_one(self, c: Self, d: Self) -> Self {
                $name(instruction!($crate::vector::words::logic!(odd_one, $logic, self.0, c.0, d.0, $($operation),+)))
            }
            #[inline(always)]
            fn keep(self) -> Self {
                $name(instruction!($keep(self.0)))
            }
            #[inline(always)]
            fn low32(self, other: Self) -> Self {
                $name(instruction!($low32(self.0, other.0)))
            }
            #[inline(always)]
            fn high32(self, other: Self) -> Self {
                $name(instruction!($high32(self.0, other.0)))
            }
            #[inline(always)]
            fn low64(self, other: Self) -> Self {
                $name(instruction!($low64(self.0, other.0)))
            }
            #[inline(always)]
            fn high64(self, other: Self) -> Self {
                $name(instruction!($high64(self.0, other.0)))
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use words;

/// A rotation: one instruction of AVX-512, or two shifts.
#[cfg(target_arch = "x86_64")]
macro_rules! rotate {
    (one, $word:ty, $v:expr, $n:ident, $ror:ident) => {
        $ror::<$n>($v)
    };
    (shifts, $word:ty, $v:expr, $n:ident, $shr:ident, $shl:ident, $or:ident) => {
        // Counts in registers become immediate ones, for the optimiser sees that they are constant; a generic
        // constant cannot be subtracted from another.
        $or($shr($v, _mm_cvtsi32_si128($n)), $shl($v, _mm_cvtsi32_si128(<$word>::BITS as i32 - $n)))
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use rotate;

/// A function of three bits: one instruction of AVX-512 with the function's table, or several.
#[cfg(target_arch = "x86_64")]
macro_rules! logic {
    (xor3, ternary, $a:expr, $b:expr, $c:expr, $ternary:ident) => {
        $ternary::<0x96>($a, $b, $c)
    };
    (choose, ternary, $a:expr, $b:expr, $c:expr, $ternary:ident) => {
        $ternary::<0xca>($a, $b, $c)
    };
    (
        add_chosen, ternary, $sum:expr, $mask:expr, $yes:expr, $no:expr, $add:ident, $keep:path, $ternary:ident
    ) => {
        $add($keep($sum), $ternary::<0xca>($mask, $yes, $no))
    };
    (
        add_chosen, several, $sum:expr, $mask:expr, $yes:expr, $no:expr, $add:ident, $keep:path,
        $and:ident, $andnot:ident, $or:ident, $xor:ident, $ones:ident
    ) => {
        // No bit is in both parts: their sum is their union.
        $add($keep($add($sum, $andnot($mask, $no))), $and($mask, $yes))
    };
    (majority, ternary, $a:expr, $b:expr, $c:expr, $ternary:ident) => {
        $ternary::<0xe8>($a, $b, $c)
    };
    (odd_one, ternary, $a:expr, $b:expr, $c:expr, $ternary:ident) => {
        $ternary::<0x39>($a, $b, $c)
    };
    (xor3, several, $a:expr, $b:expr, $c:expr, $and:ident, $andnot:ident, $or:ident, $xor:ident, $ones:ident) => {
        $xor($xor($a, $b), $c)
    };
    (choose, several, $a:expr, $b:expr, $c:expr, $and:ident, $andnot:ident, $or:ident, $xor:ident, $ones:ident) => {
        $xor($c, $and($a, $xor($b, $c)))
    };
    (majority, several, $a:expr, $b:expr, $c:expr, $and:ident, $andnot:ident, $or:ident, $xor:ident, $ones:ident) => {
        $or($and($a, $b), $and($c, $or($a, $b)))
    };
    (odd_one, several, $b:expr, $c:expr, $d:expr, $and:ident, $andnot:ident, $or:ident, $xor:ident, $ones:ident) => {
        $xor($c, $or($b, $xor($d, $ones(-1))))
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use logic;
