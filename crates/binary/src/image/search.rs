//! Finding separate debug files: by build id, by debug link, in the caches of debuginfod clients.
//! Nothing is ever downloaded.
//!
//! Source: GDB manual, "Debugging Information in Separate Files"; debuginfod(8), "CACHE".

use super::bytes::FileBytes;
use super::layout;
use crate::warning::Warning;
use object::read::Object as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where separate debug files are searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebugSearch {
    directories: Vec<PathBuf>,
    caches: Vec<PathBuf>,
}

impl DebugSearch {
    /// Searches the binary's own folder only.
    pub fn none() -> Self {
        Self::default()
    }

    /// The system's places: `/usr/lib/debug` and the cache of debuginfod clients
    /// (`$DEBUGINFOD_CACHE_PATH`, else below `$XDG_CACHE_HOME` or `~/.cache`).
    pub fn system() -> Self {
        let variable = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let cache = variable("DEBUGINFOD_CACHE_PATH").or_else(|| {
            let base = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")))?;
            Some(base.join("debuginfod_client"))
        });
        Self { directories: vec![PathBuf::from("/usr/lib/debug")], caches: cache.into_iter().collect() }
    }

    /// Adds a folder that is laid out like `/usr/lib/debug`, before those already known.
    #[must_use]
    pub fn with_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directories.insert(0, directory.into());
        self
    }

    /// Adds a folder that is laid out like a debuginfod client's cache.
    #[must_use]
    pub fn with_cache(mut self, directory: impl Into<PathBuf>) -> Self {
        self.caches.insert(0, directory.into());
        self
    }

    fn by_build_id(&self, build_id: &[u8]) -> Vec<PathBuf> {
        let text = hexadecimal(build_id);
        let Some((first, rest)) = text.split_at_checked(2).filter(|(_, rest)| !rest.is_empty()) else {
            return Vec::new();
        };
        let directories =
            self.directories.iter().map(|d| d.join(".build-id").join(first).join(format!("{rest}.debug")));
        let caches = self.caches.iter().map(|c| c.join(&text).join("debuginfo"));
        directories.chain(caches).collect()
    }

    fn by_link(&self, binary: &Path, link: &str) -> Vec<PathBuf> {
        let folder = binary.parent().unwrap_or(Path::new(""));
        let mut paths = vec![folder.join(link), folder.join(".debug").join(link)];
        let absolute = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let below_root = absolute.strip_prefix("/").unwrap_or(&absolute);
        for directory in &self.directories {
            paths.push(directory.join(below_root).join(link));
            paths.push(directory.join(link));
        }
        // A link names the file itself when debug information was not split off.
        paths.retain(|p| p != binary);
        paths
    }

    /// The debug file of a binary, if it exists and matches.
    pub(super) fn debug_file(
        &self,
        binary: &Path,
        build_id: Option<&[u8]>,
        link: Option<(&str, u32)>,
        warnings: &mut Vec<Warning>,
    ) -> Option<(PathBuf, Arc<FileBytes>)> {
        for path in build_id.map(|id| self.by_build_id(id)).unwrap_or_default() {
            let Ok(bytes) = FileBytes::open(&path) else { continue };
            // The folder's name claims the build id; the file's own build id decides.
            if build_id_of(&path, &bytes).as_deref() == build_id {
                return Some((path, Arc::new(bytes)));
            }
            warnings.push(Warning::OtherBuildId { file: path.display().to_string() });
        }
        let (name, checksum) = link?;
        for path in self.by_link(binary, name) {
            let Ok(bytes) = FileBytes::open(&path) else { continue };
            let found = build_id_of(&path, &bytes);
            let matches = match (build_id, &found) {
                (Some(expected), Some(found)) => expected == found,
                _ => crc32fast::hash(&bytes) == checksum,
            };
            if matches {
                return Some((path, Arc::new(bytes)));
            }
            warnings.push(Warning::OtherBuild { file: path.display().to_string() });
        }
        None
    }

    /// The supplementary file that `dwz` made, which `debug_file` refers to by `name`.
    pub(super) fn supplementary(
        &self,
        debug_file: &Path,
        name: &str,
        build_id: &[u8],
    ) -> Option<(PathBuf, Arc<FileBytes>)> {
        // Relative names start from the real location of the file, not from a build id's link to it.
        let real = std::fs::canonicalize(debug_file).unwrap_or_else(|_| debug_file.to_owned());
        let mut paths = vec![real.parent().unwrap_or(Path::new("")).join(name)];
        paths.extend(self.by_build_id(build_id));
        if let Some(file) = Path::new(name).file_name() {
            paths.extend(self.directories.iter().map(|d| d.join(".dwz").join(file)));
        }
        paths.into_iter().find_map(|path| {
            let bytes = FileBytes::open(&path).ok()?;
            let matches = build_id_of(&path, &bytes).as_deref() == Some(build_id);
            matches.then(|| (path, Arc::new(bytes)))
        })
    }
}

/// The build id of an ELF file.
pub(super) fn build_id_of(path: &Path, bytes: &[u8]) -> Option<Vec<u8>> {
    layout::parse(path, bytes).ok()?.build_id().ok()?.map(<[u8]>::to_vec)
}

/// Lower-case hexadecimal.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_follow_the_conventions() {
        let search = DebugSearch::none().with_directory("/d").with_cache("/c");
        assert_eq!(
            search.by_build_id(&[0xab, 0xcd, 0xef]),
            [PathBuf::from("/d/.build-id/ab/cdef.debug"), PathBuf::from("/c/abcdef/debuginfo")]
        );
        assert!(search.by_build_id(&[0xab]).is_empty());
        let by_link = search.by_link(Path::new("/nowhere/bin/prog"), "prog.debug");
        assert!(by_link.contains(&PathBuf::from("/nowhere/bin/.debug/prog.debug")));
        assert!(by_link.contains(&PathBuf::from("/d/nowhere/bin/prog.debug")));
    }
}
