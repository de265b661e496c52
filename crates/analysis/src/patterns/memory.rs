//! Memory that a loop touches, and what caches make of it.

use super::Traced;
use crate::model::{AccessFacts, MemoryFacts};

/// Footprint, caches, reuse of a loop; `access` are its operands as written.
pub(super) fn memory(_traced: &Traced, _access: &[AccessFacts]) -> Option<MemoryFacts> {
    None
}
