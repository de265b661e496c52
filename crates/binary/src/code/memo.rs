//! Results about functions of a binary, kept while other functions are analysed.
//!
//! Hundreds of callers ask whether the same few functions return and what they do to registers. The answers
//! depend on the binary alone, so that it does not matter who asks first.

use super::step::Places;
use rustc_hash::FxHashMap as HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Answers about called functions, kept with their binary.
#[derive(Debug, Default)]
pub struct Memo {
    /// Which calls return.
    pub(crate) returns: Returns,
    /// What functions do to registers, by entry address.
    effects: Mutex<HashMap<u64, Effect>>,
}

impl Memo {
    /// What the function at `address` does to registers; `find` computes it where it is not known yet.
    pub(crate) fn effect(&self, address: u64, find: impl FnOnce() -> Effect) -> Effect {
        let known = || self.effects.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&found) = known().get(&address) {
            return found;
        }
        // Not under the lock: another thread may compute the same result meanwhile.
        let found = find();
        known().insert(address, found);
        found
    }
}

/// What one call does to registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Registers whose value the called function uses.
    pub reads: Places,
    /// Registers whose value it may use, as far as is known.
    pub may_read: Places,
    /// Registers that may hold another value afterwards.
    pub writes: Places,
}

/// How deep calls within callees are followed. The answer for a callee depends on nothing else, so that
/// it is the same in whatever order, and on however many threads, functions are analysed.
pub(super) const DEPTH: usize = 2;

/// Keeps what is known of callees; all threads that analyse functions of one file may share it.
#[derive(Debug, Default)]
pub struct Returns {
    known: Mutex<HashMap<u64, Callee>>,
}

/// What is known of one callee.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    /// Whether it returns, by the depth to which calls are followed.
    pub(super) answers: [Option<bool>; DEPTH + 1],
    /// Calls that are passed on the way out if all calls return.
    pub(super) passed: Arc<[Call]>,
}

/// A call, as far as it can be followed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Call {
    /// Of the function at this address.
    Direct(u64),
    /// Of the function whose address is stored here: `call [rip + got]`, as of `-fno-plt`.
    Through(u64),
}

impl Returns {
    /// What is known, for as long as the guard lives.
    pub(super) fn locked(&self) -> MutexGuard<'_, HashMap<u64, Callee>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
