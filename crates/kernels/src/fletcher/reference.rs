//! The definitions, one word at a time: the oracle of the tests, and the end of inputs that fills no vector.

/// Fletcher-4 of whole words, from the sums so far.
pub fn fletcher4<const SWAPPED: bool>(sums: [u64; 4], bytes: &[u8]) -> [u64; 4] {
    let [mut a, mut b, mut c, mut d] = sums;
    for word in bytes.as_chunks::<4>().0 {
        let x = if SWAPPED { u32::from_be_bytes(*word) } else { u32::from_le_bytes(*word) };
        a = a.wrapping_add(u64::from(x));
        b = b.wrapping_add(a);
        c = c.wrapping_add(b);
        d = d.wrapping_add(c);
    }
    [a, b, c, d]
}

/// Fletcher-2 of whole pairs of words, from the sums so far: a0, a1, b0, b1.
pub fn fletcher2<const SWAPPED: bool>(sums: [u64; 4], bytes: &[u8]) -> [u64; 4] {
    let [mut a0, mut a1, mut b0, mut b1] = sums;
    let read = |word: [u8; 8]| if SWAPPED { u64::from_be_bytes(word) } else { u64::from_le_bytes(word) };
    for pair in bytes.as_chunks::<8>().0.as_chunks::<2>().0 {
        a0 = a0.wrapping_add(read(pair[0]));
        a1 = a1.wrapping_add(read(pair[1]));
        b0 = b0.wrapping_add(a0);
        b1 = b1.wrapping_add(a1);
    }
    [a0, a1, b0, b1]
}

/// The sums modulo 2^(8 x `WORD`) - 1, a word of `WORD` bytes at a time; the last may be short.
#[cfg(test)]
pub fn modular<const WORD: usize>(bytes: &[u8]) -> (u64, u64) {
    let modulus = (1 << (8 * WORD)) - 1;
    let (mut a, mut b) = (0, 0);
    for word in bytes.chunks(WORD) {
        let x = word.iter().rev().fold(0, |x, &byte| x << 8 | u64::from(byte));
        a = (a + x) % modulus;
        b = (b + a) % modulus;
    }
    (a, b)
}
