#![forbid(unsafe_code)]
//! Compiler reports: parsing, the table of reasons, and collecting them during a build.
//!
//! This crate does not know binaries or samples: it delivers remarks at source positions.
//!
//! - [`parse`] reads reports (GCC, clang/rustc, Intel), [`condense`] removes repetition and puts the best reason first,
//!   [`reasons`] is the table that explains it in plain words.
//! - [`build`] collects reports while a project builds, [`reask`] asks the compiler again about given sources; both use
//!   [`command`], which parses compiler command lines, and [`compiler`], which finds compilers.
//! - [`index`] finds remarks by source position.

pub mod ask;
pub mod build;
pub mod command;
pub mod compiler;
pub mod condense;
pub mod explain;
pub mod index;
pub mod parse;
pub mod reask;
pub mod reasons;
pub mod remark;
pub mod warning;
