//! The portable level: two 64-bit words at a time, which most compilers put into two registers or one vector.

use super::lanes::{self, Lanes, Partial};
use super::reference;

/// Two 64-bit lanes.
#[derive(Clone, Copy)]
struct Two([u64; 2]);

// No method needs more than the language: all are safe for any caller that keeps `load`'s promise.
impl Lanes for Two {
    const BYTES: usize = 16;

    #[inline(always)]
    unsafe fn zero() -> Self {
        Two([0; 2])
    }
    #[inline(always)]
    unsafe fn load(bytes: *const u8) -> Self {
        // SAFETY: the caller has 16 bytes there; an array of bytes has no alignment.
        let bytes = unsafe { *bytes.cast::<[[u8; 8]; 2]>() };
        Two(bytes.map(u64::from_le_bytes))
    }
    #[inline(always)]
    unsafe fn add64(self, other: Self) -> Self {
        Two([self.0[0].wrapping_add(other.0[0]), self.0[1].wrapping_add(other.0[1])])
    }
    #[inline(always)]
    unsafe fn add32(self, other: Self) -> Self {
        let add = |x: u64, y: u64| {
            let high = (x >> 32).wrapping_add(y >> 32) << 32;
            high | u64::from((x as u32).wrapping_add(y as u32))
        };
        Two([add(self.0[0], other.0[0]), add(self.0[1], other.0[1])])
    }
    #[inline(always)]
    unsafe fn odd32(self) -> Self {
        Two(self.0.map(|x| x >> 32))
    }
    #[inline(always)]
    unsafe fn odd16(self) -> Self {
        Two(self.0.map(|x| x >> 16 & 0xffff_0000_ffff))
    }
    #[inline(always)]
    unsafe fn swap32(self) -> Self {
        Two(self.0.map(|x| x.swap_bytes().rotate_left(32)))
    }
    #[inline(always)]
    unsafe fn swap64(self) -> Self {
        Two(self.0.map(u64::swap_bytes))
    }
    #[inline(always)]
    unsafe fn sum_bytes(self) -> Self {
        Two(self.0.map(|x| x.to_le_bytes().iter().map(|&byte| u64::from(byte)).sum()))
    }
    #[inline(always)]
    unsafe fn weigh_bytes(self, weights: Self) -> Self {
        let weigh = |x: u64, w: u64| {
            let (x, w) = (x.to_le_bytes(), w.to_le_bytes());
            let half = |from: usize| (from..from + 4).map(|i| u64::from(x[i]) * u64::from(w[i])).sum::<u64>();
            half(0) | half(4) << 32
        };
        Two([weigh(self.0[0], weights.0[0]), weigh(self.0[1], weights.0[1])])
    }
    #[inline(always)]
    unsafe fn prefetch(_: *const u8) {}
    #[inline(always)]
    unsafe fn lanes(self) -> [u64; 8] {
        let mut lanes = [0; 8];
        lanes[..2].copy_from_slice(&self.0);
        lanes
    }
}

/// The definition: four chained additions a word keep the scalar units busy as they are. Stripes in two-lane vectors
/// reach 7 GB/s where this reaches 10 (Sapphire Rapids).
pub fn fletcher4<const SWAPPED: bool>(bytes: &[u8]) -> Partial<[u64; 4]> {
    Partial { sums: reference::fletcher4::<SWAPPED>([0; 4], bytes), bytes: bytes.len() }
}

pub fn fletcher2<const SWAPPED: bool>(bytes: &[u8]) -> Partial<[u64; 4]> {
    // SAFETY: the portable vector needs no instructions of a level.
    unsafe { lanes::fletcher2::<Two, 2, 2, SWAPPED>(bytes) }
}

pub fn sums32(bytes: &[u8]) -> Partial<[u128; 2]> {
    // SAFETY: as above.
    unsafe { lanes::sums32::<Two>(bytes) }
}

pub fn sums16(bytes: &[u8]) -> Partial<[u128; 2]> {
    // SAFETY: as above.
    unsafe { lanes::sums16::<Two>(bytes) }
}

pub fn sums8(bytes: &[u8]) -> Partial<[u128; 2]> {
    // SAFETY: as above.
    unsafe { lanes::sums8::<Two>(bytes) }
}
