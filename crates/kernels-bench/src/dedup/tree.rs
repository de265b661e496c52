//! The regular files under a directory.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

/// A regular file.
pub struct Regular {
    pub path: PathBuf,
    pub bytes: u64,
    /// Device and number of a file that has several names.
    several_names: Option<(u64, u64)>,
}

/// Calls `tell` with every regular file under `directory`, and every entry that cannot be read. Links are not
/// followed, so that nothing is visited twice; entries that are neither file nor directory are skipped.
pub fn walk(directory: &Path, mut tell: impl FnMut(Result<Regular, (PathBuf, io::Error)>)) {
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        let entries = match std::fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(cause) => {
                tell(Err((directory, cause)));
                continue;
            }
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(cause) => {
                    tell(Err((directory.clone(), cause)));
                    break;
                }
            };
            match entry.metadata() {
                Ok(data) if data.is_dir() => directories.push(entry.path()),
                Ok(data) if data.is_file() => tell(Ok(Regular {
                    path: entry.path(),
                    bytes: data.len(),
                    several_names: several_names(&data),
                })),
                Ok(_) => {}
                Err(cause) => tell(Err((entry.path(), cause))),
            }
        }
    }
}

#[cfg(unix)]
fn several_names(data: &std::fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    (data.nlink() > 1).then(|| (data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn several_names(_: &std::fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// The files with several names that were seen.
#[derive(Default)]
pub struct Names(HashSet<(u64, u64)>);

impl Names {
    /// Whether a file was not seen before under another name.
    pub fn is_new(&mut self, file: &Regular) -> bool {
        file.several_names.is_none_or(|name| self.0.insert(name))
    }
}
