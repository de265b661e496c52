//! Compilers on this machine: which names are compilers, which program a name stands for, and what version it is.

use crate::remark::Family;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Set for whatever is started as a compiler: stand-ins that it may meet on `PATH` then only pass on.
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

/// A compiler that answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// The program.
    pub path: PathBuf,
    /// Family.
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

/// Whether a program of this name is a compiler: `gcc`, `g++-12`, `x86_64-linux-gnu-gfortran-12`, `clang-19`, ...
pub fn is_compiler_name(name: &str) -> bool {
    let bare = without_version(name);
    NAMES.iter().any(|known| {
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

/// Asks a program what it is. `None` when it is no compiler of a known family or does not run.
pub fn identify(path: &Path) -> Option<Compiler> {
    let output = Command::new(path)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .env("LC_ALL", "C")
        .env(INSIDE_VARIABLE, path)
        .output()
        .ok()?;
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

/// The first program of this name on `path`, leaving out those for which `skip` holds.
pub fn which(name: &str, path: &std::ffi::OsStr, skip: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    std::env::split_paths(path)
        .map(|folder| folder.join(name))
        .find(|program| is_program(program) && !skip(program))
}

pub(crate) fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// A compiler of this family, program name and version: `gcc` itself, or `gcc-12`, and so on.
///
/// The same major version counts; the exact one is preferred.
pub fn find(program: &str, version: &str) -> Option<Compiler> {
    let path = std::env::var_os("PATH")?;
    let major = version.split('.').next().unwrap_or(version);
    let minor = version.split('.').take(2).collect::<Vec<_>>().join(".");
    let names = [
        format!("{program}-{version}"),
        format!("{program}-{minor}"),
        format!("{program}-{major}"),
        program.to_string(),
    ];
    let found: Vec<Compiler> = names
        .iter()
        .filter_map(|name| which(name, &path, |_| false))
        .filter_map(|path| identify(&path))
        .filter(|compiler| compiler.major().to_string() == major)
        .collect();
    found.iter().find(|compiler| compiler.version == version).or(found.first()).cloned()
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
}
