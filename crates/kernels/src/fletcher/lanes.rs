//! The loops, written once for every vector width.
//!
//! A level gives its vector type the operations of [`Lanes`] and instantiates the loops with [`entries!`].
//!
//! Words are not widened before they are summed. Of the two 32-bit words `e` (even) and `o` (odd) in a 64-bit lane
//! `v = e + 2^32 o`, the loops sum `v` as it is and `o = v >> 32`: the sums are linear, so those of `e` are the sums of
//! `v` minus 2^32 times those of `o`, modulo 2^64. That takes one instruction per vector where widening takes two, and
//! makes two independent chains of additions.

use super::recombine;

/// A vector of 64-bit lanes, at most 64 bytes.
///
/// # Safety of the methods
/// The processor must have the instructions of the level that implements them.
pub trait Lanes: Copy {
    /// Size.
    const BYTES: usize;

    unsafe fn zero() -> Self;
    /// `bytes` has [`Lanes::BYTES`] readable bytes, of any alignment.
    unsafe fn load(bytes: *const u8) -> Self;
    unsafe fn add64(self, other: Self) -> Self;
    unsafe fn add32(self, other: Self) -> Self;
    /// The upper half of each 64-bit lane.
    unsafe fn odd32(self) -> Self;
    /// The upper half of each 32-bit lane.
    unsafe fn odd16(self) -> Self;
    /// The bytes of each 32-bit lane reversed.
    unsafe fn swap32(self) -> Self;
    /// The bytes of each 64-bit lane reversed.
    unsafe fn swap64(self) -> Self;
    /// The sum of each 64-bit lane's bytes.
    unsafe fn sum_bytes(self) -> Self;
    /// In each 32-bit lane the sum of its bytes times those of `weights`, which are at most 64.
    unsafe fn weigh_bytes(self, weights: Self) -> Self;
    /// Asks for the cache line at `address`, which may lie beyond what can be read.
    unsafe fn prefetch(address: *const u8);
    /// The lanes; those beyond the vector are zero.
    unsafe fn lanes(self) -> [u64; 8];
}

/// How far ahead of the loads cache lines are asked for.
const AHEAD: usize = 2048;

/// Sums of a beginning of the input, and how long that was.
pub struct Partial<T> {
    pub sums: T,
    pub bytes: usize,
}

/// Fletcher-4 of the whole groups of `U` vectors; `L` is the number of 32-bit words in a group.
///
/// # Safety
/// The processor must have the instructions of `V`'s level.
#[inline(always)]
pub unsafe fn fletcher4<V: Lanes, const U: usize, const L: usize, const SWAPPED: bool>(
    bytes: &[u8],
) -> Partial<[u64; 4]> {
    const { assert!(L == U * V::BYTES / 4) };
    let groups = bytes.len() / (U * V::BYTES);
    // SAFETY: the caller vouches for the instructions; `groups` keeps every load within `bytes`.
    unsafe {
        let mut whole = [[V::zero(); 4]; U];
        let mut odd = [[V::zero(); 4]; U];
        let mut next = bytes.as_ptr();
        for _ in 0..groups {
            V::prefetch(next.wrapping_add(AHEAD));
            for (whole, odd) in whole.iter_mut().zip(&mut odd) {
                let mut v = V::load(next);
                next = next.add(V::BYTES);
                if SWAPPED {
                    v = v.swap32();
                }
                let mut o = v.odd32();
                for (whole, odd) in whole.iter_mut().zip(odd) {
                    *whole = whole.add64(v);
                    v = *whole;
                    *odd = odd.add64(o);
                    o = *odd;
                }
            }
        }
        let mut stripes = [[0; 4]; L];
        for u in 0..U {
            for sum in 0..4 {
                let (v, o) = (whole[u][sum].lanes(), odd[u][sum].lanes());
                for lane in 0..V::BYTES / 8 {
                    let j = u * V::BYTES / 4 + 2 * lane;
                    stripes[j][sum] = v[lane].wrapping_sub(o[lane] << 32);
                    stripes[j + 1][sum] = o[lane];
                }
            }
        }
        Partial { sums: recombine::four(&stripes), bytes: groups * U * V::BYTES }
    }
}

/// Fletcher-2 of the whole groups of `U` vectors; `L` is the number of pairs of 64-bit words in a group.
///
/// # Safety
/// The processor must have the instructions of `V`'s level.
#[inline(always)]
pub unsafe fn fletcher2<V: Lanes, const U: usize, const L: usize, const SWAPPED: bool>(
    bytes: &[u8],
) -> Partial<[u64; 4]> {
    const { assert!(L == U * V::BYTES / 16) };
    let groups = bytes.len() / (U * V::BYTES);
    // SAFETY: the caller vouches for the instructions; `groups` keeps every load within `bytes`.
    unsafe {
        let mut sums = [[V::zero(); 2]; U];
        let mut next = bytes.as_ptr();
        for _ in 0..groups {
            V::prefetch(next.wrapping_add(AHEAD));
            for [a, b] in &mut sums {
                let v = V::load(next);
                next = next.add(V::BYTES);
                *a = a.add64(if SWAPPED { v.swap64() } else { v });
                *b = b.add64(*a);
            }
        }
        // Even and odd words are checksums of their own, of L stripes each.
        let mut stripes = [[[0; 4]; L]; 2];
        for u in 0..U {
            let [a, b] = sums[u].map(|v| v.lanes());
            for lane in 0..V::BYTES / 8 {
                stripes[lane % 2][u * V::BYTES / 16 + lane / 2] = [a[lane], b[lane], 0, 0];
            }
        }
        let [even, odd] = [recombine::four(&stripes[0]), recombine::four(&stripes[1])];
        Partial { sums: [even[0], odd[0], even[1], odd[1]], bytes: groups * U * V::BYTES }
    }
}

/// `a` and `b` of 32-bit words as whole numbers: of at most 2^15 vectors, so that no lane overflows
/// (b < 2^32 n^2 < 2^62).
///
/// # Safety
/// The processor must have the instructions of `V`'s level.
#[inline(always)]
pub unsafe fn sums32<V: Lanes>(bytes: &[u8]) -> Partial<[u128; 2]> {
    let vectors = (bytes.len() / V::BYTES).min(1 << 15);
    // SAFETY: the caller vouches for the instructions; `vectors` keeps every load within `bytes`.
    unsafe {
        let [mut wa, mut wb, mut oa, mut ob] = [V::zero(); 4];
        let mut next = bytes.as_ptr();
        for _ in 0..vectors {
            V::prefetch(next.wrapping_add(AHEAD));
            let v = V::load(next);
            next = next.add(V::BYTES);
            wa = wa.add64(v);
            wb = wb.add64(wa);
            oa = oa.add64(v.odd32());
            ob = ob.add64(oa);
        }
        let [wa, wb, oa, ob] = [wa.lanes(), wb.lanes(), oa.lanes(), ob.lanes()];
        let mut sums = Striped::new(V::BYTES / 4);
        for lane in 0..V::BYTES / 8 {
            sums.add(2 * lane, wa[lane].wrapping_sub(oa[lane] << 32), wb[lane].wrapping_sub(ob[lane] << 32));
            sums.add(2 * lane + 1, oa[lane], ob[lane]);
        }
        Partial { sums: sums.whole(), bytes: vectors * V::BYTES }
    }
}

/// `a` and `b` of 16-bit words as whole numbers: of at most 361 vectors, so that no 32-bit lane overflows
/// (b <= 65535 n (n + 1) / 2 < 2^32).
///
/// # Safety
/// The processor must have the instructions of `V`'s level.
#[inline(always)]
pub unsafe fn sums16<V: Lanes>(bytes: &[u8]) -> Partial<[u128; 2]> {
    let vectors = (bytes.len() / V::BYTES).min(361);
    // SAFETY: the caller vouches for the instructions; `vectors` keeps every load within `bytes`.
    unsafe {
        let [mut wa, mut wb, mut oa, mut ob] = [V::zero(); 4];
        let mut next = bytes.as_ptr();
        for _ in 0..vectors {
            V::prefetch(next.wrapping_add(AHEAD));
            let v = V::load(next);
            next = next.add(V::BYTES);
            wa = wa.add32(v);
            wb = wb.add32(wa);
            oa = oa.add32(v.odd16());
            ob = ob.add32(oa);
        }
        let [wa, wb, oa, ob] = [wa.lanes(), wb.lanes(), oa.lanes(), ob.lanes()];
        let mut sums = Striped::new(V::BYTES / 2);
        for half in 0..V::BYTES / 4 {
            let part = |lanes: &[u64; 8]| (lanes[half / 2] >> (32 * (half % 2))) as u32;
            let even = |w: u32, o: u32| u64::from(w.wrapping_sub(o << 16));
            sums.add(2 * half, even(part(&wa), part(&oa)), even(part(&wb), part(&ob)));
            sums.add(2 * half + 1, part(&oa).into(), part(&ob).into());
        }
        Partial { sums: sums.whole(), bytes: vectors * V::BYTES }
    }
}

/// Weights of a vector's bytes, the last one's 1: of 64 bytes; narrower vectors take the end.
static WEIGHTS: [u8; 64] = {
    let mut weights = [0; 64];
    let mut index = 0;
    while index < 64 {
        weights[index] = 64 - index as u8;
        index += 1;
    }
    weights
};

/// `a` and `b` of bytes as whole numbers: of at most 2^14 vectors, so that no 32-bit lane overflows
/// (4 x 255 x 64 x n < 2^31). A byte's weight is that of its vector plus that within its vector.
///
/// # Safety
/// The processor must have the instructions of `V`'s level.
#[inline(always)]
pub unsafe fn sums8<V: Lanes>(bytes: &[u8]) -> Partial<[u128; 2]> {
    let vectors = (bytes.len() / V::BYTES).min(1 << 14);
    // SAFETY: the caller vouches for the instructions; `vectors` keeps every load within `bytes`, and vectors are no
    // longer than the table.
    unsafe {
        let weights = V::load(WEIGHTS.as_ptr().add(WEIGHTS.len() - V::BYTES));
        let [mut a, mut before, mut within] = [V::zero(); 3];
        let mut next = bytes.as_ptr();
        for _ in 0..vectors {
            V::prefetch(next.wrapping_add(AHEAD));
            let v = V::load(next);
            next = next.add(V::BYTES);
            before = before.add64(a);
            a = a.add64(v.sum_bytes());
            within = within.add32(v.weigh_bytes(weights));
        }
        let total = |v: V| v.lanes().iter().map(|&lane| u128::from(lane)).sum::<u128>();
        let within =
            within.lanes().iter().map(|&lane| u128::from(lane >> 32) + u128::from(lane as u32)).sum::<u128>();
        let b = V::BYTES as u128 * total(before) + within;
        Partial { sums: [total(a), b], bytes: vectors * V::BYTES }
    }
}

/// Stripes of (a, b) as they are joined: B = L sum b_j - sum j a_j, which is never negative.
struct Striped {
    stripes: u128,
    a: u128,
    b: u128,
    lead: u128,
}

impl Striped {
    #[inline(always)]
    fn new(stripes: usize) -> Striped {
        Striped { stripes: stripes as u128, a: 0, b: 0, lead: 0 }
    }

    #[inline(always)]
    fn add(&mut self, stripe: usize, a: u64, b: u64) {
        self.a += u128::from(a);
        self.b += u128::from(b);
        self.lead += stripe as u128 * u128::from(a);
    }

    #[inline(always)]
    fn whole(self) -> [u128; 2] {
        [self.a, self.stripes * self.b - self.lead]
    }
}

/// The functions of a level: the loops for its vector type, compiled for its instructions.
///
/// `$four` and `$two` are the vectors per step of Fletcher-4 and Fletcher-2: as many independent chains as hide the
/// additions' latency and fit the registers.
macro_rules! entries {
    ($features:literal, $vector:ty, $bytes:literal, four: $four:literal, two: $two:literal) => {
        use crate::fletcher::lanes::{self, Partial};

        #[target_feature(enable = $features)]
        pub fn fletcher4<const SWAPPED: bool>(bytes: &[u8]) -> Partial<[u64; 4]> {
            // SAFETY: this function has the level's instructions, so whoever may call it has.
            unsafe { lanes::fletcher4::<$vector, $four, { $four * $bytes / 4 }, SWAPPED>(bytes) }
        }

        #[target_feature(enable = $features)]
        pub fn fletcher2<const SWAPPED: bool>(bytes: &[u8]) -> Partial<[u64; 4]> {
            // SAFETY: as above.
            unsafe { lanes::fletcher2::<$vector, $two, { $two * $bytes / 16 }, SWAPPED>(bytes) }
        }

        #[target_feature(enable = $features)]
        pub fn sums32(bytes: &[u8]) -> Partial<[u128; 2]> {
            // SAFETY: as above.
            unsafe { lanes::sums32::<$vector>(bytes) }
        }

        #[target_feature(enable = $features)]
        pub fn sums16(bytes: &[u8]) -> Partial<[u128; 2]> {
            // SAFETY: as above.
            unsafe { lanes::sums16::<$vector>(bytes) }
        }

        #[target_feature(enable = $features)]
        pub fn sums8(bytes: &[u8]) -> Partial<[u128; 2]> {
            // SAFETY: as above.
            unsafe { lanes::sums8::<$vector>(bytes) }
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use entries;
