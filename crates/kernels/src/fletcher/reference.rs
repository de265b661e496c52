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
