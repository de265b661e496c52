//! The folder in which the tried programs run: a copy of the working folder, made equal to it again before each run.
//!
//! Programs read and write beside them. In the copy a wrong answer overwrites nothing of the user's, and each run finds what
//! the first one found. The folders above are made of links, so that `../input` leads where it did.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Most entries of a folder above that are linked; folders with more (of temporary files, say) are left empty.
const MOST_BESIDE: usize = 10_000;

/// Folders of version control, which programs do not read.
const NOT_COPIED: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// What identifies the contents of a file between two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: (i64, i64),
    inode: u64,
}

impl Stamp {
    fn of(path: &Path) -> io::Result<Self> {
        let data = std::fs::symlink_metadata(path)?;
        Ok(Self { bytes: data.len(), modified: (data.mtime(), data.mtime_nsec()), inode: data.ino() })
    }
}

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Error {
    #[error("{path} cannot be copied: {cause}")]
    Copy { path: PathBuf, cause: io::Error },
    #[error("the working folder holds more than {most} MiB")]
    TooLarge { most: u64 },
}

/// The copy.
pub struct Place {
    /// Removes everything in the end.
    _root: TempDir,
    original: PathBuf,
    /// The copy of the working folder.
    pub working: PathBuf,
    /// Every file and link by its path in the folder; folders have no stamp.
    known: BTreeMap<PathBuf, Option<Stamp>>,
}

impl Place {
    /// Copies `original`, which must be a real path, without what is in `leave`.
    pub fn copy(original: &Path, leave: &[PathBuf], most: u64) -> Result<Self, Error> {
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |cause| Error::Copy { path, cause }
        };
        let root = tempfile::Builder::new().prefix("loopwright-try-").tempdir().map_err(failed(original))?;
        let own = root.path().to_path_buf();
        let below = original.strip_prefix("/").unwrap_or(original);
        let working = root.path().join(below);
        std::fs::create_dir_all(&working).map_err(failed(&working))?;
        for folder in original.ancestors().skip(1) {
            link_all(folder, &root.path().join(folder.strip_prefix("/").unwrap_or(folder)));
        }
        let mut place =
            Self { _root: root, original: original.to_path_buf(), working, known: BTreeMap::new() };
        let mut left = most;
        let mut open = vec![PathBuf::new()];
        while let Some(folder) = open.pop() {
            let from = original.join(&folder);
            for entry in std::fs::read_dir(&from).map_err(failed(&from))?.flatten() {
                let path = entry.path();
                let name = folder.join(entry.file_name());
                let control = NOT_COPIED.iter().any(|known| entry.file_name() == *known);
                if control || leave.contains(&path) || path == own {
                    continue;
                }
                let data = std::fs::symlink_metadata(&path).map_err(failed(&path))?;
                left = left
                    .checked_sub(if data.is_file() { data.len() } else { 0 })
                    .ok_or(Error::TooLarge { most: most >> 20 })?;
                if data.is_dir() {
                    open.push(name.clone());
                }
                let stamp = place.put(&name).map_err(failed(&path))?;
                place.known.insert(name, stamp);
            }
        }
        Ok(place)
    }

    /// Copies one entry; pipes, sockets and devices are left out.
    fn put(&self, name: &Path) -> io::Result<Option<Stamp>> {
        let (from, to) = (self.original.join(name), self.working.join(name));
        let data = std::fs::symlink_metadata(&from)?;
        if data.is_dir() {
            std::fs::create_dir_all(&to)?;
            return Ok(None);
        }
        if data.is_symlink() {
            let target = std::fs::read_link(&from)?;
            // A link to a place in the folder leads to that of the copy.
            let target = match target.strip_prefix(&self.original) {
                Ok(inside) => self.working.join(inside),
                Err(_) => target,
            };
            symlink(target, &to)?;
        } else if data.is_file() {
            std::fs::copy(&from, &to)?;
        } else {
            return Ok(None);
        }
        Stamp::of(&to).map(Some)
    }

    /// Makes the copy what it was before a run.
    pub fn restore(&mut self) -> io::Result<()> {
        let mut open = vec![PathBuf::new()];
        while let Some(folder) = open.pop() {
            let at = self.working.join(&folder);
            for entry in std::fs::read_dir(&at).into_iter().flatten().flatten() {
                let name = folder.join(entry.file_name());
                let is_folder = entry.file_type()?.is_dir();
                match self.known.get(&name) {
                    Some(None) if is_folder => open.push(name),
                    Some(stamp) if !is_folder && *stamp == Some(Stamp::of(&entry.path())?) => {}
                    _ if is_folder => std::fs::remove_dir_all(entry.path())?,
                    _ => std::fs::remove_file(entry.path())?,
                }
            }
        }
        let names: Vec<PathBuf> = self.known.keys().cloned().collect();
        for name in names {
            // Of a special file there is no copy, and none is made.
            if std::fs::symlink_metadata(self.working.join(&name)).is_err() {
                let stamp = self.put(&name)?;
                self.known.insert(name, stamp);
            }
        }
        Ok(())
    }
}

/// Links to everything in a folder, except what is in the copy already. Where that cannot be, the folder stays empty.
fn link_all(folder: &Path, copy: &Path) {
    let entries: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_BESIDE + 1).collect();
    if entries.len() > MOST_BESIDE {
        return;
    }
    for entry in entries {
        // The next folder of the path exists.
        let _ = symlink(entry.path(), copy.join(entry.file_name()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copy_becomes_what_it_was_and_the_original_stays() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        let original = real.join("work");
        std::fs::create_dir_all(original.join("data/.git")).unwrap();
        for (name, text) in [("data/a", "one"), ("b", "two"), ("x.lw", "facts"), ("../input", "from above")] {
            std::fs::write(original.join(name), text).unwrap();
        }
        symlink(original.join("b"), original.join("link")).unwrap();
        let mut place = Place::copy(&original, &[original.join("x.lw")], 1 << 20).unwrap();
        let text = |name: &str| std::fs::read_to_string(place.working.join(name)).ok();
        assert_eq!((text("data/a"), text("../input")), (Some("one".into()), Some("from above".into())));
        assert_eq!((text("x.lw"), text("data/.git")), (None, None));
        std::fs::write(place.working.join("link"), "overwritten").unwrap();
        std::fs::write(place.working.join("new"), "").unwrap();
        std::fs::create_dir(place.working.join("folder")).unwrap();
        std::fs::remove_dir_all(place.working.join("data")).unwrap();
        place.restore().unwrap();
        let text = |name: &str| std::fs::read_to_string(place.working.join(name)).ok();
        assert_eq!((text("data/a"), text("b")), (Some("one".into()), Some("two".into())));
        assert!(!place.working.join("new").exists() && !place.working.join("folder").exists());
        assert_eq!(std::fs::read_to_string(original.join("b")).unwrap(), "two");
        let small = Place::copy(&original, &[], 4);
        assert!(matches!(small, Err(Error::TooLarge { .. })));
    }
}
