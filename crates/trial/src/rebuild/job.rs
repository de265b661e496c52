//! One command that is repeated, once it is known what it reads and where it writes; several run at a time.

use crate::fault::{self, Fault};
use crate::headers;
use crate::line::resolved;
use crate::running::Limits;
use loopwright_experiment::trials::Part;
use loopwright_remarks::build::step::Step;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Most compilers at a time: each may take a gigabyte of memory.
const MOST_AT_A_TIME: usize = 16;

/// What was made already, or what is to be run for it.
pub(super) enum Prepared<'j> {
    Made(PathBuf),
    Open(Job<'j>),
}

/// A source with the text of its headers in it, some of which are edited.
pub(super) struct Flattened<'j> {
    /// Of the compiler, which writes all text into one file.
    pub arguments: Vec<String>,
    pub text: PathBuf,
    pub edits: Vec<&'j Part>,
}

/// A command to run.
pub(super) struct Job<'j> {
    /// What it is made of.
    pub key: String,
    /// The user's own command.
    pub step: &'j Step,
    pub program: String,
    pub arguments: Vec<String>,
    pub folder: PathBuf,
    pub output: PathBuf,
    pub is_shared: bool,
    pub flattened: Option<Flattened<'j>>,
}

impl Job<'_> {
    pub fn run(&self, limits: Limits) -> Result<(), Fault> {
        if let Some(flat) = &self.flattened {
            run(self.step, &self.program, &flat.arguments, &self.folder, limits)?;
            let text = std::fs::read_to_string(&flat.text)?;
            let path = |file: &str| resolved(&self.step.directory.join(file));
            let edited = headers::apply(&text, &flat.edits, path);
            std::fs::write(&flat.text, edited.map_err(Fault::NotBuilt)?)?;
        }
        run(self.step, &self.program, &self.arguments, &self.folder, limits)?;
        if !self.output.exists() {
            let program = self.step.program();
            return Err(Fault::NotBuilt(format!("{program} made no {}", self.output.display())));
        }
        if self.is_shared {
            also_by_its_name(&self.output, &self.step.arguments)?;
        }
        Ok(())
    }
}

/// Runs commands that do not depend on each other, as many at a time as there are CPUs. After a fault none begins; `None` for those.
pub(super) fn run_all(jobs: &[Job], limits: Limits) -> Vec<Option<Result<(), Fault>>> {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let results: Vec<Mutex<Option<Result<(), Fault>>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = || {
        while !failed.load(Ordering::SeqCst) {
            let at = next.fetch_add(1, Ordering::SeqCst);
            let Some((job, result)) = jobs.get(at).zip(results.get(at)) else { return };
            let done = job.run(limits);
            if done.is_err() {
                failed.store(true, Ordering::SeqCst);
            }
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..cpus.min(MOST_AT_A_TIME).min(jobs.len()) {
            scope.spawn(work);
        }
        work();
    });
    results.into_iter().map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Runs a compiler, an archiver or a linker as the user's own command ran.
pub(super) fn run(
    step: &Step,
    program: &str,
    arguments: &[String],
    folder: &Path,
    limits: Limits,
) -> Result<(), Fault> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&step.directory);
    command.envs(step.environment.iter().map(|(name, value)| (name, value)));
    fault::compile(&mut command, program, &folder.join("messages"), limits)
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
