//! The portable level: AES on bit planes, SHA in general registers. Four messages fill the planes, one a quarter of them.

use super::bitslice::{Soft, decrypt as decrypt_planes, pack, planes_of, unpack};
use super::lanes::{RoundKeys, Several, engine};
use super::words::{Sha1, Sha256};

engine!(SHA1_1, Sha1<u32>, Soft<1>, 1, from 1);
engine!(SHA1_4, Several<Sha1<u32>, 4>, Soft<4>, 4, from 2);
engine!(SHA256_1, Sha256<u32>, Soft<1>, 1, from 1);
engine!(SHA256_4, Several<Sha256<u32>, 4>, Soft<4>, 4, from 2);

/// Decrypts in CBC mode, four blocks at a time. `keys` are those that encrypted.
pub fn decrypt(keys: &RoundKeys, rounds: usize, iv: &[u8; 16], blocks: &mut [[u8; 16]]) {
    let keys = planes_of(keys);
    let mut chain = *iv;
    for some in blocks.chunks_mut(4) {
        let mut four = [[0; 16]; 4];
        four[..some.len()].copy_from_slice(some);
        let mut planes = pack(&four);
        decrypt_planes(&mut planes, &keys[..=rounds]);
        for (block, plain) in some.iter_mut().zip(unpack(&planes)) {
            let before = std::mem::replace(&mut chain, *block);
            *block = plain;
            block.iter_mut().zip(before).for_each(|(byte, b)| *byte ^= b);
        }
    }
}
