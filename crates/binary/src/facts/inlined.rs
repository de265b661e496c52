//! Which instructions of a function come from functions that were inlined into it, and the lines of its calls.

use super::{InlineFrame, SourceLocation};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Inlined code by address. Names and files are stored once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InlinedCode {
    /// Names of functions and files.
    texts: Vec<String>,
    /// Function, file of the call and its line: indices into `texts`; line 0 is unknown.
    frames: Vec<(u32, u32, u32)>,
    /// Frames from the innermost outwards.
    chains: Vec<Vec<u32>>,
    /// `[start, end)` and its chain, sorted; code that was not inlined is left out.
    ranges: Vec<(u64, u64, u32)>,
    /// Start and end of a call instruction, the file and the line of the call; sorted.
    calls: Vec<(u64, u64, u32, u32)>,
    /// Call instructions that call the function itself.
    pub calls_itself: u32,
}

impl InlinedCode {
    /// There is none.
    pub fn is_none(&self) -> bool {
        self.ranges.is_empty() && self.calls.is_empty() && self.calls_itself == 0
    }

    /// The functions that were inlined at `address`, innermost first, each with the place of its call.
    pub fn at(&self, address: u64) -> impl Iterator<Item = Inlined<'_>> {
        let after = self.ranges.partition_point(|range| range.0 <= address);
        let range = after.checked_sub(1).and_then(|at| self.ranges.get(at)).filter(|r| address < r.1);
        let chain = range.and_then(|range| self.chains.get(range.2 as usize)).map_or(&[][..], Vec::as_slice);
        chain.iter().filter_map(|&frame| {
            let &(function, file, line) = self.frames.get(frame as usize)?;
            let call = self.text(file).filter(|_| line > 0).map(|file| (file, line));
            Some(Inlined { function: self.text(function)?, call })
        })
    }

    /// File and line of the call that a frame at `address` is in: an address of the call or the one that it returns to.
    pub fn call_at(&self, address: u64) -> Option<(&str, u32)> {
        let after = self.calls.partition_point(|call| call.0 <= address);
        let holds = |call: &&(u64, u64, u32, u32)| (call.0..=call.1).contains(&address);
        let near = [after.checked_sub(1), after.checked_sub(2)].into_iter().flatten();
        // A call right behind another starts where the first returns to.
        let found = near.filter_map(|at| self.calls.get(at)).filter(holds).min_by_key(|call| call.0)?;
        Some((self.text(found.2)?, found.3))
    }

    fn text(&self, number: u32) -> Option<&str> {
        self.texts.get(number as usize).map(String::as_str)
    }
}

/// A function that was inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inlined<'a> {
    /// Its name.
    pub function: &'a str,
    /// File and line of its call, when known.
    pub call: Option<(&'a str, u32)>,
}

/// Collects the code of a function in address order.
#[derive(Debug, Default)]
pub struct Collected {
    code: InlinedCode,
    numbers: HashMap<String, u32>,
    frames: HashMap<(u32, u32, u32), u32>,
}

impl Collected {
    /// Adds a chain, innermost first; its number is for [`Collected::range`].
    pub fn chain(&mut self, frames: &[InlineFrame]) -> u32 {
        let mut chain = Vec::with_capacity(frames.len());
        for frame in frames {
            let function = self.number(&frame.function);
            let (file, line) =
                frame.call_site.as_ref().map_or((0, 0), |site| (self.number(&site.file), site.line));
            let next = self.code.frames.len() as u32;
            let at = *self.frames.entry((function, file, line)).or_insert(next);
            if at == next {
                self.code.frames.push((function, file, line));
            }
            chain.push(at);
        }
        self.code.chains.push(chain);
        self.code.chains.len() as u32 - 1
    }

    /// Adds code of a chain.
    pub fn range(&mut self, (start, end): (u64, u64), chain: u32) {
        match self.code.ranges.last_mut() {
            Some(last) if last.1 == start && last.2 == chain => last.1 = end,
            _ => self.code.ranges.push((start, end, chain)),
        }
    }

    /// Adds a call instruction.
    pub fn call(&mut self, (start, end): (u64, u64), at: &SourceLocation) {
        let file = self.number(&at.file);
        self.code.calls.push((start, end, file, at.line));
    }

    /// Adds a call of the function itself.
    pub fn calls_itself(&mut self) {
        self.code.calls_itself += 1;
    }

    /// All of it, sorted.
    pub fn finish(mut self) -> InlinedCode {
        self.code.ranges.sort_unstable();
        self.code.calls.sort_unstable();
        self.code
    }

    fn number(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        let next = self.code.texts.len() as u32;
        self.code.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), next);
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str, line: u32) -> InlineFrame {
        let site = SourceLocation { file: "a.cpp".into(), line, column: 0 };
        InlineFrame { function: function.into(), call_site: Some(site) }
    }

    #[test]
    fn code_and_calls_are_found_by_address() {
        let mut collected = Collected::default();
        let find = collected.chain(&[frame("_M_lower_bound", 7), frame("find", 12)]);
        let own = collected.chain(&[frame("find", 12)]);
        collected.range((0x10, 0x14), find);
        collected.range((0x14, 0x18), find);
        collected.range((0x18, 0x1c), own);
        collected.call((0x20, 0x25), &SourceLocation { file: "a.cpp".into(), line: 30, column: 0 });
        collected.call((0x25, 0x2a), &SourceLocation { file: "a.cpp".into(), line: 31, column: 0 });
        let code = collected.finish();
        let names = |address| code.at(address).map(|i| i.function).collect::<Vec<_>>();
        assert_eq!(names(0x15), ["_M_lower_bound", "find"]);
        assert_eq!(names(0x18), ["find"]);
        assert!(names(0x1c).is_empty() && names(0).is_empty());
        assert_eq!(code.at(0x12).last().unwrap().call, Some(("a.cpp", 12)));
        // The address that a call returns to, and the one before it.
        assert_eq!(code.call_at(0x25), Some(("a.cpp", 30)));
        assert_eq!(code.call_at(0x24), Some(("a.cpp", 30)));
        assert_eq!(code.call_at(0x2a), Some(("a.cpp", 31)));
        assert_eq!(code.call_at(0x2b), None);
        assert_eq!(code.ranges.len(), 2, "equal neighbours are one");
    }
}
