//! A cipher and a MAC with their keys: sealing and opening.

use super::job::{self, Job};
use super::keys::Keys;
use super::message::Tag;
use super::sha::Hash;
use super::{CipherError, dispatch, padding};
use crate::isa::Isa;
use std::fmt;
use std::marker::PhantomData;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Fewest bytes of a MAC key: 128 bits.
const LEAST_MAC_KEY: usize = 16;

mod sealed {
    use super::Hash;

    pub trait Cipher {
        const KEY_BYTES: usize;
    }
    pub trait Mac {
        const HASH: Hash;
    }
}

/// A cipher in CBC mode: [`Aes128`] or [`Aes256`].
pub trait Cipher: sealed::Cipher {}

/// A MAC: [`HmacSha1`] or [`HmacSha256`].
pub trait Mac: sealed::Mac {}

/// AES with a key of 16 bytes.
#[derive(Clone, Copy, Debug)]
pub enum Aes128 {}

/// AES with a key of 32 bytes.
#[derive(Clone, Copy, Debug)]
pub enum Aes256 {}

/// HMAC with SHA-1, tags of up to 20 bytes.
#[derive(Clone, Copy, Debug)]
pub enum HmacSha1 {}

/// HMAC with SHA-256, tags of up to 32 bytes.
#[derive(Clone, Copy, Debug)]
pub enum HmacSha256 {}

impl sealed::Cipher for Aes128 {
    const KEY_BYTES: usize = 16;
}
impl Cipher for Aes128 {}
impl sealed::Cipher for Aes256 {
    const KEY_BYTES: usize = 32;
}
impl Cipher for Aes256 {}
impl sealed::Mac for HmacSha1 {
    const HASH: Hash = Hash::Sha1;
}
impl Mac for HmacSha1 {}
impl sealed::Mac for HmacSha256 {
    const HASH: Hash = Hash::Sha256;
}
impl Mac for HmacSha256 {}

/// The keys of a cipher and a MAC, ready for use. Erased when dropped.
pub struct CbcHmac<C, M> {
    pub(super) keys: Keys,
    algorithms: PhantomData<fn() -> (C, M)>,
}

impl<C, M> fmt::Debug for CbcHmac<C, M> {
    /// Without the keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CbcHmac").field("tag_bytes", &self.keys.tag_bytes).finish_non_exhaustive()
    }
}

impl<C, M> ZeroizeOnDrop for CbcHmac<C, M> {}

impl<C: Cipher, M: Mac> CbcHmac<C, M> {
    /// Bytes of the cipher's key.
    pub const KEY_BYTES: usize = C::KEY_BYTES;

    /// Expands keys: [`KEY_BYTES`](Self::KEY_BYTES) for the cipher, at least 16 for the MAC. The two must be independent.
    pub fn new(cipher_key: &[u8], mac_key: &[u8]) -> Result<Self, CipherError> {
        Self::new_with(Isa::best(), cipher_key, mac_key)
    }

    /// [`new`](Self::new) at the level `isa`. The keys serve every level.
    pub fn new_with(isa: Isa, cipher_key: &[u8], mac_key: &[u8]) -> Result<Self, CipherError> {
        isa.require()?;
        if cipher_key.len() != C::KEY_BYTES {
            return Err(CipherError::CipherKey { given: cipher_key.len(), wanted: C::KEY_BYTES });
        }
        if mac_key.len() < LEAST_MAC_KEY {
            return Err(CipherError::MacKey { given: mac_key.len(), least: LEAST_MAC_KEY });
        }
        Ok(CbcHmac { keys: Keys::new(isa, M::HASH, cipher_key, mac_key), algorithms: PhantomData })
    }

    /// Cuts tags to `bytes` from here on, here and at whoever opens: 12 and 16 are IPsec's for SHA-1 and SHA-256
    /// (RFC 2404, RFC 4868). Not fewer than 10 bytes, nor than half the hash.
    pub fn with_tag_bytes(mut self, bytes: usize) -> Result<Self, CipherError> {
        let most = M::HASH.bytes();
        let least = most / 2;
        if !(least..=most).contains(&bytes) {
            return Err(CipherError::TagBytes { given: bytes, least, most });
        }
        self.keys.tag_bytes = bytes;
        Ok(self)
    }

    /// Bytes of a tag.
    pub fn tag_bytes(&self) -> usize {
        self.keys.tag_bytes
    }

    /// Encrypts `data`, a multiple of 16 bytes, in place, and returns the tag.
    ///
    /// # Errors
    /// [`CipherError::Length`]; `data` is as before then.
    pub fn seal_in_place(&self, iv: &[u8; 16], aad: &[u8], data: &mut [u8]) -> Result<Tag, CipherError> {
        self.seal_in_place_with(Isa::best(), iv, aad, data)
    }

    /// [`seal_in_place`](Self::seal_in_place) at the level `isa`.
    ///
    /// # Errors
    /// Also [`CipherError::Isa`] where the level is not available.
    pub fn seal_in_place_with(
        &self,
        isa: Isa,
        iv: &[u8; 16],
        aad: &[u8],
        data: &mut [u8],
    ) -> Result<Tag, CipherError> {
        isa.require()?;
        whole(data.len())?;
        let mut jobs = [Job::seal(&self.keys, iv, aad, data)];
        job::finish(dispatch::engines(isa, M::HASH), &mut jobs, &mut Vec::new());
        Ok(Tag::new(jobs[0].tag(), self.keys.tag_bytes))
    }

    /// Verifies the tag of `data` and decrypts it in place. What is rejected is left as it is, encrypted.
    ///
    /// # Errors
    /// [`CipherError::Rejected`] where tag, IV, associated data or ciphertext are not those that were sealed.
    pub fn open_in_place(
        &self,
        iv: &[u8; 16],
        aad: &[u8],
        data: &mut [u8],
        tag: &[u8],
    ) -> Result<(), CipherError> {
        self.open_in_place_with(Isa::best(), iv, aad, data, tag)
    }

    /// [`open_in_place`](Self::open_in_place) at the level `isa`.
    ///
    /// # Errors
    /// Also [`CipherError::Isa`] where the level is not available.
    pub fn open_in_place_with(
        &self,
        isa: Isa,
        iv: &[u8; 16],
        aad: &[u8],
        data: &mut [u8],
        tag: &[u8],
    ) -> Result<(), CipherError> {
        isa.require()?;
        // Lengths are no secret: whoever sees the message knows them.
        if !data.len().is_multiple_of(16) || tag.len() != self.keys.tag_bytes {
            return Err(CipherError::Rejected);
        }
        let expected = {
            let mut jobs = [Job::verify(&self.keys, iv, aad, data)];
            job::finish(dispatch::engines(isa, M::HASH), &mut jobs, &mut Vec::new());
            jobs[0].tag()
        };
        if !self.is_tag(expected, tag) {
            return Err(CipherError::Rejected);
        }
        dispatch::decrypt(isa, &self.keys, iv, data.as_chunks_mut().0);
        Ok(())
    }

    /// Whether `tag`, of the length that tags have, is the one expected.
    pub(super) fn is_tag(&self, mut expected: [u8; 32], tag: &[u8]) -> bool {
        let same = expected[..self.keys.tag_bytes].ct_eq(tag);
        // The tag that would have been right must not be left to whoever forges.
        expected.zeroize();
        same.into()
    }

    /// Pads `data` by 1 to 16 bytes (PKCS#7), encrypts it in place, and returns the tag.
    ///
    /// # Errors
    /// None that this could have; the type is that of the twin.
    pub fn seal_padded(&self, iv: &[u8; 16], aad: &[u8], data: &mut Vec<u8>) -> Result<Tag, CipherError> {
        self.seal_padded_with(Isa::best(), iv, aad, data)
    }

    /// [`seal_padded`](Self::seal_padded) at the level `isa`.
    ///
    /// # Errors
    /// [`CipherError::Isa`] where the level is not available; `data` is as before then.
    pub fn seal_padded_with(
        &self,
        isa: Isa,
        iv: &[u8; 16],
        aad: &[u8],
        data: &mut Vec<u8>,
    ) -> Result<Tag, CipherError> {
        isa.require()?;
        padding::pad(data);
        self.seal_in_place_with(isa, iv, aad, data)
    }

    /// Verifies the tag of `data`, decrypts it in place and cuts the padding off. What is rejected is left as it is,
    /// encrypted.
    ///
    /// # Errors
    /// [`CipherError::Rejected`], as for [`open_in_place`](Self::open_in_place) and where the padding is invalid: without
    /// the keys the two cannot be distinguished, nor the second be caused.
    pub fn open_padded(
        &self,
        iv: &[u8; 16],
        aad: &[u8],
        data: &mut Vec<u8>,
        tag: &[u8],
    ) -> Result<(), CipherError> {
        self.open_padded_with(Isa::best(), iv, aad, data, tag)
    }

    /// [`open_padded`](Self::open_padded) at the level `isa`.
    ///
    /// # Errors
    /// Also [`CipherError::Isa`] where the level is not available.
    pub fn open_padded_with(
        &self,
        isa: Isa,
        iv: &[u8; 16],
        aad: &[u8],
        data: &mut Vec<u8>,
        tag: &[u8],
    ) -> Result<(), CipherError> {
        let length = self.open_padded_in_place_with(isa, iv, aad, data, tag)?;
        data.truncate(length);
        Ok(())
    }

    /// [`open_padded`](Self::open_padded) in place; returns the number of bytes before the padding.
    ///
    /// # Errors
    /// As for [`open_padded`](Self::open_padded).
    pub fn open_padded_in_place(
        &self,
        iv: &[u8; 16],
        aad: &[u8],
        data: &mut [u8],
        tag: &[u8],
    ) -> Result<usize, CipherError> {
        self.open_padded_in_place_with(Isa::best(), iv, aad, data, tag)
    }

    /// [`open_padded_in_place`](Self::open_padded_in_place) at the level `isa`.
    ///
    /// # Errors
    /// Also [`CipherError::Isa`] where the level is not available.
    pub fn open_padded_in_place_with(
        &self,
        isa: Isa,
        iv: &[u8; 16],
        aad: &[u8],
        data: &mut [u8],
        tag: &[u8],
    ) -> Result<usize, CipherError> {
        self.open_in_place_with(isa, iv, aad, data, tag)?;
        if let Some(length) = padding::unpadded(data) {
            return Ok(length);
        }
        // Sealed by somebody with the keys, but not padded. It was left decrypted nowhere else, so not here.
        let sealed = self.seal_in_place_with(isa, iv, aad, data);
        Err(sealed.err().unwrap_or(CipherError::Rejected))
    }
}

/// Refuses data that does not consist of whole blocks.
pub fn whole(length: usize) -> Result<(), CipherError> {
    if length.is_multiple_of(16) { Ok(()) } else { Err(CipherError::Length { length }) }
}
