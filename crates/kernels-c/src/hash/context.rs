//! A message in pieces.

use super::{AnyContext, Known, algorithm, digest_bytes, lw_hash_algorithm, with_type};
use crate::isa::level;
use crate::memory::{bytes, disjoint_all, object, output, put};
use crate::status::lw_status::LW_ERROR_STATE;
use crate::status::{Failure, lock, lw_status, run};
use kernels::Isa;
use kernels::hash::{Context, Md5, Sha1, Sha256, Sha512};
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

use lw_hash_algorithm::*;

/// A message of which some pieces are hashed. Made by lw_hash_context_new(), given back by lw_hash_context_free(). Calls on several
/// threads wait for each other.
pub struct lw_hash_context {
    isa: Isa,
    pub(super) algorithm: lw_hash_algorithm,
    pub(super) message: Arc<Mutex<Message>>,
}

/// A context, and where it is. A scheduler holds the place, too: freeing the one does not harm the other.
#[expect(
    clippy::large_enum_variant,
    reason = "it is there but for the time of a job; a box would be made per piece"
)]
pub(super) enum Message {
    Here(AnyContext),
    Scheduled,
    Finished,
}

impl Message {
    /// Takes the context out of its place for a job.
    pub(super) fn take(&mut self, last: bool) -> Result<AnyContext, Failure> {
        self.context()?;
        let after = if last { Message::Finished } else { Message::Scheduled };
        match std::mem::replace(self, after) {
            Message::Here(context) => Ok(context),
            other => Err(other.absent()),
        }
    }

    fn context(&mut self) -> Result<&mut AnyContext, Failure> {
        match self {
            Message::Here(context) => Ok(context),
            other => Err(other.absent()),
        }
    }

    fn absent(&self) -> Failure {
        let text = match self {
            Message::Finished => "the message is finished; begin another with lw_hash_context_reset()",
            _ => {
                "a piece of the message is with a scheduler; go on when lw_hash_scheduler_completed() has handed \
                 its job out"
            }
        };
        Failure::new(LW_ERROR_STATE, text)
    }
}

fn begin(isa: Isa, algorithm: lw_hash_algorithm) -> Result<AnyContext, Failure> {
    Ok(with_type!(algorithm, A => A::wrap(Context::<A>::new_with(isa)?)))
}

fn boxed(isa: Isa, algorithm: lw_hash_algorithm, context: AnyContext) -> *mut lw_hash_context {
    let message = Arc::new(Mutex::new(Message::Here(context)));
    Box::into_raw(Box::new(lw_hash_context { isa, algorithm, message }))
}

/// An empty message for an lw_hash_algorithm is written to context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_context_new(
    algorithm: u32,
    context: *mut *mut lw_hash_context,
) -> lw_status {
    // SAFETY: the caller passes a place for the context, or null.
    run(|| unsafe {
        put(context, "context", || {
            let (isa, algorithm) = (Isa::best(), self::algorithm(algorithm)?);
            Ok(boxed(isa, algorithm, begin(isa, algorithm)?))
        })
    })
}

/// lw_hash_context_new() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_context_new_with(
    isa: u32,
    algorithm: u32,
    context: *mut *mut lw_hash_context,
) -> lw_status {
    // SAFETY: the caller passes a place for the context, or null.
    run(|| unsafe {
        put(context, "context", || {
            let (isa, algorithm) = (level(isa)?, self::algorithm(algorithm)?);
            Ok(boxed(isa, algorithm, begin(isa, algorithm)?))
        })
    })
}

/// Hashes a piece more of the message: length bytes at data, of any alignment. LW_ERROR_STATE while a piece is with a
/// scheduler, and when the message is finished.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_context_update(
    context: *mut lw_hash_context,
    data: *const c_void,
    length: usize,
) -> lw_status {
    run(|| {
        // SAFETY: the caller passes a context and memory as the header says.
        let (context, piece) = unsafe { (object(context, "context")?, bytes(data, length)?) };
        lock(&context.message)?.context()?.update(piece);
        Ok(())
    })
}

/// The digest of the message so far is written to digest, which has digest_bytes bytes, as many as lw_hash_digest_bytes() says,
/// else LW_ERROR_LENGTH. The message may go on. LW_ERROR_STATE as for lw_hash_context_update().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_context_digest(
    context: *const lw_hash_context,
    digest: *mut u8,
    digest_bytes: usize,
) -> lw_status {
    run(|| {
        // SAFETY: the caller passes a context, and a place as the header says.
        let context = unsafe { object(context, "context")? };
        let own = [(std::ptr::from_ref(context).addr(), size_of::<lw_hash_context>())];
        disjoint_all("digest", &[(digest.addr(), digest_bytes)], &own)?;
        // SAFETY: the caller passes a place as the header says; no byte of it is the context's.
        let place = unsafe { output(digest, digest_bytes, self::digest_bytes(context.algorithm), "digest")? };
        lock(&context.message)?.context()?.digest(place);
        Ok(())
    })
}

/// A message that begins with what context has so far is written to copy. LW_ERROR_STATE as for lw_hash_context_update().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_context_copy(
    context: *const lw_hash_context,
    copy: *mut *mut lw_hash_context,
) -> lw_status {
    // SAFETY: the caller passes a context, and a place for another.
    run(|| unsafe {
        put(copy, "copy", || {
            let context = object(context, "context")?;
            let state = lock(&context.message)?.context()?.clone();
            Ok(boxed(context.isa, context.algorithm, state))
        })
    })
}

/// Begins another message with the same algorithm and level. LW_ERROR_STATE while a piece is with a scheduler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_context_reset(context: *mut lw_hash_context) -> lw_status {
    run(|| {
        // SAFETY: the caller passes a context, or null.
        let context = unsafe { object(context, "context")? };
        let mut message = lock(&context.message)?;
        if let Message::Scheduled = *message {
            return Err(message.absent());
        }
        *message = Message::Here(begin(context.isa, context.algorithm)?);
        Ok(())
    })
}

/// Takes back a context and gives back its memory; a piece of it may be with a scheduler. Null is nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_context_free(context: *mut lw_hash_context) {
    if !context.is_null() {
        run(|| {
            // SAFETY: the caller passes what a function made, once.
            drop(unsafe { Box::from_raw(context) });
            Ok(())
        });
    }
}
