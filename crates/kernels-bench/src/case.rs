//! One shape of one operation, with the variants that compute it.

use crate::peers::Peers;
use loopwright_kernels::Isa;
use std::hint::black_box;

/// The amount of measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every size, long enough for figures.
    Full,
    /// Small sizes, once or twice: checks that everything runs and agrees.
    Smoke,
}

/// The origin of a variant's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Our public function, as users call it: it chooses the level itself. Each case has one.
    Automatic,
    /// Our code for one level.
    Level(Isa),
    /// Another library's code for the same work.
    Peer,
    /// A loop that does only the work that no implementation can avoid (the loads, the additions ..). The
    /// slowest of a case's bounds is its bound.
    Bound,
    /// Other work for comparison by the reader; no ratio to it is computed.
    Aside,
}

impl Role {
    /// The role's name, as `--json` prints it.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Automatic => "automatic",
            Role::Level(_) => "level",
            Role::Peer => "peer",
            Role::Bound => "bound",
            Role::Aside => "aside",
        }
    }
}

/// Code that does a case's work on buffers that it holds.
pub trait Run {
    /// Does the work once. Its results must not be optimised away ([`black_box`]).
    fn run(&mut self);

    /// Called before each sample, untimed: work that is repeated in use can load its data into the caches as
    /// in use, after the other variants evicted it.
    fn warm_up(&mut self) {}

    /// Does the work once and compares the results with the reference; the error describes the difference.
    fn verify(&mut self) -> Result<(), String>;
}

/// One way to do a case's work.
pub struct Variant {
    /// Name in tables: the level, the peer's name.
    pub name: String,
    /// Its origin.
    pub role: Role,
    /// The code.
    pub run: Box<dyn Run>,
}

impl Variant {
    /// A variant with its code.
    pub fn new(name: impl Into<String>, role: Role, run: impl Run + 'static) -> Variant {
        Variant { name: name.into(), role, run: Box::new(run) }
    }

    /// A variant that returns its result; `expected` is the reference's result.
    pub fn returning<T, F>(name: impl Into<String>, role: Role, expected: T, work: F) -> Variant
    where
        T: PartialEq + std::fmt::Debug + 'static,
        F: FnMut() -> T + 'static,
    {
        struct Returning<T, F> {
            expected: T,
            work: F,
        }
        impl<T: PartialEq + std::fmt::Debug, F: FnMut() -> T> Run for Returning<T, F> {
            fn run(&mut self) {
                black_box((self.work)());
            }
            fn verify(&mut self) -> Result<(), String> {
                let found = (self.work)();
                if found == self.expected {
                    return Ok(());
                }
                Err(format!("returned {found:x?} where the reference returns {:x?}", self.expected))
            }
        }
        Variant::new(name, role, Returning { expected, work })
    }

    /// A loop that bounds the work: it computes nothing that could be verified.
    pub fn bound<T>(name: impl Into<String>, mut work: impl FnMut() -> T + 'static) -> Variant {
        struct Bound<F>(F);
        impl<F: FnMut()> Run for Bound<F> {
            fn run(&mut self) {
                (self.0)();
            }
            fn verify(&mut self) -> Result<(), String> {
                Ok(())
            }
        }
        Variant::new(
            name,
            Role::Bound,
            Bound(move || {
                black_box(work());
            }),
        )
    }
}

/// The unit of a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Work {
    /// Bytes that one run reads and writes, of input and output; rates are GB/s (10^9 B/s).
    Bytes(u64),
    /// Runs: tables show the time of one.
    Once,
}

/// Which clock times the variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// CPU time of the measuring thread: other programs' time does not count. For single-threaded work.
    Thread,
    /// Elapsed time, for work on several threads.
    Wall,
}

/// Creates the variants of a case.
pub type Prepare = Box<dyn FnOnce(&mut Peers) -> Vec<Variant>>;

/// One shape of one operation.
pub struct Case {
    /// The operation ("fletcher4 native").
    pub operation: String,
    /// Its shape ("128 KiB").
    pub shape: String,
    /// The work of one run.
    pub work: Work,
    /// Bytes of all buffers that one run touches.
    pub working_set_bytes: u64,
    /// The clock that times it.
    pub clock: Clock,
    /// Fills the buffers, loads the peers and returns the ways to do the work. Called for the cases that are
    /// measured, one after the other, so that only one case's buffers exist at a time.
    pub prepare: Prepare,
}

/// A size in the form of the tables.
pub fn size_text(bytes: u64) -> String {
    match bytes {
        b if b >= 1 << 20 && b % (1 << 20) == 0 => format!("{} MiB", b >> 20),
        b if b >= 1 << 10 && b % (1 << 10) == 0 => format!("{} KiB", b >> 10),
        b => format!("{b} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_in_the_largest_whole_unit() {
        assert_eq!(size_text(4096), "4 KiB");
        assert_eq!(size_text(256 << 20), "256 MiB");
        assert_eq!(size_text(1500), "1500 B");
    }

    #[test]
    fn a_wrong_result_is_told() {
        let mut right = Variant::returning("a", Role::Automatic, 7, || 7);
        assert_eq!(right.run.verify(), Ok(()));
        let mut wrong = Variant::returning("b", Role::Peer, 7, || 0xff);
        assert_eq!(wrong.run.verify(), Err("returned ff where the reference returns 7".to_owned()));
    }
}
