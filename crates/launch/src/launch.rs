//! Starts the program, held at the gate until the collector is attached.
//!
//! Program search and its errors are those of `execvp(3)`, decided before the fork, so that they can name the
//! file and the way out. The program must not notice the collector: no signal is blocked or ignored for it (what
//! Rust's run time changed is put back), no descriptor leaks, and the environment is the caller's plus
//! what the options add.

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::file_limit;
use crate::inherited;
use crate::interruptions::signal;
use crate::options::{StartOptions, Stream};

/// A child that waits for [`Held::release`] before it becomes the program.
#[derive(Debug)]
pub struct Held {
    /// Its process id.
    pub pid: libc::pid_t,
    /// Resolved path of the program.
    pub program: PathBuf,
    gate: OwnedFd,
    failure: OwnedFd,
}

/// Finds the program of a command, as `execvp(3)` would.
pub fn resolve(
    program: &OsStr,
    search_path: Option<&OsStr>,
    directory: Option<&Path>,
) -> Result<PathBuf, Error> {
    if program.is_empty() {
        return Err(Error::NoCommand);
    }
    if program.as_bytes().contains(&b'/') {
        let path = PathBuf::from(program);
        check(&path, directory)?;
        return Ok(path);
    }
    let default = OsStr::new("/bin:/usr/bin");
    let mut refused = None;
    for folder in std::env::split_paths(search_path.unwrap_or(default)) {
        let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
        let candidate = folder.join(program);
        match check(&candidate, directory) {
            Ok(()) => return Ok(candidate),
            Err(error @ (Error::NotExecutable { .. } | Error::NoInterpreter { .. })) => {
                refused.get_or_insert(error);
            }
            Err(_) => {}
        }
    }
    Err(refused.unwrap_or_else(|| Error::NotOnPath { program: program.to_string_lossy().into_owned() }))
}

/// Whether `path` can be executed, as far as its file shows.
fn check(path: &Path, directory: Option<&Path>) -> Result<(), Error> {
    // The child changes its directory before it executes a relative path.
    let seen = match directory {
        Some(directory) if path.is_relative() => directory.join(path),
        _ => path.to_owned(),
    };
    let path = path.to_owned();
    let meta = match std::fs::metadata(&seen) {
        Ok(meta) => meta,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Err(Error::DoesNotExist { path });
        }
        Err(source) => return Err(Error::Start { path, source }),
    };
    if meta.is_dir() {
        return Err(Error::IsDirectory { path });
    }
    if !may_execute(&seen) || meta.permissions().mode() & 0o111 == 0 {
        return Err(Error::NotExecutable { path });
    }
    let mut start = [0_u8; 256];
    let read = File::open(&seen).and_then(|mut file| file.read(&mut start)).unwrap_or(0);
    let start = start.get(..read).unwrap_or_default();
    if let Some(line) = start.strip_prefix(b"#!") {
        let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let interpreter = line
            .split(|byte| byte.is_ascii_whitespace())
            .find(|word| !word.is_empty())
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .unwrap_or_default();
        if !Path::new(&interpreter).exists() {
            return Err(Error::NoInterpreter { path, interpreter });
        }
    }
    if let Some(machine) = foreign_machine(start) {
        return Err(Error::WrongArchitecture { path, machine });
    }
    Ok(())
}

fn may_execute(path: &Path) -> bool {
    CString::new(path.as_os_str().as_bytes()).is_ok_and(|path| {
        // SAFETY: `path` is a NUL-terminated string that outlives the call.
        unsafe { libc::access(path.as_ptr(), libc::X_OK) == 0 }
    })
}

/// The machine of an ELF file that this system cannot run. The kernel decides about 32-bit x86.
fn foreign_machine(start: &[u8]) -> Option<String> {
    let header = start.strip_prefix(b"\x7fELF")?;
    let big_endian = *header.get(1)? == 2;
    let bytes = [*start.get(18)?, *start.get(19)?];
    let machine = if big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) };
    let name = match machine {
        3 | 62 => return None,
        183 => "64-bit Arm (AArch64)",
        40 => "32-bit Arm",
        243 => "RISC-V",
        20 | 21 => "PowerPC",
        8 => "MIPS",
        22 => "IBM Z",
        258 => "LoongArch",
        other => return Some(format!("another machine (ELF machine {other})")),
    };
    Some(name.to_owned())
}

/// A list of C strings with the terminated pointer array that `execve` takes.
pub(crate) struct Strings {
    _owned: Vec<CString>,
    pointers: Vec<*const libc::c_char>,
}

impl Strings {
    pub(crate) fn new(strings: impl Iterator<Item = OsString>, what: &str) -> Result<Self, Error> {
        let owned: Vec<CString> = strings
            .map(|string| {
                CString::new(string.into_vec()).map_err(|_| Error::NulByte { what: what.to_owned() })
            })
            .collect::<Result<_, _>>()?;
        let pointers = owned.iter().map(|string| string.as_ptr()).chain([std::ptr::null()]).collect();
        Ok(Self { _owned: owned, pointers })
    }

    /// Valid as long as this value.
    pub(crate) fn pointers(&self) -> *const *const libc::c_char {
        self.pointers.as_ptr()
    }
}

/// Forks the child. It waits at the gate, as a copy of this process, without having run any of the program.
pub fn hold(command: &[OsString], options: &StartOptions) -> Result<Held, Error> {
    let (first, _) = command.split_first().ok_or(Error::NoCommand)?;
    let mut environment: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    for (name, value) in &options.environment {
        environment.retain(|(existing, _)| existing != name);
        environment.push((name.clone(), value.clone()));
    }
    let search_path = environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
    if let Some(path) = &options.directory {
        let reason = match std::fs::metadata(path) {
            Ok(meta) if meta.is_dir() => None,
            Ok(_) => Some(io::Error::from(io::ErrorKind::NotADirectory)),
            Err(error) => Some(error),
        };
        if let Some(source) = reason {
            return Err(Error::Directory { path: path.clone(), source });
        }
    }
    let program = resolve(first, search_path, options.directory.as_deref())?;

    let path = CString::new(program.as_os_str().as_bytes())
        .map_err(|_| Error::NulByte { what: "the program's path".to_owned() })?;
    let arguments = Strings::new(command.iter().cloned(), "an argument")?;
    // execvp(3): a file whose format the kernel does not know is passed to the shell, unless it is binary.
    let shell = CString::from(c"/bin/sh");
    let through_shell = Strings::new(
        [OsString::from("/bin/sh"), program.clone().into_os_string()]
            .into_iter()
            .chain(command.iter().skip(1).cloned()),
        "an argument",
    )?;
    let is_text = looks_like_text(&program, options.directory.as_deref());
    let variables = Strings::new(
        environment.into_iter().map(|(mut name, value)| {
            name.push("=");
            name.push(value);
            name
        }),
        "an environment variable",
    )?;
    let directory = options
        .directory
        .as_ref()
        .map(|path| CString::new(path.as_os_str().as_bytes()))
        .transpose()
        .map_err(|_| Error::NulByte { what: "the working directory".to_owned() })?;
    let null = File::options().read(true).write(true).open("/dev/null").map_err(|source| Error::System {
        call: "open(/dev/null)",
        source,
        remedy: "the system's /dev is incomplete",
    })?;
    let descriptor = |stream: &Stream| match stream {
        Stream::Inherit => None,
        Stream::Null => Some(null.as_raw_fd()),
        Stream::File(file) => Some(file.as_raw_fd()),
    };
    let streams = [descriptor(&options.stdin), descriptor(&options.stdout), descriptor(&options.stderr)];
    let (gate_child, gate) = pipe()?;
    let (failure, failure_child) = pipe()?;

    // SAFETY: between fork and exec the child calls only async-signal-safe functions on memory prepared
    // above (`become_program`), as a fork from a process with several threads requires.
    let pid = unsafe { libc::fork() };
    if pid < 0 {
        return Err(Error::System {
            call: "fork",
            source: io::Error::last_os_error(),
            remedy: "raise the limit of processes (`ulimit -u`) or of memory",
        });
    }
    if pid == 0 {
        // SAFETY: this is the child; every pointer refers to the strings above, which live in its copy of
        // the memory and end with NUL or a null pointer; the descriptors are open.
        unsafe {
            become_program(&Child {
                gate: gate_child.as_raw_fd(),
                parents_gate: gate.as_raw_fd(),
                failure: failure_child.as_raw_fd(),
                directory: directory.as_ref().map_or(std::ptr::null(), |path| path.as_ptr()),
                streams,
                path: path.as_ptr(),
                arguments: arguments.pointers.as_ptr(),
                shell: if is_text { shell.as_ptr() } else { std::ptr::null() },
                through_shell: through_shell.pointers.as_ptr(),
                variables: variables.pointers.as_ptr(),
            })
        }
    }
    Ok(Held { pid, program, gate, failure })
}

pub(crate) fn looks_like_text(program: &Path, directory: Option<&Path>) -> bool {
    let seen = directory.map_or_else(|| program.to_owned(), |directory| directory.join(program));
    let mut start = [0_u8; 128];
    let read = File::open(seen).and_then(|mut file| file.read(&mut start)).unwrap_or(0);
    start.get(..read).is_some_and(|start| !start.contains(&0))
}

fn pipe() -> Result<(OwnedFd, OwnedFd), Error> {
    let mut ends: [RawFd; 2] = [-1; 2];
    // SAFETY: `ends` has room for the two descriptors that the call writes.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(Error::System {
            call: "pipe2",
            source: io::Error::last_os_error(),
            remedy: "raise the limit of open files (`ulimit -n`)",
        });
    }
    // SAFETY: both descriptors were just created and have no other owner.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// The data of the child, as plain pointers: it may not allocate.
struct Child {
    gate: RawFd,
    parents_gate: RawFd,
    failure: RawFd,
    directory: *const libc::c_char,
    streams: [Option<RawFd>; 3],
    path: *const libc::c_char,
    arguments: *const *const libc::c_char,
    shell: *const libc::c_char,
    through_shell: *const *const libc::c_char,
    variables: *const *const libc::c_char,
}

/// Stage at which the child failed, sent with `errno`.
const AT_DIRECTORY: u8 = 1;
const AT_EXEC: u8 = 2;

/// The child's side: waits at the gate, then executes. Never returns.
///
/// # Safety
/// Must run in a freshly forked child; all pointers must be valid (strings NUL-terminated, arrays ended by a
/// null pointer) and all descriptors open.
unsafe fn become_program(child: &Child) -> ! {
    // SAFETY: only async-signal-safe calls; pointers and descriptors are valid by the caller's contract.
    unsafe {
        libc::close(child.parents_gate);
        let mut byte = 0_u8;
        loop {
            let read = libc::read(child.gate, (&raw mut byte).cast(), 1);
            if read == 1 {
                break;
            }
            if read == 0 || *libc::__errno_location() != libc::EINTR {
                libc::_exit(127); // the collector has gone or given up
            }
        }
        inherited::put_back_pipe_signal();
        file_limit::put_back();
        for (target, source) in (0_u8..).zip(&child.streams) {
            match source {
                Some(source) => {
                    libc::dup2(*source, target.into());
                }
                None if inherited::was_closed(target) => {
                    libc::close(target.into());
                }
                None => {}
            }
        }
        if !child.directory.is_null() && libc::chdir(child.directory) != 0 {
            report(child.failure, AT_DIRECTORY);
        }
        libc::execve(child.path, child.arguments, child.variables);
        if *libc::__errno_location() == libc::ENOEXEC && !child.shell.is_null() {
            libc::execve(child.shell, child.through_shell, child.variables);
        }
        report(child.failure, AT_EXEC)
    }
}

/// Sends the stage and `errno` to the parent and ends the child.
///
/// # Safety
/// As for [`become_program`].
unsafe fn report(failure: RawFd, stage: u8) -> ! {
    // SAFETY: `message` outlives the write; `_exit` ends the child without running the parent's handlers.
    unsafe {
        let errno = (*libc::__errno_location()).to_ne_bytes();
        let message = [stage, errno[0], errno[1], errno[2], errno[3]];
        libc::write(failure, message.as_ptr().cast(), message.len());
        libc::_exit(127)
    }
}

impl Held {
    /// Opens the gate and waits until the child has become the program (or could not).
    ///
    /// Under ptrace the exec stops the child before the failure pipe closes, so that the tracer must not wait
    /// here: it uses [`Held::open_gate`] and [`Held::failure`] around its own waiting.
    pub fn release(self, directory: Option<&Path>) -> Result<(), Error> {
        self.open_gate();
        match self.failure(directory) {
            None => Ok(()),
            Some(error) => {
                self.reap();
                Err(error)
            }
        }
    }

    /// Lets the child continue to its exec.
    pub fn open_gate(&self) {
        // SAFETY: writes one byte from a valid buffer to a descriptor this value owns. Failure means that the
        // child has died, which the failure pipe and wait will report.
        unsafe {
            libc::write(self.gate.as_raw_fd(), [1_u8].as_ptr().cast(), 1);
        }
    }

    /// Waits until exec succeeded (`None`) or failed.
    pub fn failure(&self, directory: Option<&Path>) -> Option<Error> {
        let mut message = [0_u8; 5];
        let mut have = 0;
        while have < message.len() {
            // SAFETY: the buffer's remaining part is valid for the length given.
            let read = unsafe {
                libc::read(
                    self.failure.as_raw_fd(),
                    message[have..].as_mut_ptr().cast(),
                    message.len() - have,
                )
            };
            match read {
                1.. => have += read as usize,
                0 => return None,
                _ if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
                _ => return None,
            }
        }
        let [stage, errno @ ..] = message;
        let source = io::Error::from_raw_os_error(i32::from_ne_bytes(errno));
        if stage == AT_DIRECTORY {
            return Some(Error::Directory { path: directory.unwrap_or(Path::new(".")).to_owned(), source });
        }
        Some(exec_error(&self.program, source))
    }

    /// Waits for a child that never became the program.
    pub fn reap(&self) {
        // SAFETY: waits for our own child without asking for its status.
        unsafe {
            libc::waitpid(self.pid, std::ptr::null_mut(), libc::__WALL);
        }
    }

    /// Ends a child that is not to go on, and that was not reaped yet.
    pub fn abandon(&self) {
        signal(self.pid, libc::SIGKILL);
        self.reap();
    }
}

/// Why `execve` refused a program.
pub(crate) fn exec_error(program: &Path, source: io::Error) -> Error {
    let path = program.to_owned();
    match source.raw_os_error() {
        Some(libc::ENOEXEC) => Error::NotAProgram { path },
        Some(libc::EACCES) => Error::NotExecutable { path },
        Some(libc::ENOENT) => match loader_of(&path) {
            Some(interpreter) => Error::NoInterpreter { path, interpreter },
            None => Error::DoesNotExist { path },
        },
        _ => Error::Start { path, source },
    }
}

/// The dynamic loader that an ELF file requests.
fn loader_of(path: &Path) -> Option<String> {
    use object::read::elf::{FileHeader, ProgramHeader};
    let data = std::fs::read(path).ok()?;
    let header = object::elf::FileHeader64::<object::Endianness>::parse(&*data).ok()?;
    let endian = header.endian().ok()?;
    header.program_headers(endian, &*data).ok()?.iter().find_map(|segment| {
        let name = segment.interpreter(endian, &*data).ok()??;
        Some(String::from_utf8_lossy(name).into_owned())
    })
}

#[cfg(test)]
mod tests;
