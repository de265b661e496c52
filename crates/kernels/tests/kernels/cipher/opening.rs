//! What is sealed opens; whatever was changed is rejected, and misuse is refused.

use super::bytes;
use crate::guarded::{At, Guarded};
use loopwright_kernels::Isa;
use loopwright_kernels::cipher::{
    Aes128, Aes256, CbcHmac, Cipher, CipherError, HmacSha1, HmacSha256, Mac, Message, Received, Tag,
};

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
    let refused = keys.seal_in_place(&[0; 16], &[], &mut data[..17]).unwrap_err();
    assert_eq!(refused, CipherError::Length { length: 17 });
    let (mut right, mut wrong) = ([5; 32], [5; 31]);
    let mut messages =
        [Message::new(&keys, &[0; 16], &[], &mut right), Message::new(&keys, &[0; 16], &[], &mut wrong)];
    assert_eq!(Pair::seal_many(&mut messages), Err(CipherError::Length { length: 31 }));
    assert!(messages[0].tag().is_none());
    assert_eq!(right, [5; 32]);
    for isa in Isa::ALL.into_iter().filter(|isa| !isa.is_available()) {
        let error = isa.require().unwrap_err();
        let refused = keys.seal_in_place_with(isa, &[0; 16], &[], &mut right).unwrap_err();
        assert_eq!(refused, error.clone().into());
        assert_eq!(keys.open_in_place_with(isa, &[0; 16], &[], &mut right, &[0; 20]), Err(error.into()));
    }
    assert!(!format!("{keys:?}").contains("encrypt"));
}
