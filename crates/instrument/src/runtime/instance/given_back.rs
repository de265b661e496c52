//! Code that the program is about to write to runs as it is from then on: functions that share bytes with it are given back.

use super::Instance;
use crate::runtime::tracee::Memory;
use loopwright_binary::facts::FunctionInfo;
use std::io;
use std::ops::Range;

/// `call rel32` at an address to a copy's entry, as calls in place are rewritten.
pub(super) fn shortened(at: u64, entry: u64) -> Option<[u8; 5]> {
    let distance =
        i32::try_from(entry.wrapping_sub(at.wrapping_add(5)) as i64).ok().filter(|_| entry != 0)?;
    let [a, b, c, d] = distance.to_le_bytes();
    Some([0xe8, a, b, c, d])
}

/// The code of a function: `[start, end)` by the addresses of its file.
fn pieces(function: &FunctionInfo) -> impl Iterator<Item = (u64, u64)> + '_ {
    std::iter::once((function.address, function.end)).chain(function.parts.iter().copied())
}

impl Instance {
    /// Restores the functions that have bytes in a stretch of memory, because a process is about to write there. Threads inside
    /// their copies continue there until their next return to the original.
    pub fn give_back(&mut self, stretch: &Range<u64>, memory: &Memory) -> io::Result<()> {
        let functions = self.module.image.unnamed_functions();
        let written = |at: u64, bytes: u64| at < stretch.end && stretch.start < at.saturating_add(bytes);
        for (k, function) in functions.iter().enumerate() {
            let hit = pieces(function)
                .any(|(start, end)| written(start.wrapping_add(self.bias), end.saturating_sub(start)));
            if hit && self.is_redirected(k, function.address) {
                self.given_back.insert(k);
            }
        }
        // Jumps into copies may be outside of their function: in padding that another function's jumps go through.
        for (k, w) in &self.functions {
            if w.patches.iter().any(|(at, jump)| written(*at, jump.len() as u64)) {
                self.given_back.insert(*k);
            }
        }
        let entries = self.armed.iter().filter(|(at, _)| self.is_given_back_at(*at));
        let of_copies = self.functions.iter().filter(|(k, _)| self.given_back.contains(k));
        for (at, jump) in entries.chain(of_copies.flat_map(|(_, w)| &w.patches)) {
            self.put_back(*at, jump, memory)?;
        }
        // Calls in these functions, and calls of them from others, may lead to copies without passing the entry.
        for (caller, w) in &self.functions {
            for &(at, callee) in &w.calls {
                let entry = self.functions.get(&callee).map_or(0, |callee| callee.entry);
                let concerned = self.given_back.contains(caller) || self.given_back.contains(&callee);
                if concerned && let Some(call) = shortened(at, entry) {
                    self.put_back(at, &call, memory)?;
                }
            }
        }
        Ok(())
    }

    /// Restores bytes where a process still has the tool's. Others are the program's: it may have written to code that was given back
    /// before, or that the process which it was forked from got back.
    fn put_back(&self, at: u64, ours: &[u8], memory: &Memory) -> io::Result<()> {
        if memory.read(at, ours.len())? != ours {
            return Ok(());
        }
        let original = self.module.image.data(at.wrapping_sub(self.bias), ours.len());
        memory.write(at, original.ok_or_else(|| io::Error::other("its file has no such code"))?)
    }

    /// From the first byte of the module's functions to their last, at run time.
    pub fn code(&self) -> Range<u64> {
        let pieces = || self.module.image.unnamed_functions().iter().flat_map(pieces);
        let start = pieces().map(|(start, _)| start).min().unwrap_or(0);
        let end = pieces().map(|(_, end)| end).max().unwrap_or(0);
        start.wrapping_add(self.bias)..end.wrapping_add(self.bias)
    }

    /// Whether a function runs its own code, because a process wrote to it or was about to.
    pub fn is_given_back(&self, index: usize) -> bool {
        self.given_back.contains(&index)
    }

    /// Functions that were given back, by index, in the order of their addresses.
    pub fn given_back(&self) -> impl Iterator<Item = usize> {
        self.given_back.iter().copied()
    }

    /// Whether the function that begins at a run-time address was given back.
    pub(super) fn is_given_back_at(&self, at: u64) -> bool {
        let own = at.wrapping_sub(self.bias);
        let functions = self.module.image.unnamed_functions();
        functions.binary_search_by_key(&own, |f| f.address).is_ok_and(|k| self.given_back.contains(&k))
    }

    /// Whether jumps lead from the function to the tool's code, or will when it is called.
    fn is_redirected(&self, index: usize, address: u64) -> bool {
        let at = address.wrapping_add(self.bias);
        self.functions.contains_key(&index) || self.armed.binary_search_by_key(&at, |a| a.0).is_ok()
    }
}
