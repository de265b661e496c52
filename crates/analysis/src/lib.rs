#![forbid(unsafe_code)]
//! Joins facts into loops: self and total time, groups of pieces, efficiency, comparison.

pub mod model;
