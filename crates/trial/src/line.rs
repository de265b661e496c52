//! Commands of a build, read as what they make of what: the graph from sources to the program.
//!
//! Options are those of GCC and clang; `ar` has operation, archive and members. Where several commands make the same file, the
//! last one counts, as in the folder.

use loopwright_remarks::build::step::Step;
use loopwright_remarks::command::{language_of, takes_value};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// A file that a command names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// Position of the word among the arguments.
    pub word: usize,
    /// The file.
    pub path: PathBuf,
}

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Makes an object of one source.
    Compile,
    /// Makes a program, perhaps of sources.
    Link,
    /// Makes a shared library.
    LinkShared,
    /// Makes a static library.
    Archive,
}

/// One command with one output.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub step: Step,
    pub work: Work,
    pub output: PathBuf,
    /// Sources of C, C++ and Fortran.
    pub sources: Vec<Named>,
    /// Other files: objects, archives, libraries, by path or by `-l`.
    pub inputs: Vec<Named>,
}

impl Line {
    /// The command that compiles one source of this one, and does not link.
    pub fn compiling(&self, source: &Named, output: PathBuf) -> Self {
        let mut step = self.step.clone();
        step.arguments.push("-c".to_owned());
        let sources = vec![source.clone()];
        Self { work: Work::Compile, output, sources, inputs: Vec::new(), step }
    }
}

/// The commands of a build by what they make.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines(BTreeMap<PathBuf, Line>);

impl Lines {
    /// Of the steps of a build, oldest first.
    pub fn of(steps: &[Step]) -> Self {
        let mut lines = BTreeMap::new();
        for line in steps.iter().flat_map(read) {
            lines.insert(line.output.clone(), line);
        }
        Self(lines)
    }

    /// The command that makes a file.
    pub fn making(&self, output: &Path) -> Option<&Line> {
        self.0.get(output)
    }

    /// Every command.
    pub fn all(&self) -> impl Iterator<Item = &Line> {
        self.0.values()
    }

    /// The program of the build that `copy` is a copy of.
    pub fn copied(&self, copy: &Path) -> Option<PathBuf> {
        let programs = self.all().filter(|line| line.work == Work::Link).map(|line| &line.output);
        programs.into_iter().find(|program| is_copy(copy, program)).cloned()
    }

    /// The same where each source that a command compiles and links is compiled by a command of its own.
    pub fn apart(&self) -> Self {
        let mut all = BTreeMap::new();
        for line in self.all() {
            if matches!(line.work, Work::Compile | Work::Archive) || line.sources.is_empty() {
                all.insert(line.output.clone(), line.clone());
                continue;
            }
            let mut inputs = line.inputs.clone();
            for (number, source) in line.sources.iter().enumerate() {
                let stem = source.path.file_stem().unwrap_or_default().to_string_lossy();
                let program = line.output.file_name().unwrap_or_default().to_string_lossy();
                // No build makes a file of this name, so that it is always compiled.
                let output = line.output.with_file_name(format!(".{program}-{number}-{stem}.o"));
                inputs.push(Named { word: source.word, path: output.clone() });
                all.insert(output.clone(), line.compiling(source, output));
            }
            let link = Line { sources: Vec::new(), inputs, ..line.clone() };
            all.insert(line.output.clone(), link);
        }
        Self(all)
    }

    /// All commands that a file is made by, itself and what goes into it, each once.
    pub fn behind(&self, output: &Path) -> Vec<&Line> {
        let mut found: Vec<&Line> = Vec::new();
        let mut open = vec![output];
        while let Some(path) = open.pop() {
            let Some(line) = self.making(path) else { continue };
            if !found.iter().any(|known| known.output == line.output) {
                found.push(line);
                open.extend(line.inputs.iter().map(|input| input.path.as_path()));
            }
        }
        found
    }
}

/// Whether two files hold the same.
pub(crate) fn is_copy(file: &Path, of: &Path) -> bool {
    let bytes =
        |path: &Path| std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|data| data.len());
    let same_size = bytes(file).is_some_and(|size| size > 0 && bytes(of) == Some(size));
    same_size
        && std::fs::read(file).ok().is_some_and(|text| std::fs::read(of).is_ok_and(|other| other == text))
}

/// The file as the system names it: links and `..` resolved as far as it exists.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    match (parent, path.components().next_back()) {
        (Some(parent), Some(Component::Normal(name))) => resolved(parent).join(name),
        _ => path.to_path_buf(),
    }
}

fn read(step: &Step) -> Vec<Line> {
    if step.archives() { archive(step).into_iter().collect() } else { compiler(step) }
}

/// `ar rcs liba.a a.o b.o`.
fn archive(step: &Step) -> Option<Line> {
    let mut words = (1..).zip(&step.arguments[1..]).filter(|(_, word)| !word.starts_with("--"));
    let (_, operation) = words.next()?;
    // Members before or after another one (`a`, `b`, `i`) have one word more.
    if !operation.contains(['r', 'q']) || operation.contains(['a', 'b', 'i']) {
        return None;
    }
    let (_, name) = words.next()?;
    let inputs = words.map(|(word, path)| Named { word, path: resolved(&step.directory.join(path)) });
    Some(Line {
        work: Work::Archive,
        output: resolved(&step.directory.join(name)),
        sources: Vec::new(),
        inputs: inputs.collect(),
        step: step.clone(),
    })
}

fn compiler(step: &Step) -> Vec<Line> {
    let mut output = None;
    let (mut compiles, mut shared, mut relocatable) = (false, false, false);
    let (mut sources, mut inputs, mut folders, mut libraries) = (vec![], vec![], vec![], vec![]);
    let mut at = (1..).zip(&step.arguments[1..]);
    while let Some((word, argument)) = at.next() {
        let path = |name: &str| resolved(&step.directory.join(name));
        match argument.as_str() {
            "-o" => output = at.next().map(|(_, name)| path(name)),
            "-c" => compiles = true,
            "-shared" => shared = true,
            "-r" => relocatable = true,
            "-L" => folders.extend(at.next().map(|(_, name)| path(name))),
            "-l" => libraries.extend(at.next().map(|(word, name)| (word, name.clone()))),
            // The language of everything behind it: what is a source is not known by its name.
            "-x" => return Vec::new(),
            option if takes_value(option) => {
                at.next();
            }
            option if option.starts_with('-') => {
                if let Some(name) = option.strip_prefix("-o") {
                    output = Some(path(name));
                } else if let Some(folder) = option.strip_prefix("-L") {
                    folders.push(path(folder));
                } else if let Some(name) = option.strip_prefix("-l") {
                    libraries.push((word, name.to_owned()));
                }
            }
            name => {
                let named = Named { word, path: path(name) };
                if language_of(Path::new(name)).is_some() { sources.push(named) } else { inputs.push(named) }
            }
        }
    }
    if relocatable {
        return Vec::new();
    }
    if compiles {
        let object = |source: &Named| {
            let name = source.path.with_extension("o");
            resolved(&step.directory.join(name.file_name().unwrap_or_default()))
        };
        let line = |source: &Named| Line {
            work: Work::Compile,
            output: output.clone().unwrap_or_else(|| object(source)),
            sources: vec![source.clone()],
            inputs: Vec::new(),
            step: step.clone(),
        };
        return sources.iter().map(line).collect();
    }
    for (word, name) in libraries {
        inputs.extend(library(&name, &folders).map(|path| Named { word, path }));
    }
    vec![Line {
        work: if shared { Work::LinkShared } else { Work::Link },
        output: output.unwrap_or_else(|| resolved(&step.directory.join("a.out"))),
        sources,
        inputs,
        step: step.clone(),
    }]
}

/// What `-lNAME` finds in the folders that the command names; system libraries are none of the build's.
fn library(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    let names = match name.strip_prefix(':') {
        Some(file) => vec![file.to_owned()],
        None => vec![format!("lib{name}.so"), format!("lib{name}.a")],
    };
    let found = folders.iter().flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    found.map(|path| resolved(&path)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(directory: &Path, commands: &[&str]) -> Lines {
        let step = |(began, command): (usize, &&str)| Step {
            directory: directory.to_path_buf(),
            arguments: command.split_whitespace().map(str::to_owned).collect(),
            began: began as f64,
            ..Step::default()
        };
        Lines::of(&commands.iter().enumerate().map(step).collect::<Vec<_>>())
    }

    #[test]
    fn the_program_is_traced_to_its_sources() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        std::fs::create_dir(real.join("lib")).unwrap();
        std::fs::write(real.join("lib/libsum.a"), "").unwrap();
        let lines = lines(
            &real,
            &[
                "gcc -O2 -c a.c -o a.o",
                "gcc -O3 -c ./sub/../a.c -oa.o -MF a.d",
                "gcc -c b.c c.c",
                "ar rcs lib/libsum.a b.o c.o",
                "gcc -o prog a.o -Llib -lsum -lm -Wl,-O1",
            ],
        );
        let mut outputs: Vec<_> = lines
            .behind(&real.join("prog"))
            .iter()
            .map(|line| line.output.strip_prefix(&real).unwrap().to_string_lossy().into_owned())
            .collect();
        outputs.sort();
        assert_eq!(outputs, ["a.o", "b.o", "c.o", "lib/libsum.a", "prog"]);
        let again = lines.making(&real.join("a.o")).unwrap();
        assert_eq!(again.step.arguments[1], "-O3", "the last command counts");
    }

    #[test]
    fn a_copy_of_a_program_is_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        for (name, text) in [("made", "program"), ("copy", "program"), ("other", "PROGRAM"), ("empty", "")] {
            std::fs::write(real.join(name), text).unwrap();
        }
        let lines = lines(&real, &["cc a.o -o made", "cc -shared b.o -o other", "cc c.o -o empty"]);
        assert_eq!(lines.copied(&real.join("copy")), Some(real.join("made")));
        assert_eq!((lines.copied(&real.join("other")), lines.copied(&real.join("none"))), (None, None));
    }

    #[test]
    fn sources_of_one_command_are_compiled_apart() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        let lines = lines(&real, &["gfortran -O2 a.f90 b.f90 c.o -o prog -lm", "gcc -c d.c"]).apart();
        let link = lines.making(&real.join("prog")).unwrap();
        assert_eq!((link.sources.len(), link.inputs.len()), (0, 3));
        let second = lines.making(&real.join(".prog-1-b.o")).unwrap();
        assert_eq!((second.work, &second.sources[0].path), (Work::Compile, &real.join("b.f90")));
        let words = crate::words::arguments(second, &BTreeMap::new(), Path::new("x.o"), &real).join(" ");
        assert!(words.starts_with("-O2 b.f90 c.o -lm -c ") && words.ends_with("-o x.o"), "{words}");
        assert_eq!(lines.all().count(), 4);
    }

    #[test]
    fn one_command_may_compile_and_link() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        let lines = lines(&real, &["cc -O2 a.c b.c -lm"]);
        let line = lines.making(&real.join("a.out")).unwrap();
        assert_eq!((line.work, line.sources.len(), line.inputs.len()), (Work::Link, 2, 0));
        assert_eq!(line.sources[1], Named { word: 3, path: real.join("b.c") });
    }
}
