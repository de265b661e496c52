//! One question to one compiler: compile a source as a command does, and keep only the report.
//!
//! The question runs beside the project, never in its place: outputs go to a temporary folder or nowhere,
//! dependency files and module files are not written, and a compiler that takes too long is stopped with its
//! children. Why report flags are not simply added to the real compilation: GCC stores them in
//! `DW_AT_producer` and clang keeps line information it would drop, so that objects would change. `build`
//! adds them only where objects are known to stay identical.
//!
//! There are two kinds of questions. A build that runs asks about its own command ([`Session::repeat`]): the
//! user has just run that command. For a command that a file names ([`Session::foreign`]) only the part that
//! [`crate::command::allowed`] keeps is executed, and an answer counts only when the compiler read nothing
//! but the project, its include folders and the installed system.

mod dependencies;
mod environment;
mod guard;

use crate::command::allowed::Allowed;
use crate::command::{CompileCommand, language_of, module_folder, shape, without_outputs};
use crate::compiler::{Compiler, INSIDE_VARIABLE};
use crate::parse::{self, Format};
use crate::remark::{Family, Remark};
use guard::{Bounds, Guard, Guarded};
use loopwright_files::regular;
use loopwright_files::sources::Granted;
use loopwright_vocabulary::Language;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub(crate) use environment::closed as closed_environment;

/// Passes whose remarks are read; keeps clang's records small.
pub(crate) const CLANG_PASSES: &str = "loop|slp|transform-warning";
/// GCC's report: loops as well as vectors, because only the former reports memset and memcpy.
pub(crate) const GCC_REPORT: &str = "-fopt-info-vec-loop-all-internals";

/// Why a compiler gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The program could not be started, or its report not be stored.
    #[error(
        "cannot ask {compiler} about {source_file}: {cause}; check that the compiler runs and the temporary folder is writable"
    )]
    Failed {
        /// Path of the compiler.
        compiler: PathBuf,
        /// Path of the source file.
        source_file: PathBuf,
        /// The operating system's reason.
        cause: std::io::Error,
    },
    /// It did not compile.
    #[error("{compiler} does not compile {source_file} again ({first_error}); {advice}")]
    Rejected {
        /// Compiler and version.
        compiler: String,
        /// Path of the source file.
        source_file: PathBuf,
        /// First error line.
        first_error: String,
        /// Advice to the user.
        advice: &'static str,
    },
    /// It took too long.
    #[error(
        "{compiler} took more than {limit_seconds} s for {source_file}; raise the time limit or use `loopwright build`"
    )]
    TooSlow {
        /// Compiler and version.
        compiler: String,
        /// Path of the source file.
        source_file: PathBuf,
        /// Time limit, in seconds.
        limit_seconds: u64,
    },
    /// It read files that do not belong to the program.
    #[error(
        "{0} includes files outside of its project and of the installed system, so that nothing the compiler says about it is kept; give their folder with --source-root"
    )]
    Outside(PathBuf),
    /// The user requested the end.
    #[error("the question about {0} was interrupted; ask again with `loopwright remarks`")]
    Interrupted(PathBuf),
    /// The report could not be read.
    #[error(transparent)]
    Report(#[from] parse::Error),
}

impl Error {
    /// The compiler was stopped before it answered.
    pub(crate) fn is_end(&self) -> bool {
        matches!(self, Self::TooSlow { .. } | Self::Interrupted(_))
    }
}

/// Limits of a question.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For one run of the compiler.
    pub time: Duration,
    /// Bytes of memory for one compiler.
    pub memory: u64,
    /// Also ask GCC for its record, which names functions and inlining but takes memory in large sources.
    pub record: bool,
    /// Set when the user requests the end.
    pub stop: Option<&'static AtomicBool>,
    /// Set when the answer is no longer wanted.
    pub hurry: Option<&'static AtomicBool>,
}

impl Limits {
    /// The question must be stopped, even without an answer.
    pub(crate) fn is_over(&self) -> bool {
        let set = |flag: Option<&AtomicBool>| flag.is_some_and(|flag| flag.load(Ordering::Relaxed));
        set(self.stop) || set(self.hurry)
    }
}

/// Assembly and reports of one source are smaller; a hostile source can make them arbitrarily large.
const LARGEST_OUTPUT: u64 = 1 << 30;
/// An error message is a few lines; templates can produce megabytes of them.
const LARGEST_LOG: u64 = 1 << 20;

/// A command that a file names, reduced to the allowed part.
pub(crate) struct Foreign<'a> {
    /// The compiler's working directory.
    pub directory: &'a Path,
    /// The source, by its absolute path.
    pub source: &'a Path,
    /// The allowed part of the command.
    pub allowed: &'a Allowed,
    /// The files that may be read.
    pub granted: &'a Granted,
}

/// Questions that share a folder; it is removed when the session ends, in whatever way this process ends.
pub struct Session {
    guard: Guard,
    questions: AtomicUsize,
}

/// One prepared question.
struct Question<'a> {
    directory: &'a Path,
    source: &'a Path,
    arguments: Vec<String>,
    module_folder: String,
    foreign: Option<&'a Foreign<'a>>,
}

impl Session {
    /// Begins a session.
    ///
    /// # Errors
    /// When the temporary folder cannot be written or a shell not be started.
    pub fn begin() -> std::io::Result<Session> {
        Ok(Session { guard: Guard::start()?, questions: AtomicUsize::new(0) })
    }

    /// Asks about one source of a command that the user runs. The command's response files must already be expanded.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn repeat(
        &self,
        compiler: &Compiler,
        command: &CompileCommand,
        limits: Limits,
    ) -> Result<Vec<Remark>, Error> {
        let own: Vec<String> = command.arguments.iter().skip(1).cloned().collect();
        let question = Question {
            directory: &command.directory,
            source: &command.file,
            arguments: question(&own, &command.file),
            module_folder: module_folder(&own).unwrap_or_else(|| ".".to_string()),
            foreign: None,
        };
        self.ask(compiler, &question, limits)
    }

    /// Asks about the source of a command that a file names.
    pub(crate) fn foreign(
        &self,
        compiler: &Compiler,
        foreign: &Foreign<'_>,
        limits: Limits,
    ) -> Result<Vec<Remark>, Error> {
        let mut arguments = foreign.allowed.flags.clone();
        arguments.push(foreign.source.to_string_lossy().into_owned());
        let question = Question {
            directory: foreign.directory,
            source: foreign.source,
            arguments,
            module_folder: ".".to_string(),
            foreign: Some(foreign),
        };
        self.ask(compiler, &question, limits)
    }

    fn ask(
        &self,
        compiler: &Compiler,
        question: &Question<'_>,
        limits: Limits,
    ) -> Result<Vec<Remark>, Error> {
        match self.ask_once(compiler, question, limits) {
            Err(Error::TooSlow { .. }) if limits.record && compiler.family == Family::Gcc => {
                self.ask_once(compiler, question, Limits { record: false, ..limits })
            }
            answer => answer,
        }
    }

    fn ask_once(
        &self,
        compiler: &Compiler,
        question: &Question<'_>,
        limits: Limits,
    ) -> Result<Vec<Remark>, Error> {
        let failed = |cause| Error::Failed {
            compiler: compiler.path.clone(),
            source_file: question.source.to_path_buf(),
            cause,
        };
        let folder = self.guard.folder().join(self.questions.fetch_add(1, Ordering::Relaxed).to_string());
        std::fs::create_dir(&folder).map_err(failed)?;
        let (report, log, read) = (folder.join("report"), folder.join("log"), folder.join("read"));
        let errors = File::create(&log).map_err(failed)?;
        let before = match question.foreign {
            Some(foreign) => {
                Some(dependencies::first_header(&folder, &foreign.allowed.headers).map_err(failed)?)
            }
            None => None,
        };
        let fortran = language_of(question.source) == Some(Language::Fortran);
        let prepare = |asking: &mut Command| {
            asking.current_dir(question.directory);
            if let Some(before) = before.filter(|_| !fortran) {
                // Before everything else: GCC accepts a precompiled header, which is an image of its memory,
                // only as the first header.
                asking.arg("-include").arg(before).args(["-MD", "-MT", "read", "-MF"]).arg(&read);
            }
            asking.args(&question.arguments);
            asking.args(["-w", "-S", "-o"]).arg(folder.join("out.s"));
            if fortran {
                asking.arg("-J").arg(&folder).arg("-I").arg(&question.module_folder);
            }
            report_flags(asking, compiler.family, &report, limits.record);
            match question.foreign {
                Some(_) => environment::closed(asking),
                None => environment::without_writers(asking),
            }
            asking
                .env(INSIDE_VARIABLE, &compiler.path)
                .env("CCACHE_DISABLE", "1")
                .env("LC_ALL", "C")
                .env("TMPDIR", &folder)
                .env("CLANG_CRASH_DIAGNOSTICS_DIR", &folder)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(errors);
        };
        let bounds = Bounds { time: limits.time, file: LARGEST_OUTPUT, memory: limits.memory };
        let child = self.guard.spawn(bounds, &compiler.path, prepare).map_err(failed)?;
        let status = match wait(child, limits).map_err(failed)? {
            Ended::Itself(status) => status,
            Ended::Late => {
                return Err(Error::TooSlow {
                    compiler: compiler.label(),
                    source_file: question.source.to_path_buf(),
                    limit_seconds: limits.time.as_secs(),
                });
            }
            Ended::Stopped => return Err(Error::Interrupted(question.source.to_path_buf())),
        };
        if !status.success() {
            return Err(rejected(compiler, question, &log));
        }
        if let Some(foreign) = question.foreign.filter(|_| !fortran)
            && !dependencies::all_permitted(&read, &folder, foreign)
        {
            return Err(Error::Outside(question.source.to_path_buf()));
        }
        let mut remarks = read_reports(&folder, &report, compiler.family)?;
        locate(&mut remarks, question.directory, &compiler.label());
        if let Some(foreign) = question.foreign {
            remarks.retain(|remark| dependencies::may_be_quoted(Path::new(&remark.file), foreign));
        }
        // The session may go on for hundreds of sources.
        let _ = std::fs::remove_dir_all(&folder);
        Ok(remarks)
    }
}

/// The command's arguments for this source alone, without outputs.
fn question(own: &[String], file: &Path) -> Vec<String> {
    let sources = shape(own).sources;
    let file = file.to_string_lossy();
    let source = sources.iter().find(|source| **source == file).or(sources.first()).cloned();
    match source {
        Some(source) => without_outputs(own, &source, &sources),
        None => {
            let mut arguments = without_outputs(own, "", &[]);
            arguments.push(file.into_owned());
            arguments
        }
    }
}

/// Adds the flags that make a compiler write its report.
pub(crate) fn report_flags(command: &mut Command, family: Family, report: &Path, record: bool) {
    match family {
        Family::Gcc => {
            command.arg(format!("{GCC_REPORT}={}", report.display()));
            if record {
                command.arg("-fsave-optimization-record");
            }
        }
        Family::Clang => {
            command.arg("-fsave-optimization-record=yaml");
            command.arg(format!("-foptimization-record-file={}", report.display()));
            command.arg(format!("-foptimization-record-passes={CLANG_PASSES}"));
        }
        Family::Intel => {
            command.arg("-qopt-report=5").arg(format!("-qopt-report-file={}", report.display()));
        }
    }
}

/// What [`report_flags`] makes a compiler write. It is not to be found out from the text: without loops that are vectorised GCC writes
/// other lines than those that reports are known by.
pub(crate) fn format_of(family: Family) -> Format {
    match family {
        Family::Gcc => Format::GccText,
        Family::Clang => Format::ClangYaml,
        Family::Intel => Format::Intel,
    }
}

fn read_reports(folder: &Path, report: &Path, family: Family) -> Result<Vec<Remark>, Error> {
    let content = |path: &Path| regular::read(path, parse::MAX_REPORT_BYTES);
    let text = content(report).unwrap_or_default();
    let record = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.to_string_lossy().ends_with(".opt-record.json.gz"))
        .and_then(|path| content(&path).ok());
    if let Some(record) = record
        && let Ok(remarks) = parse::parse_gcc_pair(report, &text, &record)
    {
        return Ok(remarks);
    }
    Ok(parse::parse_bytes(report, &text, Some(format_of(family)))?)
}

/// Makes places absolute and names the compiler.
pub(crate) fn locate(remarks: &mut [Remark], directory: &Path, compiler: &str) {
    let absolute = |file: &mut String| {
        if !file.starts_with('/') && !file.starts_with('<') {
            *file = lexical(&directory.join(&*file)).to_string_lossy().into_owned();
        }
    };
    for remark in remarks {
        absolute(&mut remark.file);
        if let Some(statement) = &mut remark.statement {
            absolute(&mut statement.file);
        }
        if remark.compiler.is_empty() {
            remark.compiler = compiler.to_string();
        }
    }
}

/// Removes `.` and `..` without asking the file system: the compiler wrote the path, and it may be gone.
fn lexical(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            _ => plain.push(part),
        }
    }
    plain
}

/// How a compiler ended.
enum Ended {
    Itself(ExitStatus),
    Late,
    Stopped,
}

/// Waits for a compiler, and stops it when its time is over or the user requests the end.
fn wait(mut child: Guarded<'_>, limits: Limits) -> std::io::Result<Ended> {
    let end = Instant::now() + limits.time;
    let mut pause = Duration::from_millis(2);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ended::Itself(status));
        }
        if limits.is_over() {
            child.kill()?;
            return Ok(Ended::Stopped);
        }
        if Instant::now() >= end {
            child.kill()?;
            return Ok(Ended::Late);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

fn rejected(compiler: &Compiler, question: &Question<'_>, log: &Path) -> Error {
    let text = regular::read(log, LARGEST_LOG).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let first_error = first_error(&text, question, log.parent().unwrap_or(log));
    let advice = if first_error.contains("No such file") || first_error.contains("not found") {
        "include folders and macros are not recorded in debug information: give a compile_commands.json, or use `loopwright build`"
    } else {
        "check that the source is the one the program was built from"
    };
    Error::Rejected {
        compiler: compiler.label(),
        source_file: question.source.to_path_buf(),
        first_error,
        advice,
    }
}

/// The first error of a compiler. Its text may quote the file that it refers to, so that it is passed on only
/// where that file may be quoted.
fn first_error(text: &str, question: &Question<'_>, own: &Path) -> String {
    let mut place = None;
    for line in text.lines() {
        if let Some(found) = place_of(line) {
            place = Some(found);
        }
        if !(line.contains("error") || line.contains("Error")) {
            continue;
        }
        let quotable = match (question.foreign, place) {
            (Some(foreign), Some(file)) => {
                let file = Path::new(file);
                file.starts_with(own) || dependencies::may_be_quoted(&question.directory.join(file), foreign)
            }
            _ => true,
        };
        return if quotable {
            line.trim().to_string()
        } else {
            "an error in a file outside of its project".to_string()
        };
    }
    "it gives no error message".to_string()
}

/// The file in `FILE:LINE:COLUMN: ..`, as GCC and clang begin the lines of a message; GCC's `In file included
/// from FILE:` names other files than the one with the error.
fn place_of(line: &str) -> Option<&str> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if line.starts_with([' ', '\t']) || line.starts_with("In file included") {
        return None;
    }
    let mut from = 0;
    while let Some(found) = line.get(from..)?.find(':') {
        let at = from + found;
        let rest = line.get(at + 1..)?;
        if rest.split_once(':').is_some_and(|(number, _)| is_number(number)) {
            return line.get(..at);
        }
        from = at + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_message_is_found() {
        assert_eq!(place_of("/a b/x.c:3:5: error: y"), Some("/a b/x.c"));
        assert_eq!(place_of("x.f90:3:5:"), Some("x.f90"));
        assert_eq!(place_of("/etc/shadow:1: error: y"), Some("/etc/shadow"));
        assert_eq!(place_of("gcc: fatal error: no input files"), None);
        assert_eq!(place_of("    3 | a:1:2: b"), None);
    }
}
