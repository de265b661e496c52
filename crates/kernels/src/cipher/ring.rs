//! Hashing the ciphertext while it is in vector registers.
//!
//! Where the blocks of the hash consist of whole blocks of ciphertext, at one distance in all lanes, the last rows of ciphertext
//! are kept beside being stored, and the hash takes them from there: nothing is loaded and put together a second time.

use super::lanes::{self, Chain, Compress, Keep, Lanes};

/// A chain whose vectors the hash can take as they are.
pub trait Rows: Chain {
    /// A block of each lane: vector `v` of four has the lanes `v * lanes / 4` and on.
    type Row: Copy;

    /// The blocks that were encrypted last.
    ///
    /// # Safety
    /// As for [`Chain::begin`].
    unsafe fn row(&self) -> Self::Row;

    /// The blocks `at` bytes after the lanes' hash pointers.
    ///
    /// # Safety
    /// As for [`Chain::begin`], and 16 bytes must be readable there in each lane.
    unsafe fn read(lanes: &Lanes, at: usize) -> Self::Row;
}

/// A hash that takes its blocks from rows of ciphertext. Its lanes are then in another order: element `4 h + v` of its vectors
/// belongs to the `h`-th lane of vector `v`, because 4 x 4 words are turned within 128 bits.
pub trait OfRows<C: Rows>: Compress {
    /// A block from four rows.
    ///
    /// # Safety
    /// As for [`Compress::begin`].
    unsafe fn of_rows(rows: [&C::Row; 4]) -> Self::Message;
}

/// Rows that a ring holds: four that a step hashes and four that it encrypts.
const RING: usize = 8;

/// The last rows of ciphertext.
struct Ring<C: Rows> {
    rows: [C::Row; RING],
    /// Rows between the data pointers and the hash pointers.
    behind: usize,
}

impl<C: Rows> Ring<C> {
    /// The ring's place for a row, by its distance from the first to be hashed.
    #[inline(always)]
    fn place(row: usize) -> usize {
        row % RING
    }
}

impl<C: Rows> Keep<C> for Ring<C> {
    #[inline(always)]
    unsafe fn keep(&mut self, at: usize, chain: &C) {
        // SAFETY: the caller vouches for the instructions.
        self.rows[Self::place(self.behind + at / 16)] = unsafe { chain.row() };
    }
}

impl Lanes {
    /// Blocks by which all of `LANES` lanes' hash pointers are before their data pointers, where it is the same number for all,
    /// no less than a step hashes, and no more than a ring holds or `steps` hash.
    fn behind<const LANES: usize>(&self, steps: usize) -> Option<usize> {
        let distance = |lane: usize| self.data[lane].addr().wrapping_sub(self.hash[lane].addr());
        let first = distance(0);
        let fits = first.is_multiple_of(16) && (4..=RING.min(4 * steps)).contains(&(first / 16));
        (fits && (1..LANES).all(|lane| distance(lane) == first)).then_some(first / 16)
    }

    /// Brings the states of the hash into the order that [`OfRows`] wants, or back.
    #[inline(always)]
    fn reorder<const LANES: usize>(&mut self, there: bool) {
        for row in &mut self.state {
            let old = *row;
            for element in 0..LANES {
                let lane = LANES / 4 * (element % 4) + element / 4;
                match there {
                    true => row[element] = old[lane],
                    false => row[lane] = old[element],
                }
            }
        }
    }
}

/// [`lanes::both`] for engines of `LANES` lanes that can hash the ciphertext in vector registers, where the blocks of the hash consist
/// of whole blocks of ciphertext: nothing is loaded and put together a second time.
///
/// # Safety
/// As for [`lanes::both`].
#[inline(always)]
pub unsafe fn both<H: OfRows<C>, C: Rows, const LANES: usize>(all: &mut Lanes, steps: usize, rounds: usize) {
    // SAFETY: the caller vouches for all of it; `behind` found the distance.
    unsafe {
        match (rounds, all.behind::<LANES>(steps)) {
            (10, Some(behind)) => ringed::<H, C, LANES, 10>(all, steps, behind),
            (14, Some(behind)) => ringed::<H, C, LANES, 14>(all, steps, behind),
            _ => lanes::both::<H, C>(all, steps, rounds),
        }
    }
}

/// # Safety
/// As for [`lanes::both`]; the hash pointers are `behind` rows before the data pointers, 4 to 8, and followed by as many rows that can
/// be read.
#[inline(always)]
unsafe fn ringed<H: OfRows<C>, C: Rows, const LANES: usize, const ROUNDS: usize>(
    all: &mut Lanes,
    steps: usize,
    behind: usize,
) {
    // SAFETY: the caller vouches for the instructions, the pointers and the keys.
    unsafe {
        let mut ring = Ring::<C> { rows: [C::read(all, 0); RING], behind };
        for row in 1..behind {
            ring.rows[row] = C::read(all, 16 * row);
        }
        all.reorder::<LANES>(true);
        let mut hash = H::begin(all, 0);
        let mut chain = C::begin(all, ROUNDS);
        for step in 0..steps {
            let row = |n: usize| &ring.rows[Ring::<C>::place(4 * step + n)];
            let message = H::of_rows([row(0), row(1), row(2), row(3)]);
            lanes::one::<H, C, Ring<C>, ROUNDS>(all, &mut hash, &mut chain, message, 64 * step, &mut ring);
        }
        hash.end(all, 0);
        chain.end(all);
        all.reorder::<LANES>(false);
    }
}
