//! The links that replace compilers, and the environment that makes a build find them.

use super::{FOLDER_VARIABLE, is_watched};
use crate::compiler::is_program;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Variables that name the compilers and the archiver of a build.
const COMPILER_VARIABLES: [&str; 9] = ["CC", "CXX", "FC", "F77", "F90", "HOSTCC", "HOSTCXX", "CPP", "AR"];

/// The prepared links.
pub(super) struct Links {
    /// The folder to put first on `PATH`.
    pub folder: PathBuf,
    wrapper: PathBuf,
}

/// Creates a link for every compiler on `PATH`.
pub(super) fn prepare(folder: &Path, wrapper: &Path) -> io::Result<Links> {
    let links = folder.join("bin");
    std::fs::create_dir_all(&links)?;
    let wrapper = wrapper.canonicalize()?;
    clear(&links, &wrapper)?;
    for name in compilers_on_path(&links) {
        link(&wrapper, &links.join(name))?;
    }
    Ok(Links { folder: links, wrapper })
}

/// Removes everything but our own links. The folder is the first one on `PATH`, and it may have come with
/// another user's experiment: a `make` or `ld` in it would be executed.
fn clear(links: &Path, wrapper: &Path) -> io::Result<()> {
    if !std::fs::symlink_metadata(links)?.is_dir() {
        return Err(io::Error::other(format!("{} is a link; remove it", links.display())));
    }
    for entry in std::fs::read_dir(links)? {
        let entry = entry?;
        let named = entry.file_name().to_str().is_some_and(is_watched);
        let own = named && std::fs::read_link(entry.path()).is_ok_and(|target| target == wrapper);
        if own || entry.file_type()?.is_dir() {
            continue;
        }
        match std::fs::remove_file(entry.path()) {
            // Another build that shares the folder did it first.
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause),
            _ => {}
        }
    }
    Ok(())
}

fn compilers_on_path(own: &Path) -> BTreeSet<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut names = BTreeSet::new();
    for folder in std::env::split_paths(&path).filter(|folder| folder != own) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if let Some(name) = entry.file_name().to_str()
                && is_watched(name)
                && is_program(&entry.path())
            {
                names.insert(name.to_string());
            }
        }
    }
    names
}

/// Creates a link, or keeps one that is right: parallel builds may share the folder.
fn link(target: &Path, at: &Path) -> io::Result<()> {
    if std::fs::read_link(at).is_ok_and(|old| old == target) {
        return Ok(());
    }
    let _ = std::fs::remove_file(at);
    match symlink(target, at) {
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Sets `PATH`, and replaces compilers with absolute paths in the environment by links that lead back to them.
pub(super) fn set(build: &mut Command, folder: &Path, links: &Links) -> io::Result<()> {
    let mut path = OsString::from(&links.folder);
    if let Some(old) = std::env::var_os("PATH") {
        path.push(":");
        path.push(old);
    }
    build.env("PATH", path).env(FOLDER_VARIABLE, folder);
    for variable in COMPILER_VARIABLES {
        let Ok(value) = std::env::var(variable) else { continue };
        let mut changed = false;
        let mut words: Vec<String> = value.split_whitespace().map(str::to_string).collect();
        for word in &mut words {
            let program = PathBuf::from(&*word);
            let named = program.file_name().and_then(|name| name.to_str()).is_some_and(is_watched);
            if program.is_absolute() && named && is_program(&program) {
                *word = link_to(folder, links, &program)?.to_string_lossy().into_owned();
                changed = true;
            }
        }
        if changed {
            build.env(variable, words.join(" "));
        }
    }
    Ok(())
}

/// A link in a folder of its own, with a note of the program that it replaces.
fn link_to(folder: &Path, links: &Links, program: &Path) -> io::Result<PathBuf> {
    let key: String =
        program.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let home = folder.join("bin-absolute").join(key);
    std::fs::create_dir_all(&home)?;
    std::fs::write(home.join("target"), program.to_string_lossy().as_bytes())?;
    let at = home.join(program.file_name().unwrap_or_default());
    link(&links.wrapper, &at)?;
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_came_with_the_folder_are_not_left_on_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let links = folder.path().join("bin");
        std::fs::create_dir(&links).unwrap();
        for name in ["make", "ld", "gcc-99"] {
            std::fs::copy("/bin/true", links.join(name)).unwrap();
        }
        symlink("/bin/true", links.join("as")).unwrap();
        let wrapper = std::env::current_exe().unwrap().canonicalize().unwrap();
        symlink(&wrapper, links.join("clang-98")).unwrap();
        prepare(folder.path(), &wrapper).unwrap();
        for entry in std::fs::read_dir(&links).unwrap().flatten() {
            assert_eq!(std::fs::read_link(entry.path()).unwrap(), wrapper, "{}", entry.path().display());
        }
        assert!(links.join("clang-98").exists());
        std::fs::remove_dir_all(&links).unwrap();
        symlink("/bin", &links).unwrap();
        assert!(prepare(folder.path(), &wrapper).is_err());
    }
}
