//! Messages that come one by one, whole or in pieces.

use super::context::{Message, lw_hash_context};
use super::{Known, algorithm, lw_hash_algorithm, with_type};
use crate::isa::level;
use crate::memory::{bytes, object, put};
use crate::status::lw_status::LW_ERROR_VALUE;
use crate::status::{Failure, lock, lw_status, run, value};
use kernels::Isa;
use kernels::hash::{Done, Md5, Outcome, Scheduler, Sha1, Sha256, Sha512};
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

use lw_hash_algorithm::*;

/// Hashes messages, whole or in pieces, as they are submitted, several at a time. Made by lw_hash_scheduler_new(), given back by
/// lw_hash_scheduler_free(). Data of a job is to stay valid and unchanged until lw_hash_scheduler_completed() has handed
/// the job out, or the scheduler is freed. Calls on several threads wait for each other.
pub struct lw_hash_scheduler(Mutex<Box<dyn Jobs>>);

/// The outcome of a job.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum lw_hash_outcome {
    /// No job is done.
    LW_HASH_NONE = 0,
    /// A piece is hashed: its context can be used again.
    LW_HASH_PIECE = 1,
    /// A message is finished: its digest is there.
    LW_HASH_DIGEST = 2,
}

/// A job that is done.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lw_hash_job {
    /// The tag it was submitted with.
    pub tag: u64,
    /// An lw_hash_outcome.
    pub outcome: u32,
    /// Bytes of the digest; 0 where there is none.
    pub digest_bytes: u32,
    /// The digest in the first bytes, zeros in the others.
    pub digest: [u8; 64],
}

/// A caller's tag, and where the context goes when its piece is done.
struct Tag {
    tag: u64,
    message: Option<Arc<Mutex<Message>>>,
}

/// A scheduler of whichever hash function.
trait Jobs: Send {
    fn submit(&mut self, tag: u64, message: &'static [u8]);
    fn piece(
        &mut self,
        tag: u64,
        context: &lw_hash_context,
        piece: &'static [u8],
        last: bool,
    ) -> Result<(), Failure>;
    fn flush(&mut self);
    fn pending(&self) -> usize;
    fn completed(&mut self) -> Result<lw_hash_job, Failure>;
}

impl<A: Known> Jobs for Scheduler<'static, A, Tag> {
    fn submit(&mut self, tag: u64, message: &'static [u8]) {
        Scheduler::submit(self, Tag { tag, message: None }, message);
    }

    fn piece(
        &mut self,
        tag: u64,
        context: &lw_hash_context,
        piece: &'static [u8],
        last: bool,
    ) -> Result<(), Failure> {
        if context.algorithm != A::NUMBER {
            let text = "the context is of another hash function than the scheduler; use one of its own";
            return Err(Failure::new(LW_ERROR_VALUE, text));
        }
        let taken = lock(&context.message)?.take(last)?;
        // It is of this function, as the number says.
        let Some(taken) = A::unwrap(taken) else { return Ok(()) };
        match last {
            true => self.finish(Tag { tag, message: None }, taken, piece),
            false => self.update(Tag { tag, message: Some(context.message.clone()) }, taken, piece),
        }
        Ok(())
    }

    fn flush(&mut self) {
        Scheduler::flush(self);
    }

    fn pending(&self) -> usize {
        Scheduler::pending(self)
    }

    fn completed(&mut self) -> Result<lw_hash_job, Failure> {
        let outcome = lw_hash_outcome::LW_HASH_NONE as u32;
        let mut job = lw_hash_job { tag: 0, outcome, digest_bytes: 0, digest: [0; 64] };
        let Some(Done { tag: Tag { tag, message }, outcome }) = Scheduler::completed(self) else {
            return Ok(job);
        };
        job.tag = tag;
        let outcome = match outcome {
            Outcome::Hashed(context) => {
                if let Some(message) = message {
                    *lock(&message)? = Message::Here(A::wrap(context));
                }
                lw_hash_outcome::LW_HASH_PIECE
            }
            Outcome::Finished(digest) => {
                let digest = digest.as_ref();
                job.digest[..digest.len()].copy_from_slice(digest);
                job.digest_bytes = digest.len() as u32;
                lw_hash_outcome::LW_HASH_DIGEST
            }
        };
        job.outcome = outcome as u32;
        Ok(job)
    }
}

fn boxed(isa: Isa, algorithm: lw_hash_algorithm) -> Result<*mut lw_hash_scheduler, Failure> {
    let jobs: Box<dyn Jobs> =
        with_type!(algorithm, A => Box::new(Scheduler::<'static, A, Tag>::new_with(isa)?));
    Ok(Box::into_raw(Box::new(lw_hash_scheduler(Mutex::new(jobs)))))
}

/// A scheduler without jobs, for an lw_hash_algorithm, is written to scheduler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_scheduler_new(
    algorithm: u32,
    scheduler: *mut *mut lw_hash_scheduler,
) -> lw_status {
    // SAFETY: the caller passes a place for the scheduler, or null.
    run(|| unsafe { put(scheduler, "scheduler", || boxed(Isa::best(), self::algorithm(algorithm)?)) })
}

/// lw_hash_scheduler_new() with the code of one level.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_scheduler_new_with(
    isa: u32,
    algorithm: u32,
    scheduler: *mut *mut lw_hash_scheduler,
) -> lw_status {
    // SAFETY: the caller passes a place for the scheduler, or null.
    run(|| unsafe { put(scheduler, "scheduler", || boxed(level(isa)?, self::algorithm(algorithm)?)) })
}

/// Submits a whole message, length bytes at data, of any alignment. Work is done at once, or left until more jobs are there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_scheduler_submit(
    scheduler: *mut lw_hash_scheduler,
    tag: u64,
    data: *const c_void,
    length: usize,
) -> lw_status {
    run(|| {
        // SAFETY: the caller passes a scheduler, and memory that lives on as the header says.
        let (scheduler, message) = unsafe { (object(scheduler, "scheduler")?, bytes(data, length)?) };
        lock(&scheduler.0)?.submit(tag, message);
        Ok(())
    })
}

/// Submits a piece of a message that goes on. Until its job is handed out as LW_HASH_PIECE the context cannot be used
/// (LW_ERROR_STATE), only freed. LW_ERROR_VALUE when it is of another hash function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_scheduler_update(
    scheduler: *mut lw_hash_scheduler,
    tag: u64,
    context: *mut lw_hash_context,
    data: *const c_void,
    length: usize,
) -> lw_status {
    run(|| {
        // SAFETY: the caller passes both objects, and memory that lives on as the header says.
        let (scheduler, context, piece) =
            unsafe { (object(scheduler, "scheduler")?, object(context, "context")?, bytes(data, length)?) };
        lock(&scheduler.0)?.piece(tag, context, piece, false)
    })
}

/// Submits the last piece of a message; it may be empty. The context can be freed, or begin another message by
/// lw_hash_context_reset(), at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_scheduler_finish(
    scheduler: *mut lw_hash_scheduler,
    tag: u64,
    context: *mut lw_hash_context,
    data: *const c_void,
    length: usize,
) -> lw_status {
    run(|| {
        // SAFETY: the caller passes both objects, and memory that lives on as the header says.
        let (scheduler, context, piece) =
            unsafe { (object(scheduler, "scheduler")?, object(context, "context")?, bytes(data, length)?) };
        lock(&scheduler.0)?.piece(tag, context, piece, true)
    })
}

/// Does all that was submitted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_scheduler_flush(scheduler: *mut lw_hash_scheduler) -> lw_status {
    run(|| {
        // SAFETY: the caller passes a scheduler, or null.
        lock(&unsafe { object(scheduler, "scheduler") }?.0)?.flush();
        Ok(())
    })
}

/// Jobs that are not done; 0 of null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_scheduler_pending(scheduler: *const lw_hash_scheduler) -> usize {
    value(0, || {
        // SAFETY: the caller passes a scheduler, or null.
        Ok(lock(&unsafe { object(scheduler, "scheduler") }?.0)?.pending())
    })
}

/// Hands out a job that is done, in the order in which they were: it is written to job. When none is, its outcome is
/// LW_HASH_NONE; lw_hash_scheduler_flush() gets the others done.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_scheduler_completed(
    scheduler: *mut lw_hash_scheduler,
    job: *mut lw_hash_job,
) -> lw_status {
    // SAFETY: the caller passes a scheduler, and a place for the job.
    run(|| unsafe { put(job, "job", || lock(&object(scheduler, "scheduler")?.0)?.completed()) })
}

/// Takes back a scheduler and gives back its memory. Jobs that are not handed out are lost; their contexts can only be
/// freed. Null is nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lw_hash_scheduler_free(scheduler: *mut lw_hash_scheduler) {
    if !scheduler.is_null() {
        run(|| {
            // SAFETY: the caller passes what a function made, once.
            drop(unsafe { Box::from_raw(scheduler) });
            Ok(())
        });
    }
}
