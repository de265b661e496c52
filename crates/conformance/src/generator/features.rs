//! The features of a scenario, each of which can be disabled, so that a known defect can be excluded from a search.

use crate::random::Random;

/// Names, by bit; the order is part of the meaning of a seed.
const NAMES: [&str; 28] = [
    "flags",       // flags live across branches and loop headers
    "strings",     // rep movs, stos, scas, cmps
    "direction",   // std
    "stack",       // push, pop, pushf, enter, leave between other instructions
    "vectors",     // vector registers
    "masks",       // k0 to k7
    "x87",         // x87 and MMX
    "mxcsr",       // rounding modes
    "overlap",     // jumps into instructions
    "tables",      // jumps through tables
    "computed",    // jumps through registers
    "irreducible", // loops entered in the middle
    "breaks",      // several exits, several latches
    "cold",        // parts of functions elsewhere
    "returns",     // several returns, push and ret
    "tails",       // tail calls
    "middle",      // jumps and calls into the middle of functions
    "fall",        // functions that run into the next
    "symbols",     // symbols without size, without type, in the middle, over several functions; none
    "data",        // data inside the code
    "indirect",    // calls through registers and tables
    "pushed",      // calls that are made of push and jmp, arguments that the callee pops
    "recursion",   // functions that call themselves
    "redzone",     // leaf functions with values below the stack pointer
    "pc",          // call and pop
    "contexts",    // coroutines with own stacks
    "written",     // code that is written while it runs
    "kernel",      // system calls
];

/// A set of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(u64);

impl Features {
    /// All features.
    pub const ALL: Self = Self((1 << NAMES.len()) - 1);

    /// No features.
    pub const NONE: Self = Self(0);

    /// A list of names separated by commas.
    ///
    /// # Errors
    /// The first unknown name.
    pub fn parse(list: &str) -> Result<Self, String> {
        let mut set = 0;
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let index = NAMES.iter().position(|known| *known == name);
            set |= 1
                << index.ok_or_else(|| format!("unknown feature {name}; there are {}", NAMES.join(", ")))?;
        }
        Ok(Self(set))
    }

    /// About `percent` of the allowed features, so that scenarios differ in kind.
    pub fn some(self, random: &mut Random, percent: u64) -> Self {
        // Every feature takes its random number whether it is allowed or not.
        let drawn = (0..NAMES.len()).map(|k| u64::from(random.chance(percent)) << k).sum::<u64>();
        Self(drawn & self.0)
    }

    /// Whether the feature of this name is in the set.
    pub fn has(self, name: &str) -> bool {
        let index = NAMES.iter().position(|known| *known == name);
        debug_assert!(index.is_some(), "{name} is not a feature");
        index.is_some_and(|k| self.0 >> k & 1 != 0)
    }

    /// The features that are in both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// This set without those features.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The set of these names, which must be known.
    pub fn of(names: &[&str]) -> Self {
        Self(NAMES.iter().enumerate().filter(|(_, name)| names.contains(name)).map(|(k, _)| 1 << k).sum())
    }

    /// The features that are in either set.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The names of its features.
    pub fn names(self) -> Vec<&'static str> {
        NAMES.iter().enumerate().filter(|(k, _)| self.0 >> k & 1 != 0).map(|(_, name)| *name).collect()
    }
}
