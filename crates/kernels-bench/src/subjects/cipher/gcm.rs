//! AES-GCM on the same messages: the cost of an AEAD, which a new protocol would use instead (crate `aes-gcm`).

use super::sealing::Buffers;
use crate::case::{Role, Run, Variant};
use aes_gcm::aead::{AeadInPlace, KeyInit};
use aes_gcm::{Aes128Gcm, Aes256Gcm};
use std::hint::black_box;

struct Gcm<A> {
    aead: A,
    buffers: Buffers,
}

/// AES-GCM with a key of 16 or 32 bytes.
pub fn variant(key: &[u8], lengths: &[usize]) -> Option<Variant> {
    fn of<A: AeadInPlace + KeyInit + 'static>(key: &[u8], lengths: &[usize]) -> Option<Variant> {
        let gcm = Gcm { aead: A::new_from_slice(key).ok()?, buffers: Buffers::new(lengths) };
        Some(Variant::new("AES-GCM (aes-gcm)", Role::Aside, gcm))
    }
    if key.len() == 16 { of::<Aes128Gcm>(key, lengths) } else { of::<Aes256Gcm>(key, lengths) }
}

/// The nonce, from a message's first bytes, and its data.
fn split(bytes: &mut [u8]) -> (&[u8], &mut [u8]) {
    let (iv, data) = bytes.split_at_mut(16);
    let end = data.len() - 8;
    (&iv[..12], &mut data[..end])
}

impl<A: AeadInPlace> Run for Gcm<A> {
    fn run(&mut self) {
        for place in self.buffers.places() {
            let (nonce, data) = split(place);
            let _ = black_box(self.aead.encrypt_in_place_detached(nonce.into(), &[], data));
        }
    }

    fn verify(&mut self) -> Result<(), String> {
        for (message, place) in self.buffers.places().enumerate() {
            let (nonce, data) = split(place);
            let plain = data.to_vec();
            let opened = self
                .aead
                .encrypt_in_place_detached(nonce.into(), &[], data)
                .and_then(|tag| self.aead.decrypt_in_place_detached(nonce.into(), &[], data, &tag));
            if opened.is_err() || *data != plain[..] {
                return Err(format!("message {message} does not come back"));
            }
        }
        Ok(())
    }
}
