//! The programs of `testprograms/`: one source file is one program, described by comments in it.
//!
//! A line that holds `PROGRAM key=value ..` describes the program (`links=`, `flags=` and `compilers=` take
//! comma-separated values, `matrix=yes` puts it into the programs x compilers x flag sets matrix). A line that
//! holds `LOOP key=value ..` says that the loop written on this line is called `name` and is of a `class`.

use crate::compiler::Compiler;
use loopwright_vocabulary::Language;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder with the programs.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testprograms").canonicalize().unwrap_or_else(|error| {
        panic!("testprograms/ beside crates/: {error}; the sources of the test programs are part of the repository")
    })
}

/// The folder with the programs that state the expected counts of their runs.
pub fn counting_folder() -> PathBuf {
    folder().join("counting")
}

/// The folder with the programs whose access patterns are known.
pub fn patterns_folder() -> PathBuf {
    folder().join("patterns")
}

/// The folder with the programs whose marks state which loops may run in parallel.
pub fn verdicts_folder() -> PathBuf {
    folder().join("verdicts")
}

/// A loop marked in a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopMark {
    /// Unique within the program.
    pub name: String,
    /// Kind of loop: `fp-map`, `fp-reduction`, `search`, ... (see `testprograms/README.md`).
    pub class: String,
    /// 1-based line of the `for`, `while`, `do` or iterator chain.
    pub line: u32,
    /// Every key of the mark, `name` and `class` included.
    pub keys: BTreeMap<String, String>,
}

/// A program: one file of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// File name without extension, e.g. `kernels`; languages get distinct names.
    pub name: String,
    /// Absolute path of the source.
    pub source: PathBuf,
    /// Language of the source.
    pub language: Language,
    /// Libraries to link, as flags.
    pub links: Vec<String>,
    /// Flags without which it does not compile (`-fopenmp`).
    pub flags: Vec<String>,
    /// Compilers that it is meant for, best first.
    pub compilers: Vec<Compiler>,
    /// Belongs to the matrix of compilers and flag sets.
    pub matrix: bool,
}

impl Program {
    /// Reads one source file; `None` when the extension is of no known language.
    ///
    /// # Panics
    /// When the file has no `PROGRAM` line, or one that cannot be understood.
    pub fn read(source: &Path) -> Option<Self> {
        let language = Language::of_source(source)?;
        let name = source.file_stem()?.to_str()?.to_owned();
        let text = std::fs::read_to_string(source).unwrap_or_else(|e| panic!("{}: {e}", source.display()));
        let keys = text
            .lines()
            .find_map(|line| marked(line, "PROGRAM"))
            .unwrap_or_else(|| panic!("{}: no `PROGRAM key=value` comment", source.display()));
        let list = |key: &str| -> Vec<String> {
            keys.get(key).map(|v| v.split(',').map(str::to_owned).collect()).unwrap_or_default()
        };
        let mut compilers = Vec::new();
        for word in list("compilers") {
            let known = Compiler::ALL.iter().find(|c| c.command() == word);
            compilers.push(*known.unwrap_or_else(|| panic!("{}: unknown compiler {word}", source.display())));
        }
        if compilers.is_empty() {
            compilers = Compiler::ALL.iter().copied().filter(|c| c.compiles(language)).collect();
        }
        for key in keys.keys() {
            assert!(
                ["links", "flags", "compilers", "matrix"].contains(&key.as_str()),
                "{}: unknown key {key} in its PROGRAM line",
                source.display()
            );
        }
        Some(Self {
            name,
            source: source.to_owned(),
            language,
            links: list("links"),
            flags: list("flags"),
            compilers,
            matrix: keys.get("matrix").is_some_and(|v| v == "yes"),
        })
    }

    /// The program of this name.
    ///
    /// # Panics
    /// When there is no such program: a test with a wrong name must not pass.
    pub fn named(name: &str) -> Self {
        let mut all = programs();
        all.extend(counting_programs());
        all.extend(pattern_programs());
        all.extend(verdict_programs());
        if let Some(at) = all.iter().position(|p| p.name == name) {
            return all.swap_remove(at);
        }
        panic!("no test program {name}; there are {:?}", all.iter().map(|p| &p.name).collect::<Vec<_>>())
    }

    /// The loops marked in the source, by line.
    pub fn loops(&self) -> Vec<LoopMark> {
        let text = std::fs::read_to_string(&self.source)
            .unwrap_or_else(|e| panic!("{}: {e}", self.source.display()));
        let mut loops = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let Some(keys) = marked(line, "LOOP") else { continue };
            let get = |key: &str| {
                keys.get(key).cloned().unwrap_or_else(|| {
                    panic!("{}:{}: the LOOP mark has no {key}", self.source.display(), index + 1)
                })
            };
            loops.push(LoopMark {
                name: get("name"),
                class: get("class"),
                line: index as u32 + 1,
                keys: keys.clone(),
            });
        }
        loops
    }
}

/// Every program of the folder, by name.
pub fn programs() -> Vec<Program> {
    programs_in(&folder())
}

/// Every program of `counting/`, by name: `PROGRAM expect ARGS..` prints the expected counts of a run with
/// these arguments (`expect.h` describes the format).
pub fn counting_programs() -> Vec<Program> {
    programs_in(&counting_folder())
}

/// Every program of `patterns/`, by name: marks state the expected results of tracing its loops.
pub fn pattern_programs() -> Vec<Program> {
    programs_in(&patterns_folder())
}

/// Every program of `verdicts/`, by name: marks state which loops may run in parallel.
pub fn verdict_programs() -> Vec<Program> {
    programs_in(&verdicts_folder())
}

fn programs_in(folder: &Path) -> Vec<Program> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut found: Vec<Program> = entries.filter_map(|entry| Program::read(&entry.ok()?.path())).collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// The `key=value` words after `word` when the line holds it in a comment.
fn marked(line: &str, word: &str) -> Option<BTreeMap<String, String>> {
    let (_, comment) = ["//", "/*", "!"].iter().find_map(|opening| line.split_once(opening))?;
    let rest = comment.trim_start().strip_prefix(word)?;
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let words = rest.split_whitespace().filter_map(|w| w.split_once('='));
    Some(words.map(|(k, v)| (k.to_owned(), v.to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_in_every_comment_style() {
        for line in [
            "  for (i = 0; i < n; i++) /* LOOP name=a class=fp-map */",
            "  for x in a { // LOOP name=a class=fp-map",
            "  do i = 1, n ! LOOP name=a class=fp-map",
        ] {
            let keys = marked(line, "LOOP").unwrap();
            assert_eq!(keys["name"], "a");
            assert_eq!(keys["class"], "fp-map");
        }
        assert_eq!(marked("for (;;) // LOOPING name=a", "LOOP"), None);
        assert_eq!(marked("LOOP name=a", "LOOP"), None);
        assert_eq!(marked("// PROGRAM", "PROGRAM"), Some(BTreeMap::new()));
    }

    #[test]
    fn every_source_is_a_program_and_its_loops_have_unique_names_on_loop_lines() {
        let mut programs = programs();
        assert!(programs.len() >= 10, "only {} programs found", programs.len());
        let counting = counting_programs();
        assert!(counting.len() >= 10, "only {} counting programs found", counting.len());
        for program in &counting {
            assert!(programs.iter().all(|p| p.name != program.name), "{} twice", program.name);
        }
        let patterns = pattern_programs();
        assert!(patterns.len() >= 3, "only {} pattern programs found", patterns.len());
        for program in &patterns {
            let others = || programs.iter().chain(&counting);
            assert!(others().all(|p| p.name != program.name), "{} twice", program.name);
        }
        let verdicts = verdict_programs();
        assert!(verdicts.len() >= 5, "only {} verdict programs found", verdicts.len());
        for program in &verdicts {
            let others = || programs.iter().chain(&counting).chain(&patterns);
            assert!(others().all(|p| p.name != program.name), "{} twice", program.name);
        }
        programs.extend(counting);
        programs.extend(patterns);
        programs.extend(verdicts);
        for program in &programs {
            let text = std::fs::read_to_string(&program.source).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            let mut names = std::collections::BTreeSet::new();
            for mark in program.loops() {
                let code = lines[mark.line as usize - 1];
                let looks_like_a_loop = [
                    "for ",
                    "for(",
                    "while",
                    "do ",
                    "do\t",
                    "goto",
                    "iter",
                    "=",
                    ".fill",
                    ".zip",
                    "RECURRENCE",
                ];
                assert!(
                    looks_like_a_loop.iter().any(|w| code.contains(w)),
                    "{}:{}: no loop on this line",
                    program.source.display(),
                    mark.line
                );
                assert!(names.insert(mark.name.clone()), "{}: loop {} twice", program.name, mark.name);
            }
            assert!(!program.matrix || names.len() >= 5, "{} is in the matrix without loops", program.name);
        }
    }
}
