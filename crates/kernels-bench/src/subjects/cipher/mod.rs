//! AES-CBC with HMAC: compared with ipsec-mb and OpenSSL where they are installed. Rates count each byte of data once.

mod gcm;
mod sealing;

use super::{Operation, Subject};
use crate::bounds;
use crate::case::{Case, Clock, Extent, Role, Variant, Work, size_text};
use loopwright_kernels::cipher::{
    Aes128, Aes256, CbcHmac, Cipher, CipherError, HmacSha1, HmacSha256, Mac, Message,
};
use loopwright_kernels::{Extra, Isa, IsaError, Profile};
use sealing::{Buffers, Ours, Theirs, cipher_key, keys};
use std::hint::black_box;

pub struct CipherMac;

/// Levels with code of their own for one message: without the AES instructions only the portable one.
fn one_message(profile: &Profile) -> &'static [Isa] {
    if profile.has(Extra::AesNi) { &[Isa::Scalar, Isa::Sse42, Isa::Avx2] } else { &[Isa::Scalar] }
}

/// One message with SHA-1: code at avx512 only on processors with the SHA extensions.
fn one_message_sha1(profile: &Profile) -> &'static [Isa] {
    if profile.has(Extra::ShaNi) { many_messages(profile) } else { one_message(profile) }
}

/// Several messages, or parts of one: 512 bits at a time only with VAES.
fn many_messages(profile: &Profile) -> &'static [Isa] {
    if profile.has(Extra::AesNi) && profile.has(Extra::Vaes) { &Isa::ALL } else { one_message(profile) }
}

impl Subject for CipherMac {
    fn kernel(&self) -> &'static str {
        "cipher"
    }

    fn about(&self) -> &'static str {
        "AES-CBC with HMAC in one pass, one message or many"
    }

    fn operations(&self) -> Vec<Operation> {
        vec![
            Operation { name: "seal_sha1", levels: one_message_sha1, run: seal::<HmacSha1> },
            Operation { name: "seal_sha256", levels: one_message, run: seal::<HmacSha256> },
            Operation { name: "seal_many_sha1", levels: many_messages, run: seal_many::<HmacSha1> },
            Operation { name: "seal_many_sha256", levels: many_messages, run: seal_many::<HmacSha256> },
            Operation { name: "open_sha1", levels: many_messages, run: open::<HmacSha1> },
            Operation { name: "open_sha256", levels: many_messages, run: open::<HmacSha256> },
        ]
    }

    fn cases(&self, extent: Extent) -> Vec<Case> {
        let (counts, sizes): (&[usize], &[usize]) = match extent {
            Extent::Smoke => (&[1, 8, 32], &[64, 1 << 10]),
            Extent::Full => (&[1, 2, 4, 8, 16, 32], &[64, 256, 1440, 16 << 10, 60 << 10]),
        };
        let mut cases = Vec::new();
        for &count in counts {
            for &size in sizes {
                // A message length in whole blocks.
                let lengths = vec![size / 16 * 16; count];
                let shape = format!("{count} x {}", size_text(size as u64));
                cases.push(case::<Aes128, HmacSha1>("aes128 sha1", &shape, lengths.clone(), false));
                cases.push(case::<Aes128, HmacSha256>("aes128 sha256", &shape, lengths.clone(), true));
                if count == 32 {
                    cases.push(case::<Aes256, HmacSha256>("aes256 sha256", &shape, lengths, true));
                }
            }
        }
        // Lengths from 64 bytes on, a factor of 1.4 apart, in a mixed order.
        let longest = if extent == Extent::Smoke { 12 } else { 21 };
        let mixed: Vec<usize> =
            (0..32).map(|n| (64.0 * 1.4f64.powi(n * 13 % longest)) as usize / 16 * 16).collect();
        cases.push(case::<Aes128, HmacSha1>("aes128 sha1", "32 mixed", mixed.clone(), false));
        cases.push(case::<Aes128, HmacSha256>("aes128 sha256", "32 mixed", mixed, true));
        cases
    }
}

/// The result of an operation, without the errors that its input cannot cause.
fn level_error<T>(done: Result<T, CipherError>) -> Result<(), IsaError> {
    match done {
        Err(CipherError::Isa(error)) => Err(error),
        done => {
            let _ = black_box(done.is_ok());
            Ok(())
        }
    }
}

fn pair<M: Mac>(isa: Option<Isa>) -> Result<CbcHmac<Aes128, M>, CipherError> {
    CbcHmac::new_with(isa.unwrap_or_else(Isa::best), &[1; 16], &[2; 20])
}

fn seal<M: Mac>(isa: Option<Isa>) -> Result<(), IsaError> {
    level_error(pair::<M>(isa).and_then(|keys| {
        let mut data = black_box([0x5a; 128]);
        match isa {
            None => keys.seal_in_place(&[3; 16], b"aad", &mut data),
            Some(isa) => keys.seal_in_place_with(isa, &[3; 16], b"aad", &mut data),
        }
    }))
}

fn seal_many<M: Mac>(isa: Option<Isa>) -> Result<(), IsaError> {
    level_error(pair::<M>(isa).and_then(|keys| {
        // The fewest messages that the widest engines take, and one iteration of the loop.
        let mut data = black_box([[0x5a; 128]; 12]);
        let mut messages: Vec<_> =
            data.iter_mut().map(|data| Message::new(&keys, &[3; 16], b"aad", data)).collect();
        match isa {
            None => CbcHmac::seal_many(&mut messages),
            Some(isa) => CbcHmac::seal_many_with(isa, &mut messages),
        }
    }))
}

fn open<M: Mac>(isa: Option<Isa>) -> Result<(), IsaError> {
    level_error(pair::<M>(isa).and_then(|keys| {
        let level = isa.unwrap_or_else(Isa::best);
        let mut data = black_box([0x5a; 640]);
        let tag = keys.seal_in_place_with(level, &[3; 16], b"aad", &mut data)?;
        match isa {
            None => keys.open_in_place(&[3; 16], b"aad", &mut data, &tag),
            Some(isa) => keys.open_in_place_with(isa, &[3; 16], b"aad", &mut data, &tag),
        }
    }))
}

fn case<C: Cipher + 'static, M: Mac + 'static>(
    operation: &str,
    shape: &str,
    lengths: Vec<usize>,
    sha256: bool,
) -> Case {
    let bytes: usize = lengths.iter().sum();
    Case {
        operation: operation.to_owned(),
        shape: shape.to_owned(),
        work: Work::Bytes(bytes as u64),
        working_set_bytes: (bytes + 24 * lengths.len()) as u64,
        clock: Clock::Thread,
        prepare: Box::new(move |peers| {
            let keys = keys::<C, M>();
            let expected = Buffers::sealed(&keys, &lengths);
            let ours = |isa| Ours::new(keys.clone(), &lengths, isa, expected.clone());
            let mut variants = vec![Variant::new("auto", Role::Automatic, ours(None))];
            let levels =
                Isa::available().map(|isa| Variant::new(isa.name(), Role::Level(isa), ours(Some(isa))));
            variants.extend(levels);
            variants.extend(Theirs::all::<C, M>(peers, &lengths, sha256, &expected));
            variants.extend(gcm::variant(&cipher_key::<C, M>(), &lengths));
            let rounds = if CbcHmac::<C, M>::KEY_BYTES == 16 { 10 } else { 14 };
            let aes = (bytes / 16 * rounds) as u64;
            variants.push(Variant::bound("AES rounds", move || bounds::aes_rounds(aes)));
            let chain = (lengths.iter().max().map_or(0, |longest| longest / 16) * rounds) as u64;
            variants.push(Variant::bound("AES chain", move || bounds::aes_chain(chain)));
            if lengths.len() >= 16 && Extra::Vaes.is_available(Isa::Avx512) {
                // Per 64 bytes of sixteen lanes; docs/kernels/cipher.md counts them.
                let instructions = if sha256 { 1736 } else { 869 } + 16 * rounds as u64;
                // An addition of the bound is one of 64 bits, eight per instruction.
                let additions = bytes as u64 * instructions * 8 / 1024;
                variants.push(Variant::bound("instructions", move || bounds::additions(additions)));
            }
            variants
        }),
    }
}
