//! Text tables, JSON, CSV, SARIF, Parquet and the report page of an analysed experiment.
//!
//! Every function here is pure: values in, text out, for a width and a style that the caller passes in.
//! Nothing is computed that others could not compute from the same facts (that is the analysis' and the
//! rules' work), nothing is read or written. Names from binaries, reports and command lines are made
//! printable on their way into every text ([`names`]).
//!
//! - [`advice()`] is the one screen after a run; the other views are those of `loopwright show`.
//! - [`json`] and [`comma_separated`] are for programs; the first is a contract.
//! - [`fleet`] has tables for data frames; it writes to what the caller gives, since rows of ten thousand ranks are not all in memory.
//! - [`sarif()`] is for code hosts and editors.
//! - [`casebook`] shows worked optimisations and how the advice did on them.
//! - [`page`] is the document of `loopwright report` and the page that shows it.
#![forbid(unsafe_code)]

mod access_patterns;
mod advice;
mod assembly;
mod bottlenecks;
mod branches;
pub mod casebook;
mod columns;
mod comm;
pub mod comma_separated;
mod comparison;
#[cfg(test)]
mod contract;
mod dependence_words;
mod elapsed;
mod energy;
mod explanation;
mod fields;
mod findings;
#[cfg(test)]
mod fixture;
pub mod fleet;

mod glossary;
mod heap;
mod hotspots;
mod io;
mod job;
pub mod json;
mod line_remarks;
mod listing;
mod loop_counts;
mod loop_detail;
mod loop_words;
mod loopmarks;
mod loops;
mod machine;
mod memory_behaviour;
mod memory_operands;
pub mod names;
pub mod page;
mod phrases;
mod placement;
mod predictions;
mod prose;
mod quantity;
mod recommendations;
mod remark_table;
mod reproduction;
mod roofline;
mod roofline_chart;
mod sarif;
mod source;
mod source_text;
pub mod style;
mod threads;
mod top_down;
mod traced_pages;
mod tree;
mod trials;
mod trip_counts;
mod tuning;
mod value;
mod vocabulary;
mod warnings;

pub use advice::advice;
pub use assembly::assembly;
pub use bottlenecks::bottlenecks;
pub use comm::comm;
pub use comparison::comparison;
pub use energy::energy;
pub use explanation::{explain, reasons};
pub use findings::findings;
pub use glossary::{glossary, meaning};
pub use heap::heap;
pub use hotspots::{functions, modules};
pub use io::io;
pub use job::job;
pub use listing::{CodeView, SourceView};
pub use loop_detail::{UnknownLoop, loop_detail};
pub use loops::{LoopsOptions, loops};
pub use machine::machine;
pub use placement::placement;
pub use predictions::predictions;
pub use recommendations::recommendations;
pub use remark_table::remarks;
pub use reproduction::reproduction;
pub use roofline::{RooflineOptions, roofline};
pub use sarif::{SarifOptions, sarif};
pub use source::source;
pub use source_text::NoText;
pub use style::TerminalStyle;
pub use threads::threads;
pub use traced_pages::{TracedOptions, access_patterns, dependencies};
pub use tree::{TreeOptions, tree};
pub use trials::trials;
pub use trip_counts::{TripCountsOptions, trip_counts};
pub use tuning::{tuned_title, tuning};
