//! Swapping slices of words. Nothing can be wrong with a slice but its length and the level.

use super::dispatch::{Threads, swap};
use super::{ByteswapError, Width};
use crate::error::IsaError;
use crate::isa::Isa;
use crate::plan::Plan;
use crate::routine::Routine;

fn in_place<T>(isa: Isa, threads: Threads, width: Width, words: &mut [T]) -> Result<(), IsaError> {
    isa.require()?;
    let (pointer, bytes) = (words.as_mut_ptr().cast::<u8>(), size_of_val(words));
    // SAFETY: the slice is borrowed for the call.
    let done = unsafe { swap(isa.into(), threads, width, pointer, pointer, bytes) };
    debug_assert!(done.is_ok(), "a slice holds whole words, and the level was checked: {done:?}");
    Ok(())
}

fn into<T>(
    plan: Plan,
    threads: Threads,
    width: Width,
    source: &[T],
    destination: &mut [T],
) -> Result<(), ByteswapError> {
    if source.len() != destination.len() {
        let (source_length, destination_length) = (source.len(), destination.len());
        return Err(ByteswapError::Lengths { source_length, destination_length });
    }
    let (from, to) = (source.as_ptr().cast::<u8>(), destination.as_mut_ptr().cast::<u8>());
    // SAFETY: the slices are borrowed for the call and have the same length.
    unsafe { swap(plan, threads, width, from, to, size_of_val(source)) }
}

/// The functions of one width.
macro_rules! width {
    (
        $width:ident $word:ty, $name:literal:
        $in_place:ident $in_place_with:ident $in_place_par:ident $in_place_par_with:ident
        $into:ident $into_with:ident $into_par:ident $into_par_with:ident
    ) => {
        #[doc = concat!("Swaps the bytes of every ", $name, " word.")]
        pub fn $in_place(words: &mut [$word]) {
            let done =
                in_place(Routine::swap(Width::$width, true).level(), Threads::One, Width::$width, words);
            debug_assert_eq!(done, Ok(()), "the best level is available");
        }

        #[doc = concat!("[`", stringify!($in_place), "`] at a level.")]
        pub fn $in_place_with(isa: Isa, words: &mut [$word]) -> Result<(), IsaError> {
            in_place(isa, Threads::One, Width::$width, words)
        }

        #[doc = concat!("[`", stringify!($in_place), "`] on threads above a measured size.")]
        pub fn $in_place_par(words: &mut [$word]) {
            let done =
                in_place(Routine::swap(Width::$width, true).level(), Threads::BySize, Width::$width, words);
            debug_assert_eq!(done, Ok(()), "the best level is available");
        }

        #[doc = concat!("[`", stringify!($in_place), "`] at a level, on threads whatever the size.")]
        pub fn $in_place_par_with(isa: Isa, words: &mut [$word]) -> Result<(), IsaError> {
            in_place(isa, Threads::All, Width::$width, words)
        }

        #[doc = concat!("Writes every ", $name, " word of `source`, its bytes swapped, to `destination`.")]
        pub fn $into(source: &[$word], destination: &mut [$word]) -> Result<(), ByteswapError> {
            into(Routine::swap(Width::$width, false).plan(), Threads::One, Width::$width, source, destination)
        }

        #[doc = concat!("[`", stringify!($into), "`] as a plan says.")]
        pub fn $into_with(
            plan: impl Into<Plan>,
            source: &[$word],
            destination: &mut [$word],
        ) -> Result<(), ByteswapError> {
            into(plan.into(), Threads::One, Width::$width, source, destination)
        }

        #[doc = concat!("[`", stringify!($into), "`] on threads above a measured size.")]
        pub fn $into_par(source: &[$word], destination: &mut [$word]) -> Result<(), ByteswapError> {
            into(
                Routine::swap(Width::$width, false).plan(),
                Threads::BySize,
                Width::$width,
                source,
                destination,
            )
        }

        #[doc = concat!("[`", stringify!($into), "`] as a plan says, on threads whatever the size.")]
        pub fn $into_par_with(
            plan: impl Into<Plan>,
            source: &[$word],
            destination: &mut [$word],
        ) -> Result<(), ByteswapError> {
            into(plan.into(), Threads::All, Width::$width, source, destination)
        }
    };
}

width! {
    Two u16, "16-bit":
    swap16_in_place swap16_in_place_with swap16_in_place_par swap16_in_place_par_with
    swap16_into swap16_into_with swap16_into_par swap16_into_par_with
}
width! {
    Four u32, "32-bit":
    swap32_in_place swap32_in_place_with swap32_in_place_par swap32_in_place_par_with
    swap32_into swap32_into_with swap32_into_par swap32_into_par_with
}
width! {
    Eight u64, "64-bit":
    swap64_in_place swap64_in_place_with swap64_in_place_par swap64_in_place_par_with
    swap64_into swap64_into_with swap64_into_par swap64_into_par_with
}
