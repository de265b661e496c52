//! SHA-1 of one message by the SHA extensions, four rounds at a time: the hash kernel and the cipher put messages side by side.
//!
//! SHA1MSG2 keeps its unit busy for four cycles where SHA1RNDS4 takes three (Sapphire Rapids), and the words that it makes wait
//! for each other. With AVX-512 (`VECTOR`) ordinary vector instructions do both, and only SHA1RNDS4 is left.

use std::arch::x86_64::*;

/// The words of a block that are still wanted: those of four rounds per vector, the first one in the highest place; of rounds
/// `4 g` to `4 g + 3` in vector `g % 8`. A block begins with those of 16 rounds in the first four vectors.
pub type Words = [__m128i; 8];

/// The words of a block's first 16 rounds.
///
/// # Safety
/// The processor must have SSSE3; the block is readable.
#[inline(always)]
pub unsafe fn words(block: *const u8) -> Words {
    // SAFETY: the caller has the instructions and 64 bytes.
    unsafe {
        let turn = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
        let mut w = [_mm_setzero_si128(); 8];
        for (index, w) in w[..4].iter_mut().enumerate() {
            *w = _mm_shuffle_epi8(_mm_loadu_si128(block.add(16 * index).cast()), turn);
        }
        w
    }
}

/// A state: a, b, c, d from the top of a vector down, and either e on top of another, or the state of four rounds ago, from
/// which e follows.
#[derive(Clone, Copy)]
pub struct Sha1<const VECTOR: bool> {
    abcd: __m128i,
    e: __m128i,
}

impl<const VECTOR: bool> Sha1<VECTOR> {
    /// The state of these words.
    ///
    /// # Safety
    /// The processor must have the SHA extensions, with `VECTOR` AVX-512VL, here and below.
    #[inline(always)]
    pub unsafe fn new([a, b, c, d, e]: [u32; 5]) -> Self {
        let [a, b, c, d, e] = [a as i32, b as i32, c as i32, d as i32, e as i32];
        // SAFETY: the caller has the instructions.
        unsafe { Sha1 { abcd: _mm_set_epi32(a, b, c, d), e: _mm_set_epi32(e, 0, 0, 0) } }
    }

    /// Rounds `4 GROUP` to `4 GROUP + 3` of 80, and the words of those sixteen later.
    ///
    /// # Safety
    /// As for [`Sha1::new`].
    #[inline(always)]
    pub unsafe fn four<const GROUP: usize>(&mut self, w: &mut Words) {
        // SAFETY: the caller has the instructions.
        unsafe {
            let words = w[GROUP % 8];
            let x = if GROUP == 0 { _mm_add_epi32(self.e, words) } else { next_e::<VECTOR>(self.e, words) };
            let abcd = match GROUP / 5 {
                0 => _mm_sha1rnds4_epu32::<0>(self.abcd, x),
                1 => _mm_sha1rnds4_epu32::<1>(self.abcd, x),
                2 => _mm_sha1rnds4_epu32::<2>(self.abcd, x),
                _ => _mm_sha1rnds4_epu32::<3>(self.abcd, x),
            };
            *self = Sha1 { abcd, e: self.abcd };
            if GROUP < 16 {
                extend::<VECTOR>(w, GROUP);
            }
        }
    }

    /// Ends a block: adds the state from before it.
    ///
    /// # Safety
    /// As for [`Sha1::new`].
    #[inline(always)]
    pub unsafe fn add(&mut self, before: Self) {
        // SAFETY: the caller has the instructions.
        unsafe {
            self.e = next_e::<VECTOR>(self.e, before.e);
            self.abcd = _mm_add_epi32(self.abcd, before.abcd);
        }
    }

    /// The words of a state at the end of a block.
    ///
    /// # Safety
    /// As for [`Sha1::new`].
    #[inline(always)]
    pub unsafe fn state(self) -> [u32; 5] {
        // SAFETY: the caller has the instructions.
        unsafe {
            [
                _mm_extract_epi32::<3>(self.abcd) as u32,
                _mm_extract_epi32::<2>(self.abcd) as u32,
                _mm_extract_epi32::<1>(self.abcd) as u32,
                _mm_extract_epi32::<0>(self.abcd) as u32,
                _mm_extract_epi32::<3>(self.e) as u32,
            ]
        }
    }
}

/// Makes the words of rounds `4 group + 16` to `4 group + 19`.
///
/// # Safety
/// The processor must have the SHA extensions, with `VECTOR` AVX-512VL.
#[inline(always)]
unsafe fn extend<const VECTOR: bool>(w: &mut Words, group: usize) {
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
unsafe fn next_e<const VECTOR: bool>(earlier: __m128i, words: __m128i) -> __m128i {
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
