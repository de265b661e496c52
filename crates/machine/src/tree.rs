//! Reads `/proc` and `/sys` below a given root.
//!
//! Everything that describes the machine is read through this module, so that its logic can be tested on
//! recorded trees. Absent or unreadable files are absent values; no content can make a reader panic.

use std::path::{Path, PathBuf};

/// A root that contains `proc` and `sys`.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    root: PathBuf,
    live: bool,
}

/// Largest file that is read, in bytes: the kernel's text files are small, except `/proc/cpuinfo` on large machines.
const LARGEST: u64 = 64 << 20;

impl Tree {
    /// The running machine.
    pub fn live() -> Tree {
        Tree { root: PathBuf::from("/"), live: true }
    }

    /// A recorded tree; the running machine when it is `/`.
    pub fn at(root: &Path) -> Tree {
        Tree { root: root.to_owned(), live: root == Path::new("/") }
    }

    /// Whether system calls and CPUID describe the same machine as the files.
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// The path of an absolute file name below the root.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name.trim_start_matches('/'))
    }

    /// Whether the file or folder exists.
    pub fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// A file's text without surrounding space.
    pub fn text(&self, name: &str) -> Option<String> {
        use std::io::Read;
        let file = std::fs::File::open(self.path(name)).ok()?;
        let mut bytes = Vec::new();
        file.take(LARGEST).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    /// A file's decimal number.
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.split_whitespace().next()?.parse().ok()
    }

    /// A file's list of CPUs or nodes.
    pub fn list(&self, name: &str) -> Option<Vec<usize>> {
        Some(parse_list(&self.text(name)?))
    }

    /// Names in a folder, sorted.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.path(folder)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// Numbers N of the entries `prefixN` in a folder, sorted.
    pub fn numbered(&self, folder: &str, prefix: &str) -> Vec<usize> {
        let mut numbers: Vec<usize> =
            self.names(folder).iter().filter_map(|name| name.strip_prefix(prefix)?.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    }

    /// The value of `key` in a file of `key: value` or `key value` lines.
    pub fn field(&self, name: &str, key: &str) -> Option<String> {
        self.text(name)?.lines().find_map(|line| {
            let (name, value) = line.split_once(':').or_else(|| line.split_once([' ', '\t']))?;
            (name.trim() == key).then(|| value.trim().to_owned())
        })
    }
}

/// Most CPUs that a list may name (the kernel's own limit is 8192).
const MOST_CPUS: usize = 1 << 16;

/// The kernel's list format: `0-3,8,10-11` (Documentation/admin-guide/cputopology.rst).
pub(crate) fn parse_list(text: &str) -> Vec<usize> {
    let mut list = Vec::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (Ok(first), Ok(last)) = (first.trim().parse::<usize>(), last.trim().parse::<usize>()) else {
            continue;
        };
        if first <= last && last < MOST_CPUS {
            list.extend(first..=last);
        }
    }
    list.sort_unstable();
    list.dedup();
    list
}

/// The inverse of [`parse_list`].
pub(crate) fn format_list(list: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for &number in list {
        match parts.last_mut() {
            Some((_, last)) if number.checked_sub(1) == Some(*last) => *last = number,
            _ => parts.push((number, number)),
        }
    }
    let parts: Vec<String> = parts
        .into_iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_survive_the_round_trip() {
        for text in ["", "0", "0-3,8,10-11", "5,7-9"] {
            assert_eq!(format_list(&parse_list(text)), text);
        }
        assert_eq!(parse_list("3-1,x,-,,4"), [4]);
        assert_eq!(parse_list("0-99999999999999"), [0; 0], "an absurd range allocates nothing");
    }

    #[test]
    fn fields_are_found_by_whole_key() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("proc")).unwrap();
        std::fs::write(
            folder.path().join("proc/x"),
            "model\t\t: 17\nmodel name\t: AMD EPYC\nMemFree: 1 kB\n",
        )
        .unwrap();
        let tree = Tree::at(folder.path());
        assert!(!tree.is_live());
        assert_eq!(tree.field("/proc/x", "model name").as_deref(), Some("AMD EPYC"));
        assert_eq!(tree.field("/proc/x", "MemFree").as_deref(), Some("1 kB"));
        assert_eq!(tree.field("/proc/x", "Mem"), None);
        assert_eq!(tree.text("/proc/absent"), None);
    }
}
