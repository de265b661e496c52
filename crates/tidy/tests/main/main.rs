//! The repository holds to its own rules.

mod architecture;
mod dependencies;
mod documents;
