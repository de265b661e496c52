//! Messages in work: one per slot, the states word by word, so that engines load them as vectors.
//!
//! A message is hashed in place. Only what does not fill a block is copied: the bytes kept from an earlier piece
//! with the first of this one, and the end with the filling.

use super::algorithm::{Algorithm, TAIL};
use super::engine::Plan;
use super::rows::{LIVE, SLOTS};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// A piece of a message to hash.
pub struct Piece<'m, 'd, W> {
    /// The state before it.
    pub state: &'m [W; 8],
    /// Bytes before it that did not fill a block.
    pub kept: &'m [u8],
    pub bytes: &'d [u8],
    /// Bytes of the message before it, with those kept.
    pub before: u64,
    /// Whether the message ends with it.
    pub last: bool,
}

/// What gives work to the slots and takes it back.
pub trait Jobs<'d, W> {
    /// The next piece and a number of the giver's; it ends its message, or fills a block at least.
    fn next(&mut self) -> Option<(usize, Piece<'_, 'd, W>)>;

    /// Takes back the state after that piece.
    fn done(&mut self, job: usize, state: [W; 8]);
}

/// What a slot's blocks are part of, and what follows them.
#[derive(Clone, Copy)]
struct Work {
    job: usize,
    /// The bytes that are not yet given to an engine.
    rest: *const u8,
    rest_bytes: usize,
    /// Whether the end is still to be filled up.
    open: bool,
    total: u64,
    /// Which tail belongs to the slot.
    tail: u8,
}

/// The slots. Messages of the lifetime `'d` are read until they are done.
pub struct Slots<'d, A: Algorithm> {
    state: States<A::Word>,
    next: [*const u8; SLOTS],
    /// Blocks at `next`.
    left: [usize; LIVE],
    work: [Work; LIVE],
    live: usize,
    tails: Box<[MaybeUninit<[u8; TAIL]>; LIVE]>,
    messages: PhantomData<&'d [u8]>,
}

#[repr(align(64))]
struct States<W>([[W; SLOTS]; 8]);

// SAFETY: the pointers are to messages, which are only read and borrowed for 'd, and to tails, which the slots own.
unsafe impl<A: Algorithm> Send for Slots<'_, A> {}
// SAFETY: as above; nothing changes through a shared reference.
unsafe impl<A: Algorithm> Sync for Slots<'_, A> {}

impl<'d, A: Algorithm> Slots<'d, A> {
    /// No messages in work.
    pub fn new() -> Self {
        let idle = Work { job: 0, rest: std::ptr::null(), rest_bytes: 0, open: false, total: 0, tail: 0 };
        let tails = Box::new([const { MaybeUninit::uninit() }; LIVE]);
        Slots {
            state: States([[A::Word::default(); SLOTS]; 8]),
            next: [std::ptr::null(); SLOTS],
            left: [0; LIVE],
            work: std::array::from_fn(|slot| Work { tail: slot as u8, ..idle }),
            live: 0,
            tails,
            messages: PhantomData,
        }
    }

    /// Messages in work.
    pub fn live(&self) -> usize {
        self.live
    }

    /// Puts a piece that ends its message, or fills a block at least, into a slot that holds none.
    fn load(&mut self, slot: usize, job: usize, piece: &Piece<'_, 'd, A::Word>) {
        for (row, word) in self.state.0.iter_mut().zip(piece.state) {
            row[slot] = *word;
        }
        let tail = self.work[slot].tail;
        let (mut rest, kept) = (piece.bytes, piece.kept);
        let total = piece.before + piece.bytes.len() as u64;
        self.work[slot] =
            Work { job, rest: rest.as_ptr(), rest_bytes: rest.len(), open: piece.last, total, tail };
        self.left[slot] = 0;
        if !kept.is_empty() {
            let bytes = blank::<A>(&mut self.tails[usize::from(tail)]);
            bytes[..kept.len()].copy_from_slice(kept);
            let taken = rest.len().min(A::BLOCK - kept.len());
            let filled = kept.len() + taken;
            bytes[kept.len()..filled].copy_from_slice(&rest[..taken]);
            rest = &rest[taken..];
            let work = &mut self.work[slot];
            (work.rest, work.rest_bytes) = (rest.as_ptr(), rest.len());
            self.left[slot] = 1;
            if filled < A::BLOCK {
                work.open = false;
                self.left[slot] = A::fill_up(bytes, filled, total);
            }
            self.next[slot] = bytes.as_ptr();
        } else {
            self.proceed(slot);
        }
    }

    /// Gives the slot its next blocks; false when there are none.
    fn proceed(&mut self, slot: usize) -> bool {
        let work = &mut self.work[slot];
        let whole = work.rest_bytes / A::BLOCK;
        if whole > 0 {
            self.next[slot] = work.rest;
            self.left[slot] = whole;
            // SAFETY: the rest has as many bytes.
            work.rest = unsafe { work.rest.add(whole * A::BLOCK) };
            work.rest_bytes -= whole * A::BLOCK;
            return true;
        }
        if !work.open {
            return false;
        }
        work.open = false;
        let bytes = blank::<A>(&mut self.tails[usize::from(work.tail)]);
        // SAFETY: the rest of the message is borrowed for 'd and shorter than a block.
        let rest = unsafe { std::slice::from_raw_parts(work.rest, work.rest_bytes) };
        bytes[..rest.len()].copy_from_slice(rest);
        self.left[slot] = A::fill_up(bytes, work.rest_bytes, work.total);
        self.next[slot] = bytes.as_ptr();
        true
    }

    /// Compresses blocks of the first `width` messages until one of them has none left.
    fn step(&mut self, plan: &Plan<A::Word>, width: usize) -> usize {
        let live = self.live.min(width);
        let blocks = self.left[..live].iter().copied().min().unwrap_or(0);
        let covered = plan.covered(live);
        // Lanes without a message compress another lane's blocks into a state that is not read.
        let any = self.next[0];
        self.next[live..covered.max(live)].iter_mut().filter(|_| covered > live).for_each(|next| *next = any);
        let mut at = 0;
        while at < live {
            let engine = plan.engine(live - at);
            // SAFETY: every pointer has `left` blocks or more, which is at least `blocks`; the plan keeps the lanes
            // within the slots, and its engines are of a level that is available.
            unsafe {
                let state = self.state.0.as_mut_ptr().cast::<A::Word>().add(at);
                engine.compress(state, self.next.as_ptr().add(at), blocks);
            }
            at += engine.lanes;
        }
        for (next, left) in self.next[..live].iter_mut().zip(&mut self.left) {
            // SAFETY: the pointer has as many blocks.
            *next = unsafe { next.add(blocks * A::BLOCK) };
            *left -= blocks;
        }
        live
    }

    /// Hashes what `jobs` gives, `width` messages at a time, until nothing is left; with `keep` only until it gives
    /// nothing more while a slot is free.
    pub fn drive(
        &mut self,
        plan: &Plan<A::Word>,
        width: usize,
        keep: bool,
        jobs: &mut impl Jobs<'d, A::Word>,
    ) {
        let mut dry = false;
        loop {
            while !dry && self.live < width {
                let live = self.live;
                dry = !self.take_up(live, jobs);
                self.live += usize::from(!dry);
            }
            if self.live == 0 || (dry && keep) {
                return;
            }
            for slot in (0..self.step(plan, width)).rev() {
                if self.left[slot] > 0 || self.proceed(slot) {
                    continue;
                }
                jobs.done(self.work[slot].job, std::array::from_fn(|word| self.state.0[word][slot]));
                dry = dry || !self.take_up(slot, jobs);
                if dry {
                    self.remove(slot);
                }
            }
        }
    }

    /// Takes the next job into a slot that holds none; false when there is none.
    fn take_up(&mut self, slot: usize, jobs: &mut impl Jobs<'d, A::Word>) -> bool {
        let Some((job, piece)) = jobs.next() else { return false };
        self.load(slot, job, &piece);
        true
    }

    /// Moves the last message into the slot of one that is done.
    fn remove(&mut self, slot: usize) {
        self.live -= 1;
        let last = self.live;
        if slot == last {
            return;
        }
        for row in &mut self.state.0 {
            row[slot] = row[last];
        }
        self.next[slot] = self.next[last];
        self.left[slot] = self.left[last];
        self.work.swap(slot, last);
    }
}

/// Two blocks of zeros.
fn blank<A: Algorithm>(tail: &mut MaybeUninit<[u8; TAIL]>) -> &mut [u8] {
    let bytes: *mut u8 = tail.as_mut_ptr().cast();
    // SAFETY: a tail has room for two blocks; as many bytes are written.
    unsafe {
        bytes.write_bytes(0, 2 * A::BLOCK);
        std::slice::from_raw_parts_mut(bytes, 2 * A::BLOCK)
    }
}

/// Compresses whole blocks of one message into its state.
pub fn compress<A: Algorithm>(plan: &Plan<A::Word>, state: &mut [A::Word; 8], blocks: &[u8]) {
    let engine = plan.engine(1);
    let rows = [blocks.as_ptr(); LIVE];
    let mut column = [MaybeUninit::<A::Word>::uninit(); 8 * SLOTS];
    // Lanes without a message compress the same blocks into a state that is not read.
    for (row, word) in column.chunks_exact_mut(SLOTS).zip(state.iter()) {
        row[..engine.lanes].fill(MaybeUninit::new(*word));
    }
    // SAFETY: the engine is of a level that is available; as many words as it has lanes are written in each row, and
    // every lane's pointer is to that number of whole blocks.
    unsafe {
        engine.compress(column.as_mut_ptr().cast(), rows.as_ptr(), blocks.len() / A::BLOCK);
        for (row, word) in column.chunks_exact(SLOTS).zip(state) {
            *word = row[0].assume_init();
        }
    }
}
