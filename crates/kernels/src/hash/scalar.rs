//! One message in the words of the processor: the portable level, and the code for a single message where no SHA
//! instructions are. The levels from `avx2` on compile it for their rotations (RORX).

use super::lanes::{self, Lanes};

macro_rules! word {
    ($word:ty, $comment:literal) => {
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
            unsafe fn add_chosen(self, mask: Self, yes: Self, no: Self) -> Self {
                // SAFETY: nothing is demanded. No bit is in both parts: their sum is their union.
                unsafe { self.wrapping_add(!mask & no).keep().wrapping_add(mask & yes) }
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
            unsafe fn keep(self) -> Self {
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
            #[inline(always)]
            unsafe fn stage(_: *mut u8, _: usize, _: *const u8) {}
            #[inline(always)]
            unsafe fn words<const BIG: bool, const STAGED: bool>(
                words: *mut Self,
                _: *const u8,
                rows: *const *const u8,
                part: usize,
            ) {
                const ACROSS: usize = 16 / size_of::<$word>();
                for i in ACROSS * part..ACROSS * (part + 1) {
                    // SAFETY: the caller has 16 words at the row and room for as many.
                    unsafe {
                        let word = Self::word(words, *rows, i);
                        words.add(i).write(if BIG { word.swap_bytes() } else { word });
                    }
                }
            }
            #[inline(always)]
            unsafe fn word(_: *const Self, row: *const u8, i: usize) -> Self {
                // SAFETY: the caller has 16 words at `row`.
                <$word>::from_le(unsafe { row.cast::<$word>().add(i).read_unaligned() })
            }
        }
    };
}
word!(u32, "/* {0:e} */");
word!(u64, "/* {0} */");

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
