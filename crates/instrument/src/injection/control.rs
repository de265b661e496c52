//! The words by which a thread keeps track of the versions of a unit, in its own counters.

/// Counter slots of the control block, and its alignment in slots: sixteen cache lines.
pub const CONTROL: u32 = 128;

/// 0: the thread may enter a version. Below: it is in one, or all windows were recorded. Above: entries to come that stay in the plain
/// copy ([`super::plan::Rest::Entries`]).
pub const GATE: u32 = 0;
/// The gate of a thread that enters no version.
pub const SHUT: i32 = -1;
/// 0 before the first entry, then 1.
pub const STATE: u32 = 1;
/// Number of the version.
pub const CURRENT: u32 = 2;
/// Distance to the next version.
pub const STEP: u32 = 3;
/// Versions that ran with this step.
pub const COUNT: u32 = 4;
/// Windows that were recorded.
pub const POSITION: u32 = 5;
/// What is left of the countdown.
pub const REMAINING: u32 = 6;
/// Time at which the thread entered the unit or changed its version.
pub const START: u32 = 7;
/// Ticks of earlier entries in this window.
pub const TICKS: u32 = 8;
/// The stack pointer at which a thread left its version for a call or a computed jump, and at which it returns to it; else 0.
/// Another activation of the same loop (by recursion, or in a handler) has another one.
pub const AWAY: u32 = 9;
/// Not 0: the thread rests in the first version, of which no window is recorded.
pub const REST: u32 = 10;
/// Ticks of the [`PROBE`] at the end of this window.
pub const PROBED: u32 = 11;
/// Stores of operations, four words each, in another cache line each: a core writes what follows each other in one line together.
pub const STORED: [u32; 4] = [12, 20, 36, 44];
/// Loads of operations; in the next cache line.
pub const LOADED: u32 = 16;
/// 1.0.
pub const ONE: u32 = 17;
/// Where walks begin in this window.
pub const OFFSET: u32 = 18;
/// Address of the memory to be walked through.
pub const BASE: u32 = 19;
/// The value of the vector register, 64 bytes.
pub const SAVED: u32 = 24;
/// The values of vector registers that hold general ones, 16 bytes each.
pub const LENT: u32 = 32;
/// Where the thread continues in its version, by the block at which it returns ([`super::plan::Versioned::returns`]).
pub const RETURNS: u32 = 48;
/// Words of a window: its ticks, what was left of the countdown, the ticks of the probe, and one that makes it a power of two, so
/// that a window lies in one page.
pub const WINDOW: u32 = 4;
/// Iterations and `nop`s in each of the probe at the end of a window: some 0.2 us, in which another thread that runs on the same
/// core shows, because it takes its turns in decoding and renaming.
pub const PROBE: (u32, u32) = (64, 64);
/// Most blocks with a word of their own; at others it compares the numbers of versions.
pub const MOST_RETURNS: usize = (CONTROL - RETURNS) as usize;
