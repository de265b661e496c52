//! Results about functions of a binary, kept while other functions are analysed.
//!
//! Hundreds of callers ask whether the same few functions return and what they do to registers. The answers
//! depend on the binary alone, so that it does not matter who asks first.

use super::callees::Effect;
use super::noreturn::Returns;
use rustc_hash::FxHashMap as HashMap;
use std::sync::{Mutex, PoisonError};

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
