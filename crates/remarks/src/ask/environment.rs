//! The environment of a compiler for a question.
//!
//! Variables control compilers: which files to write beside the object, which programs and libraries to load, which
//! flags to add. The question must not write the build's files, and, where its flags come from a file, it runs in a
//! folder that came with that file: a list of folders with an empty or relative entry (`LD_LIBRARY_PATH=/opt/x:`, a
//! common accident) would make the compiler load libraries and headers from there.
//!
//! Sources: GCC manual "Environment Variables"; clang's driver (`CCC_*`, `CC_*`); ld.so(8); ccache(1).

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Variables that make a compiler write a file, or compile twice.
const WRITING: [&str; 15] = [
    "DEPENDENCIES_OUTPUT",
    "SUNPRO_DEPENDENCIES",
    "GCC_COMPARE_DEBUG",
    "CC_PRINT_OPTIONS",
    "CC_PRINT_OPTIONS_FILE",
    "CC_PRINT_HEADERS",
    "CC_PRINT_HEADERS_FILE",
    "CC_PRINT_HEADERS_FORMAT",
    "CC_PRINT_HEADERS_FILTERING",
    "CC_LOG_DIAGNOSTICS",
    "CC_LOG_DIAGNOSTICS_FILE",
    "CC_PRINT_PROC_STAT",
    "CC_PRINT_PROC_STAT_FILE",
    "LD_DEBUG_OUTPUT",
    "LD_PROFILE",
];

/// Variables that name programs, libraries or modules to be loaded, or flags to be added.
const LOADING: [&str; 20] = [
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "LIBRARY_PATH",
    "LD_PRELOAD",
    "LD_AUDIT",
    "GCONV_PATH",
    "LOCPATH",
    "NLSPATH",
    "BASH_ENV",
    "ENV",
    "CCC_OVERRIDE_OPTIONS",
    "QA_OVERRIDE_GCC3_OPTIONS",
    "CCC_ADD_ARGS",
    "CL",
    "_CL_",
    "CCACHE_PREFIX",
    "CCACHE_PREFIX_CPP",
    "CCACHE_COMPILER",
    "COLLECT_GCC_OPTIONS",
    "COLLECT_LTO_WRAPPER",
];

/// Lists of folders: only absolute ones stay.
const FOLDERS: [&str; 6] =
    ["PATH", "LD_LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH"];

/// Removes the variables that make a compiler write.
pub(crate) fn without_writers(command: &mut Command) {
    for name in WRITING {
        command.env_remove(name);
    }
}

/// Prepares a compiler that runs a file's command: removes the loading variables, too, and relative folders from
/// lists.
pub(crate) fn closed(command: &mut Command) {
    without_writers(command);
    for name in LOADING {
        command.env_remove(name);
    }
    for name in FOLDERS {
        if let Some(list) = std::env::var_os(name) {
            let absolute = absolute_folders(&list);
            if absolute.is_empty() {
                command.env_remove(name)
            } else {
                command.env(name, absolute)
            };
        }
    }
}

/// Folders in which the environment makes compilers look for headers.
pub(crate) fn header_folders() -> Vec<PathBuf> {
    let lists = FOLDERS
        .iter()
        .filter(|name| name.contains("INCLUDE") || **name == "CPATH")
        .filter_map(std::env::var_os);
    lists
        .flat_map(|list| std::env::split_paths(&list).collect::<Vec<_>>())
        .filter(|path| path.is_absolute())
        .collect()
}

fn absolute_folders(list: &OsStr) -> OsString {
    let absolute: Vec<PathBuf> = std::env::split_paths(list).filter(|path| Path::is_absolute(path)).collect();
    std::env::join_paths(absolute).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_folders_stay() {
        assert_eq!(absolute_folders(OsStr::new("/opt/x:")), "/opt/x");
        assert_eq!(absolute_folders(OsStr::new(":.:bin:/usr/bin::../x:/bin")), "/usr/bin:/bin");
        assert_eq!(absolute_folders(OsStr::new(".")), "");
    }

    #[test]
    fn nothing_that_writes_or_loads_is_passed_on() {
        let mut command = Command::new("true");
        for name in WRITING.iter().chain(&LOADING) {
            command.env(name, "x");
        }
        closed(&mut command);
        assert!(
            command
                .get_envs()
                .all(|(name, value)| value.is_none() || FOLDERS.contains(&name.to_str().unwrap()))
        );
    }
}
