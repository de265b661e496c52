//! The facts about a function that relocation needs: its control flow with calls as ends of blocks, which
//! registers and flags are free at each point, and which registers already count iterations.

pub mod flow;
pub mod induction;
pub mod liveness;
pub mod registers;
pub mod vectors;
