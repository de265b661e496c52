//! The definitions as plain loops, compiled for the best level: the code of a program without a library.

use loopwright_kernels::Isa;

/// Compiles `$body` for the levels and calls the best one.
macro_rules! compiled {
    ($(#[$doc:meta])* $name:ident <const $parameter:ident : $kind:ty> ($bytes:ident) -> $result:ty $body:block) => {
        $(#[$doc])*
        pub fn $name<const $parameter: $kind>($bytes: &[u8]) -> $result {
            #[inline(always)]
            fn plain<const $parameter: $kind>($bytes: &[u8]) -> $result $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi2")]
            fn avx2<const $parameter: $kind>(bytes: &[u8]) -> $result {
                plain::<$parameter>(bytes)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2")]
            fn avx512<const $parameter: $kind>(bytes: &[u8]) -> $result {
                plain::<$parameter>(bytes)
            }
            match Isa::available().next_back() {
                // SAFETY: the level is available.
                #[cfg(target_arch = "x86_64")]
                Some(Isa::Avx512) => unsafe { avx512::<$parameter>($bytes) },
                // SAFETY: the level is available.
                #[cfg(target_arch = "x86_64")]
                Some(Isa::Avx2) => unsafe { avx2::<$parameter>($bytes) },
                _ => plain::<$parameter>($bytes),
            }
        }
    };
}

compiled! {
    /// Fletcher-4 word by word.
    fletcher4<const SWAPPED: bool>(bytes) -> [u64; 4] {
        let [mut a, mut b, mut c, mut d] = [0u64; 4];
        for word in bytes.as_chunks::<4>().0 {
            let x = if SWAPPED { u32::from_be_bytes(*word) } else { u32::from_le_bytes(*word) };
            a = a.wrapping_add(u64::from(x));
            b = b.wrapping_add(a);
            c = c.wrapping_add(b);
            d = d.wrapping_add(c);
        }
        [a, b, c, d]
    }
}

compiled! {
    /// Fletcher-2 pair by pair.
    fletcher2<const SWAPPED: bool>(bytes) -> [u64; 4] {
        let [mut a0, mut a1, mut b0, mut b1] = [0u64; 4];
        let read = |word: &[u8; 8]| if SWAPPED { u64::from_be_bytes(*word) } else { u64::from_le_bytes(*word) };
        for [even, odd] in bytes.as_chunks::<8>().0.as_chunks::<2>().0 {
            a0 = a0.wrapping_add(read(even));
            a1 = a1.wrapping_add(read(odd));
            b0 = b0.wrapping_add(a0);
            b1 = b1.wrapping_add(a1);
        }
        [a0, a1, b0, b1]
    }
}

compiled! {
    /// The modular checksums of words of `WORD` bytes, with one modulo operation per 4096 words: up to there
    /// b fits 64 bits (2^32 x 4096 x 4097 / 2 < 2^56, besides the carried 2^32 x 4096).
    modular<const WORD: usize>(bytes) -> u64 {
        let modulus = (1u64 << (8 * WORD)) - 1;
        let [mut a, mut b] = [0u64; 2];
        for piece in bytes.chunks(4096 * WORD) {
            let (words, rest) = piece.as_chunks::<WORD>();
            for word in words {
                a += word.iter().rev().fold(0, |x, &byte| x << 8 | u64::from(byte));
                b += a;
            }
            if !rest.is_empty() {
                a += rest.iter().rev().fold(0, |x, &byte| x << 8 | u64::from(byte));
                b += a;
            }
            (a, b) = (a % modulus, b % modulus);
        }
        b << (8 * WORD) | a
    }
}
