//! Walks a stack with unwind tables over a copy of it.
//!
//! The tables are interpreted by `framehop`. Each file is unwound in its *own* address space: an address is
//! turned into (module, ELF virtual address) first, and the file's unwinder sees only that. So each file's
//! tables are loaded once however many processes map it, forks and exec cost nothing, and the rule cache is
//! shared by all. Where no table covers an address the walk falls back to frame pointers.

use std::panic::{AssertUnwindSafe, catch_unwind};

use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{Error as UnwindError, FrameAddress, Unwinder as _};

use crate::image::Section;
use crate::perf::records::Registers;

/// Most frames of a walk; deeper recursion counts as truncated.
pub const MOST_FRAMES: usize = 1024;

/// Most bytes beyond its copy to which a stack is followed: the usual limit of a thread's stack.
const MOST_BEYOND: u64 = 8 << 20;

/// The place of an address: the unwinder of its file, and the address within that file.
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
    pub bytes: &'a [u8],
}

impl StackCopy<'_> {
    fn word(&self, address: u64) -> Option<u64> {
        let from = usize::try_from(address.checked_sub(self.start)?).ok()?;
        let bytes = self.bytes.get(from..from.checked_add(8)?)?;
        bytes.try_into().ok().map(u64::from_le_bytes)
    }
}

/// Walks stacks; caches the unwind rules.
pub struct StackWalker {
    cache: CacheX86_64,
    without_tables: UnwinderX86_64<Section>,
    chain: Vec<u64>,
}

impl Default for StackWalker {
    fn default() -> Self {
        Self { cache: CacheX86_64::new(), without_tables: UnwinderX86_64::new(), chain: Vec::new() }
    }
}

impl StackWalker {
    /// Calls `found` with each caller's address (return address - 1), innermost first. `true` when the walk
    /// reached the thread's first function. `beyond` reads words further up than the copy reaches.
    pub fn walk<'p>(
        &mut self,
        registers: Registers,
        stack: StackCopy<'_>,
        mut place: impl FnMut(u64) -> Option<Place<'p>>,
        mut beyond: impl FnMut(u64) -> Option<u64>,
        found: impl FnMut(u64),
    ) -> bool {
        let mut chain = std::mem::take(&mut self.chain);
        chain.clear();
        let mut complete = self.follow(registers, true, stack, &mut place, &mut beyond, &mut chain);
        if !complete && chain.len() <= 1 {
            complete = self.search(registers, stack, &mut place, &mut beyond, &mut chain);
        }
        chain.iter().copied().for_each(found);
        self.chain = chain;
        complete
    }

    /// Finds the caller of a function that no table describes, as of hand-written kernels (for example
    /// OpenBLAS's): the first word up the stack that, taken as a return address, leads to the thread's first
    /// function. A stale word of an earlier call can insert a wrong frame, but the frames outside of it are
    /// right; without this the whole time of such kernels would be missing from the program's tree.
    fn search<'p>(
        &mut self,
        registers: Registers,
        stack: StackCopy<'_>,
        place: &mut impl FnMut(u64) -> Option<Place<'p>>,
        beyond: &mut impl FnMut(u64) -> Option<u64>,
        chain: &mut Vec<u64>,
    ) -> bool {
        const MOST_WORDS: u64 = 1024;
        const MOST_ATTEMPTS: usize = 24;
        let cut = chain.clone();
        let mut attempts = 0;
        for slot in (0..MOST_WORDS).map_while(|word| registers.sp.checked_add(word * 8)) {
            let Some(word) = stack.word(slot) else { break };
            if word < 2 || place(word - 1).is_none_or(|place| place.unwinder.is_none()) {
                continue;
            }
            chain.clear();
            chain.push(word - 1);
            let from = Registers { ip: word, sp: slot.wrapping_add(8), bp: registers.bp };
            if self.follow(from, false, stack, place, beyond, chain) && chain.len() > 2 {
                return true;
            }
            attempts += 1;
            if attempts == MOST_ATTEMPTS {
                break;
            }
        }
        *chain = cut;
        false
    }

    /// Follows the tables from `registers` on; `exact` says that `ip` is an instruction pointer and not a
    /// return address.
    fn follow<'p>(
        &mut self,
        registers: Registers,
        mut exact: bool,
        stack: StackCopy<'_>,
        place: &mut impl FnMut(u64) -> Option<Place<'p>>,
        beyond: &mut impl FnMut(u64) -> Option<u64>,
        chain: &mut Vec<u64>,
    ) -> bool {
        let mut state = UnwindRegsX86_64::new(registers.ip, registers.sp, registers.bp);
        let end = stack.start.saturating_add(stack.bytes.len() as u64);
        let mut read = |address| match stack.word(address) {
            Some(word) => Ok(word),
            None if (end..end.saturating_add(MOST_BEYOND)).contains(&address) => beyond(address).ok_or(()),
            None => Err(()),
        };
        // The address within the call instruction, for a return address.
        let mut lookup = if exact { registers.ip } else { registers.ip.wrapping_sub(1) };
        for depth in 0..MOST_FRAMES {
            let at = place(lookup);
            // Neither a module nor known code: the walk went wrong, unless the thread was sampled here.
            let Some(at) = at.or_else(|| (depth == 0).then_some(Place { unwinder: None, address: lookup }))
            else {
                return false;
            };
            if !exact
                && let Some(interrupted) = interrupted_by_signal(&stack, state.sp())
                && place(interrupted.ip).is_some()
            {
                state = UnwindRegsX86_64::new(interrupted.ip, interrupted.sp, interrupted.bp);
                lookup = interrupted.ip;
                exact = true;
                chain.push(lookup);
                continue;
            }
            let address = if exact {
                FrameAddress::from_instruction_pointer(at.address)
            } else {
                match at.address.checked_add(1).and_then(FrameAddress::from_return_address) {
                    Some(address) => address,
                    None => return false,
                }
            };
            let unwinder = at.unwinder.unwrap_or(&self.without_tables);
            // framehop uses values of the tables in unchecked arithmetic; damaged tables must not end the survey.
            let step = catch_unwind(AssertUnwindSafe(|| {
                unwinder.unwind_frame(address, &mut state, &mut self.cache, &mut read)
            }));
            let Ok(step) = step else {
                self.cache = CacheX86_64::new();
                return false;
            };
            match step {
                Ok(Some(return_address)) if return_address > 1 => {
                    lookup = return_address - 1;
                    exact = false;
                    chain.push(lookup);
                }
                Ok(_) | Err(UnwindError::ReturnAddressIsNull) => return true,
                Err(_) => return false,
            }
        }
        false
    }
}

/// The registers that a signal interrupted, when `sp` is where a signal handler returns to.
///
/// The handler returns into a trampoline (`rt_sigreturn`) with the stack pointer at a `ucontext_t`, whose general
/// registers begin at byte 40 (`arch/x86/include/uapi/asm/sigcontext.h`). C libraries describe that by DWARF
/// expressions that read memory, or not at all, so that the frame is recognised by its segment selectors, which
/// are the same for all 64-bit user code: cs 0x33 and ss 0x2b.
fn interrupted_by_signal(stack: &StackCopy<'_>, sp: u64) -> Option<Registers> {
    let register = |offset| stack.word(sp.checked_add(offset)?);
    let selectors = register(184)?;
    if selectors & 0xffff != 0x33 || selectors >> 48 != 0x2b {
        return None;
    }
    Some(Registers { ip: register(168)?, sp: register(160)?, bp: register(120)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_within_the_copy_only() {
        let bytes: Vec<u8> = (0..16).collect();
        let stack = StackCopy { start: 0x1000, bytes: &bytes };
        assert_eq!(stack.word(0x1000), Some(0x0706_0504_0302_0100));
        assert_eq!(stack.word(0x1008), Some(0x0f0e_0d0c_0b0a_0908));
        for address in [0xfff, 0x1009, 0x1010, u64::MAX] {
            assert_eq!(stack.word(address), None);
        }
    }

    #[test]
    fn frame_pointers_are_followed_where_no_table_helps() {
        // Two frames: [saved bp, return address] each; the last saved bp is 0.
        let words: [u64; 6] = [0x1010, 0x5001, 0, 0x6001, 0, 0];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut found = Vec::new();
        StackWalker::default().walk(
            Registers { ip: 0x4000, sp: 0x1000, bp: 0x1000 },
            StackCopy { start: 0x1000, bytes: &bytes },
            |address| Some(Place { unwinder: None, address }),
            |_| None,
            |caller| found.push(caller),
        );
        assert_eq!(found, [0x5000, 0x6000]);
    }

    #[test]
    fn a_signal_frame_leads_to_what_it_interrupted() {
        let mut bytes = vec![0_u8; 256];
        let mut put =
            |offset: usize, word: u64| bytes[offset..offset + 8].copy_from_slice(&word.to_le_bytes());
        put(184, 0x002b_0000_0000_0033);
        put(168, 0x7777);
        put(160, 0x2000);
        put(120, 0x3000);
        let stack = StackCopy { start: 0x1000, bytes: &bytes };
        assert_eq!(
            interrupted_by_signal(&stack, 0x1000),
            Some(Registers { ip: 0x7777, sp: 0x2000, bp: 0x3000 })
        );
        assert_eq!(interrupted_by_signal(&stack, 0x1008), None);
        assert_eq!(interrupted_by_signal(&stack, u64::MAX), None);
    }
}
