//! The interface through which the analysis reads a binary.
//!
//! The analysis works on anything that can return bytes, names and source places by address: an ELF image, or
//! a few assembled bytes in a test. Everything but `code` may answer "unknown".

use super::memo::Memo;
use crate::facts::{FunctionInfo, InlineFrame, SourceLocation};
pub use crate::image::GuardedRange;
use crate::image::Image;
use std::borrow::Cow;

/// Where an instruction comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The line that the instruction implements, in the innermost inlined function.
    pub location: Option<SourceLocation>,
    /// Inlined functions at this place, innermost first; empty when nothing was inlined.
    pub inlined: Vec<InlineFrame>,
}

/// A binary as the analysis sees it. Addresses are ELF virtual addresses.
pub trait CodeSource {
    /// The bytes of `[start, end)`, when all of them are executable code.
    fn code(&self, start: u64, end: u64) -> Option<&[u8]>;

    /// `length` bytes of initialised data (or code) at `address`.
    fn data(&self, address: u64, length: usize) -> Option<&[u8]>;

    /// Whether the program cannot write to `address`.
    fn is_read_only(&self, address: u64) -> bool;

    /// The pointer stored at `address`, after relocation.
    fn pointer_at(&self, address: u64) -> Option<u64> {
        let bytes = self.data(address, 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    /// The name of the function that starts at `address`; entries of procedure linkage tables
    /// answer with the function that they lead to.
    fn name_at(&self, _address: u64) -> Option<String> {
        None
    }

    /// As [`Self::name_at`], but as the linker spells it, where that is cheaper to find.
    fn linkage_name_at(&self, address: u64) -> Option<Cow<'_, str>> {
        self.name_at(address).map(Cow::Owned)
    }

    /// The address ranges of the function whose code holds `address`, that of its entry first.
    fn spans_at(&self, address: u64) -> Vec<(u64, u64)> {
        self.function_at(address).map_or_else(Vec::new, |function| function.spans().collect())
    }

    /// The function whose code holds `address`.
    fn function_at(&self, _address: u64) -> Option<&FunctionInfo> {
        None
    }

    /// Source place of the instruction at `address`.
    fn place(&self, _address: u64) -> Place {
        Place::default()
    }

    /// Exception-handling ranges of a function.
    fn guarded_ranges(&self, _function: &FunctionInfo) -> Vec<GuardedRange> {
        Vec::new()
    }

    /// Addresses in `[start, end)` that relocations or data words point to.
    fn address_taken(&self, _start: u64, _end: u64) -> Vec<u64> {
        Vec::new()
    }

    /// Where answers about called functions are kept from one analysis to the next.
    fn memo(&self) -> Option<&Memo> {
        None
    }
}

impl CodeSource for Image {
    fn code(&self, start: u64, end: u64) -> Option<&[u8]> {
        self.code(start, end)
    }

    fn data(&self, address: u64, length: usize) -> Option<&[u8]> {
        self.data(address, length)
    }

    fn is_read_only(&self, address: u64) -> bool {
        self.is_read_only(address)
    }

    fn pointer_at(&self, address: u64) -> Option<u64> {
        self.pointer_at(address)
    }

    fn name_at(&self, address: u64) -> Option<String> {
        self.name_at(address).map(|name| name.into_owned())
    }

    fn linkage_name_at(&self, address: u64) -> Option<Cow<'_, str>> {
        self.linkage_name_at(address)
    }

    fn spans_at(&self, address: u64) -> Vec<(u64, u64)> {
        self.function_at(address).map(|index| self.spans(index).collect()).unwrap_or_default()
    }

    fn function_at(&self, address: u64) -> Option<&FunctionInfo> {
        self.function(self.function_at(address)?)
    }

    fn place(&self, address: u64) -> Place {
        if !self.facts().has_lines {
            return Place::default();
        }
        let found = self.locate(address);
        Place { location: found.location, inlined: found.inlined }
    }

    fn guarded_ranges(&self, function: &FunctionInfo) -> Vec<GuardedRange> {
        self.function_at(function.address).map(|index| self.guarded_ranges(index)).unwrap_or_default()
    }

    fn address_taken(&self, start: u64, end: u64) -> Vec<u64> {
        self.address_taken((start, end))
    }

    fn memo(&self) -> Option<&Memo> {
        Some(self.memo())
    }
}
