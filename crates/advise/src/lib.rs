#![forbid(unsafe_code)]
//! Rules of advice: facts in, recommendations with a predicted gain out.
//!
//! [`advise()`] runs every rule of [`rules::ALL`] over an analysed program and returns what fired, the
//! largest predicted program gain first, one for each loop and change; [`cards()`] makes of them what a reader wants to see: one for
//! each change. A rule is two files under `rules/`: a page of prose ([`page`]), which
//! `docs/rules.md` is generated from, and its metadata with a pure function from facts to an optional recommendation.
//! Predictions come from one model, [`gain`].
//!
//! This crate knows nothing of ELF, sampling or compilers' report formats: it reads the values of
//! `loopwright_analysis::model` only, does no input or output, and depends on no clock. Complaints
//! about the *measurement* (too few samples, unresolved time) belong to the analysis, not here.

pub mod advise;
mod again;
pub mod allocation;
mod call_tree;
pub mod cards;
pub mod cases;
pub mod chains;
pub mod changes;
mod composed;

pub mod counted;
pub mod divisions;
pub mod evidence;
pub mod facts;
#[cfg(test)]
mod fixtures;
pub mod gain;
#[cfg(test)]
mod golden;
pub mod handbook;
pub mod independence;
pub mod libraries;
pub mod nest;
pub mod page;
pub mod places;
pub mod predictions;
pub mod prelude;
pub mod producer;
pub mod purposes;
pub mod recommendation;
mod registers;
pub mod relief;
pub mod remedies;
pub mod rule;
pub mod rules;
pub mod threads;
pub mod traced;
pub mod traffic;
pub mod tried;
pub mod vectorising;

pub use advise::{Combined, advise, combined, only_offered, to_be_traced};
pub use cards::cards;
pub use evidence::{Evidence, Fact};
pub use loopwright_costs::Gain;
pub use places::Place;
pub use predictions::{Outcome, Prediction, Side, predictions};
pub use recommendation::{Change, Confidence, Flags, How, Recommendation, Setting};
pub use tried::Tried;
