//! The answers that the standards print.

use super::reference;
use loopwright_kernels::Isa;
use loopwright_kernels::cipher::{Aes128, Aes256, CbcHmac, HmacSha1, HmacSha256};
use loopwright_kernels::internals::cipher::{Hash, Keys, digest};

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    digits.chunks(2).map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap()).collect()
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
            let digest = digest(isa, hash, hash.start(), 0, message);
            assert_eq!(digest[..hash.bytes()], hex(wanted), "{isa}");
        }
    }
    for (hash, key, message, wanted) in macs {
        assert_eq!(reference::hmac(hash, key, message), hex(wanted));
        for isa in Isa::available() {
            let keys = Keys::new(isa, hash, &[0; 16], key);
            let inner = digest(isa, hash, keys.inner, 64, message);
            let mac = digest(isa, hash, keys.outer, 64, &inner[..hash.bytes()]);
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
