//! Building programs with the machine's compilers, and running its other tools.

use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A folder for one test's files.
pub struct Workshop {
    folder: TempDir,
}

/// Runs a tool. `None` (with a printed reason) when it does not exist.
pub fn run(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    match Command::new(program).args(arguments).current_dir(folder).output() {
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{program} {arguments:?} failed:\n{errors}");
            Some(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Err(problem) => {
            assert!(
                std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(),
                "{program} is required but cannot be run: {problem}"
            );
            eprintln!("skipped: {program} cannot be run: {problem}");
            None
        }
    }
}

impl Workshop {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn run(&self, program: &str, arguments: &[&str]) -> Option<String> {
        run(program, arguments, self.folder.path())
    }

    /// Compiles one of `programs/` to `output`. The source is copied, so that debug information
    /// names a file of this folder.
    pub fn compile(&self, compiler: &str, source: &str, flags: &[&str], output: &str) -> Option<PathBuf> {
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/main/image/programs");
        std::fs::copy(programs.join(source), self.path(source)).expect("the program's source");
        let mut arguments = flags.to_vec();
        arguments.extend([source, "-o", output]);
        self.run(compiler, &arguments)?;
        Some(self.path(output))
    }
}
