//! SHA-1 and SHA-256 on vectors of words, one word of each lane: FIPS 180-4, sections 4.1, 6.1.2 and 6.2.2.

use super::lanes::{Compress, Lanes};
use super::ring::{OfRows, Rows};
use super::sha;
use crate::vector::Proof;
use crate::vector::words::{Words, transposed};

/// The 16 words, most significant byte first, `at` bytes after each lane's hash pointer.
///
/// # Safety
/// 64 bytes are readable there in each lane.
#[inline(always)]
unsafe fn blocks<V: Words<Word = u32>>(level: V::Level, lanes: &Lanes, lane: usize, at: usize) -> [V; 16] {
    let mut words = [V::splat(level, 0); 16];
    let rows = lanes.hash[lane..].as_ptr();
    // SAFETY: the caller vouches for the bytes; there are pointers for as many lanes as any vector has.
    unsafe {
        if V::LANES == 1 {
            for (index, word) in words.iter_mut().enumerate() {
                *word = V::gather(level, rows, at + 4 * index).reversed();
            }
            return words;
        }
        for (quarter, words) in words.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            for (row, word) in words.iter_mut().enumerate() {
                *word = V::gather(level, rows.add(row), at + 16 * quarter).reversed();
            }
            *words = transposed(*words);
        }
    }
    words
}

/// Words that come from rows of ciphertext ([`OfRows`]).
pub trait WordsOfRows<C: Rows>: Words<Word = u32> {
    /// The 16 words of four rows, in the order of lanes of [`OfRows`].
    fn of_rows(level: Self::Level, rows: [&C::Row; 4]) -> [Self; 16];
}

/// Words whose bits are those of a chain's rows: 4 x 4 of them change places within 16 bytes.
#[cfg(target_arch = "x86_64")]
macro_rules! of_rows {
    ($words:ident of $level:ident, $chain:ty) => {
        impl $crate::cipher::words::WordsOfRows<$chain> for $words {
            // Loops and no closures, which would lack the level's instructions.
            #[inline(always)]
            fn of_rows(level: $level, rows: [&<$chain as Rows>::Row; 4]) -> [Self; 16] {
                let mut all = [Self::splat(level, 0); 16];
                for (words, row) in all.as_chunks_mut::<4>().0.iter_mut().zip(rows) {
                    for (word, bits) in words.iter_mut().zip(row) {
                        *word = Self::new(level, *bits).reversed();
                    }
                    *words = transposed(*words);
                }
                all
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use of_rows;

impl<C: Rows, V: WordsOfRows<C>> OfRows<C> for Sha1<V> {
    #[inline(always)]
    unsafe fn of_rows(rows: [&C::Row; 4]) -> [V; 16] {
        // SAFETY: the caller vouches for the instructions.
        V::of_rows(unsafe { V::Level::assume() }, rows)
    }
}

impl<C: Rows, V: WordsOfRows<C>> OfRows<C> for Sha256<V> {
    #[inline(always)]
    unsafe fn of_rows(rows: [&C::Row; 4]) -> [V; 16] {
        // SAFETY: the caller vouches for the instructions.
        V::of_rows(unsafe { V::Level::assume() }, rows)
    }
}

/// The first `N` words of each lane's state.
///
/// # Safety
/// The processor has the instructions of `V`.
#[inline(always)]
unsafe fn state<V: Words<Word = u32>, const N: usize>(lanes: &Lanes, lane: usize) -> [V; N] {
    // SAFETY: the caller vouches for the instructions; a row holds the most lanes there are.
    unsafe {
        let level = V::Level::assume();
        let mut state = [V::splat(level, 0); N];
        for (word, row) in state.iter_mut().zip(&lanes.state) {
            *word = V::load(level, row[lane..].as_ptr());
        }
        state
    }
}

/// Adds the states that `lanes` hold, and puts the sums there.
#[inline(always)]
fn add<V: Words<Word = u32>, const N: usize>(state: &mut [V; N], lanes: &mut Lanes, lane: usize) {
    for (word, row) in state.iter_mut().zip(&mut lanes.state) {
        // SAFETY: a row holds the most lanes there are.
        unsafe {
            *word = word.add(V::load(word.level(), row[lane..].as_ptr()));
            word.store(row[lane..].as_mut_ptr());
        }
    }
}

/// SHA-1's state.
#[derive(Clone, Copy)]
pub struct Sha1<V>([V; 5]);

impl<V: Words<Word = u32>> Sha1<V> {
    #[inline(always)]
    fn round(&mut self, w: &mut [V; 16], quarter: usize, t: usize) {
        let [a, b, c, d, e] = self.0;
        if t >= 16 {
            let old = w[(t + 13) % 16].xor3(w[(t + 8) % 16], w[(t + 2) % 16]).xor(w[t % 16]);
            w[t % 16] = old.ror::<31>();
        }
        let f = match quarter {
            0 => b.choose(c, d),
            2 => b.majority(c, d),
            _ => b.xor3(c, d),
        };
        // What does not depend on the round before comes first.
        let rest = e.add(w[t % 16].add(V::splat(a.level(), sha::SHA1_K[quarter]))).add(f);
        self.0 = [rest.add(a.ror::<27>()), a, b.ror::<2>(), c, d];
    }
}

/// SHA-256's state.
#[derive(Clone, Copy)]
pub struct Sha256<V>([V; 8]);

impl<V: Words<Word = u32>> Sha256<V> {
    #[inline(always)]
    fn round(&mut self, w: &mut [V; 16], t: usize) {
        let [a, b, c, d, e, f, g, h] = self.0;
        if t >= 16 {
            let (x, y) = (w[(t + 1) % 16], w[(t + 14) % 16]);
            let s0 = x.ror::<7>().xor3(x.ror::<18>(), x.shr::<3>());
            let s1 = y.ror::<17>().xor3(y.ror::<19>(), y.shr::<10>());
            w[t % 16] = w[t % 16].add(s0).add(w[(t + 9) % 16]).add(s1);
        }
        let s1 = e.ror::<6>().xor3(e.ror::<11>(), e.ror::<25>());
        let s0 = a.ror::<2>().xor3(a.ror::<13>(), a.ror::<22>());
        let t1 = h.add(w[t % 16].add(V::splat(a.level(), sha::SHA256_K[t]))).add(e.choose(f, g)).add(s1);
        self.0 = [t1.add(s0.add(a.majority(b, c))), a, b, c, d.add(t1), e, f, g];
    }
}

macro_rules! compress {
    ($name:ident, $parts:literal, |$self:ident, $words:ident, $part:ident| $round:expr) => {
        impl<V: Words<Word = u32>> Compress for $name<V> {
            type Message = [V; 16];
            const PARTS: usize = $parts;

            #[inline(always)]
            unsafe fn begin(lanes: &Lanes, lane: usize) -> Self {
                // SAFETY: the caller vouches for the instructions.
                $name(unsafe { state(lanes, lane) })
            }
            #[inline(always)]
            unsafe fn load(lanes: &Lanes, lane: usize, at: usize) -> [V; 16] {
                // SAFETY: the caller vouches for the instructions and the pointers.
                unsafe { blocks(V::Level::assume(), lanes, lane, at) }
            }
            #[inline(always)]
            unsafe fn part<const $part: usize>(&mut $self, $words: &mut [V; 16]) {
                $round
            }
            #[inline(always)]
            unsafe fn add(&mut self, _before: Self, lanes: &mut Lanes, lane: usize) {
                add(&mut self.0, lanes, lane);
            }
            #[inline(always)]
            unsafe fn end(self, _lanes: &mut Lanes, _lane: usize) {}
        }
    };
}
compress!(Sha1, 80, |self, w, P| self.round(w, P / 20, P));
compress!(Sha256, 64, |self, w, P| self.round(w, P));
