//! Hashes: whole messages here, messages in pieces and jobs in files of their own.

mod context;
mod scheduler;

use crate::isa::level;
use crate::memory::{bytes, disjoint_all, elements, output};
use crate::status::lw_status::{LW_ERROR_LENGTH, LW_ERROR_VALUE};
use crate::status::{Failure, lw_status, run, value};
use kernels::Isa;
use kernels::hash::{self, Algorithm, Context, HashError, Md5, Sha1, Sha256, Sha512};
use std::ffi::c_void;

/// A hash function. MD5 and SHA-1 are broken against whoever wants two messages with one digest.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lw_hash_algorithm {
    /// RFC 1321; digests of 16 bytes.
    LW_MD5 = 0,
    /// FIPS 180-4; digests of 20 bytes.
    LW_SHA1 = 1,
    /// FIPS 180-4; digests of 32 bytes.
    LW_SHA256 = 2,
    /// FIPS 180-4; digests of 64 bytes.
    LW_SHA512 = 3,
}

use lw_hash_algorithm::*;

/// A message for lw_hash_many(): length bytes at data, of any alignment.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lw_hash_message {
    /// The bytes; may be null when there are none.
    pub data: *const c_void,
    /// How many.
    pub length: usize,
}

impl From<HashError> for Failure {
    fn from(error: HashError) -> Failure {
        match error {
            HashError::Isa(error) => error.into(),
            HashError::Count { .. } => Failure::new(LW_ERROR_LENGTH, error.to_string()),
            _ => Failure::new(LW_ERROR_VALUE, error.to_string()),
        }
    }
}

/// A hash function as a type, and what holds a context of whichever.
trait Known: Algorithm {
    const NUMBER: lw_hash_algorithm;
    fn wrap(context: Context<Self>) -> AnyContext;
    fn unwrap(context: AnyContext) -> Option<Context<Self>>;
}

macro_rules! known {
    ($($number:ident $algorithm:ident,)*) => {
        /// A context of whichever hash function.
        #[derive(Clone)]
        enum AnyContext {
            $($algorithm(Context<$algorithm>),)*
        }

        $(impl Known for $algorithm {
            const NUMBER: lw_hash_algorithm = $number;

            fn wrap(context: Context<Self>) -> AnyContext {
                AnyContext::$algorithm(context)
            }

            fn unwrap(context: AnyContext) -> Option<Context<Self>> {
                match context {
                    AnyContext::$algorithm(context) => Some(context),
                    _ => None,
                }
            }
        })*

        impl AnyContext {
            fn update(&mut self, piece: &[u8]) {
                match self {
                    $(AnyContext::$algorithm(context) => context.update(piece),)*
                }
            }

            /// Writes the digest to as many bytes.
            fn digest(&self, place: &mut [u8]) {
                match self {
                    $(AnyContext::$algorithm(context) => {
                        place.copy_from_slice(context.clone().finish().as_ref());
                    })*
                }
            }
        }

        /// The hash function of a number: C programs can pass any.
        fn algorithm(number: u32) -> Result<lw_hash_algorithm, Failure> {
            [$($number),*].into_iter().find(|known| *known as u32 == number).ok_or_else(|| {
                let text = format!("{number} is no hash function; use LW_MD5, LW_SHA1, LW_SHA256 or LW_SHA512");
                Failure::new(LW_ERROR_VALUE, text)
            })
        }

        const fn digest_bytes(algorithm: lw_hash_algorithm) -> usize {
            match algorithm {
                $($number => <$algorithm as Algorithm>::DIGEST,)*
            }
        }
    };
}

known! {
    LW_MD5 Md5,
    LW_SHA1 Sha1,
    LW_SHA256 Sha256,
    LW_SHA512 Sha512,
}

/// Runs an expression with the type of a hash function.
macro_rules! with_type {
    ($algorithm:expr, $name:ident => $value:expr) => {
        match $algorithm {
            LW_MD5 => {
                type $name = Md5;
                $value
            }
            LW_SHA1 => {
                type $name = Sha1;
                $value
            }
            LW_SHA256 => {
                type $name = Sha256;
                $value
            }
            LW_SHA512 => {
                type $name = Sha512;
                $value
            }
        }
    };
}
use with_type;

/// # Safety
/// As the header says.
unsafe fn one(
    isa: Isa,
    algorithm: lw_hash_algorithm,
    (data, length): (*const c_void, usize),
    (digest, digest_bytes): (*mut u8, usize),
) -> Result<(), Failure> {
    // SAFETY: the caller's promise.
    let message = unsafe { bytes(data, length)? };
    disjoint_all("digest", &[(digest.addr(), digest_bytes)], &[(data.addr(), length)])?;
    // SAFETY: the caller's promise; no byte of it is the message's.
    let place = unsafe { output(digest, digest_bytes, self::digest_bytes(algorithm), "digest")? };
    with_type!(algorithm, A => place.copy_from_slice(hash::hash_with::<A>(isa, message)?.as_ref()));
    Ok(())
}

/// # Safety
/// As the header says.
unsafe fn many(
    isa: Isa,
    algorithm: lw_hash_algorithm,
    (messages, count): (*const lw_hash_message, usize),
    (digests, digests_bytes): (*mut u8, usize),
) -> Result<(), Failure> {
    // SAFETY: the caller's promise.
    let given = unsafe { elements(messages, count, "messages")? };
    // SAFETY: the caller's promise.
    let read = given.iter().map(|message| unsafe { bytes(message.data, message.length) });
    let messages: Vec<&[u8]> = read.collect::<Result<_, _>>()?;
    let mut reads: Vec<_> = messages.iter().map(|message| (message.as_ptr().addr(), message.len())).collect();
    reads.push((given.as_ptr().addr(), size_of_val(given)));
    disjoint_all("digests", &[(digests.addr(), digests_bytes)], &reads)?;
    let size = digest_bytes(algorithm);
    // SAFETY: the caller's promise; no byte of it is the messages'.
    let place = unsafe { output(digests, digests_bytes, count.saturating_mul(size), "digests")? };
    with_type!(algorithm, A => {
        let mut found = vec![<A as Algorithm>::Digest::default(); count];
        hash::hash_many_with::<A>(isa, &messages, &mut found)?;
        for (place, digest) in place.chunks_exact_mut(size).zip(&found) {
            place.copy_from_slice(digest.as_ref());
        }
    });
    Ok(())
}

/// Bytes of a digest: 16, 20, 32 or 64; 0 for a number that is no lw_hash_algorithm.
#[unsafe(no_mangle)]
pub extern "C" fn lw_hash_digest_bytes(algorithm: u32) -> usize {
    value(0, || Ok(digest_bytes(self::algorithm(algorithm)?)))
}

/// The digest of length bytes at data, of any alignment, by an lw_hash_algorithm, is written to digest. digest_bytes is its size,
/// that of lw_hash_digest_bytes(), else LW_ERROR_LENGTH. The two have no byte in common, else LW_ERROR_OVERLAP.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash(
    algorithm: u32,
    data: *const c_void,
    length: usize,
    digest: *mut u8,
    digest_bytes: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { one(Isa::best(), self::algorithm(algorithm)?, (data, length), (digest, digest_bytes)) })
}

/// lw_hash() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_with(
    isa: u32,
    algorithm: u32,
    data: *const c_void,
    length: usize,
    digest: *mut u8,
    digest_bytes: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe { one(level(isa)?, self::algorithm(algorithm)?, (data, length), (digest, digest_bytes)) })
}

/// The digests of count messages of any lengths, several at a time: those of messages[0], messages[1] .. one after the other are
/// written to digests, which has digests_bytes bytes, count times lw_hash_digest_bytes(), else LW_ERROR_LENGTH. Messages may
/// overlap each other, but not digests, else LW_ERROR_OVERLAP.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_many(
    algorithm: u32,
    messages: *const lw_hash_message,
    count: usize,
    digests: *mut u8,
    digests_bytes: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe {
        many(Isa::best(), self::algorithm(algorithm)?, (messages, count), (digests, digests_bytes))
    })
}

/// lw_hash_many() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_many_with(
    isa: u32,
    algorithm: u32,
    messages: *const lw_hash_message,
    count: usize,
    digests: *mut u8,
    digests_bytes: usize,
) -> lw_status {
    // SAFETY: the caller passes memory as the header says.
    run(|| unsafe {
        many(level(isa)?, self::algorithm(algorithm)?, (messages, count), (digests, digests_bytes))
    })
}
