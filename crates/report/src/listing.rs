//! What the views of one loop's code are made from, and the places of loops in it.

use loopwright_binary::facts::{FunctionCode, LoopCode};
use loopwright_remarks::remark::Remark;
use std::collections::{BTreeMap, HashMap};

/// The code of a loop's function with its samples.
#[derive(Clone, Copy, Debug)]
pub struct CodeView<'a> {
    /// The loop's number, for headings.
    pub id: u32,
    /// The function, with its listing.
    pub code: &'a FunctionCode,
    /// Index of the loop in `code.loops`.
    pub index: usize,
    /// Self time by instruction address, in nanoseconds.
    pub nanoseconds: &'a HashMap<u64, u64>,
    /// Time of the whole program, in nanoseconds.
    pub program_ns: u64,
}

/// The source of a loop with what compilers said about it.
#[derive(Clone, Copy, Debug)]
pub struct SourceView<'a> {
    /// The code that was made of it.
    pub code: CodeView<'a>,
    /// Text of the loop's file; absent when it cannot be read.
    pub text: Option<&'a str>,
    /// Remarks about the file.
    pub remarks: &'a [Remark],
}

impl<'a> CodeView<'a> {
    /// The loop.
    pub(crate) fn this(&self) -> Option<&'a LoopCode> {
        self.code.loops.get(self.index)
    }

    /// Share of the program's time.
    pub(crate) fn share(&self, nanoseconds: u64) -> f64 {
        if self.program_ns == 0 { 0.0 } else { nanoseconds as f64 / self.program_ns as f64 }
    }

    /// Self time of the instruction at `address`.
    pub(crate) fn at(&self, address: u64) -> u64 {
        self.nanoseconds.get(&address).copied().unwrap_or(0)
    }

    /// Self time by line of `file`.
    pub(crate) fn by_line(&self, file: &str) -> BTreeMap<u32, u64> {
        let mut lines = BTreeMap::new();
        for each in &self.code.instructions {
            let own =
                each.file.and_then(|at| self.code.files.get(at as usize)).is_some_and(|name| name == file);
            let time = self.at(each.address);
            if own && each.line > 0 && time > 0 {
                *lines.entry(each.line).or_default() += time;
            }
        }
        lines
    }
}

/// Whether `address` lies in the loop (inner loops included).
pub(crate) fn contains(each: &LoopCode, address: u64) -> bool {
    each.ranges.iter().any(|(start, end)| (*start..*end).contains(&address))
}
