//! The kernels against their definition: known answers, every level, width, store, length and alignment, ends of
//! memory, threads.

use crate::guarded::{At, Guarded};
use loopwright_kernels::byteswap::*;
use loopwright_kernels::{Isa, Plan, Stores};
use proptest::prelude::*;

/// Bytes that repeat after no power of two.
fn bytes(len: usize, seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// The definition.
fn swapped(width: Width, input: &[u8]) -> Vec<u8> {
    input.chunks(width.bytes()).flat_map(|word| word.iter().rev().copied()).collect()
}

/// Every level with each kind of stores.
fn plans() -> impl Iterator<Item = Plan> {
    Isa::available().flat_map(|isa| Stores::ALL.map(|stores| Plan { isa, stores }))
}

/// Every plan on whole words of `input`, from a buffer at `from` to one at `to`, and in place at `to`.
fn check(input: &[u8], from: At, to: At) {
    for width in Width::ALL {
        let input = &input[..input.len() / width.bytes() * width.bytes()];
        let expected = swapped(width, input);
        let source = Guarded::of(input, from);
        for plan in plans() {
            let note = || format!("{plan:?} {width:?}, {} bytes, {from:?} to {to:?}", input.len());
            let mut destination = Guarded::new(input.len(), to);
            swap_bytes_into_with(plan, width, &source, &mut destination).unwrap();
            assert!(*destination == *expected && destination.strays() == 0, "{}", note());
            if plan.stores == Stores::BySize {
                let mut same = Guarded::of(input, to);
                swap_bytes_in_place_with(plan.isa, width, &mut same).unwrap();
                assert!(*same == *expected && same.strays() == 0, "in place: {}", note());
            }
        }
        assert!(*source == *input && source.strays() == 0);
    }
}

#[test]
fn known_answers() {
    for isa in Isa::available() {
        let mut words = [0x0123u16, 0xff00];
        swap16_in_place_with(isa, &mut words).unwrap();
        assert_eq!(words, [0x2301, 0x00ff]);
        let mut words = [0x0123_4567u32, 0xff00_0000];
        swap32_in_place_with(isa, &mut words).unwrap();
        assert_eq!(words, [0x6745_2301, 0x0000_00ff]);
        let mut words = [0x0123_4567_89ab_cdefu64, 0xff];
        swap64_in_place_with(isa, &mut words).unwrap();
        assert_eq!(words, [0xefcd_ab89_6745_2301, 0xff00_0000_0000_0000]);
        // Big-endian bytes of consecutive numbers, longer than several vectors.
        let big: Vec<u8> = (0..1000u64).flat_map(|i| i.to_be_bytes()).collect();
        let mut little = vec![0; big.len()];
        swap_bytes_into_with(isa, Width::Eight, &big, &mut little).unwrap();
        let numbers: Vec<u64> = little.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        assert!(numbers.into_iter().eq(0..1000));
    }
}

#[test]
fn every_short_length_at_both_ends_of_memory() {
    for len in (0..=530).step_by(2).chain([1000, 4088, 4096, 4104, 8200]) {
        let input = bytes(len, len as u32);
        check(&input, At::Start(0), At::End(0));
        check(&input, At::End(0), At::Start(0));
    }
}

#[test]
fn every_alignment() {
    for at in At::all() {
        check(&bytes(1208, 7), At::Start(0), at);
        check(&bytes(1208, 9), at, At::End(3));
        check(&bytes(608, 9), at, at);
    }
}

#[test]
fn typed_functions_agree_with_the_words_own() {
    macro_rules! agrees {
        ($word:ty, $in_place:ident $in_place_with:ident $in_place_par:ident $in_place_par_with:ident
         $into:ident $into_with:ident $into_par:ident $into_par_with:ident) => {
            for len in [0usize, 1, 7, 100, 1001, 70_001] {
                let words: Vec<$word> =
                    (0..len).map(|i| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as $word).collect();
                let expected: Vec<$word> = words.iter().map(|word| word.swap_bytes()).collect();
                let in_place = |swap: &dyn Fn(&mut [$word])| {
                    let mut words = words.clone();
                    swap(&mut words);
                    assert!(words == expected, "{len}");
                };
                in_place(&|w| $in_place(w));
                in_place(&|w| $in_place_par(w));
                let into = |swap: &dyn Fn(&[$word], &mut [$word]) -> Result<(), ByteswapError>| {
                    let mut out = vec![0; len];
                    swap(&words, &mut out).unwrap();
                    assert!(out == expected, "{len}");
                };
                into(&|a, b| $into(a, b));
                into(&|a, b| $into_par(a, b));
                for isa in Isa::available() {
                    in_place(&|w| $in_place_with(isa, w).unwrap());
                    in_place(&|w| $in_place_par_with(isa, w).unwrap());
                }
                for plan in plans() {
                    into(&|a, b| $into_with(plan, a, b));
                    into(&|a, b| $into_par_with(plan, a, b));
                }
            }
            let refused = $into(&[0; 3], &mut [0; 4]);
            assert_eq!(refused, Err(ByteswapError::Lengths { source_length: 3, destination_length: 4 }));
        };
    }
    agrees!(u16, swap16_in_place swap16_in_place_with swap16_in_place_par swap16_in_place_par_with
        swap16_into swap16_into_with swap16_into_par swap16_into_par_with);
    agrees!(u32, swap32_in_place swap32_in_place_with swap32_in_place_par swap32_in_place_par_with
        swap32_into swap32_into_with swap32_into_par swap32_into_par_with);
    agrees!(u64, swap64_in_place swap64_in_place_with swap64_in_place_par swap64_in_place_par_with
        swap64_into swap64_into_with swap64_into_par swap64_into_par_with);
}

#[test]
fn threads_do_what_one_does_at_any_alignment() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(5).build().unwrap();
    for offset in [0, 1, 8, 13] {
        let input = bytes(200_000 + offset, 5);
        for width in Width::ALL {
            let input = &input[offset..];
            let expected = swapped(width, input);
            pool.install(|| {
                for plan in plans() {
                    let mut out = vec![0; input.len() + offset];
                    swap_bytes_into_par_with(plan, width, input, &mut out[offset..]).unwrap();
                    assert!(out[offset..] == expected, "{plan:?} {width:?} {offset}");
                }
                let mut same = input.to_vec();
                swap_bytes_in_place_par_with(Isa::best(), width, &mut same).unwrap();
                assert!(same == expected);
                swap_bytes_in_place_par(width, &mut same).unwrap();
                assert!(same == input);
            });
        }
    }
}

#[test]
fn the_size_that_passes_the_caches_is_swapped_right() {
    let bytes_in_all = loopwright_kernels::tuning::Tuning::active()
        .bytes(loopwright_kernels::tuning::Constant::ByteswapNonTemporal);
    let len = usize::try_from(bytes_in_all / 2).unwrap().min(64 << 20) / 8 + 100;
    let source: Vec<u64> = (0..len as u64).collect();
    let mut destination = vec![0; len];
    swap64_into(&source, &mut destination).unwrap();
    assert!(destination.iter().zip(0u64..).all(|(&word, i)| word == i.swap_bytes()));
}

#[test]
fn bad_input_is_refused_and_nothing_written() {
    let mut out = [7; 6];
    let length = ByteswapError::Length { length: 6, width: 4 };
    assert_eq!(swap_bytes_into(Width::Four, &[0; 6], &mut out), Err(length.clone()));
    assert_eq!(swap_bytes_in_place(Width::Four, &mut out), Err(length.clone()));
    assert_eq!(swap_bytes_in_place_par(Width::Four, &mut out), Err(length));
    assert!(swap_bytes_into(Width::Two, &[0; 8], &mut out).is_err());
    assert_eq!(out, [7; 6]);
    assert_eq!(Width::of_bytes(3), Err(ByteswapError::Width { bytes: 3 }));
    assert_eq!(Width::of_bytes(8), Ok(Width::Eight));
    for isa in Isa::ALL.into_iter().filter(|isa| !isa.is_available()) {
        assert!(swap16_in_place_with(isa, &mut []).is_err());
        assert!(matches!(swap32_into_with(isa, &[], &mut []), Err(ByteswapError::Isa(_))));
    }
}

#[test]
fn pointers_may_be_the_same_but_not_overlap() {
    let mut buffer = bytes(4096 + 64, 3);
    let before = buffer.clone();
    let pointer = buffer.as_mut_ptr();
    for plan in plans() {
        // SAFETY: both ranges are in the buffer, which nothing else uses.
        let swap = |from: usize, to: usize| unsafe {
            swap_raw(plan, false, Width::Eight, pointer.add(from), pointer.add(to), 4096)
        };
        assert_eq!(swap(0, 0), Ok(()));
        assert_eq!(swap(0, 0), Ok(()));
        for (from, to) in [(0, 8), (64, 0), (0, 1)] {
            assert_eq!(swap(from, to), Err(ByteswapError::Overlap { distance: from.abs_diff(to) }));
        }
    }
    assert_eq!(buffer, before);
}

proptest! {
    #[test]
    fn any_array(
        len in 0usize..5000, seed in any::<u32>(), from in 0usize..64, to in 0usize..64,
        width in prop::sample::select(Width::ALL.to_vec()),
    ) {
        let input = bytes(len / width.bytes() * width.bytes(), seed);
        let source = Guarded::of(&input, At::Start(from));
        for plan in plans() {
            let mut destination = Guarded::new(input.len(), At::End(to));
            swap_bytes_into_with(plan, width, &source, &mut destination).unwrap();
            prop_assert!(*destination == swapped(width, &input));
            prop_assert_eq!(destination.strays(), 0);
            swap_bytes_in_place_with(plan.isa, width, &mut destination).unwrap();
            prop_assert!(*destination == *input);
        }
    }
}
