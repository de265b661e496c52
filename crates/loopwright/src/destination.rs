//! Where a result is written: standard output, or a file that is there whole or not at all.

use crate::failure::Failure;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{BufWriter, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A place to write to.
#[derive(Debug, PartialEq, Eq)]
pub enum Destination<'a> {
    /// `-`.
    Stdout,
    /// A path.
    File(&'a Path),
}

impl<'a> Destination<'a> {
    /// What the argument of an option names.
    pub fn of(argument: &'a Path) -> Self {
        if argument == OsStr::new("-") { Self::Stdout } else { Self::File(argument) }
    }

    /// Writes all of `text`.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        match self {
            Self::Stdout => {
                let mut out = crate::terminal::output()?;
                Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?)
            }
            Self::File(path) => write_file(path, text).map_err(|error| failed(path, error)),
        }
    }
}

/// Makes or replaces a file by what `write` writes: readers see the old file or all of the new one.
pub fn replace_with<T>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> std::io::Result<T>,
) -> Result<T, Failure> {
    let written = || {
        let existing = match std::fs::metadata(path) {
            Ok(existing) if existing.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            Ok(existing) => Some(existing.permissions()),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        replace(&behind_links(path), existing, write)
    };
    written().map_err(|error| failed(path, error))
}

/// Makes a folder, with those above it.
pub fn make_folder(path: &Path) -> Result<(), Failure> {
    let shown = path.display();
    std::fs::create_dir_all(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            Failure::misuse(format!("cannot write into {shown}: it is no folder; name a folder"))
        }
        _ => Failure::Failed(
            anyhow::Error::new(error).context(format!("cannot make the folder {shown}; name another place")),
        ),
    })
}

/// A path that cannot be is misuse when it names a folder, else a failure; both say what to do.
fn failed(path: &Path, error: std::io::Error) -> Failure {
    let shown = path.display();
    match error.kind() {
        ErrorKind::IsADirectory => {
            Failure::misuse(format!("cannot write {shown}: it is a folder; name a file in it"))
        }
        ErrorKind::NotFound | ErrorKind::NotADirectory => Failure::Failed(anyhow::anyhow!(
            "cannot write {shown}: its folder does not exist; create it or name another place"
        )),
        // Kept as an error of its own: a reader that has gone is no failure.
        _ => Failure::Failed(
            anyhow::Error::new(error).context(format!("cannot write {shown}; name another place")),
        ),
    }
}

fn write_file(path: &Path, text: &str) -> std::io::Result<()> {
    let existing = match OpenOptions::new().write(true).open(path) {
        Ok(mut file) => {
            // Devices, pipes and what the shell has opened already (/dev/stdout) are written to, not replaced.
            let special = path.starts_with("/dev") || path.starts_with("/proc");
            if special || !file.metadata()?.is_file() {
                return file.write_all(text.as_bytes()).and_then(|()| file.flush());
            }
            Some(file.metadata()?.permissions())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    replace(&behind_links(path), existing, |file| file.write_all(text.as_bytes()))
}

/// A link stays a link: what it leads to is replaced.
fn behind_links(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Writes beside the file and takes its place in one step: readers see the old text or the new one, and a full disk
/// leaves the old one.
fn replace<T>(
    path: &Path,
    existing: Option<Permissions>,
    write: impl FnOnce(&mut BufWriter<&File>) -> std::io::Result<T>,
) -> std::io::Result<T> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // What a new file gets: all may read and write it, less the process's mask.
    let usual = Permissions::from_mode(0o666);
    let beside = tempfile::Builder::new().prefix(".loopwright-").permissions(usual).tempfile_in(folder)?;
    let mut file = BufWriter::new(beside.as_file());
    let result = write(&mut file)?;
    file.flush()?;
    drop(file);
    if let Some(permissions) = existing {
        let file: &File = beside.as_file();
        file.set_permissions(permissions)?;
    }
    beside.persist(path).map_err(|error| error.error)?;
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .expect("reads")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn write(path: &Path, text: &str) -> Result<(), Failure> {
        Destination::of(path).write(text)
    }

    #[test]
    fn a_file_is_made_or_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("report.html");
        write(&path, "one").expect("writes");
        std::fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("sets");
        let link = folder.path().join("link.html");
        symlink(&path, &link).expect("links");
        write(&link, "two").expect("writes");
        assert_eq!(std::fs::read_to_string(&path).expect("reads"), "two");
        assert!(std::fs::symlink_metadata(&link).expect("there").is_symlink());
        let mode = std::fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        assert_eq!(names(folder.path()), ["link.html", "report.html"]);
    }

    #[test]
    fn pipes_and_devices_are_written_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo starts");
        assert!(made.success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || {
                let mut text = String::new();
                File::open(pipe).and_then(|mut file| file.read_to_string(&mut text)).expect("reads");
                text
            }
        });
        write(&pipe, "through").expect("writes");
        assert_eq!(reader.join().expect("read"), "through");
        write(Path::new("/dev/null"), "gone").expect("writes");
        let full = write(Path::new("/dev/full"), "text").expect_err("is full");
        assert!(full.to_string().contains("/dev/full") && full.status() == 1, "{full}");
    }

    #[test]
    fn what_fails_half_way_leaves_the_old_file_and_nothing_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("runs.parquet");
        let rows = replace_with(&path, |file| file.write_all(b"old").map(|()| 7)).expect("writes");
        assert_eq!(rows, 7);
        let failed = replace_with(&path, |file| {
            file.write_all(b"half")?;
            Err::<(), _>(std::io::Error::from(ErrorKind::StorageFull))
        });
        assert_eq!(failed.expect_err("fails").status(), 1);
        assert_eq!(std::fs::read(&path).expect("reads"), b"old");
        assert_eq!(names(folder.path()), ["runs.parquet"]);
        assert_eq!(replace_with(folder.path(), |_| Ok(())).expect_err("a folder").status(), 2);
        let below_a_file = make_folder(&path.join("x")).expect_err("a file");
        assert_eq!((below_a_file.status(), make_folder(&path).expect_err("a file").status()), (2, 2));
        make_folder(&folder.path().join("a/b")).and_then(|()| make_folder(folder.path())).expect("folders");
    }

    #[test]
    fn what_cannot_be_written_is_named_with_the_way_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let is_folder = write(folder.path(), "").expect_err("a folder");
        assert!(is_folder.to_string().contains("it is a folder") && is_folder.status() == 2, "{is_folder}");
        let nowhere = write(&folder.path().join("no/such/x.html"), "").expect_err("no folder");
        assert!(nowhere.to_string().contains("create it") && nowhere.status() == 1, "{nowhere}");
        assert_eq!(Destination::of(Path::new("-")), Destination::Stdout);
        assert_eq!(Destination::of(Path::new("./-")), Destination::File(Path::new("./-")));
    }
}
