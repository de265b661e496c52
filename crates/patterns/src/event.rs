//! An event in a thread, in the order in which it happened.
//!
//! A stream begins with [`Event::Gap`]. Loops are well nested: they are left in reverse order of entry,
//! unless a gap comes in between, which ends all. `Enter` is followed by `Pass` when the loop's header runs
//! for the first time. Loops of called functions nest inside the loop that calls.

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The code that ran before is not known: a burst begins. No loop is active any more.
    Gap,
    /// A loop is entered from outside; `stack` is the stack pointer of its function there.
    Enter {
        /// Index in [`crate::shape::Shape::loops`].
        loop_: u32,
        /// Stack pointer: addresses more than 128 bytes below it belong to called functions.
        stack: u64,
    },
    /// A loop is already running when the burst begins: its earlier iterations of this entry were not seen.
    Join {
        /// Index in [`crate::shape::Shape::loops`].
        loop_: u32,
        /// As for `Enter`.
        stack: u64,
    },
    /// The header of an active loop runs: an iteration, or the final test, begins. Inner loops have been left before.
    Pass {
        /// Index in [`crate::shape::Shape::loops`].
        loop_: u32,
    },
    /// The innermost active loop is left.
    Leave {
        /// Index in [`crate::shape::Shape::loops`].
        loop_: u32,
        /// The last pass only ran the test at the loop's head: it was not an iteration.
        tested: bool,
    },
    /// Memory is accessed.
    Access(Access),
    /// A call of code that is not traced, with its first three arguments (rdi, rsi, rdx).
    Call {
        /// Index in [`crate::shape::Shape::calls`].
        call: u32,
        /// First three integer arguments.
        arguments: [u64; 3],
    },
}

/// An access. Gathers and scatters have one for each active lane, masked operations one for each run of
/// active elements, in ascending order of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Index in [`crate::shape::Shape::sites`].
    pub site: u32,
    /// First byte.
    pub address: u64,
    /// Bytes; never 0.
    pub size: u32,
    /// First lane (elements before it are switched off); 0 where there are no lanes.
    pub lane: u16,
}

/// The outcome of a conditional branch. They are apart from the events, because most analyses have no use for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Number of events of the same call before it. The loops that the branch leaves are still active then.
    pub after: u32,
    /// Index in [`crate::shape::Shape::branches`].
    pub branch: u32,
    /// It jumped.
    pub taken: bool,
}
