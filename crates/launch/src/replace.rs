//! Becomes the program: where nothing is to be collected, no process of the collector is left and the program is what it would be
//! without it: same process number, same environment to the last byte, same signals and descriptors.

use crate::error::Error;
use crate::launch::{Strings, exec_error, looks_like_text, resolve};
use crate::{file_limit, inherited};
use std::ffi::{CString, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;

unsafe extern "C" {
    /// As this process got it: `std::env` leaves out what is no `NAME=VALUE`.
    static environ: *const *const libc::c_char;
}

/// Replaces this process by the program of a command. Returns only when that cannot be started.
pub fn replace(command: &[OsString]) -> Error {
    replaced(command).err().unwrap_or(Error::NoCommand)
}

fn replaced(command: &[OsString]) -> Result<(), Error> {
    let (first, rest) = command.split_first().ok_or(Error::NoCommand)?;
    let program = resolve(first, std::env::var_os("PATH").as_deref(), None)?;
    let path = CString::new(program.as_os_str().as_bytes())
        .map_err(|_| Error::NulByte { what: "the program's path".to_owned() })?;
    let arguments = Strings::new(command.iter().cloned(), "an argument")?;
    let shell = [OsString::from("/bin/sh"), program.clone().into_os_string()];
    let through_shell = Strings::new(shell.into_iter().chain(rest.iter().cloned()), "an argument")?;
    let is_text = looks_like_text(&program, None);
    inherited::put_back_pipe_signal();
    file_limit::put_back();
    for stream in (0..3).filter(|stream| inherited::was_closed(*stream)) {
        // SAFETY: Rust's run time opened it in place of a stream that was closed; nothing of this process needs it from here on.
        unsafe { libc::close(stream.into()) };
    }
    // SAFETY: the strings end with NUL and their arrays with a null pointer, and both outlive the call; `environ` is this
    // process's own, which no other thread changes (nothing here sets variables).
    unsafe { libc::execve(path.as_ptr(), arguments.pointers(), environ) };
    let mut source = io::Error::last_os_error();
    if source.raw_os_error() == Some(libc::ENOEXEC) && is_text {
        // execvp(3): a file whose format the kernel does not know is passed to the shell.
        // SAFETY: as above.
        unsafe { libc::execve(c"/bin/sh".as_ptr(), through_shell.pointers(), environ) };
        source = io::Error::last_os_error();
    }
    Err(exec_error(&program, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_started_is_an_error() {
        assert!(matches!(replace(&[]), Error::NoCommand));
        assert!(matches!(replace(&["/no/such".into()]), Error::DoesNotExist { .. }));
        assert!(matches!(replace(&["/".into()]), Error::IsDirectory { .. }));
        assert!(matches!(replace(&["no-such-program-anywhere".into()]), Error::NotOnPath { .. }));
    }
}
