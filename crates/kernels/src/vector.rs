//! The vectors of each instruction-set level behind one set of traits, so that a kernel's loop is written once.
//!
//! # The invariant
//! A value of a level's type ([`Sse42`], [`Avx2`], [`Avx512`]) exists only where the processor has the level's
//! instructions: [`Level::detect`] makes it, or [`Proof::assume`] on the word of its caller. A vector is made from such a
//! value, or from other vectors. So whoever has a vector is where its instructions are, and operations on vectors are safe;
//! [`instruction`] is the one place that relies on it. What remains unsafe is what takes a pointer.
//!
//! # How loops are compiled
//! An intrinsic becomes one instruction only within a function that is compiled for its level. A kernel makes a [`Task`] of
//! each loop; [`compiled`] defines a function of each level that runs it, with the name that profiles show, and chooses among
//! them. Everything that a task calls is `#[inline(always)]` and so gets the instructions of that function. Closures are
//! not: one that the optimiser leaves apart lacks the instructions, and then every operation in it is a call.

#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
#[cfg(target_arch = "x86_64")]
pub mod sse42;
pub mod words;

#[cfg(target_arch = "x86_64")]
pub use {avx2::Avx2, avx512::Avx512, sse42::Sse42};

/// What the processor has: `()`, which demands nothing, or a level.
pub trait Proof: Copy {
    /// The proof, on the caller's word.
    ///
    /// # Safety
    /// The processor has the instructions.
    unsafe fn assume() -> Self;
}

impl Proof for () {
    #[inline(always)]
    unsafe fn assume() {}
}

/// A level of the processor: the proof that it is there.
pub trait Level: Proof {
    /// Its widest vectors of integers.
    type Integers: Integers<Level = Self>;
    /// Its widest vectors of `f32`.
    type Singles: Floats<Level = Self, Element = f32>;
    /// Its widest vectors of `f64`.
    type Doubles: Floats<Level = Self, Element = f64>;

    /// The level, where the processor has it.
    fn detect() -> Option<Self>;

    /// The level that every other one includes.
    #[cfg(target_arch = "x86_64")]
    fn sse42(self) -> Sse42;

    /// The level with masks for bytes, where this is it.
    #[cfg(target_arch = "x86_64")]
    fn avx512(self) -> Option<Avx512>;
}

/// A loop with its arguments.
pub trait Task<L> {
    /// What it computes.
    type Output;

    /// Runs it; implementations are `#[inline(always)]`.
    fn run(self, level: L) -> Self::Output;
}

/// A task that is compiled for every level.
pub trait Compiled: Sized {
    /// What it computes.
    type Output;

    /// Runs the task at a level, or `plain` on it: at [`Isa::Scalar`](crate::isa::Isa), and where the processor lacks the level.
    /// Not a `Result`: its copy, of sums just written in parts, costs as much as a tenth of a short task.
    fn at(self, isa: crate::isa::Isa, plain: impl FnOnce(Self) -> Self::Output) -> Self::Output;
}

/// Compiles tasks for every level: `NAME[GENERICS] = TYPE -> OUTPUT;` makes the functions `sse42::NAME` and its like.
macro_rules! compiled {
    ($($name:ident[$($generics:tt)*] = $task:ty => $output:ty;)+) => {
        $crate::vector::compiled!(@level sse42 Sse42; $($name[$($generics)*] = $task => $output;)+);
        $crate::vector::compiled!(@level avx2 Avx2; $($name[$($generics)*] = $task => $output;)+);
        $crate::vector::compiled!(@level avx512 Avx512; $($name[$($generics)*] = $task => $output;)+);
        $(
            impl<$($generics)*> $crate::vector::Compiled for $task {
                type Output = $output;

                #[inline]
                fn at(self, isa: $crate::isa::Isa, plain: impl FnOnce(Self) -> Self::Output) -> Self::Output {
                    #[cfg(target_arch = "x86_64")]
                    {
                        use $crate::isa::Isa;
                        use $crate::vector::{Avx2, Avx512, Level, Sse42};
                        if isa == Isa::Sse42 && let Some(level) = Sse42::detect() {
                            // SAFETY: a level's value exists only where the processor has its instructions.
                            return unsafe { sse42::$name(level, self) };
                        }
                        if isa == Isa::Avx2 && let Some(level) = Avx2::detect() {
                            // SAFETY: as above.
                            return unsafe { avx2::$name(level, self) };
                        }
                        if isa == Isa::Avx512 && let Some(level) = Avx512::detect() {
                            // SAFETY: as above.
                            return unsafe { avx512::$name(level, self) };
                        }
                    }
                    let _ = isa;
                    plain(self)
                }
            }
        )+
    };
    (@level $module:ident $level:ident; $($name:ident[$($generics:tt)*] = $task:ty => $output:ty;)+) => {
        #[cfg(target_arch = "x86_64")]
        mod $module {
            use super::*;
            use $crate::vector::{$level, Task};

            $($crate::vector::for_level! {
                $level
                pub fn $name<$($generics)*>(level: $level, task: $task) -> $output {
                    task.run(level)
                }
            })+
        }
    };
}
pub(crate) use compiled;

/// A vector of integers, of 16, 32 or 64 bytes.
pub trait Integers: Copy {
    /// Where it exists.
    type Level: Level;
    /// Size.
    const BYTES: usize;

    /// All bits zero.
    fn zero(level: Self::Level) -> Self;
    /// # Safety
    /// `from` has [`Integers::BYTES`] readable bytes, of any alignment.
    unsafe fn load(level: Self::Level, from: *const u8) -> Self;
    /// # Safety
    /// `to` has [`Integers::BYTES`] writable bytes, of any alignment.
    unsafe fn store(self, to: *mut u8);
    /// Stores past the caches.
    ///
    /// # Safety
    /// As for `store`, aligned to [`Integers::BYTES`]; [`fence`] follows before another thread is notified.
    unsafe fn stream(self, to: *mut u8);
    /// The bytes of each word of `WIDTH` bytes, 2 to 8, in reverse.
    fn reversed<const WIDTH: usize>(self) -> Self;
    /// Sums of lanes of 32 bits.
    fn add32(self, other: Self) -> Self;
    /// Sums of lanes of 64 bits.
    fn add64(self, other: Self) -> Self;
    /// Differences of lanes of 64 bits.
    fn sub64(self, other: Self) -> Self;
    /// The lower half of each 64-bit lane as its upper half.
    fn upper(self) -> Self;
    /// The upper half of each 64-bit lane.
    fn odd32(self) -> Self;
    /// The upper half of each 32-bit lane.
    fn odd16(self) -> Self;
    /// The sum of each 64-bit lane's bytes.
    fn sum_bytes(self) -> Self;
    /// In each 32-bit lane the sum of its bytes times those of `weights`, which are at most 64.
    fn weigh_bytes(self, weights: Self) -> Self;
    /// The 64-bit lanes; those beyond the vector are zero.
    fn lanes(self) -> [u64; 8];
}

/// A vector of floating-point numbers.
pub trait Floats: Copy {
    /// Where it exists.
    type Level: Level;
    /// What it holds.
    type Element: Copy;
    /// How many.
    const LANES: usize;

    /// The same number in every lane.
    fn splat(level: Self::Level, element: Self::Element) -> Self;
    /// # Safety
    /// `from` has [`Floats::LANES`] readable elements.
    unsafe fn load(level: Self::Level, from: *const Self::Element) -> Self;
    /// The first `count` elements, fewer than a vector has; the other lanes are zero.
    ///
    /// # Safety
    /// `from` has as many readable elements; only those are read.
    unsafe fn load_first(level: Self::Level, from: *const Self::Element, count: usize) -> Self;
    /// # Safety
    /// `to` has [`Floats::LANES`] writable elements.
    unsafe fn store(self, to: *mut Self::Element);
    /// Stores the first `count` elements, fewer than a vector has.
    ///
    /// # Safety
    /// `to` has as many writable elements; only those are written.
    unsafe fn store_first(self, to: *mut Self::Element, count: usize);
    /// Stores past the caches.
    ///
    /// # Safety
    /// As for `store`, aligned to the vector; [`fence`] follows before another thread is notified.
    unsafe fn stream(self, to: *mut Self::Element);
    /// Sums, rounded.
    fn add(self, other: Self) -> Self;
    /// Products, rounded.
    fn mul(self, other: Self) -> Self;
}

/// `f32` or `f64`: what vectors of numbers consist of.
pub trait Number: Copy + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self> {
    /// The level's vector of it.
    type Vector<L: Level>: Floats<Level = L, Element = Self>;
}

impl Number for f32 {
    type Vector<L: Level> = L::Singles;
}

impl Number for f64 {
    type Vector<L: Level> = L::Doubles;
}

/// Orders stores past the caches before what follows.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn fence() {
    // SAFETY: every processor of the architecture has the instruction.
    unsafe { std::arch::x86_64::_mm_sfence() };
}

/// Asks for the cache line at `address`, which may be anywhere.
#[inline(always)]
pub fn prefetch(address: *const u8) {
    // SAFETY: a prefetch reads nothing that a program could see, and never fails.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// The index of each of 16 bytes in a shuffle that reverses words of `WIDTH` bytes. Words do not cross lanes of 16
/// bytes, so it serves every lane of a wider vector.
#[cfg(target_arch = "x86_64")]
const fn reversed<const WIDTH: usize>() -> [u8; 16] {
    let mut pattern = [0; 16];
    let mut at = 0;
    while at < 16 {
        pattern[at] = (at / WIDTH * WIDTH + WIDTH - 1 - at % WIDTH) as u8;
        at += 1;
    }
    pattern
}

/// Intrinsics, where a value of their level or one of its vectors is at hand.
#[cfg(target_arch = "x86_64")]
macro_rules! instruction {
    ($($call:tt)+) => {{
        // SAFETY: the module's invariant: a level's value, and so a vector, exists only where its instructions are. Intrinsics
        // that take a pointer are not called here.
        unsafe { $($call)+ }
    }};
}
#[cfg(target_arch = "x86_64")]
use instruction;

/// Compiles a function for a level. The features are those that [`Isa::is_available`](crate::isa::Isa::is_available) has
/// checked for.
#[cfg(target_arch = "x86_64")]
macro_rules! for_level {
    (Sse42 $function:item) => {
        #[target_feature(enable = "sse3,ssse3,sse4.1,sse4.2,popcnt")]
        $function
    };
    (Avx2 $function:item) => {
        #[target_feature(enable = "avx,avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c,movbe")]
        $function
    };
    (Avx512 $function:item) => {
        #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
        #[target_feature(enable = "avx,avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c,movbe")]
        $function
    };
}
#[cfg(target_arch = "x86_64")]
pub(crate) use for_level;

/// A level's type.
#[cfg(target_arch = "x86_64")]
macro_rules! level {
    ($(#[$doc:meta])* $level:ident, avx512 $avx512:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $level(());

        impl $crate::vector::Proof for $level {
            #[inline(always)]
            unsafe fn assume() -> Self {
                $level(())
            }
        }

        impl $crate::vector::Level for $level {
            type Integers = Integers;
            type Singles = Singles;
            type Doubles = Doubles;

            #[inline(always)]
            fn detect() -> Option<Self> {
                $crate::isa::Isa::$level.is_available().then_some($level(()))
            }
            #[inline(always)]
            fn sse42(self) -> $crate::vector::Sse42 {
                $crate::vector::sse42::of_higher(self)
            }
            #[inline(always)]
            fn avx512(self) -> Option<$crate::vector::Avx512> {
                let of: fn($level) -> Option<$crate::vector::Avx512> = $avx512;
                of(self)
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
use level;

/// A level's vector of integers, by the names of its intrinsics.
#[cfg(target_arch = "x86_64")]
macro_rules! integers {
    (
        $level:ident, $inner:ty, $bytes:literal bytes, set $zero:ident $ones:ident $repeat:ident,
        memory $load:ident $store:ident $stream:ident, bytes $shuffle:ident $sad:ident $maddubs:ident $madd:ident,
        add $add32:ident $add64:ident $sub64:ident, shift $left64:ident $right64:ident $right32:ident
    ) => {
        /// A vector of integers.
        #[derive(Clone, Copy)]
        pub struct Integers($inner);

        impl $crate::vector::Integers for Integers {
            type Level = $level;
            const BYTES: usize = $bytes;

            #[inline(always)]
            fn zero(_: $level) -> Self {
                Integers(instruction!($zero()))
            }
            #[inline(always)]
            unsafe fn load(_: $level, from: *const u8) -> Self {
                // SAFETY: the level's value is here; the caller has the bytes.
                Integers(unsafe { $load(from.cast()) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut u8) {
                // SAFETY: a vector is here; the caller has the bytes.
                unsafe { $store(to.cast(), self.0) }
            }
            #[inline(always)]
            unsafe fn stream(self, to: *mut u8) {
                // SAFETY: as above; the caller aligns and fences.
                unsafe { $stream(to.cast(), self.0) }
            }
            #[inline(always)]
            fn reversed<const WIDTH: usize>(self) -> Self {
                let order = const { u128::from_le_bytes($crate::vector::reversed::<WIDTH>()) };
                let order = instruction!($repeat(_mm_set_epi64x((order >> 64) as i64, order as i64)));
                Integers(instruction!($shuffle(self.0, order)))
            }
            #[inline(always)]
            fn add32(self, other: Self) -> Self {
                Integers(instruction!($add32(self.0, other.0)))
            }
            #[inline(always)]
            fn add64(self, other: Self) -> Self {
                Integers(instruction!($add64(self.0, other.0)))
            }
            #[inline(always)]
            fn sub64(self, other: Self) -> Self {
                Integers(instruction!($sub64(self.0, other.0)))
            }
            #[inline(always)]
            fn upper(self) -> Self {
                Integers(instruction!($left64::<32>(self.0)))
            }
            #[inline(always)]
            fn odd32(self) -> Self {
                Integers(instruction!($right64::<32>(self.0)))
            }
            #[inline(always)]
            fn odd16(self) -> Self {
                Integers(instruction!($right32::<16>(self.0)))
            }
            #[inline(always)]
            fn sum_bytes(self) -> Self {
                Integers(instruction!($sad(self.0, $zero())))
            }
            #[inline(always)]
            fn weigh_bytes(self, weights: Self) -> Self {
                Integers(instruction!($madd($maddubs(self.0, weights.0), $ones(1))))
            }
            #[inline(always)]
            fn lanes(self) -> [u64; 8] {
                let mut lanes = [0; 8];
                // SAFETY: no vector is longer.
                unsafe { self.store(lanes.as_mut_ptr().cast()) };
                lanes
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
use integers;

/// A level's vector of floating-point numbers, by the names of its intrinsics.
#[cfg(target_arch = "x86_64")]
macro_rules! floats {
    (
        $name:ident, $level:ident, $inner:ty, $lanes:literal of $element:ty,
        $splat:ident $load:ident $store:ident $stream:ident $add:ident $mul:ident, first $load_first:path, $store_first:path
    ) => {
        #[doc = concat!("A vector of `", stringify!($element), "`.")]
        #[derive(Clone, Copy)]
        pub struct $name($inner);

        impl $crate::vector::Floats for $name {
            type Level = $level;
            type Element = $element;
            const LANES: usize = $lanes;

            #[inline(always)]
            fn splat(_: $level, element: $element) -> Self {
                $name(instruction!($splat(element)))
            }
            #[inline(always)]
            unsafe fn load(_: $level, from: *const $element) -> Self {
                // SAFETY: the level's value is here; the caller has the elements.
                $name(unsafe { $load(from) })
            }
            #[inline(always)]
            unsafe fn load_first(_: $level, from: *const $element, count: usize) -> Self {
                // SAFETY: the level's value is here; the caller has the elements.
                $name(unsafe { $load_first(from, count) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $element) {
                // SAFETY: a vector is here; the caller has the elements.
                unsafe { $store(to, self.0) }
            }
            #[inline(always)]
            unsafe fn store_first(self, to: *mut $element, count: usize) {
                // SAFETY: a vector is here; the caller has the elements.
                unsafe { $store_first(to, count, self.0) }
            }
            #[inline(always)]
            unsafe fn stream(self, to: *mut $element) {
                // SAFETY: a vector is here; the caller has the elements, aligns and fences.
                unsafe { $stream(to, self.0) }
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                $name(instruction!($add(self.0, other.0)))
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                $name(instruction!($mul(self.0, other.0)))
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
use floats;
