//! What tracing runs say of each loop as written: accesses, dependences, caches, sharing.

#[allow(dead_code, reason = "accesses ask for it")]
mod expression;
