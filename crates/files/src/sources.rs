//! Which files may be read as sources of a program.
//!
//! Line tables, experiments and compilation databases name sources, and their authors chose the names: `/etc/shadow` in
//! a line table must not end up in a report that is passed on. A file is read as a source where it is a regular file,
//! has the name of a source language, and, with symbolic links and `..` resolved, is in one of these places:
//!
//! - a folder that the user gives (`--source-root`);
//! - the folder in which the compiler ran, according to the program, unless that is `/`, a folder of the
//!   system, or hidden below it;
//! - the project around that folder: builds in `build/` compile `../src/a.c`. A project is recognised by the
//!   files of a version control or build system, and is never a home folder;
//! - files of the installed system that every user may read: headers under `/usr` that belong to root.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// Extensions of sources and headers in languages that are compiled to native code, and of the inputs of
/// their generators.
const EXTENSIONS: [&str; 92] = [
    "c", "h", "i", "cc", "cp", "cpp", "cxx", "c++", "C", "CC", "CPP", "CXX", "H", "hh", "hp", "hpp", "hxx",
    "h++", "HH", "HPP", "ii", "icc", "inc", "inl", "ipp", "tcc", "tpp", "txx", "ixx", "cppm", "ccm", "cxxm",
    "def", "x", "cu", "cuh", "cl", "hip", "ispc", "m", "mm", "f", "for", "ftn", "f77", "f90", "f95", "f03",
    "f08", "f18", "F", "FOR", "FTN", "F77", "F90", "F95", "F03", "F08", "F18", "fpp", "FPP", "fi", "fh",
    "rs", "go", "d", "di", "zig", "nim", "swift", "ada", "adb", "ads", "pas", "pp", "ml", "mli", "hs", "jl",
    "pyx", "pxd", "pxi", "s", "S", "asm", "sx", "nasm", "y", "yy", "l", "ll", "re",
];

/// Folders of the system: their content, at any depth, belongs to no program that a user compiled.
const NEVER: [&str; 6] = ["boot", "dev", "etc", "proc", "run", "sys"];
/// Folders of the system that hold other users' folders; compilation in one of them permits nothing.
const TOO_WIDE: [&str; 14] = [
    "bin", "home", "lib", "lib32", "lib64", "libx32", "media", "mnt", "opt", "sbin", "srv", "usr", "var",
    "nix",
];
/// Where systems install files that every user may read. Ownership by root is checked, too.
const INSTALLED: [&str; 4] = ["/usr", "/opt", "/nix/store", "/gnu/store"];

/// Files in the top folder of a project: of version control and build systems.
const MARKS: [&str; 22] = [
    ".git",
    ".hg",
    ".svn",
    ".jj",
    "CMakeLists.txt",
    "CMakePresets.json",
    "meson.build",
    "configure",
    "configure.ac",
    "Makefile",
    "GNUmakefile",
    "makefile",
    "SConstruct",
    "WORKSPACE",
    "MODULE.bazel",
    "Cargo.toml",
    "fpm.toml",
    "pyproject.toml",
    "setup.py",
    "xmake.lua",
    "dub.json",
    "build.zig",
];
/// Most levels above the compilation folder that are searched for a project's top folder.
const PROJECT_DEPTH: usize = 6;

/// Why a file is not read as a source.
#[derive(Debug)]
pub enum Refusal {
    /// It does not exist, or cannot be reached.
    Absent(std::io::Error),
    /// It is a pipe, a device or a folder.
    NotRegular,
    /// Its name, or that of the file it links to, is not that of a source.
    NotASource,
    /// It is outside of every folder that may be read.
    Outside,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(cause) => write!(f, "{cause}"),
            Self::NotRegular => f.write_str("it is not a regular file"),
            Self::NotASource => f.write_str("its name is not that of a source file"),
            Self::Outside => f.write_str(
                "it is outside of the folder in which the program was compiled; if it is a source of yours, give its \
                 folder with --source-root",
            ),
        }
    }
}

impl std::error::Error for Refusal {}

/// The folders whose sources may be read.
#[derive(Clone, Debug, Default)]
pub struct Granted {
    /// Folders that the user gave; hidden folders in them count, too.
    given: Vec<PathBuf>,
    /// Folders that the program names.
    compiled: BTreeSet<PathBuf>,
}

impl Granted {
    /// `given` are folders that the user names, `compiled_in` folders in which compilers ran, according to a
    /// program or a file.
    pub fn new<'a>(given: &[PathBuf], compiled_in: impl IntoIterator<Item = &'a Path>) -> Self {
        let given = given.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
        let named: BTreeSet<&Path> =
            compiled_in.into_iter().filter(|path| !path.as_os_str().is_empty()).collect();
        let mut compiled = BTreeSet::new();
        for folder in named.into_iter().filter_map(|path| path.canonicalize().ok()) {
            if folder.is_dir() && !of_the_system(&folder) && !compiled.contains(&folder) {
                compiled.extend(project(&folder));
                compiled.insert(folder);
            }
        }
        Self { given, compiled }
    }

    /// Whether a file may be read as a source; its real path.
    ///
    /// # Errors
    /// Why it may not.
    pub fn source(&self, file: &Path) -> Result<PathBuf, Refusal> {
        let real = resolved(file)?;
        if !has_source_name(&real) {
            return Err(Refusal::NotASource);
        }
        if self.holds(&real) || public(&real) { Ok(real) } else { Err(Refusal::Outside) }
    }

    /// Whether a folder may be searched for headers. Besides the folders of sources these are folders of
    /// other projects that the command names, unless they belong to the system or are hidden.
    pub fn include_folder(&self, folder: &Path) -> bool {
        let Ok(real) = folder.canonicalize() else { return false };
        if !real.is_dir() {
            return false;
        }
        self.holds(&real)
            || INSTALLED.iter().any(|installed| real.starts_with(installed))
            || !(of_the_system(&real) || is_home(&real) || hidden(&real))
    }

    /// Whether a compiler may have read a file when it compiled a source: a file of the project, a public one of the system,
    /// or a header in one of the `include_folders`, which were checked by [`Granted::include_folder`].
    pub fn includes(&self, file: &Path, include_folders: &[PathBuf]) -> bool {
        let Ok(real) = resolved(file) else { return false };
        let header = || real.extension().is_none() || has_source_name(&real);
        let in_folder = |folder: &PathBuf| {
            folder
                .canonicalize()
                .is_ok_and(|folder| real.strip_prefix(folder).is_ok_and(|below| !hidden(below)))
        };
        self.holds(&real) || public(&real) || (header() && include_folders.iter().any(in_folder))
    }

    /// Whether a real path is in one of the folders.
    fn holds(&self, real: &Path) -> bool {
        self.given.iter().any(|folder| real.starts_with(folder))
            || self.compiled.iter().any(|folder| real.strip_prefix(folder).is_ok_and(|below| !hidden(below)))
    }
}

fn resolved(file: &Path) -> Result<PathBuf, Refusal> {
    let real = file.canonicalize().map_err(Refusal::Absent)?;
    let data = std::fs::metadata(&real).map_err(Refusal::Absent)?;
    if data.is_file() { Ok(real) } else { Err(Refusal::NotRegular) }
}

/// Whether a file is named as sources are.
pub fn has_source_name(path: &Path) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|extension| EXTENSIONS.contains(&extension))
}

/// Whether a real path has a hidden component.
fn hidden(path: &Path) -> bool {
    path.components()
        .any(|part| matches!(part, Component::Normal(name) if name.as_encoded_bytes().starts_with(b".")))
}

/// Whether a real path is `/` or a folder of the system.
fn of_the_system(folder: &Path) -> bool {
    let names: Vec<&str> = folder
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_str().unwrap_or_default()),
            _ => None,
        })
        .collect();
    match names.as_slice() {
        [] => true,
        [first, ..] if NEVER.contains(first) => true,
        [first] => TOO_WIDE.contains(first),
        ["var", "tmp"] => false,
        ["usr" | "var" | "nix" | "gnu", _] => true,
        _ => false,
    }
}

fn is_home(folder: &Path) -> bool {
    folder == Path::new("/root")
        || folder.parent() == Some(Path::new("/home"))
        || std::env::var_os("HOME").is_some_and(|home| Path::new(&home) == folder)
}

/// The project that a compilation folder belongs to: the outermost folder above it with a project's files.
fn project(compiled_in: &Path) -> Option<PathBuf> {
    compiled_in
        .ancestors()
        .skip(1)
        .take(PROJECT_DEPTH)
        .take_while(|folder| {
            let shared = [Path::new("/tmp"), Path::new("/var/tmp")].contains(folder);
            !of_the_system(folder) && !is_home(folder) && !shared
        })
        .filter(|folder| MARKS.iter().any(|mark| folder.join(mark).symlink_metadata().is_ok()))
        .last()
        .map(Path::to_owned)
}

/// Whether a real path is an installed file that every user may read.
fn public(real: &Path) -> bool {
    INSTALLED.iter().any(|folder| real.starts_with(folder))
        && std::fs::metadata(real).is_ok_and(|data| data.uid() == 0 && data.mode() & 0o004 != 0)
}

#[cfg(test)]
mod tests;
