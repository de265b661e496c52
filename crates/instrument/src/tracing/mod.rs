//! Recording which addresses chosen loops access, in a second copy of the code.
//!
//! ```text
//! operands   which bytes an instruction accesses, and how that is recorded
//! plan       which blocks of a function are recorded
//! registry   the meaning of the ids in records; loops and operands by number
//! decode     records -> events
//! shares     which loops are traced when, and how often each may make requests
//! lending    which thread writes into which chunk of the trace, and when
//! study      the tool's own thread: decodes, feeds the analyses
//! nodes      NUMA nodes of pages and threads
//! ```
//!
//! A record is an id and a number of words that depends on its block. It is written by the running thread
//! into a chunk that the tool has lent to it; a thread without a chunk runs the counting copy. See
//! `emit::record` and `emit::switch` for the code.

mod decode;
pub mod lending;
pub mod nodes;
pub mod operands;
pub mod plan;
pub mod registry;
pub mod shares;
pub mod study;
