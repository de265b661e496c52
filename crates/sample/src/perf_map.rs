//! Names of just-in-time compiled code, from `/tmp/perf-PID.map`.
//!
//! Source: `tools/perf/Documentation/jit-interface.txt` of Linux: lines of `START SIZE NAME`, in hexadecimal,
//! appended by the runtime while it compiles; a later line replaces earlier ones at its addresses.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Files beyond this size are not read.
const MOST_BYTES: u64 = 256 << 20;

/// Symbols of one process's generated code.
#[derive(Debug, Default)]
pub struct PerfMap {
    symbols: BTreeMap<u64, (u64, String)>,
}

impl PerfMap {
    /// The map of a process, when its runtime wrote one.
    pub fn of_process(pid: u32) -> Option<Self> {
        let path = PathBuf::from(format!("/tmp/perf-{pid}.map"));
        let meta = std::fs::metadata(&path).ok()?;
        if !meta.is_file() || meta.len() > MOST_BYTES {
            return None;
        }
        Some(Self::parse(&String::from_utf8_lossy(&std::fs::read(path).ok()?)))
    }

    fn parse(text: &str) -> Self {
        let mut symbols = BTreeMap::new();
        for line in text.lines() {
            let mut words = line.splitn(3, ' ');
            let mut number = || {
                let word = words.next()?;
                u64::from_str_radix(word.trim_start_matches("0x"), 16).ok()
            };
            let (Some(start), Some(size)) = (number(), number()) else { continue };
            if let (Some(name), Some(end)) = (words.next(), start.checked_add(size)) {
                symbols.insert(start, (end, name.trim().to_owned()));
            }
        }
        Self { symbols }
    }

    /// The symbol that holds `address`.
    pub fn name(&self, address: u64) -> Option<&str> {
        let (_, (end, name)) = self.symbols.range(..=address).next_back()?;
        (address < *end).then_some(name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_line_wins_and_junk_is_skipped() {
        let map = PerfMap::parse(
            "7f00 10 py::old:<string>\n0x8000 20 with spaces in it\njunk\n7f00 zz bad\n7f00 18 py::new\nffffffffffffffff ff wraps\n",
        );
        assert_eq!(map.name(0x7f00), Some("py::new"));
        assert_eq!(map.name(0x7f17), Some("py::new"));
        assert_eq!(map.name(0x7f18), None);
        assert_eq!(map.name(0x801f), Some("with spaces in it"));
        assert_eq!(map.name(0), None);
        assert_eq!(map.name(u64::MAX), None);
    }
}
