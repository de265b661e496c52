//! The comparison of two states as the page shows it.
