//! A compiler's replacement: runs when a build calls `gcc` and gets loopwright.

use super::record::Record;
use super::step::{CARGO, RUSTC, Step};
use super::{FOLDER_VARIABLE, is_watched};
use crate::ask::{Limits, Session, format_of, locate, report_flags};
use crate::command::{CompileCommand, Shape, expand, shape};
use crate::compiler::{Compiler, INSIDE_VARIABLE, identify, which};
use crate::parse;
use crate::remark::{Family, Remark};
use crate::warning::Warning;
use loopwright_files::regular;
use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

/// Most time for a question, for which the build waits: a source normally compiles in seconds.
const QUESTION_LIMIT: Duration = Duration::from_secs(120);

/// Most bytes of a note, which is one short line.
const LARGEST_NOTE: u64 = 1 << 16;

/// Whether this process was called as a compiler: by a link of that name.
pub fn acts_as_compiler(argv0: &std::ffi::OsStr) -> bool {
    Path::new(argv0).file_name().and_then(|name| name.to_str()).is_some_and(is_watched)
}

/// The hook for `main`: when this process was called as a compiler it acts as one and the exit status is
/// returned; `None` means that it was called under its own name.
///
/// Must be called before anything else (arguments belong to the compiler). It may not return: commands that
/// compile nothing become the compiler by `exec`, and a compiler's death by a signal is repeated.
pub fn wrapper_main() -> Option<i32> {
    let mut arguments = std::env::args_os();
    let argv0 = arguments.next()?;
    if !acts_as_compiler(&argv0) {
        return None;
    }
    let arguments: Vec<OsString> = arguments.collect();
    let Some(real) = real_compiler(&argv0) else {
        // The message and status of a shell for a missing command.
        eprintln!(
            "{}: command not found",
            Path::new(&argv0).file_name().unwrap_or_default().to_string_lossy()
        );
        return Some(127);
    };
    let folder = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from);
    let inside = std::env::var_os(INSIDE_VARIABLE).is_some();
    let folder = folder.filter(|_| !inside);
    if let Some(folder) = &folder {
        note_step(&real, &arguments, folder);
    }
    let is_asked = !real.ends_with(RUSTC) && !real.ends_with(CARGO);
    let job = folder.filter(|_| is_asked).and_then(|folder| Job::new(&real, &arguments, folder));
    match job {
        Some(job) => Some(job.run()),
        None => {
            let cause = real_command(&real, &arguments).exec();
            eprintln!("{}: {cause}", real.display());
            Some(126)
        }
    }
}

/// Notes a command that makes files. The build goes on without a note that cannot be written: only trials need it.
fn note_step(real: &Path, arguments: &[OsString], folder: &Path) {
    let Ok(directory) = std::env::current_dir() else { return };
    let Some(texts) = utf8(arguments) else { return };
    let mut all = vec![real.to_string_lossy().into_owned()];
    all.extend(expand(&texts, &directory, &|_| true));
    let step = Step::now(directory, all);
    if step.counts() && !is_probe(&step.directory, &step.arguments[1..]) {
        let _ = step.note(folder);
    }
}

/// The arguments as text, if all are.
fn utf8(arguments: &[OsString]) -> Option<Vec<String>> {
    arguments.iter().map(|a| a.to_str().map(str::to_string)).collect()
}

/// The program that a link replaces: the one noted beside it, or the next of its name on `PATH` that is not a
/// link to this executable.
fn real_compiler(argv0: &std::ffi::OsStr) -> Option<PathBuf> {
    let called = Path::new(argv0);
    let name = called.file_name()?.to_str()?;
    if let Some(note) = called.parent().map(|folder| folder.join("target"))
        && let Ok(target) = std::fs::read_to_string(note)
    {
        return Some(PathBuf::from(target));
    }
    let own = std::env::current_exe().ok()?.canonicalize().ok()?;
    // ccache and similar programs are on PATH under the compiler's name, and call the compiler by that name again.
    let before = std::env::var_os(INSIDE_VARIABLE).map(PathBuf::from);
    let path = std::env::var_os("PATH")?;
    which(name, &path, |program| {
        before.as_deref() == Some(program) || program.canonicalize().is_ok_and(|program| program == own)
    })
}

/// The real call. GCC and clang find their parts by their own path, so that it is passed as `argv[0]`.
fn real_command(real: &Path, arguments: &[OsString]) -> Command {
    let mut command = Command::new(real);
    command.args(arguments).env(INSIDE_VARIABLE, real);
    command
}

/// A command whose reports are requested.
struct Job {
    compiler: Compiler,
    real: PathBuf,
    arguments: Vec<OsString>,
    expanded: Vec<String>,
    shape: Shape,
    directory: PathBuf,
    folder: PathBuf,
}

impl Job {
    /// `None` when the command compiles nothing, is a probe of a configuration step, or no report is available.
    fn new(real: &Path, arguments: &[OsString], folder: PathBuf) -> Option<Job> {
        let directory = std::env::current_dir().ok()?;
        let texts = utf8(arguments)?;
        let expanded = expand(&texts, &directory, &|_| true);
        let shape = shape(&expanded);
        if shape.not_compiling.is_some() || is_probe(&directory, &shape.sources) {
            return None;
        }
        let compiler = known_compiler(real, &folder)?;
        Some(Job {
            compiler,
            real: real.to_path_buf(),
            arguments: arguments.to_vec(),
            expanded,
            shape,
            directory,
            folder,
        })
    }

    fn run(self) -> i32 {
        let report = if self.object_stays_identical() { self.report_path() } else { None };
        let mut command = real_command(&self.real, &self.arguments);
        if let Some(report) = &report {
            report_flags(&mut command, self.compiler.family, report.path(), false);
        }
        let status = match command.status() {
            Ok(status) => status,
            Err(cause) => {
                eprintln!("{}: {cause}", self.real.display());
                return 126;
            }
        };
        if status.success() {
            for source in &self.shape.sources {
                // The object has been compiled; a missing report must not fail the build.
                let _ = self
                    .record(source, report.as_ref().map(tempfile::NamedTempFile::path))
                    .store(&self.folder);
            }
        }
        drop(report);
        pass_on(status)
    }

    /// Whether report flags can be added without changing the object.
    ///
    /// GCC writes them into `DW_AT_producer` of debug information, into the section of `-frecord-gcc-switches` and into
    /// the options of LTO objects. clang keeps line information for its records when there is no debug information, which
    /// shows in section and symbol tables.
    fn object_stays_identical(&self) -> bool {
        if self.shape.sources.len() != 1
            || self.shape.lto
            || self.shape.records_flags
            || self.shape.own_report
        {
            return false;
        }
        if !self.compiler.can_report() {
            return false;
        }
        match self.compiler.family {
            Family::Gcc => !self.shape.debug,
            Family::Clang => {
                self.shape.debug && !self.expanded.iter().any(|a| a.starts_with("-gline") || a == "-gmlt")
            }
            Family::Intel => false,
        }
    }

    fn ask(&self, command: &CompileCommand) -> Result<Vec<Remark>, Warning> {
        // The build's own compiler had no limit of memory either.
        let limits =
            Limits { time: QUESTION_LIMIT, memory: u64::MAX >> 1, record: false, stop: None, hurry: None };
        let session = Session::begin().map_err(|cause| Warning::NoReport { error: cause.to_string() })?;
        session.repeat(&self.compiler, command, limits).map_err(|cause| Warning::NoAnswer(cause.to_string()))
    }

    fn report_path(&self) -> Option<tempfile::NamedTempFile> {
        tempfile::Builder::new().prefix("report-").tempfile_in(&self.folder).ok()
    }

    fn record(&self, source: &str, report: Option<&Path>) -> Record {
        let mut arguments = vec![self.real.to_string_lossy().into_owned()];
        arguments.extend(self.expanded.iter().cloned());
        let mut record = Record::new(CompileCommand {
            directory: self.directory.clone(),
            file: PathBuf::from(source),
            arguments,
            compiler: Some(self.compiler.label()),
        });
        if !self.compiler.can_report() {
            record.warnings.push(Warning::NoReports { compiler: self.compiler.label() });
            return record;
        }
        let answered = report.and_then(|report| {
            let bytes = std::fs::read(report).ok().filter(|bytes| !bytes.is_empty())?;
            let mut remarks =
                parse::parse_bytes(report, &bytes, Some(format_of(self.compiler.family))).ok()?;
            locate(&mut remarks, &self.directory, &self.compiler.label());
            Some(remarks)
        });
        let answer = match answered {
            Some(remarks) => Ok(remarks),
            // No report may also mean that ccache had the object: the question bypasses it.
            None => self.ask(&record.command),
        };
        match answer {
            Ok(remarks) => record.remarks = remarks,
            Err(warning) => record.warnings.push(warning),
        }
        record
    }
}

/// Sources that configuration steps compile as tests.
fn is_probe(directory: &Path, sources: &[String]) -> bool {
    let within = |path: &Path| {
        path.components().any(|part| {
            let part = part.as_os_str().to_string_lossy();
            part == "CMakeScratch"
                || part == "CMakeTmp"
                || part.starts_with("CompilerId")
                || part == "meson-private"
        })
    };
    within(directory)
        || sources.iter().any(|source| {
            let source = Path::new(source);
            within(source)
                || source.file_name().is_some_and(|name| {
                    let name = name.to_string_lossy();
                    name.starts_with("conftest.")
                        || name.starts_with("CMakeCCompilerABI")
                        || name.starts_with("CMakeCXXCompilerABI")
                })
        })
}

/// The compiler's identity, queried once per build and noted in the output folder.
fn known_compiler(real: &Path, folder: &Path) -> Option<Compiler> {
    let key: String =
        real.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let note = folder.join("compilers").join(key);
    if let Ok(text) = regular::read(&note, LARGEST_NOTE)
        .and_then(|text| String::from_utf8(text).map_err(std::io::Error::other))
        && let Some((family, version)) = text.split_once(' ')
    {
        let family = match family {
            "gcc" => Family::Gcc,
            "clang" => Family::Clang,
            _ => Family::Intel,
        };
        return Some(Compiler { path: real.to_path_buf(), family, version: version.to_string() });
    }
    let compiler = identify(real)?;
    if std::fs::create_dir_all(folder.join("compilers")).is_ok() {
        // Several wrappers may write it at the same time: the same text, in one short write.
        let _ = std::fs::write(&note, compiler.label());
    }
    Some(compiler)
}

/// The status of the compiler as this process's own; a death by signal is repeated, so that `make` sees the same.
fn pass_on(status: ExitStatus) -> i32 {
    if let Some(signal) = status.signal() {
        if let Some(signal) = rustix::process::Signal::from_named_raw(signal) {
            let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
        }
        return 128 + signal;
    }
    status.code().unwrap_or(1)
}
