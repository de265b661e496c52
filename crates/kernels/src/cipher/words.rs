//! SHA-1 and SHA-256 on vectors of words, one word of each lane: FIPS 180-4, sections 4.1, 6.1.2 and 6.2.2.

use super::lanes::{Compress, Lanes};
use super::ring::{OfRows, Rows};
use super::sha;

/// A 32-bit word of each lane.
pub trait Words: Copy {
    /// # Safety
    /// The processor must have the instructions of the implementation, here and in the other functions.
    unsafe fn splat(word: u32) -> Self;
    /// # Safety
    /// As for `splat`, and the pointer must be followed by one word per lane.
    unsafe fn load(words: *const u32) -> Self;
    /// # Safety
    /// As for `load`, writable.
    unsafe fn store(self, words: *mut u32);
    /// # Safety
    /// As for `splat`.
    unsafe fn add(self, other: Self) -> Self;
    /// Rotation to the left by `LEFT`; `RIGHT` is 32 minus that.
    ///
    /// # Safety
    /// As for `splat`.
    unsafe fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> Self;
    /// # Safety
    /// As for `splat`.
    unsafe fn shift_right<const N: i32>(self) -> Self;
    /// # Safety
    /// As for `splat`.
    unsafe fn xor(self, other: Self) -> Self;
    /// # Safety
    /// As for `splat`.
    unsafe fn xor3(self, b: Self, c: Self) -> Self;
    /// Bits of `b` where `self` has ones, of `c` elsewhere: Ch.
    ///
    /// # Safety
    /// As for `splat`.
    unsafe fn choose(self, b: Self, c: Self) -> Self;
    /// The bits that most have: Maj.
    ///
    /// # Safety
    /// As for `splat`.
    unsafe fn majority(self, b: Self, c: Self) -> Self;
    /// The 16 words, most significant byte first, `at` bytes after each lane's hash pointer.
    ///
    /// # Safety
    /// As for `splat`, and 64 bytes must be readable there in each lane.
    unsafe fn blocks(lanes: &Lanes, lane: usize, at: usize) -> [Self; 16];
}

/// Words that come from rows of ciphertext ([`OfRows`]).
pub trait WordsOfRows<C: Rows>: Words {
    /// The 16 words of four rows, in the order of lanes that [`OfRows`] tells.
    ///
    /// # Safety
    /// As for [`Words::splat`].
    unsafe fn of_rows(rows: [&C::Row; 4]) -> [Self; 16];
}

impl<C: Rows, V: WordsOfRows<C>> OfRows<C> for Sha1<V> {
    #[inline(always)]
    unsafe fn of_rows(rows: [&C::Row; 4]) -> [V; 16] {
        // SAFETY: the caller vouches for the instructions.
        unsafe { V::of_rows(rows) }
    }
}

impl<C: Rows, V: WordsOfRows<C>> OfRows<C> for Sha256<V> {
    #[inline(always)]
    unsafe fn of_rows(rows: [&C::Row; 4]) -> [V; 16] {
        // SAFETY: the caller vouches for the instructions.
        unsafe { V::of_rows(rows) }
    }
}

/// SHA-1's state.
#[derive(Clone, Copy)]
pub struct Sha1<V>([V; 5]);

impl<V: Words> Sha1<V> {
    #[inline(always)]
    unsafe fn round(&mut self, w: &mut [V; 16], quarter: usize, t: usize) {
        let [a, b, c, d, e] = self.0;
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            if t >= 16 {
                let old = w[(t + 13) % 16].xor3(w[(t + 8) % 16], w[(t + 2) % 16]).xor(w[t % 16]);
                w[t % 16] = old.rotate::<1, 31>();
            }
            let f = match quarter {
                0 => b.choose(c, d),
                2 => b.majority(c, d),
                _ => b.xor3(c, d),
            };
            // What does not depend on the round before comes first.
            let rest = e.add(w[t % 16].add(V::splat(sha::SHA1_K[quarter]))).add(f);
            self.0 = [rest.add(a.rotate::<5, 27>()), a, b.rotate::<30, 2>(), c, d];
        }
    }
}

impl<V: Words> Compress for Sha1<V> {
    type Message = [V; 16];
    const PARTS: usize = 80;

    #[inline(always)]
    unsafe fn begin(lanes: &Lanes, lane: usize) -> Self {
        let word = |index: usize| lanes.state[index][lane..].as_ptr();
        // SAFETY: the caller vouches for the instructions; a row holds the most lanes there are.
        unsafe {
            Sha1([V::load(word(0)), V::load(word(1)), V::load(word(2)), V::load(word(3)), V::load(word(4))])
        }
    }
    #[inline(always)]
    unsafe fn load(lanes: &Lanes, lane: usize, at: usize) -> [V; 16] {
        // SAFETY: the caller vouches for the instructions and the pointers.
        unsafe { V::blocks(lanes, lane, at) }
    }
    #[inline(always)]
    unsafe fn part<const P: usize>(&mut self, w: &mut [V; 16]) {
        // SAFETY: the caller vouches for the instructions.
        unsafe { self.round(w, P / 20, P) }
    }
    #[inline(always)]
    unsafe fn add(&mut self, _before: Self, lanes: &mut Lanes, lane: usize) {
        for (word, row) in self.0.iter_mut().zip(&mut lanes.state) {
            // SAFETY: the caller vouches for the instructions; a row holds the most lanes there are.
            unsafe {
                *word = word.add(V::load(row[lane..].as_ptr()));
                word.store(row[lane..].as_mut_ptr());
            }
        }
    }
    #[inline(always)]
    unsafe fn end(self, _lanes: &mut Lanes, _lane: usize) {}
}

/// SHA-256's state.
#[derive(Clone, Copy)]
pub struct Sha256<V>([V; 8]);

impl<V: Words> Sha256<V> {
    #[inline(always)]
    unsafe fn round(&mut self, w: &mut [V; 16], t: usize) {
        let [a, b, c, d, e, f, g, h] = self.0;
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            if t >= 16 {
                let (x, y) = (w[(t + 1) % 16], w[(t + 14) % 16]);
                let s0 = x.rotate::<25, 7>().xor3(x.rotate::<14, 18>(), x.shift_right::<3>());
                let s1 = y.rotate::<15, 17>().xor3(y.rotate::<13, 19>(), y.shift_right::<10>());
                w[t % 16] = w[t % 16].add(s0).add(w[(t + 9) % 16]).add(s1);
            }
            let s1 = e.rotate::<26, 6>().xor3(e.rotate::<21, 11>(), e.rotate::<7, 25>());
            let s0 = a.rotate::<30, 2>().xor3(a.rotate::<19, 13>(), a.rotate::<10, 22>());
            let t1 = h.add(w[t % 16].add(V::splat(sha::SHA256_K[t]))).add(e.choose(f, g)).add(s1);
            self.0 = [t1.add(s0.add(a.majority(b, c))), a, b, c, d.add(t1), e, f, g];
        }
    }
}

impl<V: Words> Compress for Sha256<V> {
    type Message = [V; 16];
    const PARTS: usize = 64;

    #[inline(always)]
    unsafe fn begin(lanes: &Lanes, lane: usize) -> Self {
        let word = |index: usize| lanes.state[index][lane..].as_ptr();
        // SAFETY: the caller vouches for the instructions; a row holds the most lanes there are.
        unsafe {
            let low = [V::load(word(0)), V::load(word(1)), V::load(word(2)), V::load(word(3))];
            let high = [V::load(word(4)), V::load(word(5)), V::load(word(6)), V::load(word(7))];
            Sha256([low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]])
        }
    }
    #[inline(always)]
    unsafe fn load(lanes: &Lanes, lane: usize, at: usize) -> [V; 16] {
        // SAFETY: the caller vouches for the instructions and the pointers.
        unsafe { V::blocks(lanes, lane, at) }
    }
    #[inline(always)]
    unsafe fn part<const P: usize>(&mut self, w: &mut [V; 16]) {
        // SAFETY: the caller vouches for the instructions.
        unsafe { self.round(w, P) }
    }
    #[inline(always)]
    unsafe fn add(&mut self, _before: Self, lanes: &mut Lanes, lane: usize) {
        for (word, row) in self.0.iter_mut().zip(&mut lanes.state) {
            // SAFETY: the caller vouches for the instructions; a row holds the most lanes there are.
            unsafe {
                *word = word.add(V::load(row[lane..].as_ptr()));
                word.store(row[lane..].as_mut_ptr());
            }
        }
    }
    #[inline(always)]
    unsafe fn end(self, _lanes: &mut Lanes, _lane: usize) {}
}

/// One lane in general registers.
impl Words for u32 {
    #[inline(always)]
    unsafe fn splat(word: u32) -> u32 {
        word
    }
    #[inline(always)]
    unsafe fn load(words: *const u32) -> u32 {
        // SAFETY: the caller vouches for the word.
        unsafe { words.read() }
    }
    #[inline(always)]
    unsafe fn store(self, words: *mut u32) {
        // SAFETY: the caller vouches for the word.
        unsafe { words.write(self) }
    }
    #[inline(always)]
    unsafe fn add(self, other: u32) -> u32 {
        self.wrapping_add(other)
    }
    #[inline(always)]
    unsafe fn rotate<const LEFT: i32, const RIGHT: i32>(self) -> u32 {
        self.rotate_left(LEFT as u32)
    }
    #[inline(always)]
    unsafe fn shift_right<const N: i32>(self) -> u32 {
        self >> N
    }
    #[inline(always)]
    unsafe fn xor(self, other: u32) -> u32 {
        self ^ other
    }
    #[inline(always)]
    unsafe fn xor3(self, b: u32, c: u32) -> u32 {
        self ^ b ^ c
    }
    #[inline(always)]
    unsafe fn choose(self, b: u32, c: u32) -> u32 {
        c ^ (self & (b ^ c))
    }
    #[inline(always)]
    unsafe fn majority(self, b: u32, c: u32) -> u32 {
        (self & b) | (c & (self | b))
    }
    #[inline(always)]
    unsafe fn blocks(lanes: &Lanes, lane: usize, at: usize) -> [u32; 16] {
        let mut words = [0; 16];
        for (index, word) in words.iter_mut().enumerate() {
            // SAFETY: the caller vouches for the 64 bytes.
            let bytes = unsafe { lanes.hash[lane].add(at + 4 * index).cast::<[u8; 4]>().read() };
            *word = u32::from_be_bytes(bytes);
        }
        words
    }
}
