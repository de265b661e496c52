//! One message of SHA-2 without instructions for it: the words of all rounds are made ahead for several blocks, one per
//! lane, because only the rounds wait for the block before.

use super::constants;
use super::lanes;
use super::rows::SLOTS;
use crate::vector::words::Words;
use std::hint;
use std::mem::MaybeUninit;
use std::ptr;

macro_rules! sha2 {
    (
        $(#[$doc:meta])* $name:ident, $rounds_of:ident, $word:ty, $constants:ident, rounds $rounds:literal,
        big $a1:literal $a2:literal $a3:literal, $e1:literal $e2:literal $e3:literal,
        small $s1:literal $s2:literal $s3:literal, $t1:literal $t2:literal $t3:literal
    ) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// `state` has eight rows of [`SLOTS`] words, `rows` a
        /// pointer to `blocks` readable blocks.
        #[inline(always)]
        pub unsafe fn $name<V: Words<Word = $word>>(
            level: V::Level, state: *mut $word, rows: *const *const u8, blocks: usize,
        ) {
            const BLOCK: usize = 16 * size_of::<$word>();
            // SAFETY: the caller vouches for what the pointers reach; `ahead` has as many
            // words per lane as there are rounds, which are written before they are read.
            unsafe {
                let row = *rows;
                let mut s = [0; 8];
                for (i, s) in s.iter_mut().enumerate() {
                    *s = *state.add(i * SLOTS);
                }
                let mut ahead = MaybeUninit::<[V; $rounds]>::uninit();
                let ahead: *mut V = hint::black_box(ahead.as_mut_ptr()).cast();
                let mut done = 0;
                // A block alone is better off without lanes.
                while blocks - done > 1 {
                    let count = (blocks - done).min(V::LANES);
                    let here = row.add(done * BLOCK);
                    let mut blocks_of_lanes = [here; 64 / size_of::<$word>()];
                    for (lane, row) in blocks_of_lanes.iter_mut().enumerate() {
                        *row = here.add(lane.min(count - 1) * BLOCK);
                    }
                    let mut w = MaybeUninit::<[V; 16]>::uninit();
                    for part in 0..lanes::parts::<V>() {
                        let to = w.as_mut_ptr().cast();
                        lanes::part::<V, true, false>(level, to, ptr::null(), blocks_of_lanes.as_ptr(), part);
                    }
                    let mut w = w.assume_init();
                    let (mut to, mut k) = (ahead, constants::$constants.as_ptr());
                    macro_rules! word {
                        ($extend:literal, $i:expr) => {
                            to.add($i).write(w[$i].add(V::splat(level, *k.add($i))));
                            if $extend {
                                let (x, y) = (w[($i + 1) & 15], w[($i + 14) & 15]);
                                let x = V::xor3(x.ror::<$s1>(), x.ror::<$s2>(), x.shr::<$s3>());
                                let y = V::xor3(y.ror::<$t1>(), y.ror::<$t2>(), y.shr::<$t3>());
                                w[$i] = w[$i].add(x).add(w[($i + 9) & 15].add(y));
                            }
                        };
                    }
                    macro_rules! sixteen {
                        ($extend:literal) => {
                            word!($extend, 0);
                            word!($extend, 1);
                            word!($extend, 2);
                            word!($extend, 3);
                            word!($extend, 4);
                            word!($extend, 5);
                            word!($extend, 6);
                            word!($extend, 7);
                            word!($extend, 8);
                            word!($extend, 9);
                            word!($extend, 10);
                            word!($extend, 11);
                            word!($extend, 12);
                            word!($extend, 13);
                            word!($extend, 14);
                            word!($extend, 15);
                        };
                    }
                    for _ in 0..$rounds / 16 - 1 {
                        sixteen!(true);
                        (to, k) = (to.add(16), k.add(16));
                    }
                    sixteen!(false);
                    for lane in 0..count {
                        $rounds_of(&mut s, ahead.cast::<$word>().add(lane), V::LANES);
                    }
                    done += count;
                }
                for (i, s) in s.into_iter().enumerate() {
                    *state.add(i * SLOTS) = s;
                }
                if done < blocks {
                    let rest = row.add(done * BLOCK);
                    lanes::$name::<$word>((), state, &rest, 1);
                }
            }
        }

        /// The rounds of one block; their words, with their constants, are every `step`th from `words` on.
        ///
        /// # Safety
        /// There are words for all rounds.
        #[inline(always)]
        unsafe fn $rounds_of(s: &mut [$word; 8], mut words: *const $word, step: usize) {
            // SAFETY: the caller vouches for what the pointers reach.
            unsafe {
                let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *s;
                let mut bc = b ^ c;
                macro_rules! round {
                    ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $i:expr) => {
                        // What does not depend on e or a goes first, and d's sum is made apart from h's: the next e and a
                        // wait for four operations.
                        let early = $h.add(*words.add($i * step)).keep();
                        let choice = $g ^ ($e & ($f ^ $g));
                        let big = ($e.ror::<$e1>() ^ $e.ror::<$e2>()) ^ $e.ror::<$e3>();
                        $d = $d.add(early).keep().add(choice).keep().add(big);
                        // Of three bits the last two have the majority, or the first decides: never both.
                        let sum = early.add(choice).add(big).add($b & $c).keep().add($a & bc).keep();
                        bc = $a ^ $b;
                        $h = sum.add(($a.ror::<$a1>() ^ $a.ror::<$a2>()) ^ $a.ror::<$a3>());
                    };
                }
                for _ in 0..$rounds / 8 {
                    round!(a b c d e f g h, 0);
                    round!(h a b c d e f g, 1);
                    round!(g h a b c d e f, 2);
                    round!(f g h a b c d e, 3);
                    round!(e f g h a b c d, 4);
                    round!(d e f g h a b c, 5);
                    round!(c d e f g h a b, 6);
                    round!(b c d e f g h a, 7);
                    words = words.add(8 * step);
                }
                for (s, x) in s.iter_mut().zip([a, b, c, d, e, f, g, h]) {
                    *s = s.add(x);
                }
            }
        }
    };
}

sha2! {
    /// Compresses `blocks` blocks of a message into its state for SHA-256.
    sha256, rounds256, u32, SHA256, rounds 64, big 2 13 22, 6 11 25, small 7 18 3, 17 19 10
}

sha2! {
    /// Compresses `blocks` blocks of a message into its state for SHA-512.
    sha512, rounds512, u64, SHA512, rounds 80, big 28 34 39, 14 18 41, small 1 8 7, 19 61 6
}
