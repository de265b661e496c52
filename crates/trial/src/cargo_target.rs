//! The target folder of trials: a copy of the user's, so that cargo compiles again what a change touches, and nothing else.
//!
//! Cargo decides by times of files what is fresh, and by absolute paths nothing that it could not find again in a folder that was moved
//! (its source, `fingerprint`): times are kept. Nothing is shared with the user's folder: cargo writes into files that it finds.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// What a build without a change of the sources does not read: the memory of incremental compilations, and other programs.
const NOT_COPIED: [&str; 2] = ["incremental", "examples"];
/// Folder of cargo's notes of what is fresh: an entry for each crate and what is done with it.
const NOTES: &str = ".fingerprint";

/// Copies what belongs to the profile of a program (its place below the target folder), unless it is more than `most` bytes.
pub(crate) fn copy(user: &Path, program: &Path, own: &Path, most: u64) -> io::Result<bool> {
    let mut folders: Vec<PathBuf> = vec![profile(program)];
    // With a target of its own, build scripts and macros are beside it.
    if let Some(name) = folders[0].file_name().map(PathBuf::from).filter(|name| *name != folders[0]) {
        folders.push(name);
    }
    let mut files = Vec::new();
    let mut bytes = 0u64;
    for folder in folders.iter().filter(|folder| user.join(folder).is_dir()) {
        list(user, folder, &mut |file, size| {
            files.push(file);
            bytes = bytes.saturating_add(size);
        })?;
    }
    if files.is_empty() || bytes > most {
        return Ok(false);
    }
    for file in files {
        let to = own.join(&file);
        std::fs::create_dir_all(to.parent().unwrap_or(own))?;
        let from = user.join(&file);
        std::fs::copy(&from, &to)?;
        let modified = std::fs::metadata(&from)?.modified()?;
        File::options().append(true).open(&to)?.set_modified(modified)?;
    }
    Ok(true)
}

/// The folder of the profile that a program lies in.
fn profile(program: &Path) -> PathBuf {
    program.parent().unwrap_or(Path::new("")).to_path_buf()
}

/// Calls `each` for every plain file with its bytes.
fn list(root: &Path, folder: &Path, each: &mut impl FnMut(PathBuf, u64)) -> io::Result<()> {
    for entry in std::fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        let data = entry.metadata()?;
        if data.is_dir() && !NOT_COPIED.iter().any(|name| entry.file_name() == OsStr::new(name)) {
            list(root, &path, each)?;
        } else if data.is_file() {
            each(path, data.len());
        }
    }
    Ok(())
}

/// How many crates, and things that are done with them, a target folder has for the profile of a program.
pub(crate) fn units(target: &Path, program: &Path) -> usize {
    std::fs::read_dir(target.join(profile(program)).join(NOTES)).map_or(0, Iterator::count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_times_of_the_original_and_nothing_in_common_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let (user, own) = (folder.path().join("target"), folder.path().join("own"));
        let names = ["x86/release/deps/a", "x86/release/.fingerprint/a/dep", "release/build/b", "debug/c"];
        for name in names.into_iter().chain(["x86/release/incremental/d"]) {
            std::fs::create_dir_all(user.join(name).parent().unwrap()).unwrap();
            std::fs::write(user.join(name), "text").unwrap();
        }
        let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        File::options().append(true).open(user.join(names[0])).unwrap().set_modified(old).unwrap();
        let program = Path::new("x86/release/prog");
        assert!(!copy(&user, program, &own, 3).unwrap() && !own.exists());
        assert!(copy(&user, program, &own, 1 << 20).unwrap());
        assert_eq!(std::fs::metadata(own.join(names[0])).unwrap().modified().unwrap(), old);
        let is_there = names.map(|name| own.join(name).exists());
        assert_eq!(is_there, [true, true, true, false]);
        assert!(!own.join("x86/release/incremental").exists());
        assert_eq!(units(&own, program), 1);
        std::fs::write(own.join(names[0]), "changed").unwrap();
        assert_eq!(std::fs::read_to_string(user.join(names[0])).unwrap(), "text");
    }
}
