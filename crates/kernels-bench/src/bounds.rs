//! Loops that do only the work that no implementation can avoid: they show the best possible speed.
//!
//! They run at the best level that the processor has, whatever level is set for the kernels.

#[cfg(target_arch = "x86_64")]
use loopwright_kernels::Extra;
use loopwright_kernels::Isa;
#[cfg(target_arch = "x86_64")]
use std::arch::{asm, x86_64::*};

/// Reads every whole 512 bytes, with the widest loads available.
pub fn read(bytes: &[u8]) -> u64 {
    match Isa::available().next_back() {
        // SAFETY: the level is available.
        #[cfg(target_arch = "x86_64")]
        Some(Isa::Avx512) => unsafe { read_512(bytes) },
        // SAFETY: the level is available.
        #[cfg(target_arch = "x86_64")]
        Some(Isa::Avx2) => unsafe { read_256(bytes) },
        _ => {
            let mut any = [0u64; 8];
            for chunk in bytes.as_chunks::<8>().0.as_chunks::<8>().0 {
                any.iter_mut().zip(chunk).for_each(|(any, word)| *any |= u64::from_ne_bytes(*word));
            }
            any.iter().fold(0, |all, &any| all | any)
        }
    }
}

/// Prefetches the cache lines 2 KiB ahead: without it one thread reads more slowly from beyond the second cache.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn ask_for(chunk: &[u8]) {
    for line in 0..8 {
        // SAFETY: a prefetch reads nothing, so any address will do.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(chunk.as_ptr().wrapping_add(2048 + 64 * line).cast()) };
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn read_256(bytes: &[u8]) -> u64 {
    let mut any = [_mm256_setzero_si256(); 8];
    for chunk in bytes.chunks_exact(512) {
        ask_for(chunk);
        for half in 0..2 {
            for (k, any) in any.iter_mut().enumerate() {
                // SAFETY: 256 half + 32 k + 32 is at most the chunk's 512.
                let v = unsafe { _mm256_loadu_si256(chunk.as_ptr().add(256 * half + 32 * k).cast()) };
                *any = _mm256_or_si256(*any, v);
            }
        }
    }
    let all = any.into_iter().fold(_mm256_setzero_si256(), |all, any| _mm256_or_si256(all, any));
    let halves = _mm_or_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
    (_mm_extract_epi64::<0>(halves) | _mm_extract_epi64::<1>(halves)) as u64
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn read_512(bytes: &[u8]) -> u64 {
    let mut any = [_mm512_setzero_si512(); 8];
    for chunk in bytes.chunks_exact(512) {
        ask_for(chunk);
        for (k, any) in any.iter_mut().enumerate() {
            // SAFETY: 64 k + 64 is at most the chunk's 512.
            let v = unsafe { _mm512_loadu_si512(chunk.as_ptr().add(64 * k).cast()) };
            *any = _mm512_or_si512(*any, v);
        }
    }
    let all = any.into_iter().fold(_mm512_setzero_si512(), |all, any| _mm512_or_si512(all, any));
    _mm512_reduce_or_epi64(all) as u64
}

/// Executes at least `count` additions of 64-bit lanes in registers, independent of each other within a
/// dozen, with the widest vectors available.
pub fn additions(count: u64) {
    match Isa::available().next_back() {
        // SAFETY: the level is available.
        #[cfg(target_arch = "x86_64")]
        Some(Isa::Avx512) => unsafe { additions_512(count.div_ceil(12 * 8)) },
        // SAFETY: the level is available.
        #[cfg(target_arch = "x86_64")]
        Some(Isa::Avx2) => unsafe { additions_256(count.div_ceil(12 * 4)) },
        _ => {
            let mut sums = [0u64; 4];
            for turn in 0..count.div_ceil(4) {
                sums = std::hint::black_box(sums.map(|sum| sum.wrapping_add(turn)));
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! dozen {
    ($function:ident, $feature:literal, $instruction:literal, $register:literal) => {
        /// Twelve instructions per iteration. Assembly, because a compiler makes one addition of many.
        #[target_feature(enable = $feature)]
        fn $function(turns: u64) {
            for _ in 0..turns {
                // SAFETY: only vector registers change, and all that change are named.
                unsafe {
                    asm!(
                        concat!($instruction, " ", $register, "0, ", $register, "0, ", $register, "12"),
                        concat!($instruction, " ", $register, "1, ", $register, "1, ", $register, "12"),
                        concat!($instruction, " ", $register, "2, ", $register, "2, ", $register, "12"),
                        concat!($instruction, " ", $register, "3, ", $register, "3, ", $register, "12"),
                        concat!($instruction, " ", $register, "4, ", $register, "4, ", $register, "12"),
                        concat!($instruction, " ", $register, "5, ", $register, "5, ", $register, "12"),
                        concat!($instruction, " ", $register, "6, ", $register, "6, ", $register, "12"),
                        concat!($instruction, " ", $register, "7, ", $register, "7, ", $register, "12"),
                        concat!($instruction, " ", $register, "8, ", $register, "8, ", $register, "12"),
                        concat!($instruction, " ", $register, "9, ", $register, "9, ", $register, "12"),
                        concat!($instruction, " ", $register, "10, ", $register, "10, ", $register, "12"),
                        concat!($instruction, " ", $register, "11, ", $register, "11, ", $register, "12"),
                        out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
                        out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _,
                        out("xmm10") _, out("xmm11") _,
                        options(nomem, nostack, preserves_flags)
                    );
                }
            }
            // Values left in the upper halves would slow down later code with 128-bit vectors.
            _mm256_zeroupper();
        }
    };
}
#[cfg(target_arch = "x86_64")]
dozen!(additions_256, "avx2", "vpaddq", "ymm");
#[cfg(target_arch = "x86_64")]
dozen!(additions_512, "avx512f", "vpaddq", "zmm");

/// Executes `count` AES rounds of a block, each of which depends on the one before; does nothing where the
/// processor has no AES.
pub fn aes_chain(count: u64) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "aes")]
        fn chain(count: u64) {
            let key = std::hint::black_box(_mm_set1_epi8(7));
            let mut block = key;
            for _ in 0..count {
                block = _mm_aesenc_si128(block, key);
            }
            std::hint::black_box(block);
        }
        if Extra::AesNi.is_available(Isa::Sse42) {
            // SAFETY: the instructions are available.
            unsafe { chain(count) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = count;
}

/// Executes at least `count` additions, each of which depends on the one before.
pub fn chain(count: u64) {
    let mut sum = 1u64;
    for _ in 0..count.div_ceil(8) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: only the sum changes. Assembly, because a compiler makes one addition of many.
        unsafe {
            asm!(
                "add {0}, {0}", "add {0}, {0}", "add {0}, {0}", "add {0}, {0}",
                "add {0}, {0}", "add {0}, {0}", "add {0}, {0}", "add {0}, {0}",
                inout(reg) sum, options(nomem, nostack)
            );
        }
        #[cfg(not(target_arch = "x86_64"))]
        for _ in 0..8 {
            sum = std::hint::black_box(sum.wrapping_add(sum));
        }
    }
    std::hint::black_box(sum);
}

/// Executes at least `count` AES rounds of a block, independent of each other within a dozen, with the widest
/// vectors for which the processor has AES; does nothing where it has none.
pub fn aes_rounds(count: u64) {
    #[cfg(target_arch = "x86_64")]
    {
        let Some(best) = Isa::available().next_back() else { return };
        // SAFETY: what each needs is available.
        unsafe {
            if best == Isa::Avx512 && Extra::Vaes.is_available(best) {
                aes_512(count.div_ceil(12 * 4));
            } else if Extra::Vaes.is_available(best) {
                aes_256(count.div_ceil(12 * 2));
            } else if Extra::AesNi.is_available(best) && best >= Isa::Avx2 {
                aes_128(count.div_ceil(12));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = count;
}

#[cfg(target_arch = "x86_64")]
dozen!(aes_128, "avx,aes", "vaesenc", "xmm");
#[cfg(target_arch = "x86_64")]
dozen!(aes_256, "avx2,vaes", "vaesenc", "ymm");
#[cfg(target_arch = "x86_64")]
dozen!(aes_512, "avx512f,vaes", "vaesenc", "zmm");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read() {
        for word in 0..128 {
            let mut bytes = [0; 1024];
            bytes[8 * word] = 0x10;
            assert_eq!(read(&bytes), 0x10, "word {word}");
        }
    }
}
