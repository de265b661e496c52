//! The level at which each loop over arrays runs where none is named.
//!
//! The highest level is not always the fastest: vectors of 512 bits take two steps on some processors, and lower the clock on
//! others. So each routine is run at every level when it is first called, for some microseconds ([`crate::tuning`]), and the
//! fastest level stays for the process. Hashes, ciphers and sparse products choose among more ways than levels, by themselves.

use crate::byteswap::dispatch::swap;
use crate::byteswap::{self, Width};
use crate::fletcher::dispatch::{fletcher2, fletcher4, sums};
use crate::isa::{self, Isa};
use crate::plan::Plan;
use crate::streaming::{self, Operation};
use crate::tuning::first_use::{self, Way};
use std::hint::black_box;
use std::sync::OnceLock;

/// A lower level is taken only where the higher one takes so much longer that it is no disturbance: 3 %.
const MARGIN: f64 = 1.03;

/// Bytes of each array that is measured: three of them are within every first cache.
const BYTES: usize = 8 << 10;

/// Runs a routine once, on arrays of the same length, at a level that is available.
type Run = fn(Isa, &mut [u64], &[u64], &[u64]);

macro_rules! routines {
    ($($(#[doc = $about:literal])+ $routine:ident $name:literal $run:expr;)+) => {
        /// A loop over arrays that is compiled for every level.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Routine {
            $($(#[doc = $about])+ $routine,)+
        }

        impl Routine {
            /// Every routine.
            pub const ALL: [Routine; [$(Routine::$routine),+].len()] = [$(Routine::$routine),+];

            /// The routine's name.
            pub const fn name(self) -> &'static str {
                match self { $(Routine::$routine => $name,)+ }
            }

            fn run(self) -> Run {
                match self { $(Routine::$routine => $run,)+ }
            }
        }
    };
}

routines! {
    /// Fletcher-4, least significant byte first.
    Fletcher4 "fletcher4" |isa, _, b, _| _ = black_box(fletcher4::<false>(isa, bytes(b)));
    /// Fletcher-4, most significant byte first.
    Fletcher4Swapped "fletcher4_swapped" |isa, _, b, _| _ = black_box(fletcher4::<true>(isa, bytes(b)));
    /// Fletcher-2, least significant byte first.
    Fletcher2 "fletcher2" |isa, _, b, _| _ = black_box(fletcher2::<false>(isa, bytes(b)));
    /// Fletcher-2, most significant byte first.
    Fletcher2Swapped "fletcher2_swapped" |isa, _, b, _| _ = black_box(fletcher2::<true>(isa, bytes(b)));
    /// Fletcher-16.
    Fletcher16 "fletcher16" |isa, _, b, _| _ = black_box(sums::<1>(isa, bytes(b)).sums);
    /// Fletcher-32.
    Fletcher32 "fletcher32" |isa, _, b, _| _ = black_box(sums::<2>(isa, bytes(b)).sums);
    /// Fletcher-64.
    Fletcher64 "fletcher64" |isa, _, b, _| _ = black_box(sums::<4>(isa, bytes(b)).sums);
    /// Swapping 16-bit words in place.
    Swap16InPlace "swap16_in_place" |isa, a, _, _| swap_in_place(isa, Width::Two, a);
    /// Swapping 32-bit words in place.
    Swap32InPlace "swap32_in_place" |isa, a, _, _| swap_in_place(isa, Width::Four, a);
    /// Swapping 64-bit words in place.
    Swap64InPlace "swap64_in_place" |isa, a, _, _| swap_in_place(isa, Width::Eight, a);
    /// Swapping 16-bit words from one array to another.
    Swap16Into "swap16_into" |isa, a, b, _| swap_into(isa, Width::Two, a, b);
    /// Swapping 32-bit words from one array to another.
    Swap32Into "swap32_into" |isa, a, b, _| swap_into(isa, Width::Four, a, b);
    /// Swapping 64-bit words from one array to another.
    Swap64Into "swap64_into" |isa, a, b, _| swap_into(isa, Width::Eight, a, b);
    /// `a[i] = b[i]`.
    Copy "copy" |isa, a, b, c| stream(isa, Operation::Copy, a, b, c);
    /// `a[i] = s`.
    Fill "fill" |isa, a, b, c| stream(isa, Operation::Fill(0.0), a, b, c);
    /// `a[i] = s b[i]`.
    Scale "scale" |isa, a, b, c| stream(isa, Operation::Scale(0.5), a, b, c);
    /// `a[i] = b[i] + c[i]`.
    Add "add" |isa, a, b, c| stream(isa, Operation::Add, a, b, c);
    /// `a[i] = b[i] + s c[i]`.
    Triad "triad" |isa, a, b, c| stream(isa, Operation::Triad(0.5), a, b, c);
}

impl Routine {
    /// The level that functions without `_with` run: the one that [`isa::VARIABLE`] names, else the fastest here.
    #[inline]
    pub fn level(self) -> Isa {
        static LEVELS: [OnceLock<Isa>; Routine::ALL.len()] = [const { OnceLock::new() }; Routine::ALL.len()];
        *LEVELS[self as usize].get_or_init(|| self.choose())
    }

    /// The same with stores by size: what functions do that write whole arrays.
    #[inline]
    pub fn plan(self) -> Plan {
        self.level().into()
    }

    /// The routine that swaps words.
    pub const fn swap(width: Width, in_place: bool) -> Routine {
        match (width, in_place) {
            (Width::Two, true) => Routine::Swap16InPlace,
            (Width::Four, true) => Routine::Swap32InPlace,
            (Width::Eight, true) => Routine::Swap64InPlace,
            (Width::Two, false) => Routine::Swap16Into,
            (Width::Four, false) => Routine::Swap32Into,
            (Width::Eight, false) => Routine::Swap64Into,
        }
    }

    /// The routine of an operation on whole arrays.
    pub const fn stream<T>(operation: &Operation<T>) -> Routine {
        match operation {
            Operation::Copy => Routine::Copy,
            Operation::Fill(_) => Routine::Fill,
            Operation::Scale(_) => Routine::Scale,
            Operation::Add => Routine::Add,
            Operation::Triad(_) => Routine::Triad,
        }
    }

    fn choose(self) -> Isa {
        let best = Isa::best();
        if isa::is_named() {
            return best;
        }
        let levels: Vec<Isa> = Isa::available().filter(|&isa| isa <= best).collect();
        let names: Vec<&'static str> = levels.iter().map(|isa| isa.name()).collect();
        let table = format!("level.{}", self.name());
        let ways = || levels.iter().map(|&isa| self.at(isa)).collect();
        let costs = first_use::costs(&table, &names, ways);
        let fastest = |costs| isa::fastest(levels.into_iter().zip::<Vec<f64>>(costs), MARGIN);
        costs.and_then(fastest).unwrap_or(best)
    }

    fn at(self, isa: Isa) -> Way<'static> {
        let run = self.run();
        let [mut a, b, c] = [const { [0_u64; BYTES / size_of::<u64>()] }; 3].map(Vec::from);
        Box::new(move || run(isa, &mut a, &b, &c))
    }
}

fn bytes(words: &[u64]) -> &[u8] {
    // SAFETY: the bytes of a slice of numbers, which have no padding.
    unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
}

fn swap_in_place(isa: Isa, width: Width, a: &mut [u64]) {
    let (length, a) = (size_of_val(a), a.as_mut_ptr().cast());
    // SAFETY: the slice is borrowed for the call; it holds whole words of any width.
    let done = unsafe { swap(isa.into(), byteswap::dispatch::Threads::One, width, a, a, length) };
    debug_assert!(done.is_ok(), "{done:?}");
}

fn swap_into(isa: Isa, width: Width, a: &mut [u64], b: &[u64]) {
    let (length, a, b) = (size_of_val(b), a.as_mut_ptr().cast(), b.as_ptr().cast());
    // SAFETY: the slices are borrowed for the call, disjoint, of one length, and hold whole words of any width.
    let done = unsafe { swap(isa.into(), byteswap::dispatch::Threads::One, width, b, a, length) };
    debug_assert!(done.is_ok(), "{done:?}");
}

fn stream(isa: Isa, operation: Operation<f64>, a: &mut [u64], b: &[u64], c: &[u64]) {
    let (elements, threads) = (a.len(), streaming::dispatch::Threads::One);
    let (a, sources) = (a.as_mut_ptr().cast(), [b, c].map(|array| array.as_ptr().cast()));
    // SAFETY: the slices are borrowed for the call, disjoint and of one length; every pattern of bits is a number.
    let done = unsafe { streaming::dispatch::run(isa.into(), threads, operation, a, sources, elements) };
    debug_assert!(done.is_ok(), "{done:?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_routine_runs_at_every_level() {
        for routine in Routine::ALL {
            Isa::available().for_each(|isa| routine.at(isa)());
            assert!(routine.level().is_available(), "{}", routine.name());
        }
    }
}
