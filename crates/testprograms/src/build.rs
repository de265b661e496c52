//! Builds a program once and keeps it under `target/testprograms/`, keyed by everything that affects it.
//!
//! The key covers the source, the flags, the finish and the compiler's version, so that a stale executable is
//! never used. A build happens in a fresh folder that is renamed into place: tests of several processes may
//! request the same program at once.

use crate::compiler::{Compiler, FLAG_SETS, FlagSet};
use crate::program::{LoopMark, Program, programs};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The processing of the executable after linking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finish {
    /// Unchanged.
    AsLinked,
    /// `strip`: no symbols, no debug information.
    Stripped,
    /// Debug information moved to `NAME.debug` beside it and linked by `.gnu_debuglink`.
    SeparateDebug,
    /// Debug sections compressed (`objcopy --compress-debug-sections=zlib`).
    CompressedDebug,
}

/// Why there is no executable.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A tool is not installed, or has no such flag set.
    #[error("{0}")]
    Absent(String),
    /// The compiler or a tool failed.
    #[error("{command} failed:\n{output}")]
    Failed {
        /// Command line.
        command: String,
        /// What the compiler printed.
        output: String,
    },
    /// A file operation failed.
    #[error("{path}: {source}; is target/ writable?", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
}

/// A built program.
#[derive(Clone, Debug)]
pub struct Built {
    /// The executable.
    pub path: PathBuf,
    /// Folder that holds it and everything else the compiler wrote (its working directory).
    pub folder: PathBuf,
    /// The compiler's output (reports on standard error included).
    pub compiler_output: String,
    /// First line of the compiler's `--version`.
    pub compiler_version: String,
    /// Absolute path of the source.
    pub source: PathBuf,
    /// The loops marked in the source.
    pub loops: Vec<LoopMark>,
    /// `kernels gcc O3` and the like, for tables and messages.
    pub label: String,
}

impl Built {
    /// The loop of this name.
    ///
    /// # Panics
    /// When the source has no such mark.
    pub fn loop_named(&self, name: &str) -> &LoopMark {
        self.loops.iter().find(|m| m.name == name).unwrap_or_else(|| panic!("{}: no loop {name}", self.label))
    }
}

/// How to build a program. `gcc`-like defaults: the program's first compiler, flag set `O2`.
#[derive(Clone, Debug)]
pub struct Recipe {
    program: Program,
    compiler: Compiler,
    flag_set: FlagSet,
    extra: Vec<String>,
    finish: Finish,
}

impl Recipe {
    /// A recipe for the program of this name.
    ///
    /// # Panics
    /// When there is no such program.
    pub fn of(name: &str) -> Self {
        Self::for_program(Program::named(name))
    }

    /// A recipe for this program.
    pub fn for_program(program: Program) -> Self {
        let compiler = program.compilers[0];
        Self {
            program,
            compiler,
            flag_set: FlagSet::named("O2"),
            extra: Vec::new(),
            finish: Finish::AsLinked,
        }
    }

    /// With this compiler.
    ///
    /// # Panics
    /// When the program is not meant for it.
    pub fn compiler(mut self, compiler: Compiler) -> Self {
        assert!(
            self.program.compilers.contains(&compiler),
            "{} is not built by {}",
            self.program.name,
            compiler.command()
        );
        self.compiler = compiler;
        self
    }

    /// With the flags of this row of [`FLAG_SETS`].
    pub fn flag_set(mut self, name: &str) -> Self {
        self.flag_set = FlagSet::named(name);
        self
    }

    /// With one more flag, after those of the set.
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.extra.push(flag.into());
        self
    }

    /// Finished in this way.
    pub fn finish(mut self, finish: Finish) -> Self {
        self.finish = finish;
        self
    }

    /// The program that was built.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The compiler.
    pub fn chosen_compiler(&self) -> Compiler {
        self.compiler
    }

    /// The flag set.
    pub fn chosen_flag_set(&self) -> FlagSet {
        self.flag_set
    }

    /// `kernels gcc O3 stripped` and the like.
    pub fn label(&self) -> String {
        let mut label = format!("{} {} {}", self.program.name, self.compiler.command(), self.flag_set.name);
        for flag in &self.extra {
            label.push(' ');
            label.push_str(flag);
        }
        match self.finish {
            Finish::AsLinked => {}
            Finish::Stripped => label.push_str(" stripped"),
            Finish::SeparateDebug => label.push_str(" separate-debug"),
            Finish::CompressedDebug => label.push_str(" compressed-debug"),
        }
        label
    }

    /// Builds it, or finds the existing build.
    ///
    /// # Errors
    /// [`BuildError::Absent`] when the compiler is not installed or has no such flag set (pass the result to
    /// [`available`]), the others when something is broken.
    pub fn build(&self) -> Result<Built, BuildError> {
        let compiler = self.compiler.command();
        let version = self.compiler.version().ok_or_else(|| {
            BuildError::Absent(format!("{compiler} is not installed; install {}", self.compiler.package()))
        })?;
        let set = self.flag_set.flags(self.compiler).ok_or_else(|| {
            BuildError::Absent(format!("{compiler} has nothing like the flag set {}", self.flag_set.name))
        })?;
        let source_bytes = std::fs::read(&self.program.source).map_err(io(&self.program.source))?;

        let mut hasher = DefaultHasher::new();
        (&self.program.source, source_bytes, compiler, &version, set, &self.extra, self.finish)
            .hash(&mut hasher);
        (&self.program.links, &self.program.flags, host_cpu_key()).hash(&mut hasher);
        for header in headers_beside(&self.program.source).map_err(io(&self.program.source))? {
            std::fs::read(&header).map_err(io(&header))?.hash(&mut hasher);
        }
        let key = format!(
            "{}-{}-{}-{:016x}",
            self.program.name,
            compiler.replace('+', "x"),
            self.flag_set.name,
            hasher.finish()
        );
        let cache = target_folder().join("testprograms");
        let folder = cache.join(key);
        let log = folder.join("compiler-output.txt");
        if !log.exists() {
            std::fs::create_dir_all(&cache).map_err(io(&cache))?;
            let fresh = tempfile::tempdir_in(&cache).map_err(io(&cache))?;
            let output = self.compile(fresh.path(), set)?;
            let fresh_log = fresh.path().join("compiler-output.txt");
            std::fs::write(&fresh_log, output).map_err(io(&fresh_log))?;
            let fresh = fresh.keep();
            // Another process may have built it first; its result is the same.
            if let Err(error) = std::fs::rename(&fresh, &folder) {
                std::fs::remove_dir_all(&fresh).map_err(io(&fresh))?;
                if !log.exists() {
                    return Err(BuildError::Io { path: folder, source: error });
                }
            }
        }
        Ok(Built {
            path: folder.join(&self.program.name),
            compiler_output: std::fs::read_to_string(&log).map_err(io(&log))?,
            folder,
            compiler_version: version,
            source: self.program.source.clone(),
            loops: self.program.loops(),
            label: self.label(),
        })
    }

    /// Compiles into `folder`; the compiler's output.
    fn compile(&self, folder: &Path, set: &[&str]) -> Result<String, BuildError> {
        let name = &self.program.name;
        let mut command = Command::new(self.compiler.command());
        command.current_dir(folder).args(set);
        if self.compiler == Compiler::Rustc {
            command.args(["--edition=2024", "--crate-type=bin", "--crate-name", name]);
        }
        command.args(&self.program.flags).args(&self.extra).arg("-o").arg(name).arg(&self.program.source);
        command.args(&self.program.links);
        let mut output = run(&mut command)?;
        let objcopy = |arguments: &[&str]| run(Command::new("objcopy").current_dir(folder).args(arguments));
        let debug = format!("{name}.debug");
        match self.finish {
            Finish::AsLinked => {}
            Finish::Stripped => output += &run(Command::new("strip").current_dir(folder).arg(name))?,
            Finish::CompressedDebug => {
                output += &objcopy(&["--compress-debug-sections=zlib", name])?;
            }
            Finish::SeparateDebug => {
                output += &objcopy(&["--only-keep-debug", name, &debug])?;
                output += &run(Command::new("strip").current_dir(folder).arg(name))?;
                output += &objcopy(&[&format!("--add-gnu-debuglink={debug}"), name])?;
            }
        }
        Ok(output)
    }
}

/// Every recipe of the programs that belong to the matrix.
pub fn matrix() -> Vec<Recipe> {
    let mut recipes = Vec::new();
    for program in programs().into_iter().filter(|p| p.matrix) {
        for &compiler in &program.compilers {
            for set in FLAG_SETS.iter().filter(|set| set.flags(compiler).is_some()) {
                recipes.push(Recipe::for_program(program.clone()).compiler(compiler).flag_set(set.name));
            }
        }
    }
    recipes
}

/// The value, or `None` after printing why the test skips.
///
/// # Panics
/// When the build failed; and when something is absent while `LOOPWRIGHT_REQUIRE_ALL=1`.
pub fn available<T>(result: Result<T, BuildError>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(BuildError::Absent(reason)) => {
            let required = std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_some_and(|v| v == "1");
            assert!(!required, "LOOPWRIGHT_REQUIRE_ALL=1, but {reason}");
            println!("skipped: {reason}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// The built program; `None` after printing why the test skips, also where this processor lacks the instructions that
/// the recipe's flags allow.
///
/// # Panics
/// As [`available`].
pub fn available_here(recipe: &Recipe) -> Option<Built> {
    if !recipe.chosen_flag_set().runs_here() {
        println!("skipped: {} does not run on this processor", recipe.label());
        return None;
    }
    available(recipe.build())
}

/// `target/`, wherever cargo puts it.
fn target_folder() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"),
    }
}

/// The headers that the source may include, in a fixed order.
fn headers_beside(source: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut headers = Vec::new();
    for entry in std::fs::read_dir(source.parent().unwrap_or(source))? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "h") {
            headers.push(path);
        }
    }
    headers.sort();
    Ok(headers)
}

/// The meaning of `-march=native` here: a cache from another machine must not be used.
fn host_cpu_key() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    info.lines().filter(|l| l.starts_with("model name") || l.starts_with("flags")).take(2).collect()
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> BuildError {
    let path = path.to_owned();
    |source| BuildError::Io { path, source }
}

/// Runs a tool; returns all its output.
fn run(command: &mut Command) -> Result<String, BuildError> {
    let shown = format!("{command:?}");
    let output = command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => BuildError::Absent(format!("{shown}: not installed")),
        _ => BuildError::Failed { command: shown.clone(), output: error.to_string() },
    })?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text += &String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(text) } else { Err(BuildError::Failed { command: shown, output: text }) }
}

#[cfg(test)]
mod tests;
