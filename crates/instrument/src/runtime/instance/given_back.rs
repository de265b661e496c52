//! Code that the program is about to write to runs as it is from then on: functions that share bytes with it are given back.

use super::Instance;
use crate::runtime::tracee::Memory;
use loopwright_binary::facts::FunctionInfo;
use std::io;
use std::ops::Range;

/// Bytes of `call rel32`: opcode and displacement.
const CALL: usize = 5;

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
        let entries = entries.map(|(at, jump)| (*at, jump.len()));
        let of_copies = self.functions.iter().filter(|(k, _)| self.given_back.contains(k));
        let inner = of_copies.flat_map(|(_, w)| &w.patches).map(|(at, jump)| (*at, jump.len()));
        // Calls in these functions, and calls of them from others, may lead to copies without passing the entry.
        let all_calls = self.functions.iter().flat_map(|(k, w)| w.calls.iter().map(move |call| (*k, call)));
        let calls = all_calls
            .filter(|(caller, (_, callee))| {
                self.given_back.contains(caller) || self.given_back.contains(callee)
            })
            .map(|(_, (at, _))| (*at, CALL));
        for (at, length) in entries.chain(inner).chain(calls) {
            let own = at.wrapping_sub(self.bias);
            let original = self.module.image.data(own, length);
            memory.write(at, original.ok_or_else(|| io::Error::other("its file has no such code"))?)?;
        }
        Ok(())
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
