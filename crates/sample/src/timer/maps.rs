//! Executable mappings and names of a process, from `/proc` (`proc(5)`).

/// An executable mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// First address.
    pub start: u64,
    /// Length in bytes.
    pub length: u64,
    /// Offset in the file.
    pub offset: u64,
    /// Path, or a name like perf_event's for a mapping without one.
    pub path: String,
}

/// The executable mappings of a process; `None` when it has ended.
pub fn executable_mappings(process: u32) -> Option<Vec<Map>> {
    let text = std::fs::read(format!("/proc/{process}/maps")).ok()?;
    Some(String::from_utf8_lossy(&text).lines().filter_map(parse).collect())
}

/// One line: `start-end perms offset device inode path`.
fn parse(line: &str) -> Option<Map> {
    let mut rest = line;
    let mut word = || {
        let (word, after) = rest.trim_start().split_once(' ').unwrap_or((rest.trim_start(), ""));
        rest = after;
        (!word.is_empty()).then_some(word)
    };
    let (start, end) = word()?.split_once('-')?;
    let (start, end) = (u64::from_str_radix(start, 16).ok()?, u64::from_str_radix(end, 16).ok()?);
    let permissions = word()?;
    let offset = u64::from_str_radix(word()?, 16).ok()?;
    let (_device, _inode) = (word()?, word()?);
    if permissions.as_bytes().get(2) != Some(&b'x') {
        return None;
    }
    let path = rest.trim_start();
    let path = if path.is_empty() { "//anon" } else { path };
    Some(Map { start, length: end.checked_sub(start)?, offset, path: path.to_owned() })
}

/// Name of a thread; empty when it has ended.
pub fn name(tid: libc::pid_t) -> String {
    std::fs::read_to_string(format!("/proc/{tid}/comm")).unwrap_or_default().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_forms() {
        let map = parse("55d0-66d0 r-xp 00001000 08:01 1234      /usr/bin/my program (deleted)").unwrap();
        assert_eq!(
            map,
            Map {
                start: 0x55d0,
                length: 0x1100,
                offset: 0x1000,
                path: "/usr/bin/my program (deleted)".to_owned()
            }
        );
        assert_eq!(parse("55d0-66d0 rw-p 00001000 08:01 1234 /bin/x"), None);
        assert_eq!(parse("1000-2000 rwxp 00000000 00:00 0").unwrap().path, "//anon");
        assert_eq!(parse("1000-2000 r-xp 00000000 00:00 0     [vdso]").unwrap().path, "[vdso]");
        for junk in ["", "x", "1000", "2000-1000 r-xp 0 0 0", "1000-2000", "zz-yy r-xp 0 0:0 0 p"] {
            assert_eq!(parse(junk), None, "{junk}");
        }
    }

    #[test]
    fn our_own_code_is_mapped() {
        let own = executable_mappings(std::process::id()).unwrap();
        let here = lines_of_all_forms as fn() as usize as u64;
        assert!(own.iter().any(|map| (map.start..map.start + map.length).contains(&here)));
    }
}
