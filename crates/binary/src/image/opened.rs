//! Cache of open files: one command samples a program, counts it, traces it and describes the result, and the
//! tables of a large library take longer to read than some programs run.

use super::{DebugSearch, Error, Image};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Opens each file once.
#[derive(Clone, Debug, Default)]
pub struct Images {
    search: DebugSearch,
    opened: Arc<Mutex<Vec<Opened>>>,
}

#[derive(Debug)]
struct Opened {
    path: PathBuf,
    version: Version,
    /// Open files without searching for debug files.
    alone: bool,
    image: Arc<Image>,
}

/// Identifies a file and its content: a replaced or rewritten file gets another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    device: u64,
    inode: u64,
    length: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

impl Version {
    fn of(path: &Path) -> Option<Self> {
        let meta = std::fs::metadata(path).ok()?;
        Some(Self {
            device: meta.dev(),
            inode: meta.ino(),
            length: meta.size(),
            written: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        })
    }
}

impl Images {
    /// An empty cache; debug files are searched for where `search` says.
    pub fn new(search: DebugSearch) -> Self {
        Self { search, opened: Arc::default() }
    }

    /// A file with its separate debug file, as [`Image::open`] opens it.
    pub fn open(&self, path: &Path) -> Result<Arc<Image>, Error> {
        self.find(path, false)
    }

    /// A file without its separate debug file, so that the analysis of its code does not depend on which
    /// debug files are installed.
    pub fn code(&self, path: &Path) -> Result<Arc<Image>, Error> {
        let image = self.find(path, false)?;
        // No debug file was found: a search in no place gives the same image.
        if image.debug_file.is_none() { Ok(image) } else { self.find(path, true) }
    }

    fn find(&self, path: &Path, alone: bool) -> Result<Arc<Image>, Error> {
        let none = DebugSearch::none();
        let search = if alone { &none } else { &self.search };
        let Some(version) = Version::of(path) else { return Image::open(path, search).map(Arc::new) };
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.retain(|o| o.path != path || o.version == version);
        if let Some(known) = opened.iter().find(|o| o.path == path && o.alone == alone) {
            return Ok(Arc::clone(&known.image));
        }
        let image = Arc::new(Image::open(path, search)?);
        opened.push(Opened { path: path.to_owned(), version, alone, image: Arc::clone(&image) });
        Ok(image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_opened_again_when_another_takes_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::copy("/proc/self/exe", &path).unwrap();
        let images = Images::new(DebugSearch::none());
        let first = images.open(&path).unwrap();
        assert!(Arc::ptr_eq(&first, &images.open(&path).unwrap()));
        // It has no separate debug file.
        assert!(Arc::ptr_eq(&first, &images.clone().code(&path).unwrap()));
        let other = folder.path().join("other");
        std::fs::copy("/proc/self/exe", &other).unwrap();
        std::fs::rename(&other, &path).unwrap();
        let second = images.open(&path).unwrap();
        assert!(!Arc::ptr_eq(&first, &second));
        assert!(Arc::ptr_eq(&second, &images.open(&path).unwrap()));
        std::fs::remove_file(&path).unwrap();
        assert!(images.open(&path).is_err());
    }
}
