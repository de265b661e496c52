//! Walking a stack by unwind tables over a copy of it.
//!
//! The tables are interpreted by `framehop`. Each file is unwound in its *own* address space: an address is
//! turned into (module, ELF virtual address) first, and the file's unwinder sees only that. So each file's
//! tables are loaded once however many processes map it, forks and exec cost nothing, and the rule cache is
//! shared by all. Where no table covers an address the walk falls back to frame pointers.

use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{Error as UnwindError, FrameAddress, Unwinder as _};

use crate::image::Section;
use crate::perf::records::Registers;

/// No stack is followed further than this; deeper recursion counts as truncated.
pub const MOST_FRAMES: usize = 1024;

/// Where an address lies: the unwinder of its file, and the address within that file.
pub struct Place<'a> {
    /// The file's unwinder; absent for code without a file.
    pub unwinder: Option<&'a UnwinderX86_64<Section>>,
    /// ELF virtual address (run-time address for code without a file).
    pub address: u64,
}

/// Memory of the sampled thread from its stack pointer upwards.
#[derive(Clone, Copy, Debug)]
pub struct StackCopy<'a> {
    /// Address of the first byte.
    pub start: u64,
    /// The bytes.
    pub bytes: &'a [u8],
}

impl StackCopy<'_> {
    fn word(&self, address: u64) -> Option<u64> {
        let from = usize::try_from(address.checked_sub(self.start)?).ok()?;
        let bytes = self.bytes.get(from..from.checked_add(8)?)?;
        bytes.try_into().ok().map(u64::from_le_bytes)
    }
}

/// Walks stacks; keeps the rules it has found.
pub struct StackWalker {
    cache: CacheX86_64,
    without_tables: UnwinderX86_64<Section>,
}

impl Default for StackWalker {
    fn default() -> Self {
        Self { cache: CacheX86_64::new(), without_tables: UnwinderX86_64::new() }
    }
}

impl StackWalker {
    /// Calls `found` with each caller's address (return address - 1), innermost first. `true` when the walk
    /// reached the thread's first function.
    pub fn walk<'p>(
        &mut self,
        registers: Registers,
        stack: StackCopy<'_>,
        mut place: impl FnMut(u64) -> Option<Place<'p>>,
        mut found: impl FnMut(u64),
    ) -> bool {
        let mut state = UnwindRegsX86_64::new(registers.ip, registers.sp, registers.bp);
        let mut read = |address| stack.word(address).ok_or(());
        let mut lookup = registers.ip;
        for depth in 0..MOST_FRAMES {
            let at = place(lookup);
            // Neither a module nor known code: a wrong turn, unless it is where the thread was sampled.
            let Some(at) = at.or_else(|| (depth == 0).then_some(Place { unwinder: None, address: lookup }))
            else {
                return false;
            };
            let address = if depth == 0 {
                FrameAddress::from_instruction_pointer(at.address)
            } else {
                match at.address.checked_add(1).and_then(FrameAddress::from_return_address) {
                    Some(address) => address,
                    None => return false,
                }
            };
            let unwinder = at.unwinder.unwrap_or(&self.without_tables);
            match unwinder.unwind_frame(address, &mut state, &mut self.cache, &mut read) {
                Ok(Some(return_address)) if return_address > 1 => {
                    lookup = return_address - 1;
                    found(lookup);
                }
                Ok(_) | Err(UnwindError::ReturnAddressIsNull) => return true,
                Err(_) => return false,
            }
        }
        false
    }
}
