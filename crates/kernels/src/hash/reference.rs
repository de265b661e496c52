//! The functions as their standards write them, one message and one round at a time: what every other form is compared
//! with. Nothing of it is shared with the fast code but the constants.

use super::{Digest, constants};

/// The message with a bit 1, zeros and its length in bits, which ends the last block; `length` are the length's bytes.
fn filled_up(message: &[u8], block: usize, length: &[u8]) -> Vec<u8> {
    let mut bytes = message.to_vec();
    bytes.push(0x80);
    while bytes.len() % block != block - length.len() {
        bytes.push(0);
    }
    bytes.extend_from_slice(length);
    bytes
}

/// RFC 1321, section 3.
pub fn md5(message: &[u8]) -> Digest<16> {
    const LEFT: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let mut state = [0x67452301u32, 0xefcdab89, 0x98badcfe, 0x10325476];
    let length = (message.len() as u64 * 8).to_le_bytes();
    for block in filled_up(message, 64, &length).as_chunks::<64>().0 {
        let x: Vec<u32> = block.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        let [mut a, mut b, mut c, mut d] = state;
        for i in 0..64 {
            let (f, k) = match i / 16 {
                0 => (b & c | !b & d, i),
                1 => (b & d | c & !d, 5 * i + 1),
                2 => (b ^ c ^ d, 3 * i + 5),
                _ => (c ^ (b | !d), 7 * i),
            };
            let sum = a.wrapping_add(f).wrapping_add(x[k % 16]).wrapping_add(constants::MD5[i]);
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(sum.rotate_left(LEFT[i / 16][i % 4]));
        }
        for (word, add) in state.iter_mut().zip([a, b, c, d]) {
            *word = word.wrapping_add(add);
        }
    }
    let mut digest = Digest::default();
    for (bytes, word) in digest.0.as_chunks_mut().0.iter_mut().zip(state) {
        *bytes = word.to_le_bytes();
    }
    digest
}

/// FIPS 180-4, section 6.1.2.
pub fn sha1(message: &[u8]) -> Digest<20> {
    let mut state = [0x67452301u32, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
    let length = (message.len() as u64 * 8).to_be_bytes();
    for block in filled_up(message, 64, &length).as_chunks::<64>().0 {
        let mut w: Vec<u32> = block.as_chunks::<4>().0.iter().map(|&word| u32::from_be_bytes(word)).collect();
        for t in 16..80 {
            w.push((w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotate_left(1));
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (t, &w) in w.iter().enumerate() {
            let f = match t / 20 {
                0 => b & c ^ !b & d,
                2 => b & c ^ b & d ^ c & d,
                _ => b ^ c ^ d,
            };
            let sum = a.rotate_left(5).wrapping_add(f).wrapping_add(e);
            let sum = sum.wrapping_add(constants::SHA1[t / 20]).wrapping_add(w);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, sum);
        }
        for (word, add) in state.iter_mut().zip([a, b, c, d, e]) {
            *word = word.wrapping_add(add);
        }
    }
    let mut digest = Digest::default();
    for (bytes, word) in digest.0.as_chunks_mut().0.iter_mut().zip(state) {
        *bytes = word.to_be_bytes();
    }
    digest
}

/// SHA-256 and SHA-512: the same steps on words of 32 and 64 bits.
macro_rules! sha2 {
    (
        $(#[$doc:meta])* $name:ident, $word:ty, $digest:literal, block $block:literal, length $length:ty,
        $initial:ident, $constants:ident, rounds $rounds:literal,
        $a1:literal $a2:literal $a3:literal, $e1:literal $e2:literal $e3:literal,
        $s1:literal $s2:literal $s3:literal, $t1:literal $t2:literal $t3:literal
    ) => {
        $(#[$doc])*
        pub fn $name(message: &[u8]) -> Digest<$digest> {
            const WORD: usize = size_of::<$word>();
            let mut state = constants::$initial;
            let length = (message.len() as $length * 8).to_be_bytes();
            for block in filled_up(message, $block, &length).as_chunks::<$block>().0 {
                let mut w: Vec<$word> =
                    block.as_chunks::<WORD>().0.iter().map(|&word| <$word>::from_be_bytes(word)).collect();
                for t in 16..$rounds {
                    let (x, y) = (w[t - 15], w[t - 2]);
                    let small0 = x.rotate_right($s1) ^ x.rotate_right($s2) ^ x >> $s3;
                    let small1 = y.rotate_right($t1) ^ y.rotate_right($t2) ^ y >> $t3;
                    w.push(small1.wrapping_add(w[t - 7]).wrapping_add(small0).wrapping_add(w[t - 16]));
                }
                let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
                for t in 0..$rounds {
                    let big1 = e.rotate_right($e1) ^ e.rotate_right($e2) ^ e.rotate_right($e3);
                    let one = h.wrapping_add(big1).wrapping_add(e & f ^ !e & g);
                    let one = one.wrapping_add(constants::$constants[t]).wrapping_add(w[t]);
                    let big0 = a.rotate_right($a1) ^ a.rotate_right($a2) ^ a.rotate_right($a3);
                    let two = big0.wrapping_add(a & b ^ a & c ^ b & c);
                    (h, g, f, e) = (g, f, e, d.wrapping_add(one));
                    (d, c, b, a) = (c, b, a, one.wrapping_add(two));
                }
                for (word, add) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
                    *word = word.wrapping_add(add);
                }
            }
            let mut digest = Digest::default();
            for (bytes, word) in digest.0.as_chunks_mut().0.iter_mut().zip(state) {
                *bytes = word.to_be_bytes();
            }
            digest
        }
    };
}

sha2! {
    /// FIPS 180-4, section 6.2.2.
    sha256, u32, 32, block 64, length u64, SHA256_INITIAL, SHA256, rounds 64,
    2 13 22, 6 11 25, 7 18 3, 17 19 10
}

sha2! {
    /// FIPS 180-4, section 6.4.2.
    sha512, u64, 64, block 128, length u128, SHA512_INITIAL, SHA512, rounds 80,
    28 34 39, 14 18 41, 1 8 7, 19 61 6
}
