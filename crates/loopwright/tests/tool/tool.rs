//! Runs the tool as a user does, in a folder of its own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A scratch folder with an experiment and a cache of its own.
pub struct Scratch {
    folder: tempfile::TempDir,
}

/// What the tool said.
pub struct Said {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Scratch {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a scratch folder can be made") }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The tool, to be given arguments. The test programs are compiled elsewhere than where their sources are.
    pub fn tool(&self) -> Command {
        let mut tool = self.wrapped(Command::new(env!("CARGO_BIN_EXE_loopwright")));
        tool.args(["--source-root", concat!(env!("CARGO_MANIFEST_DIR"), "/../../testprograms")]);
        tool
    }

    /// Any command, with the environment of this scratch folder.
    pub fn wrapped(&self, mut command: Command) -> Command {
        command
            .current_dir(self.path())
            // What the tests themselves have may be a pipe, which a program can read only once: it would be run only once.
            .stdin(Stdio::null())
            .env("XDG_CACHE_HOME", self.path().join("cache"))
            .env("LC_ALL", "C.UTF-8")
            .env_remove("LOOPWRIGHT_EXPERIMENT")
            .env_remove("COLUMNS");
        command
    }

    /// Runs the tool to its end.
    pub fn run<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Said {
        said(self.tool().args(arguments).output().expect("the tool starts"))
    }

    /// Runs the tool, which must succeed; its standard output.
    pub fn ok<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> String {
        let said = self.run(arguments);
        assert_eq!(said.status, Some(0), "{}\n{}", said.err, said.out);
        said.out
    }

    /// `advise` without what takes long on a machine seen for the first time.
    pub fn advise(&self, command: &[&OsStr]) -> Said {
        let fixed = ["advise", "--no-measure", "--"].map(OsStr::new);
        self.run(fixed.iter().copied().chain(command.iter().copied()))
    }

    /// The loops as JSON.
    pub fn json(&self) -> serde_json::Value {
        crate::contract::document(&self.ok(["show", "loops", "--json", "--all"]))
    }
}

/// Decodes what a command said.
pub fn said(output: Output) -> Said {
    Said {
        status: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The loops of a document whose function is `function`.
pub fn loops_of<'a>(document: &'a serde_json::Value, function: &str) -> Vec<&'a serde_json::Value> {
    let all = document["loops"].as_array().expect("loops is a list");
    all.iter().filter(|l| l["function"].as_str().is_some_and(|name| name.contains(function))).collect()
}
