//! Words and the word e of SHA-1 for SHA1RNDS4: what the hash kernel and the cipher do between four rounds and the next.
//!
//! SHA1MSG2 keeps its unit busy for four cycles where SHA1RNDS4 takes three (Sapphire Rapids), and the words that it makes wait
//! for each other. With AVX-512 (`VECTOR`) ordinary vector instructions do both, and only SHA1RNDS4 is left.

use std::arch::x86_64::*;

/// The words of a block that are still wanted: those of four rounds per vector, the first one in the highest place; of rounds
/// `4 g` to `4 g + 3` in vector `g % 8`. A block begins with those of 16 rounds in the first four vectors.
pub type Words = [__m128i; 8];

/// Makes the words of rounds `4 group + 16` to `4 group + 19`.
///
/// # Safety
/// The processor must have the SHA extensions, with `VECTOR` AVX-512VL.
#[inline(always)]
pub unsafe fn extend<const VECTOR: bool>(w: &mut Words, group: usize) {
    let at = |n: usize| w[(group + n) % 8];
    let [a, b, c, d] = [at(0), at(1), at(2), at(3)];
    // SAFETY: the caller has the instructions.
    w[(group + 4) % 8] = unsafe {
        if !VECTOR {
            _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(a, b), c), d)
        } else if group < 4 {
            // A word is those 16, 14, 8 and 3 before, rotated by 1; three before the last word is the first one made here.
            let x = _mm_ternarylogic_epi32::<XOR3>(a, _mm_alignr_epi8::<8>(a, b), c);
            let x = _mm_xor_si128(x, _mm_slli_si128::<4>(d));
            let last = _mm_srli_si128::<12>(_mm_rol_epi32::<2>(x));
            _mm_xor_si128(_mm_rol_epi32::<1>(x), last)
        } else {
            // The same applied twice: the words 32, 28, 16 and 6 before, rotated by 2. None of them is made here, so that the
            // chain of words is shorter than that of the rounds.
            let x = _mm_ternarylogic_epi32::<XOR3>(at(4), at(5), a);
            _mm_rol_epi32::<2>(_mm_xor_si128(x, _mm_alignr_epi8::<8>(c, d)))
        }
    };
}

/// Words and the word e that follows from a state of four rounds ago, whose a, rotated, it is: what SHA1RNDS4 takes.
///
/// # Safety
/// As for [`extend`].
#[inline(always)]
pub unsafe fn next_e<const VECTOR: bool>(earlier: __m128i, words: __m128i) -> __m128i {
    // SAFETY: the caller has the instructions.
    unsafe {
        if VECTOR {
            _mm_add_epi32(words, _mm_maskz_rol_epi32::<30>(0b1000, earlier))
        } else {
            _mm_sha1nexte_epu32(earlier, words)
        }
    }
}

/// Truth table of VPTERNLOGD.
const XOR3: i32 = 0x96;
