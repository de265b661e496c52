//! The part of a command line named by a file that may be executed: DWARF's `DW_AT_producer`, a compilation
//! database, an experiment.
//!
//! The author of the file chose the flags, and compilers have flags that load code, run programs and write files. So no
//! argument is passed on unchecked: every flag is looked up in [`table`], its value must have the [`shape`] of the row,
//! and a new command line is written from the kept flags. Each kept flag is one argument that begins with `-` and has
//! its value joined, so that no program that reads the arguments after the driver can mistake a value for an option, a
//! response file or a source. Dropped flags are reported, by their names alone: the values are the file's.

mod names;
pub mod shape;
pub mod table;

use loopwright_files::sources::Granted;
use std::path::{Path, PathBuf};
use table::{Form, Purpose, ROWS, Row};

/// A command line, reduced to the allowed part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Arguments, each a whole flag.
    pub flags: Vec<String>,
    /// Folders that are searched for headers and modules.
    pub folders: Vec<PathBuf>,
    /// Headers that are read before the source, in order.
    pub headers: Vec<PathBuf>,
    /// Names of flags that were dropped and may matter; each once.
    pub dropped: Vec<String>,
}

/// Options outside of the table whose value is the next argument, which is dropped, too.
const DROPPED_WITH_VALUE: [&str; 47] = [
    "-Xclang",
    "-Xpreprocessor",
    "-Xassembler",
    "-Xlinker",
    "-Xanalyzer",
    "-Xflang",
    "-Xopenmp-target",
    "-Xoffload-linker",
    "-mllvm",
    "-mmlir",
    "-plugin",
    "-load",
    "-add-plugin",
    "-include-pch",
    "-imacros",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "--sysroot",
    "-iframework",
    "-iframeworkwithsysroot",
    "-cxx-isystem",
    "-c-isystem",
    "-ivfsoverlay",
    "-working-directory",
    "-F",
    "-framework",
    "-wrapper",
    "-specs",
    "--specs",
    "-B",
    "--prefix",
    "-aux-info",
    "-T",
    "-G",
    "-A",
    "-arch",
    "-dumpbase",
    "-dumpdir",
    "-dumpbase-ext",
    "-gcc-toolchain",
    "-serialize-diagnostics",
    "--serialize-diagnostics",
    "-index-store-path",
    "-dependency-file",
    "--config",
];

/// Reduces the arguments after the compiler, response files expanded, of a command that ran in `directory`.
pub fn allowed(arguments: &[String], directory: &Path, granted: &Granted) -> Allowed {
    let mut kept = Allowed::default();
    let mut headers: Vec<String> = Vec::new();
    let mut at = arguments.iter();
    while let Some(argument) = at.next() {
        let Some(found) = find(argument, &mut at) else {
            if argument.starts_with(['-', '@']) && !is_repeated_by_driver(argument) {
                kept.drop(argument);
                if DROPPED_WITH_VALUE.contains(&argument.as_str()) {
                    at.next();
                }
            }
            // Anything else is a source, an object or a library: the source is passed separately.
            continue;
        };
        match found {
            Found::Irrelevant => {}
            Found::Flag(flag) => kept.flags.push(flag),
            Found::Header(name) => headers.push(name),
            Found::Wrong => kept.drop(argument),
            Found::Folder(name, folder) => kept.folder(name, &directory.join(folder), granted),
        }
    }
    for name in headers {
        // Compilers search their working directory, and then the header folders.
        let places = std::iter::once(directory).chain(kept.folders.iter().map(PathBuf::as_path));
        let paths: Vec<PathBuf> =
            places.map(|place| place.join(&name)).filter(|path| is_plain(path)).collect();
        let permitted = paths.iter().find(|path| granted.includes(path, &kept.folders));
        // The compiler reports a header that is nowhere: without it the answer would be about another source.
        let absent = || paths.first().filter(|_| !paths.iter().any(|path| path.exists()));
        match permitted.or_else(absent) {
            Some(path) => kept.headers.push(path.clone()),
            None => kept.drop("-include"),
        }
    }
    kept
}

/// gfortran's driver passes this header of the C library to the compiler proper, which writes it into DWARF.
/// Running the driver again adds it automatically (GCC, `gcc/fortran/lang-specs.h`, `TARGET_F951_OPTIONS`).
fn is_repeated_by_driver(argument: &str) -> bool {
    argument.strip_prefix("-fpre-include=").is_some_and(|path| path.ends_with("/math-vector-fortran.h"))
}

impl Allowed {
    fn folder(&mut self, name: &str, folder: &Path, granted: &Granted) {
        // gfortran writes modules to the folder of -J; here it only reads them there.
        let name = if name == "-J" { "-I" } else { name };
        if granted.include_folder(folder) && is_plain(folder) {
            self.flags.push(format!("{name}{}", folder.display()));
            self.folders.push(folder.to_owned());
        } else if folder.exists() {
            self.drop(name);
        }
    }

    fn drop(&mut self, argument: &str) {
        let name = named(argument);
        if !self.dropped.contains(&name) {
            self.dropped.push(name);
        }
    }
}

/// A path that can be written after a flag, into a Makefile rule and into an `#include` without another meaning.
fn is_plain(path: &Path) -> bool {
    path.is_absolute()
        && path
            .to_str()
            .is_some_and(|text| !text.chars().any(|c| c.is_control() || "\"\\\u{fffd}".contains(c)))
}

/// The name of a flag without its value, fit to print.
fn named(argument: &str) -> String {
    if argument.starts_with('@') {
        return "@file".to_owned();
    }
    let end = argument.find(['=', ',', ' ', '/']).unwrap_or(argument.len());
    argument.chars().take(end.min(40)).filter(|c| c.is_ascii_graphic()).collect()
}

enum Found {
    Flag(String),
    Folder(&'static str, String),
    Header(String),
    Irrelevant,
    /// The flag is in the table, but its value does not have the form.
    Wrong,
}

/// The row that decides on a flag. Consumes the next argument where the flag does.
fn find<'a>(argument: &str, rest: &mut impl Iterator<Item = &'a String>) -> Option<Found> {
    let mut wrong = None;
    for row in &ROWS {
        match fits(row, argument, rest) {
            Some(Found::Wrong) => wrong = Some(Found::Wrong),
            Some(found) if row.purpose == Purpose::Irrelevant => {
                drop(found);
                return Some(Found::Irrelevant);
            }
            Some(found) => return Some(found),
            None => {}
        }
    }
    wrong
}

fn fits<'a>(row: &Row, argument: &str, rest: &mut impl Iterator<Item = &'a String>) -> Option<Found> {
    let flag = || Some(Found::Flag(argument.to_owned()));
    match row.form {
        Form::Plain(words) => words.contains(&argument).then(flag)?,
        Form::OnOff(prefix, names) => {
            let name = argument.strip_prefix(prefix)?;
            let known =
                names.contains(&name) || name.strip_prefix("no-").is_some_and(|off| names.contains(&off));
            known.then(flag)?
        }
        Form::Prefix(prefixes) => prefixes.iter().any(|prefix| argument.starts_with(prefix)).then(flag)?,
        Form::Joined(names, shape) => {
            let mut values = names.iter().filter_map(|name| argument.strip_prefix(name)).peekable();
            values.peek()?;
            if values.any(|value| shape.fits(value)) { flag() } else { Some(Found::Wrong) }
        }
        Form::Separate(names) => {
            let name = names.iter().find(|name| **name == argument)?;
            rest.next();
            Some(Found::Flag((*name).to_owned()))
        }
        Form::Either(names, shape) => {
            let (_, value) = value_of(names, argument, rest)?;
            let first = names.first()?;
            Some(if shape.fits(&value) { Found::Flag(format!("{first}{value}")) } else { Found::Wrong })
        }
        Form::Folder(names) => {
            let (name, value) = value_of(names, argument, rest)?;
            Some(if value.is_empty() { Found::Wrong } else { Found::Folder(name, value) })
        }
        Form::Header(names) => {
            let (_, value) = value_of(names, argument, rest)?;
            // `-include-pch` is another flag.
            let none = value.is_empty() || value.starts_with(['-', '@']);
            Some(if none { Found::Wrong } else { Found::Header(value) })
        }
    }
}

/// The value of a flag that has one of these names: joined, else the next argument. Names with `=` have
/// joined values only.
fn value_of<'a>(
    names: &'static [&'static str],
    argument: &str,
    rest: &mut impl Iterator<Item = &'a String>,
) -> Option<(&'static str, String)> {
    if let Some(name) = names.iter().find(|name| **name == argument && !name.ends_with('=')) {
        return Some((name, rest.next().cloned().unwrap_or_default()));
    }
    let joined = |name: &&&'static str| argument.strip_prefix(**name).filter(|value| !value.is_empty());
    let name = names.iter().find(|name| joined(name).is_some())?;
    Some((name, joined(&name)?.to_owned()))
}

#[cfg(test)]
mod tests;
