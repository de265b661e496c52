//! What relocation has to know of a function: its control flow with calls as ends of blocks, which
//! registers and flags are free at each point, and which registers count iterations already.

pub mod flow;
pub mod induction;
pub mod liveness;
pub mod registers;
