//! What was found out about functions of a binary while others were analysed.
//!
//! Whether a called function returns, and what it does to registers, is asked of the same few functions by hundreds of
//! callers. The answers depend on the binary alone, so that it does not matter who asks first.

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
    /// What the function at `address` does to registers; `find` finds it where it is not known yet.
    pub(crate) fn effect(&self, address: u64, find: impl FnOnce() -> Effect) -> Effect {
        let known = || self.effects.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&found) = known().get(&address) {
            return found;
        }
        // Not under the lock: another thread may find the same meanwhile, which is the same.
        let found = find();
        known().insert(address, found);
        found
    }
}
