//! Where a thread's area has what the hooks write, in words of eight bytes from the first counter on. `build.rs` hands these
//! numbers to the compiler of `handler.c`, so that both sides have the same.

/// Bytes from a page of a thread's area to the next, of its first counter, and of its number; `areas.rs` has the same.
pub const LAYER: u64 = 8 * 4096;
pub const COUNTERS: u64 = 2 * LAYER;
pub const NUMBER: u64 = LAYER + 24;

/// The words before the tables.
pub mod word {
    /// Calls that are in progress, the outermost first.
    pub const DEPTH: u64 = 0;
    /// Rank of the process in `MPI_COMM_WORLD` plus 1; 0 before it is known.
    pub const RANK: u64 = 1;
    /// Ranks of `MPI_COMM_WORLD`.
    pub const SIZE: u64 = 2;
    /// The handler itself calls the library.
    pub const INSIDE: u64 = 3;
    /// Calls whose place found no row in the table of sites.
    pub const SITES_LOST: u64 = 4;
    /// Messages whose receiver found no row in the table of peers.
    pub const PEERS_LOST: u64 = 5;
    /// Starts of persistent requests whose buffer is not known.
    pub const STARTS_LOST: u64 = 6;
    /// Calls that ended without having begun, or whose end was not seen.
    pub const TORN: u64 = 7;
    /// Messages to a process outside of `MPI_COMM_WORLD`, or to one that cannot be found there.
    pub const FOREIGN: u64 = 8;
    /// First of the calls in progress.
    pub const FRAMES: u64 = 16;
}

/// Words of a call in progress.
pub mod frame {
    pub const STACK: u64 = 0;
    pub const FUNCTION: u64 = 1;
    pub const SITE: u64 = 2;
    pub const BEGIN: u64 = 3;
    /// Row of its site plus 1; 0 where none is counted.
    pub const ROW: u64 = 4;
    /// Where the handle of a persistent request will be.
    pub const HANDLE: u64 = 5;
    pub const BYTES: u64 = 6;
    pub const PEER: u64 = 7;
    pub const WORDS: u64 = 8;
    pub const MOST: u64 = 16;
}

/// Words of a row of the table of sites: a function called from one place.
pub mod site {
    /// Return address; 0 in a free row.
    pub const PLACE: u64 = 0;
    /// Number of the function plus 1.
    pub const FUNCTION: u64 = 1;
    pub const CALLS: u64 = 2;
    pub const BYTES: u64 = 3;
    pub const TICKS: u64 = 4;
    pub const LONGEST: u64 = 5;
    /// Ticks in the barrier before a collective call.
    pub const WAITING: u64 = 6;
    /// Calls whose bytes are not known.
    pub const UNKNOWN: u64 = 7;
    /// Calls by their bytes: the first of the bins.
    pub const BINS: u64 = 8;
    pub const WORDS: u64 = 16;
    /// A power of two.
    pub const ROWS: u64 = 512;
}

/// Words of a row of the table of receivers.
pub mod peer {
    /// Rank in `MPI_COMM_WORLD` plus 1; 0 in a free row.
    pub const RANK: u64 = 0;
    pub const MESSAGES: u64 = 1;
    pub const BYTES: u64 = 2;
    pub const WORDS: u64 = 4;
    /// A power of two.
    pub const ROWS: u64 = 2048;
}

/// Words of a row that keeps which rank of `MPI_COMM_WORLD` a rank of a communicator is.
pub mod known {
    pub const COMMUNICATOR: u64 = 0;
    /// Rank in the communicator plus 1.
    pub const RANK: u64 = 1;
    pub const WORLD: u64 = 2;
    /// Communicators that had been freed when this was asked.
    pub const FREED: u64 = 3;
    pub const WORDS: u64 = 4;
    /// A power of two.
    pub const ROWS: u64 = 128;
}

/// Words of a row of the table of persistent requests.
pub mod request {
    pub const HANDLE: u64 = 0;
    pub const BYTES: u64 = 1;
    /// Rank in `MPI_COMM_WORLD` plus 1; 0 for a receive, all ones where it is not known.
    pub const PEER: u64 = 2;
    pub const WORDS: u64 = 4;
    /// A power of two.
    pub const ROWS: u64 = 256;
}

/// Where each table begins.
pub mod table {
    /// Words of an area's page.
    pub const PAGE: u64 = 512;
    pub const SITES: u64 = PAGE;
    pub const PEERS: u64 = SITES + super::site::ROWS * super::site::WORDS;
    pub const KNOWN: u64 = PEERS + super::peer::ROWS * super::peer::WORDS;
    pub const REQUESTS: u64 = KNOWN + super::known::ROWS * super::known::WORDS;
    /// Words of everything.
    pub const END: u64 = REQUESTS + super::request::ROWS * super::request::WORDS;
}

/// Bytes from which on a message is in the next bin: the classes that CrayPAT's reports made usual.
pub const BINS: [u64; 5] = [16, 256, 4096, 65536, 1 << 20];
