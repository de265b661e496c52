//! What was found out about functions of a binary while others were analysed.
//!
//! Whether a called function returns, and which registers it reads, is asked of the same few functions by hundreds of
//! callers. The answers depend on the binary alone, so that it does not matter who asks first.

use super::noreturn::Returns;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Answers about called functions, kept with their binary.
#[derive(Debug, Default)]
pub struct Memo {
    /// Which calls return.
    pub(crate) returns: Returns,
    /// Registers that functions read, by entry address.
    arguments: Mutex<HashMap<u64, u128>>,
}

impl Memo {
    /// The registers that the function at `address` reads; `find` finds them where they are not known yet.
    pub(crate) fn arguments(&self, address: u64, find: impl FnOnce() -> u128) -> u128 {
        let known = || self.arguments.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&found) = known().get(&address) {
            return found;
        }
        // Not under the lock: another thread may find the same meanwhile, which is the same.
        let found = find();
        known().insert(address, found);
        found
    }
}
