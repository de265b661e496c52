//! What the analysis asks of a binary.
//!
//! The analysis works on anything that can hand out bytes, names and source places by address:
//! an ELF image, or a few assembled bytes in a test. Everything but `code` may answer "unknown".

use crate::facts::{FunctionInfo, InlineFrame, SourceLocation};

/// Where an instruction comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The line that the instruction implements, in the innermost inlined function.
    pub location: Option<SourceLocation>,
    /// Inlined functions at this place, innermost first; empty when nothing was inlined.
    pub inlined: Vec<InlineFrame>,
}

/// A `call` range guarded by an exception handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardedRange {
    /// First address of the guarded instructions.
    pub start: u64,
    /// End of the guarded instructions (exclusive).
    pub end: u64,
    /// The landing pad that receives control.
    pub pad: u64,
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
}
