//! Asks the compiler again: from the facts about a unit of a binary to its remarks.
//!
//! The facts are plain data: the unit's source and folder, and the command (from a compilation database or a
//! collected build) or the producer string (from DWARF). The binary is the truth and the remarks only explain
//! it, so that every reason for a different answer is reported: another compiler version, a newer source.
//!
//! All of them come from files, which others may have written: the program that is run is one of [`Places`],
//! the source is one that [`loopwright_files::sources`] permits, and of the flags only those are kept that
//! [`crate::command::allowed`] lists.

use crate::ask::{Error as AskError, Foreign, Limits, Session};
use crate::command::allowed::allowed;
use crate::command::producer::{self, Producer};
use crate::command::{CompileCommand, expand, language_of};
use crate::compiler::{self, Compiler, Places};
use crate::condense;
use crate::remark::{Family, Remark};
use crate::warning::Warning;
use loopwright_files::sources::{Granted, Refusal as SourceRefusal};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// A unit to ask about.
#[derive(Clone, Debug, Default)]
pub struct UnitRequest {
    /// The source, as DWARF or the database names it.
    pub file: PathBuf,
    /// The folder it was compiled in.
    pub directory: Option<PathBuf>,
    /// The command, compiler first, where known.
    pub arguments: Option<Vec<String>>,
    /// `DW_AT_producer`, where known.
    pub producer: Option<String>,
    /// Modification time of the binary, to warn of newer sources.
    pub built: Option<SystemTime>,
    /// Share of the program's time in this unit: units with more are asked first.
    pub share: f64,
}

/// Time limits of all questions together.
#[derive(Clone, Copy, Debug)]
pub struct Haste {
    /// After this time no question is begun, and compilers that still run are stopped.
    pub total: Duration,
    /// Once it is set, the same holds for units with a smaller share than `worth_waiting`.
    pub hurry: &'static AtomicBool,
    /// Share of the program's time from which on a unit's answer is waited for.
    pub worth_waiting: f64,
}

/// Options of the questions.
#[derive(Clone, Debug)]
pub struct Options {
    /// Time for one unit.
    pub time_limit: Duration,
    /// Number of units asked at the same time.
    pub parallel: usize,
    /// Commands to look units up in (a compilation database, a collected build).
    pub commands: Vec<CompileCommand>,
    /// Ask GCC for functions and inlining too.
    pub record: bool,
    /// Folders whose sources may be read besides those in which the units were compiled.
    pub source_roots: Vec<PathBuf>,
    /// Compilers that the user names; they and those beside them come before those on `PATH`.
    pub compilers: Vec<PathBuf>,
    /// Set when the user requests the end.
    pub stop: Option<&'static AtomicBool>,
    /// Limits of all questions together.
    pub haste: Option<Haste>,
    /// Compilers run at a lower priority, because other work is running.
    pub aside: bool,
}

/// Priority ("nice" value) of compilers that run beside other work.
const ASIDE: i32 = 10;

impl Default for Options {
    fn default() -> Options {
        Options {
            time_limit: Duration::from_secs(60),
            parallel: std::thread::available_parallelism().map_or(1, usize::from),
            commands: Vec::new(),
            record: true,
            source_roots: Vec::new(),
            compilers: Vec::new(),
            stop: None,
            haste: None,
            aside: false,
        }
    }
}

/// Bytes that one compiler may take of the available memory; one that runs out of it reports that. Templates
/// take a few gigabytes.
fn memory_for_each(parallel: usize) -> u64 {
    const LEAST: u64 = 1 << 30;
    const MOST: u64 = 8 << 30;
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes: u64 = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0);
    (kilobytes * 1024 / parallel.max(1) as u64).clamp(LEAST, MOST)
}

/// The answers.
#[derive(Clone, Debug, Default)]
pub struct Reasked {
    /// Remarks of all units, condensed.
    pub remarks: Vec<Remark>,
    /// Units without an answer, or whose answer may differ from the binary.
    pub warnings: Vec<Warning>,
    /// Number of units that were answered.
    pub answered: usize,
}

/// Why there are no remarks on a unit.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("not asked in time")]
    Late,
    #[error(transparent)]
    Ask(#[from] AskError),
    #[error(transparent)]
    Unasked(#[from] Warning),
}

/// Position of a unit, its remarks or the reason why there are none, and warnings.
type Answer = (usize, Result<Vec<Remark>, Refusal>, Vec<Warning>);

/// Asks about units. `progress` is called with (done, total, source) before each.
pub fn reask(
    units: &[UnitRequest],
    options: &Options,
    progress: &(dyn Fn(usize, usize, &Path) + Sync),
) -> Reasked {
    let next = AtomicUsize::new(0);
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by(|&a, &b| units[b].share.total_cmp(&units[a].share));
    let end = options.haste.map(|haste| Instant::now() + haste.total);
    let compilers = Compilers { places: Places::new(&options.compilers), known: Mutex::default() };
    let commands = by_source(&options.commands);
    let answers: Mutex<Vec<Answer>> = Mutex::new(Vec::new());
    let parallel = options.parallel.clamp(1, units.len().max(1));
    let session = match Session::begin() {
        Ok(session) => session,
        Err(cause) => {
            let warnings = vec![Warning::NoSession { error: cause.to_string() }];
            return Reasked { warnings, ..Reasked::default() };
        }
    };
    let asking = Asking { options, commands, compilers, session, memory: memory_for_each(parallel) };
    std::thread::scope(|scope| {
        for _ in 0..parallel {
            scope.spawn(|| {
                if options.aside {
                    // Applies to this thread, and so to the compilers that it starts; a failure does no harm.
                    let _ = rustix::process::setpriority_process(None, ASIDE);
                }
                loop {
                    let begun = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&at) = order.get(begun) else { break };
                    let unit = &units[at];
                    let ended = || options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
                    if ended() {
                        break;
                    }
                    progress(begun, units.len(), &unit.file);
                    let mut warnings = Vec::new();
                    let limits = asking.limits(unit, end);
                    let answer = if limits.time.is_zero() || limits.is_over() {
                        Err(Refusal::Late)
                    } else {
                        asking.one(unit, limits, &mut warnings)
                    };
                    let late = limits.time < options.time_limit || limits.is_over();
                    let answer = match answer {
                        Err(Refusal::Ask(error)) if late && !ended() && error.is_end() => Err(Refusal::Late),
                        answer => answer,
                    };
                    if let Ok(mut answers) = answers.lock() {
                        answers.push((at, answer, warnings));
                    }
                }
            });
        }
    });
    let mut answers = answers.into_inner().unwrap_or_default();
    answers.sort_by_key(|answer| answer.0);
    let mut reasked = Reasked::default();
    let mut late = 0;
    for (_, answer, warnings) in answers {
        reasked.warnings.extend(warnings);
        match answer {
            Ok(remarks) => {
                reasked.answered += 1;
                reasked.remarks.extend(remarks);
            }
            Err(Refusal::Late) => late += 1,
            Err(Refusal::Ask(error)) => reasked.warnings.push(Warning::NoAnswer(error.to_string())),
            Err(Refusal::Unasked(warning)) => reasked.warnings.push(warning),
        }
    }
    if late > 0 {
        reasked.warnings.insert(0, Warning::Late { sources: late, of: units.len() });
    }
    reasked.remarks = condense::condense(std::mem::take(&mut reasked.remarks));
    let mut seen = std::collections::HashSet::new();
    reasked.warnings.retain(|warning| seen.insert(warning.clone()));
    reasked
}

/// Commands by their source's own path: databases, DWARF and links name one file in several ways.
fn by_source(commands: &[CompileCommand]) -> HashMap<PathBuf, &CompileCommand> {
    let resolved = |command: &CompileCommand| command.directory.join(&command.file).canonicalize().ok();
    commands.iter().filter_map(|command| Some((resolved(command)?, command))).collect()
}

/// Compilers by program name and version, each identified once.
struct Compilers {
    places: Places,
    known: Mutex<HashMap<String, Option<Compiler>>>,
}

impl Compilers {
    fn get(&self, key: &str, find: impl FnOnce() -> Option<Compiler>) -> Option<Compiler> {
        let mut known = self.known.lock().ok()?;
        known.entry(key.to_string()).or_insert_with(find).clone()
    }

    fn by_version(&self, program: &str, version: &str) -> Option<Compiler> {
        self.get(&format!("{program} {version}"), || self.places.find(program, version))
    }

    fn named(&self, program: &str) -> Option<Compiler> {
        self.get(program, || compiler::identify(&self.places.program(program)?))
    }
}

/// The common data of the questions.
struct Asking<'a> {
    options: &'a Options,
    commands: HashMap<PathBuf, &'a CompileCommand>,
    compilers: Compilers,
    session: Session,
    memory: u64,
}

/// A command and its origin.
struct Known {
    directory: PathBuf,
    /// Compiler first; response files are not expanded.
    arguments: Vec<String>,
}

impl Asking<'_> {
    /// The limits of one question, when all must have ended at `end`.
    fn limits(&self, unit: &UnitRequest, end: Option<Instant>) -> Limits {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let may_be_ended = |haste: &Haste| unit.share < haste.worth_waiting;
        Limits {
            time: left.map_or(self.options.time_limit, |left| left.min(self.options.time_limit)),
            memory: self.memory,
            record: self.options.record,
            stop: self.options.stop,
            hurry: self.options.haste.filter(may_be_ended).map(|haste| haste.hurry),
        }
    }

    fn one(
        &self,
        unit: &UnitRequest,
        limits: Limits,
        warnings: &mut Vec<Warning>,
    ) -> Result<Vec<Remark>, Refusal> {
        let recorded = unit.directory.clone().unwrap_or_else(|| PathBuf::from("."));
        let full = absolute(&recorded.join(&unit.file));
        let language = language_of(&full);
        let producer = unit.producer.as_deref().and_then(|text| producer::parse(text, language));
        if language.is_none() || (unit.producer.is_some() && producer.is_none() && unit.arguments.is_none()) {
            return Err(Warning::OtherLanguage { source_file: full }.into());
        }
        let known = self.command(unit, &full, &recorded, producer.as_ref());
        let folders = known.iter().map(|known| known.directory.as_path()).chain([recorded.as_path()]);
        let granted = Granted::new(&self.options.source_roots, folders);
        let real = granted.source(&full).map_err(|refusal| match refusal {
            SourceRefusal::Absent(_) => Warning::NoSource { source_file: full.clone() },
            refusal => Warning::Forbidden { source_file: full.clone(), why: refusal.to_string() },
        })?;
        if is_preprocessed(&full) || is_preprocessed(&real) {
            return Err(Warning::OtherLanguage { source_file: full }.into());
        }
        let modified = std::fs::metadata(&real).and_then(|meta| meta.modified());
        if let (Some(built), Ok(modified)) = (unit.built, modified)
            && modified > built
        {
            warnings.push(Warning::NewerSource { source_file: full.clone() });
        }
        let clang = producer.as_ref().is_some_and(|producer| producer.family == Family::Clang);
        let known = known.ok_or_else(|| Warning::UnknownFlags { source_file: full.clone(), clang })?;
        let compiler = self.compiler(&known, &full, producer.as_ref(), warnings)?;
        if !compiler.can_report() {
            let wanted = format!(
                "{} or newer (it is {})",
                if compiler.family == Family::Gcc { "gcc 9" } else { "clang 10" },
                compiler.label()
            );
            return Err(Warning::NoCompiler { source_file: full, wanted }.into());
        }
        // A compiler runs neither in a folder that no longer exists (a temporary build) nor in one that is not permitted.
        let directory = if granted.include_folder(&known.directory) {
            absolute(&known.directory)
        } else {
            full.parent().unwrap_or(Path::new("/")).to_path_buf()
        };
        let arguments = known.arguments.get(1..).unwrap_or_default();
        let permitted = |file: &Path| granted.includes(file, &[]);
        let allowed = allowed(&expand(arguments, &known.directory, &permitted), &directory, &granted);
        if !allowed.dropped.is_empty() {
            let flags = allowed.dropped.clone();
            warnings.push(Warning::FlagsDropped { source_file: full.clone(), flags });
        }
        let foreign = Foreign { directory: &directory, source: &full, allowed: &allowed, granted: &granted };
        Ok(self.session.foreign(&compiler, &foreign, limits)?)
    }

    /// The command of a unit: its own, one of the database, or one made from the producer's flags.
    fn command(
        &self,
        unit: &UnitRequest,
        full: &Path,
        directory: &Path,
        producer: Option<&Producer>,
    ) -> Option<Known> {
        if let Some(arguments) = unit.arguments.clone().filter(|arguments| !arguments.is_empty()) {
            return Some(Known { directory: directory.to_path_buf(), arguments });
        }
        let known = full.canonicalize().ok().and_then(|path| self.commands.get(&path).copied());
        if let Some(command) = known.filter(|command| !command.arguments.is_empty()) {
            return Some(Known {
                directory: command.directory.clone(),
                arguments: command.arguments.clone(),
            });
        }
        let Producer { flags: Some(flags), program, .. } = producer? else { return None };
        let mut arguments = vec![program.to_string()];
        arguments.extend(flags.iter().cloned());
        Some(Known { directory: directory.to_path_buf(), arguments })
    }

    /// The compiler that made the unit; else another version of it, which is reported; else the one the command names.
    fn compiler(
        &self,
        known: &Known,
        full: &Path,
        producer: Option<&Producer>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Compiler, Warning> {
        let named = || {
            // `ccache gcc ..`: the compiler is the first word that names one.
            let program = known.arguments.iter().take(3).find(|word| {
                Path::new(word)
                    .file_name()
                    .is_some_and(|name| compiler::is_compiler_name(&name.to_string_lossy()))
            })?;
            self.compilers.named(program)
        };
        let Some(producer) = producer else {
            let wanted = known.arguments.first().cloned().unwrap_or_default();
            return named().ok_or(Warning::NoCompiler { source_file: full.to_path_buf(), wanted });
        };
        if let Some(same) = self.compilers.by_version(producer.program, &producer.version) {
            if same.version != producer.version {
                warnings.push(other_version(full, producer, &same));
            }
            return Ok(same);
        }
        let other = named()
            .filter(|compiler| compiler.family == producer.family)
            .or_else(|| self.compilers.named(producer.program));
        match other {
            Some(other) => {
                warnings.push(other_version(full, producer, &other));
                Ok(other)
            }
            None => Err(Warning::NoCompiler { source_file: full.to_path_buf(), wanted: label(producer) }),
        }
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Sources that were preprocessed: GCC loads the file that `#pragma GCC pch_preprocess` names in them as its
/// own memory.
fn is_preprocessed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "i" || extension == "ii")
}

fn other_version(full: &Path, producer: &Producer, asked: &Compiler) -> Warning {
    Warning::OtherVersion { source_file: full.to_path_buf(), compiler: label(producer), asked: asked.label() }
}

fn label(producer: &Producer) -> String {
    format!("{} {}", producer.program, producer.version)
}
