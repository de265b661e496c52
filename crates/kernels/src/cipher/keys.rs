//! Keys as the engines use them, and their erasure.

use super::bitslice;
use super::dispatch;
use super::lanes::{Lanes, ROUND_KEYS, RoundKeys};
use super::sha::Hash;
use crate::isa::Isa;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Bytes that SHA-1 and SHA-256 take at a time.
pub const BLOCK: usize = 64;

/// Both keys, expanded.
pub struct Keys {
    /// Round keys for encryption.
    pub encrypt: RoundKeys,
    /// Round keys of the equivalent inverse cipher, in the order of their use.
    pub decrypt: RoundKeys,
    /// 10 or 14.
    pub rounds: usize,
    /// The MAC's hash.
    pub hash: Hash,
    /// The hash's state after the inner padded key (RFC 2104).
    pub inner: [u32; 8],
    /// After the outer one.
    pub outer: [u32; 8],
    /// Bytes of a tag.
    pub tag_bytes: usize,
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.encrypt.zeroize();
        self.decrypt.zeroize();
        self.inner.zeroize();
        self.outer.zeroize();
    }
}

impl ZeroizeOnDrop for Keys {}

impl Keys {
    /// `cipher_key` has 16 or 32 bytes, `mac_key` any number. `isa` is available.
    pub fn new(isa: Isa, hash: Hash, cipher_key: &[u8], mac_key: &[u8]) -> Keys {
        let rounds = cipher_key.len() / 4 + 6;
        let encrypt = expand(cipher_key, rounds);
        let mut decrypt = [[0; 16]; ROUND_KEYS];
        for (round, key) in decrypt.iter_mut().enumerate().take(rounds + 1) {
            let forward = &encrypt[rounds - round];
            *key = if round == 0 || round == rounds { *forward } else { bitslice::mix_key_back(forward) };
        }
        let mut padded = [0; BLOCK];
        if mac_key.len() <= BLOCK {
            padded[..mac_key.len()].copy_from_slice(mac_key);
        } else {
            padded[..hash.bytes()]
                .copy_from_slice(&digest(isa, hash, hash.start(), 0, mac_key)[..hash.bytes()]);
        }
        let state = |with: u8| {
            let mut block = padded.map(|byte| byte ^ with);
            let mut state = hash.start();
            compress(isa, hash, &mut state, &block);
            block.zeroize();
            state
        };
        let (inner, outer) = (state(0x36), state(0x5c));
        padded.zeroize();
        Keys { encrypt, decrypt, rounds, hash, inner, outer, tag_bytes: hash.bytes() }
    }
}

/// FIPS 197, section 5.2. Words are kept least significant byte first.
fn expand(key: &[u8], rounds: usize) -> RoundKeys {
    let words = key.len() / 4;
    let mut schedule = [[0u8; 4]; 4 * ROUND_KEYS];
    for (word, bytes) in schedule.iter_mut().zip(key.as_chunks::<4>().0) {
        *word = *bytes;
    }
    let mut constant = 1u32;
    for index in words..4 * (rounds + 1) {
        let mut next = u32::from_le_bytes(schedule[index - 1]);
        if index % words == 0 {
            next = bitslice::substitute_word(next.rotate_right(8)) ^ constant;
            constant = constant << 1 ^ if constant & 0x80 != 0 { 0x11b } else { 0 };
        } else if words > 6 && index % words == 4 {
            next = bitslice::substitute_word(next);
        }
        schedule[index] = (next ^ u32::from_le_bytes(schedule[index - words])).to_le_bytes();
    }
    let mut keys = [[0; 16]; ROUND_KEYS];
    for (key, words) in keys.iter_mut().zip(schedule.as_chunks::<4>().0) {
        key.copy_from_slice(words.as_flattened());
    }
    schedule.as_flattened_mut().zeroize();
    keys
}

/// Compresses whole blocks.
pub fn compress(isa: Isa, hash: Hash, state: &mut [u32; 8], blocks: &[u8]) {
    let engine = dispatch::engines(isa, hash).one_lane();
    // No round: nothing is encrypted.
    let mut lanes = Lanes::new(0);
    lanes.set_state(0, state);
    lanes.hash[0] = blocks.as_ptr();
    // SAFETY: the engine is one of an available level; its one lane points to whole blocks, and encrypts nothing.
    unsafe { (engine.both)(&mut lanes, blocks.len() / BLOCK, 0) };
    *state = lanes.state(0);
}

/// The digest of `bytes`, which follow `before` bytes (whole blocks) that led to `state`.
pub fn digest(isa: Isa, hash: Hash, mut state: [u32; 8], before: u64, bytes: &[u8]) -> [u8; 32] {
    let (whole, rest) = bytes.split_at(bytes.len() / BLOCK * BLOCK);
    compress(isa, hash, &mut state, whole);
    let mut tail = [0; 2 * BLOCK];
    tail[..rest.len()].copy_from_slice(rest);
    let end = close(&mut tail, rest.len(), before + bytes.len() as u64);
    compress(isa, hash, &mut state, &tail[..end]);
    tail.zeroize();
    let out = bytes_of(&state);
    state.zeroize();
    out
}

/// Ends a message of `total` bytes, of which `used` are in `tail` (zeros follow): a one bit, the length in bits
/// (FIPS 180-4, section 5.1.1). Returns the bytes of whole blocks.
pub fn close(tail: &mut [u8], used: usize, total: u64) -> usize {
    let end = (used + 9).next_multiple_of(BLOCK);
    tail[used] = 0x80;
    // Memory holds no message whose length in bits overflows.
    tail[end - 8..end].copy_from_slice(&total.wrapping_mul(8).to_be_bytes());
    end
}

/// A state as a digest, most significant bytes first.
pub fn bytes_of(state: &[u32; 8]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (bytes, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        *bytes = word.to_be_bytes();
    }
    bytes
}
