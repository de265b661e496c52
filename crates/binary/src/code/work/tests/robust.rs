//! Arbitrary instructions: no panic, every one counted once.

use crate::code::work::block_work;
use crate::work::BlockWork;
use iced_x86::{Decoder, DecoderOptions, Instruction};

/// Seeded random numbers (xorshift).
fn random() -> impl FnMut() -> u64 {
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    }
}

/// Random bytes decode mostly to legacy instructions: prefixes of the other encodings are put in front.
fn random_code(next: &mut impl FnMut() -> u64) -> Vec<Instruction> {
    let mut bytes: Vec<u8> = Vec::new();
    while bytes.len() < 400 {
        match next() % 8 {
            0 => bytes.extend([0x62, next() as u8 & 0xf7, next() as u8 | 4, next() as u8]),
            1 => bytes.extend([0xc4, next() as u8, next() as u8]),
            2 => bytes.extend([0xc5, next() as u8]),
            3 => bytes.extend([0x0f, next() as u8]),
            4 => bytes.push([0x66, 0xf2, 0xf3, 0x48, 0x67, 0xf0][next() as usize % 6]),
            _ => {}
        }
        bytes.extend(next().to_le_bytes());
    }
    let decoder = Decoder::with_ip(64, &bytes, 0x1000, DecoderOptions::NONE);
    decoder.into_iter().filter(|i| !i.is_invalid()).collect()
}

#[test]
fn every_instruction_is_counted_once() {
    let mut next = random();
    let (mut total, mut masked) = (0, 0);
    for _ in 0..4000 {
        let code = random_code(&mut next);
        let work = block_work(&code);
        assert_eq!(work.fixed.instructions, code.len() as u64);
        let fixed = &work.fixed;
        assert!(fixed.fma_flop <= fixed.total_flop() && fixed.packed_flop <= fixed.total_flop());
        assert!(fixed.bound_flop <= fixed.total_flop(), "{work:?}");
        assert!(fixed.packed_integer_operations <= fixed.integer_operations);
        assert!(fixed.bytes_streamed <= fixed.bytes_stored);
        assert!(fixed.mix.classes().iter().all(|c| c.1 <= fixed.instructions));
        for v in &work.variable {
            assert!(code.iter().any(|i| i.ip() == v.address));
            assert_eq!(v.each.instructions, 0);
            assert!(v.most.bound_flop == v.most.total_flop());
        }
        assert_eq!(work, block_work(&code), "nothing remains from another block");
        total += code.len();
        masked += work.variable.len();
    }
    assert!(total > 100_000 && masked > 100, "{total} instructions, {masked} masked groups");
}

/// Bytes, counted for all lanes, never depend on neighbouring instructions.
#[test]
fn bytes_are_those_of_the_instructions() {
    let bytes = |work: &BlockWork| {
        let mut sum = (work.fixed.bytes_loaded, work.fixed.bytes_stored);
        for v in &work.variable {
            sum.0 += v.most.bytes_loaded;
            sum.1 += v.most.bytes_stored;
        }
        sum
    };
    let mut next = random();
    for _ in 0..300 {
        let code = random_code(&mut next);
        let parts = code.iter().map(|i| bytes(&block_work(std::slice::from_ref(i))));
        let sum = parts.fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        assert_eq!(bytes(&block_work(&code)), sum);
    }
}
