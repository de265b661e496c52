//! Compilers' messages: those of recorded runs, of hostile files and of compilers that are asked again.

mod examples;
mod goldens;
mod hostile;
#[path = "../installed/mod.rs"]
mod installed;
mod reask;
