//! Input and output of a process: what [`crate::listen::input_output`] found.

use crate::calls::{BINS, Called, HookedRun};
use serde::{Deserialize, Serialize};

pub use crate::hooks::files::functions::IoClass;

/// Calls of one function of input or output from one place: the outermost one. Their bytes are those that it was asked for and did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IoSite {
    /// The function, its place, calls, bytes and time.
    pub called: Called,
    /// What it is for.
    pub class: IoClass,
    /// Calls that returned an error.
    pub failed: u64,
    /// Transfers of the system that the calls made: of buffered output, those of whoever filled the buffer.
    pub transfers: u64,
    /// Bytes of these transfers.
    pub moved: u64,
}

/// What a file is known by.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FileName {
    /// Standard input.
    Input,
    /// Standard output.
    Output,
    /// Standard error.
    Error,
    /// The path that opened it.
    Path {
        /// As the program wrote it; its end, where it is cut.
        path: String,
        /// Its beginning is missing.
        cut: bool,
        /// It is relative to a folder that the program had opened.
        in_folder: bool,
    },
    /// Pipes, sockets, and what the process inherited.
    Unopened,
    /// All files that found no row in a thread's table.
    Others,
    /// The thread that opened it was not seen.
    #[default]
    Lost,
}

/// Transfers of the system to and from a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileUse {
    /// What it is.
    pub name: FileName,
    /// Times that it was opened.
    pub opens: u64,
    /// Reading system calls.
    pub reads: u64,
    /// Writing system calls.
    pub writes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Bytes of it that were mapped: what is moved through mappings is not seen.
    pub mapped_bytes: u64,
    /// Seconds in reading calls.
    pub read_seconds: f64,
    /// Seconds in writing calls.
    pub write_seconds: f64,
    /// Seconds in calls that open, close, seek and sync.
    pub other_seconds: f64,
    /// Of the longest reading or writing call.
    pub longest_seconds: f64,
    /// Moves of the position.
    pub seeks: u64,
    /// Calls that waited for the device.
    pub syncs: u64,
    /// Transfers that began where the one before had ended.
    pub consecutive: u64,
    /// That began behind it.
    pub forward: u64,
    /// That began before it.
    pub backward: u64,
    /// That began or ended inside of a page of 4096 bytes.
    pub unaligned: u64,
    /// Changes between reading and writing.
    pub switches: u64,
    /// Reading calls by bytes, as in [`Called::bins`].
    pub read_bins: [u64; BINS.len() + 1],
    /// Writing calls by bytes.
    pub write_bins: [u64; BINS.len() + 1],
}

impl FileUse {
    /// Adds what another thread or process did to the same file.
    pub fn join(&mut self, other: &Self) {
        for (sum, n) in [
            (&mut self.opens, other.opens),
            (&mut self.reads, other.reads),
            (&mut self.writes, other.writes),
            (&mut self.read_bytes, other.read_bytes),
            (&mut self.written_bytes, other.written_bytes),
            (&mut self.mapped_bytes, other.mapped_bytes),
            (&mut self.seeks, other.seeks),
            (&mut self.syncs, other.syncs),
            (&mut self.consecutive, other.consecutive),
            (&mut self.forward, other.forward),
            (&mut self.backward, other.backward),
            (&mut self.unaligned, other.unaligned),
            (&mut self.switches, other.switches),
        ] {
            *sum = sum.saturating_add(n);
        }
        self.read_seconds += other.read_seconds;
        self.write_seconds += other.write_seconds;
        self.other_seconds += other.other_seconds;
        self.longest_seconds = self.longest_seconds.max(other.longest_seconds);
        for (sums, bins) in [(&mut self.read_bins, other.read_bins), (&mut self.write_bins, other.write_bins)]
        {
            sums.iter_mut().zip(bins).for_each(|(sum, n)| *sum = sum.saturating_add(n));
        }
    }
}

/// What was seen and could not be counted where it belongs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LostTransfers {
    /// Calls from more places than a thread's table holds.
    pub calls: u64,
    /// Transfers to more files than a thread's table holds: they are counted in one row.
    pub files: u64,
    /// Calls that did not return: left by longjmp or an exception.
    pub torn: u64,
    /// Calls that a signal's handler made while the hooks were at work.
    pub nested: u64,
}

/// Input and output of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InputOutput {
    /// By place and function.
    pub sites: Vec<IoSite>,
    /// By file.
    pub files: Vec<FileUse>,
    /// What is missing in both.
    pub lost: LostTransfers,
    /// The run.
    pub run: HookedRun,
}
