//! Facts about a process from `/proc`: its mappings, start values and program.

use super::areas::{GROUP, MOST_AREAS, SPAN};
use std::io;
use std::path::PathBuf;

/// A mapping of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// First address.
    pub start: u64,
    /// End address (exclusive).
    pub end: u64,
    /// Offset in the file.
    pub offset: u64,
    pub executable: bool,
    /// Inode of the file; number of the segment of shared memory.
    pub inode: u64,
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
            let (_device, inode) = (fields.next()?, fields.next()?.parse().ok()?);
            Some(Mapping {
                start: u64::from_str_radix(start, 16).ok()?,
                end: u64::from_str_radix(end, 16).ok()?,
                offset: u64::from_str_radix(offset, 16).ok()?,
                executable: permissions.contains('x'),
                inode,
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

/// The address of the areas: groups of them, [`SPAN`] addresses apart, downwards from here. Below the program's
/// mappings by a distance that it will hardly use up, since the kernel assigns addresses from the top down.
pub fn place_for_areas(maps: &[Mapping]) -> Option<u64> {
    /// Bytes left to the program's own mappings.
    const MARGIN: u64 = 128 << 30;
    /// Bytes of all possible groups.
    const ALL: u64 = MOST_AREAS / GROUP * SPAN;
    /// End of the addresses of user programs (with four-level page tables, the default of `mmap`).
    const TOP: u64 = 0x7fff_ffff_f000;
    let mut free: Vec<(u64, u64)> = Vec::new();
    let mut end = 1 << 32;
    for m in maps {
        free.push((end, m.start));
        end = end.max(m.end);
    }
    free.push((end, TOP));
    let highest = |least: u64| free.iter().rev().find(|f| f.1.min(TOP).saturating_sub(f.0) >= least);
    let (_, end) = highest(2 * (MARGIN + ALL))?;
    Some(((end.min(&TOP) - MARGIN) & !(SPAN - 1)) - SPAN)
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

/// Child processes, of all threads.
pub fn children(process: i32) -> Vec<i32> {
    thread_ids(process).into_iter().flat_map(|t| children_of_thread(process, t)).collect()
}

/// Child processes of a thread (proc(5), `children`).
pub fn children_of_thread(process: i32, thread: i32) -> Vec<i32> {
    let list = std::fs::read_to_string(format!("/proc/{process}/task/{thread}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|p| p.parse().ok()).collect()
}

/// All processes below this one. Processes that outlive the program are included, because orphans become
/// children of this process (`PR_SET_CHILD_SUBREAPER`).
pub fn descendants() -> Vec<i32> {
    let mut found = children(std::process::id() as i32);
    let mut next = 0;
    while let Some(&process) = found.get(next) {
        next += 1;
        let more: Vec<i32> = children(process).into_iter().filter(|c| !found.contains(c)).collect();
        found.extend(more);
    }
    found
}

/// The line of `/proc/PROCESS/task/THREAD/status` with this name, without it.
pub fn status(process: i32, thread: i32, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(format!("/proc/{process}/task/{thread}/status")).ok()?;
    text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(':').map(|v| v.trim().to_owned()))
}

/// Threads of a process by id.
pub fn thread_ids(process: i32) -> Vec<i32> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    tasks.flatten().filter_map(|t| t.file_name().to_str()?.parse().ok()).collect()
}

/// Mode and number of filters of a thread's seccomp.
fn seccomp(process: i32, thread: i32) -> (u64, u64) {
    let number = |name| status(process, thread, name).and_then(|v| v.parse().ok()).unwrap_or(0);
    (number("Seccomp"), number("Seccomp_filters"))
}

/// Whether a thread of a process is restricted in its system calls more than this process is: a container may
/// put both under the same filters.
pub fn is_restricted(process: i32) -> bool {
    let me = std::process::id() as i32;
    let own = seccomp(me, me);
    thread_ids(process).into_iter().any(|t| seccomp(process, t) != own)
}

/// Whether a process exists and has not ended.
pub fn is_running(process: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    state.is_some_and(|s| !matches!(s, 'Z' | 'X'))
}

/// Processes below this one that run and have a segment mapped.
pub fn left_behind(segment: i32) -> Vec<i32> {
    let has = |p: &i32| {
        let maps = mappings(*p).unwrap_or_default();
        maps.iter().any(|m| m.inode == segment as u64 && m.path.starts_with("/SYSV"))
    };
    descendants().into_iter().filter(|p| is_running(*p) && has(p)).collect()
}

/// Whether a process sees the same System V segments as this one under the same numbers.
pub fn shares_segments(process: i32) -> bool {
    let of = |p: &str| std::fs::read_link(format!("/proc/{p}/ns/ipc")).ok();
    of("self") == of(&process.to_string())
}

/// A free stretch of `length` bytes from which every address of `[low, high)` is within reach of a relative
/// jump: the nearest below, else above, else between existing mappings. `reserved` ranges count as taken.
pub fn gap_near(maps: &[Mapping], low: u64, high: u64, length: u64, reserved: &[(u64, u64)]) -> Option<u64> {
    /// Less than the 2 GiB that a 32-bit displacement spans.
    const REACH: u64 = 0x7ff0_0000;
    const STEP: u64 = 1 << 16;
    /// Kept free next to other mappings, so that stacks and the heap can still grow a little.
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
    // Upwards, as far away as possible: the heap of a fixed-address program grows there. When blocks already
    // extend as far as they may, there is room between them.
    let ceiling = low.saturating_add(REACH).min(0x7fff_ffff_0000);
    let mut top = ceiling & !(STEP - 1);
    for &(start, stop) in taken.iter().rev().filter(|t| t.1 > low) {
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
    fn areas_go_far_below_the_mappings() {
        let at = place_for_areas(&parse_mappings(MAPS)).unwrap();
        let lowest = at - (MOST_AREAS / GROUP - 1) * SPAN;
        assert!(lowest > 0x5555_5555_6000 && at + SPAN < 0x7fff_f7fc_0000);
        assert_eq!(at % SPAN, 0);
        // Where the kernel assigns addresses from the bottom up, they are below the stack.
        let upwards = "2aaaaaaab000-2aaaaaacd000 r-xp 00000000 08:01 1 /ld.so
7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0 [stack]";
        assert!(place_for_areas(&parse_mappings(upwards)).unwrap() > 0x7000_0000_0000);
    }

    #[test]
    fn segments_are_known_by_their_numbers() {
        let maps =
            parse_mappings("7f0000000000-7f0000008000 rw-s 00000000 00:01 32769 /SYSV00000000 (deleted)");
        assert_eq!((maps[0].inode, maps[0].path.as_str()), (32769, "/SYSV00000000 (deleted)"));
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
