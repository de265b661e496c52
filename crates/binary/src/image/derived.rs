//! Results of other crates about a whole file, kept with it: several collectors ask about the same libraries.

use super::Image;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// One value of each type.
#[derive(Default)]
pub(super) struct Derived(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Image {
    /// The result of this type; `find` computes it at the first request. Two threads that ask at the same
    /// time may both compute it; both get the same one.
    pub fn derived<T: Any + Send + Sync>(&self, find: impl FnOnce(&Self) -> T) -> Arc<T> {
        let facts = || self.derived.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |fact: &Arc<dyn Any + Send + Sync>| Arc::clone(fact).downcast::<T>().ok();
        if let Some(fact) = facts().get(&TypeId::of::<T>()).and_then(known) {
            return fact;
        }
        let found = Arc::new(find(self));
        let kept: Arc<dyn Any + Send + Sync> = Arc::clone(&found) as _;
        let fact = known(facts().entry(TypeId::of::<T>()).or_insert(kept));
        fact.unwrap_or(found)
    }
}
