//! Names of just-in-time compiled code, from `/tmp/perf-PID.map`.
//!
//! Source: `tools/perf/Documentation/jit-interface.txt` of Linux: lines of `START SIZE NAME`, in hexadecimal,
//! appended by the runtime while it compiles; a later line replaces earlier ones at its addresses.

use loopwright_files::regular;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

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
        // SAFETY: geteuid has no preconditions and always succeeds.
        let own = unsafe { libc::geteuid() };
        Self::read(&PathBuf::from(format!("/tmp/perf-{pid}.map")), own)
    }

    /// Every user may write to `/tmp`, and process ids are reused: as perf does (`tools/perf/util/symbol.c`),
    /// only a regular file of this user or of root is read, and no link to one.
    fn read(path: &Path, user: u32) -> Option<Self> {
        let file = regular::open_itself(path).ok()?;
        let owner = file.metadata().ok()?.uid();
        if owner != 0 && owner != user {
            return None;
        }
        Some(Self::parse(&String::from_utf8_lossy(&regular::read_opened(file, MOST_BYTES).ok()?)))
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

    #[test]
    fn only_a_file_of_this_user_or_of_root_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let (map, link, pipe) = (folder.path().join("a"), folder.path().join("b"), folder.path().join("c"));
        std::fs::write(&map, "7f00 10 f\n").unwrap();
        std::os::unix::fs::symlink(&map, &link).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let owner = std::fs::metadata(&map).unwrap().uid();
        assert!(PerfMap::read(&map, owner).is_some());
        assert!(PerfMap::read(&link, owner).is_none());
        assert!(PerfMap::read(&pipe, owner).is_none());
        // Root's files are read for every user; another user's are not.
        assert_eq!(PerfMap::read(&map, owner + 1).is_some(), owner == 0);
        if owner == 0 {
            std::os::unix::fs::chown(&map, Some(12_345), None).unwrap();
            assert!(PerfMap::read(&map, 0).is_none() && PerfMap::read(&map, 12_345).is_some());
        }
    }
}
