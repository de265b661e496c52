//! Cleans up after questions when this process ends before their answers.
//!
//! A guard, a shell that waits at the end of a pipe, holds the folder of a session. Only this process holds the other
//! end; when it ends for any reason (also `SIGKILL`), the guard reads the end of the file, kills the compilers that
//! still run and removes the folder. `PR_SET_PDEATHSIG` was rejected: it is not inherited, and the compiler proper is a
//! child of the driver. Signal handlers were rejected, because `SIGKILL` has none. The compilers run in process groups
//! of their own, so that one that takes too long can be stopped with its children.
//!
//! A shell also sets the limits of a compiler: the resources that a hostile source can use are bounded ([`Bounds`]).

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

/// The path that POSIX specifies.
const SHELL: &str = "/bin/sh";

/// Lines `+ GROUP` and `- GROUP` begin and end a compiler; the end of the file is the end of the session.
const GUARD: &str = r#"
trap '' HUP INT QUIT PIPE TERM
groups=
while read -r sign group; do
    rest=
    for known in $groups; do [ "$known" = "$group" ] || rest="$rest $known"; done
    groups=$rest
    [ "$sign" = + ] && groups="$groups $group"
done
for group in $groups; do kill -s KILL -- "-$group"; done
rm -rf -- "$1"
"#;

/// `$1` to `$3` are the limits, the rest is the command. A limit that cannot be set is already lower.
const LIMITED: &str = r#"
{ ulimit -c 0; ulimit -t "$1"; ulimit -f "$2"; ulimit -v "$3"; } 2>/dev/null
shift 3
exec "$@"
"#;

/// Limits of one compiler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// CPU time of one process.
    pub time: Duration,
    /// Bytes of one file that is written.
    pub file: u64,
    /// Bytes of address space.
    pub memory: u64,
}

/// A session of questions: a folder for the compilers' files, and the guard that removes it.
pub(crate) struct Guard {
    folder: PathBuf,
    guard: Mutex<Option<(Child, ChildStdin)>>,
}

impl Guard {
    /// Makes the folder and starts the guard.
    pub fn start() -> io::Result<Guard> {
        let folder = tempfile::Builder::new().prefix("loopwright-ask-").tempdir()?;
        let mut guard = Command::new(SHELL)
            .args(["-c", GUARD, SHELL])
            .arg(folder.path())
            .current_dir("/")
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let input = guard.stdin.take().ok_or_else(|| io::Error::other("the guard has no input"))?;
        Ok(Guard { folder: folder.keep(), guard: Mutex::new(Some((guard, input))) })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts a prepared program in a process group of its own, within bounds and under the guard.
    pub fn spawn(
        &self,
        bounds: Bounds,
        program: &Path,
        prepare: impl FnOnce(&mut Command),
    ) -> io::Result<Guarded<'_>> {
        let mut command = Command::new(SHELL);
        command.args(["-c", LIMITED, SHELL]);
        command.arg(bounds.time.as_secs().saturating_add(1).to_string());
        // POSIX: blocks of 512 bytes for files; kilobytes of address space, as in every shell.
        command.arg((bounds.file / 512).to_string()).arg((bounds.memory / 1024).to_string());
        command.arg(program);
        prepare(&mut command);
        let child = command.process_group(0).spawn()?;
        self.tell('+', child.id());
        Ok(Guarded { guard: self, child })
    }

    fn tell(&self, sign: char, group: u32) {
        if let Ok(mut guard) = self.guard.lock()
            && let Some((_, input)) = guard.as_mut()
        {
            // Without its guard a session still works; only a killed one leaves files.
            let _ = writeln!(input, "{sign} {group}");
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let guard = self.guard.lock().ok().and_then(|mut guard| guard.take());
        if let Some((mut child, input)) = guard {
            drop(input);
            let _ = child.wait();
        }
        if self.folder.exists() {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

/// A running program.
pub(crate) struct Guarded<'a> {
    guard: &'a Guard,
    child: Child,
}

impl Guarded<'_> {
    /// The status, once it has ended.
    pub fn try_wait(&mut self) -> io::Result<Option<std::process::ExitStatus>> {
        let status = self.child.try_wait()?;
        if status.is_some() {
            self.guard.tell('-', self.child.id());
        }
        Ok(status)
    }

    /// Kills it with all its children: the driver's own death would leave the compiler proper running.
    pub fn kill(mut self) -> io::Result<()> {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        self.child.wait()?;
        self.guard.tell('-', self.child.id());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { time: Duration::from_secs(20), file: 1 << 20, memory: 1 << 30 };

    fn wait(mut program: Guarded<'_>) -> std::process::ExitStatus {
        loop {
            match program.try_wait().expect("waits") {
                Some(status) => return status,
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    #[test]
    fn the_folder_goes_with_the_session() {
        let guard = Guard::start().expect("starts");
        let folder = guard.folder().to_owned();
        std::fs::write(folder.join("a"), "1").expect("writes");
        let program = guard.spawn(BOUNDS, Path::new("/bin/true"), |_| {}).expect("starts");
        assert!(wait(program).success());
        drop(guard);
        assert!(!folder.exists());
    }

    #[test]
    fn bounds_hold() {
        let guard = Guard::start().expect("starts");
        let script = "dd if=/dev/zero of=big bs=65536 count=64 2>/dev/null; ulimit -v; ulimit -c; ulimit -t";
        let output = guard.folder().join("output");
        let file = std::fs::File::create(&output).expect("writes");
        let program = guard.spawn(BOUNDS, Path::new("/bin/sh"), |command| {
            command.args(["-c", script]).current_dir(guard.folder()).stdout(file);
        });
        wait(program.expect("starts"));
        assert_eq!(std::fs::metadata(guard.folder().join("big")).expect("written").len(), 1 << 20);
        assert_eq!(std::fs::read_to_string(output).expect("reads"), "1048576\n0\n21\n");
    }
}
