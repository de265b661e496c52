//! The standards word for word, byte by byte: the oracle of the tests. Not constant in time, so no level runs it.

use loopwright_kernels::internals::cipher::{Hash, SHA1_K, SHA256_K};
use std::sync::OnceLock;

/// FIPS 180-4, sections 6.1.2 and 6.2.2.
fn compress(hash: Hash, state: &mut [u32; 8], block: &[u8]) {
    let mut w: Vec<u32> = block.as_chunks::<4>().0.iter().map(|word| u32::from_be_bytes(*word)).collect();
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    match hash {
        Hash::Sha1 => {
            for t in 0..80 {
                if t >= 16 {
                    w.push((w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotate_left(1));
                }
                let mixed = match t / 20 {
                    0 => (b & c) ^ (!b & d),
                    2 => (b & c) ^ (b & d) ^ (c & d),
                    _ => b ^ c ^ d,
                };
                let sum =
                    [mixed, e, SHA1_K[t / 20], w[t]].into_iter().fold(a.rotate_left(5), u32::wrapping_add);
                (a, b, c, d, e) = (sum, a, b.rotate_left(30), c, d);
            }
        }
        Hash::Sha256 => {
            for t in 0..64 {
                if t >= 16 {
                    let (x, y) = (w[t - 15], w[t - 2]);
                    let s0 = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
                    let s1 = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
                    w.push([s0, w[t - 7], w[t - 16]].into_iter().fold(s1, u32::wrapping_add));
                }
                let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
                let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
                let t1 = [s1, (e & f) ^ (!e & g), SHA256_K[t], w[t]].into_iter().fold(h, u32::wrapping_add);
                let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
                (a, b, c, d, e, f, g, h) = (t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g);
            }
        }
    }
    for (word, add) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(add);
    }
    if hash == Hash::Sha1 {
        state[5..].fill(0);
    }
}

/// The digest of bytes.
pub fn digest(hash: Hash, bytes: &[u8]) -> Vec<u8> {
    let mut message = bytes.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend((8 * bytes.len() as u64).to_be_bytes());
    let mut state = hash.start();
    message.chunks(64).for_each(|block| compress(hash, &mut state, block));
    let bytes: Vec<u8> = state.iter().flat_map(|word| word.to_be_bytes()).collect();
    bytes[..hash.bytes()].to_vec()
}

/// RFC 2104.
pub fn hmac(hash: Hash, key: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut padded = if key.len() > 64 { digest(hash, key) } else { key.to_vec() };
    padded.resize(64, 0);
    let with = |byte: u8, rest: &[u8]| {
        let mut message: Vec<u8> = padded.iter().map(|k| k ^ byte).collect();
        message.extend(rest);
        digest(hash, &message)
    };
    with(0x5c, &with(0x36, bytes))
}

/// Product in AES's field.
fn multiply(a: u8, b: u8) -> u8 {
    (0..8).rev().fold(0, |sum: u8, bit| {
        let doubled = sum << 1 ^ if sum & 0x80 != 0 { 0x1b } else { 0 };
        doubled ^ if b >> bit & 1 != 0 { a } else { 0 }
    })
}

fn s_box(byte: u8) -> u8 {
    let x = (0..=255).find(|&x| multiply(byte, x) == 1).unwrap_or(0);
    x ^ x.rotate_left(1) ^ x.rotate_left(2) ^ x.rotate_left(3) ^ x.rotate_left(4) ^ 0x63
}

/// The S-box's table.
pub fn s_boxes() -> &'static [u8; 256] {
    static BOXES: OnceLock<[u8; 256]> = OnceLock::new();
    BOXES.get_or_init(|| std::array::from_fn(|byte| s_box(byte as u8)))
}

/// FIPS 197, section 5.1, a block.
pub fn encrypt_block(boxes: &[u8; 256], key: &[u8], block: &mut [u8; 16]) {
    let (words, rounds) = (key.len() / 4, key.len() / 4 + 6);
    let mut schedule: Vec<[u8; 4]> = key.as_chunks::<4>().0.to_vec();
    let mut constant = 1;
    for index in words..4 * (rounds + 1) {
        let mut next = schedule[index - 1];
        if index % words == 0 {
            next.rotate_left(1);
            next = next.map(|byte| boxes[usize::from(byte)]);
            next[0] ^= constant;
            constant = multiply(constant, 2);
        } else if words > 6 && index % words == 4 {
            next = next.map(|byte| boxes[usize::from(byte)]);
        }
        next.iter_mut().zip(schedule[index - words]).for_each(|(byte, old)| *byte ^= old);
        schedule.push(next);
    }
    for round in 0..=rounds {
        if round > 0 {
            let old = block.map(|byte| boxes[usize::from(byte)]);
            for (index, byte) in block.iter_mut().enumerate() {
                *byte = old[(index + 4 * (index % 4)) % 16];
            }
        }
        if round > 0 && round < rounds {
            for column in block.as_chunks_mut::<4>().0 {
                let old = *column;
                for (row, byte) in column.iter_mut().enumerate() {
                    let at = |offset: usize| old[(row + offset) % 4];
                    *byte = multiply(at(0), 2) ^ multiply(at(1), 3) ^ at(2) ^ at(3);
                }
            }
        }
        let key = schedule[4 * round..4 * round + 4].as_flattened();
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
    }
}

/// NIST SP 800-38A, section 6.2.
pub fn cbc(key: &[u8], iv: &[u8; 16], data: &[u8]) -> Vec<u8> {
    let boxes = s_boxes();
    let mut chain = *iv;
    let mut ciphertext = Vec::new();
    for block in data.as_chunks::<16>().0 {
        chain.iter_mut().zip(block).for_each(|(byte, b)| *byte ^= b);
        encrypt_block(boxes, key, &mut chain);
        ciphertext.extend(chain);
    }
    ciphertext
}

/// The whole: ciphertext and full tag.
pub fn seal(hash: Hash, keys: [&[u8]; 2], iv: &[u8; 16], aad: &[u8], data: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let ciphertext = cbc(keys[0], iv, data);
    let length = (8 * aad.len() as u64).to_be_bytes();
    let tag = hmac(hash, keys[1], &[aad, iv, &ciphertext, &length].concat());
    (ciphertext, tag)
}
