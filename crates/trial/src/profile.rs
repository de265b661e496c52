//! Compiling with the profile of a run: the options of both builds, and where the profile is.
//!
//! GCC writes and reads the profile of an object under the object's own name (its manual, *Program Instrumentation Options*), so
//! that both builds put it at the same place of the scratch folder. clang writes one raw file for each process into a
//! folder, which its `llvm-profdata` merges (Clang Compiler User's Manual, *Profile Guided Optimization*).

use crate::fault::{Fault, first_message};
use loopwright_remarks::compiler::{identify, which};
use loopwright_remarks::remark::Family;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a source is compiled for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    /// A run that writes the profile.
    Gather,
    /// The program that is measured.
    #[default]
    Use,
}

/// For a linker: the library that writes profiles.
pub(crate) const LINK: &str = "-fprofile-generate";
/// Threads count together where the machine can.
const GATHER_GCC: [&str; 2] = [LINK, "-fprofile-update=prefer-atomic"];
/// Counts of threads may be a little off; a source that the run did not reach has no profile.
const USE_GCC: [&str; 3] = ["-fprofile-use", "-fprofile-correction", "-Wno-missing-profile"];

/// The options of a compiler whose object is made in `folder`.
pub(crate) fn options(compiler: &str, stage: Stage, folder: &Path) -> Result<Vec<String>, Fault> {
    let family = identify(Path::new(compiler)).map(|compiler| compiler.family);
    let owned = |options: &[&str]| options.iter().map(|option| (*option).to_owned()).collect();
    match (family, stage) {
        (Some(Family::Gcc), Stage::Gather) => Ok(owned(&GATHER_GCC)),
        (Some(Family::Gcc), Stage::Use) => Ok(owned(&USE_GCC)),
        (Some(Family::Clang), Stage::Gather) => Ok(vec![format!("{LINK}={}", folder.display())]),
        (Some(Family::Clang), Stage::Use) => {
            let merged = merge(compiler, folder)?;
            let quiet = ["-Wno-profile-instr-unprofiled", "-Wno-profile-instr-out-of-date"];
            Ok([vec![format!("-fprofile-use={}", merged.display())], owned(&quiet)].concat())
        }
        _ => Err(Fault::NotBuilt(format!("{compiler} has no known options for profiles"))),
    }
}

/// The raw profiles of a folder as one.
fn merge(compiler: &str, folder: &Path) -> Result<PathBuf, Fault> {
    let entries = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let raw: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "profraw")).collect();
    if raw.is_empty() {
        return Err(Fault::NotBuilt("the run wrote no profile".to_owned()));
    }
    let merger = merger(compiler)
        .ok_or_else(|| Fault::NotBuilt(format!("no llvm-profdata is installed beside {compiler}")))?;
    let merged = folder.join("profile.profdata");
    let output = Command::new(&merger)
        .args(["merge", "-o"])
        .arg(&merged)
        .args(&raw)
        .stdin(Stdio::null())
        .output()
        .map_err(|cause| Fault::NotBuilt(format!("{} does not start: {cause}", merger.display())))?;
    if output.status.success() {
        Ok(merged)
    } else {
        Err(Fault::NotBuilt(first_message(&String::from_utf8_lossy(&output.stderr))))
    }
}

/// The program of the compiler's own version: beside the file that its name leads to.
fn merger(compiler: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let compiler =
        if compiler.contains('/') { PathBuf::from(compiler) } else { which(compiler, &path, |_| false)? };
    let real = compiler.canonicalize().ok()?;
    let beside = real.parent()?.join("llvm-profdata");
    beside.is_file().then_some(beside).or_else(|| which("llvm-profdata", &path, |_| false))
}
