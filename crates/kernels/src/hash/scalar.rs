//! One message in the words of the processor: the portable level, and the code for a single message where no SHA
//! instructions are. The levels from `avx2` on compile it for their rotations (RORX).

use super::lanes::{self, Lanes};

macro_rules! word {
    ($word:ty) => {
        impl Lanes for $word {
            type Word = $word;
            const LANES: usize = 1;

            #[inline(always)]
            unsafe fn splat(word: $word) -> Self {
                word
            }
            #[inline(always)]
            unsafe fn load(from: *const $word) -> Self {
                // SAFETY: the caller has a word there.
                unsafe { *from }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $word) {
                // SAFETY: the caller has a word there.
                unsafe { *to = self }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            unsafe fn ror<const N: i32>(self) -> Self {
                self.rotate_right(N as u32)
            }
            #[inline(always)]
            unsafe fn shr<const N: i32>(self) -> Self {
                self >> N
            }
            #[inline(always)]
            unsafe fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            unsafe fn xor3(a: Self, b: Self, c: Self) -> Self {
                a ^ b ^ c
            }
            #[inline(always)]
            unsafe fn choose(mask: Self, yes: Self, no: Self) -> Self {
                no ^ (mask & (yes ^ no))
            }
            #[inline(always)]
            unsafe fn majority(a: Self, b: Self, c: Self) -> Self {
                (a & b) | (c & (a | b))
            }
            #[inline(always)]
            unsafe fn odd_one(b: Self, c: Self, d: Self) -> Self {
                c ^ (b | !d)
            }
            #[inline(always)]
            unsafe fn message<const BIG: bool>(rows: *const *const u8, offset: usize) -> [Self; 16] {
                // SAFETY: the caller has 16 words at `offset`; arrays of bytes need no alignment.
                let words = unsafe { &*(*rows).add(offset).cast::<[[u8; size_of::<$word>()]; 16]>() };
                words.map(|w| if BIG { <$word>::from_be_bytes(w) } else { <$word>::from_le_bytes(w) })
            }
        }
    };
}
word!(u32);
word!(u64);

/// The functions of an engine: each compresses blocks as [`super::engine::Run`] says.
macro_rules! entries {
    ($($(#[$attribute:meta])* $name:ident($word:ty) = $function:path;)+) => {
        $(
            $(#[$attribute])*
            /// # Safety
            /// As for [`Run`](crate::hash::engine::Run); the processor has the level.
            pub unsafe fn $name(state: *mut $word, rows: *const *const u8, blocks: usize) {
                // SAFETY: the caller's duties are the same, and this function has the level's instructions.
                unsafe { $function(state, rows, blocks) }
            }
        )+
    };
}
pub(super) use entries;

entries! {
    md5(u32) = lanes::md5::<u32, 1>;
    md5_2(u32) = lanes::md5::<u32, 2>;
    sha1(u32) = lanes::sha1::<u32>;
    sha256(u32) = lanes::sha256::<u32>;
    sha512(u64) = lanes::sha512::<u64>;
}
