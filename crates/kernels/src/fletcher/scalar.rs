//! The portable level: the definitions, whose chained additions keep scalar units busy as they are.
//!
//! Rejected: stripes in pairs of 64-bit words. On Sapphire Rapids, as the compiler puts them into SSE2, they sum
//! Fletcher-4 at 7 GB/s where the plain loop reaches 10, and Fletcher-32 at 5 where it reaches 7.5.

use super::lanes::Partial;
use super::reference;

pub fn fletcher4<const SWAPPED: bool>(bytes: &[u8]) -> Partial<[u64; 4]> {
    Partial { sums: reference::fletcher4::<SWAPPED>([0; 4], bytes), bytes: bytes.len() }
}

pub fn fletcher2<const SWAPPED: bool>(bytes: &[u8]) -> Partial<[u64; 4]> {
    Partial { sums: reference::fletcher2::<SWAPPED>([0; 4], bytes), bytes: bytes.len() }
}

/// `a` and `b` of at most 4096 words: b < 2^32 x 4096^2 fits 64 bits.
#[inline(always)]
fn sums<const WORD: usize>(bytes: &[u8]) -> Partial<[u128; 2]> {
    let words = bytes.as_chunks::<WORD>().0;
    let words = &words[..words.len().min(4096)];
    let (mut a, mut b) = (0u64, 0u64);
    for word in words {
        a += word.iter().rev().fold(0, |x, &byte| x << 8 | u64::from(byte));
        b += a;
    }
    Partial { sums: [a.into(), b.into()], bytes: words.len() * WORD }
}

pub fn sums32(bytes: &[u8]) -> Partial<[u128; 2]> {
    sums::<4>(bytes)
}

pub fn sums16(bytes: &[u8]) -> Partial<[u128; 2]> {
    sums::<2>(bytes)
}

pub fn sums8(bytes: &[u8]) -> Partial<[u128; 2]> {
    sums::<1>(bytes)
}
