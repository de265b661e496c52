//! The repository holds to its own rules.

mod architecture;
mod circles;
mod dependencies;
mod documents;
mod english;
