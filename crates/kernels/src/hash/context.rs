//! A message in pieces: the state of one that is not finished.

use super::HashError;
use super::algorithm::{Algorithm, TAIL};
use super::slots::{Piece, compress};
use crate::isa::Isa;
use std::fmt;

/// A message of which some pieces are hashed.
///
/// Used alone, it hashes one message at a time. Handed to a [`Scheduler`](super::Scheduler) with a piece, it comes back
/// with the piece hashed among those of other messages.
#[derive(Clone)]
pub struct Context<A: Algorithm> {
    isa: Isa,
    state: [A::Word; 8],
    /// Bytes that do not fill a block yet: the first `kept` of it.
    buffer: [u8; TAIL / 2],
    kept: usize,
    total: u64,
}

impl<A: Algorithm> Default for Context<A> {
    fn default() -> Self {
        Context::at(Isa::best())
    }
}

impl<A: Algorithm> fmt::Debug for Context<A> {
    // Not the state and the bytes: the message may be a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bytes so far", A::NAME, self.total)
    }
}

impl<A: Algorithm> Context<A> {
    /// The empty message.
    pub fn new() -> Self {
        Context::default()
    }

    /// [`Context::new`] for the level `isa`.
    pub fn new_with(isa: Isa) -> Result<Self, HashError> {
        Ok(Context::at(isa.require()?))
    }

    fn at(isa: Isa) -> Self {
        Context { isa, state: A::INITIAL, buffer: [0; TAIL / 2], kept: 0, total: 0 }
    }

    /// Bytes hashed so far.
    pub fn total_bytes(&self) -> u64 {
        self.total
    }

    /// Hashes a piece more.
    pub fn update(&mut self, mut piece: &[u8]) {
        self.total = self.total.wrapping_add(piece.len() as u64);
        let plan = A::plan(self.isa);
        if self.kept > 0 {
            let taken = piece.len().min(A::BLOCK - self.kept);
            self.keep(&piece[..taken]);
            piece = &piece[taken..];
            if self.kept < A::BLOCK {
                return;
            }
            compress::<A>(plan, &mut self.state, &self.buffer[..A::BLOCK]);
            self.kept = 0;
        }
        let (whole, rest) = piece.split_at(piece.len() / A::BLOCK * A::BLOCK);
        if !whole.is_empty() {
            compress::<A>(plan, &mut self.state, whole);
        }
        self.keep(rest);
    }

    /// The digest of the message.
    pub fn finish(mut self) -> A::Digest {
        let mut tail = [0; TAIL];
        tail[..self.kept].copy_from_slice(&self.buffer[..self.kept]);
        let blocks = A::fill_up(&mut tail, self.kept, self.total);
        compress::<A>(A::plan(self.isa), &mut self.state, &tail[..blocks * A::BLOCK]);
        A::digest(self.state)
    }

    /// Appends bytes that fill a block at most.
    fn keep(&mut self, bytes: &[u8]) {
        self.buffer[self.kept..self.kept + bytes.len()].copy_from_slice(bytes);
        self.kept += bytes.len();
    }

    /// Whether a piece gives nothing to compress.
    pub(super) fn only_keeps(&self, piece: &[u8]) -> bool {
        self.kept + piece.len() < A::BLOCK
    }

    /// The work of hashing a piece more.
    pub(super) fn piece<'m, 'd>(&'m self, bytes: &'d [u8], last: bool) -> Piece<'m, 'd, A::Word> {
        Piece { state: &self.state, kept: &self.buffer[..self.kept], bytes, before: self.total, last }
    }

    /// Takes the state after a piece whose whole blocks are compressed.
    pub(super) fn advance(&mut self, state: [A::Word; 8], piece: &[u8]) {
        let left = (self.kept + piece.len()) % A::BLOCK;
        self.state = state;
        self.total = self.total.wrapping_add(piece.len() as u64);
        self.kept = 0;
        self.keep(&piece[piece.len() - left..]);
    }
}
