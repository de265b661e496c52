//! Opens only regular files: a pipe would block, a device may never end or react when it is opened.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{Error, Read, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a regular file for reading. Symbolic links are followed.
///
/// The file is examined before it is opened, because opening a device can have effects (a tape rewinds), and again once
/// it is open, because it may have been exchanged in between; `O_NONBLOCK` keeps a pipe from blocking even then.
///
/// # Errors
/// When it cannot be opened, or is not a regular file.
pub fn open(path: &Path) -> Result<File> {
    open_with(path, 0, &std::fs::metadata(path)?)
}

/// As [`open`], but the last component must not be a symbolic link: for names in folders that every user may write to.
///
/// # Errors
/// As [`open`], and when it is a symbolic link.
pub fn open_itself(path: &Path) -> Result<File> {
    open_with(path, libc::O_NOFOLLOW, &std::fs::symlink_metadata(path)?)
}

fn open_with(path: &Path, flags: i32, seen: &Metadata) -> Result<File> {
    must_be_regular(seen)?;
    let flags = flags | libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    must_be_regular(&file.metadata()?)?;
    Ok(file)
}

fn must_be_regular(data: &Metadata) -> Result<()> {
    if data.is_file() { Ok(()) } else { Err(Error::other("it is not a regular file")) }
}

/// The content of a regular file of at most `limit` bytes.
///
/// # Errors
/// As [`open`], and when it is larger: files of `/proc` claim a size of 0, so that the limit applies to the bytes read.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    read_opened(open(path)?, limit)
}

/// The rest of an open file of at most `limit` bytes.
///
/// # Errors
/// When it cannot be read, or is larger.
pub fn read_opened(file: File, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(Error::other(format!("it is larger than {limit} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn fifo(path: &Path) {
        let made = std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo starts");
        assert!(made.success());
    }

    #[test]
    fn pipes_devices_and_folders_are_refused_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        fifo(&pipe);
        let to_pipe = folder.path().join("link.c");
        symlink(&pipe, &to_pipe).expect("links");
        for path in [&pipe, &to_pipe, &folder.path().to_owned(), &"/dev/zero".into(), &"/dev/tty".into()] {
            let cause = read(path, 10).expect_err("refused").to_string();
            assert!(cause.contains("not a regular file"), "{}: {cause}", path.display());
        }
    }

    #[test]
    fn no_more_than_the_limit_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::write(&path, "12345").expect("writes");
        assert_eq!(read(&path, 5).expect("reads"), b"12345");
        assert!(read(&path, 4).expect_err("too large").to_string().contains("larger than 4 bytes"));
        // Its stated size is 0.
        assert!(read(Path::new("/proc/self/maps"), 10).is_err());
    }

    #[test]
    fn a_link_is_followed_only_where_links_are_trusted() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::write(&file, "1").expect("writes");
        symlink(&file, &link).expect("links");
        assert!(open(&link).is_ok());
        assert!(open_itself(&link).is_err());
        assert!(open_itself(&file).is_ok());
    }
}
