//! Builds the program again with a change: compiles the sources that it touches, repeats the archives and links on the way.
//!
//! Commands run in their own folder with their own arguments, but everything that they write goes to the scratch folder
//! ([`crate::words`]). What was made once is used again: most trials share most objects. A shared library that is made
//! again is found by the program at run time: its folder comes first in the program's own search path.

mod changes;
mod job;

use crate::edit;
use crate::fault::Fault;
use crate::headers;
use crate::line::{Line, Lines, Named, Work, resolved};
use crate::profile::{self, Stage};
use crate::running::Limits;
use crate::words::arguments;
use changes::Changes;
pub(crate) use changes::is_for_the_linker;
use job::{Flattened, Job, Prepared};
use loopwright_experiment::trials::{Part, Why};
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
    /// Folders that were made for outputs.
    folders: usize,
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
            folders: 0,
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
        self.run(line, &line.step.arguments[0], &asking, &folder).ok()?;
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
        self.made_with(&Changes::of(parts, stage))
    }

    /// The program with these changes, and with these objects in place of those of sources.
    pub fn with_objects(
        &mut self,
        parts: &[Part],
        objects: BTreeMap<PathBuf, PathBuf>,
    ) -> Result<PathBuf, Fault> {
        let mut changes = Changes::of(parts, Stage::Use);
        changes.objects = objects;
        self.made_with(&changes)
    }

    fn made_with(&mut self, changes: &Changes) -> Result<PathBuf, Fault> {
        self.compile_all(changes)?;
        let program = self.program.clone();
        let missing = || Fault::Why(Why::NotOfThisBuild { file: program.to_string_lossy().into_owned() });
        self.make(&program, changes)?.ok_or_else(missing)
    }

    /// A new folder of the scratch folder.
    pub fn new_folder(&mut self) -> io::Result<PathBuf> {
        let folder = self.folder.path().join(self.folders.to_string());
        self.folders += 1;
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Repeats a command that compiles one source, with more options, into a file: by another compiler, without the words that it does
    /// not know.
    pub fn compile_to(
        &self,
        line: &Line,
        compiler: Option<(&str, &[String])>,
        options: &[&str],
        output: &Path,
    ) -> Result<(), Fault> {
        let folder = output.parent().unwrap_or(self.folder.path());
        let mut arguments = arguments(line, &BTreeMap::new(), output, folder);
        let (program, without) = compiler.unwrap_or((&line.step.arguments[0], &[]));
        arguments.retain(|word| !without.contains(word));
        arguments.extend(options.iter().map(|option| (*option).to_owned()));
        arguments.push("-Wno-error".to_owned());
        self.run(line, program, &arguments, folder)
    }

    /// Runs a program as a command of the build ran.
    pub fn run(&self, line: &Line, program: &str, arguments: &[String], folder: &Path) -> Result<(), Fault> {
        job::run(&line.step, program, arguments, folder, self.limits)
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
        let alone = line.compiling(named, source.with_extension("o"));
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

    /// The source of a command that compiles, where it is to be compiled.
    fn to_compile<'l>(&self, line: &'l Line, changes: &Changes) -> Option<&'l Named> {
        // An object that was removed after the build is made again.
        let needed = |source: &&Named| {
            let is_there = changes.objects.contains_key(&source.path);
            !is_there && (self.is_touched(&source.path, changes) || !line.output.is_file())
        };
        line.sources.first().filter(needed)
    }

    fn compile(&mut self, line: &Line, changes: &Changes) -> Result<Option<PathBuf>, Fault> {
        if let Some(object) = line.sources.first().and_then(|source| changes.objects.get(&source.path)) {
            return Ok(Some(object.clone()));
        }
        let Some(source) = self.to_compile(line, changes) else { return Ok(None) };
        self.once(line, &[source], &BTreeMap::new(), changes).map(Some)
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
        match self.prepared(line, sources, replaced, changes)? {
            Prepared::Made(path) => Ok(path),
            Prepared::Open(job) => {
                job.run(self.limits)?;
                Ok(self.keep(job))
            }
        }
    }

    fn keep(&mut self, job: Job) -> PathBuf {
        self.made.insert(job.key, job.output.clone());
        job.output
    }

    /// Compiles all that the program needs and that is not made yet, several sources at a time.
    fn compile_all(&mut self, changes: &Changes) -> Result<(), Fault> {
        let lines = self.lines;
        let mut jobs: Vec<Job> = Vec::new();
        for line in lines.behind(&self.program).into_iter().filter(|line| line.work == Work::Compile) {
            let Some(source) = self.to_compile(line, changes) else { continue };
            match self.prepared(line, &[source], &BTreeMap::new(), changes)? {
                Prepared::Open(job) if jobs.iter().all(|other| other.key != job.key) => jobs.push(job),
                _ => {}
            }
        }
        let done = job::run_all(&jobs, self.limits);
        let mut fault = None;
        for (job, done) in jobs.into_iter().zip(done) {
            match done {
                Some(Ok(())) => drop(self.keep(job)),
                Some(Err(why)) => fault = fault.or(Some(why)),
                // Not begun, after the fault of another one.
                None => {}
            }
        }
        fault.map_or(Ok(()), Err)
    }

    /// What is to be run for `line`, unless that was done with the same inputs.
    fn prepared<'j>(
        &mut self,
        line: &'j Line,
        sources: &[&Named],
        replaced: &BTreeMap<usize, PathBuf>,
        changes: &Changes<'j>,
    ) -> Result<Prepared<'j>, Fault> {
        // One command compiles all of its sources with the same options.
        let mut lists: Vec<Vec<&str>> = Vec::new();
        for list in line.sources.iter().map(|source| changes.options(&source.path)) {
            if !lists.contains(&list) {
                lists.push(list);
            }
        }
        let options = lists.concat();
        let links = matches!(line.work, Work::Link | Work::LinkShared);
        let (linker, not_linked): (&[&str], &[&str]) =
            if links { (&changes.linker, &changes.not_linked) } else { (&[], &[]) };
        let of = |source: &Named| changes.compilers.get(&source.path);
        let other = line.sources.iter().find_map(of);
        let program = other.map_or(line.step.arguments[0].as_str(), |(compiler, _)| *compiler);
        let own = sources.iter().filter_map(|source| changes.edits.get(&source.path)).flatten().copied();
        let of_headers: Vec<&'j Part> =
            sources.iter().flat_map(|source| self.header_edits(&source.path, changes)).collect();
        let edits: Vec<&Part> = own.chain(of_headers.iter().copied()).collect();
        let profiled = line.sources.iter().any(|source| changes.profiled.contains(&source.path));
        // What is linked or archived of profiled objects is made twice, too.
        let staged = profiled || (line.work != Work::Compile && !changes.profiled.is_empty());
        let key = format!(
            "{}\n{program}\n{options:?}\n{linker:?}\n{not_linked:?}\n{edits:?}\n{replaced:?}",
            line.output.display()
        );
        let whole = format!("{key}\n{profiled} {:?}", staged.then_some(changes.stage));
        if let Some(made) = self.made.get(&whole) {
            return Ok(Prepared::Made(made.clone()));
        }
        let own = self.new_folder()?;
        let folder = if profiled { self.profiles.entry(key).or_insert(own).clone() } else { own };
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
        let mut flattened = None;
        if let ([source], false) = (sources, of_headers.is_empty()) {
            let family = identify(Path::new(program)).map_or(Family::Gcc, |compiler| compiler.family);
            let name = source.path.file_name().unwrap_or_default().to_string_lossy();
            let flat = folder.join(format!("all-{name}"));
            let mut arguments = arguments(line, &words, &flat, &folder);
            arguments.splice(0..0, beside.iter().cloned());
            arguments.extend(options.iter().map(|option| (*option).to_owned()));
            arguments.extend(headers::flattening(family).map(str::to_owned));
            words.insert(source.word, flat.clone());
            of_text = headers::flattened(family);
            flattened = Some(Flattened { arguments, text: flat, edits: of_headers });
        }
        let mut arguments = arguments(line, &words, &output, &folder);
        if line.work != Work::Archive {
            arguments.splice(0..0, beside);
            if let Some((_, without)) = other {
                arguments.retain(|word| !without.contains(word));
            }
            arguments.retain(|word| !not_linked.contains(&word.as_str()));
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
        let is_shared = line.work == Work::LinkShared;
        let program = program.to_owned();
        let step = &line.step;
        Ok(Prepared::Open(Job { key: whole, step, program, arguments, folder, output, is_shared, flattened }))
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
