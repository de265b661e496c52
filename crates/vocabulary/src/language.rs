//! Source languages, and how a file's name shows them.

use std::path::Path;

/// A source language of the compilers that write loops worth a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// C, every standard.
    C,
    /// C++.
    Cxx,
    /// Fortran, free or fixed form.
    Fortran,
    /// Rust, every edition.
    Rust,
}

impl Language {
    /// Of a source file, by the extensions that GCC, clang and rustc compile.
    pub fn of_source(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "c" | "i" => Some(Self::C),
            "C" | "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "ii" | "tcc" => Some(Self::Cxx),
            "f" | "for" | "ftn" | "f90" | "f95" | "f03" | "f08" | "F" | "FOR" | "fpp" | "FPP" | "FTN"
            | "F90" | "F95" | "F03" | "F08" => Some(Self::Fortran),
            "rs" => Some(Self::Rust),
            _ => None,
        }
    }

    /// Of a source file or of a header; a `.h` counts as C.
    pub fn of_file(path: &Path) -> Option<Self> {
        Self::of_source(path).or_else(|| match path.extension()?.to_str()? {
            "h" => Some(Self::C),
            "hh" | "hpp" | "hxx" | "h++" | "H" => Some(Self::Cxx),
            "f77" => Some(Self::Fortran),
            _ => None,
        })
    }

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::C => "C",
            Self::Cxx => "C++",
            Self::Fortran => "Fortran",
            Self::Rust => "Rust",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_show_their_language() {
        let of = |name: &str| (Language::of_source(Path::new(name)), Language::of_file(Path::new(name)));
        assert_eq!(of("a/kernel.c"), (Some(Language::C), Some(Language::C)));
        assert_eq!(of("a/kernel.C"), (Some(Language::Cxx), Some(Language::Cxx)));
        assert_eq!(of("solver.F90"), (Some(Language::Fortran), Some(Language::Fortran)));
        assert_eq!(of("grid.hpp"), (None, Some(Language::Cxx)), "no compiler is given a header");
        for name in ["c", ".c", "Makefile", "a.c/b", "a.o", ""] {
            assert_eq!(of(name), (None, None), "{name}");
        }
    }
}
