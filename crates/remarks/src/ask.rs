//! One question to one compiler: compile a source as a command does, keep only the report.
//!
//! The question runs beside the project, never in its place: outputs go to a temporary folder or nowhere, dependency
//! files and module files are not written, and a compiler that takes too long is ended with its children. Why not simply
//! add report flags to the real compilation: GCC stores them in `DW_AT_producer` and clang keeps line information it
//! would drop, so that objects would change. `build` adds them only where objects are known to stay identical.

use crate::command::{CompileCommand, Language, module_folder, shape, without_outputs};
use crate::compiler::{Compiler, INSIDE_VARIABLE};
use crate::parse;
use crate::remark::{Family, Remark};
use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Passes whose remarks are read; keeps clang's records small.
pub(crate) const CLANG_PASSES: &str = "loop|slp|transform-warning";
/// GCC's report: loops as well as vectors, because only the former tells of memset and memcpy.
pub(crate) const GCC_REPORT: &str = "-fopt-info-vec-loop-all-internals";

/// Why a compiler gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The program could not be started, or its report not be stored.
    #[error(
        "cannot ask {compiler} about {source_file}: {cause}; check that the compiler runs and the temporary folder is writable"
    )]
    Failed {
        /// The program.
        compiler: PathBuf,
        /// The source.
        source_file: PathBuf,
        /// The operating system's reason.
        cause: std::io::Error,
    },
    /// It did not compile.
    #[error("{compiler} does not compile {source_file} again ({first_error}); {advice}")]
    Rejected {
        /// Compiler and version.
        compiler: String,
        /// The source.
        source_file: PathBuf,
        /// First error line.
        first_error: String,
        /// Next action.
        advice: &'static str,
    },
    /// It took too long.
    #[error(
        "{compiler} took more than {limit_seconds} s for {source_file}; raise the time limit or use `loopwright build`"
    )]
    TooSlow {
        /// Compiler and version.
        compiler: String,
        /// The source.
        source_file: PathBuf,
        /// The limit.
        limit_seconds: u64,
    },
    /// The report could not be read.
    #[error(transparent)]
    Report(#[from] parse::Error),
}

/// Limits of a question.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// For one run of the compiler.
    pub time: Duration,
    /// Also ask GCC for its record, which names functions and inlining but takes memory in large sources.
    pub record: bool,
    /// Ends the question once it is set.
    pub stop: Option<&'a AtomicBool>,
}

/// Asks about one source of a command. The command's response files must be expanded already.
pub fn ask(compiler: &Compiler, command: &CompileCommand, limits: Limits<'_>) -> Result<Vec<Remark>, Error> {
    match ask_once(compiler, command, limits) {
        Err(Error::TooSlow { .. })
            if limits.record && compiler.family == Family::Gcc && !is_set(limits.stop) =>
        {
            ask_once(compiler, command, Limits { record: false, ..limits })
        }
        answer => answer,
    }
}

fn ask_once(compiler: &Compiler, command: &CompileCommand, limits: Limits<'_>) -> Result<Vec<Remark>, Error> {
    let failed =
        |cause| Error::Failed { compiler: compiler.path.clone(), source_file: command.file.clone(), cause };
    let folder = tempfile::Builder::new().prefix("loopwright-ask-").tempdir().map_err(failed)?;
    let report = folder.path().join("report");
    let log = folder.path().join("log");
    let own: Vec<String> = command.arguments.iter().skip(1).cloned().collect();
    let mut asking = Command::new(&compiler.path);
    asking.current_dir(&command.directory).args(question(&own, &command.file));
    asking.args(["-w", "-S", "-o"]).arg(folder.path().join("out.s"));
    if Language::of(&command.file) == Some(Language::Fortran) {
        asking.arg("-J").arg(folder.path());
        asking.arg("-I").arg(module_folder(&own).unwrap_or_else(|| ".".to_string()));
    }
    report_flags(&mut asking, compiler.family, &report, limits.record);
    asking
        .env(INSIDE_VARIABLE, &compiler.path)
        .env("CCACHE_DISABLE", "1")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    asking.stderr(File::create(&log).map_err(failed)?).process_group(0);
    let child = asking.spawn().map_err(failed)?;
    let Some(status) = wait(child, limits.time, limits.stop).map_err(failed)? else {
        return Err(Error::TooSlow {
            compiler: compiler.label(),
            source_file: command.file.clone(),
            limit_seconds: limits.time.as_secs(),
        });
    };
    if !status.success() {
        return Err(rejected(compiler, command, &log));
    }
    let mut remarks = read_reports(folder.path(), &report)?;
    locate(&mut remarks, &command.directory, &compiler.label());
    Ok(remarks)
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

fn read_reports(folder: &Path, report: &Path) -> Result<Vec<Remark>, Error> {
    let text = std::fs::read(report).unwrap_or_default();
    let record = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.to_string_lossy().ends_with(".opt-record.json.gz"))
        .and_then(|path| std::fs::read(path).ok());
    if let Some(record) = record
        && let Ok(remarks) = parse::parse_gcc_pair(report, &text, &record)
    {
        return Ok(remarks);
    }
    Ok(parse::parse_bytes(report, &text, None)?)
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

fn is_set(flag: Option<&AtomicBool>) -> bool {
    flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// Waits for a child and ends its whole process group when the time is over (`None`): the driver's own death would
/// leave the compiler proper running.
fn wait(mut child: Child, limit: Duration, stop: Option<&AtomicBool>) -> std::io::Result<Option<ExitStatus>> {
    let end = Instant::now() + limit;
    let mut pause = Duration::from_millis(2);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= end || is_set(stop) {
            if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

fn rejected(compiler: &Compiler, command: &CompileCommand, log: &Path) -> Error {
    let mut text = Vec::new();
    if let Ok(file) = File::open(log) {
        // An error message is a few lines; templates can make megabytes of them.
        let _ = file.take(1 << 20).read_to_end(&mut text);
    }
    let text = String::from_utf8_lossy(&text);
    let first_error = text
        .lines()
        .find(|line| line.contains("error") || line.contains("Error"))
        .unwrap_or("it gives no error message")
        .trim()
        .to_string();
    let advice = if first_error.contains("No such file") || first_error.contains("not found") {
        "include folders and macros are not recorded in debug information: give a compile_commands.json, or use `loopwright build`"
    } else {
        "check that the source is the one the program was built from"
    };
    Error::Rejected { compiler: compiler.label(), source_file: command.file.clone(), first_error, advice }
}
