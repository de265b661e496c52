//! Sealing and opening many messages side by side.

use super::job::{self, Job};
use super::message::{Message, Received, Tag};
use super::pair::{CbcHmac, Cipher, Mac, whole};
use super::{CipherError, dispatch};
use crate::isa::Isa;

impl<C: Cipher, M: Mac> CbcHmac<C, M> {
    /// Encrypts the data of all `messages` in place, side by side, each with its own keys, and leaves each its tag
    /// ([`Message::tag`]).
    ///
    /// # Errors
    /// [`CipherError::Length`] where one's data is not a multiple of 16 bytes; all are as before then.
    pub fn seal_many(messages: &mut [Message<'_, C, M>]) -> Result<(), CipherError> {
        Self::seal_many_with(Isa::best(), messages)
    }

    /// [`seal_many`](Self::seal_many) at the level `isa`.
    ///
    /// # Errors
    /// Also [`CipherError::Isa`] where the level is not available.
    pub fn seal_many_with(isa: Isa, messages: &mut [Message<'_, C, M>]) -> Result<(), CipherError> {
        isa.require()?;
        messages.iter().try_for_each(|message| whole(message.data.len()))?;
        let mut jobs: Vec<Job> = messages
            .iter_mut()
            .map(|message| {
                message.tag = None;
                Job::seal(&message.keys.keys, &message.iv, message.aad, message.data)
            })
            .collect();
        job::finish(dispatch::engines(isa, M::HASH), &mut jobs, &mut Vec::new());
        let tags: Vec<[u8; 32]> = jobs.iter().map(Job::tag).collect();
        drop(jobs);
        for (message, tag) in messages.iter_mut().zip(tags) {
            message.tag = Some(Tag::new(tag, message.keys.keys.tag_bytes));
        }
        Ok(())
    }

    /// Verifies the tags of all `messages`, side by side, each with its own keys, and decrypts in place those whose tags
    /// are right ([`Received::is_open`]). What is rejected is left as it is, encrypted; the others are opened nevertheless.
    ///
    /// # Errors
    /// [`CipherError::Rejected`] where any of them is.
    pub fn open_many(messages: &mut [Received<'_, C, M>]) -> Result<(), CipherError> {
        Self::open_many_with(Isa::best(), messages)
    }

    /// [`open_many`](Self::open_many) at the level `isa`.
    ///
    /// # Errors
    /// Also [`CipherError::Isa`] where the level is not available; all are as before then.
    pub fn open_many_with(isa: Isa, messages: &mut [Received<'_, C, M>]) -> Result<(), CipherError> {
        isa.require()?;
        // One that was opened before is no ciphertext any more, and is rejected like anything that was not sealed.
        // Lengths are no secret: whoever sees the messages knows them.
        let possible = |message: &Received<'_, C, M>| {
            message.data.len().is_multiple_of(16) && message.tag.len() == message.keys.keys.tag_bytes
        };
        let mut jobs: Vec<Job> = messages
            .iter()
            .filter(|message| possible(message))
            .map(|message| Job::verify(&message.keys.keys, &message.iv, message.aad, message.data))
            .collect();
        job::finish(dispatch::engines(isa, M::HASH), &mut jobs, &mut Vec::new());
        let expected: Vec<[u8; 32]> = jobs.iter().map(Job::tag).collect();
        drop(jobs);
        let mut expected = expected.into_iter();
        let mut all = true;
        for message in messages {
            message.open = possible(message)
                && expected.next().is_some_and(|expected| message.keys.is_tag(expected, message.tag));
            all &= message.open;
            if message.open {
                let blocks = message.data.as_chunks_mut().0;
                dispatch::decrypt(isa, &message.keys.keys, &message.iv, blocks);
            }
        }
        if all { Ok(()) } else { Err(CipherError::Rejected) }
    }
}
