//! Dependences of the loop as written, and what they allow.

use super::Traced;
use crate::model::{AccessFacts, DependenceFacts};

/// What is known of the dependences that a loop carries; `access` are its operands as written.
pub(super) fn dependence(_traced: &Traced, _access: &[AccessFacts]) -> Option<DependenceFacts> {
    None
}
