//! Why a program could not be started.

use std::io;
use std::path::PathBuf;

/// Why a program could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The command line is empty.
    #[error("no program was given; name it after `--`, as in `-- ./program arguments`")]
    NoCommand,
    /// A path or argument holds a NUL byte.
    #[error("{what} holds a NUL byte, which no program can be given; remove it")]
    NulByte {
        /// The argument or path.
        what: String,
    },
    /// The program was not found on the search path.
    #[error("{program}: no such program in PATH; check the spelling or give its path (`./{program}`)")]
    NotOnPath {
        /// Name as given.
        program: String,
    },
    /// The program's path does not exist.
    #[error("{path}: does not exist; check the path or build the program first")]
    DoesNotExist {
        /// Path of the program.
        path: PathBuf,
    },
    /// The program is a directory.
    #[error("{path}: is a directory; name the program inside it")]
    IsDirectory {
        /// Path of the program.
        path: PathBuf,
    },
    /// The program may not be executed.
    #[error(
        "{path}: may not be executed; make it executable (`chmod +x`), or start it by its interpreter (`python3 {path}`)"
    )]
    NotExecutable {
        /// Path of the program.
        path: PathBuf,
    },
    /// A script names an interpreter that does not exist.
    #[error(
        "{path}: its first line names the interpreter {interpreter}, which does not exist; install or correct it"
    )]
    NoInterpreter {
        /// The script or program.
        path: PathBuf,
        /// Its interpreter (or ELF dynamic loader).
        interpreter: String,
    },
    /// The program was built for another machine.
    #[error("{path}: is built for {machine}, this machine runs x86-64; build it for this machine")]
    WrongArchitecture {
        /// Path of the program.
        path: PathBuf,
        /// The machine that it was built for.
        machine: String,
    },
    /// Neither a binary nor a script.
    #[error("{path}: is neither a binary for this system nor a script; give the program that runs it")]
    NotAProgram {
        /// Path of the program.
        path: PathBuf,
    },
    /// The working directory cannot be entered.
    #[error("{path}: cannot be used as working directory ({source}); choose another")]
    Directory {
        /// Path of the directory.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// `execve` failed for another reason.
    #[error(
        "{path}: cannot be started ({source}); start it from a shell, without loopwright, to see whether it runs there"
    )]
    Start {
        /// Path of the program.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// A system call that starting it needs failed.
    #[error("{call} failed ({source}); {remedy}")]
    System {
        /// Name of the call.
        call: &'static str,
        /// The operating system's error.
        source: io::Error,
        /// What the user can do.
        remedy: &'static str,
    },
}
