//! Another compiler for a source: which one, and which of the build's options it does not know.

use crate::line::{Line, resolved};
use loopwright_experiment::trials::{Part, Why};
use loopwright_remarks::command::takes_value;
use loopwright_remarks::compiler::which;
use loopwright_remarks::remark::Family;
use loopwright_vocabulary::Language;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Versions of clang whose names are looked for, the newest first: distributions install them beside each other.
const CLANG_VERSIONS: std::ops::RangeInclusive<u32> = 10..=24;
/// The same of GCC.
const GCC_VERSIONS: std::ops::RangeInclusive<u32> = 9..=18;

/// Options that bind an object to its compiler: its run-time library, or a form of code that only that compiler reads.
const BINDING: [&str; 6] = ["-flto", "-fopenmp", "-fopenacc", "-fcoarray", "-fprofile", "-fsanitize"];

/// Beginnings of options that choose what code a compiler makes or reads, and that it may not know.
const ASKED: [&str; 5] = ["-f", "-m", "-O", "-std", "-W"];
/// Options of the linker, the preprocessor and the assembler begin like a warning.
const NOT_ASKED: [&str; 3] = ["-Wl,", "-Wp,", "-Wa,"];

/// The part that compiles the source of a command by another compiler.
pub(crate) fn other(file: &str, line: &Line, family: Family, language: Language) -> Result<Part, Why> {
    if language == Language::Fortran {
        // Modules are read by the compiler that wrote them alone, and its library holds the open files.
        let option = line.step.program().to_owned();
        return Err(Why::BoundToCompiler { file: file.to_owned(), option });
    }
    let compiler = installed(family, language).ok_or_else(|| Why::NoOtherCompiler {
        file: file.to_owned(),
        compiler: line.step.program().to_owned(),
    })?;
    by(&compiler, file, line, language, &mut Unknown::default())
}

/// Options that compilers do not know, by compiler, language and the options that were asked for: asking takes as long as compiling a
/// small source, and most commands of a build have the same options.
#[derive(Default)]
pub(crate) struct Unknown(BTreeMap<(PathBuf, Language, Vec<String>), Vec<String>>);

/// The part that compiles the source of a command by this compiler.
pub(crate) fn by(
    compiler: &Path,
    file: &str,
    line: &Line,
    language: Language,
    known: &mut Unknown,
) -> Result<Part, Why> {
    let arguments = &line.step.arguments;
    let binds = |word: &&String| BINDING.iter().any(|option| word.starts_with(option));
    if let Some(option) = arguments.iter().find(binds) {
        return Err(Why::BoundToCompiler { file: file.to_owned(), option: option.clone() });
    }
    let options = asked(arguments);
    let key = (compiler.to_path_buf(), language, options.clone());
    let without = known.0.entry(key).or_insert_with(|| unknown(compiler, &options, language)).clone();
    let compiler = compiler.to_string_lossy().into_owned();
    Ok(Part::Compiler { files: vec![file.to_owned()], compiler, without })
}

/// Every compiler of C and C++ on the search path by what distinguishes its name (`clang`, `clang-19`), the newest first; of several
/// names of one program the first.
pub(crate) fn all_installed() -> Vec<(String, BTreeMap<Language, PathBuf>)> {
    let Some(path) = std::env::var_os("PATH") else { return Vec::new() };
    let families = [("gcc", "g++", GCC_VERSIONS), ("clang", "clang++", CLANG_VERSIONS)];
    let mut found: Vec<(String, BTreeMap<Language, PathBuf>)> = Vec::new();
    for (c, cxx, versions) in families {
        let suffixes = versions.rev().map(|version| format!("-{version}")).chain([String::new()]);
        for suffix in suffixes {
            let of = |name: &str| which(&format!("{name}{suffix}"), &path, |_| false);
            let both = [(Language::C, of(c)), (Language::Cxx, of(cxx))];
            let is_new = |language: Language, path: &Path| {
                let mut known = found.iter().filter_map(|(_, by)| by.get(&language));
                known.all(|other| resolved(other) != resolved(path))
            };
            let compilers: BTreeMap<_, _> = both
                .into_iter()
                .filter_map(|(language, path)| Some((language, path?)))
                .filter(|(language, path)| is_new(*language, path))
                .collect();
            if !compilers.is_empty() {
                found.push((format!("{c}{suffix}"), compilers));
            }
        }
    }
    found
}

/// The newest compiler of the other family.
fn installed(family: Family, language: Language) -> Option<PathBuf> {
    let name = if family == Family::Gcc { "clang" } else { "gcc" };
    let language = if language == Language::Cxx { language } else { Language::C };
    let mut of_family = all_installed().into_iter().filter(|(compiler, _)| compiler.starts_with(name));
    of_family.find_map(|(_, mut by)| by.remove(&language))
}

/// The options of a command that another compiler may not know.
fn asked(arguments: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    let mut words = arguments.iter().skip(1);
    while let Some(word) = words.next() {
        if takes_value(word) {
            words.next();
        } else if ASKED.iter().any(|beginning| word.starts_with(beginning))
            && !NOT_ASKED.iter().any(|beginning| word.starts_with(beginning))
            && !found.contains(word)
        {
            found.push(word.clone());
        }
    }
    found
}

/// Those that the compiler refuses, or says that it ignores. All at once first: mostly it knows all.
fn unknown(compiler: &Path, options: &[String], language: Language) -> Vec<String> {
    let name = if language == Language::Cxx { "c++" } else { "c" };
    let knows = |options: &[String]| {
        let mut asking = Command::new(compiler);
        // The last word decides: a warning of the options is an error, whatever the build says.
        asking.args(options).args(["-Werror", "-fsyntax-only", "-x", name, "/dev/null"]);
        asking.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        asking.status().is_ok_and(|status| status.success())
    };
    if knows(options) {
        return Vec::new();
    }
    options.iter().filter(|option| !knows(std::slice::from_ref(option))).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn options_that_the_other_compiler_does_not_know_are_found() {
        let all = asked(&words("gcc -O2 -g -I -fno-such -fno-tree-pre -Wall -Wl,-O1 -o x -march=native a.c"));
        assert_eq!(all, ["-O2", "-fno-tree-pre", "-Wall", "-march=native"]);
        let Some(clang) = installed(Family::Gcc, Language::C) else { return };
        let options = words("-O2 -march=native -fipa-pta -fno-math-errno");
        assert_eq!(unknown(&clang, &options, Language::C), ["-fipa-pta"]);
    }
}
