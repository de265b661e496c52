//! Generated programs in C: functions all of whose callers the compiler knows, in every kind of executable.

pub mod build;
pub mod compare;
pub mod source;
