//! The compression functions, written once for every width: lane `l` of a vector belongs to message `l`.
//!
//! A level gives its vectors the operations of [`Lanes`] and instantiates the functions ([`super::engine`] lists
//! them). A vector of one lane is a plain word, so the code for a single message is the same.
//!
//! States lie word by word: word `i` of slot `l` at `state + i * SLOTS + l`, so that a vector of lanes is one load. The
//! 16 words of a block are read in place from every message and transposed in registers.

use super::constants;
use super::slots::SLOTS;

/// A vector of words, each of a message of its own.
///
/// # Safety of the methods
/// The processor must have the instructions of the level that implements them.
pub trait Lanes: Copy {
    type Word: Copy;
    const LANES: usize;

    unsafe fn splat(word: Self::Word) -> Self;
    /// `from` has as many readable words as there are lanes.
    unsafe fn load(from: *const Self::Word) -> Self;
    /// `to` has as many writable words as there are lanes.
    unsafe fn store(self, to: *mut Self::Word);
    unsafe fn add(self, other: Self) -> Self;
    /// Rotated to the right; `N` is more than zero and less than the word's bits.
    unsafe fn ror<const N: i32>(self) -> Self;
    unsafe fn shr<const N: i32>(self) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    /// `a ^ b ^ c`.
    unsafe fn xor3(a: Self, b: Self, c: Self) -> Self;
    /// Bits of `yes` where `mask` has ones, of `no` elsewhere.
    unsafe fn choose(mask: Self, yes: Self, no: Self) -> Self;
    /// The bits that two of three have.
    unsafe fn majority(a: Self, b: Self, c: Self) -> Self;
    /// `c ^ (b | !d)`.
    unsafe fn odd_one(b: Self, c: Self, d: Self) -> Self;
    /// The 16 words at `offset` bytes of every row, word by word; most significant byte first with `BIG`. `rows` has as
    /// many pointers as there are lanes, each with 16 readable words at `offset`.
    unsafe fn message<const BIG: bool>(rows: *const *const u8, offset: usize) -> [Self; 16];
}

/// Asks for what comes after the block at `offset` of every row: many streams at once are more than the hardware
/// follows by itself.
#[inline(always)]
unsafe fn prefetch<V: Lanes>(rows: *const *const u8, offset: usize) {
    #[cfg(target_arch = "x86_64")]
    if V::LANES > 1 {
        for lane in 0..V::LANES {
            // SAFETY: the caller has as many pointers; a prefetch may name any address.
            unsafe {
                let ahead = (*rows.add(lane)).wrapping_add(offset + AHEAD);
                std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(ahead.cast());
            }
        }
    }
}

/// How far ahead of its use a cache line is asked for.
const AHEAD: usize = 512;

/// SHA-256 and SHA-512: the same rounds on words of 32 and 64 bits (FIPS 180-4, 4.1.2, 4.1.3, 6.2.2, 6.4.2).
macro_rules! sha2 {
    (
        $(#[$doc:meta])* $name:ident, $word:ty, $constants:ident, rounds $rounds:literal,
        big $a1:literal $a2:literal $a3:literal, $e1:literal $e2:literal $e3:literal,
        small $s1:literal $s2:literal $s3:literal, $t1:literal $t2:literal $t3:literal
    ) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The processor must have the instructions of `V`'s level. `state` has eight rows of [`SLOTS`] words from
        /// the first lane on, `rows` as many pointers as there are lanes, each to `blocks` readable blocks.
        #[inline(always)]
        pub unsafe fn $name<V: Lanes<Word = $word>>(
            state: *mut $word, rows: *const *const u8, blocks: usize,
        ) {
            const BLOCK: usize = 16 * size_of::<$word>();
            // SAFETY: the caller vouches for the instructions and for what the pointers reach.
            unsafe {
                let mut s: [V; 8] = std::array::from_fn(|i| V::load(state.add(i * SLOTS)));
                for block in 0..blocks {
                    let mut w = V::message::<true>(rows, block * BLOCK);
                    prefetch::<V>(rows, block * BLOCK);
                    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = s;
                    let mut k = constants::$constants.as_ptr();
                    macro_rules! round {
                        ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $i:expr) => {
                            let sum = w[$i].add(V::splat(*k.add($i))).add($h);
                            let big = V::xor3($e.ror::<$e1>(), $e.ror::<$e2>(), $e.ror::<$e3>());
                            let one = sum.add(V::choose($e, $f, $g)).add(big);
                            $d = $d.add(one);
                            let big = V::xor3($a.ror::<$a1>(), $a.ror::<$a2>(), $a.ror::<$a3>());
                            $h = one.add(V::majority($a, $b, $c)).add(big);
                        };
                    }
                    macro_rules! extend {
                        ($i:expr) => {
                            let x = w[($i + 1) & 15];
                            let y = w[($i + 14) & 15];
                            let x = V::xor3(x.ror::<$s1>(), x.ror::<$s2>(), x.shr::<$s3>());
                            let y = V::xor3(y.ror::<$t1>(), y.ror::<$t2>(), y.shr::<$t3>());
                            w[$i] = w[$i].add(x).add(w[($i + 9) & 15].add(y));
                        };
                    }
                    macro_rules! sixteen {
                        ($after:ident) => {
                            round!(a b c d e f g h, 0); $after!(0);
                            round!(h a b c d e f g, 1); $after!(1);
                            round!(g h a b c d e f, 2); $after!(2);
                            round!(f g h a b c d e, 3); $after!(3);
                            round!(e f g h a b c d, 4); $after!(4);
                            round!(d e f g h a b c, 5); $after!(5);
                            round!(c d e f g h a b, 6); $after!(6);
                            round!(b c d e f g h a, 7); $after!(7);
                            round!(a b c d e f g h, 8); $after!(8);
                            round!(h a b c d e f g, 9); $after!(9);
                            round!(g h a b c d e f, 10); $after!(10);
                            round!(f g h a b c d e, 11); $after!(11);
                            round!(e f g h a b c d, 12); $after!(12);
                            round!(d e f g h a b c, 13); $after!(13);
                            round!(c d e f g h a b, 14); $after!(14);
                            round!(b c d e f g h a, 15); $after!(15);
                        };
                    }
                    macro_rules! nothing { ($i:expr) => {}; }
                    for _ in 0..$rounds / 16 - 1 {
                        sixteen!(extend);
                        k = k.add(16);
                    }
                    sixteen!(nothing);
                    for (s, x) in s.iter_mut().zip([a, b, c, d, e, f, g, h]) {
                        *s = s.add(x);
                    }
                }
                for (i, s) in s.into_iter().enumerate() {
                    s.store(state.add(i * SLOTS));
                }
            }
        }
    };
}

sha2! {
    /// Compresses `blocks` blocks of each message into its state for SHA-256.
    sha256, u32, SHA256, rounds 64, big 2 13 22, 6 11 25, small 7 18 3, 17 19 10
}

sha2! {
    /// Compresses `blocks` blocks of each message into its state for SHA-512.
    sha512, u64, SHA512, rounds 80, big 28 34 39, 14 18 41, small 1 8 7, 19 61 6
}

/// Compresses `blocks` blocks of each message into its state for SHA-1 (FIPS 180-4, 4.1.1 and 6.1.2).
///
/// # Safety
/// As for [`sha256`].
#[inline(always)]
pub unsafe fn sha1<V: Lanes<Word = u32>>(state: *mut u32, rows: *const *const u8, blocks: usize) {
    // SAFETY: the caller vouches for the instructions and for what the pointers reach.
    unsafe {
        let mut s: [V; 5] = std::array::from_fn(|i| V::load(state.add(i * SLOTS)));
        for block in 0..blocks {
            let mut w = V::message::<true>(rows, block * 64);
            prefetch::<V>(rows, block * 64);
            let [mut a, mut b, mut c, mut d, mut e] = s;
            macro_rules! round {
                ($f:ident $k:ident, $a:ident $b:ident $c:ident $d:ident $e:ident, $i:expr) => {
                    $e = $e.add(w[$i]).add($k).add(V::$f($b, $c, $d)).add($a.ror::<27>());
                    $b = $b.ror::<2>();
                    // The word of the round sixteen later.
                    let mixed = w[$i].xor(w[($i + 2) & 15]);
                    w[$i] = V::xor3(mixed, w[($i + 8) & 15], w[($i + 13) & 15]).ror::<31>();
                };
            }
            // Without the words that no round takes any more.
            macro_rules! last {
                ($f:ident $k:ident, $a:ident $b:ident $c:ident $d:ident $e:ident, $i:expr) => {
                    $e = $e.add(w[$i]).add($k).add(V::$f($b, $c, $d)).add($a.ror::<27>());
                    $b = $b.ror::<2>();
                };
            }
            macro_rules! five {
                ($round:ident, $f:ident $k:ident, $i:expr) => {
                    $round!($f $k, a b c d e, ($i) & 15);
                    $round!($f $k, e a b c d, ($i + 1) & 15);
                    $round!($f $k, d e a b c, ($i + 2) & 15);
                    $round!($f $k, c d e a b, ($i + 3) & 15);
                    $round!($f $k, b c d e a, ($i + 4) & 15);
                };
            }
            let [k0, k1, k2, k3] = constants::SHA1.map(|k| V::splat(k));
            five!(round, choose k0, 0);
            five!(round, choose k0, 5);
            five!(round, choose k0, 10);
            five!(round, choose k0, 15);
            five!(round, xor3 k1, 20);
            five!(round, xor3 k1, 25);
            five!(round, xor3 k1, 30);
            five!(round, xor3 k1, 35);
            five!(round, majority k2, 40);
            five!(round, majority k2, 45);
            five!(round, majority k2, 50);
            five!(round, majority k2, 55);
            // The words of rounds 64 to 79 are made in rounds 48 to 63.
            round!(xor3 k3, a b c d e, 12);
            round!(xor3 k3, e a b c d, 13);
            round!(xor3 k3, d e a b c, 14);
            round!(xor3 k3, c d e a b, 15);
            last!(xor3 k3, b c d e a, 0);
            five!(last, xor3 k3, 1);
            five!(last, xor3 k3, 6);
            five!(last, xor3 k3, 11);
            for (s, x) in s.iter_mut().zip([a, b, c, d, e]) {
                *s = s.add(x);
            }
        }
        for (i, s) in s.into_iter().enumerate() {
            s.store(state.add(i * SLOTS));
        }
    }
}

/// Compresses `blocks` blocks of each message into its state for MD5 (RFC 1321, 3.4): of `G` vectors of messages at
/// once, because each of the 64 steps waits for the one before and leaves most of the processor idle.
///
/// # Safety
/// As for [`sha256`], for `G` times as many lanes.
#[inline(always)]
pub unsafe fn md5<V: Lanes<Word = u32>, const G: usize>(
    state: *mut u32,
    rows: *const *const u8,
    blocks: usize,
) {
    // SAFETY: the caller vouches for the instructions and for what the pointers reach.
    unsafe {
        let mut s: [[V; 4]; G] =
            std::array::from_fn(|g| std::array::from_fn(|i| V::load(state.add(i * SLOTS + g * V::LANES))));
        for block in 0..blocks {
            let w: [[V; 16]; G] =
                std::array::from_fn(|g| V::message::<false>(rows.add(g * V::LANES), block * 64));
            for g in 0..G {
                prefetch::<V>(rows.add(g * V::LANES), block * 64);
            }
            let before = s;
            // f(b, c, d) of each quarter.
            macro_rules! function {
                (f, $s:expr, $b:literal $c:literal $d:literal) => {
                    V::choose($s[$b], $s[$c], $s[$d])
                };
                (g, $s:expr, $b:literal $c:literal $d:literal) => {
                    V::choose($s[$d], $s[$b], $s[$c])
                };
                (h, $s:expr, $b:literal $c:literal $d:literal) => {
                    V::xor3($s[$b], $s[$c], $s[$d])
                };
                (i, $s:expr, $b:literal $c:literal $d:literal) => {
                    V::odd_one($s[$b], $s[$c], $s[$d])
                };
            }
            macro_rules! step {
                ($f:ident, $a:literal $b:literal $c:literal $d:literal, $w:expr, $t:expr, $ror:literal) => {
                    for g in 0..G {
                        let ready = s[g][$a].add(w[g][($w) & 15].add(V::splat(constants::MD5[$t])));
                        let turned = ready.add(function!($f, s[g], $b $c $d)).ror::<$ror>();
                        s[g][$a] = turned.add(s[g][$b]);
                    }
                };
            }
            // Four steps from step `t` on, whose words are `first`, `first + by`, ..
            macro_rules! four {
                ($f:ident, $t:expr, $first:expr, $by:literal, $r0:literal $r1:literal $r2:literal $r3:literal) => {
                    step!($f, 0 1 2 3, $first, $t, $r0);
                    step!($f, 3 0 1 2, $first + $by, $t + 1, $r1);
                    step!($f, 2 3 0 1, $first + 2 * $by, $t + 2, $r2);
                    step!($f, 1 2 3 0, $first + 3 * $by, $t + 3, $r3);
                };
            }
            // Rotations to the left by 7, 12, 17, 22 are those to the right by 25, 20, 15, 10, and so on.
            four!(f, 0, 0, 1, 25 20 15 10);
            four!(f, 4, 4, 1, 25 20 15 10);
            four!(f, 8, 8, 1, 25 20 15 10);
            four!(f, 12, 12, 1, 25 20 15 10);
            four!(g, 16, 1, 5, 27 23 18 12);
            four!(g, 20, 5, 5, 27 23 18 12);
            four!(g, 24, 9, 5, 27 23 18 12);
            four!(g, 28, 13, 5, 27 23 18 12);
            four!(h, 32, 5, 3, 28 21 16 9);
            four!(h, 36, 1, 3, 28 21 16 9);
            four!(h, 40, 13, 3, 28 21 16 9);
            four!(h, 44, 9, 3, 28 21 16 9);
            four!(i, 48, 0, 7, 26 22 17 11);
            four!(i, 52, 12, 7, 26 22 17 11);
            four!(i, 56, 8, 7, 26 22 17 11);
            four!(i, 60, 4, 7, 26 22 17 11);
            for (s, before) in s.iter_mut().zip(before) {
                for (s, before) in s.iter_mut().zip(before) {
                    *s = s.add(before);
                }
            }
        }
        for (g, s) in s.into_iter().enumerate() {
            for (i, s) in s.into_iter().enumerate() {
                s.store(state.add(i * SLOTS + g * V::LANES));
            }
        }
    }
}

/// Gives a vector type the operations of [`Lanes`].
///
/// `pieces` are the parts of 128 bits: part `p` of the vector holds `16 / size_of::<Word>()` lanes, which are
/// transposed within it. `logic` is one instruction for any function of three bits (`ternary`), or several.
macro_rules! vector {
    (
        $name:ident($vector:ty) of $word:ty as $signed:ty, lanes $lanes:literal, pieces $pieces:literal,
        splat $splat:ident, load $load:ident, store $store:ident, add $add:ident, xor $xor:ident,
        shift $shr:ident, bytes $shuffle:ident, zero $zero:ident,
        rotate $rotate:ident($($rotation:ident),+), logic $logic:ident($($operation:ident),+),
        first $first:ident, insert [$($piece:literal $insert:ident),*],
        unpack [$low32:ident $high32:ident $low64:ident $high64:ident], order $order:path
    ) => {
        #[derive(Clone, Copy)]
        pub struct $name($vector);

        // The methods' caller has the level: `Lanes` demands it.
        impl $crate::hash::lanes::Lanes for $name {
            type Word = $word;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(word: $word) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $splat(word as $signed) })
            }
            #[inline(always)]
            unsafe fn load(from: *const $word) -> Self {
                // SAFETY: the caller has the level and as many words there.
                $name(unsafe { $load(from.cast()) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $word) {
                // SAFETY: the caller has the level and as many words there.
                unsafe { $store(to.cast(), self.0) }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn ror<const N: i32>(self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $crate::hash::lanes::rotate!($rotate, $word, self.0, N, $($rotation),+) })
            }
            #[inline(always)]
            unsafe fn shr<const N: i32>(self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $shr(self.0, _mm_cvtsi32_si128(N)) })
            }
            #[inline(always)]
            unsafe fn xor(self, other: Self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $xor(self.0, other.0) })
            }
            #[inline(always)]
            unsafe fn xor3(a: Self, b: Self, c: Self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $crate::hash::lanes::logic!(xor3, $logic, a.0, b.0, c.0, $($operation),+) })
            }
            #[inline(always)]
            unsafe fn choose(mask: Self, yes: Self, no: Self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe {
                    $crate::hash::lanes::logic!(choose, $logic, mask.0, yes.0, no.0, $($operation),+)
                })
            }
            #[inline(always)]
            unsafe fn majority(a: Self, b: Self, c: Self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $crate::hash::lanes::logic!(majority, $logic, a.0, b.0, c.0, $($operation),+) })
            }
            #[inline(always)]
            unsafe fn odd_one(b: Self, c: Self, d: Self) -> Self {
                // SAFETY: the caller has the level.
                $name(unsafe { $crate::hash::lanes::logic!(odd_one, $logic, b.0, c.0, d.0, $($operation),+) })
            }
            #[inline(always)]
            unsafe fn message<const BIG: bool>(rows: *const *const u8, offset: usize) -> [Self; 16] {
                /// Lanes within 128 bits.
                const ACROSS: usize = 16 / size_of::<$word>();
                // SAFETY: the caller has the level; `rows` has a pointer per lane, each with 16 words at `offset`.
                unsafe {
                    let mut words = [$name($zero()); 16];
                    for quad in 0..16 / ACROSS {
                        let at = |lane: usize| (*rows.add(lane)).add(offset + 16 * quad).cast::<__m128i>();
                        // Part p of column i belongs to lane `ACROSS p + i`.
                        let column = |i: usize| {
                            let v = $first(_mm_loadu_si128(at(i)));
                            $(let v = $insert::<$piece>(v, _mm_loadu_si128(at(ACROSS * $piece + i)));)*
                            if BIG { $shuffle(v, $order()) } else { v }
                        };
                        if ACROSS == 4 {
                            let [v0, v1, v2, v3] = [column(0), column(1), column(2), column(3)];
                            let (a, b) = ($low32(v0, v1), $low32(v2, v3));
                            words[4 * quad] = $name($low64(a, b));
                            words[4 * quad + 1] = $name($high64(a, b));
                            let (a, b) = ($high32(v0, v1), $high32(v2, v3));
                            words[4 * quad + 2] = $name($low64(a, b));
                            words[4 * quad + 3] = $name($high64(a, b));
                        } else {
                            let [v0, v1] = [column(0), column(1)];
                            words[2 * quad] = $name($low64(v0, v1));
                            words[2 * quad + 1] = $name($high64(v0, v1));
                        }
                    }
                    words
                }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use vector;

/// A rotation: one instruction of AVX-512, or two shifts.
macro_rules! rotate {
    (one, $word:ty, $v:expr, $n:ident, $ror:ident) => {
        $ror::<$n>($v)
    };
    (shifts, $word:ty, $v:expr, $n:ident, $shr:ident, $shl:ident, $or:ident) => {
        // Counts in registers become immediate ones, for the optimiser sees that they are constant; a generic
        // constant cannot be subtracted from another.
        $or($shr($v, _mm_cvtsi32_si128($n)), $shl($v, _mm_cvtsi32_si128(<$word>::BITS as i32 - $n)))
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use rotate;

/// A function of three bits: one instruction of AVX-512 with the function's table, or several.
macro_rules! logic {
    (xor3, ternary, $a:expr, $b:expr, $c:expr, $ternary:ident) => {
        $ternary::<0x96>($a, $b, $c)
    };
    (choose, ternary, $a:expr, $b:expr, $c:expr, $ternary:ident) => {
        $ternary::<0xca>($a, $b, $c)
    };
    (majority, ternary, $a:expr, $b:expr, $c:expr, $ternary:ident) => {
        $ternary::<0xe8>($a, $b, $c)
    };
    (odd_one, ternary, $a:expr, $b:expr, $c:expr, $ternary:ident) => {
        $ternary::<0x39>($a, $b, $c)
    };
    (xor3, several, $a:expr, $b:expr, $c:expr, $and:ident, $or:ident, $xor:ident, $ones:ident) => {
        $xor($xor($a, $b), $c)
    };
    (choose, several, $a:expr, $b:expr, $c:expr, $and:ident, $or:ident, $xor:ident, $ones:ident) => {
        $xor($c, $and($a, $xor($b, $c)))
    };
    (majority, several, $a:expr, $b:expr, $c:expr, $and:ident, $or:ident, $xor:ident, $ones:ident) => {
        $or($and($a, $b), $and($c, $or($a, $b)))
    };
    (odd_one, several, $b:expr, $c:expr, $d:expr, $and:ident, $or:ident, $xor:ident, $ones:ident) => {
        $xor($c, $or($b, $xor($d, $ones(-1))))
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use logic;
