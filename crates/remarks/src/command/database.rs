//! `compile_commands.json`: the compilation database of clang's tools, which CMake, Meson, Bear and others write.
//!
//! Source: "JSON Compilation Database Format Specification" of the clang documentation.

use super::CompileCommand;
use loopwright_files::regular;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Why a database could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Missing, or not readable.
    #[error("cannot read {path}: {cause}; give the path of a compile_commands.json")]
    Unreadable {
        /// Path of the database.
        path: PathBuf,
        /// The operating system's reason.
        cause: std::io::Error,
    },
    /// Not a database.
    #[error(
        "{path} is not a compilation database ({cause}); write it anew with `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON`"
    )]
    Malformed {
        /// Path of the database.
        path: PathBuf,
        /// The parser's error.
        cause: serde_json::Error,
    },
}

/// Most bytes of a database: the largest projects have some hundred megabytes.
const LARGEST: u64 = 1 << 30;

#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// Reads a database; entries without a readable command are skipped.
pub fn read(path: &Path) -> Result<Vec<CompileCommand>, Error> {
    let bytes = regular::read(path, LARGEST)
        .map_err(|cause| Error::Unreadable { path: path.to_path_buf(), cause })?;
    parse(&bytes).map_err(|cause| Error::Malformed { path: path.to_path_buf(), cause })
}

/// Reads a database from memory.
pub fn parse(bytes: &[u8]) -> Result<Vec<CompileCommand>, serde_json::Error> {
    let entries: Vec<Entry> = serde_json::from_slice(bytes)?;
    let commands = entries.into_iter().filter_map(|entry| {
        let arguments = entry.arguments.or_else(|| shlex::split(&entry.command?))?;
        (!arguments.is_empty()).then_some(CompileCommand {
            directory: entry.directory,
            file: entry.file,
            arguments,
            compiler: None,
        })
    });
    Ok(commands.collect())
}

/// The nearest database: in a folder, its `build` folders, or above it.
pub fn find(start: &Path) -> Option<PathBuf> {
    const NAME: &str = "compile_commands.json";
    for folder in start.ancestors().take(6) {
        let here = folder.join(NAME);
        if here.is_file() {
            return Some(here);
        }
        let mut below: Vec<PathBuf> = std::fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().contains("build"))
            .map(|entry| entry.path().join(NAME))
            .filter(|path| path.is_file())
            .collect();
        below.sort();
        if let Some(found) = below.into_iter().next() {
            return Some(found);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_command_are_read() {
        let text = br#"[{"directory":"/b","file":"a.c","command":"cc -DX='a b' -c a.c"},
                        {"directory":"/b","file":"b.c","arguments":["cc","-c","b.c"]},
                        {"directory":"/b","file":"c.c"}]"#;
        let commands = parse(text).unwrap();
        assert_eq!(commands.len(), 2);
        assert_eq!(commands[0].arguments, ["cc", "-DX=a b", "-c", "a.c"]);
        assert!(parse(b"{}").is_err());
    }
}
