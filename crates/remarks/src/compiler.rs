//! Compilers on this machine: which names are compilers, which program a name refers to, and its version.

use crate::ask::closed_environment;
use crate::remark::Family;
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Set for every program that is started as a compiler: wrappers that it may find on `PATH` then only pass the call on.
pub(crate) const INSIDE_VARIABLE: &str = "LOOPWRIGHT_INSIDE_COMPILER";

/// Names under which compilers are called, without target and version.
const NAMES: [&str; 15] = [
    "gcc",
    "g++",
    "cc",
    "c++",
    "gfortran",
    "f77",
    "f95",
    "clang",
    "clang++",
    "flang",
    "flang-new",
    "icc",
    "icpc",
    "ifort",
    "icx",
];

/// An identified compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// The program.
    pub path: PathBuf,
    /// The compiler's vendor, which decides the options to ask with.
    pub family: Family,
    /// Version, e.g. `12.2.0`.
    pub version: String,
}

impl Compiler {
    /// `gcc 12.2.0`.
    pub fn label(&self) -> String {
        let name = match self.family {
            Family::Gcc => "gcc",
            Family::Clang => "clang",
            Family::Intel => "icc",
        };
        format!("{name} {}", self.version)
    }

    /// The first number of the version.
    pub fn major(&self) -> u32 {
        self.version.split('.').next().and_then(|major| major.parse().ok()).unwrap_or(0)
    }

    /// Whether it has the report options that are used here: GCC 9 (JSON, `-internals`), clang 10.
    pub fn can_report(&self) -> bool {
        match self.family {
            Family::Gcc => self.major() >= 9,
            Family::Clang => self.major() >= 10,
            Family::Intel => false,
        }
    }
}

/// Names of programs that make static libraries, without target and version.
const ARCHIVERS: [&str; 3] = ["ar", "gcc-ar", "llvm-ar"];

/// Whether a program of this name is a compiler: `gcc`, `g++-12`, `x86_64-linux-gnu-gfortran-12`, `clang-19`, ...
pub fn is_compiler_name(name: &str) -> bool {
    is_one_of(name, &NAMES)
}

/// Whether a program of this name makes static libraries: `ar`, `gcc-ar-12`, `x86_64-linux-gnu-ar`, ...
pub fn is_archiver_name(name: &str) -> bool {
    is_one_of(name, &ARCHIVERS)
}

fn is_one_of(name: &str, known: &[&str]) -> bool {
    let bare = without_version(name);
    known.iter().any(|known| {
        bare == *known
            || bare
                .strip_suffix(known)
                .and_then(|target| target.strip_suffix('-'))
                // A target has at least a machine and a system: `x86_64-linux-gnu`, `aarch64-none-elf`.
                .is_some_and(|target| {
                    target.contains('-') && target.starts_with(|c: char| c.is_ascii_alphanumeric())
                })
    })
}

fn without_version(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((bare, version))
            if !version.is_empty() && version.chars().all(|c| c.is_ascii_digit() || c == '.') =>
        {
            bare
        }
        _ => name,
    }
}

/// Identifies a program. `None` when it is not a compiler of a known family or does not run.
pub fn identify(path: &Path) -> Option<Compiler> {
    let mut asking = Command::new(path);
    asking.arg("--version").stdin(Stdio::null()).stderr(Stdio::null());
    closed_environment(&mut asking);
    let output = asking.env("LC_ALL", "C").env(INSIDE_VARIABLE, path).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let (family, version) = read_version(&text)?;
    Some(Compiler { path: path.to_path_buf(), family, version })
}

/// Family and version from the output of `--version`.
fn read_version(text: &str) -> Option<(Family, String)> {
    let first = text.lines().next()?;
    let number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    let digits =
        |word: &str| word.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect::<String>();
    if let Some((head, rest)) = first.split_once("version ")
        && (head.contains("clang") || head.contains("flang") || head.contains("LLVM"))
    {
        return Some((Family::Clang, digits(rest.split_whitespace().next()?)));
    }
    if text.contains("Free Software Foundation") {
        let version = first.split_whitespace().rev().find(|word| number(word))?;
        return Some((Family::Gcc, digits(version)));
    }
    if first.starts_with("icc ") || first.starts_with("icpc ") || first.starts_with("ifort ") {
        return Some((Family::Intel, digits(first.split_whitespace().find(|word| number(word))?)));
    }
    None
}

/// The first program of this name on `path`, except those for which `skip` holds. Entries that are relative
/// to the current folder, which may belong to another user, are skipped.
pub fn which(name: &str, path: &OsStr, skip: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|program| is_program(program) && !skip(program))
}

pub(crate) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Where compilers are searched for: in the folders of those that the user names, then on `PATH`. A file may name a
/// compiler, but it never decides which program is run.
#[derive(Clone, Debug, Default)]
pub struct Places {
    folders: Vec<PathBuf>,
}

/// Where systems install programs. A program that is run from there because a file names it must also be
/// writable by root only.
const INSTALLED: [&str; 5] = ["/usr", "/bin", "/opt", "/nix/store", "/gnu/store"];

impl Places {
    /// The folders of the compilers that the user names, then those of `PATH`.
    pub fn new(named: &[PathBuf]) -> Places {
        let absolute = |path: &PathBuf| std::path::absolute(path).ok();
        let beside =
            named.iter().filter_map(absolute).filter_map(|path| path.parent().map(Path::to_path_buf));
        let path = std::env::var_os("PATH").unwrap_or_default();
        Places {
            folders: beside
                .chain(std::env::split_paths(&path).filter(|folder| folder.is_absolute()))
                .collect(),
        }
    }

    fn programs<'a>(&'a self, name: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
        self.folders.iter().map(move |folder| folder.join(name)).filter(|program| is_program(program))
    }

    /// The program that a command names, if it is one that would be run without the command: by its name in one of the
    /// places, or by an absolute path that leads to the same file as one in the places, or into the installed system.
    pub fn program(&self, named: &str) -> Option<PathBuf> {
        let path = Path::new(named);
        let name = path.file_name()?.to_str().filter(|name| is_compiler_name(name))?;
        if !named.contains('/') {
            return self.programs(name).next();
        }
        if !path.is_absolute() || !is_program(path) {
            return None;
        }
        let real = path.canonicalize().ok()?;
        let same = |program: &PathBuf| program.canonicalize().is_ok_and(|program| program == real);
        self.programs(name).find(same).or_else(|| installed(&real).then(|| path.to_path_buf()))
    }

    /// A compiler of this program name and version: `gcc` itself, or `gcc-12`, and so on.
    ///
    /// The same major version counts; the exact one is preferred.
    pub fn find(&self, program: &str, version: &str) -> Option<Compiler> {
        let plain = version.chars().all(|c| c.is_ascii_digit() || c == '.');
        let major = version.split('.').next().filter(|major| plain && !major.is_empty())?;
        let minor = version.split('.').take(2).collect::<Vec<_>>().join(".");
        let names = [
            format!("{program}-{version}"),
            format!("{program}-{minor}"),
            format!("{program}-{major}"),
            program.to_string(),
        ];
        let found: Vec<Compiler> = names
            .iter()
            .filter_map(|name| self.programs(name).next())
            .filter_map(|path| identify(&path))
            .filter(|compiler| compiler.major().to_string() == major)
            .collect();
        found.iter().find(|compiler| compiler.version == version).or(found.first()).cloned()
    }
}

/// Whether a real path belongs to the installed system: in its folders, and only root may write there.
fn installed(real: &Path) -> bool {
    INSTALLED.iter().any(|folder| real.starts_with(folder))
        && real
            .ancestors()
            .all(|part| std::fs::metadata(part).is_ok_and(|data| data.uid() == 0 && data.mode() & 0o022 == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_known_by_name() {
        for name in [
            "gcc",
            "g++-12",
            "cc",
            "x86_64-linux-gnu-gcc",
            "x86_64-linux-gnu-gfortran-12",
            "clang-19",
            "clang++",
            "flang-new",
        ] {
            assert!(is_compiler_name(name), "{name}");
        }
        for name in [
            "gcc-ar",
            "gcc-ar-12",
            "clang-format",
            "clang-tidy-19",
            "loopwright",
            "colorgcc",
            "gcc-nm",
            "ccache",
            "mpicc",
            "c++filt",
            "pcc",
        ] {
            assert!(!is_compiler_name(name), "{name}");
        }
    }

    #[test]
    fn versions_are_read_from_what_they_print() {
        let gcc =
            "gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc.\n";
        assert_eq!(read_version(gcc), Some((Family::Gcc, "12.2.0".to_string())));
        assert_eq!(
            read_version("Debian clang version 19.1.7 (3~deb12u1)\n"),
            Some((Family::Clang, "19.1.7".to_string()))
        );
        assert_eq!(read_version("flang-new version 19.1.7\n"), Some((Family::Clang, "19.1.7".to_string())));
        let icc = "icc (ICC) 2021.5.0 20211109\nCopyright (C) 1985-2021 Intel Corporation.\n";
        assert_eq!(read_version(icc), Some((Family::Intel, "2021.5.0".to_string())));
        assert_eq!(read_version("make 4.3\n"), None);
    }

    #[test]
    fn a_file_does_not_choose_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("gcc");
        std::fs::copy("/bin/true", &program).unwrap();
        let named = program.to_str().unwrap();
        let other = tempfile::tempdir().unwrap();
        let nowhere = Places { folders: vec![other.path().to_path_buf()] };
        // By a path of its own, by a relative one, by a name that is not a compiler's.
        for wrong in [named, "./gcc", "bin/gcc", "../gcc", "gcc", "/bin/sh", "/etc/gcc", "/tmp/../bin/true"] {
            assert_eq!(nowhere.program(wrong), None, "{wrong}");
        }
        // A link outside of the places that leads elsewhere does not count.
        let there = Places::new(std::slice::from_ref(&program));
        assert_eq!(there.program(named), Some(program.clone()));
        assert_eq!(there.program("gcc"), Some(program.clone()));
        let link = other.path().join("gcc");
        std::os::unix::fs::symlink(&program, &link).unwrap();
        assert_eq!(there.program(link.to_str().unwrap()), Some(program));
        assert_eq!(there.find("gcc", "12/../x"), None);
    }
}
