//! The commands of a build that make files: compilations, links and archives, with their folder.
//!
//! Wrappers note them beside the remarks while the build runs. To repeat a command is to run code, so that repeating ones
//! are read only from a folder of the user ([`Kept`]): files beside an experiment may have come with it. The user's folder has them by
//! the path of the experiment, and a build that compiles only what changed adds to what earlier builds made.

use crate::command::makes_files;
use crate::compiler::{is_archiver_name, is_compiler_name};
use loopwright_files::regular;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The compiler of Rust; it is not asked for remarks.
pub(super) const RUSTC: &str = "rustc";
/// The builder of Rust, which may be called by make.
pub(super) const CARGO: &str = "cargo";

/// Variables that decide what a command makes: of cargo and rustc (The Cargo Book, *Environment Variables*), and of compilers that look for
/// headers and libraries (GCC manual, *Environment Variables Affecting GCC*).
const VARIABLES: [&str; 8] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
];
/// Beginnings of such variables.
const VARIABLES_BEGINNING: [&str; 3] = ["CARGO_PROFILE_", "CARGO_BUILD_", "CARGO_TARGET_"];

/// Version of what is kept; other versions are left out.
const VERSION: u32 = 1;

/// Most bytes of the steps of one build: a build of 100,000 commands of 4 KiB each, which is more than any that is known.
const LARGEST: u64 = 1 << 29;

/// One command that makes files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its working directory; relative paths start here.
    pub directory: PathBuf,
    /// Program and arguments, response files expanded.
    pub arguments: Vec<String>,
    /// Unix time at which it began, in seconds: of two that make the same file the later one counts.
    pub began: f64,
    /// Variables of its environment that decide what it makes; a shell that tries may not have them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<(String, String)>,
}

impl Step {
    /// A command that begins now.
    pub fn now(directory: PathBuf, arguments: Vec<String>) -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Self {
            directory,
            arguments,
            began: now.map_or(0.0, |since| since.as_secs_f64()),
            environment: deciding(std::env::vars_os()),
        }
    }

    /// The value of a variable with which it ran; else the one of this process.
    pub fn variable(&self, name: &str) -> Option<String> {
        let own = self.environment.iter().find(|(known, _)| known == name);
        own.map(|(_, value)| value.clone()).or_else(|| std::env::var(name).ok())
    }

    /// The name of its program, without folders.
    pub fn program(&self) -> &str {
        let first = self.arguments.first().map_or("", String::as_str);
        first.rsplit('/').next().unwrap_or(first)
    }

    /// It makes an archive.
    pub fn archives(&self) -> bool {
        is_archiver_name(self.program())
    }

    /// It is a build by cargo.
    pub fn is_of_cargo(&self) -> bool {
        let builds = |word: &String| word == "build" || word == "b" || word == "rustc";
        self.program() == CARGO && self.arguments[1..].iter().any(builds)
    }

    /// It compiles a crate with rustc, called by itself or by cargo.
    pub fn is_of_rustc(&self) -> bool {
        let asks = |word: &String| word.starts_with("--print") || word == "-";
        let compiles = |word: &String| word.ends_with(".rs");
        let words = &self.arguments[1..];
        self.program() == RUSTC && words.iter().any(compiles) && !words.iter().any(asks)
    }

    /// Whether it makes files, rather than asks something.
    pub(super) fn counts(&self) -> bool {
        self.archives()
            || self.is_of_cargo()
            || self.is_of_rustc()
            || (is_compiler_name(self.program()) && makes_files(&self.arguments[1..]))
    }

    /// Notes it in the folder of a build that runs.
    pub(super) fn note(&self, folder: &Path) -> io::Result<()> {
        let steps = noted(folder);
        std::fs::create_dir_all(&steps)?;
        let mut file = tempfile::Builder::new().prefix("step-").suffix(".part").tempfile_in(&steps)?;
        serde_json::to_writer(file.as_file_mut(), self)?;
        let whole = file.path().with_extension("json");
        file.persist(whole).map_err(|failed| failed.error)?;
        Ok(())
    }
}

/// Those of all variables that decide what a command makes.
fn deciding(all: impl Iterator<Item = (OsString, OsString)>) -> Vec<(String, String)> {
    let text = all.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let decides = |name: &str| {
        VARIABLES.contains(&name) || VARIABLES_BEGINNING.iter().any(|beginning| name.starts_with(beginning))
    };
    let mut kept: Vec<_> = text.filter(|(name, _)| decides(name)).collect();
    kept.sort();
    kept
}

fn noted(folder: &Path) -> PathBuf {
    folder.join("steps")
}

/// Removes those of the previous build.
pub(super) fn clear(folder: &Path) -> io::Result<()> {
    let entries = match std::fs::read_dir(noted(folder)) {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(cause),
    };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with("step-") {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Those of the build that just ran, in the order in which they began. A note that does not decode was cut off when its
/// build was: that command made no file.
pub(super) fn read_noted(folder: &Path) -> Vec<Step> {
    let mut steps: Vec<Step> = std::fs::read_dir(noted(folder))
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|extension| extension == "json"))
        .filter_map(|entry| serde_json::from_slice(&regular::read(&entry.path(), LARGEST).ok()?).ok())
        .collect();
    steps.sort_by(|a, b| a.began.total_cmp(&b.began));
    steps
}

/// The commands of the user's own builds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    version: u32,
    /// All commands, oldest first.
    pub steps: Vec<Step>,
}

impl Kept {
    /// Where those of the builds of one experiment are, below the user's own folder.
    fn place(own: &Path, experiment: &Path) -> io::Result<PathBuf> {
        let experiment = experiment.canonicalize()?;
        let below = experiment.strip_prefix("/").unwrap_or(&experiment);
        Ok(own.join("builds").join(below).join("steps.json"))
    }

    /// Adds the commands of a build to those of earlier builds of this experiment; a command that was run again counts once.
    pub fn add(own: &Path, experiment: &Path, steps: &[Step]) -> io::Result<()> {
        let place = Self::place(own, experiment)?;
        let mut all = Self::of(own, experiment).map(|kept| kept.steps).unwrap_or_default();
        let again = |old: &Step| {
            steps.iter().any(|new| new.directory == old.directory && new.arguments == old.arguments)
        };
        all.retain(|old| !again(old));
        all.extend(steps.iter().cloned());
        let folder = place.parent().unwrap_or(own);
        std::fs::create_dir_all(folder)?;
        forget_removed(&own.join("builds"), Path::new("/"), 0);
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(
            io::BufWriter::new(file.as_file_mut()),
            &Self { version: VERSION, steps: all },
        )?;
        file.persist(&place).map_err(|failed| failed.error)?;
        Ok(())
    }

    /// Those of the builds of this experiment; nothing when there was none, or an earlier version of the tool kept them.
    pub fn of(own: &Path, experiment: &Path) -> Option<Self> {
        let bytes = regular::read(&Self::place(own, experiment).ok()?, LARGEST).ok()?;
        let kept: Self = serde_json::from_slice(&bytes).ok()?;
        (kept.version == VERSION).then_some(kept)
    }
}

/// Deepest folder that is looked at: paths have at most 4096 bytes (`PATH_MAX`), but a tree of links must not hold up a build.
const DEEPEST: usize = 64;

/// Removes what is kept for experiments that are gone; `at` is the folder that `kept` is for. True where something was removed:
/// a folder that another build has just made, and not filled yet, is left alone.
fn forget_removed(kept: &Path, at: &Path, depth: usize) -> bool {
    let mut removed = false;
    for entry in std::fs::read_dir(kept).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            removed |=
                depth < DEEPEST && forget_removed(&entry.path(), &at.join(entry.file_name()), depth + 1);
        } else if entry.file_name() == "steps.json" && !at.exists() {
            removed |= std::fs::remove_file(entry.path()).is_ok();
        }
    }
    // Only an empty folder can be removed this way.
    removed && std::fs::remove_dir(kept).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(words: &str, began: f64) -> Step {
        let arguments = words.split(' ').map(str::to_owned).collect();
        Step { directory: "/p".into(), arguments, began, ..Step::default() }
    }

    #[test]
    fn commands_that_make_files_count() {
        for line in [
            "/usr/bin/cc -c a.c -o a.o",
            "gcc a.o b.o -o prog -lm",
            "c++ -shared -o liba.so a.o",
            "cc a.c",
            "ar rcs liba.a a.o",
            "cargo build --release",
            "/opt/bin/rustc -O a.rs",
            "x86_64-linux-gnu-gcc-ar-12 qc liba.a a.o",
        ] {
            assert!(step(line, 0.0).counts(), "{line}");
        }
        for line in [
            "gcc --version",
            "gcc -E a.c",
            "gcc -print-prog-name=ld",
            "gcc -c -",
            "gcc -v",
            "make all",
            "cargo test",
            "rustc -vV",
            "rustc - --crate-name ___ --print=file-names",
        ] {
            assert!(!step(line, 0.0).counts(), "{line}");
        }
    }

    #[test]
    fn variables_that_decide_what_is_made_are_kept() {
        let all =
            ["RUSTFLAGS=-g", "HOME=/h", "CARGO_PROFILE_RELEASE_DEBUG=1", "CARGO_PKG_NAME=x", "CPATH=/i"];
        let all = all.iter().filter_map(|one| one.split_once('=')).map(|(a, b)| (a.into(), b.into()));
        let kept = deciding(all);
        let names: Vec<&str> = kept.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["CARGO_PROFILE_RELEASE_DEBUG", "CPATH", "RUSTFLAGS"]);
        let step = Step { environment: kept, ..step("cargo build", 0.0) };
        assert_eq!(step.variable("CPATH").as_deref(), Some("/i"));
        assert_eq!(step.variable("NO_SUCH_VARIABLE_HERE"), None);
    }

    #[test]
    fn a_build_adds_to_what_earlier_builds_made() {
        let own = tempfile::tempdir().unwrap();
        let experiment = own.path().join("x.lw");
        std::fs::write(&experiment, "").unwrap();
        assert_eq!(Kept::of(own.path(), &experiment), None);
        let old = [step("cc -c a.c", 1.0), step("cc -c b.c", 2.0), step("cc a.o b.o", 3.0)];
        Kept::add(own.path(), &experiment, &old).unwrap();
        let new = [step("cc -c b.c", 4.0), step("cc a.o b.o", 5.0)];
        Kept::add(own.path(), &experiment, &new).unwrap();
        let began: Vec<f64> =
            Kept::of(own.path(), &experiment).unwrap().steps.iter().map(|step| step.began).collect();
        assert_eq!(began, [1.0, 4.0, 5.0]);
        let other = own.path().join("y.lw");
        std::fs::write(&other, "").unwrap();
        assert_eq!(Kept::of(own.path(), &other), None);
        // What is kept for an experiment goes with it.
        std::fs::remove_file(&experiment).unwrap();
        Kept::add(own.path(), &other, &new).unwrap();
        std::fs::write(&experiment, "").unwrap();
        assert_eq!(Kept::of(own.path(), &experiment), None);
        assert!(Kept::of(own.path(), &other).is_some());
    }
}
