//! Compiler command lines: what a line does, and the same line turned into a question for a report.
//!
//! Options are those of GCC 9 to 14 and clang 10 to 22 (their manuals, "Overall Options"); unknown ones are
//! passed on unchanged, because the user's own build just did the same. [`allowed`] reduces commands that a
//! file names. [`database`] reads compile databases, [`producer`] DWARF's producer strings.

pub mod allowed;
pub mod database;
pub mod producer;

use loopwright_files::regular;
use loopwright_vocabulary::Language;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A compilation that was, or can be, run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompileCommand {
    /// The compiler's working directory; relative paths start here.
    pub directory: PathBuf,
    /// The source, as given.
    pub file: PathBuf,
    /// Compiler and arguments.
    pub arguments: Vec<String>,
    /// Compiler and version, e.g. `gcc 12.2.0`; absent where they were not queried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
}

/// The language of a source that compilers of C, C++ and Fortran are asked about.
pub fn language_of(path: &Path) -> Option<Language> {
    Language::of_source(path).filter(|language| *language != Language::Rust)
}

/// From the value of `-x`.
fn language_named(name: &str) -> Option<Language> {
    match name.trim_end_matches("-cpp-output").trim_end_matches("-cpp-input") {
        "c" | "cpp-output" => Some(Language::C),
        "c++" => Some(Language::Cxx),
        "f77" | "f95" => Some(Language::Fortran),
        _ => None,
    }
}

/// What a command line does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Sources that it compiles, in order.
    pub sources: Vec<String>,
    /// Why no report can be requested, if so: it only preprocesses, links, prints the version, ...
    pub not_compiling: Option<&'static str>,
    /// Debug information is requested.
    pub debug: bool,
    /// Objects hold code for link-time optimisation.
    pub lto: bool,
    /// The flags are written into the object (`-frecord-gcc-switches`, `-grecord-command-line`, ...).
    pub records_flags: bool,
    /// The command itself requests optimisation reports.
    pub own_report: bool,
    /// Any optimisation (`-O1` and above; `-Os`, `-Ofast`, ...).
    pub optimizes: bool,
}

/// Options of GCC and clang whose value is the next argument.
const WITH_VALUE: [&str; 48] = [
    "-o",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-x",
    "-T",
    "-u",
    "-z",
    "-e",
    "-A",
    "-B",
    "-J",
    "-F",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-imultilib",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-Xanalyzer",
    "-mllvm",
    "-arch",
    "-target",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-aux-info",
    "-G",
    "-dumpbase",
    "-dumpdir",
    "-dumpbase-ext",
    "-wrapper",
    "--param",
    "--sysroot",
    "-gcc-toolchain",
    "-framework",
    "-specs",
];

/// Arguments that make a command do other work than compile, with the reason.
fn other_work(argument: &str) -> Option<&'static str> {
    match argument {
        "-E" | "-M" | "-MM" => Some("preprocesses"),
        "-S" => Some("makes assembly"),
        "-fsyntax-only" => Some("checks syntax"),
        "-###" | "--version" | "--help" | "-dumpversion" | "-dumpfullversion" | "-dumpmachine"
        | "-dumpspecs" | "-cc1" | "-cc1as" | "--analyze" | "-emit-llvm" | "-emit-ast" => {
            Some("asks the compiler something else")
        }
        _ if argument.starts_with("-print-")
            || argument.starts_with("--print-")
            || argument.starts_with("--help=") =>
        {
            Some("asks the compiler something else")
        }
        _ => None,
    }
}

/// Whether an option's value is the next argument.
pub fn takes_value(option: &str) -> bool {
    WITH_VALUE.contains(&option)
}

/// Whether a command makes an object, a library or a program. `arguments` are those after the compiler, with response files
/// expanded.
pub fn makes_files(arguments: &[String]) -> bool {
    let mut input = false;
    let mut at = arguments.iter();
    while let Some(argument) = at.next() {
        if argument == "-" || other_work(argument).is_some() {
            return false;
        }
        if argument == "-o" && at.clone().next().is_some_and(|output| output == "-") {
            return false;
        }
        if takes_value(argument) {
            at.next();
        } else {
            input |= !argument.starts_with('-');
        }
    }
    input
}

/// Analyses a command line. `arguments` are those after the compiler, with response files expanded.
pub fn shape(arguments: &[String]) -> Shape {
    let mut shape = Shape::default();
    let mut forced: Option<Option<Language>> = None;
    let mut at = arguments.iter();
    while let Some(argument) = at.next() {
        if argument == "-x" || argument == "--language" {
            forced = language_option(at.next().map(String::as_str).unwrap_or_default());
        } else if let Some(name) = argument.strip_prefix("-x").filter(|name| !name.is_empty()) {
            forced = language_option(name);
        } else if argument == "-o" {
            if at.next().is_some_and(|output| output == "-") {
                shape.not_compiling = Some("writes to standard output");
            }
        } else if WITH_VALUE.contains(&argument.as_str()) {
            at.next();
        } else if argument == "-" {
            shape.not_compiling = Some("reads standard input");
        } else if !argument.starts_with('-') {
            let language = match forced {
                Some(language) => language,
                None => language_of(Path::new(argument)),
            };
            if language.is_some() {
                shape.sources.push(argument.clone());
            } else if forced.is_some()
                || matches!(argument.rsplit('.').next(), Some("s" | "S" | "sx" | "asm"))
            {
                shape.not_compiling = Some("compiles another language");
            }
        } else if let Some(reason) = other_work(argument) {
            shape.not_compiling = Some(reason);
        } else {
            flag(&mut shape, argument);
        }
    }
    if shape.sources.is_empty() && shape.not_compiling.is_none() {
        shape.not_compiling = Some("compiles no source of C, C++ or Fortran");
    }
    shape
}

fn language_option(name: &str) -> Option<Option<Language>> {
    if name == "none" { None } else { Some(language_named(name)) }
}

fn flag(shape: &mut Shape, argument: &str) {
    match argument {
        "-g0" | "-ggdb0" => shape.debug = false,
        "-O0" => shape.optimizes = false,
        "-fno-lto" => shape.lto = false,
        _ if argument.starts_with("-frecord-") || argument.starts_with("-grecord-") => {
            shape.records_flags = true
        }
        _ if argument.starts_with("-g") => shape.debug = true,
        _ if argument.starts_with("-flto") => shape.lto = true,
        _ if argument.starts_with("-fopt-info")
            || argument.starts_with("-fsave-optimization-record")
            || argument.starts_with("-foptimization-record") =>
        {
            shape.own_report = true;
        }
        _ if argument.starts_with("-O") => shape.optimizes = true,
        _ => {}
    }
}

/// Most levels of nested response files; deeper ones are not expanded.
const MAX_RESPONSE_DEPTH: u32 = 8;
/// Most bytes of a response file; larger ones are not expanded: no command line is that long.
const MAX_RESPONSE_BYTES: u64 = 16 << 20;
/// Most arguments after expansion: files that name each other multiply.
const MAX_ARGUMENTS: usize = 1 << 18;

/// Replaces `@file` by the arguments in the file, as the compilers do; unreadable ones, and those that are
/// not `permitted`, stay.
pub fn expand(arguments: &[String], directory: &Path, permitted: &dyn Fn(&Path) -> bool) -> Vec<String> {
    let mut expanded = Vec::new();
    expand_into(arguments, directory, permitted, 0, &mut expanded);
    expanded
}

fn expand_into(
    arguments: &[String],
    directory: &Path,
    permitted: &dyn Fn(&Path) -> bool,
    depth: u32,
    expanded: &mut Vec<String>,
) {
    for argument in arguments {
        if expanded.len() >= MAX_ARGUMENTS {
            return;
        }
        let inner = argument.strip_prefix('@').filter(|_| depth < MAX_RESPONSE_DEPTH).and_then(|file| {
            let path = directory.join(file);
            let bytes = permitted(&path).then(|| regular::read(&path, MAX_RESPONSE_BYTES).ok()).flatten()?;
            shlex::split(&String::from_utf8(bytes).ok()?)
        });
        match inner {
            Some(inner) => expand_into(&inner, directory, permitted, depth + 1, expanded),
            None => expanded.push(argument.clone()),
        }
    }
}

/// The arguments of a command for one of its sources, without those that write files or only matter to the
/// linker: the rest compiles the source in the same way and writes nothing.
pub fn without_outputs(arguments: &[String], source: &str, sources: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut at = arguments.iter();
    while let Some(argument) = at.next() {
        match argument.as_str() {
            "-c"
            | "-S"
            | "-MD"
            | "-MMD"
            | "-MP"
            | "-MG"
            | "-MV"
            | "-ftest-coverage"
            | "-fstack-usage"
            | "-gsplit-dwarf"
            | "-ffat-lto-objects"
            | "-fno-fat-lto-objects"
            | "-v"
            | "-H"
            | "-Werror"
            | "-time"
            | "-pipe"
            | "-fcallgraph-info"
            | "-shared"
            | "-rdynamic"
            | "-static" => {}
            "--coverage" | "-coverage" => kept.push("-fprofile-arcs".to_string()),
            "-o" | "-MF" | "-MT" | "-MQ" | "-MJ" | "-J" | "-aux-info" | "-dumpbase" | "-dumpdir"
            | "-dumpbase-ext" | "-Xlinker" | "-l" | "-L" | "-T" | "-u" | "-z" | "-e" => {
                at.next();
            }
            _ if WITH_VALUE.contains(&argument.as_str()) => {
                kept.push(argument.clone());
                kept.extend(at.next().cloned());
            }
            _ if writes_aside(argument) => {}
            _ if argument == source => kept.push(argument.clone()),
            _ if sources.contains(argument) => {}
            // Objects and libraries.
            _ if !argument.starts_with('-') => {}
            _ => kept.push(argument.clone()),
        }
    }
    kept
}

/// Single-word arguments that make the compiler write files beside the object, or belong to the linker.
fn writes_aside(argument: &str) -> bool {
    const PREFIXES: [&str; 17] = [
        "-o",
        "-MF",
        "-MT",
        "-MQ",
        "-MJ",
        "-Wp,-M",
        "-Wl,",
        "-l",
        "-L",
        "-flto",
        "-save-temps",
        "--save-temps",
        "-fdump-",
        "-J",
        "-fopt-info",
        "-fsave-optimization-record",
        "-foptimization-record",
    ];
    PREFIXES.iter().any(|prefix| argument.starts_with(prefix))
        || argument.starts_with("-ftime-trace")
        || argument.starts_with("-fcallgraph-info")
}

/// The folder of a Fortran command's modules; a question must read them there, and write its own elsewhere.
pub fn module_folder(arguments: &[String]) -> Option<String> {
    let mut at = arguments.iter();
    let mut folder = None;
    while let Some(argument) = at.next() {
        if argument == "-J" {
            folder = at.next().cloned();
        } else if let Some(joined) = argument.strip_prefix("-J") {
            folder = Some(joined.to_string());
        } else if WITH_VALUE.contains(&argument.as_str()) {
            at.next();
        }
    }
    folder
}

#[cfg(test)]
mod tests;
