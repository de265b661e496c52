#![forbid(unsafe_code)]
//! One stored body of results: the schema, the SQLite store, snapshots and merging of ranks.
//!
//! Facts go in as the collectors deliver them and come out unchanged; nothing derived is stored, so a
//! better rule improves old experiments. What must outlive the binary (its loops, its listing, its
//! sources) is stored as facts too.

mod code;
mod columns;
mod costs;
mod counts;
mod error;
mod parts;
mod patterns;
mod runs;
mod schema;
mod snapshots;

pub use code::{CodeModule, Listing, ReadModules, StoredFunction};
pub use costs::{Cost, Phase};
pub use error::Error;
pub use parts::{Parts, part_path};
pub use runs::{RunId, RunSummary};
pub use schema::Experiment;
pub use snapshots::{Snapshot, State};
