//! The portable level of the modular sums. Fletcher-2 and -4 have none but the definitions, whose chained additions keep
//! scalar units busy as they are.
//!
//! Rejected: stripes in pairs of 64-bit words. On Sapphire Rapids, as the compiler puts them into SSE2, they sum
//! Fletcher-4 at 7 GB/s where the plain loop reaches 10, and Fletcher-32 at 5 where it reaches 7.5.

use super::dispatch::Partial;

/// `a` and `b` of at most 4096 words: b < 2^32 x 4096^2 fits 64 bits.
pub fn sums<const WORD: usize>(bytes: &[u8]) -> Partial<[u128; 2]> {
    let words = bytes.as_chunks::<WORD>().0;
    let words = &words[..words.len().min(4096)];
    let (mut a, mut b) = (0u64, 0u64);
    for word in words {
        a += word.iter().rev().fold(0, |x, &byte| x << 8 | u64::from(byte));
        b += a;
    }
    Partial { sums: [a.into(), b.into()], bytes: words.len() * WORD }
}
