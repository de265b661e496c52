//! The compilers of this machine, by family.

use loopwright_vocabulary::Language;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

/// Families that `compilers` may name.
pub const FAMILIES: [&str; 2] = ["gcc", "clang"];

/// The language of a stage's source; later ones link what earlier ones compile.
pub fn language_of(source: &Path) -> Option<Language> {
    Language::of_source(source).filter(|language| *language != Language::Rust)
}

/// A family of compilers that share their options, as far as this machine has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Family {
    /// `gcc` or `clang`.
    pub name: String,
    /// The C compiler.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub c: Option<Compiler>,
    /// The C++ compiler.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cpp: Option<Compiler>,
    /// The Fortran compiler.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fortran: Option<Compiler>,
}

/// A compiler that built stages, as records name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiler {
    /// The command that starts it, e.g. `gcc`.
    pub command: String,
    /// The first line that `--version` prints.
    pub version: String,
}

impl Family {
    /// The compiler of a language.
    pub fn compiler(&self, language: Language) -> Option<&Compiler> {
        match language {
            Language::C => self.c.as_ref(),
            Language::Cxx => self.cpp.as_ref(),
            Language::Fortran => self.fortran.as_ref(),
            Language::Rust => None,
        }
    }

    /// Whether it has a compiler for each of these languages.
    pub fn compiles(&self, languages: &BTreeSet<Language>) -> bool {
        languages.iter().all(|language| self.compiler(*language).is_some())
    }
}

/// The families that this machine has.
pub fn find() -> Vec<Family> {
    let first = |commands: &[&str]| commands.iter().find_map(|command| ask(command));
    let [gcc, clang] = FAMILIES;
    let all = [
        Family { name: gcc.into(), c: first(&["gcc"]), cpp: first(&["g++"]), fortran: first(&["gfortran"]) },
        Family {
            name: clang.into(),
            c: first(&["clang"]),
            cpp: first(&["clang++"]),
            fortran: first(&["flang", "flang-new"]),
        },
    ];
    all.into_iter().filter(|f| f.c.is_some() || f.cpp.is_some() || f.fortran.is_some()).collect()
}

pub(crate) fn ask(command: &str) -> Option<Compiler> {
    let output = Command::new(command).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.lines().next().filter(|_| output.status.success())?.trim().to_owned();
    Some(Compiler { command: command.to_owned(), version })
}

/// Whether a program can be linked with `-lNAME`.
pub fn has_library(family: &Family, library: &str, folder: &Path) -> bool {
    let Some(compiler) = [&family.c, &family.cpp, &family.fortran].into_iter().flatten().next() else {
        return false;
    };
    // An empty main in each language that the driver of the first compiler takes.
    let (name, text) = if family.c.is_some() || family.cpp.is_some() {
        ("probe.c", "int main(void) { return 0; }\n")
    } else {
        ("probe.f90", "end program\n")
    };
    let source = folder.join(name);
    let linked = std::fs::write(&source, text).is_ok()
        && Command::new(&compiler.command)
            .arg(&source)
            .arg("-o")
            .arg(folder.join("probe"))
            .arg(format!("-l{library}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
    let _ = std::fs::remove_file(&source);
    let _ = std::fs::remove_file(folder.join("probe"));
    linked
}
