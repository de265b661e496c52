//! The kernel against the standards' answers and the reference: every engine, length and alignment, ends of memory, and
//! input that somebody has meddled with.

use super::job::{self, Job};
use super::keys::{self, Keys};
use super::lanes::Engine;
use super::schedule::Work;
use super::sha::Hash;
use super::*;
use crate::guarded::{At, Guarded};
use crate::isa::{Extra, Isa};
use proptest::prelude::*;

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    digits.chunks(2).map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap()).collect()
}

/// Bytes without a pattern, the same for the same seed.
fn bytes(len: usize, seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..len).map(|_| next()).collect()
}

const HASHES: [Hash; 2] = [Hash::Sha1, Hash::Sha256];

/// Every set of engines that this processor can run, also those of processors that lack what it has.
fn engines(hash: Hash) -> Vec<(String, &'static [Engine])> {
    let mut all = vec![("scalar".to_owned(), dispatch::engines(Isa::Scalar, hash))];
    #[cfg(target_arch = "x86_64")]
    for isa in Isa::available().filter(|&isa| Extra::AesNi.is_available(isa)) {
        for sha in [false, true].into_iter().filter(|&sha| !sha || Extra::ShaNi.is_available(isa)) {
            for vaes in [false, true].into_iter().filter(|&vaes| !vaes || Extra::Vaes.is_available(isa)) {
                let name = format!("{isa}, sha {sha}, vaes {vaes}");
                all.push((name, dispatch::table(isa, hash, sha, vaes)));
            }
        }
    }
    all
}

/// One message for the engines and what the reference makes of it.
struct Sample {
    keys: Keys,
    iv: [u8; 16],
    aad: Vec<u8>,
    data: Vec<u8>,
    sealed: (Vec<u8>, Vec<u8>),
}

fn sample(hash: Hash, key_bytes: usize, aad: usize, blocks: usize, seed: u32) -> Sample {
    let cipher_key = bytes(key_bytes, seed);
    let mac_key = bytes(16 + seed as usize % 70, seed + 1);
    let iv: [u8; 16] = bytes(16, seed + 2).try_into().unwrap();
    let (aad, data) = (bytes(aad, seed + 3), bytes(16 * blocks, seed + 4));
    let sealed = reference::seal(hash, [&cipher_key, &mac_key], &iv, &aad, &data);
    Sample { keys: Keys::new(Isa::best(), hash, &cipher_key, &mac_key), iv, aad, data, sealed }
}

/// Seals all samples together, in buffers that end at guard pages, and verifies them together.
fn check(name: &str, engines: &'static [Engine], samples: &[Sample], at: At) {
    let mut works = vec![Work::NONE; samples.len()];
    let mut data: Vec<Guarded> = samples.iter().map(|sample| Guarded::of(&sample.data, at)).collect();
    let aad: Vec<Guarded> = samples.iter().map(|sample| Guarded::of(&sample.aad, at)).collect();
    let tags = |jobs: &[Job]| jobs.iter().map(|job| job.tag()).collect::<Vec<_>>();
    let mut jobs: Vec<Job> = samples
        .iter()
        .zip(&mut data)
        .zip(&aad)
        .map(|((sample, data), aad)| Job::seal(&sample.keys, &sample.iv, aad, data))
        .collect();
    job::finish(engines, &mut jobs, &mut works);
    let sealed = tags(&jobs);
    drop(jobs);
    let mut jobs: Vec<Job> = samples
        .iter()
        .zip(&data)
        .zip(&aad)
        .map(|((sample, data), aad)| Job::verify(&sample.keys, &sample.iv, aad, data))
        .collect();
    job::finish(engines, &mut jobs, &mut works);
    let verified = tags(&jobs);
    drop(jobs);
    assert!(works.iter().all(|work| work.state == [0; 8]), "states of the hash are left");
    for (index, sample) in samples.iter().enumerate() {
        let note = || {
            let (aad, data) = (sample.aad.len(), sample.data.len());
            format!("{name}, message {index} of {}, aad {aad}, data {data}, {at:?}", samples.len())
        };
        assert!(*data[index] == *sample.sealed.0, "ciphertext: {}", note());
        assert_eq!(data[index].strays(), 0, "{}", note());
        let wanted = &sample.sealed.1[..];
        assert_eq!(&sealed[index][..wanted.len()], wanted, "sealing: {}", note());
        assert_eq!(&verified[index][..wanted.len()], wanted, "verifying: {}", note());
    }
}

/// FIPS 180-4's examples, and the HMACs of RFC 2202 and RFC 4231: cases 1, 2, and the one with a key above a block.
#[test]
fn hashes_and_macs_of_the_standards() {
    let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    let digests: [(Hash, &[u8], &str); 6] = [
        (Hash::Sha1, b"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (Hash::Sha1, b"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        (Hash::Sha1, long, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        (Hash::Sha256, b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (Hash::Sha256, b"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (Hash::Sha256, long, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    ];
    let hash_key_first = b"Test Using Larger Than Block-Size Key - Hash Key First";
    let macs: [(Hash, &[u8], &[u8], &str); 6] = [
        (Hash::Sha1, &[0x0b; 20], b"Hi There", "b617318655057264e28bc0b6fb378c8ef146be00"),
        (Hash::Sha1, b"Jefe", b"what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        (Hash::Sha1, &[0xaa; 80], hash_key_first, "aa4ae5e15272d00e95705637ce8a3b55ed402112"),
        (
            Hash::Sha256,
            &[0x0b; 20],
            b"Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        ),
        (
            Hash::Sha256,
            b"Jefe",
            b"what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        (
            Hash::Sha256,
            &[0xaa; 131],
            hash_key_first,
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
    ];
    for (hash, message, wanted) in digests {
        assert_eq!(reference::digest(hash, message), hex(wanted));
        for isa in Isa::available() {
            let digest = keys::digest(isa, hash, hash.start(), 0, message);
            assert_eq!(digest[..hash.bytes()], hex(wanted), "{isa}");
        }
    }
    for (hash, key, message, wanted) in macs {
        assert_eq!(reference::hmac(hash, key, message), hex(wanted));
        for isa in Isa::available() {
            let keys = Keys::new(isa, hash, &[0; 16], key);
            let inner = keys::digest(isa, hash, keys.inner, 64, message);
            let mac = keys::digest(isa, hash, keys.outer, 64, &inner[..hash.bytes()]);
            assert_eq!(mac[..hash.bytes()], hex(wanted), "{isa}");
        }
    }
}

/// SP 800-38A, sections F.2.1 and F.2.5; RFC 3602, section 4, cases 1 and 2.
#[test]
fn ciphertexts_of_the_standards() {
    const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
        30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710";
    const IV: &str = "000102030405060708090a0b0c0d0e0f";
    let cases = [
        (
            "2b7e151628aed2a6abf7158809cf4f3c",
            IV,
            PLAIN,
            "7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2
             73bed6b8e3c1743b7116e69e22229516 3ff1caa1681fac09120eca307586e1a7",
        ),
        (
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            IV,
            PLAIN,
            "f58c4c04d6e5f1ba779eabfb5f7bfbd6 9cfc4e967edb808d679f777bc6702c7d
             39f23369a9d9bacfa530e26304231461 b2eb05e2c39be9fcda6c19078c6a9d1b",
        ),
        (
            "06a9214036b8a15b512e03d534120006",
            "3dafba429d9eb430b422da802c9fac41",
            "53696e676c6520626c6f636b206d7367",
            "e353779c1079aeb82708942dbe77181a",
        ),
        (
            "c286696d887c9aa0611bbb3e2025a45a",
            "562e17996d093d28ddb3ba695a2e6f58",
            "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            "d296cd94c2cccf8a3a863028b5e1dc0a7586602d253cfff91b8266bea6d61ab1",
        ),
    ];
    for (key, iv, plain, wanted) in cases {
        let (key, iv) = (hex(key), hex(iv).try_into().unwrap());
        assert_eq!(reference::cbc(&key, &iv, &hex(plain)), hex(wanted));
        for isa in Isa::available() {
            let mut data = hex(plain);
            if key.len() == 16 {
                let keys = CbcHmac::<Aes128, HmacSha1>::new_with(isa, &key, &[1; 20]).unwrap();
                keys.seal_in_place_with(isa, &iv, &[], &mut data).unwrap();
            } else {
                let keys = CbcHmac::<Aes256, HmacSha256>::new_with(isa, &key, &[1; 20]).unwrap();
                keys.seal_in_place_with(isa, &iv, &[], &mut data).unwrap();
            }
            assert_eq!(data, hex(wanted), "{isa}");
        }
    }
}

/// RFC 7518, appendix B.1: the composition, padding and cut tag included.
#[test]
fn the_composition_of_the_standard() {
    let key: Vec<u8> = (0..32).collect();
    let plain =
        b"A cipher system must not be required to be secret, and it must be able to fall into the hands of \
                  the enemy without inconvenience";
    let aad = b"The second principle of Auguste Kerckhoffs";
    let iv = hex("1af38c2dc2b96ffdd86694092341bc04").try_into().unwrap();
    let ciphertext = hex("c80edfa32ddf39d5ef00c0b468834279 a2e46a1b8049f792f76bfe54b903a9c9
        a94ac9b47ad2655c5f10f9aef71427e2 fc6f9b3f399a221489f16362c7032336 09d45ac69864e3321cf82935ac4096c8
        6e133314c54019e8ca7980dfa4b9cf1b 384c486f3a54c51078158ee5d79de59f bd34d848b3d69550a67646344427ade5
        4b8851ffb598f7f80074b9473c82e2db");
    let tag = hex("652c3fa36b0a7c5b3219fab3a30bc1c4");
    for isa in Isa::available() {
        let keys = CbcHmac::<Aes128, HmacSha256>::new_with(isa, &key[16..], &key[..16]).unwrap();
        let keys = keys.with_tag_bytes(16).unwrap();
        let mut data = plain.to_vec();
        let found = keys.seal_padded_with(isa, &iv, aad, &mut data).unwrap();
        assert_eq!((&data, &*found), (&ciphertext, &tag[..]), "{isa}");
        keys.open_padded_with(isa, &iv, aad, &mut data, &tag).unwrap();
        assert_eq!(data, plain, "{isa}");
    }
}

#[test]
fn every_length_of_one_message() {
    for hash in HASHES {
        for (name, engines) in engines(hash) {
            for (aad, blocks) in
                (0..=24).flat_map(|blocks| [0, 5, 16, 47, 48, 49, 130].map(|aad| (aad, blocks)))
            {
                let samples = [sample(hash, 16 + 16 * (blocks % 2), aad, blocks, 7)];
                check(&name, engines, &samples, if aad % 2 == 0 { At::End(0) } else { At::Start(0) });
            }
        }
    }
}

#[test]
fn every_alignment_of_many_messages() {
    for hash in HASHES {
        let samples: Vec<Sample> = (0..17).map(|n| sample(hash, 16, n, 13 + n, n as u32)).collect();
        for (name, engines) in engines(hash) {
            At::all().step_by(3).for_each(|at| check(&name, engines, &samples, at));
        }
    }
}

/// Where associated data and IV fill whole blocks, wide engines hash the ciphertext as it lies in vectors: with each distance
/// between what is encrypted and what is hashed, of one length and of several, and where one lane's differs.
#[test]
fn ciphertext_that_is_hashed_by_rows() {
    for hash in HASHES {
        for (name, engines) in engines(hash) {
            let Some(widest) = engines.last().filter(|engine| engine.lanes >= 8) else { continue };
            for (aad, blocks) in (0..=5).flat_map(|blocks| [9, 14, 19, 40].map(|more| (16 * blocks, more))) {
                let count = widest.lanes - blocks % 2;
                let mut samples: Vec<Sample> = (0..count)
                    .map(|n| sample(hash, 16 + 16 * (blocks % 2), aad, blocks, 3 * n as u32))
                    .collect();
                check(&name, engines, &samples, At::End(0));
                samples[1] = sample(hash, 16 + 16 * (blocks % 2), aad, blocks + 5, 1);
                check(&name, engines, &samples, At::Start(1));
                samples[2] = sample(hash, 16 + 16 * (blocks % 2), aad + 16, blocks, 2);
                check(&name, engines, &samples, At::Start(0));
            }
        }
    }
}

#[test]
fn any_number_of_messages() {
    for hash in HASHES {
        for (name, engines) in engines(hash) {
            for count in 0..=35 {
                // Equal ones, and ones that end at different times and leave lanes to each other.
                let equal: Vec<Sample> = (0..count).map(|n| sample(hash, 32, 13, 20, n)).collect();
                check(&name, engines, &equal, At::End(0));
                let different: Vec<Sample> = (0..count)
                    .map(|n| sample(hash, 16, n as usize * 7, (n * n * 5 % 61) as usize, n))
                    .collect();
                check(&name, engines, &different, At::Start(0));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn messages_of_any_shape(shapes in prop::collection::vec((0usize..200, 0usize..100, any::<u16>()), 0..40)) {
        for hash in HASHES {
            let samples: Vec<Sample> = shapes
                .iter()
                .map(|&(aad, blocks, seed)| sample(hash, 32, aad, blocks, seed.into()))
                .collect();
            for (name, engines) in engines(hash) {
                check(&name, engines, &samples, At::End(0));
            }
        }
    }
}

fn opened<C: Cipher, M: Mac>(key: &[u8]) {
    let keys = CbcHmac::<C, M>::new(key, &bytes(20, 3)).unwrap();
    let iv = [9; 16];
    for isa in Isa::available() {
        // Whole groups of every vector, and what they leave.
        for blocks in (0..70).chain([127, 128, 129, 200]) {
            let plain = bytes(16 * blocks, blocks as u32);
            for at in [At::Start(0), At::End(0), At::Start(5)] {
                let mut data = Guarded::of(&plain, at);
                let tag = keys.seal_in_place_with(isa, &iv, b"aad", &mut data).unwrap();
                keys.open_in_place_with(isa, &iv, b"aad", &mut data, &tag).unwrap();
                assert!(*data == *plain, "{isa}, {blocks} blocks, {at:?}");
                assert_eq!(data.strays(), 0);
            }
        }
    }
}

#[test]
fn what_is_sealed_opens() {
    opened::<Aes128, HmacSha1>(&bytes(16, 1));
    opened::<Aes128, HmacSha256>(&bytes(16, 1));
    opened::<Aes256, HmacSha1>(&bytes(32, 1));
    opened::<Aes256, HmacSha256>(&bytes(32, 1));
}

/// What forgers try; every attempt is the same rejection, and leaves the data alone.
#[test]
fn what_was_meddled_with_is_rejected() {
    let keys = CbcHmac::<Aes128, HmacSha256>::new(&[1; 16], &[2; 32]).unwrap();
    let (iv, aad) = ([3; 16], b"header".to_vec());
    for isa in Isa::available() {
        let mut sealed = bytes(160, 5);
        let tag = keys.seal_in_place_with(isa, &iv, &aad, &mut sealed).unwrap().to_vec();
        let refused = |iv: &[u8; 16], aad: &[u8], data: &[u8], tag: &[u8], what: &str| {
            let mut copy = data.to_vec();
            let error = keys.open_in_place_with(isa, iv, aad, &mut copy, tag);
            assert_eq!(error, Err(CipherError::Rejected), "{isa}: {what}");
            assert_eq!(copy, data, "{isa}: {what}");
            let error = keys.open_padded_with(isa, iv, aad, &mut copy, tag);
            assert_eq!(error, Err(CipherError::Rejected), "{isa}, padded: {what}");
            assert_eq!(copy, data, "{isa}, padded: {what}");
        };
        let flipped = |bytes: &[u8], bit: usize| {
            let mut bytes = bytes.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            bytes
        };
        for bit in 0..8 * tag.len() {
            refused(&iv, &aad, &sealed, &flipped(&tag, bit), "a bit of the tag");
        }
        for bit in 0..8 * sealed.len() {
            refused(&iv, &aad, &flipped(&sealed, bit), &tag, "a bit of the ciphertext");
        }
        for bit in 0..128 {
            refused(&flipped(&iv, bit).try_into().unwrap(), &aad, &sealed, &tag, "a bit of the IV");
        }
        for bit in 0..8 * aad.len() {
            refused(&iv, &flipped(&aad, bit), &sealed, &tag, "a bit of the associated data");
        }
        for length in 0..sealed.len() {
            refused(&iv, &aad, &sealed[..length], &tag, "the beginning of the ciphertext");
        }
        refused(&iv, &aad, &[&sealed[..], &[0; 16]].concat(), &tag, "a block more");
        for length in (0..tag.len()).chain([33, 64]) {
            let other: Vec<u8> = tag.iter().copied().cycle().take(length).collect();
            refused(&iv, &aad, &sealed, &other, "a tag of another length");
        }
        refused(&iv, b"", &sealed, &tag, "no associated data");
        refused(&iv, &aad, &[], &tag, "nothing");
        refused(&iv, &aad, &[], &[], "nothing at all");
        // Bytes passed off as another part's: the IV as associated data, the first block as IV.
        let longer = [&aad[..], &iv].concat();
        refused(&sealed[..16].try_into().unwrap(), &longer, &sealed[16..], &tag, "shifted parts");
        let other = CbcHmac::<Aes128, HmacSha256>::new(&[1; 16], &[4; 32]).unwrap();
        let theirs = other.seal_in_place_with(isa, &iv, &aad, &mut bytes(160, 5)).unwrap();
        refused(&iv, &aad, &sealed, &theirs, "another key's tag");
    }
}

#[test]
fn wrong_padding_cannot_be_told_from_a_wrong_tag() {
    let keys = CbcHmac::<Aes256, HmacSha1>::new(&[1; 32], &[2; 20]).unwrap();
    let iv = [3; 16];
    for ending in [&[0u8][..], &[17], &[255], &[2], &[3, 2, 3], &[4, 4, 4, 5, 4]] {
        let mut plain = vec![7; 32];
        plain[32 - ending.len()..].copy_from_slice(ending);
        let tag = keys.seal_in_place(&iv, b"", &mut plain).unwrap();
        let before = plain.clone();
        assert_eq!(keys.open_padded(&iv, b"", &mut plain, &tag), Err(CipherError::Rejected));
        assert_eq!(plain, before);
    }
    // Nothing sealed as it is has no padding.
    let tag = keys.seal_in_place(&iv, b"", &mut []).unwrap();
    assert_eq!(keys.open_padded(&iv, b"", &mut Vec::new(), &tag), Err(CipherError::Rejected));
}

#[test]
fn padded_messages_of_every_length() {
    let keys = CbcHmac::<Aes128, HmacSha1>::new(&[1; 16], &[2; 20]).unwrap().with_tag_bytes(12).unwrap();
    for len in 0..100 {
        let plain = bytes(len, 1);
        let mut data = plain.clone();
        let tag = keys.seal_padded(&[0; 16], b"a", &mut data).unwrap();
        assert_eq!((data.len(), tag.len()), (len / 16 * 16 + 16, 12));
        keys.open_padded(&[0; 16], b"a", &mut data, &tag).unwrap();
        assert_eq!(data, plain);
    }
}

#[test]
fn many_messages_have_their_own_keys_and_tags() {
    let all: Vec<_> =
        (0..20u8).map(|n| CbcHmac::<Aes128, HmacSha1>::new(&[n; 16], &[n; 20]).unwrap()).collect();
    for isa in Isa::available() {
        let mut data: Vec<Vec<u8>> = (0..20).map(|n| bytes(16 * n * n, n as u32)).collect();
        let plain = data.clone();
        let iv = |n: usize| [n as u8; 16];
        let mut messages: Vec<_> = data
            .iter_mut()
            .enumerate()
            .map(|(n, data)| Message::new(&all[n], &iv(n), b"aad", data))
            .collect();
        CbcHmac::seal_many_with(isa, &mut messages).unwrap();
        let tags: Vec<Tag> = messages.iter().map(|message| *message.tag().unwrap()).collect();
        for (n, (data, tag)) in data.iter_mut().zip(tags).enumerate() {
            all[n].open_in_place_with(isa, &iv(n), b"aad", data, &tag).unwrap();
            assert_eq!(*data, plain[n]);
        }
    }
}

/// Seals messages of the lengths given, opens them together with some changed, and looks at each.
fn opened_together<C: Cipher, M: Mac>(isa: Isa, key: &[u8], lengths: &[usize], aad: &[u8]) {
    let all: Vec<_> = (0..lengths.len())
        .map(|n| CbcHmac::<C, M>::new(key, &bytes(20, n as u32)).unwrap().with_tag_bytes(16).unwrap())
        .collect();
    let iv = |n: usize| [n as u8; 16];
    let plain: Vec<Vec<u8>> = lengths.iter().map(|&length| bytes(length, length as u32)).collect();
    let mut data = plain.clone();
    let mut tags: Vec<Vec<u8>> = data
        .iter_mut()
        .enumerate()
        .map(|(n, data)| all[n].seal_in_place_with(isa, &iv(n), aad, data).unwrap().to_vec())
        .collect();
    // What forgers try, each with every sixth message; 5 is left alone.
    for (n, (data, tag)) in data.iter_mut().zip(&mut tags).enumerate() {
        match n % 6 {
            0 => tag[n % 16] ^= 1 << (n % 8),
            1 if !data.is_empty() => data[n % lengths[n]] ^= 0x80,
            2 => tag.truncate(15),
            3 => tag.clear(),
            4 => data.push(0),
            _ => {}
        }
    }
    let before = data.clone();
    let right = |n: usize| n % 6 == 5 || n % 6 == 1 && lengths[n] == 0;
    let mut messages: Vec<_> = data
        .iter_mut()
        .zip(&tags)
        .enumerate()
        .map(|(n, (data, tag))| Received::new(&all[n], &iv(n), aad, data, tag))
        .collect();
    let opened = CbcHmac::open_many_with(isa, &mut messages);
    let all_right = (0..lengths.len()).all(right);
    assert_eq!(opened, if all_right { Ok(()) } else { Err(CipherError::Rejected) }, "{isa}");
    for (n, message) in messages.iter().enumerate() {
        assert_eq!(message.is_open(), right(n), "{isa}, message {n} of {}", lengths.len());
        assert_eq!(message.data(), right(n).then_some(&plain[n][..]));
    }
    drop(messages);
    for (n, data) in data.iter().enumerate() {
        assert_eq!(*data, if right(n) { plain[n].clone() } else { before[n].clone() }, "{isa}, message {n}");
    }
}

#[test]
fn many_messages_are_opened_or_rejected_each_by_itself() {
    for isa in Isa::available() {
        for count in [0, 1, 2, 3, 5, 7, 12, 18, 34] {
            let (equal, different): (Vec<_>, Vec<_>) = (0..count).map(|n| (160, n * n * 16 % 2000)).unzip();
            opened_together::<Aes128, HmacSha1>(isa, &[1; 16], &equal, b"header");
            opened_together::<Aes256, HmacSha256>(isa, &[1; 32], &different, &[5; 100]);
        }
        // Nothing wrong at all.
        let keys = CbcHmac::<Aes128, HmacSha256>::new(&[1; 16], &[2; 32]).unwrap();
        let mut data = vec![bytes(96, 1); 20];
        let tags: Vec<Tag> = data.iter_mut().map(|d| keys.seal_in_place(&[3; 16], b"", d).unwrap()).collect();
        let mut messages: Vec<_> =
            data.iter_mut().zip(&tags).map(|(d, tag)| Received::new(&keys, &[3; 16], b"", d, tag)).collect();
        assert_eq!(CbcHmac::open_many_with(isa, &mut messages), Ok(()));
        assert!(messages.iter().all(|message| message.data() == Some(&bytes(96, 1)[..])));
        // What is open is no ciphertext: opening it again is refused.
        assert_eq!(CbcHmac::open_many_with(isa, &mut messages), Err(CipherError::Rejected));
        assert!(messages.iter().all(|message| message.data().is_none()));
    }
}

/// What is left in a value's place once it is dropped.
fn remains<T>(value: T, of: impl Fn(*const T) -> Vec<u8>) -> Vec<u8> {
    let mut place = Box::new(std::mem::MaybeUninit::new(value));
    // SAFETY: the value is there, is dropped once, and its place lives on.
    unsafe { std::ptr::drop_in_place(place.as_mut_ptr()) };
    of(std::hint::black_box(place.as_ptr()))
}

#[test]
fn keys_and_states_are_erased() {
    for hash in HASHES {
        let keys = Keys::new(Isa::best(), hash, &bytes(32, 1), &bytes(20, 2));
        let left = remains(keys, |keys| {
            // SAFETY: arrays of plain numbers, written when the keys were made and since.
            let (encrypt, decrypt, inner, outer) =
                unsafe { ((*keys).encrypt, (*keys).decrypt, (*keys).inner, (*keys).outer) };
            let states = [inner, outer].concat().into_iter().flat_map(u32::to_le_bytes);
            [encrypt, decrypt].concat().concat().into_iter().chain(states).collect()
        });
        assert!(left.len() > 500 && left.iter().all(|&byte| byte == 0));

        let keys = Keys::new(Isa::best(), hash, &bytes(32, 1), &bytes(20, 2));
        let mut used = lanes::Lanes::new(14);
        for lane in 0..lanes::MOST {
            used.set_state(lane, &keys.inner);
            // SAFETY: the keys are there.
            unsafe { used.set_keys(lane, &keys.encrypt, true) };
        }
        let left = remains(used, |lanes| {
            // SAFETY: all states and all of the table were written.
            unsafe {
                let table = (*lanes).row(0).cast::<[u8; 16 * lanes::MOST * lanes::ROUND_KEYS]>().read();
                let states = (*lanes).state.concat().into_iter().flat_map(u32::to_le_bytes);
                table.into_iter().chain(states).collect()
            }
        });
        assert!(left.len() > 4000 && left.iter().all(|&byte| byte == 0));
    }
}

#[test]
fn misuse_is_refused_with_the_way_out() {
    type Pair = CbcHmac<Aes128, HmacSha1>;
    let text = |error: CipherError| error.to_string();
    assert_eq!(
        text(Pair::new(&[0; 32], &[0; 20]).unwrap_err()),
        "the cipher key has 32 bytes where 16 are wanted; pass a key of that length"
    );
    assert_eq!(
        text(Pair::new(&[0; 16], &[0; 15]).unwrap_err()),
        "the MAC key has 15 bytes; pass at least 16, best as many as the hash has"
    );
    let keys = || Pair::new(&[0; 16], &[0; 16]).unwrap();
    assert_eq!(keys().with_tag_bytes(10).unwrap().tag_bytes(), 10);
    for given in [0, 9, 21] {
        let wanted = CipherError::TagBytes { given, least: 10, most: 20 };
        assert_eq!(keys().with_tag_bytes(given).unwrap_err(), wanted);
    }
    let keys = keys();
    let mut data = [5; 40];
    assert_eq!(keys.seal_in_place(&[0; 16], &[], &mut data[..17]), Err(CipherError::Length { length: 17 }));
    let (mut right, mut wrong) = ([5; 32], [5; 31]);
    let mut messages =
        [Message::new(&keys, &[0; 16], &[], &mut right), Message::new(&keys, &[0; 16], &[], &mut wrong)];
    assert_eq!(Pair::seal_many(&mut messages), Err(CipherError::Length { length: 31 }));
    assert!(messages[0].tag().is_none());
    assert_eq!(right, [5; 32]);
    for isa in Isa::ALL.into_iter().filter(|isa| !isa.is_available()) {
        let error = isa.require().unwrap_err();
        assert_eq!(keys.seal_in_place_with(isa, &[0; 16], &[], &mut right), Err(error.clone().into()));
        assert_eq!(keys.open_in_place_with(isa, &[0; 16], &[], &mut right, &[0; 20]), Err(error.into()));
    }
    assert!(!format!("{keys:?}").contains("encrypt"));
}

/// Equality is for tests only.
impl PartialEq for Tag {
    fn eq(&self, other: &Tag) -> bool {
        **self == **other
    }
}
