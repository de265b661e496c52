//! What limits compilers' remarks, and the one place where it becomes a sentence with the way out.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A source without remarks, one whose remarks may differ from the binary, or a part of a build that was not seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Warning {
    /// The source is not on this machine.
    #[error("source {} does not exist here; run where the sources are", source_file.display())]
    NoSource {
        /// The source.
        source_file: PathBuf,
    },
    /// The source may not be read.
    #[error("source {} is not compiled again: {why}", source_file.display())]
    Forbidden {
        /// The source.
        source_file: PathBuf,
        /// The rule that forbids it.
        why: String,
    },
    /// No compiler can run.
    #[error("no compiler can be asked: {error}; check that the temporary folder is writable")]
    NoSession {
        /// The system's error.
        error: String,
    },
    /// The same, in a build.
    #[error("no report was asked for: {error}")]
    NoReport {
        /// The system's error.
        error: String,
    },
    /// Its language has no compiler with reports.
    #[error("{} is not C, C++ or Fortran; its compiler cannot be asked", source_file.display())]
    OtherLanguage {
        /// The source.
        source_file: PathBuf,
    },
    /// Nothing names the options of the compilation.
    #[error(
        "the flags of {} are unknown; give a compile_commands.json, use `loopwright build`, or compile with {}",
        source_file.display(),
        if *clang { "-grecord-command-line (clang leaves its flags out otherwise)" } else { "-g -grecord-gcc-switches" }
    )]
    UnknownFlags {
        /// The source.
        source_file: PathBuf,
        /// Clang compiled it.
        clang: bool,
    },
    /// Its compiler is not on this machine.
    #[error(
        "{} was compiled by {wanted}, which is not installed or not on PATH; install it, name it with --compiler, or use \
         `loopwright build`",
        source_file.display()
    )]
    NoCompiler {
        /// The source.
        source_file: PathBuf,
        /// The compiler and its version.
        wanted: String,
    },
    /// A compiler gave no answer: the sentence of [`crate::ask::Error`].
    #[error("{0}")]
    NoAnswer(String),
    /// The time was up before these were asked about.
    #[error(
        "the compiler was not asked about {sources} of {of} source files in time; `loopwright remarks` asks about all"
    )]
    Late {
        /// How many.
        sources: usize,
        /// Of how many.
        of: usize,
    },
    /// The program was built from an earlier version of the source.
    #[error("{} is newer than the program; its lines may have moved: build again", source_file.display())]
    NewerSource {
        /// The source.
        source_file: PathBuf,
    },
    /// Options that a file names were not all used.
    #[error(
        "{} is asked about without {}: what a file names is carried out only where it chooses language, optimisation, target, \
         includes or macros, so that reasons may differ; `loopwright build` uses all flags",
        source_file.display(),
        flags.join(", ")
    )]
    FlagsDropped {
        /// The source.
        source_file: PathBuf,
        /// The unused ones.
        flags: Vec<String>,
    },
    /// Another version of the compiler gave the answer.
    #[error(
        "{} was compiled by {compiler}, but {asked} was asked; its reasons may differ: install that version or use `loopwright \
         build`",
        source_file.display()
    )]
    OtherVersion {
        /// The source.
        source_file: PathBuf,
        /// Its compiler and version.
        compiler: String,
        /// The one that was asked.
        asked: String,
    },
    /// The build's compiler makes no reports.
    #[error("{compiler} is too old for reports, or of an unknown kind; use GCC 9 or clang 10, or newer")]
    NoReports {
        /// The compiler and its version.
        compiler: String,
    },
    /// The build called no wrapper, and has no list of its compilations.
    #[error(
        "no compile command was seen: either nothing had to be compiled (clean first), or the compilers are called by absolute \
         path (configure with the compilers in {}, or with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, and run again)",
        wrappers.display()
    )]
    NothingCompiled {
        /// Folder of the wrappers.
        wrappers: PathBuf,
    },
    /// The build called no wrapper, so its list of compilations was used.
    #[error(
        "the build called no compiler through PATH; {answered} of {of} sources of its compile database were asked about instead"
    )]
    AskedInstead {
        /// Sources with an answer.
        answered: usize,
        /// Sources in the list.
        of: usize,
    },
    /// A record of another form.
    #[error("{} is of another version of loopwright; build again", record.display())]
    OtherRecord {
        /// Its file.
        record: PathBuf,
    },
    /// A record that does not decode.
    #[error("{} is damaged ({error}); build again", record.display())]
    DamagedRecord {
        /// Its file.
        record: PathBuf,
        /// What is wrong.
        error: String,
    },
    /// The sentence that earlier versions recorded; only reading one makes it.
    #[error("{0}")]
    #[serde(untagged)]
    Said(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_stored_by_its_fields_and_old_sentences_are_read() {
        let warning = Warning::UnknownFlags { source_file: "/a.c".into(), clang: false };
        let stored = serde_json::to_string(&warning).unwrap();
        assert_eq!(stored, r#"{"unknown-flags":{"source_file":"/a.c","clang":false}}"#);
        assert_eq!(serde_json::from_str::<Warning>(&stored).unwrap(), warning);
        let sentence = "the flags of /a.c are unknown; give a compile_commands.json, use `loopwright build`, or compile with \
                        -g -grecord-gcc-switches";
        assert_eq!(warning.to_string(), sentence);
        let old: Warning = serde_json::from_str(&format!("\"{sentence}\"")).unwrap();
        assert_eq!(old, Warning::Said(sentence.to_owned()));
    }
}
