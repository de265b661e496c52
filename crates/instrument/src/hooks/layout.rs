//! Where a thread's area has what the handlers write, in words of eight bytes from the first counter on. `build.rs` hands these
//! numbers to the compiler of the handlers, so that both sides have the same.

/// Bytes from a page of a thread's area to the next, of its first counter, and of its number; `areas.rs` has the same.
pub const LAYER: u64 = 8 * 4096;
pub const COUNTERS: u64 = 2 * LAYER;
pub const NUMBER: u64 = LAYER + 24;
/// Words of an area's page.
pub const PAGE: u64 = 512;

/// The words before the tables.
pub mod word {
    /// Calls that are in progress, the outermost first.
    pub const DEPTH: u64 = 0;
    /// The handler is at work, or calls a library itself.
    pub const INSIDE: u64 = 1;
    /// Calls whose place found no row in the table of sites.
    pub const SITES_LOST: u64 = 2;
    /// Calls that ended without having begun, or whose end was not seen.
    pub const TORN: u64 = 3;
    /// First of those that a family of functions has for itself.
    pub const OWN: u64 = 4;
    /// First of the calls in progress.
    pub const FRAMES: u64 = 16;
}

/// Words of a call in progress.
pub mod frame {
    pub const STACK: u64 = 0;
    /// The word that names it.
    pub const FUNCTION: u64 = 1;
    pub const SITE: u64 = 2;
    pub const BEGIN: u64 = 3;
    /// First of those that a family of functions has for itself.
    pub const OWN: u64 = 4;
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
    /// Calls whose bytes are not known.
    pub const UNKNOWN: u64 = 6;
    /// Calls by their bytes: the first of the bins.
    pub const BINS: u64 = 7;
    /// First of those that a family of functions has for itself.
    pub const OWN: u64 = 13;
    pub const WORDS: u64 = 16;
    /// A power of two.
    pub const ROWS: u64 = 512;
    /// Where the table begins.
    pub const TABLE: u64 = super::PAGE;
    /// Where it ends.
    pub const END: u64 = TABLE + ROWS * WORDS;
}

/// Bytes from which on a transfer is in the next bin: the classes that CrayPAT's reports made usual.
pub const BINS: [u64; 5] = [16, 256, 4096, 65536, 1 << 20];

/// The functions of MPI.
pub mod mpi {
    /// The words before the tables.
    pub mod word {
        use super::super::word::OWN;

        /// Rank of the process in `MPI_COMM_WORLD` plus 1; 0 before it is known.
        pub const RANK: u64 = OWN;
        /// Ranks of `MPI_COMM_WORLD`.
        pub const SIZE: u64 = OWN + 1;
        /// Messages whose receiver found no row in the table of peers.
        pub const PEERS_LOST: u64 = OWN + 2;
        /// Starts of persistent requests whose buffer is not known.
        pub const STARTS_LOST: u64 = OWN + 3;
        /// Messages to a process outside of `MPI_COMM_WORLD`, or to one that cannot be found there.
        pub const FOREIGN: u64 = OWN + 4;
    }

    /// Words of a call in progress.
    pub mod frame {
        use super::super::frame::OWN;

        /// Row of its site plus 1; 0 where none is counted.
        pub const ROW: u64 = OWN;
        /// Where the handle of a persistent request will be.
        pub const HANDLE: u64 = OWN + 1;
        pub const BYTES: u64 = OWN + 2;
        pub const PEER: u64 = OWN + 3;
    }

    /// Words of a row of the table of sites.
    pub mod site {
        /// Ticks in the barrier before a collective call.
        pub const WAITING: u64 = super::super::site::OWN;
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
        pub const TABLE: u64 = super::super::site::END;
        pub const END: u64 = TABLE + ROWS * WORDS;
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
        pub const TABLE: u64 = super::peer::END;
        pub const END: u64 = TABLE + ROWS * WORDS;
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
        pub const TABLE: u64 = super::known::END;
        pub const END: u64 = TABLE + ROWS * WORDS;
    }
}

/// The functions of input and output.
pub mod files {
    /// The words before the tables.
    pub mod word {
        use super::super::word::OWN;

        /// The process that the thread belongs to, as it sees itself; 0 before the first call.
        pub const PROCESS: u64 = OWN;
        /// Transfers whose file found no row of its own: they are in the first row.
        pub const FILES_LOST: u64 = OWN + 1;
        /// Calls that a signal's handler made while the hooks were at work: they are not counted.
        pub const NESTED: u64 = OWN + 2;
    }

    /// Words of a call in progress.
    pub mod frame {
        use super::super::frame::OWN;

        /// An argument that is needed at the end: a path, an offset, the size of an element.
        pub const FIRST: u64 = OWN;
        /// A descriptor.
        pub const DESCRIPTOR: u64 = OWN + 1;
        /// Transfers of the system that the call made.
        pub const TRANSFERS: u64 = OWN + 2;
        /// Their bytes.
        pub const MOVED: u64 = OWN + 3;
    }

    /// Words of a row of the table of sites.
    pub mod site {
        use super::super::site::OWN;

        /// Calls that returned an error.
        pub const FAILED: u64 = OWN;
        /// Transfers of the system.
        pub const TRANSFERS: u64 = OWN + 1;
        /// Their bytes.
        pub const MOVED: u64 = OWN + 2;
    }

    /// Words of a row of the table of files. The first row is that of all that find no other.
    pub mod file {
        /// Hash of the path, or what the descriptor is ([`super::unnamed`]); 0 in a free row.
        pub const KEY: u64 = 0;
        /// Bytes of the path; 0 where this thread did not open it.
        pub const LENGTH: u64 = 1;
        pub const OPENS: u64 = 2;
        pub const READS: u64 = 3;
        pub const WRITES: u64 = 4;
        pub const READ_BYTES: u64 = 5;
        pub const WRITTEN_BYTES: u64 = 6;
        pub const READ_TICKS: u64 = 7;
        pub const WRITE_TICKS: u64 = 8;
        /// Ticks in all other calls.
        pub const OTHER_TICKS: u64 = 9;
        pub const SEEKS: u64 = 10;
        pub const SYNCS: u64 = 11;
        pub const LONGEST: u64 = 12;
        /// Transfers that begin where the one before ended, behind it, and before it.
        pub const CONSECUTIVE: u64 = 13;
        pub const FORWARD: u64 = 14;
        pub const BACKWARD: u64 = 15;
        /// Transfers that begin or end inside of a page of 4096 bytes.
        pub const UNALIGNED: u64 = 16;
        /// Changes between reading and writing.
        pub const SWITCHES: u64 = 17;
        /// Bytes that were mapped.
        pub const MAPPED: u64 = 18;
        /// The path is relative to a folder that the program had opened.
        pub const IN_FOLDER: u64 = 19;
        pub const READ_BINS: u64 = 20;
        pub const WRITE_BINS: u64 = 26;
        /// The path, or its end.
        pub const PATH: u64 = 32;
        /// Bytes of the path that are kept.
        pub const KEPT: u64 = 256;
        pub const WORDS: u64 = 64;
        pub const ROWS: u64 = 512;
        pub const TABLE: u64 = super::super::site::END;
        pub const END: u64 = TABLE + ROWS * WORDS;
    }

    /// Keys of rows that have no path.
    pub mod unnamed {
        /// Files that found no row.
        pub const OTHERS: u64 = 1;
        /// Pipes, sockets, terminals, and what the process inherited.
        pub const UNOPENED: u64 = 2;
        /// Standard input, output and error.
        pub const STANDARD: u64 = 3;
        /// Keys above this one are hashes.
        pub const LAST: u64 = 15;
    }

    /// What the process knows of its descriptors, in words: a table that all its threads share.
    pub mod descriptor {
        /// Key of the file; 0 where it was not seen to be opened.
        pub const FILE: u64 = 0;
        /// Offset of the next transfer, as far as it is known.
        pub const POSITION: u64 = 1;
        /// Where the last transfer ended.
        pub const END: u64 = 2;
        /// [`APPENDS`], [`USED`], [`WROTE`].
        pub const STATE: u64 = 3;
        pub const APPENDS: u64 = 1;
        pub const USED: u64 = 2;
        pub const WROTE: u64 = 4;
        pub const WORDS: u64 = 4;
        /// Descriptors from here on are not known.
        pub const MOST: u64 = 4096;
    }
}

/// The functions of the heap.
pub mod heap {
    /// Bytes of allocations for which one is chosen as a sample: 512 KiB, as in tcmalloc's heap profiler.
    pub const INTERVAL: u64 = 512 << 10;

    /// The words before the tables.
    pub mod word {
        use super::super::word::OWN;

        /// Bytes until the next sample.
        pub const LEFT: u64 = OWN;
        /// State of the thread's random numbers.
        pub const RANDOM: u64 = OWN + 1;
        /// Most live bytes of the process that this thread saw.
        pub const PEAK: u64 = OWN + 2;
        /// Samples that found no room.
        pub const SAMPLES_LOST: u64 = OWN + 3;
    }

    /// Words of a call in progress.
    pub mod frame {
        use super::super::frame::OWN;

        /// Bytes that the allocation counts as; 0 where it is not chosen.
        pub const WEIGHT: u64 = OWN;
        /// The first argument: the allocation that is resized, or where the address will be.
        pub const POINTER: u64 = OWN + 1;
        /// Bytes that are asked for.
        pub const BYTES: u64 = OWN + 2;
    }

    /// Words of a row of the table of sites.
    pub mod site {
        use super::super::site::OWN;

        /// Bytes that chosen allocations count as.
        pub const SAMPLED: u64 = OWN;
        /// Of these, bytes that this thread freed.
        pub const FREED: u64 = OWN + 1;
        /// Most live bytes of the place that this thread saw.
        pub const PEAK: u64 = OWN + 2;
    }

    /// Words of the memory that all threads share.
    pub mod shared {
        /// Live bytes, by samples.
        pub const LIVE: u64 = 0;
        /// The same by place.
        pub const LIVE_OF: u64 = 8;
        /// A power of two.
        pub const LIVE_OF_ROWS: u64 = 4096;
        /// A count of samples by hash of the address, in bytes, so that most calls of `free` look at one byte.
        pub const FILTER: u64 = LIVE_OF + LIVE_OF_ROWS;
        /// A power of two: half of a first-level cache.
        pub const FILTER_BYTES: u64 = 16384;
        pub const SAMPLES: u64 = FILTER + FILTER_BYTES / 8;
        pub const END: u64 = SAMPLES + super::sample::ROWS * super::sample::WORDS;
    }

    /// Words of a row of the table of samples.
    pub mod sample {
        /// Address; 0 in a free row, 1 in one that is being filled.
        pub const ADDRESS: u64 = 0;
        pub const PLACE: u64 = 1;
        pub const FUNCTION: u64 = 2;
        pub const BYTES: u64 = 3;
        pub const WORDS: u64 = 4;
        /// A power of two; at 512 KiB for each, 32 GiB.
        pub const ROWS: u64 = 65536;
        /// Rows that an address may be in.
        pub const PROBES: u64 = 64;
    }
}
