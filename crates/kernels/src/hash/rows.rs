//! The length of a row of states.

/// Messages in work at once at most: the widest engine's lanes.
pub const LIVE: usize = 32;

/// Words in a row of states: behind the last message are the lanes without one of the engine that holds it.
pub const SLOTS: usize = LIVE + 16;
