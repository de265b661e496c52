//! `DW_AT_producer`: the compiler of a unit, and its flags.
//!
//! GCC writes `GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O3` (unless `-gno-record-gcc-switches`); clang writes
//! its version only, or the whole command with `-grecord-command-line`: `clang version 14.0.6 /usr/bin/clang -O3 ..`.
//! GCC does not record `-I`, `-D` and `-U`: a source that needs them will not compile again, and the warning says so.

use crate::remark::Family;
use loopwright_vocabulary::Language;

/// A parsed producer string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Producer {
    /// Compiler family.
    pub family: Family,
    /// Program to call: `gcc`, `g++`, `gfortran`, `clang`, `clang++`, `flang`.
    pub program: &'static str,
    /// Version, e.g. `12.2.0`.
    pub version: String,
    /// Flags, where they were recorded.
    pub flags: Option<Vec<String>>,
}

/// Reads a producer string; `language` is that of the unit, where the string does not state it.
pub fn parse(text: &str, language: Option<Language>) -> Option<Producer> {
    use Language::{C, Cxx, Fortran, Rust};
    if let Some(rest) = text.strip_prefix("GNU ") {
        let words =
            shlex::split(rest).unwrap_or_else(|| rest.split_whitespace().map(str::to_string).collect());
        let mut words = words.into_iter();
        let dialect = words.next()?;
        let program = if dialect.starts_with("C++") {
            "g++"
        } else if dialect.starts_with("Fortran") {
            "gfortran"
        } else if dialect.starts_with('C') {
            "gcc"
        } else {
            return None;
        };
        let version = words.find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
        // Values of flags are separate words in older versions; words that are neither flag nor value are
        // dropped later.
        let mut flags: Vec<String> = words.collect();
        if let Some(standard) = standard(&dialect)
            && !flags.iter().any(|flag| flag.starts_with("-std="))
        {
            flags.push(standard);
        }
        let recorded = flags.iter().any(|flag| !flag.starts_with("-std="));
        return Some(Producer { family: Family::Gcc, program, version, flags: recorded.then_some(flags) });
    }
    let (head, rest) = text.split_once(" version ")?;
    if !(head.contains("clang") || head.contains("flang")) {
        return None;
    }
    let program = match language {
        Some(Cxx) => "clang++",
        Some(Fortran) => "flang",
        Some(C) | None if head.contains("flang") => "flang",
        Some(C) | None => "clang",
        // No clang compiles it, whatever the string says.
        Some(Rust) => return None,
    };
    let (version, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let version: String = version.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let words = shlex::split(rest).unwrap_or_default();
    let command = words.iter().position(|word| word.starts_with('/') && word.contains("lang"));
    let flags = command.map(|at| words.into_iter().skip(at + 1).collect());
    (!version.is_empty()).then_some(Producer { family: Family::Clang, program, version, flags })
}

/// `C17` means `-std=gnu17`: GCC leaves the option out of its record when it is the default of that version.
fn standard(dialect: &str) -> Option<String> {
    if let Some(year) = dialect.strip_prefix("C++") {
        return (!year.is_empty()).then(|| format!("-std=gnu++{year}"));
    }
    let year = dialect
        .strip_prefix('C')
        .filter(|year| !year.is_empty() && year.chars().all(|c| c.is_ascii_digit()))?;
    Some(format!("-std=gnu{year}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gcc_names_its_flags() {
        let p =
            parse("GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O3 -fasynchronous-unwind-tables", None)
                .unwrap();
        assert_eq!((p.family, p.program, p.version.as_str()), (Family::Gcc, "gcc", "12.2.0"));
        assert_eq!(
            p.flags.unwrap(),
            ["-mtune=generic", "-march=x86-64", "-g", "-O3", "-fasynchronous-unwind-tables", "-std=gnu17"]
        );
        let p = parse("GNU Fortran2008 12.2.0 -mtune=generic -march=x86-64 -O2", None).unwrap();
        assert_eq!(p.program, "gfortran");
        assert_eq!(p.flags.unwrap(), ["-mtune=generic", "-march=x86-64", "-O2"]);
        assert_eq!(parse("GNU C++17 9.4.0", None).unwrap().flags, None);
        assert!(parse("GNU AS 2.40", None).is_none());
    }

    #[test]
    fn clang_names_them_only_when_asked() {
        let p = parse("Debian clang version 14.0.6", Some(Language::Cxx)).unwrap();
        assert_eq!((p.program, p.version.as_str(), p.flags), ("clang++", "14.0.6", None));
        let p =
            parse("Debian clang version 19.1.7 (3) /usr/lib/llvm-19/bin/clang -O3 -g -c a.c", None).unwrap();
        assert_eq!(p.flags.unwrap(), ["-O3", "-g", "-c", "a.c"]);
        assert!(parse("rustc version 1.95.0", None).is_none());
        assert!(parse("", None).is_none());
    }
}
