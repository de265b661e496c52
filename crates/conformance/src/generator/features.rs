//! What a scenario may contain, each to be switched on or off, so that a known defect can be kept out of a search.

use crate::random::Random;

/// Names, by bit; the order is part of what a seed means.
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
    "data",        // data among the code
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
    /// All of them.
    pub const ALL: Self = Self((1 << NAMES.len()) - 1);

    /// None of them.
    pub const NONE: Self = Self(0);

    /// A list of names with commas between.
    ///
    /// # Errors
    /// The name that is none.
    pub fn parse(list: &str) -> Result<Self, String> {
        let mut set = 0;
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let index = NAMES.iter().position(|known| *known == name);
            set |= 1
                << index.ok_or_else(|| format!("unknown feature {name}; there are {}", NAMES.join(", ")))?;
        }
        Ok(Self(set))
    }

    /// Some of those allowed: about `percent` of them, so that scenarios differ in kind.
    pub fn some(self, random: &mut Random, percent: u64) -> Self {
        // Every feature takes its random number whether it is allowed or not.
        let drawn = (0..NAMES.len()).map(|k| u64::from(random.chance(percent)) << k).sum::<u64>();
        Self(drawn & self.0)
    }

    /// Whether the feature of this name is in the set.
    pub fn has(self, name: &str) -> bool {
        let index = NAMES.iter().position(|known| *known == name);
        debug_assert!(index.is_some(), "{name} is no feature");
        index.is_some_and(|k| self.0 >> k & 1 != 0)
    }

    /// What is in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Without these.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// These names, which are known.
    pub fn of(names: &[&str]) -> Self {
        Self(NAMES.iter().enumerate().filter(|(_, name)| names.contains(name)).map(|(k, _)| 1 << k).sum())
    }

    /// What is in one of both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Its names.
    pub fn names(self) -> Vec<&'static str> {
        NAMES.iter().enumerate().filter(|(k, _)| self.0 >> k & 1 != 0).map(|(_, name)| *name).collect()
    }
}
