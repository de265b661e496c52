//! What the views of one loop's code are made from, and the places of loops in it.

use crate::source_text::NoText;
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
#[derive(Clone, Debug)]
pub struct SourceView<'a> {
    /// The code that was made of it.
    pub code: CodeView<'a>,
    /// Text of the loop's file, or why there is none.
    pub text: Result<&'a str, NoText>,
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
        time_by_line(self.code, self.nanoseconds).remove(file).unwrap_or_default()
    }
}

/// Self time by file and line of a function's code.
pub(crate) fn time_by_line<'a>(
    code: &'a FunctionCode,
    nanoseconds: &HashMap<u64, u64>,
) -> HashMap<&'a str, BTreeMap<u32, u64>> {
    let mut files: HashMap<&str, BTreeMap<u32, u64>> = HashMap::new();
    for each in code.instructions.iter().filter(|each| each.line > 0) {
        let file = each.file.and_then(|at| code.files.get(at as usize));
        let time = nanoseconds.get(&each.address).copied().unwrap_or(0);
        if let (Some(file), true) = (file, time > 0) {
            *files.entry(file).or_default().entry(each.line).or_default() += time;
        }
    }
    files
}

/// Whether `address` is in the loop (inner loops included).
pub(crate) fn contains(each: &LoopCode, address: u64) -> bool {
    each.ranges.iter().any(|(start, end)| (*start..*end).contains(&address))
}
