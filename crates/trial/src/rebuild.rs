//! Builds the program again with a change: compiles the sources that it touches, repeats the archives and links on the way.
//!
//! Commands run in their own folder with their own arguments, but everything that they write goes to the scratch folder: `-o` is
//! replaced, and options that write beside the output (dependencies, maps, dumps, Fortran modules) are left out or led there. What was made
//! once is used again: most trials share most objects. Only programs and static libraries are linked again; a shared
//! library is found by the program at run time, by a path that another copy does not have.

use crate::edit;
use crate::fault::{Fault, first_message};
use crate::line::{Line, Lines, Named, Work, resolved};
use crate::running::{self, How, Limits};
use loopwright_experiment::trials::{Part, Why};
use loopwright_remarks::command::{language_of, module_folder};
use loopwright_vocabulary::Language;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Options with an argument of their own that name a file to write.
const WRITES: [&str; 8] = ["-MF", "-MT", "-MQ", "-MJ", "-aux-info", "-dumpbase", "-dumpdir", "-dumpbase-ext"];
/// Options that write beside the output, as one word.
const WRITES_WORD: [&str; 5] = ["-MD", "-MMD", "-MP", "-MG", "-MV"];
/// Beginnings of such options.
const WRITES_BEGINNING: [&str; 15] = [
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Wp,-M",
    "-save-temps",
    "--save-temps",
    "-fdump-",
    "-ftime-trace",
    "-fopt-info",
    "-fsave-optimization-record",
    "-foptimization-record",
    "-fcallgraph-info",
    "-fstack-usage",
    "-fprofile-note",
];
/// Parts of options of the linker that name a file to write.
const LINKER_WRITES: [&str; 4] = ["-Map", "--dependency-file", "--out-implib", "--cref"];

/// Options that the linker must know of, too: code of link-time optimisation is made there, and libraries of threads are added.
pub(crate) fn is_for_the_linker(option: &str) -> bool {
    option.starts_with("-flto") || option == "-fopenmp" || option == "-pthread"
}

/// What changes, by source.
#[derive(Default)]
struct Changes<'a> {
    everywhere: Vec<&'a str>,
    options: BTreeMap<PathBuf, Vec<&'a str>>,
    edits: BTreeMap<PathBuf, Vec<&'a Part>>,
    linker: Vec<&'a str>,
}

impl<'a> Changes<'a> {
    fn of(parts: &'a [Part]) -> Self {
        let mut changes = Self::default();
        for part in parts {
            match part {
                Part::Options { files, options } => {
                    let all = options.iter().map(String::as_str);
                    changes.linker.extend(all.clone().filter(|option| is_for_the_linker(option)));
                    if files.is_empty() {
                        changes.everywhere.extend(all.clone());
                    }
                    for file in files {
                        changes.options.entry(resolved(Path::new(file))).or_default().extend(all.clone());
                    }
                }
                Part::Edit { file, .. } => {
                    changes.edits.entry(resolved(Path::new(file))).or_default().push(part);
                }
                Part::Variable { .. } => {}
            }
        }
        changes
    }

    fn options(&self, source: &Path) -> Vec<&'a str> {
        let own = self.options.get(source).into_iter().flatten();
        self.everywhere.iter().chain(own).copied().collect()
    }
}

/// Builds versions of one program.
pub(crate) struct Workshop<'a> {
    lines: &'a Lines,
    program: PathBuf,
    /// Sources that are compiled in every version, so that versions differ by their change alone.
    compiled: BTreeSet<PathBuf>,
    folder: tempfile::TempDir,
    limits: Limits<'a>,
    /// What was made, by what it was made of.
    made: BTreeMap<String, PathBuf>,
}

impl<'a> Workshop<'a> {
    pub fn new(lines: &'a Lines, program: PathBuf, limits: Limits<'a>) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("loopwright-build-").tempdir()?;
        Ok(Self { lines, program, compiled: BTreeSet::new(), folder, limits, made: BTreeMap::new() })
    }

    /// The command that compiles a source into the program, by way of objects and static libraries.
    pub fn compiling(&self, source: &Path) -> Result<&'a Line, Why> {
        let source = resolved(source);
        let behind = self.lines.behind(&self.program);
        let of = |line: &&&Line| line.sources.iter().any(|named| named.path == source);
        let shown = || source.to_string_lossy().into_owned();
        let line = *behind.iter().find(of).ok_or_else(|| Why::NotOfThisBuild { file: shown() })?;
        // A library is in the way when every path from the program leads through it.
        let mut open = vec![self.program.clone()];
        while let Some(path) = open.pop() {
            let Some(on_the_way) = self.lines.making(&path) else { continue };
            if on_the_way.output == line.output && line.work != Work::LinkShared {
                return Ok(line);
            }
            if on_the_way.work != Work::LinkShared {
                open.extend(on_the_way.inputs.iter().map(|input| input.path.clone()));
            }
        }
        let library = behind.iter().find(|line| line.work == Work::LinkShared);
        let library = library.map_or_else(shown, |line| line.output.to_string_lossy().into_owned());
        Err(Why::SharedLibrary { library })
    }

    /// Has a source compiled in every version.
    pub fn always_compile(&mut self, source: &Path) {
        self.compiled.insert(resolved(source));
    }

    /// Builds the program with these changes.
    pub fn build(&mut self, parts: &[Part]) -> Result<PathBuf, Fault> {
        let changes = Changes::of(parts);
        let program = self.program.clone();
        let missing = || Fault::Why(Why::NotOfThisBuild { file: program.to_string_lossy().into_owned() });
        self.make(&program, &changes)?.ok_or_else(missing)
    }

    /// The new version of a file; `None` where it stays as it is.
    fn make(&mut self, output: &Path, changes: &Changes) -> Result<Option<PathBuf>, Fault> {
        let lines = self.lines;
        let Some(line) = lines.making(output) else { return Ok(None) };
        match line.work {
            Work::Compile => self.compile(line, changes),
            Work::LinkShared => Ok(None),
            Work::Link | Work::Archive => self.join(line, changes),
        }
    }

    fn is_touched(&self, source: &Path, changes: &Changes) -> bool {
        self.compiled.contains(source)
            || changes.edits.contains_key(source)
            || !changes.options(source).is_empty()
    }

    fn compile(&mut self, line: &Line, changes: &Changes) -> Result<Option<PathBuf>, Fault> {
        let Some(source) = line.sources.first().filter(|source| self.is_touched(&source.path, changes))
        else {
            return Ok(None);
        };
        let all: Vec<&Named> = vec![source];
        self.once(line, &all, &BTreeMap::new(), changes).map(Some)
    }

    /// A program or an archive of what it names.
    fn join(&mut self, line: &Line, changes: &Changes) -> Result<Option<PathBuf>, Fault> {
        let mut replaced = BTreeMap::new();
        for input in &line.inputs {
            if let Some(new) = self.make(&input.path, changes)? {
                replaced.insert(input.word, new);
            }
        }
        let sources: Vec<&Named> =
            line.sources.iter().filter(|source| self.is_touched(&source.path, changes)).collect();
        if replaced.is_empty() && sources.is_empty() && line.output != self.program {
            return Ok(None);
        }
        if line.work == Work::Archive {
            must_be_whole(line)?;
        }
        self.once(line, &sources, &replaced, changes).map(Some)
    }

    /// Runs the command of `line`, unless that was done with the same inputs.
    fn once(
        &mut self,
        line: &Line,
        sources: &[&Named],
        replaced: &BTreeMap<usize, PathBuf>,
        changes: &Changes,
    ) -> Result<PathBuf, Fault> {
        // One command compiles all of its sources with the same options.
        let mut lists: Vec<Vec<&str>> = Vec::new();
        for list in line.sources.iter().map(|source| changes.options(&source.path)) {
            if !lists.contains(&list) {
                lists.push(list);
            }
        }
        let options = lists.concat();
        let linker: &[&str] = if line.work == Work::Link { &changes.linker } else { &[] };
        let edits: Vec<&Part> =
            sources.iter().filter_map(|source| changes.edits.get(&source.path)).flatten().copied().collect();
        let key = format!("{}\n{options:?}\n{linker:?}\n{edits:?}\n{replaced:?}", line.output.display());
        if let Some(made) = self.made.get(&key) {
            return Ok(made.clone());
        }
        let folder = self.folder.path().join(self.made.len().to_string());
        std::fs::create_dir_all(&folder)?;
        let mut words: BTreeMap<usize, PathBuf> = replaced.clone();
        let mut beside = Vec::new();
        for source in sources {
            if let Some(edits) = changes.edits.get(&source.path) {
                let copy = copy_of(&source.path, &line.step.arguments[source.word], edits, &folder)?;
                beside.extend(source.path.parent().map(Path::to_path_buf));
                words.insert(source.word, copy);
            }
        }
        let output = folder.join(line.output.file_name().unwrap_or_default());
        let mut arguments = arguments(line, &words, &output, &folder);
        if line.work != Work::Archive {
            // Folders beside come first: the copy's own has nothing in it.
            for at in beside {
                let fortran = line.sources.iter().any(|s| language_of(&s.path) == Some(Language::Fortran));
                let option = if fortran { "-I" } else { "-iquote" };
                arguments.splice(0..0, [option.to_owned(), at.to_string_lossy().into_owned()]);
            }
            arguments.extend(options.iter().chain(linker).map(|option| (*option).to_owned()));
            // A change that brings a new warning must not fail for it.
            arguments.push("-Wno-error".to_owned());
        }
        self.run(&line.step.directory, &line.step.arguments[0], &arguments, &folder)?;
        if !output.exists() {
            return Err(Fault::NotBuilt(format!("{} made no {}", line.step.program(), output.display())));
        }
        self.made.insert(key, output.clone());
        Ok(output)
    }

    fn run(&self, directory: &Path, program: &str, arguments: &[String], folder: &Path) -> Result<(), Fault> {
        let messages = folder.join("messages");
        let file = std::fs::File::create(&messages)?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(directory)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(file);
        let (how, _) = running::run(&mut command, self.limits)
            .map_err(|cause| Fault::NotBuilt(format!("{program} does not start: {cause}")))?;
        match how {
            How::Exited(0) => Ok(()),
            How::Stopped => Err(Fault::Stopped),
            How::Hung(seconds) => Err(Fault::NotBuilt(format!("{program} did not end within {seconds} s"))),
            How::Exited(_) | How::Killed(_) => {
                let text = std::fs::read(&messages).unwrap_or_default();
                Err(Fault::NotBuilt(first_message(&String::from_utf8_lossy(&text))))
            }
        }
    }
}

/// An archive that several commands add to would be made of the members of the last one alone: what the command names must
/// be what is in it.
fn must_be_whole(line: &Line) -> Result<(), Fault> {
    let listed =
        Command::new(&line.step.arguments[0]).arg("t").arg(&line.output).stdin(Stdio::null()).output();
    let text = listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let base = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let mut members: Vec<String> = text.lines().map(base).collect();
    let mut named: Vec<String> =
        line.inputs.iter().map(|input| base(&input.path.to_string_lossy())).collect();
    members.sort();
    named.sort();
    if members == named {
        return Ok(());
    }
    let file = line.output.to_string_lossy().into_owned();
    Err(Fault::NotBuilt(format!(
        "{file} has other members than its last command names; build all of it again"
    )))
}

/// A source with its edits in the scratch folder. Messages and `__FILE__` name the source itself.
fn copy_of(source: &Path, named: &str, edits: &[&Part], folder: &Path) -> Result<PathBuf, Fault> {
    let text = std::fs::read_to_string(source)?;
    let edited = edit::apply(&text, edits).map_err(Fault::NotBuilt)?;
    let copy = folder.join(source.file_name().unwrap_or_default());
    let quoted = named.replace('\\', "\\\\").replace('"', "\\\"");
    let head = match language_of(source) {
        Some(Language::C | Language::Cxx) => format!("#line 1 \"{quoted}\"\n"),
        _ => String::new(),
    };
    std::fs::write(&copy, head + &edited)?;
    Ok(copy)
}

/// The arguments of a command with some words replaced, writing `output` and nothing else outside `folder`.
fn arguments(line: &Line, words: &BTreeMap<usize, PathBuf>, output: &Path, folder: &Path) -> Vec<String> {
    let shown = |path: &Path| path.to_string_lossy().into_owned();
    let given = &line.step.arguments;
    if line.work == Work::Archive {
        let name = resolved_word(given, &line.step.directory, &line.output);
        let word = |(at, word): (usize, &String)| match words.get(&at) {
            Some(new) => shown(new),
            None if Some(at) == name => shown(output),
            None => word.clone(),
        };
        return given.iter().enumerate().skip(1).map(word).collect();
    }
    let others: Vec<&String> = match line.work {
        // Another command of the same words compiles these.
        Work::Compile => given[1..].iter().filter(|word| is_other_source(line, word)).collect(),
        _ => Vec::new(),
    };
    let mut kept = Vec::new();
    let mut at = given.iter().enumerate().skip(1);
    while let Some((place, word)) = at.next() {
        if let Some(new) = words.get(&place) {
            kept.push(shown(new));
            continue;
        }
        match word.as_str() {
            "-o" => drop(at.next()),
            // A library that is made again is named by its path.
            "-l" if words.contains_key(&(place + 1)) => {
                kept.extend(words.get(&(place + 1)).map(|new| shown(new)));
                at.next();
            }
            "-Xlinker" => {
                let value = at.next().map(|(_, value)| value.clone()).unwrap_or_default();
                if !LINKER_WRITES.iter().any(|part| value.contains(part)) {
                    kept.extend([word.clone(), value]);
                }
            }
            "-J" => drop(at.next()),
            option if WRITES.contains(&option) => drop(at.next()),
            option if WRITES_WORD.contains(&option) => {}
            option if loopwright_remarks::command::takes_value(option) => {
                kept.push(word.clone());
                kept.extend(at.next().map(|(_, value)| value.clone()));
            }
            option if WRITES_BEGINNING.iter().any(|beginning| option.starts_with(beginning)) => {}
            option
                if option.starts_with("-Wl,") && LINKER_WRITES.iter().any(|part| option.contains(part)) => {}
            option if (option.starts_with("-o") || option.starts_with("-J")) && option.len() > 2 => {}
            _ if others.contains(&word) => {}
            _ => kept.push(word.clone()),
        }
    }
    let fortran = line.sources.iter().any(|source| language_of(&source.path) == Some(Language::Fortran));
    if fortran {
        // Modules are read where they are and written apart.
        kept.extend(["-J".to_owned(), shown(folder)]);
        kept.extend(["-I".to_owned(), module_folder(given).unwrap_or_else(|| ".".to_owned())]);
    }
    kept.extend(["-o".to_owned(), shown(output)]);
    kept
}

fn is_other_source(line: &Line, word: &str) -> bool {
    let own = line.sources.iter().any(|source| line.step.arguments[source.word] == word);
    !word.starts_with('-') && language_of(Path::new(word)).is_some() && !own
}

/// The position of the word that names `file`.
fn resolved_word(words: &[String], directory: &Path, file: &Path) -> Option<usize> {
    words.iter().skip(1).position(|word| resolved(&directory.join(word)) == file).map(|at| at + 1)
}
