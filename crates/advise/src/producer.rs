//! The compiler and its options, from the description it leaves in the binary.
//!
//! GCC writes `GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2` into `DW_AT_producer`
//! (`-grecord-gcc-switches`, on by default); clang and rustc write their version alone unless
//! `-grecord-command-line` is given; without DWARF only `.comment` is left, which never has options.
//! "No `-O` option" therefore means -O0 only where options were recorded at all.

use loopwright_vocabulary::Language;

/// Compiler family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// GCC.
    Gnu,
    /// clang or flang.
    Clang,
    /// rustc.
    Rust,
    /// A compiler of Intel's, classic or oneAPI.
    Intel,
    /// Anything else.
    Other,
}

/// A parsed producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Producer<'a> {
    /// The compiler, by its name in the text.
    pub family: Family,
    /// Language, where the text names one.
    pub language: Option<Language>,
    /// Options, when they were recorded.
    pub options: Option<Vec<&'a str>>,
}

impl<'a> Producer<'a> {
    /// Parses a producer string; any text is accepted.
    pub fn parse(text: &'a str) -> Self {
        let family = if text.starts_with("GNU ") || text.starts_with("GCC:") {
            Family::Gnu
        } else if text.contains("rustc") {
            Family::Rust
        } else if text.contains("Intel") || text.contains("ifx") {
            Family::Intel
        } else if text.contains("clang") || text.contains("flang") {
            Family::Clang
        } else {
            Family::Other
        };
        let language = match family {
            Family::Rust => Some(Language::Rust),
            _ if text.contains("Fortran") || text.contains("flang") || text.contains("ifx") => {
                Some(Language::Fortran)
            }
            Family::Gnu if text.starts_with("GNU C++") => Some(Language::Cxx),
            Family::Gnu if text.starts_with("GNU C") => Some(Language::C),
            Family::Clang => Some(Language::C),
            _ => None,
        };
        let options: Vec<&str> =
            text.split_whitespace().filter(|w| w.starts_with('-') && w.len() > 1).collect();
        let recorded =
            options.iter().any(|o| o.starts_with("-m") || o.starts_with("-O") || o.starts_with("-f"));
        Self { family, language, options: recorded.then_some(options) }
    }

    /// The optimisation level in force: the last `-O` option, `0` when options are recorded without one.
    pub fn optimisation(&self) -> Option<&'a str> {
        let options = self.options.as_ref()?;
        Some(match options.iter().rev().find_map(|o| o.strip_prefix("-O")) {
            Some("") => "1",
            Some(level) => level,
            None => "0",
        })
    }

    /// Whether `option` was given; `None` when options were not recorded.
    pub fn has(&self, option: &str) -> Option<bool> {
        Some(self.options.as_ref()?.contains(&option))
    }

    /// The value of the last option that starts with `prefix`, e.g. `-march=`.
    pub fn value(&self, prefix: &str) -> Option<&'a str> {
        self.options.as_ref()?.iter().rev().find_map(|o| o.strip_prefix(prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gcc_without_a_level_is_unoptimised_and_the_last_level_wins() {
        let none = Producer::parse("GNU C17 12.2.0 -mtune=generic -march=x86-64 -g");
        assert_eq!((none.family, none.language), (Family::Gnu, Some(Language::C)));
        assert_eq!(none.optimisation(), Some("0"));
        let two = Producer::parse("GNU C++17 12.2.0 -march=x86-64 -g -O0 -O3");
        assert_eq!(two.optimisation(), Some("3"));
        assert_eq!(two.value("-march="), Some("x86-64"));
        assert_eq!(Producer::parse("GNU C17 12 -mtune=generic -O").optimisation(), Some("1"));
    }

    #[test]
    fn what_was_not_recorded_is_not_guessed() {
        for text in ["Debian clang version 14.0.6", "GCC: (Debian 12.2.0-14) 12.2.0", "", "-"] {
            let producer = Producer::parse(text);
            assert_eq!(producer.optimisation(), None, "{text}");
            assert_eq!(producer.has("-ffast-math"), None, "{text}");
        }
        assert_eq!(Producer::parse("clang LLVM (rustc version 1.95.0)").family, Family::Rust);
        assert_eq!(
            Producer::parse("GNU Fortran2008 12.2.0 -mtune=generic -O2").language,
            Some(Language::Fortran)
        );
    }
}
