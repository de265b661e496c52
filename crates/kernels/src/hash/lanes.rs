//! The compression functions, written once for every width: lane `l` of a vector belongs to message `l`.
//!
//! The levels compile the functions for their vectors of [`Words`] ([`super::engine`] lists them). A vector of one lane is a
//! plain word, so the code for a single message is the same.
//!
//! States are stored word by word: word `i` of slot `l` at `state + i * SLOTS + l`, so that a vector of lanes is one load. The
//! 16 words of a block are read in place from every message and transposed in registers.

use super::constants;
use super::rows::SLOTS;
use crate::vector::prefetch;
use crate::vector::words::{Words, copy_16, transposed};
use std::hint;
use std::mem::MaybeUninit;

/// The blocks of all lanes, each in pieces of 16 bytes: piece `q` of lane `l` is where the transposition expects it.
///
/// A line of a message is read once, and its pieces are put in place by stores, which leave the ports alone that compute.
/// The blocks after those in work are staged meanwhile: a vector is only loaded when its pieces have reached the cache.
#[repr(C, align(64))]
pub struct Stage([MaybeUninit<u8>; STAGE]);

/// Bytes of the largest blocks of a vector: 16 words of 64 bytes.
const STAGE: usize = 16 * 64;

impl Stage {
    pub const EMPTY: Stage = Stage([MaybeUninit::uninit(); STAGE]);

    /// Stages the block at `offset` of a lane, if there is such a lane, and asks for what comes later: many streams at
    /// once are more than the hardware follows by itself.
    ///
    /// # Safety
    /// `rows` has as many pointers as there are lanes, each to
    /// a readable block at `offset`.
    #[inline(always)]
    unsafe fn put<V: Words>(&mut self, lane: usize, rows: *const *const u8, offset: usize) {
        if V::LANES > 1 && lane < V::LANES {
            // SAFETY: the caller has as many pointers, and the block.
            unsafe {
                let row = *rows.add(lane);
                stage::<V>(self.0.as_mut_ptr().cast(), lane, row.add(offset));
                prefetch(row.wrapping_add(offset + AHEAD));
            }
        }
    }
}

/// Copies the block of lane `lane` from `row` to where [`part`] reads it.
///
/// # Safety
/// `staged` has [`STAGE`] bytes, `row` a readable block; there is such a lane.
#[inline(always)]
unsafe fn stage<V: Words>(staged: *mut u8, lane: usize, row: *const u8) {
    // SAFETY: the caller has the block; the lane's pieces are within the stage.
    unsafe {
        let to =
            staged.add((lane % V::ACROSS * V::LANES + lane / V::ACROSS * V::ACROSS) * size_of::<V::Word>());
        for quad in 0..16 / V::ACROSS {
            copy_16(row.add(16 * quad), to.add(quad * V::ACROSS * size_of::<V>()));
        }
    }
}

/// Parts of 16 bytes that a block of 16 words consists of.
pub const fn parts<V: Words>() -> usize {
    size_of::<V::Word>()
}

/// The words that 16 bytes of every lane's block make, word by word, of the 16 to `words`: those of part `part` of the block;
/// most significant byte first with `BIG`. With `STAGED` the blocks were staged, else they are at `rows`.
///
/// # Safety
/// `words` has room for 16; `staged` has [`STAGE`] bytes with `STAGED`, else `rows` as many pointers as there are lanes, each
/// to a readable block.
#[inline(always)]
pub unsafe fn part<V: Words, const BIG: bool, const STAGED: bool>(
    level: V::Level,
    words: *mut V,
    staged: *const u8,
    rows: *const *const u8,
    part: usize,
) {
    // SAFETY: the caller has the blocks of every lane, staged or not, and room for 16 words.
    unsafe {
        // No closures here, nor in the compression functions: one that is not inlined lacks the level's instructions,
        // and then every operation is a call.
        let words = words.add(V::ACROSS * part);
        if V::LANES == 1 {
            for i in 0..V::ACROSS {
                let v = V::gather(level, rows, 16 * part + i * size_of::<V>());
                words.add(i).write(if BIG { v.reversed() } else { v });
            }
            return;
        }
        // Part p of 128 bits of column i belongs to lane `ACROSS p + i`.
        let mut columns = [MaybeUninit::<V>::uninit(); 4];
        for (i, column) in columns.iter_mut().enumerate().take(V::ACROSS) {
            let v = if STAGED {
                V::load(level, staged.cast::<V>().add(part * V::ACROSS + i).cast())
            } else {
                V::gather(level, rows.add(i), 16 * part)
            };
            column.write(if BIG { v.reversed() } else { v });
        }
        let (v0, v1) = (columns[0].assume_init(), columns[1].assume_init());
        if V::ACROSS == 4 {
            let turned = transposed([v0, v1, columns[2].assume_init(), columns[3].assume_init()]);
            words.cast::<[V; 4]>().write(turned);
        } else {
            words.write(v0.low64(v1));
            words.add(1).write(v0.high64(v1));
        }
    }
}

/// Word `i` of those that [`part`] wrote; of a plain word the one read at `row`, least significant byte first.
///
/// # Safety
/// There are 16 words there.
#[inline(always)]
unsafe fn word<V: Words>(level: V::Level, words: *const V, row: *const u8, i: usize) -> V {
    // SAFETY: the caller's promise.
    unsafe { if V::LANES == 1 { V::gather(level, &row, i * size_of::<V>()) } else { words.add(i).read() } }
}

/// The 16 words of every lane's block: of a first one at `rows`, else the one that was staged.
///
/// # Safety
/// `rows` has as many pointers as there are lanes, each to `block` blocks and one more.
#[inline(always)]
unsafe fn words<V: Words>(level: V::Level, stage: &Stage, rows: *const *const u8, block: usize) -> [V; 16] {
    let staged = stage.0.as_ptr().cast();
    let mut words = MaybeUninit::<[V; 16]>::uninit();
    let to = words.as_mut_ptr().cast();
    // SAFETY: every word is written; the caller's duties are the same.
    unsafe {
        if V::LANES == 1 {
            let row = (*rows).add(block * 16 * size_of::<V::Word>());
            for index in 0..parts::<V>() {
                part::<V, true, false>(level, to, staged, &row, index);
            }
        } else if block == 0 {
            for index in 0..parts::<V>() {
                part::<V, true, false>(level, to, staged, rows, index);
            }
        } else {
            for index in 0..parts::<V>() {
                part::<V, true, true>(level, to, staged, rows, index);
            }
        }
        words.assume_init()
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
        /// `state` has eight rows of [`SLOTS`] words from
        /// the first lane on, `rows` as many pointers as there are lanes, each to `blocks` readable blocks.
        #[inline(always)]
        pub unsafe fn $name<V: Words<Word = $word>>(
            level: V::Level, state: *mut $word, rows: *const *const u8, blocks: usize,
        ) {
            const BLOCK: usize = 16 * size_of::<$word>();
            // SAFETY: the caller vouches for what the pointers reach.
            unsafe {
                let mut s = [V::load(level, state); 8];
                for (i, s) in s.iter_mut().enumerate() {
                    *s = V::load(level, state.add(i * SLOTS));
                }
                let mut stage = Stage::EMPTY;
                let stage = hint::black_box(&mut stage);
                for block in 0..blocks {
                    let mut w = words::<V>(level, stage, rows, block);
                    let (more, next) = (block + 1 < blocks, (block + 1) * BLOCK);
                    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = s;
                    let mut k = constants::$constants.as_ptr();
                    macro_rules! round {
                        ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $i:expr) => {
                            let sum = w[$i].add(V::splat(level, *k.add($i))).add($h);
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
                    macro_rules! extend_and_stage {
                        ($i:expr) => {
                            extend!($i);
                            if more {
                                stage.put::<V>($i, rows, next);
                            }
                        };
                    }
                    sixteen!(extend_and_stage);
                    k = k.add(16);
                    for _ in 0..$rounds / 16 - 2 {
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
pub unsafe fn sha1<V: Words<Word = u32>>(
    level: V::Level,
    state: *mut u32,
    rows: *const *const u8,
    blocks: usize,
) {
    // SAFETY: the caller vouches for what the pointers reach.
    unsafe {
        let mut s = [V::load(level, state); 5];
        for (i, s) in s.iter_mut().enumerate() {
            *s = V::load(level, state.add(i * SLOTS));
        }
        let mut stage = Stage::EMPTY;
        let stage = hint::black_box(&mut stage);
        for block in 0..blocks {
            let mut w = words::<V>(level, stage, rows, block);
            let (more, next) = (block + 1 < blocks, (block + 1) * 64);
            let [mut a, mut b, mut c, mut d, mut e] = s;
            macro_rules! round {
                ($f:ident $k:ident, $a:ident $b:ident $c:ident $d:ident $e:ident, $i:expr) => {
                    $e = $e.add(w[$i]).add($k).add(V::$f($b, $c, $d)).keep().add($a.ror::<27>());
                    $b = $b.ror::<2>();
                    // The word of the round sixteen later.
                    let mixed = w[$i].xor(w[($i + 2) & 15]);
                    w[$i] = V::xor3(mixed, w[($i + 8) & 15], w[($i + 13) & 15]).ror::<31>();
                };
            }
            // Without the words that no round takes any more.
            macro_rules! last {
                ($f:ident $k:ident, $a:ident $b:ident $c:ident $d:ident $e:ident, $i:expr) => {
                    $e = $e.add(w[$i]).add($k).add(V::$f($b, $c, $d)).keep().add($a.ror::<27>());
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
            let [k0, k1, k2, k3] = constants::SHA1;
            let (k0, k1, k2, k3) =
                (V::splat(level, k0), V::splat(level, k1), V::splat(level, k2), V::splat(level, k3));
            macro_rules! stage_two {
                ($lane:expr) => {
                    if more {
                        stage.put::<V>($lane, rows, next);
                        stage.put::<V>($lane + 1, rows, next);
                    }
                };
            }
            five!(round, choose k0, 0);
            stage_two!(0);
            five!(round, choose k0, 5);
            stage_two!(2);
            five!(round, choose k0, 10);
            stage_two!(4);
            five!(round, choose k0, 15);
            stage_two!(6);
            five!(round, xor3 k1, 20);
            stage_two!(8);
            five!(round, xor3 k1, 25);
            stage_two!(10);
            five!(round, xor3 k1, 30);
            stage_two!(12);
            five!(round, xor3 k1, 35);
            stage_two!(14);
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
pub unsafe fn md5<V: Words<Word = u32>, const G: usize>(
    level: V::Level,
    state: *mut u32,
    rows: *const *const u8,
    blocks: usize,
) {
    // SAFETY: the caller vouches for what the pointers reach.
    unsafe {
        let mut s = [[V::load(level, state); 4]; G];
        for (g, s) in s.iter_mut().enumerate() {
            for (i, s) in s.iter_mut().enumerate() {
                *s = V::load(level, state.add(i * SLOTS + g * V::LANES));
            }
        }
        let mut stages = [const { Stage::EMPTY }; G];
        let stages = hint::black_box(&mut stages);
        // In memory: the words of two vectors do not fit into registers. Those of the next blocks are made while the
        // steps of this one wait for each other.
        let mut words = [const { MaybeUninit::<[[V; 16]; G]>::uninit() }; 2];
        let words: *mut [[V; 16]; G] = hint::black_box(words.as_mut_ptr()).cast();
        for index in 0..if V::LANES > 1 { parts::<V>() } else { 0 } {
            for (g, stage) in stages.iter().enumerate() {
                let to = words.cast::<[V; 16]>().add(g).cast();
                part::<V, false, false>(level, to, stage.0.as_ptr().cast(), rows.add(g * V::LANES), index);
            }
        }
        // Out of the optimiser's sight, which would add the constants last and make the chain longer.
        let k = hint::black_box(constants::MD5.as_ptr());
        for block in 0..blocks {
            let (here, there) = (words.add(block & 1), words.add(!block & 1));
            let (at, more, next) = (block * 64, block + 1 < blocks, (block + 1) * 64);
            let before = s;
            // The sum of `ready` and f(b, c, d) of each quarter; b is there last.
            macro_rules! add_function {
                (f, $ready:expr, $b:expr, $c:expr, $d:expr) => {
                    $ready.keep().add(V::choose($b, $c, $d))
                };
                (g, $ready:expr, $b:expr, $c:expr, $d:expr) => {
                    $ready.add_chosen($d, $b, $c)
                };
                (h, $ready:expr, $b:expr, $c:expr, $d:expr) => {
                    $ready.keep().add(V::xor3($c, $d, $b))
                };
                (i, $ready:expr, $b:expr, $c:expr, $d:expr) => {
                    $ready.keep().add(V::odd_one($b, $c, $d))
                };
            }
            macro_rules! step {
                ($f:ident, $a:literal $b:literal $c:literal $d:literal, $w:expr, $t:expr, $ror:literal) => {
                    for g in 0..G {
                        let row = (*rows.add(g * V::LANES)).add(at);
                        let word = word::<V>(level, here.cast::<[V; 16]>().add(g).cast(), row, ($w) & 15);
                        let ready = s[g][$a].add(word).add(V::splat(level, *k.add($t)));
                        let sum = add_function!($f, ready, s[g][$b], s[g][$c], s[g][$d]);
                        s[g][$a] = sum.ror::<$ror>().add(s[g][$b]);
                    }
                };
            }
            const FIRST: usize = 11;
            // Four steps from step `t` on, whose words are `first`, `first + by`, ..
            macro_rules! four {
                ($f:ident, $t:expr, $first:expr, $by:literal, $r0:literal $r1:literal $r2:literal $r3:literal) => {
                    step!($f, 0 1 2 3, $first, $t, $r0);
                    step!($f, 3 0 1 2, $first + $by, $t + 1, $r1);
                    step!($f, 2 3 0 1, $first + 2 * $by, $t + 2, $r2);
                    step!($f, 1 2 3 0, $first + 3 * $by, $t + 3, $r3);
                    if V::LANES > 1 && more {
                        for (g, stage) in stages.iter_mut().enumerate() {
                            stage.put::<V>($t / 2, rows.add(g * V::LANES), next);
                            stage.put::<V>($t / 2 + 1, rows.add(g * V::LANES), next);
                            if ($t / 4 >= FIRST && $t / 4 < FIRST + parts::<V>()) {
                                let to = there.cast::<[V; 16]>().add(g).cast();
                                let staged = stage.0.as_ptr().cast();
                                part::<V, false, true>(level, to, staged, rows, $t / 4 - FIRST);
                            }
                        }
                    }
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
