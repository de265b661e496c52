//! Builds the program again with a change: compiles the sources that it touches, repeats the archives and links on the way.
//!
//! Commands run in their own folder with their own arguments, but everything that they write goes to the scratch folder
//! ([`crate::words`]). What was made once is used again: most trials share most objects. A shared library that is made
//! again is found by the program at run time: its folder comes first in the program's own search path.

use crate::edit;
use crate::fault::{self, Fault};
use crate::headers;
use crate::line::{Line, Lines, Named, Work, resolved};
use crate::profile::{self, Stage};
use crate::running::Limits;
use crate::words::arguments;
use loopwright_experiment::trials::{Part, Why};
use loopwright_remarks::build::step::Step;
use loopwright_remarks::command::language_of;
use loopwright_remarks::compiler::identify;
use loopwright_remarks::remark::Family;
use loopwright_vocabulary::Language;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Most sources that are asked what they include, a few tenths of a second each.
const MOST_ASKED: usize = 100;

/// Options that the linker must know of, too: code of link-time optimisation is made there, and libraries of threads are added.
pub(crate) fn is_for_the_linker(option: &str) -> bool {
    ["-flto", "-fuse-ld="].iter().any(|beginning| option.starts_with(beginning))
        || option == "-fopenmp"
        || option == "-pthread"
}

/// What changes, by source.
#[derive(Default)]
struct Changes<'a> {
    everywhere: Vec<&'a str>,
    options: BTreeMap<PathBuf, Vec<&'a str>>,
    edits: BTreeMap<PathBuf, Vec<&'a Part>>,
    linker: Vec<&'a str>,
    /// Another compiler, and the options that it does not know.
    compilers: BTreeMap<PathBuf, (&'a str, &'a [String])>,
    profiled: BTreeSet<PathBuf>,
    /// What the profiled sources are compiled for.
    stage: Stage,
}

impl<'a> Changes<'a> {
    fn of(parts: &'a [Part], stage: Stage) -> Self {
        let mut changes = Self { stage, ..Self::default() };
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
                Part::Compiler { files, compiler, without } => {
                    let new = (compiler.as_str(), without.as_slice());
                    changes.compilers.extend(files.iter().map(|file| (resolved(Path::new(file)), new)));
                }
                Part::Profile { files } => {
                    changes.profiled.extend(files.iter().map(|file| resolved(Path::new(file))));
                }
                Part::Variable { .. } => {}
            }
        }
        changes
    }

    fn touch(&self, source: &Path) -> bool {
        self.edits.contains_key(source)
            || self.compilers.contains_key(source)
            || self.profiled.contains(source)
            || !self.options(source).is_empty()
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
    pub limits: Limits<'a>,
    /// What was made, by what it was made of.
    made: BTreeMap<String, PathBuf>,
    /// Headers with loops, and the sources that include them.
    including: RefCell<BTreeMap<PathBuf, Vec<PathBuf>>>,
    /// What sources include, as far as it was asked.
    included: RefCell<BTreeMap<PathBuf, BTreeSet<PathBuf>>>,
    /// Folders of profiles, by the objects that they are of: a compiler finds the profile by the place of the object.
    profiles: BTreeMap<String, PathBuf>,
}

impl<'a> Workshop<'a> {
    pub fn new(lines: &'a Lines, program: PathBuf, limits: Limits<'a>) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("loopwright-build-").tempdir()?;
        Ok(Self {
            lines,
            program,
            compiled: BTreeSet::new(),
            folder,
            limits,
            made: BTreeMap::new(),
            including: RefCell::default(),
            included: RefCell::default(),
            profiles: BTreeMap::new(),
        })
    }

    /// The command that compiles a source into the program, by way of objects and libraries.
    pub fn compiling(&self, source: &Path) -> Result<&'a Line, Why> {
        let source = resolved(source);
        let of = |line: &&'a Line| line.sources.iter().any(|named| named.path == source);
        if let Some(line) = self.lines.behind(&self.program).into_iter().find(of) {
            return Ok(line);
        }
        let shared = self.lines.all().filter(|line| line.work == Work::LinkShared);
        let library =
            shared.map(|line| &line.output).find(|library| self.lines.behind(library).iter().any(of));
        Err(match library {
            Some(library) => Why::SharedLibrary { library: library.to_string_lossy().into_owned() },
            None => Why::NotOfThisBuild { file: source.to_string_lossy().into_owned() },
        })
    }

    /// Has a source, or those that include a header, compiled in every version.
    pub fn always_compile(&mut self, source: &Path) {
        let source = resolved(source);
        let including = self.including.borrow().get(&source).cloned();
        self.compiled.extend(including.unwrap_or_else(|| vec![source]));
    }

    /// The commands that compile sources of C and C++ which include this header into the program; none of a command that compiles
    /// several.
    pub fn including(&self, header: &Path) -> Vec<&'a Line> {
        let header = resolved(header);
        let behind = self.lines.behind(&self.program);
        let lines = behind.into_iter().filter(|line| match &line.sources[..] {
            [source] => matches!(language_of(&source.path), Some(Language::C | Language::Cxx)),
            _ => false,
        });
        let found: Vec<&Line> = lines.take(MOST_ASKED).filter(|line| self.includes(line, &header)).collect();
        let sources = found.iter().flat_map(|line| &line.sources).map(|source| source.path.clone());
        let sources = sources.collect();
        self.including.borrow_mut().insert(header, sources);
        found
    }

    /// Whether the one source of a command includes a header.
    fn includes(&self, line: &Line, header: &Path) -> bool {
        let source = &line.sources[0].path;
        if let Some(known) = self.included.borrow().get(source) {
            return known.contains(header);
        }
        let all = self.asked_includes(line).unwrap_or_default();
        let has = all.contains(header);
        self.included.borrow_mut().insert(source.clone(), all);
        has
    }

    fn asked_includes(&self, line: &Line) -> Option<BTreeSet<PathBuf>> {
        let folder = self.folder.path().join("includes");
        std::fs::create_dir_all(&folder).ok()?;
        let rule = folder.join("rule");
        let mut asking = arguments(line, &BTreeMap::new(), &rule, &folder);
        asking.push("-M".to_owned());
        self.run(&line.step, &line.step.arguments[0], &asking, &folder).ok()?;
        let text = std::fs::read_to_string(&rule).ok()?;
        let path = |word: String| resolved(&line.step.directory.join(word));
        Some(headers::prerequisites(&text).into_iter().map(path).collect())
    }

    /// Edits of the headers that a source includes.
    fn header_edits<'e>(&self, source: &Path, changes: &Changes<'e>) -> Vec<&'e Part> {
        let including = self.including.borrow();
        let includes =
            |file: &Path| including.get(file).is_some_and(|sources| sources.iter().any(|s| s == source));
        changes
            .edits
            .iter()
            .filter(|(file, _)| includes(file))
            .flat_map(|(_, edits)| edits)
            .copied()
            .collect()
    }

    /// Builds the program with these changes. Where they have a profile, that of a run of [`Self::trainer`].
    pub fn build(&mut self, parts: &[Part]) -> Result<PathBuf, Fault> {
        self.version(parts, Stage::Use)
    }

    /// The program whose run gives the profile for these changes, where they need one.
    pub fn trainer(&mut self, parts: &[Part]) -> Result<Option<PathBuf>, Fault> {
        let profiles = parts.iter().any(|part| matches!(part, Part::Profile { .. }));
        if profiles { self.version(parts, Stage::Gather).map(Some) } else { Ok(None) }
    }

    fn version(&mut self, parts: &[Part], stage: Stage) -> Result<PathBuf, Fault> {
        let changes = Changes::of(parts, stage);
        let program = self.program.clone();
        let missing = || Fault::Why(Why::NotOfThisBuild { file: program.to_string_lossy().into_owned() });
        self.make(&program, &changes)?.ok_or_else(missing)
    }

    /// The object of one source with these changes. A command that compiles and links stops before it links.
    pub fn object(&mut self, source: &Path, parts: &[Part]) -> Result<Option<PathBuf>, Fault> {
        let changes = Changes::of(parts, Stage::Use);
        let line = self.compiling(source).map_err(Fault::Why)?;
        if line.work == Work::Compile {
            return self.compile(line, &changes);
        }
        let source = resolved(source);
        let Some(named) = line.sources.iter().find(|named| named.path == source) else { return Ok(None) };
        let mut step = line.step.clone();
        step.arguments.push("-c".to_owned());
        let alone = Line {
            work: Work::Compile,
            output: source.with_extension("o"),
            sources: vec![named.clone()],
            inputs: Vec::new(),
            step,
        };
        self.once(&alone, &[named], &BTreeMap::new(), &changes).map(Some)
    }

    /// The new version of a file; `None` where it stays as it is.
    fn make(&mut self, output: &Path, changes: &Changes) -> Result<Option<PathBuf>, Fault> {
        let lines = self.lines;
        let Some(line) = lines.making(output) else { return Ok(None) };
        if line.work == Work::Compile { self.compile(line, changes) } else { self.join(line, changes) }
    }

    fn is_touched(&self, source: &Path, changes: &Changes) -> bool {
        self.compiled.contains(source)
            || changes.touch(source)
            || !self.header_edits(source, changes).is_empty()
    }

    fn compile(&mut self, line: &Line, changes: &Changes) -> Result<Option<PathBuf>, Fault> {
        // An object that was removed after the build is made again.
        let needed = |source: &&Named| self.is_touched(&source.path, changes) || !line.output.is_file();
        let Some(source) = line.sources.first().filter(needed) else { return Ok(None) };
        let all: Vec<&Named> = vec![source];
        self.once(line, &all, &BTreeMap::new(), changes).map(Some)
    }

    /// A program or a library of what it names.
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
        let links = matches!(line.work, Work::Link | Work::LinkShared);
        let linker: &[&str] = if links { &changes.linker } else { &[] };
        let of = |source: &Named| changes.compilers.get(&source.path);
        let other = line.sources.iter().find_map(of);
        let program = other.map_or(line.step.arguments[0].as_str(), |(compiler, _)| *compiler);
        let own = sources.iter().filter_map(|source| changes.edits.get(&source.path)).flatten().copied();
        let of_headers: Vec<&Part> =
            sources.iter().flat_map(|source| self.header_edits(&source.path, changes)).collect();
        let edits: Vec<&Part> = own.chain(of_headers.iter().copied()).collect();
        let profiled = line.sources.iter().any(|source| changes.profiled.contains(&source.path));
        // What is linked or archived of profiled objects is made twice, too.
        let staged = profiled || (line.work != Work::Compile && !changes.profiled.is_empty());
        let key =
            format!("{}\n{program}\n{options:?}\n{linker:?}\n{edits:?}\n{replaced:?}", line.output.display());
        let whole = format!("{key}\n{profiled} {:?}", staged.then_some(changes.stage));
        if let Some(made) = self.made.get(&whole) {
            return Ok(made.clone());
        }
        let own = self.folder.path().join(self.made.len().to_string());
        let folder = if profiled { self.profiles.entry(key).or_insert(own).clone() } else { own };
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
        // Folders beside come first: the copy's own has nothing in it.
        let fortran = line.sources.iter().any(|s| language_of(&s.path) == Some(Language::Fortran));
        let option = if fortran { "-I" } else { "-iquote" };
        let beside: Vec<String> =
            beside.iter().flat_map(|at| [option.to_owned(), at.to_string_lossy().into_owned()]).collect();
        let mut of_text: &[&str] = &[];
        if let ([source], false) = (sources, of_headers.is_empty()) {
            let family = identify(Path::new(program)).map_or(Family::Gcc, |compiler| compiler.family);
            let name = source.path.file_name().unwrap_or_default().to_string_lossy();
            let flat = folder.join(format!("all-{name}"));
            let mut flattening = arguments(line, &words, &flat, &folder);
            flattening.splice(0..0, beside.iter().cloned());
            flattening.extend(options.iter().map(|option| (*option).to_owned()));
            flattening.extend(headers::flattening(family).map(str::to_owned));
            self.run(&line.step, program, &flattening, &folder)?;
            let text = std::fs::read_to_string(&flat)?;
            let path = |file: &str| resolved(&line.step.directory.join(file));
            let edited = headers::apply(&text, &of_headers, path);
            std::fs::write(&flat, edited.map_err(Fault::NotBuilt)?)?;
            words.insert(source.word, flat);
            of_text = headers::flattened(family);
        }
        let mut arguments = arguments(line, &words, &output, &folder);
        if line.work != Work::Archive {
            arguments.splice(0..0, beside);
            if let Some((_, without)) = other {
                arguments.retain(|word| !without.contains(word));
            }
            arguments.extend(options.iter().chain(linker).chain(of_text).map(|option| (*option).to_owned()));
            if profiled {
                arguments.extend(profile::options(program, changes.stage, &folder)?);
            } else if links && staged && changes.stage == Stage::Gather {
                arguments.push(profile::LINK.to_owned());
            }
            if links {
                arguments.splice(0..0, self.search_path(line, replaced));
            }
            // A change that brings a new warning must not fail for it.
            arguments.push("-Wno-error".to_owned());
        }
        self.run(&line.step, program, &arguments, &folder)?;
        if !output.exists() {
            return Err(Fault::NotBuilt(format!("{} made no {}", line.step.program(), output.display())));
        }
        if line.work == Work::LinkShared {
            also_by_its_name(&output, &line.step.arguments)?;
        }
        self.made.insert(whole, output.clone());
        Ok(output)
    }

    /// Options that make a program or library find the shared libraries of this build that were made again: by the search path
    /// that comes before all others (ld.so(8): `DT_RPATH`). One that looks for libraries beside itself is elsewhere now, and
    /// finds the others where they are.
    fn search_path(&self, line: &Line, replaced: &BTreeMap<usize, PathBuf>) -> Vec<String> {
        let is_shared =
            |input: &&Named| self.lines.making(&input.path).is_some_and(|line| line.work == Work::LinkShared);
        let mut folders: Vec<&Path> = Vec::new();
        let beside_itself = line.step.arguments.iter().any(|word| word.contains("$ORIGIN"));
        for input in line.inputs.iter().filter(is_shared) {
            let kept = beside_itself.then_some(&input.path);
            folders.extend(replaced.get(&input.word).or(kept).and_then(|library| library.parent()));
        }
        if folders.is_empty() {
            return Vec::new();
        }
        let mut options = vec!["-Wl,--disable-new-dtags".to_owned()];
        options.extend(folders.iter().map(|folder| format!("-Wl,-rpath,{}", folder.display())));
        options
    }

    fn run(&self, step: &Step, program: &str, arguments: &[String], folder: &Path) -> Result<(), Fault> {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&step.directory);
        command.envs(step.environment.iter().map(|(name, value)| (name, value)));
        fault::compile(&mut command, program, &folder.join("messages"), self.limits)
    }
}

/// A shared library is looked for by the name that its link gives it (ld(1): `-soname`).
fn also_by_its_name(library: &Path, command: &[String]) -> io::Result<()> {
    let mut tokens = command.iter().flat_map(|word| word.strip_prefix("-Wl,").unwrap_or(word).split(','));
    let mut name = None;
    while let Some(token) = tokens.next() {
        match token.split_once('=') {
            Some(("-soname" | "--soname", given)) => name = Some(given),
            None if ["-soname", "--soname", "-h"].contains(&token) => {
                name = tokens.find(|token| *token != "-Xlinker");
            }
            _ => {}
        }
    }
    match name.map(|name| library.with_file_name(name)) {
        Some(name) if !name.exists() => std::os::unix::fs::symlink(library, name),
        _ => Ok(()),
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
