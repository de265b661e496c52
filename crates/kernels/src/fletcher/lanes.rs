//! The loops, written once for every vector width.
//!
//! Words are not widened before they are summed. Of the two 32-bit words `e` (even) and `o` (odd) in a 64-bit lane
//! `v = e + 2^32 o`, the loops sum `v` as it is and `o = v >> 32`: the sums are linear, so those of `e` are the sums of
//! `v` minus 2^32 times those of `o`, modulo 2^64. That takes one instruction per vector where widening takes two, and
//! makes two independent chains of additions.
//!
//! Fletcher-4 does without that one, too: beside `v` it sums the vector that begins one word earlier in memory, whose
//! lanes `w = p + 2^32 e` hold the odd word before and the even one ([`stripes`]). Words that are swapped do not profit
//! (they take a second shuffle), nor do checksums of two sums, where a second load per vector weighs more.

use super::dispatch::{Four, Partial, Sums, Two};
use super::recombine;
use crate::vector::{Avx2, Avx512, Integers, Level, Sse42, Task, prefetch};
use std::ops::RangeInclusive;

/// How far ahead of the loads cache lines are asked for.
const AHEAD: usize = 2048;

/// Lengths in bytes for which displaced vectors pay. Below, what they spare, an instruction in nine, does not outweigh the longer
/// way to the stripes (20 ns on Sapphire Rapids); beyond the second cache reading decides, and they read twice.
pub const DISPLACED: RangeInclusive<usize> = 16 << 10..=2 << 20;

/// No prefetch up to this size in bytes: the data may be in the first cache, where that costs a tenth.
const NEAR: usize = 40 << 10;

/// One step of four sums of `v` and four of `w`, in which nothing waits for anything else of the step: each sum takes
/// what the one before it was after the step before. [`settle`] brings in what is late.
#[inline(always)]
fn step<V: Integers>(first: &mut [V; 4], second: &mut [V; 4], v: V, w: V) {
    for sums in [&mut *first, &mut *second] {
        for sum in (1..4).rev() {
            sums[sum] = sums[sum].add64(sums[sum - 1]);
        }
    }
    (first[0], second[0]) = (first[0].add64(v), second[0].add64(w));
}

/// Vectors, or groups of them, per turn of a loop. The units that add also take the loop's own instructions, so that fewer of
/// those make it faster.
const TURN: usize = 4;

/// Does something with each of the first `$count` vectors of `$bytes`, [`TURN`] of them per turn; `$ahead` is whether lines are asked
/// for. No function that takes a closure: a closure is compiled without the level's instructions.
macro_rules! each {
    ($vector:ty, $level:expr, $bytes:expr, $count:expr, $ahead:expr, |$v:ident| $work:block) => {
        let mut next = $bytes.as_ptr();
        macro_rules! one {
            ($asks:literal) => {
                if $asks {
                    prefetch(next.wrapping_add(AHEAD));
                }
                let $v = <$vector>::load($level, next);
                next = next.add(<$vector>::BYTES);
                $work
            };
        }
        for _ in 0..$count / TURN {
            if $ahead {
                for _ in 0..TURN {
                    one!(true);
                }
            } else {
                for _ in 0..TURN {
                    one!(false);
                }
            }
        }
        for _ in 0..$count % TURN {
            one!(false);
        }
    };
}

/// The group of vectors at `at`; `displaced` begins one word earlier.
///
/// # Safety
/// A group can be read at `at`.
#[inline(always)]
unsafe fn group<V: Integers, const U: usize, const SWAPPED: bool, const DISPLACED: bool>(
    level: V::Level,
    whole: &mut [[V; 4]; U],
    other: &mut [[V; 4]; U],
    at: *const u8,
    displaced: V,
) {
    for (u, (whole, other)) in whole.iter_mut().zip(other).enumerate() {
        // SAFETY: the caller's promises; only the first vector's word before it is outside of the group.
        unsafe {
            let at = at.add(u * V::BYTES);
            let v = V::load(level, at);
            let v = if SWAPPED { v.reversed::<4>() } else { v };
            let w = match (DISPLACED, u) {
                (false, _) => v.odd32(),
                (true, 0) => displaced,
                (true, _) => V::load(level, at.sub(4)),
            };
            step(whole, other, v, w);
        }
    }
}

/// The sums of Fletcher-4 from those of [`step`]: a, b + a, c + 2 b + a, d + 3 c + 3 b + a.
#[inline(always)]
fn settle<V: Integers>([a, b, c, d]: [V; 4]) -> [V; 4] {
    let (ab, bc, cd) = (a.add64(b), b.add64(c), c.add64(d));
    let abc = ab.add64(bc);
    [a, ab, abc, abc.add64(bc).add64(cd)]
}

/// Fletcher-4 of the whole groups of `U` vectors; `L` is the number of 32-bit words in a group, `DISPLACED` whether
/// displaced vectors spare the shifts.
#[inline(always)]
fn fletcher4<V: Integers, const U: usize, const L: usize, const SWAPPED: bool, const DISPLACED: bool>(
    level: V::Level,
    bytes: &[u8],
) -> Partial<[u64; 4]> {
    const { assert!(!(SWAPPED && DISPLACED)) };
    let groups = bytes.len() / (U * V::BYTES);
    let length = groups * U * V::BYTES;
    let Some((_, last)) = bytes[..length].split_last_chunk::<4>() else {
        return Partial { sums: [0; 4], bytes: 0 };
    };
    // SAFETY: `groups` keeps every load within `bytes`, and no vector is longer than `first`: the first displaced
    // vector, which would begin before it, is made of what follows.
    unsafe {
        let mut whole = [[V::zero(level); 4]; U];
        // Of the displaced vectors, or of the odd words.
        let mut other = [[V::zero(level); 4]; U];
        let mut next = bytes.as_ptr();
        let mut first = [0u8; 64];
        std::ptr::copy_nonoverlapping(next, first.as_mut_ptr().add(4), V::BYTES - 4);
        group::<V, U, SWAPPED, DISPLACED>(
            level,
            &mut whole,
            &mut other,
            next,
            V::load(level, first.as_ptr()),
        );
        next = next.add(U * V::BYTES);
        let turns = (groups - 1) / TURN;
        if length > NEAR {
            for _ in 0..turns {
                for k in 0..TURN {
                    // Once per line of the cache.
                    if (k * U * V::BYTES).is_multiple_of(64) {
                        prefetch(next.wrapping_add(AHEAD));
                    }
                    group::<V, U, SWAPPED, DISPLACED>(
                        level,
                        &mut whole,
                        &mut other,
                        next,
                        V::load(level, next.sub(4)),
                    );
                    next = next.add(U * V::BYTES);
                }
            }
        } else {
            for _ in 0..turns {
                for _ in 0..TURN {
                    group::<V, U, SWAPPED, DISPLACED>(
                        level,
                        &mut whole,
                        &mut other,
                        next,
                        V::load(level, next.sub(4)),
                    );
                    next = next.add(U * V::BYTES);
                }
            }
        }
        for _ in 0..(groups - 1) % TURN {
            group::<V, U, SWAPPED, DISPLACED>(
                level,
                &mut whole,
                &mut other,
                next,
                V::load(level, next.sub(4)),
            );
            next = next.add(U * V::BYTES);
        }
        // Not `map`: a closure is compiled without the level's instructions.
        for sums in whole.iter_mut().chain(&mut other) {
            *sums = settle(*sums);
        }
        let stripes = stripes::<V, U, L, DISPLACED>(level, &whole, &other, u32::from_le_bytes(*last).into());
        Partial { sums: recombine::four(&stripes), bytes: length }
    }
}

/// Fletcher-4's stripes from the sums of the vectors (`whole`) and those beside them: of the displaced vectors
/// (`DISPLACED`), or of the odd words; `last` is the last word that was summed.
///
/// Lane `m` of the displaced vectors holds the odd words `p` that precede: those of lane `m - 1`, and in lane 0 those
/// of the last lane, one vector later. The sums of `p` are `displaced - 2^32 whole`, since of the even words only the
/// lower half is needed there. One more step brings the last word into those of the last lane.
#[inline(always)]
fn stripes<V: Integers, const U: usize, const L: usize, const DISPLACED: bool>(
    level: V::Level,
    whole: &[[V; 4]; U],
    other: &[[V; 4]; U],
    last: u64,
) -> [[u64; 4]; L] {
    const { assert!(L == U * V::BYTES / 4) };
    let per = V::BYTES / 8;
    let mut stripes = [[0; 4]; L];
    let mut step = last;
    for sum in 0..4 {
        // The odd words of lane m are at m + 1.
        let mut odd = [0u64; L];
        // SAFETY: L / 2 lanes and one more are at most L.
        unsafe {
            for u in 0..U {
                if DISPLACED {
                    other[u][sum].sub64(whole[u][sum].upper()).store(odd.as_mut_ptr().add(u * per).cast());
                } else {
                    other[u][sum].store(odd.as_mut_ptr().add(u * per + 1).cast());
                }
            }
            if DISPLACED {
                step = step.wrapping_add(odd[0]);
                odd[L / 2] = step;
            }
            for u in 0..U {
                let o = if DISPLACED {
                    V::load(level, odd.as_ptr().add(u * per + 1).cast())
                } else {
                    other[u][sum]
                };
                let even = whole[u][sum].sub64(o.upper()).lanes();
                for (lane, even) in even.into_iter().enumerate().take(per) {
                    let j = 2 * (u * per + lane);
                    stripes[j][sum] = even;
                    stripes[j + 1][sum] = odd[j / 2 + 1];
                }
            }
        }
    }
    stripes
}

/// Fletcher-2 of the whole groups of `U` vectors; `L` is the number of pairs of 64-bit words in a group.
#[inline(always)]
fn fletcher2<V: Integers, const U: usize, const L: usize, const SWAPPED: bool>(
    level: V::Level,
    bytes: &[u8],
) -> Partial<[u64; 4]> {
    const { assert!(L == U * V::BYTES / 16) };
    let groups = bytes.len() / (U * V::BYTES);
    // SAFETY: `groups` keeps every load within `bytes`.
    unsafe {
        let mut sums = [[V::zero(level); 2]; U];
        let mut next = bytes.as_ptr();
        macro_rules! every_group {
            ($asks:literal) => {
                for _ in 0..groups {
                    if $asks {
                        // Every line of the group: with one of two Zen 3 read from memory at 0.8 of a plain loop's rate.
                        let mut line = 0;
                        while line < U * V::BYTES {
                            prefetch(next.wrapping_add(AHEAD + line));
                            line += 64;
                        }
                    }
                    for [a, b] in &mut sums {
                        let v = V::load(level, next);
                        next = next.add(V::BYTES);
                        *a = a.add64(if SWAPPED { v.reversed::<8>() } else { v });
                        *b = b.add64(*a);
                    }
                }
            };
        }
        if bytes.len() > NEAR {
            every_group!(true);
        } else {
            every_group!(false);
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
#[inline(always)]
fn sums32<V: Integers>(level: V::Level, bytes: &[u8]) -> Partial<[u128; 2]> {
    let vectors = (bytes.len() / V::BYTES).min(1 << 15);
    // SAFETY: `vectors` keeps every load within `bytes`.
    unsafe {
        let [mut wa, mut wb, mut oa, mut ob] = [V::zero(level); 4];
        let far = bytes.len() > NEAR;
        each!(V, level, bytes, vectors, far, |v| {
            wa = wa.add64(v);
            wb = wb.add64(wa);
            oa = oa.add64(v.odd32());
            ob = ob.add64(oa);
        });
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
#[inline(always)]
fn sums16<V: Integers>(level: V::Level, bytes: &[u8]) -> Partial<[u128; 2]> {
    let vectors = (bytes.len() / V::BYTES).min(361);
    // SAFETY: `vectors` keeps every load within `bytes`.
    unsafe {
        let [mut wa, mut wb, mut oa, mut ob] = [V::zero(level); 4];
        let far = bytes.len() > NEAR;
        each!(V, level, bytes, vectors, far, |v| {
            wa = wa.add32(v);
            wb = wb.add32(wa);
            oa = oa.add32(v.odd16());
            ob = ob.add32(oa);
        });
        let [wa, wb, oa, ob] = [wa.lanes(), wb.lanes(), oa.lanes(), ob.lanes()];
        // As `Striped`, in 64 bits: a piece is short, so that what comes after it counts.
        let stripes = V::BYTES as u64 / 2;
        let [mut a, mut b, mut lead] = [0u64; 3];
        for half in 0..V::BYTES / 4 {
            let part = |lanes: &[u64; 8]| (lanes[half / 2] >> (32 * (half % 2))) as u32;
            let even = |w: u32, o: u32| u64::from(w.wrapping_sub(o << 16));
            let (even_a, odd_a) = (even(part(&wa), part(&oa)), u64::from(part(&oa)));
            a += even_a + odd_a;
            b += even(part(&wb), part(&ob)) + u64::from(part(&ob));
            lead += 2 * half as u64 * even_a + (2 * half as u64 + 1) * odd_a;
        }
        Partial { sums: [a.into(), (stripes * b - lead).into()], bytes: vectors * V::BYTES }
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
#[inline(always)]
fn sums8<V: Integers>(level: V::Level, bytes: &[u8]) -> Partial<[u128; 2]> {
    let vectors = (bytes.len() / V::BYTES).min(1 << 14);
    // SAFETY: `vectors` keeps every load within `bytes`, and vectors are no
    // longer than the table.
    unsafe {
        let weights = V::load(level, WEIGHTS.as_ptr().add(WEIGHTS.len() - V::BYTES));
        let [mut a, mut before, mut within] = [V::zero(level); 3];
        let far = bytes.len() > NEAR;
        each!(V, level, bytes, vectors, far, |v| {
            before = before.add64(a);
            a = a.add64(v.sum_bytes());
            within = within.add32(v.weigh_bytes(weights));
        });
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

/// The loops at a level, whose vectors have `$bytes` bytes. `$four` and `$two` are the vectors per step of Fletcher-4 and
/// Fletcher-2: as many independent chains as hide the additions' latency and fit the registers.
macro_rules! at_level {
    ($level:ident, $bytes:literal bytes, four: $four:literal, two: $two:literal) => {
        impl<const SWAPPED: bool> Task<$level> for Four<'_, SWAPPED> {
            type Output = Partial<[u64; 4]>;

            #[inline(always)]
            fn run(self, level: $level) -> Partial<[u64; 4]> {
                type V = <$level as Level>::Integers;
                // A constant cannot be made of SWAPPED.
                if SWAPPED {
                    fletcher4::<V, $four, { $four * $bytes / 4 }, true, false>(level, self.0)
                } else if !DISPLACED.contains(&self.0.len()) {
                    fletcher4::<V, $four, { $four * $bytes / 4 }, false, false>(level, self.0)
                } else {
                    fletcher4::<V, $four, { $four * $bytes / 4 }, false, true>(level, self.0)
                }
            }
        }

        impl<const SWAPPED: bool> Task<$level> for Two<'_, SWAPPED> {
            type Output = Partial<[u64; 4]>;

            #[inline(always)]
            fn run(self, level: $level) -> Partial<[u64; 4]> {
                type V = <$level as Level>::Integers;
                fletcher2::<V, $two, { $two * $bytes / 16 }, SWAPPED>(level, self.0)
            }
        }
    };
}
at_level!(Sse42, 16 bytes, four: 1, two: 4);
at_level!(Avx2, 32 bytes, four: 1, two: 4);
at_level!(Avx512, 64 bytes, four: 1, two: 2);

impl<L: Level, const WORD: usize> Task<L> for Sums<'_, WORD> {
    type Output = Partial<[u128; 2]>;

    #[inline(always)]
    fn run(self, level: L) -> Partial<[u128; 2]> {
        match WORD {
            1 => sums8::<L::Integers>(level, self.0),
            2 => sums16::<L::Integers>(level, self.0),
            _ => sums32::<L::Integers>(level, self.0),
        }
    }
}
