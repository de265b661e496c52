//! Counts that cannot be true of any run, and the one place where that becomes a sentence.

use serde::{Deserialize, Serialize};

/// What is impossible about the counts of a function. Loops are named by the address of their header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Contradiction {
    /// No counter gets that far.
    #[error("a count of {count}")]
    TooLarge {
        /// The largest count.
        count: u64,
    },
    /// More than the processor time allows.
    #[error(
        "{instructions} instructions in {:.3} s are more than a processor can execute",
        *milliseconds as f64 / 1e3
    )]
    TooFast {
        /// Counted instructions.
        instructions: u64,
        /// Processor time.
        milliseconds: u64,
    },
    /// Every block has an instruction at least.
    #[error("{executions} executions of its blocks, and {instructions} instructions")]
    Blocks {
        /// Executions of all blocks.
        executions: u64,
        /// Counted instructions.
        instructions: u64,
    },
    /// Every call executes an instruction at least.
    #[error("{calls} calls, and {instructions} instructions")]
    Calls {
        /// Counted calls.
        calls: u64,
        /// Counted instructions.
        instructions: u64,
    },
    /// The threads' instructions are not those of the function.
    #[error("{by_thread} instructions by thread, and {instructions} in all")]
    Threads {
        /// Sum over threads.
        by_thread: u64,
        /// Counted instructions.
        instructions: u64,
    },
    /// Every iteration executes an instruction at least.
    #[error("{iterations} iterations of its loop at {header:#x}, and {instructions} instructions")]
    Iterations {
        /// The loop.
        header: u64,
        /// Counted iterations.
        iterations: u64,
        /// Instructions of the loop.
        instructions: u64,
    },
    /// A loop executes no more than its function.
    #[error("{of_loop} instructions of its loop at {header:#x}, and {instructions} in all")]
    LoopInstructions {
        /// The loop.
        header: u64,
        /// Instructions of the loop.
        of_loop: u64,
        /// Instructions of the function.
        instructions: u64,
    },
    /// Every entry of a loop executes its header.
    #[error("{entries} entries of its loop at {header:#x}, and {executions} executions of its header")]
    Entries {
        /// The loop.
        header: u64,
        /// Counted entries.
        entries: u64,
        /// Executions of its header.
        executions: u64,
    },
    /// The threads' iterations are not those of the loop.
    #[error("{by_thread} iterations by thread of its loop at {header:#x}, and {iterations} in all")]
    LoopThreads {
        /// The loop.
        header: u64,
        /// Sum over threads.
        by_thread: u64,
        /// Counted iterations.
        iterations: u64,
    },
    /// The shortest entry is longer than the longest.
    #[error("at least {least} and at most {most} iterations of its loop at {header:#x}")]
    Trips {
        /// The loop.
        header: u64,
        /// Fewest iterations of an entry.
        least: u64,
        /// Most iterations of an entry.
        most: u64,
    },
    /// Control enters a block more or less often than it leaves it.
    #[error("the flows into and out of a block differ")]
    Flow,
}
