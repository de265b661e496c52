//! Messages to be sealed or opened together, and tags.

use super::pair::CbcHmac;
use std::fmt;
use std::ops::Deref;

/// A message for [`CbcHmac::seal_many`].
pub struct Message<'m, C, M> {
    pub(super) keys: &'m CbcHmac<C, M>,
    pub(super) iv: [u8; 16],
    pub(super) aad: &'m [u8],
    pub(super) data: &'m mut [u8],
    pub(super) tag: Option<Tag>,
}

impl<'m, C, M> Message<'m, C, M> {
    /// A message with its keys; `data` is encrypted in place.
    pub fn new(keys: &'m CbcHmac<C, M>, iv: &[u8; 16], aad: &'m [u8], data: &'m mut [u8]) -> Self {
        Message { keys, iv: *iv, aad, data, tag: None }
    }

    /// The data: the ciphertext once the message is sealed.
    pub fn data(&self) -> &[u8] {
        self.data
    }

    /// The tag, once the message is sealed.
    pub fn tag(&self) -> Option<&Tag> {
        self.tag.as_ref()
    }
}

impl<C, M> fmt::Debug for Message<'_, C, M> {
    /// Without the data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("bytes", &self.data.len())
            .field("tag", &self.tag)
            .finish_non_exhaustive()
    }
}

/// A message for [`CbcHmac::open_many`].
pub struct Received<'m, C, M> {
    pub(super) keys: &'m CbcHmac<C, M>,
    pub(super) iv: [u8; 16],
    pub(super) aad: &'m [u8],
    pub(super) data: &'m mut [u8],
    pub(super) tag: &'m [u8],
    pub(super) open: bool,
}

impl<'m, C, M> Received<'m, C, M> {
    /// A message with its keys and the tag that came with it; `data` is decrypted in place.
    pub fn new(
        keys: &'m CbcHmac<C, M>,
        iv: &[u8; 16],
        aad: &'m [u8],
        data: &'m mut [u8],
        tag: &'m [u8],
    ) -> Self {
        Received { keys, iv: *iv, aad, data, tag, open: false }
    }

    /// Whether the message has been verified and decrypted.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The data, once the message is open.
    pub fn data(&self) -> Option<&[u8]> {
        self.open.then_some(&*self.data)
    }
}

impl<C, M> fmt::Debug for Received<'_, C, M> {
    /// Without the data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Received")
            .field("bytes", &self.data.len())
            .field("is_open", &self.open)
            .finish_non_exhaustive()
    }
}

/// A message's tag: a slice of bytes, to be sent along. To verify one, open the message: comparing tags with `==` is not
/// done in constant time, so it is not offered.
#[derive(Clone, Copy)]
pub struct Tag {
    bytes: [u8; 32],
    len: usize,
}

impl Tag {
    pub(super) fn new(bytes: [u8; 32], len: usize) -> Tag {
        Tag { bytes, len }
    }
}

impl Deref for Tag {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl AsRef<[u8]> for Tag {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tag(")?;
        self.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        write!(f, ")")
    }
}
