//! What `/proc` tells of a process: its mappings, start values and program.

use std::io;
use std::path::PathBuf;

/// A mapping of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// First address.
    pub start: u64,
    /// First address behind it.
    pub end: u64,
    /// Offset in the file.
    pub offset: u64,
    /// Executable.
    pub executable: bool,
    /// File, or empty, or a name in brackets.
    pub path: String,
}

/// Mappings of a process, by address.
pub fn mappings(process: i32) -> io::Result<Vec<Mapping>> {
    Ok(parse_mappings(&std::fs::read_to_string(format!("/proc/{process}/maps"))?))
}

/// Parses `/proc/PID/maps` (proc(5)).
pub fn parse_mappings(text: &str) -> Vec<Mapping> {
    text.lines()
        .filter_map(|line| {
            let mut fields = line.splitn(6, ' ');
            let (start, end) = fields.next()?.split_once('-')?;
            let permissions = fields.next()?;
            let offset = fields.next()?;
            let (_device, _inode) = (fields.next()?, fields.next()?);
            Some(Mapping {
                start: u64::from_str_radix(start, 16).ok()?,
                end: u64::from_str_radix(end, 16).ok()?,
                offset: u64::from_str_radix(offset, 16).ok()?,
                executable: permissions.contains('x'),
                path: fields.next().unwrap_or("").trim_start().to_owned(),
            })
        })
        .collect()
}

/// Threads of a process.
pub fn threads(process: i32) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    // A directory has a link from each folder in it, one from itself and one from its parent.
    std::fs::metadata(format!("/proc/{process}/task")).ok()?.nlink().checked_sub(2)
}

/// Files mapped with executable code: path, lowest and highest address.
pub fn modules_of(maps: &[Mapping]) -> Vec<(String, u64, u64)> {
    let mut found: Vec<(String, u64, u64)> = Vec::new();
    for m in maps.iter().filter(|m| m.path.starts_with('/')) {
        match found.last_mut() {
            Some((path, _, high)) if *path == m.path && m.offset > 0 => *high = m.end,
            _ => found.push((m.path.clone(), m.start, m.end)),
        }
    }
    let executable =
        |f: &(String, u64, u64)| maps.iter().any(|m| m.executable && m.start >= f.1 && m.end <= f.2);
    found.retain(executable);
    found
}

/// Whether this is a dynamic loader.
pub fn is_loader(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or("");
    name.starts_with("ld-linux") || name.starts_with("ld-musl") || name.starts_with("ld-2") || name == "ld.so"
}

/// The program that a process runs.
pub fn program(process: i32) -> io::Result<PathBuf> {
    std::fs::read_link(format!("/proc/{process}/exe"))
}

/// A value of the auxiliary vector (getauxval(3)).
pub fn auxiliary(process: i32, key: u64) -> Option<u64> {
    let bytes = std::fs::read(format!("/proc/{process}/auxv")).ok()?;
    bytes.chunks_exact(16).find_map(|pair| {
        let word = |b: &[u8]| b.try_into().map(u64::from_le_bytes).ok();
        (word(pair.get(..8)?)? == key).then(|| word(pair.get(8..)?))?
    })
}

/// A free stretch of `length` bytes from which every address of `[low, high)` is within reach of a
/// relative jump: the nearest below, else above. `reserved` are taken beside the mappings.
pub fn gap_near(maps: &[Mapping], low: u64, high: u64, length: u64, reserved: &[(u64, u64)]) -> Option<u64> {
    /// Less than the 2 GiB that a 32-bit displacement spans.
    const REACH: u64 = 0x7ff0_0000;
    const STEP: u64 = 1 << 16;
    /// Kept free beside other mappings, so that stacks and the heap can still grow a little.
    const MARGIN: u64 = 1 << 20;
    const LOWEST: u64 = 1 << 16;
    let mut taken: Vec<(u64, u64)> =
        maps.iter().map(|m| (m.start, m.end)).chain(reserved.iter().copied()).collect();
    taken.sort_unstable();
    let floor = high.saturating_sub(REACH).max(LOWEST);
    // Downwards from the module.
    let mut end = low & !(STEP - 1);
    for &(start, stop) in taken.iter().rev().filter(|t| t.0 < low).chain([&(0, LOWEST)]) {
        let bottom = stop.saturating_add(MARGIN).max(floor);
        if end >= bottom.saturating_add(length) {
            return Some((end - length) & !(STEP - 1)).filter(|a| *a >= bottom);
        }
        end = end.min(start & !(STEP - 1)).saturating_sub(MARGIN);
        if end < floor {
            break;
        }
    }
    // Upwards, as far away as possible: the heap of a fixed-address program grows there.
    let ceiling = low.saturating_add(REACH).min(0x7fff_ffff_0000);
    let mut top = ceiling & !(STEP - 1);
    for &(start, stop) in taken.iter().rev().filter(|t| t.1 > high) {
        if start < top && top >= stop.saturating_add(length + MARGIN) {
            return Some((top - length) & !(STEP - 1));
        }
        top = top.min(start.saturating_sub(MARGIN) & !(STEP - 1));
    }
    (top >= high.saturating_add(length + MARGIN)).then(|| (top - length) & !(STEP - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
555555554000-555555555000 r--p 00000000 fe:00 1234 /tmp/a b
555555555000-555555556000 r-xp 00001000 fe:00 1234 /tmp/a b
7ffff7fc0000-7ffff7fc2000 r-xp 00000000 00:00 0    [vdso]
7ffff7ff0000-7ffff7ff1000 rw-p 00000000 00:00 0 ";

    #[test]
    fn mappings_are_read_with_spaces_in_names() {
        let maps = parse_mappings(MAPS);
        assert_eq!(maps.len(), 4);
        assert_eq!((maps[1].path.as_str(), maps[1].executable, maps[1].offset), ("/tmp/a b", true, 0x1000));
        assert_eq!(maps[2].path, "[vdso]");
        assert_eq!(maps[3].path, "");
    }

    #[test]
    fn a_gap_is_free_and_in_reach() {
        let maps = parse_mappings(MAPS);
        for (low, high) in [(0x5555_5555_4000, 0x5555_5555_6000), (0x7fff_f7fc_0000, 0x7fff_f7fc_2000)] {
            let at = gap_near(&maps, low, high, 1 << 24, &[]).unwrap();
            assert!(maps.iter().all(|m| at + (1 << 24) <= m.start || m.end <= at));
            assert!(at.abs_diff(high) < 1 << 31 && (at + (1 << 24)).abs_diff(low) < 1 << 31);
        }
    }

    #[test]
    fn a_program_at_a_low_address_gets_one_above() {
        let maps = parse_mappings(
            "00400000-00500000 r-xp 00000000 00:00 0 /a\n00510000-00600000 rw-p 00000000 00:00 0 [heap]",
        );
        let at = gap_near(&maps, 0x40_0000, 0x50_0000, 32 << 20, &[]).unwrap();
        assert!(at > 0x4000_0000 && at + (32 << 20) - 0x40_0000 < 1 << 31);
    }
}
