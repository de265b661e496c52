//! What the functions of all Fletcher checksums do. The functions themselves are written out in their files, for the header is
//! generated from their text.

use crate::memory::{bytes, get, put};
use crate::status::Failure;
use kernels::Isa;
use std::ffi::c_void;

/// A checksum, and the form in which C programs keep it.
pub(crate) trait Checksum: Sized {
    /// What C programs keep.
    type Kept: Copy;
    /// What they call it.
    const NAME: &'static str;
    fn from_kept(kept: Self::Kept) -> Result<Self, Failure>;
    fn keep(self) -> Self::Kept;
    fn whole(isa: Isa, swapped: bool, data: &[u8]) -> Result<Self::Kept, Failure>;
    fn update(&mut self, isa: Isa, swapped: bool, data: &[u8]) -> Result<(), Failure>;
    fn combine(self, next: Self, next_bytes: u64) -> Result<Self, Failure>;
}

/// The checksum of length bytes at data.
///
/// # Safety
/// As the header says.
pub(crate) unsafe fn whole<C: Checksum>(
    isa: Isa,
    swapped: bool,
    data: *const c_void,
    length: usize,
    place: *mut C::Kept,
) -> Result<(), Failure> {
    // SAFETY: the caller's promises.
    unsafe { put(place, C::NAME, || C::whole(isa, swapped, bytes(data, length)?)) }
}

/// Goes on with length bytes at data.
///
/// # Safety
/// As the header says.
pub(crate) unsafe fn update<C: Checksum>(
    isa: Isa,
    swapped: bool,
    data: *const c_void,
    length: usize,
    place: *mut C::Kept,
) -> Result<(), Failure> {
    // SAFETY: the caller's promises.
    unsafe {
        put(place, C::NAME, || {
            let mut sums = C::from_kept(get(place, C::NAME)?)?;
            sums.update(isa, swapped, bytes(data, length)?)?;
            Ok(sums.keep())
        })
    }
}

/// Writes the checksum of two neighbouring pieces.
///
/// # Safety
/// As the header says.
pub(crate) unsafe fn combine<C: Checksum>(
    first: *const C::Kept,
    next: *const C::Kept,
    next_bytes: u64,
    place: *mut C::Kept,
) -> Result<(), Failure> {
    // SAFETY: the caller's promises.
    unsafe {
        put(place, C::NAME, || {
            let first = C::from_kept(get(first, "first")?)?;
            let next = C::from_kept(get(next, "next")?)?;
            Ok(first.combine(next, next_bytes)?.keep())
        })
    }
}

/// A checksum of ZFS, kept as four words.
macro_rules! zfs {
    ($kernel:ident, $kept:ident, $whole:ident, $swapped:ident) => {
        impl crate::fletcher::Checksum for $kernel {
            type Kept = $kept;
            const NAME: &'static str = "sums";

            fn from_kept(kept: $kept) -> Result<Self, crate::status::Failure> {
                Ok($kernel { words: kept.words })
            }

            fn keep(self) -> $kept {
                $kept { words: self.words }
            }

            fn whole(isa: Isa, swapped: bool, data: &[u8]) -> Result<$kept, crate::status::Failure> {
                let sums = match swapped {
                    true => kernels::fletcher::$swapped(isa, data)?,
                    false => kernels::fletcher::$whole(isa, data)?,
                };
                Ok(sums.keep())
            }

            fn update(&mut self, isa: Isa, swapped: bool, data: &[u8]) -> Result<(), crate::status::Failure> {
                match swapped {
                    true => self.update_swapped_with(isa, data)?,
                    false => self.update_with(isa, data)?,
                }
                Ok(())
            }

            fn combine(self, next: Self, next_bytes: u64) -> Result<Self, crate::status::Failure> {
                Ok($kernel::combine(self, next, next_bytes)?)
            }
        }
    };
}
pub(crate) use zfs;

/// A modular checksum, kept as a number; its bytes have one order.
macro_rules! modular {
    ($kernel:ident, $number:ty, $whole:ident) => {
        impl crate::fletcher::Checksum for $kernel {
            type Kept = $number;
            const NAME: &'static str = "checksum";

            fn from_kept(kept: $number) -> Result<Self, crate::status::Failure> {
                Ok($kernel::from_value(kept)?)
            }

            fn keep(self) -> $number {
                self.value()
            }

            fn whole(isa: Isa, _: bool, data: &[u8]) -> Result<$number, crate::status::Failure> {
                Ok(kernels::fletcher::$whole(isa, data)?)
            }

            fn update(&mut self, isa: Isa, _: bool, data: &[u8]) -> Result<(), crate::status::Failure> {
                Ok(self.update_with(isa, data)?)
            }

            fn combine(self, next: Self, next_bytes: u64) -> Result<Self, crate::status::Failure> {
                Ok($kernel::combine(self, next, next_bytes)?)
            }
        }
    };
}
pub(crate) use modular;
