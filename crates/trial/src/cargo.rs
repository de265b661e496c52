//! Programs that `cargo build` makes: the user's own build command again, with another target folder and more options.
//!
//! One target folder serves all versions, so that what does not change is compiled once; it begins as a copy of the user's
//! ([`crate::cargo_target`]). Options of rustc go to the crates of the workspace where all hot loops are there: cargo calls what
//! `RUSTC_WORKSPACE_WRAPPER` names for those alone, and keeps what each such program makes apart (The Cargo Book, *Environment
//! Variables*), so that the crates of other people are not compiled again. Else the options are added to `build.rustflags`, or to
//! `RUSTFLAGS` where that is set, as cargo itself reads them. Link-time optimisation is a property of the profile, of all crates.

use crate::cargo_target;
use crate::change::{Candidate, all_options, general, mechanical, options_of};
use crate::fault::{self, Fault};
use crate::line::{is_copy, resolved};
use crate::running::Limits;
use loopwright_advise::Recommendation;
use loopwright_experiment::trials::{Part, Way, Why};
use loopwright_remarks::build::step::Step;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Sets of options for any program (The rustc book, *Codegen Options*).
const OPTION_SETS: [(&str, &[&str]); 4] = [
    ("native", &["-C", "target-cpu=native"]),
    ("level-3", &["-C", "opt-level=3"]),
    ("one-codegen-unit", &["-C", "codegen-units=1"]),
    ("link-time-optimisation", &["-C", "lto=fat"]),
];

/// Changes whose options alone are the change; sums in another order and calls of vector functions are written in the source.
const BY_OPTIONS: [&str; 7] = [
    "inline-call",
    "missing-instruction",
    "narrow-instruction-set",
    "optimise-for-speed",
    "optimise-for-vectors",
    "rebuild",
    "wider-instruction-set",
];

/// The option that chooses the target folder; it is left out of commands that are repeated.
const TARGET_FOLDER: &str = "--target-dir";
/// An option that has programs copied to another place: a command with it is not repeated.
const ELSEWHERE: &str = "--artifact-dir";

/// The variable that names what is called for the crates of a workspace.
const WRAPPER: &str = "RUSTC_WORKSPACE_WRAPPER";
/// Folders of the sources of the standard library: as rustc names them, and as rustup installs them.
const STANDARD_LIBRARY: [&str; 2] = ["/rustc/", "/lib/rustlib/src/"];

/// Builds versions of one program of cargo.
pub(crate) struct CargoShop<'a> {
    step: Step,
    /// The target folder of the user.
    user: PathBuf,
    /// The program below the target folder.
    program: PathBuf,
    /// The name of the profile.
    profile: String,
    /// Folders of the crates of the workspace.
    members: Vec<PathBuf>,
    /// Options are for the crates of the workspace alone.
    of_members: bool,
    /// Crates and what is done with them: all, and those that the first build compiled.
    units: (usize, usize),
    folder: tempfile::TempDir,
    pub limits: Limits<'a>,
    made: BTreeMap<String, PathBuf>,
}

impl<'a> CargoShop<'a> {
    /// For the last build command of cargo into whose target folder the program belongs.
    pub fn find(steps: &[Step], program: &Path, limits: Limits<'a>) -> std::io::Result<Option<Self>> {
        for step in steps.iter().rev().filter(|step| step.is_of_cargo()) {
            if step.arguments.iter().any(|word| word.starts_with(ELSEWHERE)) {
                continue;
            }
            let Some(target) = target_folder(step) else { continue };
            let Ok(below) = program.strip_prefix(&target) else { continue };
            return Ok(Some(Self {
                step: step.clone(),
                program: below.to_path_buf(),
                user: target,
                profile: profile(&step.arguments),
                members: members(step),
                of_members: false,
                units: (1, 1),
                folder: tempfile::Builder::new().prefix("loopwright-build-").tempdir()?,
                limits,
                made: BTreeMap::new(),
            }));
        }
        Ok(None)
    }

    /// Has options given to the crates of the workspace alone, where the code that takes time is theirs. `sources` are those of the hot
    /// loops; generic code of the standard library is compiled into the crate that uses it.
    pub fn narrow<'s>(&mut self, sources: impl IntoIterator<Item = &'s str>) {
        let is_own = |source: &str| {
            let path = resolved(Path::new(source));
            Path::new(source).is_relative()
                || STANDARD_LIBRARY.iter().any(|folder| source.contains(folder))
                || self.members.iter().any(|member| path.starts_with(member))
        };
        self.of_members = !self.members.is_empty() && sources.into_iter().all(is_own);
    }

    /// How long a change takes to build, in builds of the unchanged program.
    pub fn share_of_build(&self, parts: &[Part]) -> f64 {
        let options = all_options(parts);
        if self.is_given(&options) {
            0.0
        } else if self.of_members && !is_of_profile(&options) {
            1.0
        } else {
            self.units.0 as f64 / self.units.1.max(1) as f64
        }
    }

    /// Builds the program with these options.
    pub fn build(&mut self, parts: &[Part]) -> Result<PathBuf, Fault> {
        let options = all_options(parts);
        // The first version is the unchanged one, which these options do not change.
        let key = if self.is_given(&options) { String::new() } else { options.join(" ") };
        if let Some(made) = self.made.get(&key) {
            return Ok(made.clone());
        }
        let target = self.target();
        if self.made.is_empty() && !target.exists() {
            cargo_target::copy(&self.user, &self.program, &target, self.limits.file)?;
        }
        let before = cargo_target::units(&target, &self.program);
        let messages = self.folder.path().join("messages");
        let folder = self.folder.path().join(self.made.len().to_string());
        std::fs::create_dir_all(&folder)?;
        let mut command = self.command(&options, &folder)?;
        fault::compile(&mut command, "cargo", &messages, self.limits)?;
        if self.made.is_empty() {
            let after = cargo_target::units(&target, &self.program);
            self.units = (if before == 0 { after } else { before }, after.saturating_sub(before));
        }
        // The next version takes the place of this one in the target folder.
        let copy = folder.join(self.program.file_name().unwrap_or_default());
        std::fs::copy(target.join(&self.program), &copy)?;
        self.made.insert(key, copy.clone());
        Ok(copy)
    }

    fn target(&self) -> PathBuf {
        self.folder.path().join("target")
    }

    /// The calls of rustc for the crates of the workspace in the first build.
    fn calls(&self) -> PathBuf {
        self.folder.path().join("calls")
    }

    /// Whether the user's build gives these options to every crate of the workspace already.
    fn is_given(&self, options: &[&str]) -> bool {
        let calls = std::fs::read_to_string(self.calls()).unwrap_or_default();
        // Neither questions, nor what runs while the program is built.
        let others = ["--crate-name ___", "--crate-name build_script", "--crate-type proc-macro"];
        let is_compiling =
            |call: &&str| call.contains("--crate-name") && !others.iter().any(|other| call.contains(other));
        let mut compiling = calls.lines().filter(is_compiling).peekable();
        let pairs: Vec<String> = options.chunks(2).map(|pair| pair.join(" ")).collect();
        !options.is_empty()
            && self.of_members
            && compiling.peek().is_some()
            && compiling
                .all(|call| pairs.iter().all(|pair| format!("{call} ").contains(&format!(" {pair} "))))
    }

    fn command(&self, options: &[&str], folder: &Path) -> Result<Command, Fault> {
        let mut rustflags = Vec::new();
        let mut settings = Vec::new();
        for option in options {
            match option.strip_prefix("lto=") {
                Some(kind) => {
                    rustflags.pop();
                    settings.push(format!("profile.{}.lto=\"{kind}\"", self.profile));
                }
                None => rustflags.push(*option),
            }
        }
        let mut command = Command::new(&self.step.arguments[0]);
        command.args(without_target_folder(&self.step.arguments[1..]).0).current_dir(&self.step.directory);
        command.envs(self.step.environment.iter().map(|(name, value)| (name, value)));
        command.env("CARGO_TARGET_DIR", self.target());
        if self.of_members {
            command.env(WRAPPER, self.wrapper(&rustflags, folder)?);
        } else if !rustflags.is_empty() {
            match self.step.variable("RUSTFLAGS") {
                Some(set) => drop(command.env("RUSTFLAGS", format!("{set} {}", rustflags.join(" ")))),
                None => {
                    let quoted: Vec<String> = rustflags.iter().map(|flag| format!("\"{flag}\"")).collect();
                    settings.push(format!("build.rustflags=[{}]", quoted.join(", ")));
                }
            }
        }
        for setting in settings {
            command.args(["--config", &setting]);
        }
        Ok(command)
    }

    /// A script that gives rustc more options. Cargo keeps apart what scripts of other names make, the unchanged program's, too.
    fn wrapper(&self, options: &[&str], folder: &Path) -> std::io::Result<PathBuf> {
        let words = |words: &[&str]| shlex::try_join(words.iter().copied()).map_err(std::io::Error::other);
        let own = self.step.variable(WRAPPER).filter(|own| !own.is_empty());
        let own = own.map(|own| words(&[&own])).transpose()?.unwrap_or_default();
        let note = match self.made.is_empty() {
            true => format!("printf '%s\\n' \"$*\" >> {}\n", words(&[&self.calls().to_string_lossy()])?),
            false => String::new(),
        };
        let path = folder.join("with-options");
        std::fs::write(&path, format!("#!/bin/sh\n{note}exec {own} \"$@\" {}\n", words(options)?))?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
        Ok(path)
    }
}

/// Whether options are a property of the profile, and so of all crates.
fn is_of_profile(options: &[&str]) -> bool {
    options.iter().any(|option| option.starts_with("lto="))
}

/// The program of a build command of cargo that `copy` is a copy of.
pub(crate) fn copied(steps: &[Step], copy: &Path) -> Option<PathBuf> {
    steps.iter().rev().filter(|step| step.is_of_cargo()).find_map(|step| {
        let profile = profile(&step.arguments);
        // The profiles of development are the ones that have another folder (The Cargo Book, *Build cache*).
        let folder = if profile == "dev" { "debug".to_owned() } else { profile };
        let made = std::fs::read_dir(target_folder(step)?.join(folder)).ok()?;
        made.flatten().map(|entry| entry.path()).find(|made| is_copy(copy, made))
    })
}

/// The words of a command without its own target folder, and that folder.
fn without_target_folder(arguments: &[String]) -> (Vec<&str>, Option<&str>) {
    let (mut kept, mut folder) = (Vec::new(), None);
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word.strip_prefix(TARGET_FOLDER) {
            Some("") => folder = words.next(),
            Some(value) => folder = value.strip_prefix('=').or(folder),
            None => kept.push(word),
        }
    }
    (kept, folder)
}

/// Where the command puts what it makes: as it says, else cargo's own answer, which knows its configuration.
fn target_folder(step: &Step) -> Option<PathBuf> {
    if let Some(folder) = without_target_folder(&step.arguments).1 {
        return Some(resolved(&step.directory.join(folder)));
    }
    Some(resolved(Path::new(metadata(step)?["target_directory"].as_str()?)))
}

/// Folders of the crates of the workspace.
fn members(step: &Step) -> Vec<PathBuf> {
    let document = metadata(step).unwrap_or_default();
    let packages = document["packages"].as_array().into_iter().flatten();
    let manifests = packages.filter_map(|package| package["manifest_path"].as_str());
    manifests.filter_map(|manifest| Some(resolved(Path::new(manifest).parent()?))).collect()
}

/// What cargo says of the workspace (The Cargo Book, *cargo metadata*).
fn metadata(step: &Step) -> Option<serde_json::Value> {
    let mut asking = Command::new(&step.arguments[0]);
    asking.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let mut words = step.arguments.iter();
    while let Some(word) = words.next() {
        if word == "--manifest-path" {
            asking.arg(word).args(words.next());
        } else if word.starts_with("--manifest-path=") {
            asking.arg(word);
        }
    }
    asking.envs(step.environment.iter().map(|(name, value)| (name, value)));
    let output =
        asking.current_dir(&step.directory).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
}

fn profile(arguments: &[String]) -> String {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if word == "--release" || word == "-r" {
            return "release".to_owned();
        }
        if word == "--profile" {
            return words.next().cloned().unwrap_or_default();
        }
        if let Some(name) = word.strip_prefix("--profile=") {
            return name.to_owned();
        }
    }
    "dev".to_owned()
}

/// What the advice says to rustc; directives and qualifiers are words of other languages.
pub(crate) fn of_card(card: &Recommendation) -> Vec<Candidate> {
    let for_rustc = card.how.flags.iter().filter(|flags| flags.compiler == "rustc");
    let is_one = BY_OPTIONS.contains(&card.id.as_str());
    let options = for_rustc.filter(|_| is_one).filter_map(|flags| options_of(&flags.flags)).next();
    let parts = match options {
        Some(options) => Ok(vec![Part::Options { files: Vec::new(), options }]),
        None => Err(Why::NotMechanical),
    };
    mechanical(card, vec![(Way::Options, parts)])
}

/// Sets of options.
pub(crate) fn option_sets() -> Vec<Candidate> {
    let part = |options: &[&str]| Part::Options {
        files: Vec::new(),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
    };
    OPTION_SETS.iter().map(|(name, options)| general(name, Way::Options, vec![part(options)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_with_a_target_folder_of_its_own_is_repeated_in_another_one() {
        for words in ["cargo build --target-dir out --release", "cargo build --target-dir=out --release"] {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            let (kept, folder) = without_target_folder(&words);
            assert_eq!((kept.join(" ").as_str(), folder), ("cargo build --release", Some("out")));
            let step = Step::now("/p".into(), words);
            assert_eq!(target_folder(&step), Some("/p/out".into()));
        }
    }
}
