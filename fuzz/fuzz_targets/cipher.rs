//! Messages that were never sealed, and messages that were changed after sealing: each is rejected, alike at
//! every level, and stays unchanged; unchanged messages open.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_kernels::Isa;
use loopwright_kernels::cipher::{
    Aes128, Aes256, CbcHmac, Cipher, CipherError, HmacSha1, HmacSha256, Mac, Received,
};

fuzz_target!(|input: (bool, bool, [u8; 16], Vec<u8>, Vec<u8>, Vec<u8>, Vec<(u16, u8)>)| {
    let (long, sha256, iv, aad, data, tag, changes) = input;
    match (long, sha256) {
        (false, false) => attempt::<Aes128, HmacSha1>(&iv, &aad, &data, &tag, &changes),
        (false, true) => attempt::<Aes128, HmacSha256>(&iv, &aad, &data, &tag, &changes),
        (true, false) => attempt::<Aes256, HmacSha1>(&iv, &aad, &data, &tag, &changes),
        (true, true) => attempt::<Aes256, HmacSha256>(&iv, &aad, &data, &tag, &changes),
    }
});

fn attempt<C: Cipher, M: Mac>(iv: &[u8; 16], aad: &[u8], data: &[u8], tag: &[u8], changes: &[(u16, u8)]) {
    let keys = CbcHmac::<C, M>::new(&vec![1; CbcHmac::<C, M>::KEY_BYTES], &[2; 20]).expect("lengths are right");
    for isa in Isa::available() {
        let mut copy = data.to_vec();
        let opened = keys.open_in_place_with(isa, iv, aad, &mut copy, tag);
        assert_eq!(opened, Err(CipherError::Rejected), "a forgery");
        assert_eq!(copy, data);
        assert_eq!(keys.open_padded_with(isa, iv, aad, &mut copy, tag), Err(CipherError::Rejected));
        assert_eq!(copy, data);

        let right = keys.seal_padded_with(isa, iv, aad, &mut copy).expect("padded data is whole");
        let sealed = copy.clone();
        let mut message = [&sealed[..], &right].concat();
        for (at, bits) in changes {
            let at = usize::from(*at) % message.len();
            message[at] ^= bits;
        }
        let (changed, changed_tag) = message.split_at(sealed.len());
        let mut changed = changed.to_vec();
        let same = changed == sealed && *changed_tag == *right;
        let before = changed.clone();
        let opened = keys.open_padded_with(isa, iv, aad, &mut changed, changed_tag);
        assert_eq!(opened.is_ok(), same);
        assert_eq!(changed, if same { data.to_vec() } else { before.clone() });

        // Next to an unchanged one, of the same length and of another.
        for more in [&b""[..], &[7; 100]] {
            let (mut first, mut second) = (before.clone(), [data, more].concat());
            let tag = keys.seal_padded_with(isa, iv, aad, &mut second).expect("padded data is whole");
            let mut messages = [
                Received::new(&keys, iv, aad, &mut first, changed_tag),
                Received::new(&keys, iv, aad, &mut second, &tag),
            ];
            let opened = CbcHmac::open_many_with(isa, &mut messages);
            assert_eq!(opened, if same { Ok(()) } else { Err(CipherError::Rejected) });
            assert_eq!((messages[0].is_open(), messages[1].is_open()), (same, true));
            assert!(same || first == before);
            assert_eq!(second[..data.len()], *data);
        }
    }
}
