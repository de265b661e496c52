#![forbid(unsafe_code)]
//! One stored body of results: the schema, the SQLite store, snapshots and merging of ranks.
//!
//! [`describe`] asks binaries before they are rebuilt or removed. Facts go in as the collectors deliver them and come out unchanged; nothing derived is stored, so a
//! better rule improves old experiments. What must outlive the binary (its loops, its listing, its
//! sources) is stored as facts too.

mod access;
pub mod calls;
mod code;
mod columns;
pub mod communication;
mod costs;
mod counts;
pub mod describe;
pub mod energy;
mod error;
mod facts;
pub mod heap;
mod injected;
pub mod input_output;
mod parts;
mod patterns;
mod pieces;
mod remarks;
pub mod reproduction;
mod run;
mod schema;
mod snapshots;
mod sources;
mod survey;
mod top_down;
pub mod trials;
pub mod tuning;
mod wanted;

pub use code::{CodeModule, Listing, ReadModules, StoredFunction};
pub use costs::{Cost, Phase};
pub use error::Error;
pub use facts::Facts;
pub use parts::{Awaited, Awaiting, Delivered, Describing, Merged, MergedRank, Part, Parts, Turn, part_path};
pub use pieces::RunId;
pub use pieces::{Pieces, Stored};
pub use run::{Collected, MachineRecord, Run, RunSummary};
pub use schema::Experiment;
pub use snapshots::{Snapshot, State};
pub use wanted::Wanted;
