//! A window over the contents of files, one after the other: filled by reading, cut into chunks, hashed when
//! it is full.
//!
//! The chunks are hashed in place, hundreds at a time, which suits many lanes.

use fastcdc::v2020::FastCDC;
use loopwright_kernels::hash::{Digest, Sha256, hash_many};
use std::ops::Range;
use thiserror::Error;

/// Bytes that are read before they are hashed, unless chunks are larger.
const WINDOW: usize = 8 << 20;

/// Size of the chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunking {
    average: usize,
}

/// The requested size is not available.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("chunks of {average} bytes are not available; use {} to {}", Chunking::LEAST, Chunking::MOST)]
pub struct ChunkingError {
    average: usize,
}

impl Chunking {
    /// The least average.
    pub const LEAST: usize = 1 << 10;
    /// The largest average.
    pub const MOST: usize = 1 << 20;

    /// Chunks of about `average` bytes, a quarter of that at least (but for a file's end) and four times that at most.
    pub fn new(average: usize) -> Result<Chunking, ChunkingError> {
        match average {
            Self::LEAST..=Self::MOST => Ok(Chunking { average: average & !7 }),
            _ => Err(ChunkingError { average }),
        }
    }

    fn most(self) -> usize {
        4 * self.average
    }

    fn cutter(self, bytes: &[u8]) -> FastCDC<'_> {
        FastCDC::new(bytes, self.average / 4, self.average, self.most())
    }
}

/// A chunk's digest and length.
pub struct Chunk {
    pub digest: Digest<32>,
    pub bytes: usize,
}

pub struct Window {
    chunking: Chunking,
    bytes: Vec<u8>,
    /// Chunks that are not hashed yet, in order from the start of the window.
    chunks: Vec<Range<usize>>,
    /// Start of the bytes that are not cut yet.
    uncut: usize,
    filled: usize,
    digests: Vec<Digest<32>>,
}

impl Window {
    /// An empty window.
    pub fn new(chunking: Chunking) -> Window {
        let bytes = vec![0; WINDOW.max(8 * chunking.most())];
        Window { chunking, bytes, chunks: Vec::new(), uncut: 0, filled: 0, digests: Vec::new() }
    }

    /// Room to read into, never empty. When the window is full, its chunks are hashed and passed to `tell`.
    pub fn room(&mut self, tell: impl FnMut(Chunk)) -> &mut [u8] {
        if self.filled == self.bytes.len() {
            self.cut(false);
            self.hash(tell);
        }
        &mut self.bytes[self.filled..]
    }

    /// Records that this number of bytes was read into the room.
    pub fn filled(&mut self, count: usize) {
        self.filled += count;
    }

    /// Records that the next bytes belong to another file.
    pub fn end_of_file(&mut self) {
        self.cut(true);
    }

    /// Hashes the rest and passes it to `tell`.
    pub fn finish(mut self, tell: impl FnMut(Chunk)) {
        self.cut(true);
        self.hash(tell);
    }

    /// Cuts the uncut bytes. Where the file continues, bytes that may become a longer chunk stay uncut.
    fn cut(&mut self, at_end: bool) {
        let begin = self.uncut;
        for chunk in self.chunking.cutter(&self.bytes[begin..self.filled]) {
            let range = begin + chunk.offset..begin + chunk.offset + chunk.length;
            if !at_end && self.filled - range.start < self.chunking.most() {
                break;
            }
            self.uncut = range.end;
            self.chunks.push(range);
        }
    }

    /// Hashes the chunks and moves the uncut bytes to the start of the window.
    fn hash(&mut self, mut tell: impl FnMut(Chunk)) {
        let slices: Vec<&[u8]> = self.chunks.iter().map(|range| &self.bytes[range.clone()]).collect();
        self.digests.resize(slices.len(), Digest::default());
        // There are as many digests as chunks, so that no error is possible.
        let _ = hash_many::<Sha256>(&slices, &mut self.digests);
        for (slice, digest) in slices.iter().zip(&self.digests) {
            tell(Chunk { digest: *digest, bytes: slice.len() });
        }
        self.chunks.clear();
        self.bytes.copy_within(self.uncut..self.filled, 0);
        self.filled -= self.uncut;
        self.uncut = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_out_of_range_are_refused_with_the_range() {
        assert!(Chunking::new(1 << 16).is_ok());
        let error = Chunking::new(100).unwrap_err().to_string();
        assert_eq!(error, "chunks of 100 bytes are not available; use 1024 to 1048576");
    }
}
