//! The kernels against their definitions: known answers, every level, length and alignment, ends of memory.

use crate::guarded::{At, Guarded};
use loopwright_kernels::Isa;
use loopwright_kernels::fletcher::*;
use loopwright_kernels::internals::fletcher as reference;
use proptest::prelude::*;

/// Bytes that repeat after no power of two, with runs of 0xff, where sums overflow first.
fn bytes(len: usize, seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    (0..len)
        .map(|i| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if i / 97 % 3 == 0 { 0xff } else { (state >> 24) as u8 }
        })
        .collect()
}

/// The sums modulo 2^(8 x `WORD`) - 1, a word of `WORD` bytes at a time; the last may be short.
fn modular<const WORD: usize>(bytes: &[u8]) -> (u64, u64) {
    let modulus = (1 << (8 * WORD)) - 1;
    let (mut a, mut b) = (0, 0);
    for word in bytes.chunks(WORD) {
        let x = word.iter().rev().fold(0, |x, &byte| x << 8 | u64::from(byte));
        a = (a + x) % modulus;
        b = (b + a) % modulus;
    }
    (a, b)
}

/// Every checksum of `input` at a level against its definition; the strict ones of as many whole words as there are.
fn check(isa: Isa, input: &[u8]) {
    let note = || format!("{isa}, {} bytes at {:?}", input.len(), input.as_ptr());
    let four = &input[..input.len() / 4 * 4];
    let two = &input[..input.len() / 16 * 16];
    let is4 = |found: Result<Fletcher4, _>, words| assert_eq!(found, Ok(Fletcher4 { words }), "{}", note());
    let is2 = |found: Result<Fletcher2, _>, words| assert_eq!(found, Ok(Fletcher2 { words }), "{}", note());
    is4(fletcher4_with(isa, four), reference::fletcher4::<false>([0; 4], four));
    is4(fletcher4_swapped_with(isa, four), reference::fletcher4::<true>([0; 4], four));
    is2(fletcher2_with(isa, two), reference::fletcher2::<false>([0; 4], two));
    is2(fletcher2_swapped_with(isa, two), reference::fletcher2::<true>([0; 4], two));
    let (a, b) = modular::<1>(input);
    assert_eq!(fletcher16_with(isa, input), Ok((b << 8 | a) as u16), "{}", note());
    let (a, b) = modular::<2>(input);
    assert_eq!(fletcher32_with(isa, input), Ok((b << 16 | a) as u32), "{}", note());
    let (a, b) = modular::<4>(input);
    assert_eq!(fletcher64_with(isa, input), Ok(b << 32 | a), "{}", note());
}

#[test]
fn known_answers() {
    // The test vectors that implementations of the modular variants share.
    for isa in Isa::available() {
        let texts: [&[u8]; 3] = [b"abcde", b"abcdef", b"abcdefgh"];
        assert_eq!(texts.map(|t| fletcher16_with(isa, t).unwrap()), [0xc8f0, 0x2057, 0x0627]);
        assert_eq!(texts.map(|t| fletcher32_with(isa, t).unwrap()), [0xf04f_c729, 0x5650_2d2a, 0xebe1_9591]);
        assert_eq!(
            texts.map(|t| fletcher64_with(isa, t).unwrap()),
            [0xc8c6_c527_6463_62c6, 0xc8c7_2b27_6463_c8c6, 0x312e_2b28_ccca_c8c6]
        );
    }
    // By hand: the words 1, 2, 3 have a = 6, b = 1 + 3 + 6, c = 1 + 4 + 10, d = 1 + 5 + 15.
    let words = [1u32, 2, 3];
    let little: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let big: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
    assert_eq!(fletcher4(&little).unwrap().words, [6, 10, 15, 21]);
    assert_eq!(fletcher4_swapped(&big).unwrap().words, [6, 10, 15, 21]);
    let pairs: Vec<u8> = [1u64, 10, 2, 20, 3, 30].iter().flat_map(|w| w.to_le_bytes()).collect();
    assert_eq!(fletcher2(&pairs).unwrap().words, [6, 60, 10, 100]);
}

#[test]
fn every_short_length_at_both_ends_of_memory() {
    for len in (0..=600).chain([1000, 4095, 4096, 4097]) {
        let input = bytes(len, len as u32);
        for at in [At::Start(0), At::End(0)] {
            let guarded = Guarded::of(&input, at);
            Isa::available().for_each(|isa| check(isa, &guarded));
        }
    }
}

#[test]
fn lengths_around_where_the_method_changes() {
    for limit in [4 << 10, 8 << 10, 16 << 10, 40 << 10, 2 << 20] {
        for len in [limit - 68, limit - 4, limit, limit + 4, limit + 100, limit + 131] {
            let input = bytes(len, len as u32);
            for at in [At::Start(4), At::End(4)] {
                let guarded = Guarded::of(&input, at);
                Isa::available().for_each(|isa| check(isa, &guarded));
            }
        }
    }
}

#[test]
fn every_alignment() {
    for at in At::all() {
        let guarded = Guarded::of(&bytes(1500, 7), at);
        Isa::available().for_each(|isa| check(isa, &guarded));
    }
}

#[test]
fn lanes_do_not_overflow_in_long_runs_of_the_largest_words() {
    // Longer than the pieces of each loop: 2^15 vectors of 64 bytes for 32-bit words.
    for input in [vec![0xff; (5 << 20) + 12], bytes((5 << 20) + 12, 3)] {
        Isa::available().for_each(|isa| check(isa, &input));
    }
}

#[test]
fn bad_input_is_refused() {
    assert_eq!(fletcher4(&[0; 6]), Err(FletcherError::Length { length: 6, word: 4 }));
    assert_eq!(fletcher2_swapped(&[0; 24]), Err(FletcherError::Length { length: 24, word: 16 }));
    let mut sums = fletcher4(&[1; 8]).unwrap();
    let before = sums;
    assert!(sums.update(&[0; 5]).is_err());
    assert_eq!(sums, before);
    assert!(sums.combine(before, 7).is_err());
    let mut sums = Fletcher32::default();
    assert_eq!(
        sums.update(&[0; 3]).unwrap_err().to_string(),
        "3 bytes are not a multiple of 2, the word of this checksum; pass whole words, pad the last one"
    );
    for isa in Isa::ALL.into_iter().filter(|isa| !isa.is_available()) {
        assert!(matches!(fletcher4_with(isa, &[]), Err(FletcherError::Isa(_))));
        assert!(fletcher16_with(isa, &[]).is_err());
    }
}

proptest! {
    #[test]
    fn pieces_make_the_whole(
        len in 0usize..3000, seed in any::<u32>(), cut in any::<prop::sample::Index>(), level in any::<prop::sample::Index>(),
    ) {
        let levels: Vec<Isa> = Isa::available().collect();
        let isa = levels[level.index(levels.len())];
        let input = bytes(len / 16 * 16, seed);
        let (first, second) = input.split_at(cut.index(input.len() / 16 + 1) * 16);
        let after = second.len() as u64;

        macro_rules! holds {
            ($kind:ident, $update:ident, $whole:expr) => {
                let mut updated = $kind::default();
                updated.$update(isa, first).unwrap();
                let begun = updated;
                updated.$update(isa, second).unwrap();
                prop_assert_eq!(updated, $whole);
                let mut rest = $kind::default();
                rest.$update(isa, second).unwrap();
                prop_assert_eq!(begun.combine(rest, after).unwrap(), $whole);
            };
        }
        holds!(Fletcher4, update_with, fletcher4(&input).unwrap());
        holds!(Fletcher4, update_swapped_with, fletcher4_swapped(&input).unwrap());
        holds!(Fletcher2, update_with, fletcher2(&input).unwrap());
        holds!(Fletcher2, update_swapped_with, fletcher2_swapped(&input).unwrap());
        macro_rules! modular {
            ($kind:ident) => {
                let mut whole = $kind::default();
                whole.update(&input).unwrap();
                holds!($kind, update_with, whole);
            };
        }
        modular!(Fletcher16);
        modular!(Fletcher32);
        modular!(Fletcher64);
    }
}
