//! Asking the compiler again: from what is known of a unit of a binary to its remarks.
//!
//! What is known is plain data: the unit's source and folder, and the command (from a compilation database or a
//! collected build) or the producer string (from DWARF). The binary is the truth and this only explains it, so that
//! everything that may make the answer differ from the binary is said: another compiler version, a newer source.

use crate::ask::{Error as AskError, Limits, ask};
use crate::command::producer::{self, Producer};
use crate::command::{CompileCommand, Language, expand};
use crate::compiler::{self, Compiler};
use crate::condense;
use crate::remark::{Family, Remark};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
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
    /// Share of the program's time that its answer explains: units with more are asked first.
    pub share: f64,
}

/// How long all questions together may take.
#[derive(Clone, Debug)]
pub struct Haste {
    /// After this time nothing is asked any more, and compilers that still run are ended.
    pub total: Duration,
    /// Once it is set, the same holds for units with a smaller share than `worth_waiting`.
    pub hurry: Arc<AtomicBool>,
    /// Share of the program's time from which on a unit is waited for.
    pub worth_waiting: f64,
}

/// How to ask.
#[derive(Clone, Debug)]
pub struct Options {
    /// Time for one unit.
    pub time_limit: Duration,
    /// Units asked at a time.
    pub parallel: usize,
    /// Commands to look units up in (a compilation database, a collected build).
    pub commands: Vec<CompileCommand>,
    /// Ask GCC for functions and inlining too.
    pub record: bool,
    /// Limits of all questions together.
    pub haste: Option<Haste>,
    /// Compilers run at a lower priority: something else is going on.
    pub aside: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            time_limit: Duration::from_secs(60),
            parallel: std::thread::available_parallelism().map_or(1, usize::from),
            commands: Vec::new(),
            record: true,
            haste: None,
            aside: false,
        }
    }
}

impl Options {
    /// The limits of one question, when all must have ended at `end`.
    fn limits_for(&self, unit: &UnitRequest, end: Option<Instant>) -> Limits<'_> {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let may_be_ended = |haste: &&Haste| unit.share < haste.worth_waiting;
        Limits {
            time: left.map_or(self.time_limit, |left| left.min(self.time_limit)),
            record: self.record,
            stop: self.haste.as_ref().filter(may_be_ended).map(|haste| &*haste.hurry),
        }
    }
}

/// Priority ("nice" value) of compilers that run beside something else.
const ASIDE: i32 = 10;

fn is_set(flag: &AtomicBool) -> bool {
    flag.load(Ordering::Relaxed)
}

/// The answers.
#[derive(Clone, Debug, Default)]
pub struct Reasked {
    /// Remarks of all units, condensed.
    pub remarks: Vec<Remark>,
    /// What could not be asked, or may differ from the binary; one sentence each, with the way out.
    pub warnings: Vec<String>,
    /// Units that were answered.
    pub answered: usize,
}

/// Why a unit cannot be asked about.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("source {0} is not there; run where the sources are, or map their folder")]
    NoSource(PathBuf),
    #[error("{0} is not C, C++ or Fortran; its compiler cannot be asked")]
    Language(PathBuf),
    #[error(
        "the flags of {0} are unknown; give a compile_commands.json, use `loopwright build`, or compile with {1}"
    )]
    NoFlags(PathBuf, &'static str),
    #[error("{file} was compiled by {wanted}, which is not installed; install it or use `loopwright build`")]
    NoCompiler { file: PathBuf, wanted: String },
    #[error(transparent)]
    Ask(#[from] AskError),
    #[error("not asked in time")]
    Late,
}

/// Position of a unit, its remarks or why there are none, and warnings.
type Answer = (usize, Result<Vec<Remark>, Refusal>, Vec<String>);

/// Asks about units. `progress` is told (done, total, source) before each.
pub fn reask(
    units: &[UnitRequest],
    options: &Options,
    progress: &(dyn Fn(usize, usize, &Path) + Sync),
) -> Reasked {
    let next = AtomicUsize::new(0);
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by(|&a, &b| units[b].share.total_cmp(&units[a].share));
    let end = options.haste.as_ref().map(|haste| Instant::now() + haste.total);
    let compilers = Compilers::default();
    let commands = by_source(&options.commands);
    let answers: Mutex<Vec<Answer>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..options.parallel.clamp(1, units.len().max(1)) {
            scope.spawn(|| {
                if options.aside {
                    // Of this thread, and so of the compilers that it starts; not being able to does no harm.
                    let _ = rustix::process::setpriority_process(None, ASIDE);
                }
                loop {
                    let begun = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&at) = order.get(begun) else { break };
                    let unit = &units[at];
                    progress(begun, units.len(), &unit.file);
                    let mut warnings = Vec::new();
                    let limits = options.limits_for(unit, end);
                    let answer = match limits.time.is_zero() || limits.stop.is_some_and(is_set) {
                        true => Err(Refusal::Late),
                        false => one(unit, &commands, &compilers, limits, &mut warnings),
                    };
                    let late = limits.time < options.time_limit || limits.stop.is_some_and(is_set);
                    let answer = match answer {
                        Err(Refusal::Ask(AskError::TooSlow { .. })) if late => Err(Refusal::Late),
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
            Err(refusal) => reasked.warnings.push(refusal.to_string()),
        }
    }
    if late > 0 {
        let text = format!(
            "the compiler was not asked about {late} of {} source files in time; `loopwright remarks` asks about all",
            units.len()
        );
        reasked.warnings.insert(0, text);
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

/// Compilers by program name and version, asked once each.
#[derive(Default)]
struct Compilers {
    known: Mutex<HashMap<String, Option<Compiler>>>,
}

impl Compilers {
    fn get(&self, key: &str, find: impl FnOnce() -> Option<Compiler>) -> Option<Compiler> {
        let mut known = self.known.lock().ok()?;
        known.entry(key.to_string()).or_insert_with(find).clone()
    }

    fn by_version(&self, program: &str, version: &str) -> Option<Compiler> {
        self.get(&format!("{program} {version}"), || compiler::find(program, version))
    }

    fn by_path(&self, program: &str, directory: &Path) -> Option<Compiler> {
        self.get(program, || {
            let path = if program.contains('/') {
                directory.join(program)
            } else {
                compiler::which(program, &std::env::var_os("PATH")?, |_| false)?
            };
            compiler::identify(&path)
        })
    }
}

fn one(
    unit: &UnitRequest,
    commands: &HashMap<PathBuf, &CompileCommand>,
    compilers: &Compilers,
    limits: Limits<'_>,
    warnings: &mut Vec<String>,
) -> Result<Vec<Remark>, Refusal> {
    let recorded = unit.directory.clone().unwrap_or_else(|| PathBuf::from("."));
    let full = recorded.join(&unit.file);
    // Builds in temporary folders leave sources behind that are named by their full path.
    let beside = || full.parent().filter(|folder| folder.is_dir()).map(Path::to_path_buf);
    let directory = if recorded.is_dir() { recorded } else { beside().unwrap_or(recorded) };
    let language = Language::of(&full);
    let producer = unit.producer.as_deref().and_then(|text| producer::parse(text, language));
    if language.is_none() || (unit.producer.is_some() && producer.is_none() && unit.arguments.is_none()) {
        return Err(Refusal::Language(full));
    }
    let modified = std::fs::metadata(&full)
        .and_then(|meta| meta.modified())
        .map_err(|_| Refusal::NoSource(full.clone()))?;
    if unit.built.is_some_and(|built| modified > built) {
        warnings.push(format!(
            "{} is newer than the program; its lines may have moved: build again",
            full.display()
        ));
    }
    let command = command_for(unit, &full, &directory, producer.as_ref(), commands)?;
    let compiler = compiler_for(&command, &full, producer.as_ref(), compilers, warnings)?;
    if !compiler.can_report() {
        let wanted = format!(
            "{} or newer (it is {})",
            if compiler.family == Family::Gcc { "gcc 9" } else { "clang 10" },
            compiler.label()
        );
        return Err(Refusal::NoCompiler { file: full, wanted });
    }
    Ok(ask(&compiler, &command, limits)?)
}

/// The command of a unit: its own, one of the database, or one made from the producer's flags.
fn command_for(
    unit: &UnitRequest,
    full: &Path,
    directory: &Path,
    producer: Option<&Producer>,
    commands: &HashMap<PathBuf, &CompileCommand>,
) -> Result<CompileCommand, Refusal> {
    let from = |arguments: &[String], directory: &Path, file: &Path| {
        let (first, rest) = arguments.split_first()?;
        let mut all = vec![first.clone()];
        all.extend(expand(rest, directory));
        Some(CompileCommand {
            directory: directory.to_path_buf(),
            file: file.to_path_buf(),
            arguments: all,
            compiler: None,
        })
    };
    if let Some(command) =
        unit.arguments.as_ref().and_then(|arguments| from(arguments, directory, &unit.file))
    {
        return Ok(command);
    }
    let known = full.canonicalize().ok().and_then(|path| commands.get(&path).copied());
    if let Some(command) = known.and_then(|known| from(&known.arguments, &known.directory, &known.file)) {
        return Ok(command);
    }
    match producer {
        Some(Producer { flags: Some(flags), program, .. }) => {
            let mut arguments = vec![program.to_string()];
            // A recorded command line of clang names its own source.
            arguments.extend(flags.iter().filter(|flag| **flag != *unit.file.to_string_lossy()).cloned());
            arguments.push(full.to_string_lossy().into_owned());
            Ok(CompileCommand {
                directory: directory.to_path_buf(),
                file: full.to_path_buf(),
                arguments,
                compiler: None,
            })
        }
        Some(Producer { family: Family::Clang, .. }) => Err(Refusal::NoFlags(
            full.to_path_buf(),
            "-grecord-command-line (clang leaves its flags out otherwise)",
        )),
        _ => Err(Refusal::NoFlags(full.to_path_buf(), "-g -grecord-gcc-switches")),
    }
}

/// The compiler that made the unit; else another version of it, which is said; else the one the command names.
fn compiler_for(
    command: &CompileCommand,
    full: &Path,
    producer: Option<&Producer>,
    compilers: &Compilers,
    warnings: &mut Vec<String>,
) -> Result<Compiler, Refusal> {
    let named = || {
        // `ccache gcc ..`: the compiler is the first word that names one.
        let program = command.arguments.iter().take(3).find(|word| {
            Path::new(word)
                .file_name()
                .is_some_and(|name| compiler::is_compiler_name(&name.to_string_lossy()))
        })?;
        compilers.by_path(program, &command.directory)
    };
    let Some(producer) = producer else {
        let wanted = command.arguments.first().cloned().unwrap_or_default();
        return named().ok_or(Refusal::NoCompiler { file: full.to_path_buf(), wanted });
    };
    if let Some(same) = compilers.by_version(producer.program, &producer.version) {
        if same.version != producer.version {
            warnings.push(other_version(full, producer, &same));
        }
        return Ok(same);
    }
    let other = named()
        .filter(|compiler| compiler.family == producer.family)
        .or_else(|| compilers.by_path(producer.program, &command.directory));
    match other {
        Some(other) => {
            warnings.push(other_version(full, producer, &other));
            Ok(other)
        }
        None => Err(Refusal::NoCompiler {
            file: full.to_path_buf(),
            wanted: format!("{} {}", producer.program, producer.version),
        }),
    }
}

fn other_version(full: &Path, producer: &Producer, asked: &Compiler) -> String {
    format!(
        "{} was compiled by {} {}, but {} was asked; its reasons may differ: install that version or use `loopwright build`",
        full.display(),
        producer.program,
        producer.version,
        asked.label()
    )
}
